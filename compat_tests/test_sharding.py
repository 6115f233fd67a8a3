"""fully_shard, FullyShardedDataParallel and checkpoints in torch.distributed's form, over one process."""

import functools
import importlib
import os
import pickle
import tempfile

import pytest
import torch
import torch.distributed.checkpoint.format_utils
import torch.distributed.fsdp.wrap
from both import attempt, same, same_outcome

import lucid
import lucid.distributed.checkpoint.format_utils
import lucid.distributed.fsdp.wrap

pytestmark = pytest.mark.filterwarnings("ignore")


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


def network(m):
    m.manual_seed(0)
    return m.nn.Sequential(
        m.nn.Linear(3, 4), m.nn.ReLU(), m.nn.Sequential(m.nn.Linear(4, 4), m.nn.LayerNorm(4)), m.nn.Linear(4, 2)
    )


def inputs(m, n=5):
    return m.linspace(-1, 1, 3 * n).view(n, 3)


def trained(m, model, steps=3):
    """Losses of a few steps, and the parameters after them."""
    optimizer = m.optim.AdamW(model.parameters(), lr=0.05)
    losses = []
    for _ in range(steps):
        loss = model(inputs(m)).float().square().sum()
        loss.backward()
        losses.append(loss.detach())
        optimizer.step()
        optimizer.zero_grad()
    return losses


def whole(value):
    return value.full_tensor() if hasattr(value, "full_tensor") else value


def facts(model):
    return [
        (n, type(p).__name__, str(getattr(p, "placements", None)), tuple(p.shape)) for n, p in model.named_parameters()
    ]


SHARDED = {
    "whole": lambda m, f, net: f.fully_shard(net),
    "by layers": lambda m, f, net: [f.fully_shard(part) for part in (net[0], net[2], net)],
    "in bfloat16": lambda m, f, net: f.fully_shard(net, mp_policy=f.MixedPrecisionPolicy(param_dtype=m.bfloat16)),
    "in bfloat16, out float32": lambda m, f, net: f.fully_shard(
        net, mp_policy=f.MixedPrecisionPolicy(m.bfloat16, m.float32, m.float32)
    ),
    "last dimension": lambda m, f, net: f.fully_shard(
        net, shard_placement_fn=lambda p: m.distributed.tensor.Shard(p.ndim - 1)
    ),
    "but one": lambda m, f, net: f.fully_shard(net, ignored_params={net[0].weight}),
    "frozen": lambda m, f, net: (net[0].requires_grad_(False), f.fully_shard(net)),
}


@pytest.mark.parametrize("name", SHARDED)
def test_fully_shard(name):
    """Classes, parameters, results and training are torch's."""

    def program(m):
        net = network(m)
        SHARDED[name](m, m.distributed.fsdp, net)
        out = net(inputs(m))
        out.float().sum().backward()
        grads = [(type(p.grad).__name__, None if p.grad is None else whole(p.grad)) for p in net.parameters()]
        state = {k: whole(v) for k, v in net.state_dict().items()}
        net.zero_grad()
        return repr(net), facts(net), out, grads, trained(m, net), [whole(p) for p in net.parameters()], state

    half = "bfloat16" in name
    same(program, looks="", quiet=True, rtol=5e-2 if half else 1e-4, atol=5e-2 if half else 1e-5)


OF_SHARDED = {
    "container": lambda m, f, net: f.fully_shard(m.nn.ModuleList([net])),
    "slice": lambda m, f, net: type(f.fully_shard(net)[:2]).__name__,
    "isinstance": lambda m, f, net: isinstance(f.fully_shard(net), f.FSDPModule),
    "clip": lambda m, f, net: (
        f.fully_shard(net)(inputs(m)).sum().backward(),
        whole(m.nn.utils.clip_grad_norm_(net.parameters(), 0.1)),
    ),
    "copy": lambda m, f, net: importlib.import_module("copy").deepcopy(f.fully_shard(net)),
    "questions": lambda m, f, net: (
        f.fully_shard(net).set_requires_gradient_sync(False),
        net.set_is_last_backward(True),
        net.reshard(),
        type(net[0].weight).__name__,
    ),
    "unshard": lambda m, f, net: (f.fully_shard(net[0]), net[0].unshard(), tuple(net[0].weight.shape)),
    "list": lambda m, f, net: [type(x).__name__ for x in f.fully_shard([net[0], net[2]])],
    "another method": lambda m, f, net: (
        setattr(type(net), "other", lambda self, x: self[0](x)),
        f.fully_shard(net),
        f.register_fsdp_forward_method(net, "other"),
        type(net.other(inputs(m))).__name__,
    ),
}


