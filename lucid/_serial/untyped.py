"""The memory of tensors as an object, counted in bytes: UntypedStorage, and which one belongs to a tensor."""

import sys
import weakref

from .._array.lookup import table
from .._array.numpy import memory, shared
from .._array.numpy.shared import note
from .._array.numpy.table import table as cpu_table
from .._backend.registry import FUNCTIONS
from .._base import dtype as dtypes
from .._base.device import cpu
from .._base.device import device as device_type
from .._base.shape import contiguous_strides
from .._tensor.mirror import memory_of, mirror_of
from .._tensor.storage import Storage, extra, moved, storage_of
from .._tensor.tensor import wrap

# What identifies a memory -> its UntypedStorage, so that there is one at a time.
_ALIVE = weakref.WeakValueDictionary()
_SHARED = weakref.WeakSet()  # Storages of no bytes that are said to be shared


class _Plain:
    """An object as Python makes it."""


PLAIN_SIZE = object.__sizeof__(_Plain())


class _StorageBase:
    """What storages of bytes are, by torch's name in Python."""

    __module__ = "lucid.storage"
    __slots__ = ()


class StorageBase(_StorageBase):
    """The C half of a storage of bytes; in lucid it has nothing of its own."""

    __module__ = "lucid._C"
    __slots__ = ()


