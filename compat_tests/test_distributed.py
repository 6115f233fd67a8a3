"""torch.distributed in one process: groups, collectives, their errors, DDP, meshes, DTensor, state dicts."""

import importlib
import tempfile
import warnings

import pytest
import torch
import torch.distributed.checkpoint.state_dict
import torch.distributed.nn.functional
import torch.distributed.tensor.parallel
from both import attempt, of_cpu_build, same, same_outcome

import lucid
import lucid.distributed.checkpoint.state_dict
import lucid.distributed.nn.functional
import lucid.distributed.tensor.parallel


@pytest.fixture(autouse=True)
def groups():
    """A group of one process on both libraries."""
    for m in (torch, lucid):
        name = tempfile.mktemp()
        m.distributed.init_process_group("gloo", init_method=f"file://{name}", rank=0, world_size=1)
    yield
    for m in (torch, lucid):
        if m.distributed.is_initialized():
            m.distributed.destroy_process_group()


def short(program):
    """A program whose outcome is a value, or the class and first line of an error."""

    def run(m, *args):
        result = attempt(program, m, m.distributed, *args)
        if isinstance(result, Exception):
            return type(result).__name__, str(result).splitlines()[0].replace("lucid.", "torch.")
        return result

    return run


QUESTIONS = {
    "ranks": lambda m, d: [d.get_rank(), d.get_world_size(), d.get_backend(), d.is_initialized(), d.is_available()],
    "config": lambda m, d: [str(d.get_backend_config()), d.get_default_backend_for_device("cpu")],
    "group": lambda m, d: [d.group.WORLD.size(), d.group.WORLD.rank(), d.group.WORLD.name(), d.get_process_group_ranks(None)],
    "new_group": lambda m, d: [d.new_group([0]).size(), d.get_rank(d.new_group())],
    "new_group out of range": lambda m, d: d.new_group([1]),
    "new_group twice": lambda m, d: d.new_group([0, 0]),
    "new_subgroups": lambda m, d: [g.size() for g in d.new_subgroups(1)[1]],
    "new_subgroups too many": lambda m, d: d.new_subgroups(2),
    "ranks of ranks": lambda m, d: [d.get_group_rank(d.group.WORLD, 0), d.get_global_rank(d.group.WORLD, 0)],
    "init twice": lambda m, d: d.init_process_group("gloo", store=d.HashStore(), rank=0, world_size=1),
    "backends": lambda m, d: [d.is_gloo_available(), d.is_mpi_available(), d.is_ucc_available()],
    "backend names": lambda m, d: [d.Backend("GLOO"), d.Backend.NCCL, d.Backend("mine"), d.Backend.backend_list[:3]],
    "backend map": lambda m, d: sorted(d.Backend.default_device_backend_map.items()),
    "ops": lambda m, d: [repr(d.ReduceOp.SUM), str(d.ReduceOp.MAX), isinstance(d.ReduceOp.SUM, d.ReduceOp)],
    "local rank": lambda m, d: d.get_node_local_rank(3),
    "split_group": lambda m, d: d.split_group(),
    "destroyed": lambda m, d: [d.destroy_process_group(), d.is_initialized(), d.group.WORLD],
}  # fmt: skip


@pytest.mark.parametrize("name", QUESTIONS)
def test_questions(name, monkeypatch):
    monkeypatch.delenv("LOCAL_RANK", raising=False)
    same(short(QUESTIONS[name]), quiet=True)


UNINITIALIZED = """get_rank() get_world_size() get_backend() barrier() all_reduce(m.ones(2)) new_group([0]) broadcast(m.ones(2),0)
    all_gather([m.ones(2)],m.ones(2)) destroy_process_group() init_process_group() init_process_group("gloo")
    init_process_group("foo",rank=0,world_size=1,init_method="file:///tmp/_unused")
    init_process_group("gloo",init_method="tcp://localhost:1234") init_process_group("gloo",store=d.HashStore())
    init_process_group("gloo",store=d.HashStore(),init_method="env://") is_initialized()""".split()


