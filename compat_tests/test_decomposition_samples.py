"""Decompositions of every ATen call that torch's samples make, and that their gradients make."""

import warnings

import opdb
import pytest
import torch
from decomposition_checks import RANDOM, Twice, table

import lucid
from lucid.utils._pytree import tree_leaves

# How many samples of each type.
TYPES = {torch.float32: 2, torch.bfloat16: 1, torch.float64: 1, torch.int64: 1, torch.bool: 1}
# Hundreds of small steps each, of ops that others have too.
SLOW = {"logspace", "nn.functional.ctc_loss", "linspace"}


def samples(op, dtype, n):
    try:
        found = op.sample_inputs("cpu", dtype, requires_grad=dtype.is_floating_point and op.supports_autograd)
        found = list(zip(range(n), found))
    except Exception:
        return
    for _, sample in found:
        memo = {}
        try:
            yield opdb.carried([sample.input, *sample.args], "cpu", memo), opdb.carried(sample.kwargs, "cpu", memo)
        except opdb.Unsupported:
            continue


def with_gradients(f, args, kwargs):
    outs = [o for o in tree_leaves(f(*args, **kwargs)) if isinstance(o, lucid.Tensor) and o.requires_grad]
    inputs = [i for i in tree_leaves((args, kwargs)) if isinstance(i, lucid.Tensor) and i.requires_grad]
    if outs and inputs:
        lucid.autograd.grad(outs, inputs, [lucid.ones_like(o) for o in outs], allow_unused=True)


@pytest.mark.parametrize("part", range(8))
def test_samples(part):
    """Every ATen call that torch's samples make, and that their gradients make, is what its decomposition gives."""
    decompositions, found = table(), []
    for op in opdb.op_db[part::8]:
        f, idle = opdb.counterpart(op), False
        for dtype, n in TYPES.items() if f is not None and op.name not in SLOW else ():
            if dtype not in op.dtypes or idle:
                continue
            for args, kwargs in samples(op, dtype, n):
                mode = Twice(decompositions, RANDOM)
                with warnings.catch_warnings(), mode:
                    warnings.simplefilter("ignore")
                    try:
                        with_gradients(f, args, kwargs)
                    except (RuntimeError, NotImplementedError):
                        continue
                found += [(op.name, *one) for one in mode.found]
                idle = not mode.seen  # made of nothing that is taken apart: other types are not either
    assert not found, found[:5]
