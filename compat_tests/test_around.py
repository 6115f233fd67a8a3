"""Modules around the core: what libraries import, and small things that have to work as torch's."""

import gc
import importlib
import subprocess
import sys

import pytest
import torch
import torch._functorch.make_functional
import torch.utils.weak  # noqa: F401 - loaded here, for the programs below
from both import attempt, of_cpu_build, same, same_outcome

import lucid
import lucid._functorch.make_functional
import lucid.utils.weak

IMPORTED = """functorch functorch.compile functorch.experimental torch._functorch.vmap torch._functorch.apis
    torch._functorch.deprecated torch._functorch.eager_transforms torch._functorch.functional_call
    torch._C._distributed_c10d torch._C._distributed_rpc torch.onnx.symbolic_helper torch.onnx.symbolic_opset9
    torch.onnx.symbolic_opset11 torch.onnx.symbolic_opset12 torch.onnx.operators torch.onnx.errors torch.onnx.utils
    torch.export.decomp_utils torch.export._trace torch.export.dynamic_shapes torch.jit._recursive torch.jit.annotations
    torch.autograd.profiler torch.autograd.profiler_legacy torch.profiler.profiler torch.nn.parallel.distributed
    torch.nn.parallel.scatter_gather torch.nn.attention.flex_attention torch.nn.attention.bias torch.package
    torch.distributed.nn.functional torch.distributed._functional_collectives torch.distributed.checkpoint.state_dict
    torch.distributed.algorithms.ddp_comm_hooks.default_hooks torch.distributed.run torch.distributed.constants
    torch.distributed._composable torch.distributed._tensor torch.distributed.elastic torch.distributed.launcher
    torch.distributed.pipelining torch.distributed.rpc torch.utils.weak torch.utils.data.graph_settings
    torch.utils.data.datapipes torch.utils.data.datapipes.iter torch.utils.throughput_benchmark""".split()

NAMES = """functorch.vmap functorch.make_functional torch._C.DispatchKey.CPU torch._C.DispatchKeySet torch.DispatchKeySet
    torch._C._ExcludeDispatchKeyGuard torch._C._TensorMeta torch._C._nn._parse_to torch._C._get_accelerator torch.Stream
    torch.Event torch.Future torch._assert_async torch.serialization.MAP_LOCATION torch.ScriptModule torch.PyTorchFileReader
    torch.nn.functional.has_torch_function torch.nn.functional.boolean_dispatch torch.jit._script_if_tracing
    torch._jit_internal.BroadcastingList6 torch.autograd.graph.increment_version torch.autograd._profiler_enabled
    torch.onnx.TensorProtoDataType torch.onnx.ONNXProgram torch.onnx.symbolic_helper.parse_args torch._shape_as_tensor
    torch.distributed.ReduceOp.RedOpType torch.distributed.Backend.default_device_backend_map torch.distributed.P2POp
    torch.distributed.TCPStore torch.distributed.FileStore torch.profiler.kineto_available
    torch._C._jit_override_can_fuse_on_gpu torch._C._jit_set_texpr_fuser_enabled
    torch._C._are_functorch_transforms_active torch._C._set_math_sdp_allow_fp16_bf16_reduction
    torch.legacy_contiguous_format torch.utils.data.IterDataPipe torch.utils.data.functional_datapipe""".split()