@pytest.mark.parametrize("call", UNINITIALIZED)
def test_without_a_group(call, monkeypatch):
    for m in (torch, lucid):
        m.distributed.destroy_process_group()
    for name in ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"):
        monkeypatch.delenv(name, raising=False)
    same(short(lambda m, d: eval(f"d.{call}", {"m": m, "d": d})), quiet=True)


def test_nccl_is_not_there():
    """torch's CPU build has none, either."""
    call = 'init_process_group("nccl", rank=0, world_size=1, init_method="file:///tmp/_unused")'

    def answers(m):
        if m.distributed.is_initialized():
            m.distributed.destroy_process_group()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            error = attempt(lambda: eval(f"m.distributed.{call}", {"m": m}))
        return [m.distributed.is_nccl_available(), type(error).__name__, str(error)]

    assert answers(lucid) == of_cpu_build("distributed.nccl", lambda: answers(torch))


def test_env(monkeypatch):
    for m in (torch, lucid):
        m.distributed.destroy_process_group()
    for name, value in {"RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "localhost", "MASTER_PORT": "29517"}.items():
        monkeypatch.setenv(name, value)

    def program(m):
        m.distributed.init_process_group()
        yield [m.distributed.get_backend(), m.distributed.get_backend_config()]

    same(program, quiet=True)


COLLECTIVES = {
    "all_reduce": "d.all_reduce(x), x",
    "all_reduce ops": "[d.all_reduce(x, op=getattr(d.ReduceOp, n)) for n in ('SUM', 'AVG', 'PRODUCT', 'MIN', 'MAX')], x",
    "all_reduce band": "d.all_reduce(x, op=d.ReduceOp.BAND)",
    "all_reduce premul": "d.all_reduce(m.ones(2, dtype=m.int64), op=d.ReduceOp.BOR)",
    "all_reduce list": "d.all_reduce([x])",
    "all_reduce leaf": "[d.all_reduce(w), w._version, w]",
    "all_reduce async": "(lambda w: [w.wait(), w.is_completed(), w.is_success(), w.exception(), w.result(), w.get_future().wait()])(d.all_reduce(x, async_op=True))",
    "all_reduce_coalesced": "d.all_reduce_coalesced([x, x]), x",
    "broadcast": "d.broadcast(x, 0), x",
    "broadcast no root": "d.broadcast(x)",
    "broadcast bad root": "d.broadcast(x, 1)",
    "broadcast both roots": "d.broadcast(x, 0, group_src=0)",
    "reduce": "d.reduce(x, 0), x",
    "reduce bad root": "d.reduce(x, 1)",
    "all_gather": "d.all_gather(l, x * 3), l",
    "all_gather nowhere": "d.all_gather([], x)",
    "all_gather other shape": "d.all_gather([m.zeros(3)], x)",
    "all_gather other type": "d.all_gather([m.zeros(2, dtype=m.int64)], x)",
    "all_gather no list": "d.all_gather(x, x)",
    "all_gather coalesced": "d.all_gather_coalesced([l], [x * 2]), l",
    "all_gather_into_tensor": "d.all_gather_into_tensor(y, x * 2), y",
    "all_gather_into_tensor shape": "d.all_gather_into_tensor(m.zeros(3), x)",
    "all_gather_into_tensor stacked": "d.all_gather_into_tensor(m.zeros(1, 2), x)",
    "gather": "d.gather(x * 5, l, 0), l",
    "gather without a list": "d.gather(x, None, 0)",
    "scatter": "d.scatter(y, [x * 2], 0), y",
    "scatter without a list": "d.scatter(y, None, 0)",
    "reduce_scatter": "d.reduce_scatter(y, [x * 2]), y",
    "reduce_scatter_tensor": "d.reduce_scatter_tensor(y, x * 2), y",
    "all_to_all": "d.all_to_all(l, [x * 9]), l",
    "all_to_all_single": "d.all_to_all_single(y, x * 2), y",
    "barrier": "d.barrier(), d.monitored_barrier(), d.barrier(async_op=True).wait()",
    "send": "d.send(x, 0)",
    "objects": "(lambda o: [d.all_gather_object(o, {'a': 1}), o, d.broadcast_object_list(o, 0), o, d.gather_object(3, o, 0), o, d.scatter_object_list(o, [7], 0), o])([None])",
    "bool": "d.all_reduce(x > 0)",
    "complex": "d.all_reduce(x * 1j)",
    "not contiguous": "d.all_reduce(m.ones(4, 3).t())",
    "batch": "d.batch_isend_irecv([3])",
    "p2p": "d.P2POp(d.send, x, 0)",
}  # fmt: skip


@pytest.mark.parametrize("name", COLLECTIVES)
def test_collectives(name):
    def program(m, d):
        made = {"x": m.arange(2.0) + 1, "y": m.zeros(2), "l": [m.zeros(2)], "w": m.ones(2, requires_grad=True)}
        return eval(COLLECTIVES[name], {"m": m, "d": d, **made})

    same(short(program), quiet=True)


@pytest.mark.parametrize(
    "call",
    """all_reduce(w) all_gather(w)[0] broadcast(w,0) reduce(w,0) gather(w)[0] scatter([w]) reduce_scatter(z,[w])
    all_to_all([z],[w])[0] all_to_all_single(z,w)""".split(),
)
def test_collectives_with_gradients(call):
    def program(m):
        x = m.arange(3.0, requires_grad=True)
        f = m.distributed.nn.functional
        out = eval(f"f.{call}", {"f": f, "w": x * 2, "z": m.zeros(3)})
        (out * out).sum().backward()
        yield [out.detach(), x.grad]

    same(program, quiet=True)


def test_stores():
    def program(m):
        s = m.distributed.HashStore()
        s.set("a", "b")
        p = m.distributed.PrefixStore("p", s)
        p.set("k", "v")
        yield [s.get("a"), s.add("n", 3), s.add("n", 4), s.get("n"), s.check(["a"]), s.check(["z"]), s.get("p/k")]
        yield [
            s.compare_set("q", "", "z"),
            s.compare_set("q", "x", "y"),
            s.compare_set("q", "z", "y"),
            s.delete_key("a"),
        ]
        s.append("l", "1")
        s.append("l", "2")
        yield [s.get("l"), s.multi_get(["q", "l"]), p.get("k"), p.check(["k"]), s.num_keys()]

    same(program, quiet=True)


def test_more_processes_are_refused():
    lucid.distributed.destroy_process_group()
    for how in ({"rank": 0, "world_size": 2}, {"rank": 1, "world_size": 2}):
        with pytest.raises(NotImplementedError, match="works in one process"):
            lucid.distributed.init_process_group("gloo", init_method="tcp://localhost:1", **how)


# ---- DistributedDataParallel


def net(m):
    return m.nn.Sequential(m.nn.Linear(3, 4), m.nn.BatchNorm1d(4), m.nn.ReLU(), m.nn.Linear(4, 2))


def test_ddp_trains_as_the_module():
    def program(m):
        model = m.nn.parallel.DistributedDataParallel(net(m))
        optimizer = m.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        x = m.randn(6, 3)
        for step in range(3):
            optimizer.zero_grad()
            loss = model(x).square().mean()
            loss.backward()
            optimizer.step()
            yield loss.detach()
        yield dict(model.state_dict())
        with model.no_sync():
            yield model.require_backward_grad_sync
        yield [
            model.require_backward_grad_sync,
            model.device_ids,
            model.broadcast_buffers,
            model.dim,
            model.device_type,
        ]
        with model.join():
            yield model(x).sum().item() != 0
        yield [model.eval().training, model.module.training]

    same(program, rtol=1e-4, atol=1e-6, looks="requires_grad", quiet=True)


def test_communication_hooks():
    def program(m):
        model, seen = m.nn.parallel.DistributedDataParallel(m.nn.Linear(3, 2)), []

        def hook(state, bucket):
            seen.append([state, bucket.index(), bucket.is_last(), bucket.buffer().clone(), len(bucket.parameters())])
            seen.append([tuple(g.shape) for g in bucket.gradients()])
            future = m.futures.Future()
            future.set_result(bucket.buffer() * 2)
            return future

        model.register_comm_hook("s", hook)
        model(m.ones(1, 3)).sum().backward()
        yield [seen, model.module.weight.grad, model.module.bias.grad]

    same(program, looks="requires_grad", quiet=True)


DDP_ERRORS = {
    "no parameters": lambda m, ddp: ddp(m.nn.ReLU()),
    "two devices": lambda m, ddp: ddp(m.nn.Linear(1, 1), device_ids=[0, 1]),
    "a device": lambda m, ddp: ddp(m.nn.Linear(1, 1), device_ids=[0]),
    "lazy": lambda m, ddp: ddp(m.nn.LazyLinear(2)),
    "hook": lambda m, ddp: ddp(m.nn.Linear(1, 1)).register_comm_hook(None, 3),
    "scatter": lambda m, ddp: m.nn.parallel.scatter(m.ones(2), [m.device("cpu")]),
    "gather": lambda m, ddp: m.nn.parallel.gather([m.ones(2)], m.device("cpu")),
    "parallel_apply": lambda m, ddp: m.nn.parallel.parallel_apply([m.nn.ReLU()], []),
    "replicate": lambda m, ddp: m.nn.parallel.replicate(m.nn.Linear(1, 1), ["cpu"]),
    "scatter others": lambda m, ddp: m.nn.parallel.scatter({"a": [1, (2, 3)]}, [0, 1]),
    "scatter_kwargs": lambda m, ddp: importlib.import_module(f"{m.__name__}.nn.parallel.scatter_gather").scatter_kwargs(
        (1, "a"), {"b": None}, [0, 1]
    ),
}


@pytest.mark.parametrize("name", DDP_ERRORS)
def test_parallel_errors(name):
    same_outcome(lambda m: DDP_ERRORS[name](m, m.nn.parallel.DistributedDataParallel), quiet=True, looks="")


# ---- meshes and tensors over them

MESHES = {
    "attributes": "[repr(a), a.device_type, a.size(), a.ndim, a.shape, a.get_rank(), a.get_local_rank(), a.get_coordinate(), a.mesh]",
    "named": "[repr(b), repr(b['dp']), b['tp'].size(), b.get_local_rank('tp'), repr(b['dp', 'tp']), len(b.get_all_groups()), b.get_group('dp').size()]",
    "flat": "[repr(b['dp', 'tp']._flatten('x')), repr(b['x'])]",
    "no such name": "b['zz']",
    "no names": "a['zz']",
    "which group": "b.get_group()",
    "too big": "d.init_device_mesh('cpu', (2,))",
    "lengths": "d.init_device_mesh('cpu', (1,), mesh_dim_names=('a', 'b'))",
    "twice": "d.init_device_mesh('cpu', (1, 1), mesh_dim_names=('a', 'a'))",
    "equal": "[d.DeviceMesh('cpu', [0]) == d.DeviceMesh('cpu', [0]), hash(a) == hash(a), repr(d.DeviceMesh('cpu', [0]))]",
}  # fmt: skip


@pytest.mark.parametrize("name", MESHES)
def test_meshes(name):
    def program(m, d):
        a = d.init_device_mesh("cpu", (1,))
        b = d.init_device_mesh("cpu", (1, 1), mesh_dim_names=("dp", "tp"))
        return eval(MESHES[name], {"d": d, "a": a, "b": b})

    same(short(program), quiet=True)


def test_placements():
    def program(m):
        t = m.distributed.tensor
        all_ = [t.Shard(0), t.Shard(dim=1), t.Replicate(), t.Partial(), t.Partial("avg")]
        yield [repr(p) for p in all_] + [[p.is_shard(), p.is_shard(1), p.is_replicate(), p.is_partial()] for p in all_]
        yield [t.Shard(0) == t.Shard(0), t.Shard(0) == t.Shard(1), len({t.Shard(0), t.Shard(0), t.Replicate()})]

    same(program, quiet=True)


def test_dtensor_trains():
    def program(m):
        t = m.distributed.tensor
        mesh = m.distributed.init_device_mesh("cpu", (1,))
        model = m.nn.Sequential(m.nn.Linear(3, 4), m.nn.Tanh(), m.nn.Linear(4, 1))
        t.distribute_module(model, mesh)
        optimizer = m.optim.SGD(model.parameters(), lr=0.1)
        x = t.distribute_tensor(m.randn(5, 3), mesh, [t.Shard(0)])
        for step in range(3):
            optimizer.zero_grad()
            loss = model(x).square().mean()
            loss.backward()
            optimizer.step()
            yield loss.full_tensor().detach()
        yield [isinstance(model[0].weight, t.DTensor), isinstance(model[0].weight, m.nn.Parameter), x.placements]
        local = m.ones(2, requires_grad=True)
        d = t.DTensor.from_local(local * 2, mesh, [t.Replicate()])
        (d.redistribute(mesh, [t.Shard(0)]).to_local() * 3).sum().backward()
        yield [local.grad, d.shape, d.placements]

    same(program, rtol=1e-5, atol=1e-6, looks="requires_grad", quiet=True)


def test_parallelize_module():
    def program(m):
        p, mesh = m.distributed.tensor.parallel, m.distributed.init_device_mesh("cpu", (1,))
        model = m.nn.Sequential(m.nn.Linear(3, 4), m.nn.ReLU(), m.nn.Linear(4, 3))
        x = m.randn(2, 3)
        before = model(x)
        p.parallelize_module(model, mesh, {"0": p.ColwiseParallel(), "2": p.RowwiseParallel()})
        after = model(x)
        yield [(after - before).abs().max() < 1e-6, [str(q.placements) for q in model.parameters()]]

    same(program, looks="", quiet=True)


def test_state_dicts():
    def program(m):
        s = m.distributed.checkpoint.state_dict
        model = m.nn.parallel.DistributedDataParallel(m.nn.Linear(2, 2))
        optimizer = m.optim.Adam(model.parameters(), lr=0.1)
        yield sorted(s.get_optimizer_state_dict(model, optimizer)["state"])
        model(m.ones(1, 2)).sum().backward()
        optimizer.step()
        state, of_optimizer = s.get_state_dict(model, optimizer)
        yield [sorted(state), of_optimizer["param_groups"][0]["params"], of_optimizer["state"]]
        flat = s.get_optimizer_state_dict(
            model, optimizer, options=s.StateDictOptions(flatten_optimizer_state_dict=True)
        )
        yield sorted(flat)
        other = m.nn.Linear(2, 2)
        another = m.optim.Adam(other.parameters(), lr=0.3)
        s.set_state_dict(other, another, model_state_dict=state, optim_state_dict=of_optimizer)
        yield [dict(other.state_dict()), another.state_dict()["state"], another.param_groups[0]["lr"]]

    same(program, rtol=1e-5, atol=1e-6, looks="", quiet=True)


REFUSED = """checkpoint.load_sharded_optimizer_state_dict checkpoint.StorageWriter rpc.init_rpc
    pipelining.pipeline autograd.backward run.main launcher.launch_agent""".split()


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name):
    module, _, name = name.partition(".")
    f = getattr(importlib.import_module(f"lucid.distributed.{module}"), name)
    with pytest.raises(NotImplementedError, match="lucid has no"):
        f(lucid.nn.Linear(1, 1))


