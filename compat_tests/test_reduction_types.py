"""Reductions and scans of every type, with every dtype=, over some and no elements: value, type, shape or error class."""

import random

import numpy as np
import pytest
from both import BOTH, agree, outcome, same, same_outcome

TYPES = "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64".split()
SHAPES = [(), (2, 3, 4), (2, 0, 4), (0,)]
ROUNDED = 2e-2  # halves: torch adds up in other orders


def data(m, shape, dtype):
    rng = np.random.default_rng(3)
    if dtype == "bool":
        return m.from_numpy(np.asarray(rng.random(shape) < 0.6))
    if "int" in dtype:
        return m.from_numpy(np.asarray(rng.integers(0 if dtype[0] == "u" else -90, 120, shape)).astype(dtype))
    values = np.asarray(rng.standard_normal(shape)) * 1.5
    return m.from_numpy(np.asarray(values + 1j if "complex" in dtype else values)).to(getattr(m, dtype))


def compare(program, where, rtol=ROUNDED):
    """Both give the same, or raise errors of one class."""
    wanted, got = (outcome(program, m, looks="", may_raise=True, text=0, quiet=True) for m in BOTH)
    if getattr(got, "kind", "") == "NotDefined":  # which is one
        got = got._replace(kind="NotImplementedError")
    if isinstance(wanted, tuple) and not hasattr(wanted, "kind") and not hasattr(got, "kind"):
        wanted, got = wanted[0], got[0]
    agree(got, wanted, str(where), rtol=rtol, atol=rtol)


WITH_DTYPE = {
    "sum": lambda m, x, dim, kw: x.sum(*dim, **kw),
    "prod": lambda m, x, dim, kw: x.prod(*dim, **kw),
    "nansum": lambda m, x, dim, kw: x.nansum(*dim, **kw),
    "mean": lambda m, x, dim, kw: x.mean(*dim, **kw),
    "nanmean": lambda m, x, dim, kw: x.nanmean(*dim, **kw),
    "cumsum": lambda m, x, dim, kw: x.cumsum(*dim, **kw),
    "cumprod": lambda m, x, dim, kw: x.cumprod(*dim, **kw),
    "softmax": lambda m, x, dim, kw: x.softmax(*dim, **kw),
    "log_softmax": lambda m, x, dim, kw: x.log_softmax(*dim, **kw),
    "norm": lambda m, x, dim, kw: m.norm(x, 2, *dim, **kw),
    "vector_norm": lambda m, x, dim, kw: m.linalg.vector_norm(x, 2, *dim, **kw),
}
ALONG_ONE = ("prod", "cumsum", "cumprod", "softmax", "log_softmax")
DIMS = [(), (0,), (-1,), ((0, 1),), ((),)]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", WITH_DTYPE)
def test_every_dtype_option(name, dtype, examples):
    some = random.Random(examples.seed)
    for wanted in [None, *TYPES]:
        if name == "prod" and "int" in dtype and wanted == "float16":
            continue  # beyond the largest half: torch rounds partial products
        for shape in SHAPES:
            for dim in DIMS:
                if dim and isinstance(dim[0], tuple) and (name in ALONG_ONE or len(dim[0]) > len(shape)):
                    continue
                if not dim and name in ALONG_ONE[1:] or not examples.all and some.random() > 0.2:
                    continue

                def program(m):
                    kw = {} if wanted is None else {"dtype": getattr(m, wanted)}
                    return WITH_DTYPE[name](m, data(m, shape, dtype), dim, kw)

                compare(program, (name, dtype, wanted, shape, dim))


REDUCTIONS = {
    name: lambda m, x, dim, keep, name=name: getattr(m, name)(x, *dim, **keep)
    for name in """amax amin max min argmax argmin all any logsumexp var std var_mean std_mean median nanmedian mode
    count_nonzero aminmax nansum nanmean prod sum mean quantile nanquantile cummax cummin logcumsumexp sort argsort
    unique_consecutive norm""".split()
}
REDUCTIONS |= {
    "vector_norm": lambda m, x, dim, keep: m.linalg.vector_norm(x, 3, *dim, **keep),
    "vector_norm inf": lambda m, x, dim, keep: m.linalg.vector_norm(x, float("inf"), *dim, **keep),
    "vector_norm -inf": lambda m, x, dim, keep: m.linalg.vector_norm(x, -float("inf"), *dim, **keep),
    "vector_norm 0": lambda m, x, dim, keep: m.linalg.vector_norm(x, 0, *dim, **keep),
    "count_nonzero": lambda m, x, dim, keep: m.count_nonzero(x, *dim),
    "aminmax": lambda m, x, dim, keep: tuple(m.aminmax(x, **({"dim": dim[0]} if dim else {}), **keep)),
    "topk": lambda m, x, dim, keep: x.topk(0, *dim) if dim else x.topk(0),
    "quantile": lambda m, x, dim, keep: m.quantile(x, 0.5, *dim, **keep),
    "nanquantile": lambda m, x, dim, keep: m.nanquantile(x, 0.5, *dim, **keep),
    "cummax": lambda m, x, dim, keep: m.cummax(x, *dim),
    "cummin": lambda m, x, dim, keep: m.cummin(x, *dim),
    "logcumsumexp": lambda m, x, dim, keep: m.logcumsumexp(x, *dim),
    "sort": lambda m, x, dim, keep: m.sort(x, *dim, stable=True) if not dim else m.sort(x, dim=dim[0], stable=True),
    "argsort": lambda m, x, dim, keep: (
        m.argsort(x, *dim, stable=True) if not dim else m.argsort(x, dim=dim[0], stable=True)
    ),
    "unique_consecutive": lambda m, x, dim, keep: m.unique_consecutive(x, dim=dim[0] if dim else None),
    "unique": lambda m, x, dim, keep: m.unique(x, dim=dim[0] if dim else None, return_inverse=True, return_counts=True),
    "kthvalue": lambda m, x, dim, keep: m.kthvalue(x, 1, *dim, **keep),
}
EMPTIES = [(), (0,), (2, 0, 4), (0, 3), (2, 3)]


