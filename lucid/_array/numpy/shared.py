"""Memory that processes share: files without a name, which end with the last process that holds them."""

import mmap
import os
import sys
import tempfile
import weakref

import numpy as np

from .memory import address, bytes_over, root_of


class File:
    """An open descriptor of such a file, closed with this object, and what tells the file from others."""

    def __init__(self, fd):
        self.fd, there = fd, os.fstat(fd)
        self.key = there.st_dev, there.st_ino

    def __del__(self, close=os.close):
        close(self.fd)


# Address of a mapping -> (weak reference to its array, its File or None when that is closed).
_mappings = {}
_by_file = weakref.WeakValueDictionary()  # a File's key -> the array of its mapping


def note(array, file):
    """Remember that all of an array is memory that processes share."""
    at = address(array)

    def forget(ref):
        if at in _mappings and _mappings[at][0] is ref:
            del _mappings[at]

    _mappings[at] = weakref.ref(array, forget), file
    if file is not None:
        _by_file[file.key] = array


def is_noted(array):
    """Is an array part of memory that was noted?"""
    return _found(root_of(array))[0] is not None


def _found(root):
    """(mapping, File) of the memory that an array has from its start on; the array may be another owner of it."""
    ref, file = _mappings.get(address(root), (None, None))
    mapping = None if ref is None else ref()
    return (None, None) if mapping is None else (mapping, file)


def file_of(array):
    """The File whose mapping an array is as a whole, or None."""
    mapping, file = _found(array)
    return file if mapping is not None and mapping.size == array.size else None


def array_of(file):
    """The mapping of a file that is here already, or None."""
    return _by_file.get(file.key)


# The flag of Linux that brings a mapping's pages in at once, which costs a third of touching them one by one.
_POPULATE = getattr(mmap, "MAP_POPULATE", 0)
_libc = []


def new_memory(n):
    """(array, File) of n zero bytes that processes share; without a File where only forked processes could."""
    if not hasattr(mmap, "MAP_SHARED"):
        array, file = bytes_over(mmap.mmap(-1, n)), None
    else:
        file = File(new_file(n))
        array = mapped(file.fd, n, populate=True)
    note(array, file)
    return array, file


def new_file(n):
    """A descriptor of a new file of n zero bytes in memory; MemoryError where there is no room for it.

    On Linux it is not in /dev/shm, whose size is often kept small.
    """
    if hasattr(os, "memfd_create"):
        fd = os.memfd_create("lucid", os.MFD_CLOEXEC)
    else:
        with tempfile.TemporaryFile() as file:
            fd = os.dup(file.fileno())
    try:
        os.ftruncate(fd, n)
    except OSError as error:
        os.close(fd)
        raise MemoryError(f"unable to allocate shared memory of {n} bytes: {error}") from error
    return fd


def _library():
    """C's own mmap and munmap: Python's mmap keeps a descriptor open for every mapping, and there are few of these."""
    if not _libc:
        import ctypes

        c = ctypes.CDLL(None, use_errno=True)
        c.mmap.restype, c.munmap.restype = ctypes.c_void_p, ctypes.c_int
        c.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_longlong]
        c.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        _libc.append((ctypes, c))
    return _libc[0]


def mapped(fd, n, populate=False):
    """The first n bytes of a file as an array; writes reach every process that has mapped it. The descriptor may be
    closed afterwards."""
    if not n:
        return np.empty(0, np.uint8)
    flags = mmap.MAP_SHARED | (_POPULATE if populate else 0)
    if sys.version_info >= (3, 13):
        return bytes_over(mmap.mmap(fd, n, flags, trackfd=False))
    ctypes, c = _library()
    address = c.mmap(None, n, mmap.PROT_READ | mmap.PROT_WRITE, flags, fd, 0)
    if address in (None, ctypes.c_void_p(-1).value):
        raise MemoryError(f"unable to map shared memory of {n} bytes: {os.strerror(ctypes.get_errno())}")
    block = (ctypes.c_ubyte * n).from_address(address)
    # At exit the system unmaps; until then an array may still be in use.
    weakref.finalize(block, c.munmap, address, n).atexit = False
    return np.frombuffer(block, np.uint8)
