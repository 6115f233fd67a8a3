"""Every elementwise op written as C, compiled in one file, and compared with what numpy computes for the same op."""

import ctypes

import numpy as np
import pytest

import lucid
from lucid._backend.core import OPS
from lucid._backend.families import Pointwise
from lucid._codegen import build, c
from lucid._codegen.c import NOT_IN_C, CWords, Expr, gradient_source, pointwise_source

needs_compiler = pytest.mark.skipif(build.compiler() is None, reason="there is no C compiler here")

OPTIONS = {
    "clamp_scalar": {"min": -0.5, "max": 0.75},
    "clamp_min_scalar": {"min": -0.5},
    "clamp_max_scalar": {"max": 0.75},
    "threshold": {"threshold": 0.25, "value": -2.0},
    "polygamma_op": {"n": 1},
    "mvlgamma": {"p": 2},
    "pow_scalar": {"exponent": 2.5},
    "pow_base": {"input": 2.5},
    "rsub_scalar": {"other": 1.5},
    "remainder_scalar": {"other": 0.7},
    "fmod_scalar": {"other": 0.7},
    "floor_divide_scalar": {"other": 0.7},
    "div_rounding": {"rounding_mode": "floor"},
    "copysign_scalar": {"other": -1.0},
    "lerp_scalar": {"weight": 0.3},
    "xlogy_by": {"other": 2.0},
    "xlogy_from": {"input": 2.0},
    "xlog1py_by": {"other": 2.0},
    "xlog1py_from": {"input": 2.0},
    "zeta_by": {"other": 2.0},
    "zeta_from": {"input": 2.0},
    "masked_fill_scalar": {"value": 3.5},
    "fill_scalar": {"value": 3.5},
    "orthogonal_polynomial": {"kind": "chebyshev_t"},
    "round_decimals": {"decimals": 2},
    "addcmul": {"value": 0.5},
    "addcdiv": {"value": 0.5},
    "add": {"alpha": 0.5},
    "sub": {"alpha": -2.0},
}
INTEGER_OPS = (
    "bitwise_not",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "bitwise_left_shift",
    "bitwise_right_shift",
    "gcd",
    "lcm",
)
WHOLE = {name: op for name, op in OPS.items() if issubclass(op, Pointwise) and op.n_ret == 1 and not op.poly}
ROOMS = {
    f"lucid._func.pointwise.{n}"
    for n in "ufunc bfunc power ternary float_parts compare where clamp fill special gamma bessel complex activation bits".split()
}
POINTWISE = {name: op for name, op in WHOLE.items() if op.__module__ in ROOMS and name not in INTEGER_OPS}


def rows(op, dtype):
    """Three rows of every ordinary and special kind of value, in different orders."""
    rng = np.random.default_rng(0)
    special = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, -0.5, 3.0, -3.0, 100.0, -100.0, 1e-30, 1e30]
    names = list(op.inputs)
    first = np.concatenate([special, rng.standard_normal(300) * 2]).astype(dtype)
    made = [first] + [rng.permutation(first) for _ in names[1:]]
    return [np.where(x > 0.3, 1, 0).astype(bool) if n in op.index_inputs else x.copy() for n, x in zip(names, made)]


def by_numpy(op, arrays, options, dtype):
    """What the op's own rule gives with numpy's words."""
    from lucid._array.numpy.table import table

    k = table(dtype)
    return np.asarray(op.kernel(k)(k, *arrays, *options.values()))


def run(library, name, arrays, result):
    arguments = [a.ctypes.data_as(ctypes.c_void_p) for a in (*arrays, result)]
    getattr(library, name)(ctypes.c_long(result.size), *arguments)
    return result


def sources(dtype, suffix):
    """{name: (op, options, C text)} and the names left out, with why."""
    written, refused = {}, {}
    for name, op in POINTWISE.items():
        options = c._options(op, OPTIONS.get(op.__name__))
        try:
            written[name] = op, options, pointwise_source(op, dtype, options, f"k_{op.__name__}{suffix}")
        except NotImplementedError as error:
            refused[name] = str(error)
    return written, refused


@needs_compiler
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_every_op_of_floats(dtype):
    kind = np.dtype(dtype)
    written, refused = sources(getattr(lucid, dtype), "")
    assert len(written) >= 130
    for name, why in refused.items():
        assert any(f"'{word}'" in why for word in NOT_IN_C) or "not defined" in why or "only" in why, (name, why)
    library = build.load("\n".join(text for _, _, text in written.values()))
    failed, done = [], 0
    for name, (op, options, _) in written.items():
        arrays = rows(op, kind)
        try:
            expected = by_numpy(op, arrays, options, getattr(lucid, dtype))
        except (TypeError, NotImplementedError, RuntimeError):
            continue  # an op that floats do not have
        done += 1
        got = run(library, f"k_{op.__name__}", arrays, np.empty(arrays[0].shape, expected.dtype))
        rtol = 3e-6 if dtype == "float32" else 1e-12
        if op.__name__ in ("lgamma", "digamma", "mvlgamma", "erfinv", "erfcx"):
            rtol *= 100
        bad = ~np.isclose(got, np.broadcast_to(expected, got.shape), rtol, rtol, equal_nan=True)
        if bad.any():
            i = np.flatnonzero(bad)[0]
            failed.append(
                (name, int(bad.sum()), [a[i] for a in arrays], got[i], np.broadcast_to(expected, got.shape)[i])
            )
    assert not failed, "\n".join(map(str, failed))
    assert done >= 130


