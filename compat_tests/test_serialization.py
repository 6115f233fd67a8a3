"""Files are exchangeable with torch both ways, storages are shared where they were, and nothing half-written stays on
disk."""

import collections
import copy
import importlib
import io
import os
import pathlib
import pickle
import random
import subprocess
import sys
import zipfile

import numpy as np
import pytest
import torch
from both import BOTH, error, same, same_outcome

import lucid

TYPES = """float32 float64 float16 bfloat16 int64 int32 int16 int8 uint8 bool complex64 complex128 uint16 uint32 uint64
    float8_e4m3fn float8_e5m2""".split()
PLAIN = [
    1,
    -5,
    3.5,
    "text",
    "a\nb",
    None,
    True,
    1 << 40,
    1 << 70,
    b"bytes",
    {1, 2},
    bytearray(b"q"),
    1 + 2j,
    (1, "x"),
    "clucid.nn\nLinear\n",
    300,
    70000,
]
EXPRESSIONS = [
    "api.float32",
    "api.bool",
    "api.bfloat16",
    "api.Size([1, 2])",
    "api.device('cpu')",
    "api.device('cuda', 1)",
    "api.strided",
    "api.empty(2, 3, device='meta')",
]
# torch itself cannot load these types from the old format
V3 = {"uint16", "uint32", "uint64", "float8_e4m3fn", "float8_e5m2"}


def random_spec(chance, types, depth=0):
    """A nested description of what to save; both libraries build it."""
    r = chance.random()
    if depth < 3 and r < 0.35:
        return chance.choice(["dict", "ordered", "list", "tuple"]), [
            random_spec(chance, types, depth + 1) for _ in range(chance.randrange(5))
        ]
    if r < 0.75:
        shape = tuple(chance.randrange(0 if chance.random() < 0.1 else 1, 5) for _ in range(chance.randrange(4)))
        return "tensor", (
            chance.choice(types),
            shape,
            chance.randrange(4),
            chance.choice(["", "", "t", "tail", "half"]),
            chance.randrange(3),
        )
    return ("plain", chance.choice(PLAIN)) if r < 0.9 else ("expression", chance.choice(EXPRESSIONS))


def base_tensor(api, name, shape, seed, bases):
    key = name, shape, seed
    if key not in bases:
        x = np.asarray(np.random.default_rng(seed).standard_normal(shape) * 50)
        if name == "bool":
            x = x > 0
        elif name.startswith("uint"):
            x = np.abs(x).astype("int64")
        elif name.startswith("complex"):
            x = x + 1j * x[::-1] if x.ndim else x + 0j
        bases[key] = api.from_numpy(np.asarray(x)).to(getattr(api, name))
    return bases[key]