def test_programs_import_them():
    program = f"""
import functools, importlib
for name in {IMPORTED}:
    importlib.import_module(name)
import functorch, torch
assert "lucid" in functorch.__file__ and functorch.__version__ == torch.__version__
for name in {NAMES}:
    top, *rest = name.split(".")
    functools.reduce(getattr, rest, {{"torch": torch, "functorch": functorch}}[top])
print(functorch.vmap(lambda x: x * 2)(torch.arange(3)).tolist())
"""
    done = subprocess.run([sys.executable, "-m", "lucid", "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "[0, 2, 4]\n", "")


def keys(m):
    key, make = m._C.DispatchKey, m._C.DispatchKeySet
    both = make(key.CPU) | make(key.AutogradCPU)
    yield [str(both), both.has(key.CPU), both.has(key.CUDA), str(both - make(key.CPU)), str(key.CPU)]
    with m._C._ExcludeDispatchKeyGuard(make(key.AutocastCPU) | make(key.AutocastCUDA)):
        yield m.ones(2)


def parse_to(m):
    parse = m._C._nn._parse_to
    yield [parse("cpu", m.float32), parse(m.float64, non_blocking=True), parse(m.ones(1)), parse(m.device("cpu"))]


def test_streams():
    def answers(m):
        s, e = m.Stream(), m.Event()
        return [repr(s), repr(e), s.query(), s.synchronize(), str(s.device)]

    assert answers(lucid) == of_cpu_build("streams", lambda: answers(torch))


def assert_async(m):
    yield m._assert_async(m.tensor(1))
    yield [attempt(m._assert_async, m.tensor(0), "msg"), attempt(m._assert_async, m.tensor([1, 2]))]


def functional(m):
    m.manual_seed(0)
    make = m._functorch.make_functional
    model = m.nn.Sequential(m.nn.Linear(2, 3), m.nn.ReLU(), m.nn.Linear(3, 1))
    f, params = make.make_functional(model)
    x = m.randn(4, 2)
    yield [f(params, x) - model(x), [p.requires_grad for p in params]]
    bn = m.nn.BatchNorm1d(2)
    g, params, buffers = make.make_functional_with_buffers(bn)
    yield [g(params, buffers, x), buffers[0], type(attempt(make.make_functional, bn)).__name__]
    f, params, buffers = make.combine_state_for_ensemble([m.nn.Linear(2, 3) for _ in range(4)])
    yield [m.func.vmap(f, in_dims=(0, 0, None))(params, buffers, x).shape, params[0].shape]


def weak(m):
    d = m.utils.weak.WeakTensorKeyDictionary()
    a, b = m.ones(2), m.ones(2)
    d[a], d[b] = 1, 2
    yield [d[a], d[b], len(d), a in d, m.ones(2) in d, sorted(d.values()), d.pop(a), len(d)]
    ref = m.utils.weak.TensorWeakRef(b)
    yield ref() is b
    del b
    gc.collect()
    yield [len(d), ref(), list(d)]
    yield attempt(m.utils.weak.TensorWeakRef, 3).__class__.__name__


def versions(m):
    x = m.ones(2, requires_grad=True)
    y = x * 2
    z = y * y
    m.autograd.graph.increment_version(y)
    yield y._version
    yield type(attempt(z.sum().backward)).__name__


def settings(m):
    s = m.serialization
    yield [
        s.check_module_version_greater_or_equal(pytest, (1, 2)),
        s.check_module_version_greater_or_equal(pytest, (999,)),
    ]
    yield [s.get_default_mmap_options(), type(attempt(s.set_default_mmap_options, 9)).__name__]
    yield type(attempt(s.validate_cuda_device, "cuda:0")).__name__
    yield [m.autograd._profiler_enabled(), m.nn.functional.has_torch_function((1,)), m._shape_as_tensor(m.ones(2, 3))]
    with m.autograd.set_multithreading_enabled(False):
        yield m.ones(2)


@pytest.mark.parametrize("program", [keys, parse_to, assert_async, functional, weak, versions, settings])
def test_programs(program):
    same(program, rtol=1e-5, atol=1e-6, looks="requires_grad", quiet=True)


def test_proxies_pass_through_aten():
    def program(m):
        class Net(m.nn.Module):
            def forward(self, x):
                return m.ops.aten.mul.Tensor(m.ops.aten.add(x, 1), x)

        graph = m.fx.symbolic_trace(Net())
        yield [graph(m.arange(3.0)), [str(n.target) for n in graph.graph.nodes]]

    same(program, quiet=True)
    same_outcome(lambda m: m.ops.aten.add.Tensor("a", 3), quiet=True, text=20)


REFUSED = """onnx.export(1) export.draft_export(1) package.PackageImporter("x") ScriptFunction()
    CompilationUnit("x") onnx.symbolic_helper.anything(1) onnx.symbolic_opset11.upsample(1) autograd.function.NestedIOFunction()
    nn.attention.varlen.varlen_attn(1) nn.parallel.comm.broadcast(1) jit.CompilationUnit("x") profiler.ExecutionTraceObserver()
    _functorch.face.compile.minifier(1)""".split()


@pytest.mark.parametrize("call", REFUSED)
def test_what_lucid_lacks_says_so(call):
    import importlib

    path, _, name = call.partition("(")[0].rpartition(".")
    place = importlib.import_module(f"lucid.{path}") if path else lucid
    with pytest.raises(NotImplementedError, match="lucid has no"):
        eval(f"f({call.partition('(')[2]}", {"f": getattr(place, name)})


PROBED = {
    "modules that exist": lambda m: [
        m.utils._import_utils._check_module_exists(name) for name in ("numpy", "no_such_module", "no_such_package.part")
    ],
    "modes": lambda m: [m.utils._mode_utils.all_same_mode(modes) for modes in ([], [1, 1], [1, 2])],
    "short names": lambda m: [m.utils._dtype_abbrs.dtype_abbrs[t] for t in (m.float32, m.bool, m.int8, m.bfloat16)],
    "schemes": lambda m: [
        str(m.per_tensor_affine),
        str(m.per_channel_symmetric),
        isinstance(m.per_tensor_affine, m.qscheme),
    ],
    "kernels of C++": lambda m: m.cuda.jiterator._create_jit_fn("template <typename T> T f(T x) { return x; }")(
        m.ones(1)
    ),
    "below the modes": lambda m: dispatched_below(m),
}


def dispatched_below(m):
    """What a mode sees of calls inside and outside no_dispatch."""
    seen = []

    class Watching(m.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            seen.append(str(func))
            return func(*args, **(kwargs or {}))

    with Watching():
        m.ones(2) + 1
        with m.utils._mode_utils.no_dispatch():
            m.ones(2) * 2
        m.ones(2) - 1
    return seen


@pytest.mark.parametrize("name", PROBED)
def test_probed(name):
    for module in ("utils._import_utils", "utils._mode_utils", "utils._dtype_abbrs", "cuda.jiterator"):
        [importlib.import_module(f"{m.__name__}.{module}") for m in (torch, lucid)]
    same_outcome(PROBED[name])


def test_what_the_processor_can():
    theirs, ours = torch.cpu.get_capabilities(), lucid.cpu.get_capabilities()
    assert {name: theirs[name] for name in ours if name in theirs} == dict(ours)
    for name in "avx2 avx512 avx512_bf16 vnni amx_tile amx_fp16".split():
        assert getattr(lucid.cpu, f"_is_{name}_supported")() == getattr(torch.cpu, f"_is_{name}_supported")()
