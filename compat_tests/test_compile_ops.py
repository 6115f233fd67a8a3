"""Every op of torch's table, compiled: results, their strides and gradients are eager's to the bit, in one graph.

What has no graph (its sizes depend on numbers) breaks it and is right all the same: NUMBERS names these.
"""

import warnings

import numpy as np
import opdb
import pytest
import torch
from gaps import expect

import lucid

OPS = {f"{op.name}|{op.variant_test_name}" if op.variant_test_name else op.name: op for op in opdb.delivered()}
# Their results' sizes or kinds depend on numbers, so a graph ends there, as torch's does.
NUMBERS = set(
    """allclose argwhere bincount equal histogram histogramdd masked_select nonzero nonzero_static unique
    unique_consecutive repeat_interleave __getitem__ item nn.functional.one_hot""".split()
)


def told(results):
    """What is compared of results: types, shapes, strides, whether they need a gradient, bytes."""
    found = []
    for t in opdb.leaves(results, lucid.Tensor):
        data = t.detach().resolve_conj().resolve_neg()
        array = data.float().numpy() if data.dtype in (lucid.bfloat16,) else data.numpy()
        found.append((str(t.dtype), tuple(t.shape), t.stride(), t.requires_grad, np.ascontiguousarray(array).tobytes()))
    return found


def gradients(results, sample):
    """The gradients of all that the sample holds, with ones for the results."""
    outs = [t for t in opdb.leaves(results, lucid.Tensor) if t.requires_grad]
    ins = [t for t in opdb.leaves(sample, lucid.Tensor) if t.requires_grad]
    if not outs or not ins:
        return []
    return [
        g
        for g in lucid.autograd.grad(outs, ins, [lucid.ones_like(t) for t in outs], allow_unused=True)
        if g is not None
    ]


def run(f, sample):
    arg, args, kwargs = sample
    lucid.manual_seed(0)
    results = f(arg, *args, **kwargs)
    try:
        grads = gradients(results, sample)
    except (RuntimeError, NotImplementedError) as error:
        return told(results), str(error)
    return told(results), told(grads)


def graph_ends():
    """Why graphs ended, in all that is compiled."""
    found = [s for c in lucid._dynamo.compiled.CACHES.values() for fs in c.by_place.values() for s in fs]
    return [s.reason for s in found if s.reason]


def compared(op, limit, dynamic):
    """How many samples were compared; the reasons for which graphs ended."""
    f, done, ends = opdb.counterpart(op), 0, []
    for sample in opdb.samples(op, limit, torch.float32):
        try:
            first, second = opdb.carried(sample, "cpu", {}), opdb.carried(sample, "cpu", {})
            wanted = run(f, first)
        except (opdb.Unsupported, RuntimeError, NotImplementedError, ValueError, TypeError, IndexError):
            continue
        lucid._dynamo.reset()

        def program(arg, *args, **kwargs):
            return f(arg, *args, **kwargs)

        assert run(lucid.compile(program, backend="eager", dynamic=dynamic), second) == wanted, sample
        ends += graph_ends()
        done += 1
    return done, ends


@pytest.mark.parametrize("name", OPS)
def test_op(name, examples):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        done, ends = compared(OPS[name], examples.some(2, 20), None)
        compared(OPS[name], examples.some(1, 20), True)
    if not done:
        pytest.skip("no sample that lucid can be given")

    def in_one_graph():
        assert OPS[name].name in NUMBERS or not ends, ends

    expect("compile", name, in_one_graph)
