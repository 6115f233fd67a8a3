"""What torch.jit, torch.hub, torch.onnx, torch.export and torch.distributed answer in one process without a compiler: the
classes of errors, switches that change nothing, groups of one member, folders."""

import os
import warnings
from typing import Dict, List, Optional, Tuple, Union

import pytest
import torch
from both import Raised, as_torch, of_cpu_build, outcome, same_outcome

import lucid

JIT = """
(J.Attribute(3, int)[0] if isinstance(J.Attribute(3, int), tuple) else J.Attribute(3, int)), J.annotate(int, 3)
[c.__mro__[1:] for c in (J.Error, J.ScriptWarning, J.TracingCheckError, J.TracerWarning)]
J.Future is m.futures.Future
J.enable_onednn_fusion(False), J.onednn_fusion_enabled()
J.isinstance(3, int), J.isinstance(3, str), J.isinstance(3.0, int), J.isinstance(3, (int, str))
J.script_if_tracing(lambda x: x + 1)(3)
J.set_module(type("A", (), {}), "a.b")
J.set_module(type("A", (), {}), 3)
[J.strict_fusion().__enter__() is None or True, J.optimized_execution(True).__enter__() is None]
J.fuser("fuser9").__enter__()
J.wait(J.fork(lambda x: x + 1, m.ones(2)))
[f(g) is g for f in (J.ignore, J.unused, J.export) for g in [lambda x: x]]
J.is_scripting(), J.is_tracing()
isinstance(J.script(m.nn.Linear(2, 2)), m.nn.Module), issubclass(J.RecursiveScriptModule, J.ScriptModule)
issubclass(J.TracedModule, J.ScriptModule), type(J.set_fusion_strategy([]))
J.optimize_for_inference(J.script(m.nn.Linear(2, 2).eval()))(m.zeros(1, 2)).shape
J.freeze(J.script(m.nn.Linear(2, 2).eval()))(m.zeros(1, 2)).shape
type(J.trace_module(m.nn.Linear(2, 2), {"forward": m.ones(1, 2)})).__name__
isinstance(J.trace(m.nn.Linear(2, 2), m.ones(1, 2)), J.TopLevelTracedModule)
isinstance(J.trace(m.nn.Linear(2, 2), m.ones(1, 2)), J.ScriptModule)
""".strip().splitlines()


@pytest.mark.parametrize("line", JIT)
def test_jit(line):
    def program(m):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return eval(line, {"m": m, "J": m.jit})

    same_outcome(program, quiet=True, reword=as_torch, text=40, looks="")


VALUES = [
    ([1, 2], List[int]), (["a"], List[int]), ([], List[int]), ({1: "a"}, Dict[int, str]), ({1: 2}, Dict[int, str]),
    ((1, "a"), Tuple[int, str]), ((1,), Tuple[int, str]), (None, Optional[int]), (3, Optional[int]), ("a", Optional[int]),
    (3, Union[int, str]), ([1], list), ([1], List), ({1: 2}, dict), ({1: 2}, Dict), ((1,), tuple), ((1,), Tuple),
    ([[1]], List[List[int]]), ([["a"]], List[List[int]]), ([1], (List[int], str)), ([1], list[int]), (3, int | None),
    (1, Optional), ((1, 2, 3), Tuple[int, ...]), ({"a": [1]}, Dict[str, List[int]]), ({"a": ["b"]}, Dict[str, List[int]]),
]  # fmt: skip


@pytest.mark.parametrize("value, kind", VALUES, ids=[f"{v} {k}" for v, k in VALUES])
def test_isinstance(value, kind):
    same_outcome(lambda m: m.jit.isinstance(value, kind), quiet=True)


