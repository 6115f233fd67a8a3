"""Reductions, scans, order, matrix products and linear algebra give torch's values, gradients, strides, graphs and
errors.
"""

import itertools
import warnings

import numpy as np
import pytest
from both import BOTH, agree, attempt, both, error, graph, numbers, same

import lucid

RNG = np.random.default_rng(0)
X = RNG.standard_normal((3, 4, 5)).astype("float32")
TIES = np.array([[3, 1, 3, 3], [0, 0, -1, 0]], "float32")
NANS = np.array([[1, np.nan, 2], [np.nan, 0, np.nan]], "float32")


def run(T, f, arrays, grad, nodes):
    """The results of f(T, *tensors), their graphs, and the gradients of a weighted sum of them."""
    tensors = [T.from_numpy(a.copy()) for a in arrays]
    if grad:
        tensors = [t.requires_grad_() if t.is_floating_point() else t for t in tensors]
    result = f(T, *tensors)
    results = list(result) if isinstance(result, (tuple, list)) else [result]
    outs = [r for r in results if r.requires_grad]
    if outs:
        sum((r * T.arange(1.0, r.numel() + 1, dtype=r.dtype).reshape(r.shape)).sum() for r in outs).backward()
    grads = [t.grad if t.grad is None else numbers(t.grad) for t in tensors] if outs else []
    return results, [nodes and graph(r.grad_fn) for r in results], grads


def check(f, *arrays, grad=True, graph=True, rtol=1e-5, atol=1e-6):
    """f(T, *tensors) in both: values, types, strides, graph and first gradients."""
    wanted, got = both(run, f, arrays, grad, graph, looks="requires_grad stride")
    agree(got[0], wanted[0], "results", rtol, atol)
    agree(got[1], wanted[1], "graph")
    agree(got[2], wanted[2], "gradients", rtol * 10, atol * 10)


def same_error(f):
    """Both raise the same class with the same message."""
    same(lambda T: error(f, T))


DIMS = [{}, {"dim": 0}, {"dim": -1}, {"dim": (0, 2)}, {"dim": (0, 2), "keepdim": True}, {"dim": 1, "keepdim": True}]


@pytest.mark.parametrize("how", DIMS, ids=str)
@pytest.mark.parametrize(
    "name", ["sum", "mean", "nansum", "nanmean", "amax", "amin", "var", "std", "logsumexp", "norm"]
)
def test_over_dimensions(name, how):
    if name == "logsumexp" and "dim" not in how:
        how = {"dim": (0, 1, 2)}
    check(lambda T, x: getattr(x, name)(**how), X)
    check(lambda T, x: getattr(x.permute(2, 0, 1), name)(**how), X)


@pytest.mark.parametrize("how", [{}, {"dim": 0}, {"dim": -1}, {"dim": 1, "keepdim": True}], ids=str)
@pytest.mark.parametrize("name", ["prod", "max", "min", "argmax", "argmin", "median", "nanmedian", "all", "any"])
def test_over_one_dimension(name, how):
    check(lambda T, x: getattr(x, name)(**how), X)
    check(lambda T, x: getattr(T, name)(x, **how), X)


@pytest.mark.parametrize("dim", [0, 1, -1])
@pytest.mark.parametrize(
    "name", ["cumsum", "cumprod", "cummax", "cummin", "logcumsumexp", "sort", "argsort", "mode", "diff"]
)
def test_along(name, dim):
    check(lambda T, x: getattr(x, name)(dim=dim), X)


@pytest.mark.parametrize("data", [TIES, NANS], ids=["ties", "nans"])
def test_ties_and_nans(data):
    for f in (
        lambda T, x: x.max(),
        lambda T, x: x.max(1),
        lambda T, x: x.amax(1),
        lambda T, x: x.min(1),
        lambda T, x: x.amin(),
        lambda T, x: x.aminmax(),
        lambda T, x: x.cummax(1),
        lambda T, x: x.cummin(1),
        lambda T, x: x.median(),
        lambda T, x: x.argmax(),
        lambda T, x: x.argmin(1),
        lambda T, x: x.sort(dim=1, stable=True),
        lambda T, x: x.sort(dim=1, descending=True, stable=True),
        lambda T, x: x.nansum(),
        lambda T, x: x.nanmedian(1),
    ):
        check(f, data)


