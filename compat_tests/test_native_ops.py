"""Native kernels give what the rules that they are made of give: torch's op table, forward, backward and in place."""

import itertools
import sys

import numpy as np
import opdb
import pytest
import torch
from torch.testing._internal.common_methods_invocations import op_db

import lucid
from lucid._backend import native
from lucid._backend.generate import native_from
from lucid._backend.registry import OPS
from lucid._codegen import build, kernel_store, rule_kernels

if not build.usable():
    pytest.skip("there is no working C compiler here", allow_module_level=True)

PARTS = 24
SAMPLES = {torch.float32: 4, torch.float64: 1, torch.int64: 2, torch.bool: 1}
# What they hold is not said.
UNSAID = {"empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided"}
# Kernels add up in another order than numpy does.
LOOSE = {"float32": dict(rtol=2e-4, atol=2e-5), "float64": dict(rtol=1e-9, atol=1e-10)}


@pytest.fixture
def kernels():
    """Kernels for arrays of any size, and none afterwards."""
    before = native_from(1)
    native.forget()
    yield
    native_from(before)
    native.forget()


def _samples(part):
    """(name, function, arguments as a function that makes them) of some of torch's ops."""
    for op in op_db[part::PARTS]:
        f = opdb.counterpart(op)
        if f is None or op.name in UNSAID:
            continue
        for dtype, count in SAMPLES.items():
            if dtype in op.dtypes:
                wants = op.supports_autograd and dtype.is_floating_point
                given = op.sample_inputs("cpu", dtype, requires_grad=wants)
                for i, sample in zip(range(count), given):
                    yield f"{op.name} {op.variant_test_name} {dtype} {i}", f, sample


def _carried(sample):
    memo = {}
    args = opdb.carried((sample.input, *sample.args), "cpu", memo)
    kwargs = opdb.carried(sample.kwargs, "cpu", memo)
    for theirs, ours in memo.values():
        if theirs.requires_grad and not ours.requires_grad:
            ours.requires_grad_()
    return args, kwargs


def _tensors(x):
    if isinstance(x, lucid.Tensor):
        yield x
    elif isinstance(x, (list, tuple, dict)):
        for inner in x.values() if isinstance(x, dict) else x:
            yield from _tensors(inner)


def _found(f, sample):
    """(results, gradients), or the class of an error."""
    args, kwargs = _carried(sample)
    lucid.manual_seed(0)
    try:
        results = list(_tensors(f(*args, **kwargs)))
        leaves = [t for t in _tensors((args, kwargs)) if t.requires_grad and t.is_leaf]
        wanted = [y for y in results if y.requires_grad]
        if not leaves or not wanted:
            return results, []
        weights = [lucid.linspace(0.5, 1.5, y.numel()).reshape(y.shape).to(y.dtype) for y in wanted]
        return results, list(lucid.autograd.grad(wanted, leaves, weights, allow_unused=True))
    except Exception as error:
        return type(error)


def _differ(a, b):
    if a is None or b is None:
        return a is not b
    if (a.shape, a.dtype, a.stride(), a.layout) != (b.shape, b.dtype, b.stride(), b.layout):
        return True
    x, y = ((t.detach().resolve_conj().resolve_neg().to_dense() if t.layout is not lucid.strided else
             t.detach().resolve_conj().resolve_neg()).numpy() for t in (a, b))  # fmt: skip
    if x.dtype.kind not in "fc":
        return not np.array_equal(x, y)
    how = LOOSE["float64" if x.dtype.itemsize >= 8 and x.dtype.kind == "f" or x.dtype.itemsize == 16 else "float32"]
    return not np.allclose(x, y, equal_nan=True, **how)


@pytest.mark.parametrize("part", range(PARTS))
def test_op_db(part, kernels):
    samples = list(_samples(part))
    native_from(sys.maxsize)
    expected = {}
    for name, f, sample in samples:
        try:
            expected[name] = _found(f, sample)
        except opdb.Unsupported:
            pass
    samples = [(name, f, sample) for name, f, sample in samples if name in expected]
    native_from(1)
    rule_kernels.gathered = []
    try:  # all texts first: compiled together, they take a tenth of the time
        for _, f, sample in samples:
            _found(f, sample)
        kernel_store.together(list({spec: (text, spec) for text, spec in rule_kernels.gathered}.values()))
    finally:
        rule_kernels.gathered = None
        native.forget()
    wrong = []
    for name, f, sample in samples:
        got, want = _found(f, sample), expected[name]
        if isinstance(got, type) or isinstance(want, type):
            wrong += [name] if got is not want else []
        elif [len(x) for x in got] != [len(x) for x in want]:
            wrong.append(name)
        elif any(_differ(a, b) for mine, theirs in zip(got, want) for a, b in zip(mine, theirs)):
            wrong.append(name)
    assert not wrong
    made = [k for plans in native._all if plans.kernels for k in plans.kernels.kernels.values() if k is not None]
    assert len(made) > 10


