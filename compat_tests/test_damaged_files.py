"""Broken files: whatever is done to one, it loads, or an error says so that names it; `--all` tries a thousand damages."""

import collections
import io
import pickle
import random
import warnings
import zipfile

import pytest
import torch
from both import error

import lucid

REFUSALS = (RuntimeError, pickle.UnpicklingError)


def contents(m):
    """What the files hold: a state dict, an optimiser's, and odds and ends with shared memory."""
    m.manual_seed(0)
    net = m.nn.Sequential(m.nn.Linear(3, 4), m.nn.BatchNorm1d(4), m.nn.Linear(4, 2))
    optimiser = m.optim.Adam(net.parameters())
    net(m.ones(2, 3)).sum().backward()
    optimiser.step()
    base = m.arange(12, dtype=m.int16)
    odds = {"views": [base[2:5], base.view(3, 4).t()], "half": m.ones(3).bfloat16(), "complex": m.ones(2) * 1j}
    odds |= {"size": m.Size([2, 3]), "text": "running", "many": list(range(300)), "counter": collections.Counter("ab")}
    return {"state dict": net.state_dict(), "optimiser": optimiser.state_dict(), "odds": odds}


def files():
    """{name: bytes} of files that torch and lucid wrote, in both formats."""
    found = {}
    for m in (torch, lucid):
        for what, thing in contents(m).items():
            for zipped in (True, False):
                file = io.BytesIO()
                m.save(thing, file, _use_new_zipfile_serialization=zipped)
                found[f"{m.__name__} {what} {'zip' if zipped else 'legacy'}"] = file.getvalue()
    return found


def flipped(data, chance):
    data = bytearray(data)
    for _ in range(chance.choice([1, 1, 1, 5, 40])):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(data)


def overwritten(data, chance):
    at = chance.randrange(len(data))
    return data[:at] + chance.randbytes(n := chance.choice([1, 2, 8, 200])) + data[at + n :]


def cut_off(data, chance):
    return data[: chance.choice([chance.randrange(len(data)), chance.randrange(min(200, len(data)))])]


def cut_out(data, chance):
    at = chance.randrange(len(data))
    return data[:at] + data[at + chance.choice([1, 4, 100, 1000]) :]


def inserted(data, chance):
    at = chance.randrange(len(data))
    return data[:at] + chance.choice([chance.randbytes(5), b"\0" * 64, b"\n", data[:300]]) + data[at:]


def flipped_pickle(data, chance):
    """Damage where it does most, in the first kilobytes."""
    data = bytearray(data)
    for _ in range(chance.choice([1, 1, 2, 4])):
        data[chance.randrange(min(1500, len(data)))] = chance.randrange(256)
    return bytes(data)


def swapped_records(data, chance):
    """An archive whole in itself, whose records are those of others, damaged, missing or twice there."""
    if not data.startswith(b"PK"):
        return inserted(data, chance)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        records = [[name, archive.read(name)] for name in archive.namelist()]
    one, other = chance.sample(records, 2)
    match chance.randrange(5):
        case 0:
            one[1], other[1] = other[1], one[1]
        case 1:
            records.remove(one)
        case 2:
            one[1] = chance.choice(DAMAGES[:6])(one[1], chance) if one[1] else b"x"
        case 3:
            one[0] = other[0]
        case 4:  # the pickle, with a check sum that is right
            pickled = next(r for r in records if r[0].endswith("data.pkl"))
            pickled[1] = chance.choice(DAMAGES[:6])(pickled[1], chance)
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w", chance.choice([0, 0, 8])) as archive:
        warnings.simplefilter("ignore")  # of a name that is there twice
        for name, content in records:
            archive.writestr(name, content)
    return out.getvalue()


DAMAGES = [flipped, overwritten, cut_off, cut_out, inserted, flipped_pickle, swapped_records, swapped_records]


@pytest.mark.filterwarnings("ignore:Detected pickle protocol", "ignore:TypedStorage is deprecated")
def test_a_damaged_file_loads_or_says_so(examples, tmp_path):
    chance, whole = random.Random(examples.seed), files()
    path = tmp_path / "model.pt"
    refused = 0
    for n in range(examples.some(300, 1000)):
        name, damage = chance.choice(list(whole)), chance.choice(DAMAGES)
        path.write_bytes(damage(whole[name], chance))
        options = chance.choice([{}, {}, {}, {"weights_only": False}, {"mmap": True}, {"map_location": "meta"}])
        try:
            lucid.load(path, **options)
        except REFUSALS as said:
            refused += 1
            assert str(path) in str(said), f"{n}: {name}, {damage.__name__}, {options}: {said}"
        except Exception as wrong:
            pytest.fail(f"{n}: {name}, {damage.__name__}, {options}: {type(wrong).__name__}: {wrong}")
    assert refused > n / 3


def with_pickle(data):
    """A file that torch would write, but for its pickle."""
    whole, out = io.BytesIO(), io.BytesIO()
    torch.save(torch.ones(4), whole)
    with zipfile.ZipFile(whole) as archive, zipfile.ZipFile(out, "w") as made:
        for name in archive.namelist():
            made.writestr(name, data if name.endswith("data.pkl") else archive.read(name))
    return out.getvalue()


