"""make_fx: a graph of an op and its gradients, run on other numbers, gives what the program gives on them.

A tensor that reached the graph by no ATen call would be a constant in it, right on the traced numbers only.
"""

import itertools
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


def programs(name, grad=True):
    """(joint(*tensors) -> results and gradients, the tensors) of the samples that the op takes."""
    f = opdb.counterpart(ALL[name])
    for sample in opdb.sample_inputs(ALL[name], torch.float32, grad):
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
    for program, tensors in itertools.islice(programs(name), 2):
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


# ---- the same of transforms: what vmap and jvp do is in the graph, too


def transforms(f, tensors):
    """(a transform of f as a function of tensors, such tensors): batches, tangents, gradients of batches."""
    moving = [i for i, t in enumerate(tensors) if t.is_floating_point()]

    def of_moving(*given):
        everything = list(tensors)
        for i, t in zip(moving, given):
            everything[i] = t
        return tuple(f(*everything))

    def number(*given):
        return sum([o.abs().sum() for o in of_moving(*given) if o.dtype.is_floating_point or o.is_complex()])

    batches = [lucid.stack([t, other(t)]) for t in tensors]
    yield lucid.vmap(f), batches
    if moving:
        tangents = tuple([lucid.full_like(tensors[i], 0.5) for i in moving])
        yield lambda *x: sum(lucid.func.jvp(of_moving, x, tangents), ()), [tensors[i] for i in moving]
        grad = lucid.func.grad(number, tuple(range(len(moving))))
        yield lucid.vmap(grad), [batches[i] for i in moving]


def compare_transforms(name):
    f, tensors = next(programs(name, False), (None, ()))
    for transform, given in transforms(f, tensors) if tensors else ():
        others = [other(t) for t in given]
        try:
            wanted = pytree.tree_leaves(transform(*others))
        except (RuntimeError, NotImplementedError, TypeError, AttributeError):
            continue  # not of this op
        got = pytree.tree_leaves(make_fx(transform)(*given)(*others))
        for a, b in zip(wanted, got, strict=True):
            assert (a.shape, a.dtype) == (b.shape, b.dtype)
            np.testing.assert_allclose(numbers(b), numbers(a), 1e-4, 1e-5)


@pytest.mark.parametrize("name", OPS)
def test_transforms_of_op_db(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expect("traced-transforms", name, lambda: compare_transforms(name))


LIKE_TORCH = """
F.grad(lambda a: (a.sin() * a).sum())(a)
F.grad(lambda a: F.grad(lambda b: (b.sin() * b).sum())(a).sum())(a)
F.vmap(lambda a: a.exp().sin())(a)
F.vmap(F.vmap(lambda a: a.sin()))(a)
F.vmap(lambda a, b: a / b, in_dims=(0, None))(a, a[0])
""".strip().splitlines()


@pytest.mark.parametrize("line", LIKE_TORCH)
def test_transforms_have_torchs_graphs(line):
    from torch.fx.experimental.proxy_tensor import make_fx as theirs

    a = torch.randn(2, 3)
    texts = [trace(lambda a: eval(line, {"a": a, "m": m, "F": m.func}))(m.tensor(a.tolist())).code for trace, m in
             ((theirs, torch), (make_fx, lucid))]  # fmt: skip
    assert texts[0] == texts[1]


NESTED = """
F.vmap(F.grad(F.grad(lambda v: v.exp() * v.sin())))(a[0])
F.grad(lambda v: m.tanh(v * w).sum())(a)
F.vmap(F.grad(lambda v: m.tanh(v * w).sum()))(a)
F.jacrev(lambda v: m.tanh(v * w).prod(0))(a)
F.jacfwd(F.grad(lambda v: m.tanh(v * w).prod()))(a)
""".strip().splitlines()


@pytest.mark.parametrize("line", NESTED)
def test_gradients_go_through_traced_transforms(line):
    """A graph on other numbers gives the program's values, and its gradients: nothing is cut off inside."""
    m, F = lucid, lucid.func
    a, w = lucid.rand(2, 3, dtype=lucid.float64), lucid.rand(3, dtype=lucid.float64)
    f = lambda a, w: eval(line, {"a": a, "w": w, "m": m, "F": F})  # noqa: E731
    graph = make_fx(f)(a, w)
    given = [(t * 0.8 + 0.1).requires_grad_() for t in (a, w)]
    both = [g(*given) for g in (f, graph)]
    grads = [lucid.autograd.grad(out.square().sum(), given, allow_unused=True) for out in both]
    for x, y in zip((both[0], *grads[0]), (both[1], *grads[1]), strict=True):
        assert (x is None) == (y is None)
        if x is not None:
            lucid.testing.assert_close(y, x)


DRAWS = [
    "m.rand(3)",
    "m.rand_like(a)",
    "m.bernoulli(a)",
    "m.nn.functional.dropout(a)",
    "m.randperm(3)",
    "a.clone().normal_()",
]


@pytest.mark.parametrize("text", DRAWS)
def test_random_numbers_in_a_traced_batch_are_refused(text):
    """They would be the same in each run of the graph, or in each member."""
    f = lucid.vmap(lambda a: eval(text, {"a": a, "m": lucid}), randomness="different")
    with pytest.raises(NotImplementedError):
        make_fx(f)(lucid.rand(2, 3))


WRITING = """
a.clone().add_(1)
a.add_(1).t()
m.zeros(3).copy_(a[0])[:2]
m.add(a, m.ones(2, 3), out=m.empty(2, 3)), a.view(3, 2).unsqueeze(0)
a.clone().view(-1)[0].fill_(5) * 2 + a.clone().t_().sum()
m.cat([a, a.mul_(2)]).index_fill_(0, m.ones(1, dtype=m.int64), 3.0)
""".strip().splitlines()


def _of_line(line, m):
    return lambda a: eval(line, {"a": a, "m": m})


@pytest.mark.parametrize("remove", ["mutations", "mutations_and_views"])
@pytest.mark.parametrize("line", WRITING)
def test_functionalize(line, remove):
    """No call of the graph writes, but for the copies to arguments at its end; names and numbers are torch's."""
    from torch.fx.experimental.proxy_tensor import make_fx as theirs

    graphs, found = [], []
    for trace, m in ((theirs, torch), (make_fx, lucid)):
        f = m.func.functionalize(_of_line(line, m), remove=remove)
        graphs.append(trace(f)(m.arange(6.0).reshape(2, 3)))
        again = m.arange(6.0).reshape(2, 3) * 3 + 1
        found.append([t.numpy() for t in (*pytree.tree_leaves([graphs[-1](again)]), again)])
    used = [[str(n.target) for n in g.graph.nodes if n.op == "call_function" and (n.users or "copy_" in str(n.target))]
            for g in graphs]  # fmt: skip
    assert used[0] == used[1]
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(b, a, 1e-6)


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
