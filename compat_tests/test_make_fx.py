"""make_fx: graphs of ATen calls, with torch's names and code."""

import re

import pytest
import torch
from both import same

import lucid
import lucid.fx.experimental.proxy_tensor
from lucid.fx.experimental.proxy_tensor import make_fx


def tracer(m):
    if m is torch:
        import torch.fx.experimental.proxy_tensor as module
    else:
        module = lucid.fx.experimental.proxy_tensor
    return module.make_fx


def of_silu(x):
    """A decomposition."""
    return x * x.sigmoid()


def written(m, x):
    z = x.clone()
    z[0] = x[1]
    return z


def by_backward(m, x, y):
    x = x.detach().requires_grad_()
    (x * y).tanh().sum().backward()
    return x.grad


def layers(m):
    net = m.nn.Sequential(m.nn.Linear(3, 4), m.nn.GELU(), m.nn.LayerNorm(4), m.nn.Linear(4, 2))
    with m.no_grad():
        for i, p in enumerate(net.parameters()):
            p.copy_(m.arange(float(p.numel())).reshape(p.shape) / (10 + i))
    return net


PROGRAMS = {
    "add": (lambda m: lambda x, y: x + y * 2, 2),
    "matmul": (lambda m: lambda x, y: (x @ y.t()).relu(), 2),
    "constant": (lambda m: lambda x: x + m.tensor([1.0, 2.0, 3.0]), 1),
    "factory": (lambda m: lambda x: x + m.zeros(3), 1),
    "tuple": (lambda m: lambda x: (x.sum(), [x.max(0)[0], {"a": x}]), 1),
    "split": (lambda m: lambda x: x.split(1)[1].exp(), 1),
    "inplace": (lambda m: lambda x: x.clone().add_(1).mul_(2), 1),
    "backward": (lambda m: lambda x, y: by_backward(m, x, y), 2),
    "softmax": (lambda m: lambda x: m.nn.functional.softmax(m.nn.functional.layer_norm(x, (3,)), -1), 1),
    "written": (lambda m: lambda x: written(m, x), 1),
    "twice": (lambda m: lambda x: (x, x), 1),
    "views": (lambda m: lambda x: x.view(3, 2).t(), 1),
    "types": (lambda m: lambda x: x.to(m.float64).sum(0, dtype=m.float32), 1),
    "names": (lambda m: lambda self, out: self + out, 2),
    "layers": (lambda m: layers(m), 1),
    "loss": (lambda m: lambda x, y: m.nn.functional.mse_loss(x.sigmoid(), y).sqrt(), 2),
    "where": (lambda m: lambda x: m.where(x > 2, x, 0.0), 1),
    "cat": (lambda m: lambda x, y: m.cat([x, y], 1).mean((0, 1)), 2),
}


def graph_of(m, name, mode):
    program, n = PROGRAMS[name]
    inputs = [m.arange(6.0).reshape(2, 3) / 4, m.ones(2, 3)][:n]
    f = program(m)
    module = tracer(m)(f, tracing_mode=mode, _allow_non_fake_inputs=True)(*inputs)
    nodes = [(x.op, x.name, str(x.target)) for x in module.graph.nodes]
    return module.code.strip(), nodes, module(*inputs)


@pytest.mark.parametrize("mode", ["real", "fake"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name, mode):
    same(lambda m: graph_of(m, name, mode), rtol=1e-5, looks="")


def test_decompositions():
    def run(m):
        table = {m.ops.aten.silu.default: of_silu}
        return tracer(m)(lambda x: m.nn.functional.silu(x), decomposition_table=table)(m.ones(2)).code.strip()

    same(run)


def test_gradients_of_leaves():
    def run(m):
        def f(x, y):
            return m.autograd.grad((x * y).sigmoid().sum(), x)[0]

        return tracer(m)(f)(m.ones(2, 3, requires_grad=True), m.ones(2, 3)).code.strip()

    same(run)


@pytest.mark.parametrize("f", [lambda x: x.sum().item(), lambda x: x * 2 if x.sum() > 0 else x])
def test_numbers_are_refused(f):
    def run(m):
        try:
            tracer(m)(f)(m.ones(2))
        except RuntimeError as trouble:
            return str(trouble)[:200]
        return None

    same(run)


def test_what_is_not_traced_yet():
    for how in ({"tracing_mode": "symbolic"}, {"pre_dispatch": True}):
        with pytest.raises(NotImplementedError, match=re.escape(next(iter(how)))):
            make_fx(lambda x: x, **how)(lucid.ones(2))
    with pytest.raises(NotImplementedError, match="random"):
        make_fx(lucid.vmap(lambda x: x + lucid.rand(2), randomness="same"))(lucid.ones(2, 2))
    with pytest.raises(ValueError, match="tracing type"):
        make_fx(lambda x: x, tracing_mode="guess")
