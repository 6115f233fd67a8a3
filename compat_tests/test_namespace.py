"""The rooms around the core answer as torch's CPU build does: cuda, backends, versions, overrides, utils, testing and
so on."""

import collections
import importlib
import io
import os
import re
import subprocess
import sys

import numpy as np
import pytest
import torch
from both import BOTH, DRAWN, Raised, as_torch, error, of_cpu_build, outcome, same, same_outcome, told, words

import lucid


def run(api, program):
    """What a program gives, or [class, message] of what it raises."""
    result = outcome(program, api, quiet=True, may_raise=True, reword=as_torch)
    return list(result) if isinstance(result, Raised) else result[0]


EXPRESSIONS = """
api.cuda.is_available()
api.cuda.device_count()
api.cuda.manual_seed_all(1)
api.cuda.synchronize()
api.cuda.empty_cache()
api.cuda.set_device(-1)
api.cuda.current_device()
api.cuda.max_memory_allocated()
api.cuda.memory_allocated()
api.cuda.memory_stats()
api.cuda.mem_get_info()
api.cuda.get_device_name(0)
api.cuda.get_device_capability()
api.cuda.get_device_properties(0)
api.cuda.current_stream()
api.cuda.Stream()
api.cuda.Event(enable_timing=True)
api.cuda.device(0).__enter__()
api.cuda.is_bf16_supported()
api.cuda.is_initialized()
api.cuda.get_rng_state()
api.cuda.get_rng_state_all()
api.cuda.FloatTensor(2)
api.cuda.get_arch_list()
api.cuda.nvtx.range_push("a")
api.ones(2).cuda()
api.ones(2, device="cuda")
api.zeros(2).pin_memory()
api.backends.cudnn.benchmark
api.backends.cudnn.is_available()
api.backends.cudnn.version()
api.backends.mps.is_built()
api.backends.cuda.is_built()
api.backends.cuda.matmul.allow_tf32
api.backends.cuda.flash_sdp_enabled()
api.mps.empty_cache()
api.xpu.is_available()
api.xpu.synchronize()
api.accelerator.current_accelerator()
api.accelerator.synchronize()
api.cpu.device_count()
api.distributed.is_initialized()
api.distributed.get_rank()
api.version.cuda
api.set_num_threads(0)
api.set_num_threads("a")
api.get_float32_matmul_precision()
api.are_deterministic_algorithms_enabled()
api.set_deterministic_debug_mode("often")
api.compiled_with_cxx11_abi()
api.typename(api.ones(2))
api.typename(3)
api.typename(api.nn.Linear)
api.is_autocast_enabled()
api.get_autocast_dtype("cpu")
api.get_autocast_gpu_dtype()
api.set_default_tensor_type("torch.cuda.FloatTensor")
api.set_default_tensor_type("foo")
api.jit.is_scripting()
api.jit.is_tracing()
api.compiler.is_compiling()
api.onnx.is_in_onnx_export()
api._C._get_tracing_state()
api.ops.foo.bar
(api.e, api.inf, api.nan, api.pi, api.newaxis)
api.no_such
api.OutOfMemoryError.__mro__[1:]
api.amp.autocast("foo")
api.amp.autocast(3)
api.is_floating_point(api.ones(2))
api.is_floating_point(3)
api.is_complex(api.ones(2))
api.numel(api.ones(2))
api.is_nonzero(api.ones(2))
api.result_type(api.arange(3), 1.5)
api.result_type(api.ones(1, dtype=api.int8), api.tensor(5))
api.result_type(1, 1j)
api.can_cast(api.float, api.int)
api.scalar_tensor(3)
api.arange(3.0).apply_(lambda v: v * 2)
api.arange(3.0).map_(api.ones(3), lambda a, b: a + b)
api.ones(2, requires_grad=True).apply_(lambda v: v)
api.ones(2).coalesce()
api.ones(2).indices()
api.ones(2).to_dense()
api.ones(2, 3).t().dim_order()
api.sym_int(2.5)
api._check(False)
api._check(False, lambda: "told")
api._check_index(True)
api._assert(False, "told")
api.compile(len, mode="a", options={})
api.Size([1, 2]).numel()
""".strip().splitlines()


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expression(expression):
    def value(api):
        return as_torch(repr(eval(expression, {"api": api})))

    if re.search("cuda|cudnn|accelerator|pin_memory", expression):
        wanted = of_cpu_build(expression, lambda: run(torch, value))
        assert run(lucid, value) == wanted
    else:
        same_outcome(value, quiet=True, reword=as_torch)


