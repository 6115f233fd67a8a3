"""Parts of torch that stand beside its ops: rearrange, FileCheck, monitor, nn.grad, scaled products, steps of transforms,
an optimizer on other parameters, torch._prims_common and torch._refs."""

import datetime
import importlib
import inspect
import logging
import warnings

import lucid.monitor
import pytest
import torch
import torch._prims_common
import torch._refs
import torch.monitor
from both import as_torch, both, same, same_outcome

import lucid
import lucid._prims_common
import lucid._refs

# ---- rearrange

PATTERNS = [
    ("b c h -> b h c", {}), ("b c h -> (b c) h", {}), ("b (c d) h -> b c d h", {"d": 3}), ("b ... -> ... b", {}),
    ("b c h -> b 1 c h", {}), ("a b c -> a b", {}), ("a b -> b a", {}), ("a b a -> b a", {}),
    ("b (c d) h -> b c d h", {}), ("b c h -> b c h z", {}), ("... -> ...", {}), ("b c h", {}),
    ("b c h -> b c h", {"q": 2}), ("b (c d) h -> b c d h", {"d": 2}), ("(a b) c h -> a b c h", {"a": 2, "b": 5}),
    ("b [c] h -> b", {}), ("a ... b -> (...) a b", {}), ("b c h->(b c h)", {}), ("b (c (d)) h -> b", {}),
    ("B _c h -> B", {}), ("a b ... ... -> a", {}), ("a b c -> a b c ...", {}), ("(a ...) b -> a b", {}),
    ("(a b) c (d e) -> (e a) d (c b)", {"a": 1, "d": 2}), ("b c h -> h () c b", {}), ("b c h -> c (h b) 1", {}),
]  # fmt: skip


@pytest.mark.parametrize("pattern, sizes", PATTERNS, ids=[f"{p} {s}" for p, s in PATTERNS])
def test_rearrange(pattern, sizes):
    def program(m):
        x = m.arange(24.0).reshape(2, 3, 4)
        return m.func.rearrange(x, pattern, **sizes), m.func.rearrange([x[0], x[1]], pattern, **sizes)

    same_outcome(program, looks="", text=60)


# ---- functionalize


def test_functionalize():
    """Outside of traces it gives what the function gives, writes included."""

    def program(m):
        def writes(x):
            y = x.clone()
            y.add_(1)
            x.mul_(2)
            return {"y": y.view(-1), "n": 3}

        f, x = m.func.functionalize, m.arange(4.0).reshape(2, 2)
        yield f(writes)(x), x, f(writes).__name__
        yield f(writes, remove="mutations_and_views")(x.clone()), m.func.grad(f(lambda x: (x * x).sum()))(x)
        yield m.func.vmap(f(lambda x: x.clone().add_(1)))(x)
        f(writes, remove="nothing")

    same_outcome(lambda m: list(program(m)), looks="", text=80)


# ---- FileCheck

TEXT = "alpha beta\ngamma beta\ndelta\n  delta 1 delta 2\nomega beta\n"
CHECKS = """
f.check("alpha").check("gamma").check("omega")
f.check("gamma").check("alpha")
f.check("alpha").check_same("beta")
f.check("alpha").check_same("gamma")
f.check("alpha").check_next("gamma")
f.check("alpha").check_next("delta")
f.check("alpha").check_next("beta")
f.check_not("zeta").check("omega")
f.check_not("gamma").check("omega")
f.check("gamma").check_not("alpha")
f.check("omega").check_not("beta")
f.check_count("delta", 3)
f.check_count("delta", 4)
f.check_count("delta", 2, exactly=True)
f.check_count("delta", 3, exactly=True)
f.check_dag("omega").check_dag("alpha").check_dag("gamma")
f.check_dag("omega").check_dag("alpha").check("delta")
f.check_dag("omega").check_dag("zeta")
f.check_regex("delta [0-9]").check("omega")
f.check_regex("delta [5-9]")
f.check_dag("delta").check_not("omega").check_dag("omega")
f
""".strip().splitlines()


@pytest.mark.parametrize("line", CHECKS)
def test_file_check(line):
    def program(m):
        eval(line, {"f": m.testing.FileCheck()}).run(TEXT)

    same_outcome(program, text=24)


# ---- monitor