@pytest.mark.parametrize("name", OF_SHARDED)
def test_of_fully_shard(name):
    def run(m):
        got = attempt(OF_SHARDED[name], m, m.distributed.fsdp, network(m))
        return (type(got).__name__, str(got).split("\n")[0]) if isinstance(got, Exception) else got

    same(run, looks="", rtol=1e-4, quiet=True)


WRAPPED = {
    "flat": {},
    "as they are": dict(use_orig_params=True),
    "by classes": dict(policy=lambda m, w: w.ModuleWrapPolicy({m.nn.Sequential})),
    "by size": dict(policy=lambda m, w: functools.partial(w.size_based_auto_wrap_policy, min_num_params=12)),
    "by classes, as they are": dict(policy=lambda m, w: w.ModuleWrapPolicy({m.nn.Linear}), use_orig_params=True),
    "in bfloat16": dict(low="bfloat16"),
    "in bfloat16, as they are": dict(low="bfloat16", use_orig_params=True),
}


def wrapped(m, policy=None, low=None, **options):
    f = m.distributed.fsdp
    if policy is not None:
        options["auto_wrap_policy"] = policy(m, f.wrap)
    if low is not None:
        options["mixed_precision"] = f.MixedPrecision(param_dtype=getattr(m, low))
    return f.FullyShardedDataParallel(network(m), device_id=m.device("cpu"), **options)


@pytest.mark.parametrize("name", WRAPPED)
def test_wrapped(name):
    def program(m):
        net = wrapped(m, **WRAPPED[name])
        out = net(inputs(m))
        state = dict(net.state_dict())
        losses = trained(m, net) if WRAPPED[name].get("low") is None else []  # where torch's optimizer fails
        after = dict(net.state_dict())
        with m.distributed.fsdp.FullyShardedDataParallel.summon_full_params(net):
            shapes = [tuple(p.shape) for p in net.parameters()]
        net.load_state_dict({k: v * 0 + 0.5 for k, v in after.items()})
        return repr(net), facts(net), out, list(state), losses, after, shapes, net(inputs(m)), type(net.module).__name__

    half = "bfloat16" in name
    same(program, looks="", quiet=True, rtol=5e-2 if half else 1e-4, atol=5e-2 if half else 1e-5)


# ---- checkpoints


def state_of(m):
    m.manual_seed(0)
    net = m.nn.Linear(3, 2)
    optimizer = m.optim.Adam(net.parameters(), lr=0.1)
    net(m.ones(1, 3)).sum().backward()
    optimizer.step()
    return {
        "model": net.state_dict(),
        "optimizer": optimizer.state_dict(),
        "step": 3,
        "list": [m.ones(2), 5, {"a": m.zeros(1).bool()}],
        "plain": [1, [2]],
        "pair": (1, 2.5),
        "empty": m.empty(0),
        "turned": m.arange(6).view(2, 3).t(),
        "half": m.ones(3).half(),
        "brain": m.ones(3).bfloat16(),
        "complex": m.ones(2) * 1j,
        "part": m.arange(10.0)[2:5],
        "none": None,
        "below": {"below": {"x": "text"}},
    }


def emptied(m):
    """The same shapes with other numbers."""

    def other(value):
        if isinstance(value, m.Tensor):
            return m.zeros_like(value)
        if isinstance(value, dict):
            return type(value)({k: other(v) for k, v in value.items()})
        return [other(v) for v in value] if isinstance(value, list) else value if isinstance(value, tuple) else 0

    return other(state_of(m))


