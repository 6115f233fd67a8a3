"""save and load: any picklable object in torch's file format, both ways exchangeable with torch."""

import contextlib
import enum
import io
import os
import pickle
import re
import sys
import warnings

from .._array.lookup import MAKERS
from .._base import dtype as dtypes
from .._base.device import device as device_type
from . import archive, names, restricted
from .damage import naming, need_room
from .legacy import legacy_load, legacy_save, numbered
from .rebuild import loading
from .restricted import StorageType
from .typed import DTYPE_OF, TypedStorage
from .untyped import UntypedStorage

DEFAULT_PROTOCOL = 2
UNSAFE_MESSAGE = (
    "In PyTorch 2.6, we changed the default value of the `weights_only` argument in `torch.load` from `False` to "
    "`True`. Re-running `torch.load` with `weights_only` set to `False` will likely succeed, but it can result in "
    "arbitrary code execution. Do it only if you got the file from a trusted source."
)
_DOCS = (
    "\n\nCheck the documentation of torch.load to learn more about types accepted by default with weights_only "
    "https://pytorch.org/docs/stable/generated/torch.load.html."
)


class LoadEndianness(enum.Enum):
    """The byte order of files that do not say theirs."""

    NATIVE = 1
    LITTLE = 2
    BIG = 3


class Options:
    """What `torch.utils.serialization.config` holds."""

    endianness = None
    mmap = False
    compute_crc32 = True


options = Options()


def get_default_load_endianness():
    """The LoadEndianness of files without a mark, or None (little)."""
    return options.endianness


def set_default_load_endianness(endianness):
    """Set the LoadEndianness of files without a mark."""
    if not isinstance(endianness, LoadEndianness) and endianness is not None:
        raise TypeError("Invalid argument type in function set_default_load_endianness")
    options.endianness = endianness


def get_crc32_options():
    """Does save write check sums? (lucid always does.)"""
    return options.compute_crc32


def set_crc32_options(compute_crc32):
    """Accepted for torch's sake; lucid always writes check sums."""
    options.compute_crc32 = compute_crc32


# ---- where storages go

_PLACES: list = []  # (priority, tagger(storage) -> str or None, restorer(storage, location) -> storage or None)


def register_package(priority, tagger, deserializer):
    """Add a kind of place: how storages on it are tagged when saved, and put back when loaded; low priorities come
    first."""
    _PLACES.append((priority, tagger, deserializer))
    _PLACES.sort(key=lambda p: p[0])


def location_tag(storage):
    """The name of the storage's place, as files have it."""
    for _, tagger, _ in _PLACES:
        tag = tagger(storage)
        if tag:
            return tag
    raise RuntimeError(f"don't know how to determine data location of torch.storage.{type(storage).__name__}")


def default_restore_location(storage, location):
    """The storage, which was read to the CPU, on the place that `location` names."""
    for _, _, restore in _PLACES:
        found = restore(storage, location)
        if found is not None:
            return found
    raise RuntimeError(
        f"don't know how to restore data location of torch.storage.{type(storage).__name__} (tagged with {location})"
    )


def _is_place(name, location):
    return location == name or re.match(rf"{name}(:|[0-9]+)", location) is not None


def _simple(name):
    def tag(storage):
        return str(storage.device) if storage.device.type == name else None

    def restore(storage, location):
        if not _is_place(name, location):
            return None
        return storage if name == "cpu" else storage.to(device=device_type(location))

    return tag, restore


def _registered():
    """Places that `register_device` added."""

    def tag(storage):
        return str(storage.device) if storage.device.type in MAKERS else None

    def restore(storage, location):
        return storage.to(device=device_type(location)) if location.partition(":")[0] in MAKERS else None

    return tag, restore


def _absent(name):
    def restore(storage, location):
        if _is_place(name, location):
            raise RuntimeError(
                f"Attempting to deserialize object on a {name.upper()} device but torch.{name}.is_available() is "
                "False. If you are running on a CPU-only machine, please use torch.load with "
                "map_location=torch.device('cpu') to map your storages to the CPU."
            )

    return lambda storage: None, restore