def test_monitor():
    def program(m):
        M, got = m.monitor, []
        handle = M.register_event_handler(got.append)
        event = M.Event("n", datetime.datetime(2020, 1, 1), {"a": 1, "b": 2.5, "c": "x", "d": True})
        M.log_event(event)
        yield sorted(event.data.items()), event.name, str(event.timestamp), got[0] is event
        kinds = [M.SUM, M.MEAN, M.COUNT, M.MAX, M.MIN]
        stat = M.Stat("s", kinds, datetime.timedelta(hours=400), 2)
        yield stat.name, stat.count, sorted((int(k), v) for k, v in stat.get().items())
        for v in (1, 3, 2):
            stat.add(v)
            yield stat.count, sorted((int(k), v) for k, v in stat.get().items())
        yield got[-1].name, sorted(got[-1].data.items())
        written = []
        writer = type("Writer", (), {"add_scalar": lambda self, k, v, walltime: written.append((k, v))})()
        M.TensorboardEventHandler(writer)(got[-1])
        yield sorted(written)
        M.unregister_event_handler(handle)
        M.log_event(event)
        yield len(got), M.STAT_EVENT

    same(program)


@pytest.mark.parametrize("data", [{"a": [1]}, 3])
def test_a_bad_event(data):
    same_outcome(lambda m: m.monitor.Event("n", datetime.datetime(2020, 1, 1), data), text=80)


# ---- nn.grad