MODULES = """distributed distributed.distributed_c10d distributed.device_mesh distributed.tensor distributed.fsdp
    distributed.tensor.parallel distributed.checkpoint distributed.nn distributed.rpc distributed.optim
    distributed.algorithms distributed.pipelining distributed.fsdp.wrap distributed.fsdp.api
    distributed.checkpoint.state_dict nn.parallel nn.attention nn.attention.flex_attention nn.attention.bias profiler
    autograd.profiler jit onnx distributed.algorithms._checkpoint.checkpoint_wrapper""".split()


OF_CUDA_BUILD = {"ProcessGroupNCCL"} if torch.version.cuda else set()


@pytest.mark.filterwarnings("ignore:.*reduce_op:FutureWarning")
@pytest.mark.parametrize("path", MODULES)
def test_public_names_exist(path):
    theirs, ours = (importlib.import_module(f"{m}.{path}") for m in ("torch", "lucid"))
    names = getattr(theirs, "__all__", None)
    if names is None:
        home = [(n, str(getattr(getattr(theirs, n), "__module__", ""))) for n in dir(theirs) if not n.startswith("_")]
        names = [n for n, module in home if module.startswith(f"torch.{path}")]
    assert [n for n in names if not hasattr(ours, n) and n not in OF_CUDA_BUILD] == []