def built_tensor(api, name, shape, seed, view, role, bases):
    b = base_tensor(api, name, shape, seed, bases)
    if view == "t" and b.ndim > 1:
        b = b.permute(tuple(reversed(range(b.ndim))))
    elif view == "tail" and b.ndim and b.shape[0] > 2:
        b = (
            api.tensor([])
            .to(b.dtype)
            .set_(b.untyped_storage(), b.stride(0), (b.shape[0] - 1, *b.shape[1:]), b.stride())
        )
    elif view == "half" and b.ndim and b.shape[0] > 1:
        b = (
            api.tensor([])
            .to(b.dtype)
            .set_(b.untyped_storage(), 0, ((b.shape[0] + 1) // 2, *b.shape[1:]), (b.stride(0) * 2, *b.stride()[1:]))
        )
    inexact = name.startswith(("float", "bfloat", "complex")) and name not in V3
    if role == 1 and inexact:
        return b.detach().requires_grad_()
    return api.nn.Parameter(b.detach(), requires_grad=inexact) if role == 2 else b


def build(api, spec, bases):
    kind, what = spec
    if kind == "tensor":
        return built_tensor(api, *what, bases)
    if kind == "plain":
        return what
    if kind == "expression":
        return eval(what, {"api": api})
    parts = [build(api, s, bases) for s in what]
    if kind == "dict":
        return {f"k{i}": p for i, p in enumerate(parts)}
    if kind == "ordered":
        made = collections.OrderedDict((i, p) for i, p in enumerate(parts))
        made._metadata = {"": {"version": 2}}
        return made
    return parts if kind == "list" else tuple(parts)


def leaves(obj, path=""):
    if isinstance(obj, dict):
        for k, v in obj.items():
            yield from leaves(v, f"{path}/{k}")
        yield path, getattr(obj, "_metadata", None)
    elif isinstance(obj, (list, tuple)) and not isinstance(obj, (torch.Size, lucid.Size)):
        for i, v in enumerate(obj):
            yield from leaves(v, f"{path}/{i}")
    else:
        yield path, obj


def described(obj):
    """What can be told of an object in either library, bytes and sharing included."""
    out, known = [], {}
    for path, v in leaves(obj):
        if not isinstance(v, (torch.Tensor, lucid.Tensor)):
            out.append((path, sorted(v) if isinstance(v, set) else str(v)))
            continue
        facts = [path, type(v).__name__, str(v.dtype), tuple(v.shape), v.requires_grad]
        if v.numel() and v.device.type != "meta":
            storage = v.untyped_storage()
            facts += [
                v.stride(),
                v.storage_offset(),
                bytes(storage.tolist()),
                known.setdefault(storage.data_ptr(), len(known)),
            ]
        out.append(tuple(facts))
    return out


@pytest.mark.filterwarnings("ignore:Detected pickle protocol")
@pytest.mark.parametrize("seed", range(4))
def test_exchange(seed):
    """saved by either, loaded by either, with and without weights_only, in both formats and all pickle protocols."""
    chance = random.Random(seed)
    for _ in range(30):
        how = {}
        if chance.random() < 0.2:
            how["_use_new_zipfile_serialization"] = False
        if chance.random() < 0.15:
            how["pickle_protocol"] = chance.choice([3, 4, 5])
        spec = random_spec(
            chance, [t for t in TYPES if t not in V3] if len(how) and "_use" in next(iter(how)) else TYPES
        )
        files = []
        for api in BOTH:
            files.append(io.BytesIO())
            api.save(build(api, spec, {}), files[-1], **how)
        for weights_only in (True, False):
            found = []
            for file in files:
                for api in BOTH:
                    file.seek(0)
                    try:
                        found.append(described(api.load(file, weights_only=weights_only)))
                    except pickle.UnpicklingError as error:
                        found.append(str(error)[:300])
            assert all(f == found[0] for f in found), (spec, how, weights_only)


def test_archive_looks_as_torchs(tmp_path):
    model = {"w": [1.0, 2.0], "b": 3}
    names = []
    for api in BOTH:
        path = tmp_path / f"{api.__name__}_file.tar.pt"
        api.save({k: api.tensor(v) for k, v in model.items()}, path)
        with zipfile.ZipFile(path) as z:
            names.append([n.partition("/")[2] for n in z.namelist()])
            assert z.namelist()[0].split("/")[0] == f"{api.__name__}_file.tar"
            assert z.testzip() is None
            raw = path.read_bytes()
            for info in z.infolist():
                extra = int.from_bytes(raw[info.header_offset + 28 : info.header_offset + 30], "little")
                assert (info.header_offset + 30 + len(info.filename) + extra) % 64 == 0
    assert names[0] == names[1]


def test_whole_or_nothing(tmp_path):
    path = tmp_path / "model.pt"
    lucid.save(lucid.ones(2), path)
    before = path.read_bytes()
    with pytest.raises((AttributeError, pickle.PicklingError)):
        lucid.save({"a": lucid.ones(2), "b": lambda: 0}, path)
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["model.pt"]
    with pytest.raises(RuntimeError, match="Parent directory .* does not exist"):
        lucid.save(1, tmp_path / "no" / "model.pt")


def test_paths_and_files(tmp_path):
    x = lucid.arange(4.0)
    path = tmp_path / "x.pt"
    for target in (str(path), path, pathlib.PurePath(path)):
        lucid.save(x, target)
        assert lucid.load(target).tolist() == x.tolist()
    with open(path, "rb") as f:
        assert lucid.load(f).tolist() == x.tolist()
    with open(path, "rb") as f:
        f.seek(0)
        assert torch.load(f).tolist() == x.tolist()
    assert lucid.load(path, mmap=True).tolist() == x.tolist()
    mapped = lucid.load(path, mmap=True)
    mapped[0] = 9
    assert lucid.load(path)[0] == 0
    with pytest.raises(AttributeError, match="expected 'f' to be string, path, or a file-like object"):
        lucid.save(x, 3)


@pytest.mark.parametrize(
    "place",
    [
        "cpu",
        "meta",
        lucid.device("cpu"),
        {"cpu": "meta"},
        lambda storage, location: storage,
        lambda storage, location: None,
    ],
)
def test_map_location(place):
    file = io.BytesIO()
    lucid.save({"x": lucid.ones(2)}, file)
    file.seek(0)
    x = lucid.load(file, map_location=place)["x"]
    wanted = "meta" if place == "meta" or isinstance(place, dict) else "cpu"
    assert x.device.type == wanted and x.shape == (2,)


def test_map_location_of_absent_devices():
    file = io.BytesIO()
    torch.save(torch.ones(2), file)
    data = file.getvalue().replace(b"X\x03\x00\x00\x00cpu", b"X\x04\x00\x00\x00cuda")
    swapped = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(file.getvalue())) as old, zipfile.ZipFile(swapped, "w") as new:
        for n in old.namelist():
            new.writestr(n, old.read(n).replace(b"X\x03\x00\x00\x00cpu", b"X\x04\x00\x00\x00cuda"))
    assert data

    def program(api):
        swapped.seek(0)
        yield error(api.load, swapped)
        swapped.seek(0)
        yield api.load(swapped, map_location="cpu")

    same(program)


class Evil:
    def __reduce__(self):
        return os.system, ("echo evil",)


class Own:
    pass


@pytest.mark.parametrize("thing", [Own(), Evil(), collections.defaultdict(list), print, 3 + 0j])
def test_weights_only_refuses_as_torch(thing):
    file = io.BytesIO()
    torch.save({"x": thing}, file)

    def program(api):
        file.seek(0)
        return api.load(file)

    same_outcome(program)


def test_safe_globals():
    file = io.BytesIO()
    lucid.save(Own(), file)
    file.seek(0)
    assert lucid.serialization.get_unsafe_globals_in_checkpoint(file) == [f"{__name__}.Own"]
    file.seek(0)
    with lucid.serialization.safe_globals([Own]):
        assert isinstance(lucid.load(file), Own)
    file.seek(0)
    with pytest.raises(pickle.UnpicklingError):
        lucid.load(file)
    with pytest.raises(RuntimeError, match="Can not safely load weights when explicit pickle_module is specified"):
        lucid.load(file, pickle_module=pickle, weights_only=True)


@pytest.mark.parametrize("data", [b"", b"PK\3\4garbage", b"garbage", b"\x80\x02}q\x00."])
def test_damaged_files(data):
    same(lambda api: type(error(api.load, io.BytesIO(data))).__name__)


def test_modules_and_optimisers_travel():
    for source, target in ((torch, lucid), (lucid, torch)):
        source.manual_seed(0)
        model = source.nn.Linear(3, 2)
        optimiser = source.optim.Adam(model.parameters())
        model(source.ones(1, 3)).sum().backward()
        optimiser.step()
        file = io.BytesIO()
        source.save({"model": model.state_dict(), "optimiser": optimiser.state_dict()}, file)
        file.seek(0)
        found = target.load(file)
        other = target.nn.Linear(3, 2)
        assert str(other.load_state_dict(found["model"])) == "<All keys matched successfully>"
        target.optim.Adam(other.parameters()).load_state_dict(found["optimiser"])
        assert other.weight.tolist() == model.weight.tolist()


def test_whole_module():
    model = lucid.nn.Sequential(lucid.nn.Linear(2, 2), lucid.nn.ReLU())
    file = io.BytesIO()
    lucid.save(model, file)
    for api in (lucid, torch):
        file.seek(0)
        found = api.load(file, weights_only=False)
        assert type(found[0]) is api.nn.Linear and found[0].weight.tolist() == model[0].weight.tolist()


def test_generators_and_attributes():
    t = lucid.ones(2)
    t.note = "kept"
    file = io.BytesIO()
    lucid.save([t, lucid.nn.Parameter(lucid.ones(1))], file)
    for api in (lucid, torch):
        file.seek(0)
        assert api.load(file)[0].note == "kept"


# ---- pickle and copy


def test_pickle_across_processes(tmp_path):
    path = tmp_path / "x.pkl"
    x = lucid.arange(6.0).reshape(2, 3)
    path.write_bytes(
        pickle.dumps(
            {
                "x": x,
                "t": x.t(),
                "p": lucid.nn.Parameter(x),
                "d": lucid.bool,
                "s": lucid.Size([1]),
                "m": lucid.max(x, 0),
            }
        )
    )
    code = (
        f"import pickle; d = pickle.load(open({str(path)!r}, 'rb')); "
        "print(d['x'].tolist(), d['t'].stride(), d['p'].requires_grad, "
        "d['d'], d['s'], d['m'].values.tolist())"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": os.getcwd()}
    )
    wanted = "[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]] (1, 3) True torch.bool torch.Size([1]) [3.0, 4.0, 5.0]\n"
    assert ran.stdout == wanted, ran.stderr


def test_deepcopy():
    for api in BOTH:
        x = api.ones(4, requires_grad=True)
        (x * 2).sum().backward()
        y = copy.deepcopy(x)
        assert y.requires_grad and y.grad.tolist() == [2] * 4 and y.data_ptr() != x.data_ptr() and y.grad is not x.grad
        base = api.arange(4.0)
        a, b, again = copy.deepcopy([base, base[1:], base])
        a[1] = 9
        assert b.tolist() == [9, 2, 3] and again is a and base.tolist() == [0, 1, 2, 3] and b.storage_offset() == 1
        with pytest.raises(RuntimeError, match="Only Tensors created explicitly by the user"):
            copy.deepcopy(x * 2)
        shallow = copy.copy(base)
        assert shallow is not base and shallow.data_ptr() == base.data_ptr()
        p = api.nn.Parameter(api.ones(2))
        p.tag = 1
        q = copy.deepcopy(p)
        assert type(q) is api.nn.Parameter and q.tolist() == [1, 1]


# ---- storages


def storage_facts(api):
    x = api.arange(6.0)
    u, y = x.untyped_storage(), x.view(2, 3)[1]
    yield u.nbytes(), len(u), u.element_size(), u.tolist()[:8], u[2], u[-1], str(u.device), u.resizable(), u.is_shared()
    yield y.untyped_storage().data_ptr() == u.data_ptr(), y.untyped_storage() is u, x.clone().untyped_storage() is u
    u[0] = 7
    yield x.tolist(), u[:4].tolist()
    yield api.tensor([]).set_(u, 1, (2, 2), (1, 2)).tolist()
    grown = api.arange(2.0)
    grown.untyped_storage().resize_(16)
    yield grown.untyped_storage().nbytes(), grown.tolist()
    yield x.share_memory_().is_shared(), x.untyped_storage().is_shared(), x.tolist()
    s = api.FloatStorage([1, 2, 3])
    yield s.tolist(), len(s), s.dtype == api.float32, s.type(), s.int().tolist(), isinstance(s, api.FloatStorage), s[1]
    s[:2] = 5
    yield list(s), s.clone().fill_(2).tolist(), repr(s.double())
    yield api.UntypedStorage([1, 2, 3]).tolist(), repr(api.UntypedStorage([4, 5]))
    yield api.is_storage(u), api.is_storage(s), api.is_storage(x), api.FloatTensor(s).tolist()
    yield api.UntypedStorage.from_buffer(bytearray(b"abcdefgh"), "big", dtype=api.int32).tolist()


@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
def test_storages():
    same(storage_facts)


BAD = {
    "index": lambda u, api: u[100],
    "kind": lambda u, api: u["a"],
    "step": lambda u, api: u[0:8:2],
    "value": lambda u, api: u.__setitem__(0, 1.5),
    "text": lambda u, api: api.UntypedStorage("a"),
    "copy": lambda u, api: u.copy_(api.UntypedStorage(3)),
    "type": lambda u, api: api.tensor([], dtype=api.int32).set_(api.FloatStorage(2)),
}


@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
@pytest.mark.parametrize("case", BAD)
def test_storage_errors(case):
    same(lambda api: error(BAD[case], api.arange(3.0).untyped_storage(), api))


def test_memory_is_shared_with_forked_processes():
    x = lucid.zeros(2).share_memory_()
    child = os.fork()
    if child == 0:
        x[0] = 5
        os._exit(0)
    os.waitpid(child, 0)
    assert x.tolist() == [5, 0]


def test_in_place_writes_through_storages_count():
    x = lucid.ones(3, requires_grad=True)
    base = lucid.ones(3)
    loaded = pickle.loads(pickle.dumps([base, base[1:]]))
    y = (x * loaded[0]).sum()
    loaded[1].fill_(2)
    assert loaded[0].tolist()[0] == 1
    with (
        pytest.raises(RuntimeError, match="modified by an inplace operation")
        if loaded[0][1] == 2
        else pytest.raises(AssertionError)
    ):
        y.backward()
        raise AssertionError


# ---- other devices


def test_mlx_tensors_travel():
    pytest.importorskip("mlx.core")
    x = lucid.arange(6.0).reshape(2, 3).to("mlx")
    file = io.BytesIO()
    lucid.save([x, x.t()], file)
    file.seek(0)
    a, b = lucid.load(file)
    a.fill_(5)
    assert a.device.type == "mlx" and b.stride() == (1, 3) and b.tolist() == [[5, 5]] * 3
    for api in BOTH:
        file.seek(0)
        assert api.load(file, map_location="cpu")[1].tolist() == [[0, 3], [1, 4], [2, 5]]
    for copied in (copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert copied.device == x.device and copied.tolist() == x.tolist()


# ---- whole objects: their classes have torch's addresses


def whole_things(api):
    """Objects whose classes lucid keeps in files of its own."""
    nn, schedulers = api.nn, api.optim.lr_scheduler
    optimiser = api.optim.SGD([nn.Parameter(api.ones(2))], 0.1, momentum=0.9)
    yield nn.MultiheadAttention(4, 2)
    yield nn.TransformerDecoderLayer(4, 2, 4)
    yield nn.LazyLinear(2)
    yield nn.utils.spectral_norm(nn.Linear(2, 2))
    yield nn.utils.parametrizations.weight_norm(nn.Linear(2, 2)).parametrizations
    yield nn.Linear(2, 2).load_state_dict({"bias": api.ones(2)}, strict=False)
    yield schedulers.StepLR(optimiser, 2)
    yield schedulers.CosineAnnealingLR(optimiser, 2)
    yield schedulers.CosineAnnealingWarmRestarts(optimiser, 2)
    yield schedulers.CyclicLR(optimiser, 0.1, 0.2)
    yield schedulers.OneCycleLR(optimiser, 0.1, total_steps=4)
    yield schedulers.ReduceLROnPlateau(optimiser)
    yield schedulers.SequentialLR(
        optimiser, [schedulers.ConstantLR(optimiser), schedulers.ExponentialLR(optimiser, 0.9)], [1]
    )


@pytest.mark.parametrize(("source", "target"), [(torch, lucid), (lucid, torch)])
def test_whole_things_travel(source, target):
    for ours, theirs in zip(whole_things(source), whole_things(target), strict=True):
        file = io.BytesIO()
        source.save(ours, file)
        file.seek(0)
        assert type(target.load(file, weights_only=False)) is type(theirs)


NAMED = {  # modules of torch's whose classes end up in pickles, and those that lucid keeps elsewhere all the same
    "nn": set(),
    "nn.utils.prune": set(),
    "nn.utils.parametrizations": set(),
    "optim": set(),
    "optim.lr_scheduler": set(),
    "optim.swa_utils": set(),
    "distributions": set(),
    "utils.data": set(),
    "amp": {"autocast"},
    "quasirandom": set(),
}


@pytest.mark.parametrize("place", NAMED)
def test_classes_are_where_torch_has_them(place):
    theirs = importlib.import_module(f"torch.{place}")
    for name, cls in vars(importlib.import_module(f"lucid.{place}")).items():
        if isinstance(cls, type) and isinstance(vars(theirs).get(name), type) and cls.__module__.startswith("lucid"):
            module, qualified = cls.__module__.replace("lucid", "torch", 1), cls.__qualname__
            found = getattr(sys.modules.get(module), qualified, None)
            assert name in NAMED[place] or found is vars(theirs)[name], f"{name} says that it is {module}.{qualified}"
            assert pickle.loads(pickle.dumps(cls)) is cls