for _priority, _name in ((10, "cpu"), (21, "mps"), (22, "meta"), (23, "mlx")):
    register_package(_priority, *_simple(_name))
register_package(40, *_registered())
for _priority, _name in ((20, "cuda"), (24, "hpu"), (25, "xpu"), (26, "mtia")):
    register_package(_priority, *_absent(_name))


def _restorer(map_location):
    """restore(storage, location) -> storage, for any form of map_location."""
    if map_location is None:
        return default_restore_location
    if isinstance(map_location, dict):
        return lambda storage, location: default_restore_location(storage, map_location.get(location, location))
    if isinstance(map_location, (str, bytes, device_type)):
        return lambda storage, location: default_restore_location(storage, str(map_location))

    def restore(storage, location):
        found = map_location(storage, location)
        return default_restore_location(storage, location) if found is None else found

    return restore


# ---- save


def _is_path(f):
    return isinstance(f, (str, os.PathLike))


def save(
    obj,
    f,
    pickle_module=pickle,
    pickle_protocol=DEFAULT_PROTOCOL,
    _use_new_zipfile_serialization=True,
    _disable_byteorder_record=False,
):
    """save(obj, f, pickle_module=pickle, pickle_protocol=2): write obj to a path or a file object, as torch would.

    Tensors keep their strides and share memory after loading where they shared it before. A file that exists is
    replaced only once the new one is whole.
    """
    if not _is_path(f) and not hasattr(f, "write"):
        raise AttributeError("expected 'f' to be string, path, or a file-like object with a 'write' attribute")
    path = os.fspath(f) if _is_path(f) else None

    def put(file):
        if _use_new_zipfile_serialization:
            _save_zip(obj, file, _archive_name(path), pickle_module, pickle_protocol, not _disable_byteorder_record)
        else:
            legacy_save(obj, file, pickle_module, pickle_protocol, location_tag)

    if path is None:
        put(f)
        if hasattr(f, "flush"):
            f.flush()
        return
    with archive.Replacing(path) as file:
        put(file)


def _archive_name(path):
    """The folder inside the archive, named after the file."""
    if path is None:
        return "archive"
    base = os.path.basename(os.fsdecode(path))
    return base.rpartition(".")[0] or base or "archive"


def _save_zip(obj, file, name, pickle_module, protocol, byteorder):
    storages, keys, kinds = {}, {}, {}

    def persistent_id(item):
        if not isinstance(item, (UntypedStorage, TypedStorage)):
            return None
        untyped, dtype, storage_type, count = numbered(item)
        key = keys.setdefault(untyped._cdata, str(len(keys)))
        _one_dtype(kinds, untyped, dtype)
        storages[key] = untyped
        return "storage", storage_type, key, location_tag(untyped), count

    data = names.dumps(obj, pickle_module, protocol, persistent_id)
    writer = archive.Writer(file, name)
    writer.record("data.pkl", data)
    writer.record(".format_version", b"1")
    writer.record(".storage_alignment", str(archive.ALIGNMENT).encode())
    if byteorder:
        writer.record("byteorder", sys.byteorder.encode())
    for key, untyped in storages.items():
        writer.record(f"data/{key}", untyped._copied_out())
    writer.record("version", b"3\n")
    writer.record(".data/serialization_id", str(int.from_bytes(os.urandom(17), "big")).zfill(40)[-40:].encode())
    writer.finish()


def _one_dtype(kinds, untyped, dtype):
    if untyped.data_ptr() and kinds.setdefault(untyped.data_ptr(), dtype) is not dtype:
        raise RuntimeError("Cannot save multiple tensors or storages that view the same data as different types")


# ---- load


