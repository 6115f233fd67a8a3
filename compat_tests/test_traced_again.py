"""make_fx: a graph of an op and its gradients, run on other numbers, gives what the program gives on them.

A tensor that reached the graph by no ATen call would be a constant in it, right on the traced numbers only.
"""

import warnings

import numpy as np
import opdb
import pytest
import torch
from gaps import expect
from test_op_db import OPS as ALL
from test_op_db import RANDOM

import lucid
from lucid.fx.experimental.proxy_tensor import make_fx
from lucid.utils import _pytree as pytree

OPS = [n for n, op in ALL.items() if n not in RANDOM and torch.float32 in op.dtypes and opdb.counterpart(op)]


def other(t):
    """Other numbers of the same kind."""
    return (t.detach() * 0.9 + 0.01).requires_grad_(t.requires_grad) if t.is_floating_point() else t


def programs(name):
    """(joint(*tensors) -> results and gradients, the tensors) of the first samples that the op takes."""
    f = opdb.counterpart(ALL[name])
    for n, sample in enumerate(opdb.sample_inputs(ALL[name], torch.float32, True)):
        if n == 2:
            return
        try:
            memo = {}
            args = [opdb.carried(a, "cpu", memo) for a in (sample.input, *sample.args)]
            named = {k: opdb.carried(v, "cpu", memo) for k, v in sample.kwargs.items()}
        except opdb.Unsupported:
            continue
        leaves, spec = pytree.tree_flatten((args, named))
        places = [i for i, t in enumerate(leaves) if isinstance(t, lucid.Tensor)]
        yield joint(f, leaves, spec, places), [leaves[i] for i in places]


def joint(f, leaves, spec, places):
    def run(*tensors):
        given = list(leaves)
        for i, t in zip(places, tensors):
            given[i] = t
        args, named = pytree.tree_unflatten(given, spec)
        found = [t for t in pytree.tree_leaves(f(*args, **named)) if isinstance(t, lucid.Tensor)]
        live, wants = [t for t in found if t.requires_grad], [t for t in tensors if t.requires_grad]
        if not live or not wants:
            return found
        grads = lucid.autograd.grad(live, wants, [lucid.ones_like(t) for t in live], allow_unused=True)
        return found + [g for g in grads if g is not None]

    return run


def numbers(t):
    return (lucid.view_as_real(t.resolve_conj()) if t.is_complex() else t).detach().numpy()


def compare(name):
    for program, tensors in programs(name):
        others = [other(t) for t in tensors]
        try:
            wanted = program(*others)
        except RuntimeError:
            continue  # not of these numbers, or without a gradient
        got = make_fx(program)(*tensors)(*others)
        for a, b in zip(wanted, got, strict=True):
            assert a.shape == b.shape
            np.testing.assert_allclose(numbers(b), numbers(a), 1e-4, 1e-5)


@pytest.mark.parametrize("name", OPS)
def test_op_db(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expect("traced", name, lambda: compare(name))


RESHAPES = """
a.t().reshape(3, 1, 2)
a.expand(4, 2, 3).reshape(4, 2, 3)
a[:, 1:].reshape(2, 1, 2)
a.t().reshape(6)
a.t().flatten()
a.unsqueeze(0).expand(4, 2, 3).flatten(1)
a.expand(4, 2, 3) @ m.ones(4, 3, 5)
m.einsum("ij,kj->ik", a, a * 2)
a.mT.reshape(3, 2).contiguous()
""".strip().splitlines()


@pytest.mark.parametrize("line", RESHAPES)
def test_memory_in_another_order(line):
    from torch.fx.experimental.proxy_tensor import make_fx as theirs

    a, b = torch.randn(2, 3), torch.randn(2, 3)
    graphs = [trace(lambda a: eval(line, {"a": a, "m": m}).sin())(m.tensor(a.tolist())) for trace, m in
              ((theirs, torch), (make_fx, lucid))]  # fmt: skip
    targets = [[str(n.target) for n in g.graph.nodes if n.op == "call_function"] for g in graphs]
    assert targets[0] == targets[1]
    np.testing.assert_allclose(graphs[1](lucid.tensor(b.tolist())).numpy(), graphs[0](b).numpy(), 1e-5, 1e-6)
