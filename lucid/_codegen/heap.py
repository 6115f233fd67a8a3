"""The C library's heap, told to keep what was freed: a step of training takes the memory that the last one gave back.

By itself glibc returns large pieces to the system as soon as they are freed, and the next step pays for each page anew:
a third of a training step's time was seen to go there.
"""

import ctypes
import functools

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # names of glibc's malloc.h
KEPT, LARGEST = 256 << 20, 32 << 20  # bytes that stay; pieces beyond the second are always given back (glibc's maximum)


@functools.cache
def keep_freed_memory():
    """Do so, once in a process; nothing where the C library is another one."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError, TypeError):
        return
    mallopt(_MMAP_THRESHOLD, LARGEST)
    mallopt(_TRIM_THRESHOLD, KEPT)