def test_folders_of_hub(tmp_path, monkeypatch):
    """Where downloads go, and a repository on disk."""
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo" / "hubconf.py").write_text(
        'dependencies = ["os"]\n\ndef model(n, k=1):\n    """a model"""\n    return n + k\n\ndef _hidden():\n    pass\n'
    )
    monkeypatch.setenv("TORCH_HOME", str(tmp_path / "home"))
    (tmp_path / "file").write_text("what is fetched")

    def program(m):
        H = m.hub
        yield H.get_dir(), H.READ_DATA_CHUNK, H.ENV_GITHUB_TOKEN, H.MODULE_HUBCONF, H.VAR_DEPENDENCY
        H.set_dir(str(tmp_path / "other"))
        yield H.get_dir()
        yield H.load(str(tmp_path / "repo"), "model", 3, k=4, source="local")
        H.download_url_to_file((tmp_path / "file").as_uri(), str(tmp_path / "fetched"), progress=False)
        yield (tmp_path / "fetched").read_text()
        os.remove(tmp_path / "fetched")
        try:
            H.download_url_to_file((tmp_path / "file").as_uri(), str(tmp_path / "fetched"), "00", False)
        except RuntimeError as e:
            yield str(e)[:40], (tmp_path / "fetched").exists()
        for bad in (("nothing", "local"), ("model", "elsewhere")):
            try:
                H.load(str(tmp_path / "repo"), bad[0], 3, source=bad[1])
            except Exception as e:
                yield type(e).__name__, str(e)

    same_outcome(lambda m: list(program(m)))


def test_repositories_of_hub(tmp_path, monkeypatch):
    """list and help read a repository that was fetched before."""
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    folder = tmp_path / "hub" / "owner_repo_main"
    folder.mkdir(parents=True)
    (folder / "hubconf.py").write_text('def model(n):\n    """a model"""\n    return n\n\ndef _hidden():\n    pass\n')

    def program(m):
        m.hub.set_dir(str(tmp_path / "hub"))
        how = {"skip_validation": True, "trust_repo": True}
        return m.hub.list("owner/repo:main", verbose=False, **how), m.hub.help("owner/repo:main", "model", **how)

    same_outcome(program)


ONNX = """
O.OnnxExporterError.__mro__[1:]
[sorted((n, int(t)) for n, t in kind.__members__.items()) for kind in (O.TrainingMode, O.OperatorExportTypes)]
O.is_in_onnx_export(), O.producer_name, O.producer_version
""".strip().splitlines()


@pytest.mark.parametrize("line", ONNX)
def test_onnx(line):
    same_outcome(lambda m: eval(line, {"O": m.onnx}), quiet=True, reword=as_torch)


def test_pass_results():
    def program(m):
        module = m.fx.symbolic_trace(lambda x: x + 1)
        result = m.export.PassResult(module, True)
        return result.modified, result.graph_module is module, m.export.DEFAULT_PICKLE_PROTOCOL, result._fields

    same_outcome(program)


DISTRIBUTED = """
[c.__mro__[1:] for c in (D.DistError, D.DistBackendError, D.DistNetworkError, D.DistStoreError, D.QueueEmptyError)]
D.is_available(), D.is_initialized(), D.is_gloo_available(), D.is_torchelastic_launched(), D.is_backend_available("gloo")
D.is_backend_available("nothing"), D.is_xccl_available(), D.is_ucc_available()
D.supports_complex(D.ReduceOp.SUM), D.supports_complex(D.ReduceOp.MAX)
D.get_debug_level() == D.DebugLevel.OFF, sorted(D.DebugLevel.__members__)
[D.set_debug_level(D.DebugLevel.INFO), D.get_debug_level() == D.DebugLevel.INFO, D.set_debug_level(D.DebugLevel.OFF)]
[D.set_debug_level_from_env(), D.get_debug_level() == D.DebugLevel.OFF]
D.GroupMember.WORLD is None, D.GroupMember.NON_GROUP_MEMBER is D.GroupMember.NON_GROUP_MEMBER
D.AllreduceOptions().reduceOp == D.ReduceOp.SUM, D.BroadcastOptions().rootRank, D.ReduceOptions().rootRank
D.BarrierOptions().device_ids, D.GatherOptions().rootRank, D.ScatterOptions().rootRank, D.BroadcastOptions().rootTensor
D.AllToAllOptions().timeout == D.AllreduceCoalescedOptions().timeout, D.ReduceScatterOptions().reduceOp == D.ReduceOp.SUM
D.BackendConfig(D.Backend("gloo")).get_device_backend_map()
D.get_pg_count()
D.isend(m.ones(2), 0)
D.irecv(m.ones(2), 0)
D.recv(m.ones(2), 0)
D.send_object_list([1], 0)
D.recv_object_list([1], 0)
D.new_subgroups_by_enumeration([[0]])
D.shrink_group([0])
list(D.rendezvous("nothing://a"))
D.register_rendezvous_handler("tcp", None)
D.GroupName("a")
D.reduce_op.SUM == D.ReduceOp.SUM
issubclass(D.HashStore, D.Store), D.GradBucket.__name__, D.Work.__name__, D.ProcessGroup.__name__
""".strip().splitlines()


