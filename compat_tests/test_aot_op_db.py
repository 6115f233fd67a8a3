"""Every op of torch's table below autograd, in a forward and a backward graph: values and gradients are eager's.

Ops whose results have a size or a kind that depends on numbers have no graph: they raise an error that says so.
"""

import warnings

import numpy as np
import opdb
import pytest
import torch
from gaps import expect
from test_op_db import OPS, RANDOM, SECOND_IN_FLOAT64

import lucid
from lucid._functorch.aot_autograd import aot_function, boxed_nop
from lucid._subclasses.fake_tensor import DataDependentOutputException, DynamicOutputShapeException

OPS = {name: op for name, op in OPS.items() if name not in RANDOM and opdb.counterpart(op) is not None}
NO_GRAPH = DataDependentOutputException, DynamicOutputShapeException
# Some samples of these (or all) have no graph.
NUMBERS = set(
    """allclose argwhere combinations equal histogram histogramdd index_put masked_select narrow nonzero tensor_split
    unique unique_consecutive nn.functional.ctc_loss nn.functional.gaussian_nll_loss __getitem__ repeat_interleave item
    nn.functional.one_hot bincount cov""".split()
)
TYPES = {
    torch.float32: (1e-5, 1e-5),
    torch.float64: (1e-9, 1e-9),
    torch.complex64: (1e-5, 1e-5),
    torch.int64: (0, 0),
    torch.bool: (0, 0),
    torch.bfloat16: (2e-2, 2e-2),
}


def types_of(name, op):
    """float32, and one other type, in turn."""
    others = [t for t in TYPES if t in op.dtypes and t is not torch.float32]
    first = [torch.float32] if torch.float32 in op.dtypes and name not in SECOND_IN_FLOAT64 else [torch.float64]
    return [t for t in first if t in op.dtypes] + others[len(name) % len(others) :][:1] if others else first


def array(t):
    t = t.detach().resolve_conj().resolve_neg()
    return (t.float() if t.dtype in (lucid.bfloat16, lucid.float16) else t).numpy()


def facts(t):
    return tuple(t.shape), str(t.dtype), t.requires_grad


def ran(f, sample):
    """(results, their facts, gradients) of a call."""
    memo = {}
    arg, args, kwargs = opdb.carried(sample, "cpu", memo)
    lucid.manual_seed(0)
    results = opdb.leaves(f(arg, *args, **kwargs), lucid.Tensor)
    leaves = [pair[1] for pair in memo.values() if isinstance(pair, tuple) and pair[1].requires_grad]
    outs = [t for t in results if t.requires_grad]
    found = [facts(t) for t in results], [array(t).copy() for t in results]
    if not outs or not leaves:
        return *found, []
    weights = [lucid.ones_like(t) * 0.75 for t in outs]
    return *found, [
        None if g is None else array(g) for g in lucid.autograd.grad(outs, leaves, weights, allow_unused=True)
    ]


def compare(f, sample, dtype, compiler=boxed_nop):
    """Eager's results and gradients, and those of the graphs as a compiler makes them."""
    try:
        want = ran(f, sample)
    except (RuntimeError, NotImplementedError, ValueError, TypeError, IndexError) as error:
        with pytest.raises(type(error)):  # in forward, as the gradients are made ready there
            ran(aot_function(lambda *a, **k: f(*a, **k), compiler), sample)
        return
    got = ran(aot_function(lambda *a, **k: f(*a, **k), compiler), sample)
    assert got[0] == want[0]
    for g, w in zip(got[1], want[1]):
        rtol, atol = TYPES[dtype] if not w.dtype.kind == "f" or dtype.is_floating_point else TYPES[torch.float32]
        np.testing.assert_allclose(g, w, rtol, atol * max(1, np.abs(w[np.isfinite(w)]).max(initial=0)))
    rtol, atol = TYPES[dtype]
    for i, (g, w) in enumerate(zip(got[2], want[2])):
        g, w = (
            (np.zeros_like(w if g is None else g) if x is None else x for x in (g, w))
            if (g is None) != (w is None)
            else (g, w)
        )
        if w is not None:
            scale = max(1, np.abs(w[np.isfinite(w)]).max(initial=0))
            np.testing.assert_allclose(g, w, 10 * rtol, 10 * atol * scale, err_msg=f"gradient {i}")


def each_sample(name, types, count, check):
    """check(f, sample, dtype) of an op's samples that can be carried over and have a graph."""
    op = OPS[name]
    f = opdb.counterpart(op)
    for dtype in types:
        for sample in opdb.samples(op, count, dtype):
            try:
                opdb.carried(sample, "cpu", {})
            except opdb.Unsupported:
                continue
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    check(f, sample, dtype)
            except NO_GRAPH:
                assert name in NUMBERS


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", OPS)
def test_values_and_gradients(name):
    expect("aot", name, lambda: each_sample(name, types_of(name, OPS[name]), 2, compare))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", OPS)
def test_all_types(name):
    types = [t for t in TYPES if t in OPS[name].dtypes]
    expect("aot", name, lambda: each_sample(name, types, 6, compare))


# ---- through torch.compile, where sizes are unknown


def compiled_alike(f, sample, dtype):
    """A call under aot_eager with dynamic shapes gives what eager gives, for this and any other sample of the op."""
    run = lucid.compile(lambda *a, **k: f(*a, **k), backend="aot_eager", dynamic=True)
    try:
        want = ran(f, sample)
    except (RuntimeError, NotImplementedError, ValueError, TypeError, IndexError):
        return
    got = ran(run, sample)
    rtol, atol = TYPES[dtype]
    assert got[0] == want[0]
    for g, w in zip(got[1] + got[2], want[1] + want[2]):
        if w is not None and g is not None:
            scale = max(1, np.abs(w[np.isfinite(w)]).max(initial=0))
            np.testing.assert_allclose(g, w, 10 * rtol, 10 * atol * scale)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", OPS)
def test_unknown_sizes(name):
    lucid._dynamo.reset()
    op = OPS[name]
    first = torch.float32 if torch.float32 in op.dtypes else next((t for t in TYPES if t in op.dtypes), None)
    expect("aot", name, lambda: each_sample(name, [first] if first else [], 1, compiled_alike))