@pytest.mark.parametrize("options", [{}, {"stride": 2, "padding": 1}, {"dilation": 2, "padding": 2}, {"groups": 2}])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_gradients_of_convolutions(n, options):
    def program(m):
        groups = options.get("groups", 1)
        x = m.linspace(-1, 1, 8 * 5**n).reshape(2, 4, *[5] * n)
        w = m.linspace(-1, 2, 8 * 3**n * 4 // groups)[: 2 * (4 // groups) * 3**n].reshape(2, 4 // groups, *[3] * n)
        out = getattr(m.nn.functional, f"conv{n}d")(x, w, **options)
        g = m.linspace(0, 1, out.numel()).reshape(out.shape)
        yield getattr(m.nn.grad, f"conv{n}d_input")(x.shape, w, g, **options)
        yield getattr(m.nn.functional.grad, f"conv{n}d_weight")(x, w.shape, g, **options)

    same(program, rtol=2e-6, atol=2e-6, looks="requires_grad")


def test_common_types():
    names = [n for n in vars(torch.nn.common_types) if n.startswith("_") and n.endswith("_t")]
    assert len(names) > 15
    for name in names:
        theirs, ours = (getattr(api.nn.common_types, name) for api in (torch, lucid))
        assert as_torch(repr(ours)) == repr(theirs), name


# ---- scaled products

SCALED = """
F.scaled_mm(a, b, s, ST.TensorWise, s * 2, ST.TensorWise)
F.scaled_mm(a, b, [s], [ST.TensorWise], [s], [ST.TensorWise], output_dtype=m.float32)
F.scaled_mm(a, b, s, ST.TensorWise, s, ST.TensorWise, bias=m.ones(16))
F.scaled_mm(a, b, m.arange(16.0)[:, None], ST.RowWise, m.arange(16.0)[None], ST.RowWise)
F.scaled_mm(a, b, s, ST.BlockWise1x16, s, ST.BlockWise1x16)
F.scaled_mm(a, b, m.ones(2), ST.TensorWise, s, ST.TensorWise)
F.scaled_mm(a, b, s, ST.TensorWise, m.ones(2), ST.TensorWise)
F.scaled_mm(a, b, s, ST.TensorWise, s, ST.TensorWise, F.SwizzleType.NO_SWIZZLE, F.SwizzleType.SWIZZLE_32_4_4)
F.scaled_mm(m.ones(4, 4), m.ones(4, 4), s, ST.TensorWise, s, ST.TensorWise)
""".strip().splitlines()


@pytest.mark.parametrize("line", SCALED)
def test_scaled_mm(line):
    def program(m):
        a = m.linspace(-2, 2, 512).reshape(16, 32).to(m.float8_e4m3fn)
        F = m.nn.functional
        return eval(
            line, {"m": m, "F": F, "ST": F.ScalingType, "a": a, "b": m.cat([a[8:], a[:8]]).t(), "s": m.full((1,), 0.5)}
        )

    same_outcome(program, rtol=1e-2, atol=1e-2, text=30)


# ---- an optimizer on other parameters


def optimizer(m):
    w = [m.ones(2, requires_grad=True), m.full((3,), 2.0, requires_grad=True)]
    made = m.optim.Adam([{"params": w[:1]}, {"params": w[1:], "lr": 0.1}])
    sum(p.sum() for p in w).backward()
    made.step()
    return w, made


def test_swap_in_optimizer_params_and_state():
    def program(m):
        w, made = optimizer(m)
        others = {"a": m.zeros(2, requires_grad=True), "b": m.zeros(3, requires_grad=True)}
        for p in others.values():
            p.grad = m.ones_like(p)
        state = made.state_dict()
        state["param_groups"][0]["lr"] = 0.5
        with m.optim.swap_in_optimizer_params_and_state(made, others, state):
            made.step()
            yield [g["lr"] for g in made.param_groups], len(made.state)
        yield (
            [*others.values()],
            w,
            [g["lr"] for g in made.param_groups],
            made.state[w[0]]["step"],
            state["state"][0]["step"],
        )

    same(program, rtol=1e-6, looks="requires_grad")


SPOILED = {
    "no dict": lambda s: 3,
    "no state": lambda s: {"param_groups": s["param_groups"]},
    "tensors for keys": lambda s: s | {"state": {torch.ones(1): {}, lucid.ones(1): {}}},
    "states that are none": lambda s: s | {"state": {0: 3}},
    "no groups": lambda s: {"state": s["state"]},
    "fewer groups": lambda s: s | {"param_groups": s["param_groups"][:1]},
    "groups that are none": lambda s: s | {"param_groups": [3, 4]},
    "no numbers": lambda s: s | {"param_groups": [g | {"params": None} for g in s["param_groups"]]},
    "more numbers": lambda s: s | {"param_groups": [g | {"params": [0, 1]} for g in s["param_groups"]]},
    "another key": lambda s: s | {"param_groups": [g | {"more": 1} for g in s["param_groups"]]},
    "another state": lambda s: s | {"state": {7: {}}},
}


@pytest.mark.parametrize("how", SPOILED)
def test_a_state_that_does_not_fit(how):
    def program(m):
        w, made = optimizer(m)
        with m.optim.swap_in_optimizer_params_and_state(made, {"a": w[0], "b": w[1]}, SPOILED[how](made.state_dict())):
            pass

    same_outcome(program)


# ---- what is known of a tensor inside transforms


def test_levels_of_transforms():
    def program(m):
        F, f, seen = m._C._functorch, m.func, []

        def look(x):
            stack = F.get_interpreter_stack()
            seen.append([
                F.is_batchedtensor(x), F.is_gradtrackingtensor(x), F.is_functorch_wrapped_tensor(x), F.maybe_get_level(x),
                F.maybe_get_bdim(x), F.maybe_current_level(), F.current_level(), F.get_dynamic_layer_stack_depth(),
                [(str(s.key()), s.level()) for s in stack], str(F.peek_interpreter_stack().key()), F.get_unwrapped(x).shape,
            ])  # fmt: skip
            return x.sum()

        x = m.ones(2, 3)
        f.vmap(look)(x), f.grad(look)(x), f.jvp(look, (x,), (x,)), f.vmap(f.grad(look))(x)
        f.grad(lambda x: f.vmap(look)(x).sum())(x), f.vjp(look, x), f.vmap(f.vmap(look))(x)
        seen.append([F.maybe_current_level(), F.maybe_get_level(x), F.maybe_get_bdim(x), F.get_interpreter_stack()])
        seen.append([F.is_batchedtensor(x), F.peek_interpreter_stack(), F.get_dynamic_layer_stack_depth()])
        return seen

    same(program)


@pytest.mark.parametrize("line", ["F.get_unwrapped(x)", "F.reshape_dim_into(0, 1, x)", "F.reshape_dim_into(2, 0, x)",
                                  "F.reshape_dim_outof(1, 3, x)", "F._is_vmap_fallback_enabled()"])  # fmt: skip
def test_functorch_line(line):
    same_outcome(lambda m: eval(line, {"F": m._C._functorch, "x": m.arange(24.0).reshape(2, 3, 4)}), looks="")


def test_tracebacks():
    def program(m):
        P = m._C._profiler
        (found,) = P.symbolize_tracebacks([P.gather_traceback(python=True, script=False, cpp=False)])
        return {k: v for k, v in found[0].items() if k != "line"}, type(found[0]["line"]), len(found) > 3

    same(program)


def test_torch_function_state():
    def program(m):
        class Sub(m.Tensor):
            pass

        state, x = m._C._TorchFunctionState, m.ones(2).as_subclass(Sub)
        for now in (state.SUBCLASSES_DISABLED, state.ALL_DISABLED, state.ENABLED):
            m._C._set_torch_function_state(now)
            yield str(m._C._get_torch_function_state()), type(x + 1).__name__

    same(program)


def test_masked_input():
    def program(m):
        x, mask = m.arange(6.0).reshape(2, 3), m.tensor([True, False, True])
        yield m.masked._input_mask(x, mask=mask), m.masked._combine_input_and_mask(m.sum, x, None)
        for op in "sum prod amax amin argmax argmin logsumexp median cumsum cumprod norm".split():
            for t in (x, x.long(), x.to(m.uint8)):
                yield m.masked._combine_input_and_mask(getattr(m.masked, op), t, mask)

    same(program, looks="")


# ---- torch._prims_common

SHAPES = [(), (3,), (2, 3), (2, 1, 3), (1, 4, 2, 3), (2, 4, 2, 3), (2, 0, 3), (2, 3, 2, 3, 4)]
OF_SHAPES = """prod validate_shape make_contiguous_strides_for make_channels_last_strides_for
    make_channels_last_2d_strides_for make_channels_last_3d_strides_for make_channels_last_1d_strides_for""".split()
DTYPES = """bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128
    float8_e4m3fn""".split()
OF_DTYPES = """is_boolean_dtype is_integer_dtype is_low_precision_dtype is_float_dtype is_complex_dtype is_grad_dtype
    corresponding_real_dtype corresponding_complex_dtype get_computation_dtype dtype_to_type
    dtype_or_default""".split()


def prims(m):
    return importlib.import_module(f"{m.__name__}._prims_common")


@pytest.mark.parametrize("name", OF_SHAPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_prims_of_shapes(name, shape):
    same_outcome(lambda m: getattr(prims(m), name)(shape), text=30)


@pytest.mark.parametrize("name", OF_DTYPES)
def test_prims_of_types(name):
    for dtype in DTYPES:
        same_outcome(lambda m: str(getattr(prims(m), name)(getattr(m, dtype))), text=0, reword=as_torch)


def test_elementwise_types():
    operands = [lambda m, d=d, n=n: m.ones([1] * n).to(getattr(m, d)) for d in DTYPES[:-1] for n in (0, 1)]
    operands += [lambda m: 1, lambda m: 1.5, lambda m: 2j, lambda m: True]

    def program(m):
        P = prims(m)
        for a in operands:
            for b in operands:
                for kind in P.ELEMENTWISE_TYPE_PROMOTION_KIND:
                    yield [str(d) for d in P.elementwise_dtypes(a(m), b(m), type_promotion_kind=kind)]
        for a in operands[:-4]:
            for kind in P.REDUCTION_OUTPUT_TYPE_KIND:
                yield [str(d) for d in P.reduction_dtypes(a(m), kind)], [str(P.get_dtype(a(m)))]

    same(program, reword=as_torch)


def layouts(m):
    x = m.arange(96.0).reshape(2, 4, 3, 4)
    yield from (x, x.t() if x.ndim == 2 else x.transpose(1, 3), x[:, ::2], x[0], x[0, 0], x[0, 0, 0, 0], x[:, :, :1])
    yield from (
        x.to(memory_format=m.channels_last),
        x.expand(2, 4, 3, 4),
        x[:1].expand(2, 4, 3, 4),
        x.permute(3, 0, 1, 2),
    )
    yield from (m.ones(0, 3), m.ones(2, 3, 1, 2, 2).to(memory_format=m.channels_last_3d), m.ones(1, 3, 1, 1))


OF_TENSORS = """is_contiguous is_channels_last_contiguous is_channels_last_contiguous_2d is_channels_last_contiguous_3d
    is_non_overlapping_and_dense_or_false suggest_memory_format is_cpu_scalar_tensor compute_elementwise_output_strides
    compute_elementwise_output_logical_to_physical_perm""".split()


@pytest.mark.parametrize("name", OF_TENSORS)
def test_prims_of_tensors(name):
    same_outcome(lambda m: [str(getattr(prims(m), name)(x)) for x in layouts(m)], reword=as_torch)


def test_strides_of_pairs():
    def program(m):
        P, found = prims(m), [x for x in layouts(m) if x.shape == (2, 4, 3, 4)]
        for a in found:
            for b in found:
                yield P.compute_elementwise_output_strides(a, b), P.check_all_strides(a, b, only_cuda=False)
                yield (
                    P.check_significant_strides(a, b, only_cuda=False),
                    P.extract_shape(a, b, allow_cpu_scalar_tensors=True),
                )
            yield P.clone_preserve_strides(a), P.compute_required_storage_length(a.shape, a.stride(), 2)

    same(program, looks="stride")


PRIMS = """
P.canonicalize_dim(3, -1), P.canonicalize_dim(0, 0), P.canonicalize_dims(3, (0, -1)), P.canonicalize_dims(3, -2)
P.canonicalize_dim(3, 3)
P.canonicalize_dim(-1, 0)
P.canonicalize_dim(0, 0, False)
P.reduction_dims((2, 3), None), P.reduction_dims((2, 3), (-1,))
P.reduction_dims((2, 3), (-1, 1))
P.is_valid_permutation(3, (2, 0, 1)), P.is_valid_permutation(3, (2, 0, 0)), P.apply_perm((5, 6, 7), (2, 0, 1))
P.invert_perm((2, 0, 1)), P.compute_reduction_output_shape((2, 3, 4), (1,))
P.extract_shape_from_varargs(((2, 3),)), P.extract_shape_from_varargs((2, 3)), P.extract_dims_from_varargs((1, 2))
P.infer_size((2, -1), 6), P.infer_size((2, 3), 6)
P.infer_size((2, -1, -1), 6)
P.infer_size((4, -1), 6)
P.infer_size((4, 2), 6)
P.infer_size_shapes((2, 1), (3,)), P.is_expandable_to((1, 3), (2, 3)), P.is_expandable_to((2, 3), (3,))
P.get_higher_type(int, float), P.get_higher_type(complex, bool), P.is_weakly_lesser_type(int, int)
P.get_higher_type(str, int)
P.number_type(True), P.number_type(2), P.number_type(2j), P.type_to_dtype(int), P.type_to_dtype(complex)
P.type_to_dtype(str)
P.can_safe_cast_to(cast_to=m.float32, cast_from=m.int64), P.can_safe_cast_to(cast_to=m.int64, cast_from=m.float32)
P.get_higher_dtype(m.float16, m.bfloat16), P.get_higher_dtype(None, m.int8), P.get_higher_dtype(None, None)
P.set_correction(), P.set_correction(False), P.set_correction(correction=2)
P.set_correction(True, 2)
P.check(False, lambda: "told")
P.check(False, lambda: "told", ValueError)
P.check_same_shape(m.ones(2), m.ones(3), allow_cpu_scalar_tensors=True)
P.check_same_dtype(m.ones(2), m.ones(2).long())
P.check_same_device(m.ones(2), m.ones(2, device="meta"), allow_cpu_scalar_tensors=True)
P.check_is_matrix(m.ones(2), "f")
P.check_fp_or_complex(m.int64, "f")
P.check_pin_memory(True)
P.mask_tensor(m.tensor([True, False]), m.ones(2)), P.mask_tensor(m.tensor([True, False]), m.tensor([True, True]))
P.validate_no_repeating_dims((1, 1))
P.validate_memory_format(3)
P.dtype_or_default(None), P.device_or_default(None), P.layout_or_default(None), P.canonicalize_device("cpu")
P.wrappers._maybe_convert_to_dtype(m.ones(2), m.int64), P.wrappers._maybe_convert_to_dtype(2, m.float32)
P.wrappers.out_wrapper()(lambda x: x + 1)(m.ones(2), out=m.empty(0))
P.wrappers.elementwise_type_promotion_wrapper(type_promoting_args=("a", "b"), type_promotion_kind=K.INT_TO_FLOAT)(f)(m.ones(2).long(), b=2)
""".strip().splitlines()


@pytest.mark.parametrize("line", PRIMS)
def test_prims_line(line):
    def program(m):
        P = prims(m)

        def f(a, b):
            return a / b, a

        f.__annotations__ = {"a": P.TensorLikeType, "b": P.NumberType}
        return eval(line, {"m": m, "P": P, "K": P.ELEMENTWISE_TYPE_PROMOTION_KIND, "f": f})

    same_outcome(program, quiet=True, text=40, reword=as_torch)


# ---- torch._refs


def test_refs_are_there():
    """Each public name of torch._refs and its parts, and what some of them compute."""
    for part in ("", ".nn.functional", ".linalg", ".special", ".fft", "._conversions"):
        theirs, ours = (importlib.import_module(f"{m.__name__}._refs{part}") for m in (torch, lucid))
        missing = [n for n in theirs.__all__ if not hasattr(ours, n)]
        assert not missing, part


REFS = """
R.abs(x), R.add(x, 2), R.softmax(x, 1), R.sum(x, 1), R.var(x, 0), R.where(x > 1, x, -x), R.cat([x, x], 1)
R.T(x), R.alias(x), R.swap_axes(x, 0, 1), R.zero(x), R.rpow(x, 2), R.rtruediv(x + 1, 2), R.trunc_divide(x, 2)
R.view(x, 6), R.expand(x, 2, 2, 3), R.repeat(x, 2, 1), R.new_zeros(x, (2,)), R.item(x[0, 1]), R.to(x, m.int64)
R.nn.functional.gelu(x), R.linalg.vector_norm(x), R.special.i0e(x), R.fft.fft(x), R._conversions.double(x)
R.masked_fill_(x.clone(), x > 2, 0.0), R.copy_to(x.clone(), x + 1), R.fmod_(x.clone(), 2), R.sum_to_size(x, (1, 3))
R.floor_divide(x, 2), R.rfloordiv(x + 1, 7), R.clamp(x, 1, 3), R.unfold(x, 1, 2, 1), R.view_as(x, x.t())
""".strip().splitlines()


@pytest.mark.parametrize("line", REFS)
def test_refs_line(line):
    def program(m):
        R = importlib.import_module(f"{m.__name__}._refs")
        importlib.import_module(f"{m.__name__}._refs.nn.functional")
        return eval(line, {"m": m, "R": R, "x": m.arange(6.0).reshape(2, 3)})

    same_outcome(program, rtol=2e-6, atol=1e-6, looks="")


# ---- small modules


def test_vendored_versions():
    def program(m):
        V = importlib.import_module(f"{m.__name__}._vendor.packaging.version")
        return V.parse("1.2") < V.parse("1.10rc1"), str(V.Version("1.2.post3")), V.parse("2.0.1").release

    same(program)


def test_marks_for_export():
    def program(m):
        mark = importlib.import_module(
            f"{m.__name__}._export.wrappers"
        ).mark_subclass_constructor_exportable_experimental

        class Sub(m.Tensor):
            @mark
            def __init__(self, elem):
                self.told = 3

        yield Sub(m.ones(2)).told
        mark(lambda self: None)

    same_outcome(lambda m: list(program(m)), text=60)


def test_python_native():
    def program(m):
        P = importlib.import_module(f"{m.__name__}.backends.python_native")
        yield P.available_dsls, P.all_dsls, P.get_dsl_operations("triton"), repr(P.triton), P.triton.name
        with P.triton.disabled():
            yield P.triton.enabled, P.is_dsl_disabled("triton")
        P.disable_operations("scaled_mm")
        yield P.is_operation_disabled("scaled_mm"), P.triton.available
        P.enable_operations("scaled_mm")
        with P.operations_disabled("mm"):
            yield P.is_operation_disabled("mm")
        yield P.is_operation_disabled("mm"), P.is_operation_disabled("scaled_mm")

    same(program)


def test_invoke_subgraph():
    def program(m):
        hop = importlib.import_module(f"{m.__name__}._higher_order_ops.invoke_subgraph")
        f = hop.mark_compile_region(lambda x: x.sin())
        x = m.ones(2, requires_grad=True)
        return f(x), m.autograd.grad(f(x).sum(), x), hop.mark_compile_region()(lambda x: x + 1)(x)

    same(program, looks="", rtol=1e-6)


def test_default_backend():
    def program(m):
        yield m.compiler.get_default_backend()
        m.compiler.set_default_backend("eager")
        yield m.compiler.get_default_backend(), m.compile(lambda x: x + 1)(m.ones(2))
        m.compiler.set_default_backend(None)
        yield m.compiler.get_default_backend(), m.compiler.skip_all_guards_unsafe([1, 2])

    same(program)
    (wanted, got), skipped = both(lambda m: list(inspect.signature(m.compile).parameters)), None
    assert wanted == got and skipped is None


def test_a_limit_of_variants(caplog):
    """recompile_limit= of one call of torch.compile; what comes after it runs as Python."""

    def program(m):
        runs = []

        def backend(module, inputs):
            runs.append(1)
            return module.forward

        def f(x, n):
            return x + n

        made = m.compile(f, backend=backend, recompile_limit=2, dynamic=False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield [made(m.ones(2), n) for n in range(5)], len(runs)
        apart = m.compile(f, backend=backend, isolate_recompiles=True)
        yield apart(m.ones(2), 1), len(runs)

    logging.disable(logging.WARNING)
    try:
        same(program)
    finally:
        logging.disable(logging.NOTSET)