@pytest.mark.parametrize(
    "version", ["2.13.0+lucid", "1.10.0a0", "2.0.0rc1", "1.9", "2.13.0.dev2024", "parrot", "1!2.0", "2.0.post1"]
)
def test_versions_compare(version):
    from torch.torch_version import TorchVersion as Theirs

    for other in ("2.13.0", "1.10.0", (2, 0), (2, 13), (1, 10, 0), "2.0.0", "0.4", "2.0.0a1", "3", "polly", (2, 13, 0)):
        for op in ("__lt__", "__le__", "__gt__", "__ge__", "__eq__"):
            ours, theirs = getattr(lucid.TorchVersion(version), op)(other), getattr(Theirs(version), op)(other)
            assert ours == theirs, (version, op, other)


def test_version():
    v = lucid.__version__
    assert isinstance(v, str) and v >= (2, 13) and v > "1.9" and v.split("+")[0] == torch.__version__.split("+")[0]
    assert lucid.version.__version__ == v and lucid.version.cuda is None


def test_a_submodule_that_is_missing_is_a_missing_attribute(monkeypatch):
    """hasattr(torch, "x") answers no, and the error names the page of what there is."""
    monkeypatch.setattr(lucid._namespace, "LAZY", lucid._namespace.LAZY | {"nothing"})
    assert not hasattr(lucid, "nothing")
    with pytest.raises(AttributeError, match="module 'torch' has no attribute 'nothing'") as caught:
        lucid.nothing
    assert "docs/supported.md" in caught.value.__notes__[0]


def test_switches_are_kept():
    lucid.backends.cudnn.benchmark = True
    with lucid.backends.cudnn.flags(enabled=False):
        assert not lucid.backends.cudnn.enabled
    assert lucid.backends.cudnn.enabled
    for api in BOTH:
        api.use_deterministic_algorithms(True, warn_only=True)
        assert api.get_deterministic_debug_mode() == 1
        api.use_deterministic_algorithms(False)
        before = api.get_num_threads()
        api.set_num_threads(1)
        assert api.get_num_threads() == 1
        api.set_num_threads(before)


@pytest.mark.filterwarnings("ignore:torch.jit")
def test_jit_gives_back_what_it_got():
    def f(x):
        return x + 1

    assert lucid.jit.script(f) is f and lucid.jit.ignore(f) is f and lucid.jit.ignore(drop=True)(f) is f
    assert lucid.jit.trace(f, lucid.ones(1))(lucid.ones(2)).tolist() == [2.0, 2.0]


MODULES = """
    hub version utils.model_zoo _custom_ops library utils.hooks storage serialization _utils utils._pytree overrides
    cuda.amp backends.cudnn distributed multiprocessing utils.checkpoint utils.dlpack onnx jit utils.cpp_extension
    profiler testing sparse masked nested export compiler _dynamo ao.quantization types return_types torch_version
    amp cuda mps xpu accelerator cpu _C _tensor_str utils.benchmark utils.serialization.config
    utils.flop_counter utils.collect_env __config__ __future__ classes ops monitor quantization _refs _prims_common
    _refs.nn.functional _prims_common.wrappers _export.wrappers _vendor.packaging.version _C._profiler _C._functorch
    _C._autograd backends.python_native nn.grad nn.common_types utils.file_baton
    numa.binding export.custom_ops compiler.config
""".split()


def test_modules_import_under_the_launcher():
    code = (
        "import importlib, torch\n"
        f"for m in {MODULES!r}:\n"
        "    found = importlib.import_module('torch.' + m)\n"
        "    assert found.__name__ == 'torch.' + m, found\n"
        "    at = torch\n"
        "    for part in m.split('.'):\n"
        "        at = getattr(at, part)\n"
        "    assert at is found, m\n"
        "assert torch.Tensor.__module__ == 'torch' and torch.cuda.device.__module__ == 'torch.cuda'\n"
        "assert type(torch.ones(2).untyped_storage()).__module__ == 'torch.storage'\n"
        "print(torch.__version__ >= (2, 0))\n"
    )
    ran = subprocess.run([sys.executable, "-m", "lucid", "-c", code], capture_output=True, text=True)
    assert ran.stdout == "True\n", ran.stderr


# ---- overrides