@pytest.mark.parametrize("line", DISTRIBUTED)
def test_distributed(line):
    same_outcome(lambda m: eval(line, {"m": m, "D": m.distributed}), quiet=True, reword=as_torch, text=30)


# What a build without CUDA answers to each name of torch.cuda that needs no device.
CUDA = """
api.cuda.AcceleratorError.__mro__[1:]
api.cuda.BFloat16Storage(2)
api.cuda.BFloat16Tensor(2)
api.cuda.BoolStorage(2)
api.cuda.BoolTensor(2)
api.cuda.ByteStorage(2)
api.cuda.ByteTensor(2)
api.cuda.CharStorage(2)
api.cuda.CharTensor(2)
api.cuda.ComplexDoubleStorage(2)
api.cuda.ComplexFloatStorage(2)
api.cuda.CudaError.__mro__[1:]
api.cuda.DeferredCudaCallError.__mro__[1:]
api.cuda.DoubleStorage(2)
api.cuda.DoubleTensor(2)
api.cuda.FloatStorage(2)
api.cuda.HalfStorage(2)
api.cuda.HalfTensor(2)
api.cuda.IntStorage(2)
api.cuda.IntTensor(2)
api.cuda.LongStorage(2)
api.cuda.LongTensor(2)
api.cuda.ShortStorage(2)
api.cuda.ShortTensor(2)
api.cuda.caching_allocator_alloc(0)
api.cuda.can_device_access_peer(0, 0)
api.cuda.cudart()
api.cuda.current_blas_handle()
api.cuda.default_generators
api.cuda.default_stream()
api.cuda.get_gencode_flags()
api.cuda.get_sync_debug_mode()
api.cuda.graph.__mro__[1:]
api.cuda.has_half
api.cuda.has_magma
api.cuda.host_memory_stats()
api.cuda.init()
api.cuda.initial_seed()
api.cuda.ipc_collect()
api.cuda.is_tf32_supported()
api.cuda.list_gpu_processes()
api.cuda.manual_seed(0)
api.cuda.max_memory_cached()
api.cuda.max_memory_reserved()
api.cuda.memory_cached()
api.cuda.memory_reserved()
api.cuda.memory_stats_as_nested_dict()
api.cuda.seed()
api.cuda.seed_all()
api.cuda.set_per_process_memory_fraction(0)
api.cuda.set_sync_debug_mode(0)
""".strip().splitlines()


@pytest.mark.parametrize("line", CUDA)
def test_cuda(line):
    def run(api):
        result = outcome(
            lambda m: as_torch(repr(eval(line, {"api": m}))), api, quiet=True, may_raise=True, reword=as_torch
        )
        return list(result) if isinstance(result, Raised) else result[0]

    assert run(lucid) == of_cpu_build(line, lambda: run(torch))