def load(f, map_location=None, pickle_module=None, *, weights_only=None, mmap=None, **pickle_load_args):
    """load(f, map_location=None, pickle_module=None, *, weights_only=True, mmap=False): the object that `save` wrote.

    map_location: a device, its name, {saved place: place}, or function(storage, place) -> storage or None.
    weights_only: build only tensors, plain containers and what add_safe_globals allows (the default unless
    pickle_module is given); anything else raises UnpicklingError. mmap: read the tensors' memory from the file when it
    is touched.
    """
    weights_only = _wants_weights_only(weights_only, pickle_module)
    if weights_only:
        if pickle_module is not None:
            raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
        if pickle_load_args:
            warnings.warn("pickle_load_args only works if `weights_only=False`.", stacklevel=2)
    module = restricted if weights_only else pickle_module or pickle
    pickle_load_args.setdefault("encoding", "utf-8")
    mmap = options.mmap if mmap is None else mmap
    if _is_path(f):
        if os.fspath(f).endswith(".safetensors") if isinstance(os.fspath(f), str) else False:
            raise RuntimeError(
                "Attempting to load a safetensors file but safetensors is not installed. Please "
                "install safetensors with: pip install safetensors"
            )
        with open(f, "rb") as file, naming(f):
            return _load_opened(file, f, map_location, module, mmap, pickle_load_args)
    _check_seekable(f)
    with naming(f):
        return _load_opened(f, f, map_location, module, mmap, pickle_load_args)


def _wants_weights_only(given, pickle_module):
    wanted = pickle_module is None if given is None else given
    true = ("1", "y", "yes", "true")
    force = os.getenv("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "0").lower() in true
    never = os.getenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "0").lower() in true
    if force and never:
        raise RuntimeError(
            "Only one of `TORCH_FORCE_WEIGHTS_ONLY_LOAD` or `TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD` should "
            "be set, but both were set."
        )
    if force:
        return True
    if never and given is None:
        warnings.warn(
            "Environment variable TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD detected, since the`weights_only` argument was "
            "not explicitly passed to `torch.load`, forcing weights_only=False.",
            UserWarning,
            stacklevel=3,
        )
        return False
    return wanted


def _check_seekable(f):
    try:
        f.seek(f.tell())
    except (io.UnsupportedOperation, AttributeError) as error:
        if "seek" in str(error) or "tell" in str(error):
            raise type(error)(
                f"{error}. You can only torch.load from a file that is seekable. Please pre-load the "
                "data into a buffer like io.BytesIO and try to load from it instead."
            ) from None
        raise


def _load_opened(file, f, map_location, module, mmap, load_args):
    try:
        start = file.tell()
        head = file.read(4)
        file.seek(start)
        if head != b"PK\3\4":
            if mmap:
                name = f"{f}, " if isinstance(f, str) else ""
                raise RuntimeError(
                    "mmap can only be used with files saved with "
                    f"`torch.save({name}_use_new_zipfile_serialization=True), please torch.save your "
                    "checkpoint with this option in order to use mmap."
                )
            return legacy_load(file, _restorer(map_location), module, load_args)
        whole = None
        reader = archive.Reader(file if start == 0 else io.BytesIO(file.read()))
        if reader.has("constants.pkl"):
            raise NotImplementedError(
                "this file is a TorchScript archive (torch.jit.save); lucid reads what torch.save wrote"
            )
        if mmap:
            if not _is_path(f):
                raise ValueError("f must be a file path in order to use the mmap argument")
            whole = UntypedStorage.from_file(f, False, os.path.getsize(f))
        return _load_zip(reader, map_location, module, whole, load_args)
    except pickle.UnpicklingError as error:
        if module is restricted:
            raise pickle.UnpicklingError(_explained(str(error))) from None
        raise