@pytest.mark.parametrize("data", [[2.0, 3.0, 4.0], [2.0, 0.0, 4.0], [0.0, 3.0, 0.0]])
def test_product_with_zeros(data):
    data = np.array(data, "float32")
    for f in (lambda T, x: x.prod(), lambda T, x: x.prod(0), lambda T, x: x.cumprod(0)):
        check(f, data)

        def second(T, f=f):
            x = T.from_numpy(data.copy()).requires_grad_()
            (g,) = T.autograd.grad(f(T, x).sum(), x, create_graph=True)
            return T.autograd.grad((g * g + g).sum(), x)

        same(second, rtol=1e-5)


def test_types_of_sums():
    for kind in ("bool", "uint8", "int32", "int64", "float16", "float32", "complex64"):
        data = np.array([[1, 0, 2], [3, 4, 1]]).astype(kind)
        check(lambda T, x: x.sum(), data, grad=False)
        check(lambda T, x: x.sum(0, keepdim=True), data, grad=False)
        if kind != "complex64":
            check(lambda T, x: x.sum(dtype=T.float64), data, grad=False)
        check(lambda T, x: x.prod(), data, grad=False)
    check(lambda T, x: x.sum(dtype=T.float64), X)
    for half, wanted in itertools.product(("float16", "bfloat16"), ("float16", "bfloat16", "float32", "float64")):
        check(lambda T, x: x.to(getattr(T, half)).sum(1, dtype=getattr(T, wanted)), X)
    check(lambda T, x: x.sum(), np.zeros((0, 3), "float32"))
    check(lambda T, x: x.mean(0), np.zeros((0, 3), "float32"))
    check(lambda T, x: x.logsumexp(0), np.zeros((0, 3), "float32"))
    check(lambda T, x: x.logsumexp((0, 1), True), np.zeros((0, 3), "float32"))


def test_halves_add_up_in_float32():
    for name in ("float16", "bfloat16"):
        got = [float(T.ones(5000, dtype=getattr(T, name)).sum()) for T in BOTH]
        assert got[0] == got[1]


@pytest.mark.parametrize("shape", [(1 << 20,), (1000, 1000), (100_000, 3), (3, 100_000)])
def test_long_sums_are_exact(shape):
    data = RNG.random(shape).astype("float32") + 0.1
    true = data.astype("float64")
    for f, want in (
        (lambda x: x.sum(), true.sum()),
        (lambda x: x.sum(0), true.sum(0)),
        (lambda x: x.sum(-1), true.sum(-1)),
        (lambda x: x.t().sum(0) if x.dim() == 2 else x.mean(), true.sum(-1) if true.ndim == 2 else true.mean()),
        (lambda x: x.cumsum(0), true.cumsum(0)),
    ):
        np.testing.assert_allclose(f(lucid.from_numpy(data)).numpy(), want, 2e-6)


def test_infinities_in_running_sums():
    data = np.ones((2, 4096), "float32")
    data[0, 100], data[1, 7] = np.inf, np.nan
    check(lambda T, x: x.cumsum(1), data, grad=False)


@pytest.mark.parametrize(
    "how",
    [
        {"correction": 0},
        {"unbiased": False},
        {"dim": 0, "unbiased": True},
        {"dim": 1, "correction": 2},
        {"dim": (0, 1), "keepdim": True},
    ],
    ids=str,
)
@pytest.mark.parametrize("name", ["var", "std", "var_mean", "std_mean"])
def test_spreads(name, how):
    check(lambda T, x: getattr(T, name)(x, **how), X)


def test_spread_forms_by_position():
    for f in (lambda T, x: x.var(False), lambda T, x: x.var(0, False, True), lambda T, x: T.std(x, (0, 1), True)):
        check(f, X)


def test_no_freedom_warns():
    for f in (lambda T: T.ones(1).std(), lambda T: T.ones(()).var()):
        with pytest.warns(UserWarning, match="degrees of freedom is <= 0"):
            assert np.isnan(f(lucid).item())