class Built:
    """Pickled as function(*args), then given a state."""

    def __init__(self, name, *args, state=None):
        self.name, self.args, self.state = name, args, state


def written(thing):
    """The opcodes for numbers, tuples, globals by name, the file's storage with a count, and calls."""
    match thing:
        case Built():
            module, _, name = thing.name.rpartition(".")
            code = f"c{module}\n{name}\n".encode()
            if thing.args or thing.state is None or thing.name == "torch.FloatTensor":
                code += written(thing.args) + b"R"
            return code if thing.state is None else code + written(thing.state) + b"b"
        case ("storage", count):
            return written((b"storage", "torch.FloatStorage", b"0", b"cpu", count)) + b"Q"
        case tuple():
            return b"(" + b"".join(map(written, thing)) + b"t"
        case bool():
            return b"\x88" if thing else b"\x89"
        case int():
            number = pickle.encode_long(thing)
            return b"\x8a" + bytes([len(number)]) + number
        case None:
            return b"N"
        case bytes():  # text
            return b"X" + len(thing).to_bytes(4, "little") + thing
        case str():  # a global
            return "c{}\n{}\n".format(*thing.rsplit(".", 1)).encode()
    raise TypeError(thing)


HUGE = 1 << 40
CLAIMS = {
    "storage": ("storage", HUGE),
    "storage of a negative size": ("storage", -HUGE),
    "tensor": Built("torch._utils._rebuild_tensor_v2", ("storage", 4), 0, (HUGE,), (1,), False, ()),
    "tensor from the end": Built("torch._utils._rebuild_tensor_v2", ("storage", 4), 3, (4,), (-2,), False, ()),
    "bytearray": Built("builtins.bytearray", HUGE),
    "bytearray through a subclass": Built(
        "torch._tensor._rebuild_from_type_v2", "builtins.bytearray", "torch.Tensor", (HUGE,), None
    ),
    "untyped storage": Built("torch.UntypedStorage", HUGE),
    "typed storage": Built("torch.TypedStorage", HUGE),
    "constructor": Built("torch.FloatTensor", 1 << 20, 1 << 20),
    "constructor with a Size": Built("torch.FloatTensor", Built("torch.Size", (1 << 20, 1 << 20))),
    "set_": Built("torch.FloatTensor", state=(("storage", 4), 0, (HUGE,), (1,))),
    "dense copy": Built(
        "torch._utils._rebuild_device_tensor_from_cpu_tensor",
        Built("torch._utils._rebuild_tensor_v2", ("storage", 4), 0, (HUGE,), (0,), False, ()),
        "torch.float64",
        Built("torch.device", b"cpu"),
        False,
    ),
}


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_pickle_cannot_claim_memory(claim, tmp_path):
    path = tmp_path / "claims.pt"
    path.write_bytes(with_pickle(b"\x80\x02" + written(CLAIMS[claim]) + b"."))
    said = error(lucid.load, path)
    assert isinstance(said, REFUSALS) and not isinstance(said, MemoryError) and str(path) in str(said)


def test_a_pickle_that_claims_little_is_read(tmp_path):
    made = Built("torch._utils._rebuild_tensor_v2", ("storage", 4), 1, (3,), (1,), False, ())
    path = tmp_path / "fine.pt"
    path.write_bytes(with_pickle(b"\x80\x02" + written(made) + b"."))
    assert lucid.load(path).tolist() == torch.load(path).tolist() == [1.0] * 3


@pytest.mark.parametrize("weights_only", [True, False])
def test_an_old_file_cannot_claim_memory(weights_only, tmp_path):
    file, path = io.BytesIO(), tmp_path / "old.pt"
    torch.save([torch.ones(3), *map(str, range(300))], file, _use_new_zipfile_serialization=False)
    count, memo = b"K\3N", b"r\0\1\0\0"
    claims = [(count, b"\x8a\6\0\0\0\0\0\1N"), (count, b"J\xff\xff\xff\xffN")]
    if not weights_only:  # pickle's own reader has a list of what was numbered
        claims.append((memo, b"r\0\1\0\x40"))
    for there, claim in claims:
        data = file.getvalue()
        assert there in data
        path.write_bytes(data.replace(there, claim, 1))
        said = error(lucid.load, path, weights_only=weights_only)
        assert isinstance(said, REFUSALS) and not isinstance(said, MemoryError) and str(path) in str(said)


def test_errors_stay_torchs_class(tmp_path):
    """Programs catch what torch raises: a missing class is an AttributeError too, an empty file an EOFError."""
    path = tmp_path / "x.pt"
    path.write_bytes(b"")
    for weights_only in (True, False):
        with pytest.raises(EOFError, match="Ran out of input") as caught:
            lucid.load(path, weights_only=weights_only)
        assert isinstance(caught.value, pickle.UnpicklingError) and str(path) in str(caught.value)
    torch.save({"a": Gone()}, path)
    kept = globals().pop("Gone")
    try:
        with pytest.raises(AttributeError, match="Gone") as caught:
            lucid.load(path, weights_only=False)
    finally:
        globals()["Gone"] = kept
    assert str(path) in str(caught.value)


class Gone:
    pass