def both(f, *arrays, size=1):
    """What f gives with and without kernels."""
    found = []
    for n in (sys.maxsize, size):
        native_from(n)
        found.append(f(*[a.clone() for a in arrays]))
    return found


INPLACE = {
    "add_": lambda x, y, w: x.add_(y),
    "a row": lambda x, y, w: x.mul_(w),
    "alpha": lambda x, y, w: x.add_(y, alpha=0.3).sub_(y, alpha=-2.5),
    "bounds": lambda x, y, w: x.clamp_(-1.5, 0.5).clamp_(min=-1.0),
    "itself": lambda x, y, w: x.add_(x).mul_(x),
    "a part": lambda x, y, w: x[2:5].add_(y[1:4]),
    "every second": lambda x, y, w: x[:, ::2].mul_(3),
    "turned": lambda x, y, w: x.t().mul_(2.0).add_(y.t()),
    "functions": lambda x, y, w: x.exp_().sqrt_().neg_().relu_(),
    "between": lambda x, y, w: x.lerp_(y, 0.3).addcmul_(y, y, value=0.7).addcdiv_(y, y.square() + 1, value=-0.5),
    "whole numbers": lambda x, y, w: x.mul_(10).long().add_(3).mul_(2),
    "comparison": lambda x, y, w: x.gt_(y),
}  # fmt: skip


@pytest.mark.parametrize("name", INPLACE)
def test_in_place(name, kernels):
    x, y, w = lucid.randn(9, 8), lucid.randn(9, 8), lucid.randn(8)
    (plain, seen), (by_kernel, seen_too) = both(lambda *given: (INPLACE[name](*given), given[0]), x, y, w)
    assert lucid.allclose(plain, by_kernel) and lucid.allclose(seen, seen_too) and seen._version == seen_too._version


def test_sizes_and_numbers_share_a_kernel(kernels):
    """One kernel for all sizes and fractions, and none for what the size or the number makes a case of its own."""
    F = lucid.nn.functional
    for n, slope in ((5, 0.1), (7, 0.2), (4100, 0.3), (2, 0.0)):
        plain, by_kernel = both(lambda a, s=slope: F.leaky_relu(a, s), lucid.randn(3, n))
        assert lucid.allclose(plain, by_kernel)
    plans = OPS["leaky_relu"].native.__globals__["PLANS"]
    assert [k is not None for k in plans.kernels.kernels.values()] == [True, True]  # of short rows and of long ones
    for p in (2.0, 3.0, 0.5, -1.0, 2.5, 1.0, 0.0):
        plain, by_kernel = both(lambda a, p=p: a**p, lucid.rand(50) + 0.1)
        assert lucid.allclose(plain, by_kernel)
    for end in (2, 4, 100):
        plain, by_kernel = both(lambda a, e=end: lucid.slice_scatter(a, a[:, 1:e] * 2, 1, 1, e), lucid.randn(3, 6))
        assert lucid.equal(plain, by_kernel)


LAYERS = {
    "batch_norm": lambda x, w, b: lucid.nn.functional.batch_norm(x, b, w, w, b, True),
    "batch_norm as trained": lambda x, w, b: lucid.nn.functional.batch_norm(x, b, w, b, w, False),
    "group_norm": lambda x, w, b: lucid.nn.functional.group_norm(x, 1, w, b),
    "layer_norm": lambda x, w, b: lucid.nn.functional.layer_norm(x, x.shape[-1:]),
    "a channel": lambda x, w, b: x * w.reshape(-1, *[1] * (x.ndim - 2)) + b.reshape(-1, *[1] * (x.ndim - 2)),
    "prelu": lambda x, w, b: lucid.nn.functional.prelu(x, w),
    "softmax": lambda x, w, b: lucid.softmax(x, 1) * lucid.log_softmax(x, 0) + x.logsumexp(-1, keepdim=True),
    "statistics": lambda x, w, b: x.std(1, keepdim=True) * x.var(0) + x.mean(-1, keepdim=True) - x.amax(1, keepdim=True),
    "cross_entropy": lambda x, w, b: lucid.nn.functional.cross_entropy(x, x.argmax(1), w),
    "triangles": lambda x, w, b: x.tril() + x.triu(1).flip(0) + x.roll(1, -1),
    "sums": lambda x, w, b: x.sum(0) + x.sum(-1).sum() + x.square().sum(1, keepdim=True),
}  # fmt: skip