@pytest.mark.parametrize("p", [0, 0.5, 1, 1.5, 2, 3, float("inf"), -float("inf"), "fro"])
def test_norms(p):
    check(lambda T, x: x.norm(p), X, graph=False)
    check(lambda T, x: x.norm(p, 1, True), X, graph=False)
    if p != "fro":
        check(lambda T, x: T.linalg.vector_norm(x, p, (0, 2)), X)


@pytest.mark.parametrize("order", ["fro", "nuc", 1, -1, 2, -2, float("inf"), -float("inf")])
def test_matrix_norms(order):
    check(lambda T, x: T.linalg.matrix_norm(x, order), X, rtol=1e-4)
    check(lambda T, x: T.linalg.norm(x[0], order), X, rtol=1e-4)


MATMULS = [
    ((4,), (4,)),
    ((3, 4), (4,)),
    ((4,), (4, 5)),
    ((3, 4), (4, 5)),
    ((2, 3, 4), (4,)),
    ((2, 3, 4), (4, 5)),
    ((4,), (2, 4, 5)),
    ((3, 4), (2, 4, 5)),
    ((2, 3, 4), (2, 4, 5)),
    ((1, 3, 4), (2, 4, 5)),
    ((2, 1, 3, 4), (5, 4, 2)),
    ((2, 0, 4), (4, 3)),
]


@pytest.mark.parametrize("a, b", MATMULS, ids=str)
def test_matmul(a, b):
    x, y = RNG.standard_normal(a).astype("float32"), RNG.standard_normal(b).astype("float32")
    check(lambda T, x, y: x @ y, x, y)
    check(lambda T, x, y: T.matmul(x, y.detach()), x, y)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("shape", [(4,), (3, 4), (2, 3, 4), (2, 2, 3, 4)])
def test_linear(shape, bias):
    x, w, b = (RNG.standard_normal(s).astype("float32") for s in (shape, (5, 4), (5,)))
    check(lambda T, x, w, b: T.nn.functional.linear(x, w, b if bias else None), x, w, b)
    check(lambda T, x, w, b: T.nn.functional.linear(x.detach(), w, b if bias else None), x, w, b)
    if len(shape) == 3:
        check(lambda T, x, w, b: T.nn.functional.linear(x.transpose(0, 1), w, b if bias else None), x, w, b)


def test_linear_by_hand_is_an_addmm():
    x, w, b = (RNG.standard_normal(s).astype("float32") for s in ((3, 4), (5, 4), (5,)))

    def program(T):
        t, u, v = (T.from_numpy(a.copy()).requires_grad_() for a in (x, w, b))
        y = T.nn.functional.linear(t, u, v)
        grads = T.autograd.grad((y * y).sum(), (t, u, v), create_graph=True)
        second = T.autograd.grad(sum((g * g).sum() for g in grads), (t, u, v))
        u.grad = None
        T.nn.functional.linear(t, u, v).sum().backward()
        assert u.grad.is_contiguous()
        y = T.nn.functional.linear(t, u, v)
        with T.no_grad():
            u.add_(1)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.sum().backward()
        return second

    same(program, rtol=1e-4)


EINSUMS = [
    ("ij,jk->ik", (3, 4), (4, 5)),
    ("ij,jk", (3, 4), (4, 5)),
    ("i,j", (3,), (4,)),
    ("ii->i", (3, 3)),
    ("ii", (3, 3)),
    ("ij->ji", (3, 4)),
    ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)),
    ("...ij,...jk->...ik", (2, 3, 4), (4, 5)),
    ("...i->...", (2, 3)),
    ("ij,kj,lj->ikl", (2, 3), (4, 3), (5, 3)),
    ("bhqd,bhkd->bhqk", (2, 2, 3, 4), (2, 2, 5, 4)),
    ("ab,ab->", (2, 3), (2, 3)),
    ("aab,b->a", (3, 3, 4), (4,)),
    ("ij,ij->ij", (2, 3), (1, 3)),
]


@pytest.mark.parametrize("case", EINSUMS, ids=str)
def test_einsum(case):
    equation, *shapes = case
    arrays = [RNG.standard_normal(s).astype("float32") for s in shapes]
    check(lambda T, *xs: T.einsum(equation, *xs), *arrays, graph=False, rtol=1e-4)


