"""Every op of torch's table compiled by inductor, as C and as numpy: values and gradients are eager's.

float32 where an op has it, and one other of float64, int64, bool and bfloat16 in turn, for numpy two samples of the
first. C is compiled without optimisation here, which takes a tenth of the time. What AOTAutograd itself cannot
trace, or traces to other numbers, is told by test_aot_op_db.py.
"""

import warnings

import numpy as np
import opdb
import pytest
import torch
from gaps import expect
from test_aot_op_db import NO_GRAPH, NUMBERS, OPS, TYPES, boxed_nop, compare
from test_op_db import SECOND_IN_FLOAT64

import lucid
from lucid._base import state
from lucid._codegen import build, numpy_words
from lucid._inductor import config
from lucid._inductor.compile_fx import compile_fx_inner
from lucid.fx.experimental.proxy_tensor import make_fx

needs_compiler = pytest.mark.skipif(build.compiler() is None, reason="no C compiler")


def compiler(target):
    def compile(module, inputs):
        with config.patch(cpu_backend=target, fx_graph_cache=False):
            return compile_fx_inner(module, inputs)

    return compile


def types_of(name, op):
    known = [t for t in TYPES if t in op.dtypes and not t.is_complex]
    if name in SECOND_IN_FLOAT64:
        known.remove(torch.float32)
    first, others = known[:1], known[1:]
    return first + others[len(name) % len(others) :][:1] if others else first


def check(f, sample, dtype, name, compiler):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.filterwarnings("error", "a compiled graph")
        try:
            compare(f, sample, dtype, compiler)
        except NO_GRAPH:
            assert name in {"cov", *NUMBERS}
        except Exception:
            try:
                compare(f, sample, dtype, boxed_nop)
            except Exception:
                return
            raise


@pytest.mark.parametrize("target", ["numpy", pytest.param("cpp", marks=needs_compiler)])
@pytest.mark.parametrize("name", OPS)
def test_values_and_gradients(name, target, monkeypatch):
    op = OPS[name]
    f = opdb.counterpart(op)
    monkeypatch.setattr(build, "FLAGS", tuple(["-O0" if flag == "-O3" else flag for flag in build.FLAGS]))

    def run():
        for n, dtype in enumerate(types_of(name, op)):
            for sample in opdb.samples(op, 2 - n if target == "numpy" else 1, dtype):
                try:
                    opdb.carried(sample, "cpu", {})
                except opdb.Unsupported:
                    continue
                check(f, sample, dtype, name, compiler(target))

    expect(target, name, run)


# ---- how the target is chosen


@pytest.fixture
def texts(monkeypatch):
    """The numpy texts that are loaded."""
    seen, load = [], numpy_words.load
    monkeypatch.setattr(numpy_words, "load", lambda text, names: seen.append(text) or load(text, names))
    return seen


def gelu(x, w):
    return lucid.nn.functional.gelu(x * w + 1) + w


def test_options_choose_the_target(texts):
    x, w = lucid.randn(300, 200, requires_grad=True), lucid.randn(200)
    y = lucid.compile(gelu, options={"cpu_backend": "numpy"})(x, w)
    want = gelu(x, w)
    assert len(texts) == 1 and texts[0].count("def ") == 1 and "for i0 in range(0, 300, " in texts[0]
    np.testing.assert_allclose(y.detach().numpy(), want.detach().numpy(), 1e-6, 1e-6)
    got, want = (lucid.autograd.grad(t.sum(), x)[0].numpy() for t in (y, want))
    np.testing.assert_allclose(got, want, 1e-6, 1e-6)
    assert len(texts) == 2


@pytest.fixture
def forgiven():
    """What failed in a test is no reason for later ones to do without a compiler."""
    yield
    build._failures.clear()
    build.usable.cache_clear()


@pytest.mark.parametrize("words", [None, "false"], ids=["no compiler", "a compiler that fails"])
def test_without_a_compiler(forgiven, words, texts, monkeypatch):
    monkeypatch.setattr(state, "_told", set())
    if words is None:
        monkeypatch.setattr(build, "compiler", lambda: None)
    else:
        monkeypatch.setattr(build, "opened", fails)
        monkeypatch.setattr(build, "load", fails)
    x, w = lucid.randn(30, 20), lucid.randn(20)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        y = compile_fx_inner(make_fx(gelu, tracing_mode="fake")(x, w), [x, w])([x, w])[0]
    (warning,) = [str(t.message) for t in told]
    assert len(texts) == 1 and warning.startswith("lucid goes on without native kernels: ")
    assert warning.endswith(" is silent)") and (NONE if words is None else "it is false") in warning
    np.testing.assert_array_equal(y.numpy(), gelu(x, w).numpy())


NONE = "no C compiler was found"


def fails(*args):
    raise build.CompileError("it is false\nthe rest of what it said")


def test_what_only_writes_is_written():
    def step(p, g):
        p.sub_(g * 0.5)

    p, g = lucid.ones(4), lucid.arange(4.0)
    lucid.compile(step, options={"cpu_backend": "numpy"})(p, g)
    assert p.tolist() == [1, 0.5, 0, -0.5]