@pytest.mark.parametrize("writer, reader", [(lucid, lucid), (lucid, torch), (torch, lucid)])
def test_checkpoints(writer, reader, tmp_path):
    """Each reads what the other wrote."""
    state = state_of(writer)
    metadata = writer.distributed.checkpoint.save(state, checkpoint_id=tmp_path)
    assert sorted(os.listdir(tmp_path)) == [".metadata", "__0_0.distcp"]
    assert list(metadata.state_dict_metadata) == list(metadata.planner_data)
    found = emptied(reader)
    reader.distributed.checkpoint.load(found, checkpoint_id=tmp_path)
    want, got = ({k: v for k, v in s.items() if k != "optimizer"} for s in (state_of(reader), found))
    assert repr(got) == repr(want)
    assert repr(found["optimizer"]) == repr(state_of(reader)["optimizer"])


def test_metadata(tmp_path):
    """What is noted of a state is what torch notes."""

    def program(m):
        made = m.distributed.checkpoint.save(state_of(m), checkpoint_id=tmp_path / m.__name__)
        places = [(i.fqn, s.relative_path) for i, s in made.storage_data.items()]
        return repr(made.state_dict_metadata).replace("lucid.", "torch."), made.planner_data, places, made.version

    same(program, looks="")


REFUSED = {
    "missing": lambda m, d, path: d.load({"zzz": m.ones(2)}, checkpoint_id=path),
    "another size": lambda m, d, path: d.load({"empty": m.ones(2)}, checkpoint_id=path),
    "a number for a tensor": lambda m, d, path: d.load({"empty": 3}, checkpoint_id=path),
    "no such place": lambda m, d, path: d.load({"a": 1}, checkpoint_id=path / "nothing"),
    "no place to load from": lambda m, d, path: d.load({"a": 1}),
    "no place to save in": lambda m, d, path: d.save({"a": 1}),
    "nothing": lambda m, d, path: d.load({}, checkpoint_id=path),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_of_checkpoints(name, tmp_path):
    def run(m):
        d = m.distributed.checkpoint
        d.save(state_of(m), checkpoint_id=tmp_path / m.__name__)
        try:
            return REFUSED[name](m, d, tmp_path / m.__name__)
        except BaseException as error:
            inner = [type(e).__name__ for e, _ in error.failures.values()] if hasattr(error, "failures") else str(error)
            return type(error).__name__, inner

    # torch's assertion about metadata that do not fit is a ValueError here, and says what does not
    if name not in ("a number for a tensor", "no such place"):
        same(run, looks="", quiet=True)
    else:
        assert run(lucid)[0] == run(torch)[0] == "CheckpointException"


def test_objects_with_states(tmp_path):
    """Modules and optimizers are asked for their states, and given them."""

    def program(m):
        d = m.distributed.checkpoint
        net = network(m)
        d.save({"net": net, "step": 4}, checkpoint_id=tmp_path / m.__name__)
        other = network(m)
        for p in other.parameters():
            p.data.zero_()
        state = {"net": other, "step": 0}
        d.load(state, checkpoint_id=tmp_path / m.__name__)
        return state["step"], list(other.parameters()), state["net"] is other

    same(program, looks="requires_grad", quiet=True)


def test_later_and_elsewhere(tmp_path):
    """async_save writes what was there when it was called; format_utils convert."""

    def program(m):
        d, here = m.distributed.checkpoint, tmp_path / m.__name__
        x = m.ones(3)
        future = d.async_save({"x": x}, checkpoint_id=here)
        x.fill_(5)
        future.result()
        found = {"x": m.zeros(3)}
        d.load(found, checkpoint_id=here)
        d.save(state_of(m), checkpoint_id=here)
        d.format_utils.dcp_to_torch_save(here, tmp_path / f"{m.__name__}.pt")
        state = m.load(tmp_path / f"{m.__name__}.pt", weights_only=False)
        d.format_utils.torch_save_to_dcp(tmp_path / f"{m.__name__}.pt", tmp_path / f"{m.__name__}2")
        d.load(again := {"turned": m.zeros(3, 2)}, checkpoint_id=tmp_path / f"{m.__name__}2")
        return found, list(state), state["list"], state["plain"], again

    same(program, looks="", quiet=True)


def test_partial(tmp_path):
    def program(m):
        d = m.distributed.checkpoint
        d.save({"x": m.ones(3)}, checkpoint_id=tmp_path / m.__name__)
        found = {"x": m.zeros(3), "y": m.zeros(2)}
        planner = importlib.import_module(f"{m.__name__}.distributed.checkpoint.default_planner").DefaultLoadPlanner
        d.load(found, checkpoint_id=tmp_path / m.__name__, planner=planner(allow_partial_load=True))
        return found

    same(program, looks="", quiet=True)


def test_sharded_checkpoints(tmp_path):
    """A checkpoint of DTensors is read into plain tensors, by the other library."""
    for m, other in ((torch, lucid), (lucid, torch)):
        net = network(m)
        plain = {k: v.clone().tolist() for k, v in net.state_dict().items()}
        m.distributed.fsdp.fully_shard(net)
        m.distributed.checkpoint.save({"net": net.state_dict()}, checkpoint_id=tmp_path / m.__name__)
        found = {"net": {k: other.zeros(tuple(v.shape)) for k, v in network(other).state_dict().items()}}
        other.distributed.checkpoint.load(found, checkpoint_id=tmp_path / m.__name__)
        assert {k: v.tolist() for k, v in found["net"].items()} == plain


@pytest.mark.parametrize("kind", ("fully_shard", "wrapped"))
def test_states_by_names(kind):
    """state_dict's helpers know both, and give whole states back."""

    def program(m):
        s = importlib.import_module(f"{m.__name__}.distributed.checkpoint.state_dict")
        net = wrapped(m, use_orig_params=True) if kind == "wrapped" else m.distributed.fsdp.fully_shard(network(m))
        optimizer = m.optim.Adam(net.parameters(), lr=0.1)
        net(inputs(m)).sum().backward()
        optimizer.step()
        model, state = s.get_state_dict(net, optimizer, options=s.StateDictOptions(full_state_dict=True))
        if m is lucid:
            s.set_state_dict(net, optimizer, model_state_dict=model, optim_state_dict=state)
        return dict(model), sorted(state["state"]), [state["state"][k]["exp_avg"] for k in sorted(state["state"])]

    same(program, looks="", quiet=True, rtol=1e-4, atol=1e-6)


def test_flat_states_are_refused():
    s = importlib.import_module("lucid.distributed.checkpoint.state_dict")
    net = wrapped(lucid)
    with pytest.raises(NotImplementedError, match="use_orig_params=True"):
        s.get_optimizer_state_dict(net, lucid.optim.SGD(net.parameters(), lr=0.1))


def named(module, name, *args):
    """A pickle that calls what it names with texts."""

    def text(x):
        return b"\x8c" + bytes([len(x)]) + x.encode()

    return b"\x80\x04" + text(module) + text(name) + b"\x93(" + b"".join(map(text, args)) + b"tR."


FILES = "torch.distributed.checkpoint.filesystem"
HARMFUL = [
    ("warnings", "warn"),
    *[(m, "os.unlink") for m in ("pathlib", "torch", "torch.serialization", FILES, "torch.distributed.checkpoint")],
    *[(m, "os.unlink") for m in ("torch.distributed.checkpoint.metadata",)],
    *[("pathlib", n) for n in ("os", "Path", "PosixPath.unlink", "Path.unlink")],
    *[("torch", n) for n in ("save", "load", "ops.load_library", "serialization.os.unlink", "Size.__init__")],
    *[(FILES, n) for n in ("pickle.loads", "load", "FileSystemWriter", "os.unlink")],
    ("torch.serialization", "load"),
]


@pytest.mark.parametrize("module, name", HARMFUL)
def test_pickles_name_little(module, name, tmp_path):
    """A file `.metadata` that names other things is not read, whichever module lends them."""
    (tmp_path / "victim").write_text("here")
    (tmp_path / ".metadata").write_bytes(named(module, name, str(tmp_path / "victim")))
    with pytest.raises(pickle.UnpicklingError, match="which no checkpoint needs"):
        lucid.distributed.checkpoint.FileSystemReader(tmp_path).read_metadata()
    with pytest.raises(lucid.distributed.checkpoint.CheckpointException):
        lucid.distributed.checkpoint.load({"a": lucid.zeros(1)}, checkpoint_id=tmp_path)
    assert (tmp_path / "victim").exists()


def _cut(path, size):
    with open(path, "r+b") as file:
        file.truncate(size)


DAMAGE = {
    "data cut": lambda path: _cut(path / "__0_0.distcp", 1500),
    "no data": lambda path: (path / "__0_0.distcp").unlink(),
    "data empty": lambda path: _cut(path / "__0_0.distcp", 0),
    "metadata cut": lambda path: _cut(path / ".metadata", 100),
    "metadata empty": lambda path: _cut(path / ".metadata", 0),
    "metadata of nothing": lambda path: (path / ".metadata").write_bytes(pickle.dumps([1])),
    "no metadata": lambda path: (path / ".metadata").unlink(),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", DAMAGE)
def test_damaged_checkpoints(name, tmp_path):
    for m in (torch, lucid):
        path, d = tmp_path / m.__name__, m.distributed.checkpoint
        d.save({"a": m.ones(300), "n": 3}, checkpoint_id=path)
        DAMAGE[name](path)
        with pytest.raises(BaseException) as caught:
            d.load({"a": m.zeros(300), "n": 0}, checkpoint_id=path)
        assert type(caught.value).__name__ == "CheckpointException"


class Unwritable:
    def __reduce__(self):
        raise ValueError("no")


@pytest.mark.filterwarnings("ignore")
def test_failed_saves_leave_the_checkpoint(tmp_path):
    """Where a save fails or is killed, the checkpoint that was there is read as before."""
    d, path = lucid.distributed.checkpoint, tmp_path / "here"

    def read():
        state = {"a": lucid.zeros(3)}
        d.load(state, checkpoint_id=path)
        return state["a"].tolist()

    d.save({"a": lucid.ones(3)}, checkpoint_id=path)
    for m, where in ((torch, tmp_path / "torch"), (lucid, path)):
        with pytest.raises(m.distributed.checkpoint.CheckpointException) as caught:
            m.distributed.checkpoint.save({"a": m.full((3,), 2.0), "u": Unwritable()}, checkpoint_id=where)
        assert [type(e).__name__ for e, _ in caught.value.failures.values()] == ["ValueError"]
    assert read() == [1.0] * 3 and sorted(os.listdir(path)) == [".metadata", "__0_0.distcp"]
    writer = d.FileSystemWriter(path)
    writer._write([(d.metadata.MetadataIndex("a"), lucid.zeros(3))])  # as far as one that is killed comes
    assert read() == [1.0] * 3
    for value in (5.0, 6.0, 7.0):
        d.save({"a": lucid.full((3,), value)}, checkpoint_id=path)
        assert read() == [value] * 3 and len(os.listdir(path)) == 2
    found = {"a": torch.zeros(3)}
    torch.distributed.checkpoint.load(found, checkpoint_id=path)
    assert found["a"].tolist() == [7.0] * 3


NOT_SHARDED = {
    "twice": lambda m, f: (f.fully_shard(net := network(m)), f.fully_shard(net)),
    "twice in a list": lambda m, f: (f.fully_shard(net := network(m)), f.fully_shard([m.nn.Linear(2, 2), net])),
    "a number": lambda m, f: f.fully_shard(3),
    "nothing": lambda m, f: f.fully_shard(None),
    "a container": lambda m, f: f.fully_shard(m.nn.ModuleList([m.nn.Linear(2, 2)])),
}


@pytest.mark.parametrize("name", NOT_SHARDED)
def test_what_is_not_sharded(name):
    same_outcome(lambda m: NOT_SHARDED[name](m, m.distributed.fsdp), looks="", quiet=True, text=60)