ROOMS = [(3, 4, 5, 6), (4, 3, 3, 3), (3, 3, 4, 4), (3, 4, 3, 4), (4, 4, 3, 3), (3, 3, 3, 3), (4, 3, 4, 3), (3, 4, 4, 5)]


@pytest.mark.parametrize("name", LAYERS)
def test_sizes_that_are_alike_by_chance(name, kernels):
    """A kernel of one shape is asked for others, in which other dimensions have the same size."""
    f = LAYERS[name]
    for shape in [(4, 3), (3, 3), (4, 4), *itertools.product((3, 4), repeat=3), *ROOMS]:
        x, w, b = lucid.randn(shape).double(), lucid.rand(shape[1]).double() + 0.5, lucid.rand(shape[1]).double()

        def call(x, w, b):
            given = [a.requires_grad_() for a in (x, w)]
            y = f(x, w, b.detach().clone()) if name != "batch_norm" else f(x, w.detach().clone(), b.clone())
            return y.detach(), *lucid.autograd.grad(y.square().sum(), given, allow_unused=True)

        for plain, by_kernel in zip(*both(call, x, w, b)):
            assert plain is by_kernel or lucid.allclose(plain, by_kernel, 1e-9, 1e-9), shape


def test_rows_of_any_length(kernels):
    """Short rows are kept between passes, long ones are not, and the longest are not summed in one go."""
    for n in (2, 17, 4096, 4097, 40000):
        for f in (lambda a: lucid.softmax(a, -1), lambda a: a.std(-1), lambda a: a.logsumexp(0), lambda a: a.sum(1)):
            plain, by_kernel = both(f, lucid.randn(3, n))
            assert lucid.allclose(plain, by_kernel, 1e-4, 1e-5, equal_nan=True)


def test_the_text_of_a_kernel(kernels):
    lucid.exp(lucid.randn(50))
    (text,) = native.texts(lucid.exp.op)
    assert "lucid_expf(t0)" in text and "void kernel0(" in text and "def plan(shape, n0):" in text


def test_layouts_that_kernels_are_not_for(kernels):
    x = lucid.randn(4, 6, 5, 3)
    for y in (
        x.permute(0, 3, 1, 2),
        x.to(memory_format=lucid.channels_last),
        x[:, ::2],
        x.expand(2, 4, 6, 5, 3),
        x[..., :0],
    ):
        for f in (lambda a: a.exp(), lambda a: a * a, lambda a: lucid.softmax(a, 1), lambda a: a.sum(0)):
            found = []
            for n in (sys.maxsize, 1):
                native_from(n)
                found.append(f(y))
            assert lucid.allclose(*found, equal_nan=True) and found[0].stride() == found[1].stride()


LEAST = -(2**63)
EDGES = {
    "the least number and -1": lambda: (
        lucid.gcd(lucid.tensor([LEAST, LEAST, 12]), lucid.tensor([-1, LEAST, -18])),
        lucid.lcm(lucid.tensor([LEAST, 3]), lucid.tensor([-1, 5])),
        lucid.lcm(lucid.tensor([-(2**31)], dtype=lucid.int32), lucid.tensor([-1], dtype=lucid.int32)),
    ),
    "more correction than elements": lambda: [
        f(lucid.arange(6.0).reshape(3, 2), 1, correction=c) for f in (lucid.var, lucid.std) for c in (0, 1, 2, 3, 2.5)
    ],
    "signs of zero": lambda: [
        1 / y
        for z in [lucid.tensor([-0.0, 0.0, -1.0, 1.0])]
        for y in (z / 3.0, z / -3.0, lucid.nn.functional.elu(z, 0.5), lucid.nn.functional.celu(z, 2.0),
                  *[z.clamp(**{end: zero}) for end in ("min", "max") for zero in (0.0, -0.0)])
    ],
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*degrees of freedom")
@pytest.mark.parametrize("name", EDGES)
def test_edges(name, kernels):
    for plain, by_kernel in zip(*both(EDGES[name])):
        assert lucid.equal(plain.nan_to_num(), by_kernel.nan_to_num()), (plain, by_kernel)


def test_numbers_that_change_make_few_kernels(kernels):
    x = lucid.randn(50)
    for i in range(100):
        assert lucid.equal(x.masked_fill(x > 0, i), lucid.where(x > 0, float(i), x))
    assert len(native.texts(OPS["masked_fill_scalar"])) <= rule_kernels.FORMS