# What torch lets through because there is nothing to do, and dimensions that it refuses to reduce by accident.
QUIRKS = {("median", "bool"), ("nanmedian", "bool")} | {
    (name, "complex64") for name in "amax amin mode median nanmedian cummax cummin unique unique_consecutive".split()
}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_empty_dimensions_and_types(name, examples):
    """Values, types and shapes are torch's; where it refuses (arguments apart, which have tests of their own), so does lucid."""
    some = random.Random(examples.seed)
    for dtype in TYPES:
        for shape in EMPTIES:
            for dim in [(), (0,), (-1,), (1,), ((0, 1),), ((),), (None,)]:
                for keep in ({}, {"keepdim": True}):
                    if (
                        not examples.all
                        and some.random() > 0.2
                        or (name, dtype) in QUIRKS
                        or (name, dim) == ("logsumexp", ((),))
                    ):
                        continue
                    if "median" in name and dim == () and "int" in dtype and 0 in shape:
                        continue  # the median of no integers: -128 or 0, as it happens
                    if name in ("cummax", "cummin") and shape == (0,) and dim == (1,):
                        continue  # torch does not look at the dimension of nothing

                    def program(m):
                        return REDUCTIONS[name](m, data(m, shape, dtype), dim, keep)

                    where = str((name, dtype, shape, dim, keep))
                    wanted, got = (outcome(program, m, looks="", may_raise=True, quiet=True) for m in BOTH)
                    if hasattr(wanted, "kind"):
                        assert wanted.kind == "TypeError" or hasattr(got, "kind"), (where, wanted, got)
                    else:
                        assert not hasattr(got, "kind"), (where, wanted, got)
                        agree(got[0], wanted[0], where, rtol=ROUNDED, atol=ROUNDED)


SPREAD_OVER = [None, 0, (0,), 1, (0, 1)]


@pytest.mark.parametrize("shape", [(1,), (2,), (1, 2), (2, 2), (), (0,), (2, 0)], ids=str)
@pytest.mark.parametrize("name", ["var", "std", "var_mean", "std_mean"])
def test_spread_of_too_few(name, shape):
    """Variances of as many elements as their correction, or fewer: gradients and second gradients are torch's."""

    def run(m, dim, correction):
        x = m.arange(1.0, 1 + np.prod(shape)).reshape(shape).requires_grad_()
        out = getattr(m, name)(x, dim, correction=correction)
        (g,) = m.autograd.grad(sum(t.sum() for t in out) if isinstance(out, tuple) else out.sum(), x, create_graph=True)
        yield g.detach()
        yield m.autograd.grad(g.sum(), x)

    for dim in SPREAD_OVER:
        for correction in (0, 1, 2, 3, 5):
            compare(lambda m: list(run(m, dim, correction)), (dim, correction))


@pytest.mark.parametrize("dtype", [*TYPES, "uint16"])
@pytest.mark.parametrize("reduce", ["prod", "mean", "amax", "amin"])
def test_index_reduce(reduce, dtype):
    """Which types of which shapes torch reduces by index, and of which it records that."""

    def run(m, shape, n, include_self, grad):
        x = m.ones(shape, dtype=getattr(m, dtype))
        x = x.requires_grad_() * 1 if grad else x
        source = m.ones((n, *shape[1:]) if shape else (), dtype=x.dtype) * 2
        out = x.index_reduce(0, m.zeros(n, dtype=m.int64), source, reduce, include_self=include_self)
        return out.detach()

    for shape in [(), (4,), (3, 2), (2, 2, 2)]:
        for n in (0, 1, 3):
            for include_self in (True, False):
                for grad in {False, "float" in dtype or "complex" in dtype}:
                    compare(lambda m: run(m, shape, n, include_self, grad), (shape, n, include_self, grad))


KINDS = "float16 bfloat16 float32 float64 int64 int32 uint8 int8 bool complex64".split()


@pytest.mark.filterwarnings("ignore:Casting complex")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("places", [[0, 1, 1, 3], []])
def test_weights_of_bincount(places, kind):
    """float32 weights are added up in float32, all others in float64; of nothing there are counts."""

    def program(m):
        weights = m.tensor([1, 2, 3, 1][: len(places)]).to(getattr(m, kind))
        yield m.bincount(m.tensor(places, dtype=m.int64), weights=weights)
        yield m.bincount(m.tensor(places, dtype=m.int32), weights, 5)

    same(program)


@pytest.mark.parametrize("kind", KINDS)
def test_types_of_gradient(kind):
    same_outcome(lambda m: m.gradient(m.tensor([1, 2, 4, 3]).to(getattr(m, kind))), looks="")