@needs_compiler
@pytest.mark.parametrize("dtype", ["int64", "int32", "int8", "uint8"])
def test_integers(dtype):
    kind, k = np.dtype(dtype), getattr(lucid, dtype)
    names = [
        *INTEGER_OPS,
        "add",
        "sub",
        "mul",
        "neg",
        "abs",
        "maximum",
        "minimum",
        "eq",
        "lt",
        "where",
        "sign",
        "square",
    ]
    ops = [op for name, op in OPS.items() if name in names]
    library = build.load("\n".join(pointwise_source(op, k, name=f"i_{op.__name__}") for op in ops))
    rng = np.random.default_rng(1)
    for op in ops:
        arrays = [rng.integers(np.iinfo(kind).min // 2, np.iinfo(kind).max // 2, 64).astype(kind) for _ in op.inputs]
        if "shift" in op.__name__:
            arrays[1] = rng.integers(0, 70, 64).astype(kind)
        arrays = [a > 0 if n in op.index_inputs else a for n, a in zip(op.inputs, arrays)]
        expected = by_numpy(op, arrays, c._options(op, None), k)
        got = run(library, f"i_{op.__name__}", arrays, np.empty(64, expected.dtype))
        assert np.array_equal(got, expected), (op.__name__, arrays, got, expected)


@needs_compiler
def test_gradient_rules():
    texts, cases = [], []
    from lucid._array.numpy.table import table

    k = table(lucid.float32)
    for name, op in POINTWISE.items():
        for which, rule in zip(op.inputs, op.rules):
            if rule is None or op.joint is not None:
                continue
            options = c._options(op, OPTIONS.get(op.__name__))
            try:
                texts.append(gradient_source(op, which, lucid.float32, options, f"g_{op.__name__}_{which}"))
            except (NotImplementedError, RuntimeError):
                continue
            cases.append((op, which, rule, options))
    assert len(cases) > 110
    library = build.load("\n".join(texts))
    failed, done = [], 0
    for op, which, rule, options in cases:
        arrays = [a if n in op.index_inputs else np.abs(a) + 0.1 for n, a in zip(op.inputs, rows(op, np.float32))]
        keep = np.all([np.isfinite(a) & (a < 20) for a in arrays], 0)
        arrays = [a[keep] for a in arrays]
        out = by_numpy(op, arrays, options, lucid.float32)
        if out.shape != arrays[0].shape:
            continue
        g = np.random.default_rng(2).standard_normal(len(arrays[0])).astype(np.float32)
        known = {**dict(zip(op.inputs, arrays)), "out": out, **options, "shape": g.shape}
        expected = np.asarray(rule.call(k, g, *[known[w] for w in rule.wants]))
        ins = [g, *[np.ascontiguousarray(known[w]) for w in rule.wants if w in op.inputs or w == "out"]]
        if expected.shape != g.shape:
            continue
        done += 1
        got = run(library, f"g_{op.__name__}_{which}", ins, np.empty(g.shape, expected.dtype))
        if not np.allclose(got, expected, 2e-4 if "gamma" in op.__name__ else 2e-5, 1e-5, equal_nan=True):
            bad = np.flatnonzero(~np.isclose(got, expected, 2e-5, 1e-5, equal_nan=True))[0]
            failed.append((op.__name__, which, got[bad], expected[bad], [x[bad] for x in ins]))
    assert not failed, "\n".join(map(str, failed))
    assert done > 110


def test_expressions_nest_without_a_body():
    words = CWords(lucid.float32)
    a, b = Expr("a", lucid.float32, words), Expr("b", lucid.float32, words)
    assert OPS["mul"].forward(words, a, b).text == "(a * b)"
    assert (2.5 - a).text == "(2.5f - a)"
    assert (a * (a > b)).text == "(a * ((float)(a > b)))"


def test_what_has_no_text_says_why():
    words = CWords(lucid.float32)
    with pytest.raises(NotImplementedError, match="'zeta' cannot be written as C: C's library has no such function"):
        words.zeta(Expr("a"), Expr("b"))
    with pytest.raises(NotImplementedError, match="torch.bfloat16 are not written as C"):
        CWords(lucid.bfloat16)
    with pytest.raises(NotImplementedError, match="'pow' of torch.int64 cannot be written as C"):
        pointwise_source(OPS["pow_tensor"], lucid.int64)
    with pytest.raises(TypeError, match="no truth"):
        bool(Expr("a"))


@needs_compiler
def test_cache_and_errors(tmp_path, monkeypatch):
    monkeypatch.setenv("LUCID_CACHE", str(tmp_path / "kernels"))
    text = "int lucid_answer(void) { return 42; }\n"
    path = build.compile_source(text)
    assert build.compile_source(text) == path and path.startswith(str(tmp_path))
    assert build.load(text).lucid_answer() == 42
    with pytest.raises(build.CompileError):
        build.compile_source("int wrong( {\n")


def test_without_a_compiler(monkeypatch):
    monkeypatch.setattr(build, "compiler", lambda: None)
    with pytest.raises(build.NoCompiler, match="no C compiler"):
        build.compile_source("int f(void) { return 1; }\n")
