"""Calls of torch.ops and of torch.library's operators are nodes of a compiled graph, with torch's targets."""

import itertools

import numpy as np
import pytest
from both import BOTH, same

_COUNT = itertools.count()


@pytest.fixture(autouse=True)
def fresh():
    for m in BOTH:
        m._dynamo.reset()


def graphs(m, f, *args, **how):
    """What f gives, compiled whole, and the targets of its graph."""
    seen = []

    def backend(gm, inputs):
        seen.append([str(n.target) for n in gm.graph.nodes if n.op.startswith("call")])
        return gm.forward

    return m.compile(f, backend=backend, fullgraph=True, **how)(*args), seen


CALLS = {
    "overload": lambda m, x: m.ops.aten.add.Tensor(x, x, alpha=2),
    "packet": lambda m, x: m.ops.aten.mul(x, 3),
    "several results": lambda m, x: m.ops.aten.max.dim(x, 0)[0],
    "a list": lambda m, x: m.ops.aten.cat.default([x, x]),
    "in place": lambda m, x: m.ops.aten.mul_.Tensor(x.clone(), 2),
    "a private op": lambda m, x: m.ops.aten._softmax.default(x, 0, False),
    "of a method": lambda m, x: m.ops.aten.sum.default(x.sin()) + 1,
}


@pytest.mark.parametrize("call", CALLS)
def test_atens_operators(call):
    same(lambda m: graphs(m, lambda x: CALLS[call](m, x), m.arange(3.0)), rtol=1e-6)


def own_operator(m, name):
    """An op whose kernel no graph could look into."""

    @m.library.custom_op(f"own_{name}::bumps", mutates_args=())
    def bumps(x: m.Tensor, width: float) -> m.Tensor:
        return m.from_numpy(np.exp(-np.square(x.detach().numpy() / width)))

    @bumps.register_fake
    def _(x, width):
        return m.empty_like(x)

    bumps.register_autograd(lambda ctx, g: (g * ctx.saved_tensors[0], None), setup_context=_keep)
    return bumps


def _keep(ctx, inputs, output):
    ctx.save_for_backward(inputs[0])


@pytest.mark.parametrize("how", ["by its name", "by its definition"])
def test_operators_of_ones_own(how):
    name = f"graph{next(_COUNT)}"

    def program(m):
        bumps = own_operator(m, name)
        called = bumps if how == "by its definition" else getattr(m.ops, f"own_{name}").bumps
        found, seen = graphs(m, lambda x: called(x * 2, 3.0) + 1, m.arange(4.0))
        return found, [[t.replace(".default", "") for t in targets] for targets in seen]

    same(program, rtol=1e-6)


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_they_run_compiled_with_gradients(backend):
    name = f"run{next(_COUNT)}"

    def program(m):
        bumps = own_operator(m, name)
        x = m.arange(4.0, requires_grad=True)
        f = lambda x: bumps(x * 2, 3.0).sin() + x  # noqa: E731
        f = m.compile(f, backend=backend, fullgraph=True) if m.__name__ == "lucid" else f
        out = f(x)
        out.sum().backward()
        return out.detach(), x.grad

    same(program, rtol=1e-5)