class UntypedStorage(StorageBase):
    """UntypedStorage(size=0), UntypedStorage(bytes): memory, counted and indexed in bytes.

    A tensor's own comes from `tensor.untyped_storage()`. On a device other than the CPU its bytes are a copy, made when
    the storage was asked for.
    """

    is_cuda = is_sparse = is_sparse_csr = is_hpu = False

    def __init__(self, *args, device=None):
        self._device = device_type(device or "cpu")
        self._home = Storage()
        self._roots = {}
        given = args[0] if args else 0
        if isinstance(given, int) and not isinstance(given, bool):
            if given < 0:
                raise RuntimeError(f"Storage size must not be negative, but got {given}")
            self._nbytes = given
            self._bytes = None if self._device.type == "meta" else memory.new_bytes(given)
            return
        values = list(given)
        for v in values:
            if not isinstance(v, int):
                raise RuntimeError(
                    f"torch.UntypedStorage(): tried to construct a storage from a sequence ({type(given).__name__}), "
                    f"but one of the items was of type {type(v).__name__} instead of int"
                )
        self._bytes = memory.from_python(values, dtypes.uint8)
        self._nbytes = len(values)

    @classmethod
    def _over(cls, data, home=None, place=cpu):
        """A storage over existing bytes."""
        made = object.__new__(cls)
        made._bytes, made._nbytes, made._device = data, data.size, place
        made._home, made._roots = home or Storage(), {}
        if home is None and memory.root_of(data) is not data:
            made._home.owner = data  # part of a larger memory: offsets count from its start
        return made

    # ---- size and place

    def nbytes(self):
        """nbytes() -> int"""
        return self._nbytes

    size = __len__ = nbytes

    def __sizeof__(self):
        return PLAIN_SIZE + 8 + self._nbytes  # torch's has a pointer besides

    def element_size(self):
        return 1

    @property
    def device(self):
        return self._device

    def get_device(self):
        return -1 if self._device.type == "cpu" else self._device.index or 0

    def data_ptr(self):
        """data_ptr() -> int: the address of the first byte, 0 when there is none (as on other devices than the CPU)."""
        return memory.address(self._bytes) if self._device.type == "cpu" else 0

    @property
    def _cdata(self):
        """A number that tells storages apart."""
        return self.data_ptr() or id(self) if self._device.type == "cpu" else id(self._home)

    filename = None

    def _get_filename(self):
        return None

    def resizable(self):
        return True

    def is_pinned(self, device="cuda"):
        return False

    def pin_memory(self, device=None):
        raise RuntimeError("Cannot access accelerator device when none is available.")

    def untyped(self):
        return self

    # ---- elements

    def _filled(self):
        if self._bytes is None:
            raise NotImplementedError("Not available for 'meta' device type")
        return self._bytes

    def __getitem__(self, index):
        data = self._filled()
        if isinstance(index, slice):
            start, stop, step = index.indices(self._nbytes)
            if step != 1:
                raise RuntimeError(f"Trying to slice with a step of {step}, but only a step of 1 is supported")
            return UntypedStorage._over(data[start : max(start, stop)])
        return int(data[self._place(index)])

    def __setitem__(self, index, value):
        if self._device.type == "meta":
            return
        if not isinstance(value, int):
            raise RuntimeError(f"can only set storage content with a int types, but got {type(value).__name__} instead")
        if isinstance(index, slice):
            self[index].fill_(value)
        else:
            self._filled()[self._place(index)] = value & 255

    def _place(self, index):
        if not isinstance(index, int):
            raise TypeError(f"can't index a torch.UntypedStorage with {type(index).__name__}")
        at = index + self._nbytes if index < 0 else index
        if not 0 <= at < self._nbytes:
            raise IndexError(f"index {index} out of range for storage of size {self._nbytes}")
        return at

    def __iter__(self):
        return iter(self.tolist())

    def tolist(self):
        """tolist() -> list of the bytes as ints."""
        return self._filled().tolist()

    def fill_(self, value):
        """fill_(value) -> self, every byte set to value."""
        if self._device.type == "meta":
            return self
        self._filled()[...] = value & 255
        return self

    def copy_(self, source, non_blocking=None):
        """copy_(source) -> self, overwritten by the bytes of a storage of the same size."""
        source = source.untyped()
        if source.nbytes() != self._nbytes:
            raise RuntimeError(
                f"size does not match, self was {self._nbytes} bytes but src was {source.nbytes()} bytes"
            )
        if self._device.type != "meta":
            self._filled()[...] = source._copied_out()
        return self

    def _copied_out(self):
        """The bytes, for another place."""
        if self._bytes is None:
            raise NotImplementedError("Cannot copy out of meta tensor; no data!")
        return self._bytes

    def clone(self):
        """clone() -> UntypedStorage: a copy."""
        if self._bytes is None:
            return UntypedStorage(self._nbytes, device=self._device)
        return UntypedStorage._over(self._bytes.copy(), place=self._device)

    def new(self):
        return UntypedStorage(device=self._device)

    def resize_(self, size):
        """resize_(size) -> self, of another number of bytes; the first ones stay, and tensors that fit into the new
        size follow."""
        if self._bytes is None:
            self._nbytes = size
            return self
        if self.is_shared():
            raise RuntimeError("Trying to resize storage that is not resizable")
        data, old = memory.new_bytes(size), self._bytes
        kept = min(size, self._nbytes)
        data[:kept] = old[:kept]
        self._move_to(data)
        return self

    def _move_to(self, data):
        """Take other bytes, and the tensors along that are read from these."""
        old = self._bytes
        family = getattr(self._home, "family", ())  # with the Storages of `.data`
        for home in {self._home, *(ref() for ref in family)} - {None}:
            _move_tensors(home, old, data)
        _ALIVE.pop(("cpu", self.data_ptr(), self._nbytes), None)
        self._bytes, self._nbytes = data, data.size
        if data.size:
            _ALIVE["cpu", self.data_ptr(), data.size] = self

    def byteswap(self, dtype):
        """byteswap(dtype): turn round the bytes of each element, in place."""
        if self._device.type == "meta":
            raise RuntimeError(f"the length of data is not a multiple of {dtype.itemsize}")
        self._filled()[...] = memory.swapped(self._bytes, dtype.itemsize // (2 if dtype.is_complex else 1))

    # ---- sharing, files

    def is_shared(self):
        """is_shared() -> bool: is the memory one that processes can share?"""
        if self._device.type != "cpu" or not self._nbytes:
            return self._home in _SHARED
        return shared.is_noted(self._bytes)

    def share_memory_(self):
        """share_memory_() -> self, its memory now shared with the processes that it is sent to, or that are forked."""
        if self._device.type == "meta":
            raise RuntimeError("_share_fd_: only available on CPU")
        if not self._nbytes:
            _SHARED.add(self._home)
        elif self._device.type == "cpu" and not self.is_shared():
            self._file()
        return self

    def _file(self):
        """The file that the memory is in, by which another process can map it; it moves to a new one if need be."""
        file = shared.file_of(self._bytes)
        if file is None:
            data, file = shared.new_memory(self._nbytes)
            data[...] = self._filled()
            self._move_to(data)
        return file

    @classmethod
    def _of_file(cls, fd, size):
        """The storage in a file that another process has sent: memory that is here already stays the memory it is."""
        file = shared.File(fd)
        data = shared.array_of(file)
        if data is None:
            data = shared.mapped(fd, size)
            shared.note(data, file)
        return _ALIVE.get(("cpu", memory.address(data), data.size)) or cls._over(data)

    @classmethod
    def _new_shared(cls, size, *, device="cpu"):
        """A storage of `size` bytes in memory that processes can share."""
        if device_type(device).type != "cpu":
            return cls(size, device=device)
        made = cls(0) if not size else cls._over(shared.new_memory(size)[0])
        return made.share_memory_()

    @classmethod
    def from_file(cls, filename, shared=False, nbytes=0):
        """from_file(filename, shared=False, nbytes=0) -> UntypedStorage over the file's first bytes, read when
        touched; shared: writes reach the file, which is made as long where it is too short."""
        made = cls._over(memory.mapped_file(filename, shared, nbytes))
        if shared and nbytes:
            note(made._bytes, None)
        return made

    @classmethod
    def from_buffer(cls, buffer, byte_order=None, *, dtype=None, count=-1, offset=0):
        """from_buffer(buffer, byte_order, dtype=...) -> UntypedStorage: a copy of a buffer's elements, in native
        order."""
        return cls._over(_from_buffer(buffer, byte_order, dtype or dtypes.uint8, count, offset))

    # ---- other places and types

    def cpu(self):
        """cpu() -> UntypedStorage on the CPU: self if it is there."""
        if self._device.type == "cpu":
            return self
        return UntypedStorage._over(self._copied_out().copy())

    def to(self, *, device, non_blocking=False):
        """to(device=...) -> UntypedStorage on that device."""
        place = device_type(device)
        if place == self._device:
            return self
        table(dtypes.uint8, place)  # torch's error for a device that is not there
        if place.type == "meta":
            return UntypedStorage(self._nbytes, device=place)
        return UntypedStorage._over(self._copied_out().copy(), place=place)

    def cuda(self, device=None, non_blocking=False):
        return self.to(device=device_type("cuda") if device is None else device)

    def mps(self):
        return self.to(device="mps")

    def type(self, dtype=None, non_blocking=False):
        """type() -> str"""
        if dtype is not None:
            raise TypeError("an UntypedStorage has no element type to convert; ask for .float(), .long() ...")
        return "torch.storage.UntypedStorage"

    # ---- tensors

    def _tensor(self, dtype, offset=0, size=None, stride=None, grow=False):
        """The tensor of `dtype` that reads this memory (all of it, in one dimension, without a size).

        grow: enlarge the memory when the tensor would reach beyond it (what `set_` does) instead of raising.
        """
        if size is None:
            size = ((self._nbytes - offset * dtype.itemsize) // dtype.itemsize,)
        size = tuple(size)
        stride = contiguous_strides(size) if stride is None else tuple(stride)
        if self._device.type == "meta":
            return FUNCTIONS["empty_strided"](size, stride, dtype=dtype, device=self._device)
        if self._device.type != "cpu":
            if dtype not in self._roots:
                self._roots[dtype] = UntypedStorage._over(self._bytes)._tensor(dtype).to(self._device)
            return FUNCTIONS["as_strided"](self._roots[dtype], size, stride, offset)
        room = memory.extent(size, stride, offset, dtype.itemsize)
        if grow and room > self._nbytes:
            self.resize_(room)
        if self._nbytes:
            _ALIVE.setdefault(("cpu", self.data_ptr(), self._nbytes), self)
        t = wrap(memory.laid_over(self._bytes, dtype, offset, size, stride), cpu_table(dtype))
        extra(t).storage = self._home
        self._home.add(t)
        return t

    _as_tensor = _tensor

    def __deepcopy__(self, memo):
        known = memo.setdefault("torch", {})
        if not self._nbytes:
            return self.clone()
        if self._cdata not in known:
            known[self._cdata] = self.clone()
        return known[self._cdata]

    _deepcopy = __deepcopy__

    def __copy__(self):
        return self.clone()

    def __repr__(self):
        shown = "..." if self._bytes is None else "\n ".join(map(str, self._bytes.tolist()))
        return f" {shown}\n[torch.storage.UntypedStorage(device={self._device}) of size {self._nbytes}]".replace(
            " ...", "...", 1
        )


def _move_tensors(home, old, data):
    """Let the tensors of a Storage be read from other bytes than the old ones."""
    mirrors = {mirror for _, mirror in home.mirrors.arrays} if home.mirrors is not None else set()
    for t in home.tensors():
        if t._table.device != cpu:
            continue
        before, mirror = memory_of(t), mirror_of(t)
        if mirror is not None:
            mirrors.add(mirror)
            continue
        after = memory.relocated(before, old, data)
        t._array = t._table.apart(after) if home.uncounted else after
        if not home.uncounted and after is not before:
            moved(t, before)
    for mirror in mirrors:  # whose values stay
        mirror.memory = memory.relocated(mirror.memory, old, data)
    home.owner = None


def _from_buffer(buffer, byte_order, dtype, count, offset):
    if byte_order is None and dtype.itemsize > 1:
        raise RuntimeError("function missing required argument 'byte_order' (pos 2)")
    if byte_order not in (None, "native", "little", "big"):
        raise ValueError(f"invalid byte_order '{byte_order}' (expected 'big', 'little', or 'native')")
    view = memoryview(buffer).cast("B")
    data = memory.bytes_over(view, offset, -1 if count < 0 else count * dtype.itemsize).copy()
    if data.size % dtype.itemsize:
        raise ValueError(f"buffer size ({data.size}) must be a multiple of element size ({dtype.itemsize})")
    if byte_order in (None, "native", sys.byteorder):
        return data
    return memory.swapped(data, dtype.itemsize // (2 if dtype.is_complex else 1))


def of_tensor(t) -> UntypedStorage:
    """The storage behind tensor t: the same object as long as someone holds it."""
    if t._table.is_transform:
        raise NotImplementedError("Cannot access storage of a tensor inside a transform")
    place, home = t._table.device, storage_of(t)
    if place.type == "meta":
        found = _ALIVE.get(("meta", id(home)))
        if found is None:
            extent = memory.extent(
                t._array.shape, t._table.strides(t._array), t.storage_offset(), t._table.dtype.itemsize
            )
            found = _ALIVE["meta", id(home)] = UntypedStorage(extent, device=place)
            found._home = home
        return found
    if place.type != "cpu":
        owner = t._array if t._array.base is None else t._array.base
        data = memory.contiguous_bytes(t._table.to_numpy(t._table.as_strided(owner, (owner.size,), (1,), 0)))
        found = _ALIVE.get((place, id(home)))
        if found is None:
            found = _ALIVE[place, id(home)] = UntypedStorage._over(data, home, place)
        found._bytes = data
        return found
    data = memory.bytes_of(memory_of(t), home.owner)
    if not data.size:
        return UntypedStorage._over(data, home)
    key = ("cpu", memory.address(data), data.size)
    found = _ALIVE.get(key)
    if found is None:
        found = _ALIVE[key] = UntypedStorage._over(data, home)
    return found


def place_of(t):
    """(storage offset, strides) of tensor t in its storage, in elements."""
    return t.storage_offset() if t.numel() else 0, t.stride()


UntypedStorage.__module__ = "lucid.storage"  # where torch has it
