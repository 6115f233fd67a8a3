"""lobpcg, svd_lowrank, pca_lowrank and grouped_mm: their results and errors, compared with torch."""

import pytest
from both import same, same_outcome


def matrix(m, *shape):
    count = 1
    for n in shape:
        count *= n
    return m.arange(float(count), dtype=m.float64).add(1).pow(2).mul(0.73).sin().view(shape)


def definite(m, n, *batch):
    half = matrix(m, *batch, n, n)
    return half @ half.transpose(-2, -1) + m.eye(n, dtype=m.float64)


@pytest.mark.parametrize("largest", [None, True, False])
@pytest.mark.parametrize("batch", [(), (2,)])
@pytest.mark.parametrize("general", [False, True])
def test_lobpcg(largest, batch, general):
    def run(m):
        A = definite(m, 9, *batch)
        B = definite(m, 9, *batch).flip(-1).flip(-2) if general else None
        m.manual_seed(1)
        values, X = m.lobpcg(A, 2, B, largest=largest, niter=-1, tol=1e-12)
        yield values, m.rand(1, dtype=m.float64)  # the generator is as far
        right = X if B is None else B @ X
        yield (A @ X - right * values.unsqueeze(-2)).abs().amax() < 1e-5
        yield (X.transpose(-2, -1) @ right - m.eye(2)).abs().amax() < 1e-5

    same(run, looks="stride", rtol=1e-7)


def test_gradient_of_lobpcg():
    def run(m):
        A = definite(m, 9).requires_grad_()
        values, X = m.lobpcg(A, 2, tol=1e-13)
        return m.autograd.grad(values.prod(), A)[0].diagonal()

    same(run, looks="", rtol=1e-5)


@pytest.mark.parametrize("name", ["svd_lowrank", "pca_lowrank"])
@pytest.mark.parametrize("shape", [(6, 4), (4, 6), (2, 5, 4)])
def test_low_rank(name, shape):
    def run(m):
        m.manual_seed(3)
        A = matrix(m, *shape).requires_grad_()
        U, S, V = getattr(m, name)(A, q=3)
        yield S.detach(), m.rand(1), [x.shape for x in (U, S, V)]
        yield m.autograd.grad(S.prod(), A)

    same(run, looks="", rtol=1e-6)


def test_grouped_mm():
    def run(m):
        f, ends = m.nn.functional.grouped_mm, m.tensor([2, 5, 8], dtype=m.int32)
        a, b = (matrix(m, *s).float().requires_grad_() for s in ((8, 16), (3, 16, 8)))
        out = f(a, b, offs=ends)
        yield out.detach(), m.autograd.grad((out * out).sum(), (a, b))
        yield f(matrix(m, 3, 4, 16).float(), matrix(m, 3, 16, 8).float())
        ends = m.tensor([8, 16], dtype=m.int32)
        yield f(matrix(m, 4, 16).float(), matrix(m, 16, 8).float(), offs=ends)
        yield f(matrix(m, 2, 4, 16).float(), matrix(m, 16, 16).float(), offs=ends)

    same(run, looks="", rtol=1e-4)


def test_torchs_errors():
    def grouped(m):
        return m.nn.functional.grouped_mm

    ends = [2, 5, 8]
    same_outcome(lambda m: grouped(m)(m.ones(8, 16), m.ones(3, 16, 8)))
    same_outcome(lambda m: grouped(m)(m.ones(8, 16), m.ones(3, 16, 8), offs=m.tensor(ends)))
    same_outcome(lambda m: grouped(m)(m.ones(8, 16), m.ones(3, 16, 8), offs=m.tensor(ends[:2], dtype=m.int32)))
    same_outcome(lambda m: grouped(m)(m.ones(8, 16).double(), m.ones(3, 16, 8)))
    same_outcome(lambda m: grouped(m)(m.ones(8, 15), m.ones(3, 15, 8), offs=m.tensor(ends, dtype=m.int32)))
    same_outcome(lambda m: m.lobpcg(definite(m, 5), 2))
    same_outcome(lambda m: m.lobpcg(m.ones(5, 4)), text=False)
    same_outcome(lambda m: m.pca_lowrank(m.ones(5, 4), q=7))
    same_outcome(lambda m: m.pca_lowrank(m.ones(5, 4), niter=-1))


BY_SINGULAR_VALUES = {
    "nuclear_norm": lambda m, x: m.nuclear_norm(x),
    "norm nuc": lambda m, x: m.linalg.norm(x, "nuc"),
    "matrix_norm -2": lambda m, x: m.linalg.matrix_norm(x, -2),
    **{f: lambda m, x, f=f: getattr(m.linalg, f)(x) for f in ("svd", "svdvals", "cond", "matrix_rank", "pinv")},
    "pinverse": lambda m, x: m.pinverse(x),
    "svd_lowrank": lambda m, x: m.svd_lowrank(x),
}


@pytest.mark.parametrize("name", BY_SINGULAR_VALUES)
@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "int64", "bool"])
def test_types_without_singular_values(name, dtype):
    """Each function has its own words for a type that LAPACK does not know, or for a vector."""
    for shape in ((3, 3), (3,)):
        if shape == (3, 3) or "low" not in name and "norm" not in name:
            same_outcome(lambda m: BY_SINGULAR_VALUES[name](m, m.ones(shape, dtype=getattr(m, dtype))))