def override_facts(api):
    ov = importlib.import_module(api.__name__ + ".overrides")

    class Sub(api.Tensor):
        pass

    class Log(api.Tensor):
        log = []

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            cls.log.append(func.__name__)
            return super().__torch_function__(func, types, args, kwargs or {})

    x = api.ones(2, 2).as_subclass(Sub)
    results = x + 1, x.sum(), api.exp(x), x * api.ones(2), api.ones(2) * x, x[0], api.max(x, 0)[0]
    yield [type(t).__name__ for t in results]
    y = (api.ones(2).as_subclass(Log) + 1) * 2
    y = api.sin(y)
    y.add_(1)
    yield Log.log, type(y).__name__

    class Mode(ov.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.append(func.__name__)
            return api.ones(*args) if func is api.zeros else func(*args, **(kwargs or {}))

    seen = []
    with Mode():
        a = api.zeros(2) + 1
    yield seen, a.tolist()

    class Scalar:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return "added" if func is api.add else NotImplemented

    yield api.add(Scalar(), 2), api.add(api.ones(1), Scalar())
    with pytest.raises(TypeError, match="Multiple dispatch failed for 'torch.mul'"):
        api.mul(api.ones(1), Scalar())

    def mine(a):
        if ov.has_torch_function((a,)):
            return ov.handle_torch_function(mine, (a,), a)
        return "plain"

    yield mine(api.ones(1)), ov.is_tensor_like(x), ov.is_tensor_like(3), ov.resolve_name(api.add)
    with importlib.import_module(api.__name__ + "._C").DisableTorchFunctionSubclass():
        yield type(x + 1).__name__

    class Plain(api.Tensor):
        __torch_function__ = importlib.import_module(api.__name__ + "._C")._disabled_torch_function_impl

    yield type(api.ones(2).as_subclass(Plain) + 1).__name__


def test_overrides():
    same(override_facts)


# ---- utils

Point = collections.namedtuple("Point", "x y")
TREES = [
    {
        "b": [1, (2, None)],
        "a": Point(3, collections.deque([4], maxlen=3)),
        "d": collections.defaultdict(list, k=[5]),
        "o": collections.OrderedDict(z=6),
    },
    3,
    [],
    [1, [2]],
    {"a": {"b": (1,)}},
    (1, [2, {"c": 3}]),
]


@pytest.mark.parametrize("tree", TREES)
def test_pytree(tree):
    import torch.utils._pytree as theirs

    ours = importlib.import_module("lucid.utils._pytree")
    (leaves, spec), (wanted, their_spec) = ours.tree_flatten(tree), theirs.tree_flatten(tree)
    assert leaves == wanted and repr(spec) == repr(their_spec) and spec == ours.tree_structure(tree)
    assert (spec.num_leaves, spec.num_nodes) == (their_spec.num_leaves, their_spec.num_nodes)
    assert ours.tree_unflatten(leaves, spec) == tree
    assert repr(ours.tree_flatten_with_path(tree)[0]) == repr(theirs.tree_flatten_with_path(tree)[0])
    assert ours.tree_map_only(int, lambda v: v + 1, tree) == theirs.tree_map_only(int, lambda v: v + 1, tree)
    assert words(error(spec.unflatten, [1] * 99)) == words(error(their_spec.unflatten, [1] * 99))


@pytest.mark.parametrize("trees", [([1, 2], [1]), ([1, 2], (1, 2)), ({"a": 1}, {"b": 2}), ([1], [[2]])])
def test_pytree_mismatches(trees):
    def program(api):
        pytree = importlib.import_module(f"{api.__name__}.utils._pytree")
        return pytree.tree_map(lambda a, b: (a, b), *trees)

    same_outcome(program)


@pytest.mark.parametrize("reentrant", [True, False])
def test_checkpoint(reentrant):
    grads, calls = [], []
    for api in BOTH:
        checkpoint = importlib.import_module(api.__name__ + ".utils.checkpoint")
        api.manual_seed(0)
        x, w = api.randn(3, 3, requires_grad=True), api.randn(3, 3, requires_grad=True)

        def part(x, api=api, w=w):
            calls.append(api)
            return api.nn.functional.dropout((x @ w).exp(), 0.5).sin()

        (checkpoint.checkpoint(part, x, use_reentrant=reentrant) * 2).sum().backward()
        parts = [lambda t, w=w: (t @ w).sin()] * 5
        checkpoint.checkpoint_sequential(parts, 2, x, use_reentrant=reentrant).sum().backward()
        grads.append((x.grad.numpy(), w.grad.numpy()))
    np.testing.assert_allclose(grads[1][0], grads[0][0], rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(grads[1][1], grads[0][1], rtol=1e-5, atol=1e-5)
    assert calls == [torch, torch, lucid, lucid]


def test_checkpoint_errors():
    from lucid.utils.checkpoint import CheckpointError, checkpoint

    x = lucid.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="When use_reentrant=True, torch.utils.checkpoint is incompatible"):
        lucid.autograd.grad(checkpoint(lambda t: t.exp(), x, use_reentrant=True).sum(), x)
    with pytest.warns(UserWarning, match="the use_reentrant parameter should be passed explicitly"):
        checkpoint(lambda t: t.exp(), x)
    runs = []

    def changing(t):
        runs.append(1)
        return t.exp() if len(runs) == 1 else t[:1].exp()

    with pytest.raises(CheckpointError, match="different metadata"):
        checkpoint(changing, x, use_reentrant=False).sum().backward()


def test_grad_scaler():
    facts = []
    for api in BOTH:
        scaler = api.amp.GradScaler("cpu", init_scale=8.0, growth_interval=2)
        p = api.nn.Parameter(api.ones(2))
        optimiser = api.optim.SGD([p], lr=0.5)
        told = []
        for factor in (1.0, 2.0, float("inf"), 1.0):
            optimiser.zero_grad()
            scaler.scale((p * factor).sum()).backward()
            scaler.step(optimiser)
            scaler.update()
            told.append((p.tolist(), scaler.get_scale(), scaler.state_dict()))
        facts.append(told)
    assert facts[0] == facts[1]


def test_autocast_is_honest():
    with lucid.autocast("cpu", enabled=False):
        assert (lucid.ones(2, 2) @ lucid.ones(2, 2)).dtype is lucid.float32
    with (
        pytest.raises(NotImplementedError, match="autocast is not supported on device type 'mps' yet"),
        lucid.autocast("mps", dtype=lucid.bfloat16),
    ):
        pass
    with pytest.warns(UserWarning, match="CUDA is not available .* Disabling"), lucid.autocast("cuda"):
        pass


def test_hub_reads_files_and_keeps_them(tmp_path, monkeypatch):
    monkeypatch.setenv("TORCH_HOME", str(tmp_path / "home"))
    lucid.save({"w": lucid.ones(2)}, tmp_path / "weights.pth")
    for _ in range(2):
        found = lucid.hub.load_state_dict_from_url((tmp_path / "weights.pth").as_uri(), progress=False)
        assert found["w"].tolist() == [1, 1]
    assert os.listdir(tmp_path / "home" / "hub" / "checkpoints") == ["weights.pth"]
    (tmp_path / "hubconf.py").write_text("dependencies = ['torch']\ndef model(n, m=1):\n    return n + m\n")
    assert lucid.hub.load(str(tmp_path), "model", 2, m=3, source="local") == 5
    with pytest.raises(RuntimeError, match="Cannot find callable nothing in hubconf"):
        lucid.hub.load(str(tmp_path), "nothing", source="local")


def test_spawn_tells_errors(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import lucid.multiprocessing as mp\n"
        "def work(i, n):\n    assert i < n, f'{i} is too many'\n"
        "if __name__ == '__main__':\n"
        "    mp.start_processes(work, args=(2,), nprocs=2, start_method='fork')\n"
        "    try:\n        mp.start_processes(work, args=(1,), nprocs=2, start_method='fork')\n"
        "    except mp.ProcessRaisedException as e:\n"
        "        print('1 is too many' in str(e), e.error_index)\n"
    )
    ran = subprocess.run(
        [sys.executable, str(program)], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": os.getcwd()}
    )
    assert ran.stdout == "True 1\n", ran.stderr


def test_timer():
    from lucid.utils import benchmark

    m = benchmark.Timer("x + 1", globals={"x": lucid.ones(2)}, label="add", description="here").timeit(50)
    assert 0 < m.median < 1 and m.number_per_run == 50 and "add" in repr(m)
    assert "Times are in" in str(benchmark.Compare([m]))


def test_swap_tensors():
    for api in BOTH:
        a, b = api.ones(2), api.nn.Parameter(api.zeros(3))
        importlib.import_module(api.__name__ + ".utils").swap_tensors(a, b)
        assert a.tolist() == [0, 0, 0] and b.tolist() == [1, 1] and type(a) is api.nn.Parameter and a.requires_grad


# ---- testing


def closeness(api):
    a, b = api.tensor([1.0, 2.0, 3.0]), api.tensor([1.0, 2.5, 3.0])
    nan, check = api.tensor([float("nan")]), api.testing.assert_close
    yield from (
        (check, a, a),
        (check, a, b),
        (check, api.tensor(1.0), api.tensor(2.0)),
        (check, 1.0, 1.1),
        (check, 1, 2),
        (check, 1, 1.0),
        (check, True, False),
        (check, 1 + 2j, 1 + 3j),
        (check, api.tensor([1, 2]), api.tensor([1, 3])),
        (check, api.tensor([True, False]), api.tensor([True, True])),
        (check, a, api.ones(2)),
        (check, a, a.double()),
        (check, a, api.ones(3, device="meta")),
        (check, nan, nan),
        (check, [a, a], [a, b]),
        (check, {"x": a}, {"x": b}),
        (check, {"x": a}, {"y": a}),
        (check, [a], [a, a]),
        (check, a, 3.0),
        (check, "a", "a"),
        (check, None, a),
        (check, np.ones(2), np.zeros(2)),
        (check, a.bfloat16(), b.bfloat16()),
        (check, a.half(), (a + 1e-3).half()),
        (check, api.tensor([float("inf")]), api.tensor([1.0])),
        (check, api.zeros(2, 3), api.ones(2, 3)),
        (check, api.zeros(0), api.zeros(0)),
        (check, api.tensor([1 + 1j]), api.tensor([1 + 2j])),
        (check, api.tensor(1, dtype=api.uint8), api.tensor(255, dtype=api.uint8)),
        (check, [[a, 1], {"k": (2, a)}], [[a, 1], {"k": (2, b)}]),
        (check, float("nan"), float("nan")),
        (check, 0.0, 1.0),
        (lambda: check(a, b, rtol=0.1),),
        (lambda: check(a, b, atol=1, rtol=0),),
        (lambda: check(a, b, rtol=0, atol=0.1),),
        (lambda: check(nan, nan, equal_nan=True),),
        (lambda: check(a, a.double(), check_dtype=False),),
        (lambda: check(a, b, msg="own"),),
        (lambda: check(a, b, msg=lambda m: "before " + m),),
        (lambda: check(api.ones(2, 3).t(), api.ones(3, 2), check_stride=True),),
        (api.testing.assert_allclose, a, b),
        (api.testing.assert_allclose, a, [1.0, 2, 3]),
    )


def test_assert_close():
    same(lambda api: [told(*call) for call in closeness(api)], reword=as_torch)


MADE = [
    ((3,), "float32", {}),
    ((2, 2), "int64", {}),
    ((2,), "bool", {}),
    ((2,), "complex64", {}),
    ((2, 3), "float64", {"low": 0, "high": 1}),
    ((2, 3), "float32", {"noncontiguous": True}),
    ((4,), "int8", {"exclude_zero": True, "low": 0, "high": 2}),
    ((2,), "float32", {"requires_grad": True}),
    ((2,), "bfloat16", {}),
    ((2,), "uint8", {}),
    ((2,), "int32", {"requires_grad": True}),
    ((2,), "float32", {"low": 2, "high": 1}),
]


@pytest.mark.parametrize("case", MADE)
def test_make_tensor(case):
    shape, name, how = case
    same_outcome(lambda api: api.testing.make_tensor(*shape, dtype=getattr(api, name), device="cpu", **how), rtol=DRAWN)


def test_in_memory_file_of_everything():
    file = io.BytesIO()
    lucid.save(lucid.nn.Linear(2, 2).state_dict(), file)
    assert isinstance(torch.load(io.BytesIO(file.getvalue())), collections.OrderedDict)


def test_errors_that_programs_catch():
    """The exception classes of torch's modules are there, and are what is raised."""
    for path in ("linalg.LinAlgError", "cuda.OutOfMemoryError", "OutOfMemoryError", "AcceleratorError"):
        theirs, ours = torch, lucid
        for part in path.split("."):
            theirs, ours = getattr(theirs, part), getattr(ours, part)
        assert ours.__name__ == theirs.__name__ and issubclass(ours, RuntimeError), path
    with pytest.raises(lucid.linalg.LinAlgError):
        lucid.linalg.inv(lucid.zeros(2, 2))