def test_einsum_sublists():
    x, y = RNG.standard_normal((3, 4)).astype("float32"), RNG.standard_normal((4, 5)).astype("float32")
    check(lambda T, x, y: T.einsum(x, [0, 1], y, [1, 2], [0, 2]), x, y, graph=False)
    check(lambda T, x, y: T.einsum(x, [..., 1], y, [1, 2]), x, y, graph=False)


def test_order():
    for f in (
        lambda T, x: x.topk(3),
        lambda T, x: x.topk(2, 1, largest=False),
        lambda T, x: x.kthvalue(2, 1),
        lambda T, x: T.quantile(x, 0.3),
        lambda T, x: T.quantile(x, T.tensor([0.1, 0.5]), 1),
        lambda T, x: T.msort(x),
        lambda T, x: T.nanquantile(x, 0.7, 0, True),
    ):
        check(f, X, graph=False)
    check(lambda T, x: T.unique(x, return_inverse=True, return_counts=True), TIES, grad=False)
    check(lambda T, x: T.unique(x, dim=1), TIES, grad=False)
    check(lambda T, x: T.unique_consecutive(x, return_counts=True), TIES, grad=False)
    rows = np.sort(X, -1)
    check(lambda T, x, y: T.searchsorted(x, y, right=True), rows, X, grad=False)
    check(lambda T, x: T.bucketize(x, T.tensor([-1.0, 0.0, 1.0])), X, grad=False)
    check(lambda T, x: T.isin(x, T.tensor([0.0, 3.0])), TIES, grad=False)
    check(lambda T, x: T.histc(x, 5, -2, 2), X, grad=False)
    check(lambda T, x: T.cov(x), X[0])
    check(lambda T, x: T.corrcoef(x), X[0], graph=False, atol=1e-5)


DECOMPOSED = {
    "inv": lambda T, m: T.linalg.inv(m),
    "solve": lambda T, m: T.linalg.solve(m, m[:, :2]),
    "det": lambda T, m: T.det(m),
    "slogdet": lambda T, m: T.linalg.slogdet(m)[1],
    "pinv": lambda T, m: T.linalg.pinv(m[:, :3]),
    "logdet": lambda T, m: T.logdet(m @ m.T),
    "cholesky": lambda T, m: T.linalg.cholesky(m @ m.T + T.eye(4)),
    "qr": lambda T, m: T.linalg.qr(m)[1].abs(),
    "svd": lambda T, m: T.linalg.svd(m)[1],
    "eigh": lambda T, m: T.linalg.eigh(m + m.T)[0],
    "triangular": lambda T, m: T.linalg.solve_triangular(m, m[:, :2], upper=True),
    "exp": lambda T, m: T.matrix_exp(m / 4),
    "lu": lambda T, m: T.linalg.lu(m)[1:],
    "power": lambda T, m: T.matrix_power(m, 3),
    "lstsq": lambda T, m: T.linalg.lstsq(m, m[:, :1])[0],
}


@pytest.mark.parametrize("name", DECOMPOSED)
def test_linear_algebra(name):
    m = RNG.standard_normal((4, 4)).astype("float32") + 3 * np.eye(4, dtype="float32")
    check(DECOMPOSED[name], m, rtol=1e-4, atol=1e-5)


def test_distances():
    x, y = RNG.standard_normal((3, 4)).astype("float32"), RNG.standard_normal((3, 4)).astype("float32")
    for f in (
        lambda T, x, y: T.cdist(x, y),
        lambda T, x, y: T.cdist(x, y, p=1.0),
        lambda T, x, y: T.dist(x, y, 3),
        lambda T, x, y: T.nn.functional.cosine_similarity(x, y),
        lambda T, x, y: T.nn.functional.normalize(x) * y,
        lambda T, x, y: T.renorm(x, 2, 0, 1.0) + y,
        lambda T, x, y: T.kron(x, y),
        lambda T, x, y: T.tensordot(x, y, ([0], [0])),
    ):
        check(f, x, y, graph=False)
    check(lambda T, x, y: T.nn.functional.pairwise_distance(x, y), x, y, graph=False)
    check(lambda T, x: T.nn.functional.pdist(x), x)


