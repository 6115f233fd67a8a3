"""The bytes behind numpy arrays: what a storage shows, and arrays laid over bytes."""

import mmap
import os
import sys

import numpy as np

from ..._base.shape import ordered_strides
from ..table import owner as root_of
from .dlpack import readable
from .table import KINDS, TABLES

may_share = np.may_share_memory  # do the stretches of memory of two arrays meet?


def address(array) -> int:
    """Where the first element lies (0 for an empty array)."""
    return array.__array_interface__["data"][0] if array.size else 0


def in_order(d, *operands):
    """The result of an elementwise call, laid out as torch lays it out: the first operand that tells decides.

    Of two orders numpy takes the one that is row by row. (Only where an operand is not row by row can they differ.)
    """
    if d.ndim < 2 or all([a is None or a.flags.c_contiguous for a in operands]):
        return d
    shape = d.shape
    steps = [_steps(a, shape) for a in operands if a is not None and a.ndim]
    wanted = ordered_strides(shape, steps)
    size = d.itemsize
    if all([n < 2 or s == w * size for n, s, w in zip(shape, d.strides, wanted)]):
        return d
    outer_first = sorted(range(d.ndim), key=lambda i: -wanted[i])
    out = np.empty([shape[i] for i in outer_first], d.dtype).transpose(np.argsort(outer_first))
    out[...] = d
    return out


def _steps(a, shape):
    """The strides of an array that is broadcast to shape."""
    skip, size = len(shape) - a.ndim, a.itemsize
    return (0,) * skip + tuple([0 if n == 1 != m else s // size for n, s, m in zip(a.shape, a.strides, shape[skip:])])


def bytes_of(array, home=None):
    """All bytes of the memory behind `array` as a 1-D uint8 array that shares it.

    home: the array whose extent is the memory, when that is less than all of the root (an array from outside).
    """
    root = root_of(array)
    if not (root.flags.c_contiguous or root.ravel("K").base is not None):
        raise NotImplementedError("a storage over memory that is not dense (it came from outside numpy)")
    flat = root.ravel("K").view(np.uint8) if root.size else np.empty(0, np.uint8)
    if home is None or home is root or not home.size:
        return flat
    start = address(home) - address(root)
    extent = home.itemsize + sum((n - 1) * s for n, s in zip(home.shape, home.strides))
    return flat[start : start + extent]


def extent(shape, strides, offset, itemsize) -> int:
    """How many bytes from the start of its memory a tensor reaches."""
    if 0 in shape:
        return 0
    return (offset + 1 + sum((n - 1) * s for n, s in zip(shape, strides))) * itemsize


def laid_over(memory, dtype, offset, shape, strides):
    """The elements of `dtype` in `memory` (bytes) from the element at `offset` on, with these strides in elements."""
    kind = KINDS[dtype]
    size = kind.itemsize
    if extent(shape, strides, offset, size) > memory.size:
        raise RuntimeError(
            f"setStorage: sizes {list(shape)}, strides {list(strides)}, storage offset {offset}, and "
            f"itemsize {size} requiring a storage size of {extent(shape, strides, offset, size)} are "
            f"out of bounds for storage of size {memory.size}"
        )
    steps = tuple([s * size for s in strides])
    if 0 in shape:
        return np.ndarray(tuple(shape), kind, np.empty(1, kind), 0, steps)
    return np.ndarray(tuple(shape), kind, memory, offset * size, steps)


def relocated(array, old, new):
    """The part of the bytes `new` that lies as `array` does in the bytes `old`; the array itself if that is too far."""
    if not array.size:
        return array
    start = address(array) - address(old)
    if start + sum((n - 1) * s for n, s in zip(array.shape, array.strides)) + array.itemsize > new.size:
        return array
    return np.ndarray(array.shape, array.dtype, new, start, array.strides)


def new_bytes(n):
    """n uninitialised bytes."""
    return np.empty(n, np.uint8)


def bytes_over(buffer, offset=0, count=-1):
    """The bytes of any object with the buffer protocol, shared."""
    if memoryview(buffer).nbytes - offset == 0 or count == 0:
        return np.empty(0, np.uint8)
    return np.frombuffer(buffer, np.uint8, count, offset)


def mapped_file(path, shared, size):
    """The first `size` bytes of a file, read when touched; writes reach the file if shared, else stay in this
    process.

    A shared file that is missing or too short is made as long; RuntimeError for others.
    """
    if not size:
        return np.empty(0, np.uint8)
    try:
        with open(path, "ab" if shared else "rb") as file:
            there = file.seek(0, os.SEEK_END)
            if there < size and shared:
                file.truncate(size)
    except OSError as error:
        mode = "read-write" if shared else "read-only"
        raise RuntimeError(
            f"unable to open file <{os.fsdecode(path)}> in {mode} mode: {error.strerror} ({error.errno})"
        ) from None
    if there < size and not shared:
        raise RuntimeError(
            f"file <{os.fsdecode(path)}> size <{there}> is smaller than the required mapping size <{size}>"
        )
    if sys.platform == "win32":
        with open(path, "r+b" if shared else "rb") as file:
            return bytes_over(mmap.mmap(file.fileno(), size, access=mmap.ACCESS_WRITE if shared else mmap.ACCESS_COPY))
    with open(path, "r+b" if shared else "rb") as file:
        flags = mmap.MAP_SHARED if shared else mmap.MAP_PRIVATE
        return bytes_over(mmap.mmap(file.fileno(), size, flags, mmap.PROT_READ | mmap.PROT_WRITE))


def swapped(memory, itemsize):
    """The bytes with the order within each element turned round."""
    if itemsize == 1:
        return memory
    return np.ascontiguousarray(memory[: memory.size // itemsize * itemsize].reshape(-1, itemsize)[:, ::-1]).reshape(-1)


def typed(memory, dtype):
    """The bytes read as elements of `dtype` (a rest that fills no element is left out)."""
    kind = KINDS[dtype]
    return memory[: memory.size // kind.itemsize * kind.itemsize].view(kind)


def cast_bytes(memory, dtype, to):
    """The elements in another type, as bytes of their own."""
    return TABLES[KINDS[dtype]].cast(typed(memory, dtype), to).reshape(-1).view(np.uint8)


def to_python(memory, dtype):
    """The elements as a list of Python numbers."""
    elements = typed(memory, dtype)
    return elements.tolist() if elements.dtype.kind in "biufc" else readable(elements).tolist()


def from_python(values, dtype):
    """Python numbers as bytes of elements of `dtype`."""
    return TABLES[KINDS[dtype]].from_python(values).reshape(-1).view(np.uint8)


def contiguous_bytes(array):
    """A copy of an array's elements in row-major order, as bytes."""
    return np.array(array, order="C").reshape(-1).view(np.uint8)
