"""The format of torch before 1.6: pickles one after the other, then the storages; still what pickling a storage
writes."""

import os
import pickle
import struct
import sys

from .._array.numpy import memory
from .._base import dtype as dtypes
from . import names, restricted
from .damage import need_room
from .rebuild import loading
from .restricted import StorageType
from .typed import DTYPE_OF, LEGACY, TypedStorage
from .untyped import UntypedStorage

MAGIC_NUMBER = 0x1950A86A20F9469CFC6C
PROTOCOL_VERSION = 1001


def numbered(storage):
    """(untyped storage, dtype, class to name in the file, number of elements) of any storage."""
    if isinstance(storage, TypedStorage):
        return storage._untyped_storage, storage.dtype, LEGACY[storage._pickle_storage_type()], storage._size()
    return storage, dtypes.uint8, UntypedStorage, storage.nbytes()


def legacy_save(obj, file, pickle_module, protocol, location_tag):
    """Write obj in the old format."""
    storages, kinds = {}, {}

    def persistent_id(item):
        if not isinstance(item, (UntypedStorage, TypedStorage)):
            return None
        untyped, dtype, storage_type, count = numbered(item)
        if untyped.data_ptr() and kinds.setdefault(untyped.data_ptr(), dtype) is not dtype:
            raise RuntimeError("Cannot save multiple tensors or storages that view the same data as different types")
        key = str(untyped._cdata)
        storages.setdefault(key, (untyped, dtype))
        return "storage", storage_type, key, location_tag(untyped), count, None

    info = {
        "protocol_version": PROTOCOL_VERSION,
        "little_endian": sys.byteorder == "little",
        "type_sizes": {"short": struct.calcsize("=h"), "int": struct.calcsize("=i"), "long": struct.calcsize("=l")},
    }
    for part in (MAGIC_NUMBER, PROTOCOL_VERSION, info):
        pickle_module.dump(part, file, protocol=protocol)
    file.write(names.dumps(obj, pickle_module, protocol, persistent_id))
    keys = sorted(storages)
    pickle_module.dump(keys, file, protocol=protocol)
    for key in keys:
        untyped, dtype = storages[key]
        file.write(struct.pack("<q", untyped.nbytes() // dtype.itemsize))
        data = untyped._filled()
        file.write(data if sys.byteorder == "little" else memory.swapped(data, dtype.itemsize))


def legacy_load(file, restore, module, load_args):
    """Read an object in the old format from a file object."""
    storages, room = {}, _length_from_here(file)

    def persistent_load(pid):
        kind = pid[0].decode() if isinstance(pid[0], bytes) else pid[0]
        if kind == "module":  # the source of a container class, which torch only compares
            return pid[1]
        if kind != "storage":
            raise RuntimeError(f"Unknown saved id type: {kind}")
        storage_type, key, location, count, view = pid[1:]
        dtype = dtypes.uint8 if storage_type is UntypedStorage else storage_type.dtype
        if key not in storages:
            nonlocal room
            need_room(count * dtype.itemsize, room, f"the pickle's storage {key}")
            room -= count * dtype.itemsize
            location = location.decode() if isinstance(location, bytes) else location
            # Elements follow after the pickle; a storage on another device is filled before it moves there.
            storages[key] = restore(UntypedStorage(count * dtype.itemsize), location), dtype
        untyped = storages[key][0]
        if view is not None:
            view_key, offset, size = view
            if view_key not in storages:
                part = untyped[offset * dtype.itemsize : (offset + size) * dtype.itemsize]
                storages[view_key] = part, dtype
            untyped = storages[view_key][0]
        return TypedStorage(wrap_storage=untyped, dtype=dtype, _internal=True)

    def part():
        if module is restricted:
            return restricted.load(file, encoding=load_args["encoding"])
        if module is pickle:
            _check_memo(file)
        return names.unpickler(module, file, persistent_load, _storage_type, **load_args).load()

    magic = part()
    if magic != MAGIC_NUMBER:
        raise RuntimeError("Invalid magic number; corrupt file?")
    version = part()
    if version != PROTOCOL_VERSION:
        raise RuntimeError(f"Invalid protocol version: {version}")
    little = part().get("little_endian", True)
    before, loading.map_location = loading.map_location, None
    try:
        if module is restricted:
            reader = restricted.Unpickler(file, encoding=load_args["encoding"])
            reader.persistent_load = persistent_load
            result = reader.load()
        else:
            result = part()
    finally:
        loading.map_location = before
    for key in part():
        _fill(file, *storages[key], little)
    return result


def _length_from_here(file):
    at = file.tell()
    end = file.seek(0, os.SEEK_END)
    file.seek(at)
    return end - at


def _check_memo(file):
    """Refuse a pickle that numbers its objects into the millions: pickle makes room for all numbers below."""
    import pickletools

    at, most = file.tell(), _length_from_here(file)
    try:
        for op, number, _ in pickletools.genops(file):
            if op.name == "LONG_BINPUT" and number > most:
                raise pickle.UnpicklingError(f"memo key {number} in a pickle of at most {most} bytes")
    except (ValueError, struct.error):  # pickle itself says what is wrong
        pass
    file.seek(at)


def _fill(file, untyped, dtype, little):
    (count,) = struct.unpack("<q", file.read(8))
    nbytes = count * dtype.itemsize
    if nbytes != untyped.nbytes():
        raise RuntimeError(f"storage has wrong byte size: expected {untyped.nbytes()} got {nbytes}")
    data = file.read(nbytes)
    if len(data) != nbytes:
        raise RuntimeError(f"unexpected EOF, expected {nbytes - len(data)} more bytes. The file might be corrupted.")
    if untyped.device.type == "meta":
        return
    if untyped.device.type != "cpu":
        raise NotImplementedError(
            "files in the format before torch 1.6 are loaded with map_location='cpu'; move the tensors afterwards"
        )
    got = memory.bytes_over(data)
    untyped._filled()[...] = got if little == (sys.byteorder == "little") else memory.swapped(got, dtype.itemsize)


def _storage_type(name):
    return StorageType(name) if name in DTYPE_OF else None