# Not those of which torch itself crashes (eigvals) or says another number of LAPACK's (eigh).
NOT_NUMBERS = {
    "cholesky": lambda T, m: T.linalg.cholesky(m),
    "cholesky, upper": lambda T, m: T.linalg.cholesky(m, upper=True),
    "cholesky_ex": lambda T, m: T.linalg.cholesky_ex(m).info,
    "inv": lambda T, m: T.linalg.inv(m).isnan().any(),
    "svd": lambda T, m: T.linalg.svd(m).S.isnan().all(),
    "svdvals": lambda T, m: T.linalg.svdvals(m).isnan().all(),
    "eig": lambda T, m: T.linalg.eig(m),
    "eigh": lambda T, m: type(attempt(T.linalg.eigh, m)).__name__,
    "eigvalsh": lambda T, m: type(attempt(T.linalg.eigvalsh, m)).__name__,
}


@pytest.mark.parametrize("name", NOT_NUMBERS)
def test_linear_algebra_of_what_is_no_number(name):
    """NaN, or infinity, anywhere in a matrix: the same errors (none of numpy's), the same info."""

    def program(T):
        for bad in (float("nan"), float("inf")):
            if bad > 0 and name in ("eigh", "eigvalsh"):  # chance decides there
                continue
            for i in range(3):
                for j in range(3):
                    m = T.tensor([[2.0, 0.5, 0.1], [0.5, 1.5, 0.2], [0.1, 0.2, 1.0]])
                    m[i, j] = bad
                    yield attempt(NOT_NUMBERS[name], T, m), attempt(NOT_NUMBERS[name], T, T.stack([T.eye(3), m]))

    same(program, looks="")


ERRORS = [
    lambda T: T.ones(2, 3).long().mean(),
    lambda T: T.ones(2).mean(dtype=T.int64),
    lambda T: T.zeros(0).max(),
    lambda T: T.zeros(0).argmax(),
    lambda T: T.zeros(0, 3).max(0),
    lambda T: T.zeros(0, 3).amax(0),
    lambda T: T.ones(2, 3).max(2),
    lambda T: T.ones(2).sum(dim=(0, 0)),
    lambda T: T.ones(2, 3) @ T.ones(2, 3),
    lambda T: T.ones(2) @ T.ones(3),
    lambda T: T.ones(2, 3) @ T.ones(3, 2).double(),
    lambda T: T.ones(1, 2, 3) @ T.ones(1, 2, 3),
    lambda T: T.ones(5, 2, 3) @ T.ones(4, 3, 3),
    lambda T: T.ones(()) @ T.ones(2),
    lambda T: T.mm(T.ones(2), T.ones(2)),
    lambda T: T.bmm(T.ones(2, 3, 4).double(), T.ones(2, 4, 3)),
    lambda T: T.ones(2, 2) @ 1,
    lambda T: T.nn.functional.linear(T.ones(2, 3), T.ones(4, 2), T.ones(4)),
    lambda T: T.nn.functional.linear(T.ones(2, 3), T.ones(4, 3), T.ones(5)),
    lambda T: T.nn.functional.linear(T.ones(2, 3).double(), T.ones(4, 3), T.ones(4)),
    lambda T: T.ones(2).tril(),
    lambda T: T.ones(3).topk(4),
    lambda T: T.ones(3).kthvalue(4),
    lambda T: T.tensor([1, 2]).var(),
    lambda T: T.tensor([1, 2]).norm(),
    lambda T: T.linalg.inv(T.zeros(2, 2)),
    lambda T: T.linalg.solve(T.zeros(2, 2), T.ones(2)),
    lambda T: T.linalg.cholesky(-T.eye(2)),
    lambda T: T.linalg.inv(T.zeros(2, 3)),
    lambda T: T.einsum("ij,jk", T.ones(2, 3), T.ones(4, 5)),
    lambda T: T.quantile(T.ones(2), 2.0),
    lambda T: T.broadcast_shapes((3,), (5,)),
    lambda T: T.broadcast_shapes((2, 3), 2, (4, 1)),
    lambda T: T.broadcast_shapes((1, 3), (4, 1), (5, 3)),
    lambda T: T.broadcast_shapes((0,), (3,)),
    lambda T: T.broadcast_shapes((-1,), (2,)),
    lambda T: T.sum(3),
]


@pytest.mark.parametrize("number", range(len(ERRORS)))
def test_errors(number):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        same_error(ERRORS[number])
