"""Compiled below autograd, programs give eager's values, aliases and writes, or torch's error; never other numbers."""

import warnings

import aot_cases
import numpy as np
import pytest
import torch
from aot_programs import PROGRAMS, REFUSED

import lucid

BACKENDS = ["aot_eager", "aot_eager_default_partitioner", "aot_eager_decomp_partition"]


def compiling(m, backend):
    m._dynamo.reset()
    return lambda f: m.compile(f, backend=backend)


def plain(value):
    """Numbers that two libraries share."""
    if isinstance(value, (torch.Tensor, lucid.Tensor)):
        t = value.detach()
        return (t.float() if t.dtype in (torch.bfloat16, lucid.bfloat16) else t).numpy().copy()
    if isinstance(value, dict):
        return [plain(v) for _, v in sorted(value.items())]
    return [plain(v) for v in value] if isinstance(value, (tuple, list)) else value


def outcome(program, m, run):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        m.manual_seed(0)
        try:
            return plain(program(m, run))
        except RuntimeError as error:
            return type(error), str(error).partition("\n")[0][:60]


def close(a, b, rtol=1e-5):
    if isinstance(a, np.ndarray):
        np.testing.assert_allclose(b, a, rtol, 1e-6)
    elif isinstance(a, (list, tuple)):
        assert len(a) == len(b)
        for x, y in zip(a, b):
            close(x, y, rtol)
    else:
        assert a == b or isinstance(a, float) and abs(a - b) <= 1e-5


@pytest.mark.parametrize("name", ["grad", "vmap", "jvp", "vjp", "jacrev", "hessian"])
def test_transforms_are_in_the_graph(name):
    lucid._dynamo.utils.counters.clear()
    PROGRAMS[f"func.{name}"](lucid, compiling(lucid, "aot_eager"))
    counted = lucid._dynamo.utils.counters["aot_autograd"]
    assert counted["ok"] and not counted["run_as_it_is"]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name, backend):
    program = PROGRAMS[name]
    eager = outcome(program, lucid, lambda f: f)
    close(outcome(program, torch, lambda f: f), eager, 1e-4)
    got = outcome(program, lucid, compiling(lucid, backend))
    if name in REFUSED:
        assert got[0] is RuntimeError
        with pytest.raises(RuntimeError, match=REFUSED[name]):
            program(lucid, compiling(lucid, backend))
    else:
        close(eager, got)


def test_torch_refuses_them_too():
    for name, message in REFUSED.items():
        with pytest.raises(RuntimeError, match=message), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            PROGRAMS[name](torch, compiling(torch, "aot_eager"))


def aliases(results, given):
    """Which results share memory with which inputs and each other, and which are inputs."""
    ts = [t for t in leaves(results) if isinstance(t, lucid.Tensor) and t.numel()]
    same = [(i, j) for i, t in enumerate(ts) for j, x in enumerate(given) if t is x]
    memory = [t.untyped_storage().data_ptr() for t in [*ts, *given]]
    return same, [memory.index(p) for p in memory]


def leaves(value):
    if isinstance(value, dict):
        return [x for _, v in sorted(value.items()) for x in leaves(v)]
    return [x for v in value for x in leaves(v)] if isinstance(value, (tuple, list)) else [value]


def ran(name, run):
    f, specs = aot_cases.CASES[name]
    made, given = aot_cases.inputs(lucid, specs)
    lucid.manual_seed(0)
    results = run(lambda *args: f(lucid, *args))(*given)
    shared = aliases(results, given)
    live = [t for t in leaves(results) if isinstance(t, lucid.Tensor) and t.requires_grad]
    if live:
        sum([(t * t).sum() for t in live]).backward()
    facts = [(t.requires_grad, t.is_leaf, tuple(t.stride())) for t in leaves(results) if isinstance(t, lucid.Tensor)]
    return plain(leaves(results)), plain(given), plain([t.grad for t in made]), facts, shared


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", aot_cases.CASES)
def test_cases(name, backend):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want, got = ran(name, lambda f: f), ran(name, compiling(lucid, backend))
    for a, b in zip(want[:3], got[:3]):
        close(a, b)
    assert want[3:] == got[3:]


MODULES = """
nn.GroupNorm(2, 4) @ 3 4 6
nn.PReLU() @ 3 4
nn.RMSNorm(4) @ 3 4
nn.LayerNorm(4) @ 3 4
nn.GRUCell(4, 3) @ 3 4
nn.ConvTranspose1d(4, 2, 3) @ 3 4 6
nn.BatchNorm1d(4) @ 3 4 6
nn.Sequential(nn.Linear(4, 4), nn.PReLU()) @ 3 4
""".strip().splitlines()


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("line", MODULES)
def test_functional_call_reads_the_given_parameters(line, backend):
    """However a module's forward reads its parameters."""
    text, _, shape = line.partition(" @ ")
    module, x = eval(text, {"nn": lucid.nn}), lucid.randn(*map(int, shape.split()))
    given = {n: p.detach() * 2 + 1 for n, p in module.named_parameters()}
    f = lambda given: lucid.func.functional_call(module, given, (x,)).square().sum()  # noqa: E731
    run = compiling(lucid, backend)
    close(plain(f(given)), plain(run(f)(given)))
    close(plain(lucid.func.grad(f)(given)), plain(run(lucid.func.grad(f))(given)), 1e-4)