def _explained(message):
    """torch's advice around what the restricted unpickler said."""
    if re.search(r"GLOBAL (\S+) was not an allowed global by default.", message):
        text = (
            "Weights only load failed. This file can still be loaded, to do so you have two options, \033[1mdo "
            f"those steps only if you trust the source of the checkpoint\033[0m. \n\t(1) {UNSAFE_MESSAGE}\n\t(2) "
            "Alternatively, to load with `weights_only=True` please check the recommended steps in the following "
            "error message.\n\tWeightsUnpickler error: " + message
        )
    else:
        text = f"Weights only load failed. {UNSAFE_MESSAGE}\n"
        if not re.search(r"whose module (\S+) is blocked", message):
            text += (
                "Please file an issue with the following so that we can make `weights_only=True` compatible with "
                "your use case: WeightsUnpickler error: "
            )
        text += "\n\n" + message
    return text + _DOCS


def _byte_order(reader):
    if reader.has("byteorder"):
        order = reader.record("byteorder").decode()
        if order not in ("little", "big"):
            raise ValueError("Unknown endianness type: " + order)
        return order
    return {LoadEndianness.BIG: "big", LoadEndianness.NATIVE: sys.byteorder}.get(options.endianness, "little")


def _load_zip(reader, map_location, module, whole, load_args):
    restore, order, found = _restorer(map_location), _byte_order(reader), {}
    to_meta = str(map_location) == "meta"

    def read(dtype, key, location, nbytes):
        name = f"data/{key}"
        if to_meta:
            return UntypedStorage(nbytes, device="meta")
        need_room(nbytes, reader.size(name), f"the pickle's storage {key}")
        if whole is not None:
            at = reader.offset(name)
            need_room(at + nbytes, whole.nbytes(), f"record {name}")
            storage = whole[at : at + nbytes]
        else:
            storage = UntypedStorage(nbytes)
            reader.into(name, storage._filled())
        if order != sys.byteorder:
            storage.byteswap(dtype)
        return restore(storage, location)

    def persistent_load(pid):
        kind, storage_type, key, location, count = pid
        kind, location = (x.decode() if isinstance(x, bytes) else x for x in (kind, location))
        if kind != "storage":
            raise AssertionError(f"Unknown typename for persistent_load, expected 'storage' but got '{kind}'")
        dtype = dtypes.uint8 if storage_type is UntypedStorage else storage_type.dtype
        if key not in found:
            found[key] = read(dtype, key, location, count * dtype.itemsize)
        return TypedStorage(wrap_storage=found[key], dtype=dtype, _internal=True)

    return unpickled(io.BytesIO(reader.record("data.pkl")), module, persistent_load, map_location, load_args)


def unpickled(file, module, persistent_load, map_location, load_args):
    """The object in a pickle whose storages persistent_load knows."""
    before, loading.map_location = loading.map_location, map_location
    try:
        if module is restricted:
            unpickler = restricted.Unpickler(file, encoding=load_args["encoding"])
            unpickler.persistent_load = persistent_load
            return unpickler.load()
        return names.unpickler(module, file, persistent_load, _storage_type, **load_args).load()
    finally:
        loading.map_location = before


def _storage_type(name):
    return StorageType(name) if name in DTYPE_OF else None


save.__module__ = load.__module__ = __name__.partition(".")[0] + ".serialization"


def get_unsafe_globals_in_checkpoint(f):
    """get_unsafe_globals_in_checkpoint(f) -> list of the full names in a file that weights_only loading would
    refuse."""
    with open(f, "rb") if _is_path(f) else contextlib.nullcontext(f) as file:
        start = file.tell()
        if file.read(4) != b"PK\3\4":
            raise ValueError("Expected input to be a checkpoint returned by torch.save")
        file.seek(start)
        with naming(f):
            reader = archive.Reader(file)
            data = None if reader.has("constants.pkl") else reader.record("data.pkl")
            names = data and restricted.unsafe(restricted.globals_of(io.BytesIO(data)))
        if data is None:
            raise ValueError(
                "Expected input to be a checkpoint returned by torch.save but got a torchscript checkpoint"
            )
        return names
