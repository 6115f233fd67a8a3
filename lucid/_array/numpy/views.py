"""Views of numpy arrays, with torch's strides down to those of empty arrays and of dimensions of size 1."""

import math

import numpy as np

from ..._base import dtype as dtypes
from ..._base.shape import contiguous_strides, view_strides
from ..table import owner


class Views:
    """The words that read the same memory otherwise, and the services about memory; a base of the tables."""

    def strides(self, x):
        """Steps in elements. numpy says 0 for every dimension of a new empty array, torch what a full one has."""
        size = x.itemsize
        if not x.size and not any(x.strides):
            return contiguous_strides(x.shape)
        return tuple([s // size for s in x.strides])

    def reshape(self, x, shape):
        return x.reshape(shape)

    def view(self, x, shape):
        """x's memory in another shape, or None where torch cannot view it so."""
        if x.flags.c_contiguous and x.size and (not x.ndim or x.strides[-1] == x.itemsize) and x.shape != shape:
            return x.reshape(shape)
        if not x.size:
            x = measured(x)
        strides = view_strides(x.shape, x.strides, shape)
        if strides is None:
            return None
        if not x.ndim or not x.size and x.shape != shape:
            strides = tuple([s * x.itemsize for s in strides])
        return x.view() if strides == x.strides and x.shape == shape else strided(x, shape, strides)

    def permute(self, x, dims):
        return (x if x.size else measured(x)).transpose(dims)

    def transpose(self, x, dim0, dim1):
        return (x if x.size else measured(x)).swapaxes(dim0, dim1) if x.ndim else x.view()

    def expand(self, x, shape):
        if not x.ndim and x.__class__ is np.ndarray and x.flags.writeable:
            return np.ndarray(shape, x.dtype, x, 0, (0,) * len(shape))
        if x.shape == shape:
            return x.view()
        x = x if x.size else measured(x)
        new = len(shape) - x.ndim
        strides = (0,) * new + tuple([0 if n == 1 != m else s for n, s, m in zip(x.shape, x.strides, shape[new:])])
        if new and 1 in shape[:new]:  # torch: a new dimension of size 1 is unsqueezed, only longer ones repeat
            strides = list(strides)
            for i in range(new - 1, -1, -1):
                if shape[i] == 1:
                    strides[i] = strides[i + 1] * shape[i + 1] if i + 1 < len(shape) else x.itemsize
        return strided(x, shape, tuple(strides))

    def slice(self, x, dim, start, end, step):
        x = x if x.size else measured(x)
        out = x[start:end:step] if dim == 0 else x[(_WHOLE,) * dim + (slice(start, end, step),)]
        if step != 1 and not out.size:  # numpy forgets the step of an empty slice
            return strided(out, out.shape, (*x.strides[:dim], x.strides[dim] * step, *x.strides[dim + 1 :]))
        return out

    def select(self, x, dim, index):
        x = x if x.size else measured(x)
        return x[index, ...] if dim == 0 else x[(_WHOLE,) * dim + (index, ...)]

    def unsqueeze(self, x, dim):
        # torch gives the new dimension the stride of what follows it
        shape = (*x.shape[:dim], 1, *x.shape[dim:])
        if x.flags.c_contiguous and x.size and (not x.ndim or x.strides[-1] == x.itemsize) and 1 not in x.shape:
            return x.reshape(shape)
        x = x if x.size else measured(x)
        step = x.strides[dim] * x.shape[dim] if dim < x.ndim else x.itemsize
        return strided(x, shape, (*x.strides[:dim], step, *x.strides[dim:]))

    def squeeze(self, x, dim):
        return (x if x.size else measured(x)).squeeze(tuple([d for d in dim if x.shape[d] == 1]) if x.ndim else ())

    def diagonal(self, x, offset, dim1, dim2):
        out = (x if x.size else measured(x)).diagonal(offset, dim1, dim2)
        out.flags.writeable = x.flags.writeable
        return out

    def unfold(self, x, dim, size, step):
        if x.ndim == 0:
            return strided(x, (size,), (x.itemsize,))
        x = x if x.size else measured(x)
        count = (x.shape[dim] - size) // step + 1
        shape = (*x.shape[:dim], count, *x.shape[dim + 1 :], size)
        strides = (*x.strides[:dim], x.strides[dim] * step, *x.strides[dim + 1 :], x.strides[dim])
        return strided(x, shape, strides)

    def as_strided(self, x, size, stride, offset):
        """A window into the memory behind x; offset counts elements from x's first."""
        item = x.itemsize
        return window(x, size, tuple([s * item for s in stride]), offset * item)

    def view_as_real(self, x):
        return (x if x.size else measured(x))[..., None].view(self.sibling(self.dtype.to_real()).array_dtype)

    def view_as_complex(self, x):
        if x.strides[-1] != x.itemsize:  # a gradient that came back: it is read, and no view of anything
            x = x.copy()
        x = x if x.size else measured(x)
        return x.view(self.sibling(dtypes.complex_of(self.dtype)).array_dtype)[..., 0]

    def view_dtype(self, x, dtype):
        return x.view(self.sibling(dtype).array_dtype)

    def broadcast_to(self, x, shape):
        """x in this shape, not to be written to."""
        if not x.ndim and x.__class__ is np.ndarray and (shape[0] if len(shape) == 1 else math.prod(shape)) <= 4096:
            # quicker than a view of it
            out = np.empty(shape, x.dtype)
            out.fill(x)
            return out
        return self.expand(x, shape)

    def data_ptr(self, x):
        return x.__array_interface__["data"][0] if x.size else 0

    def storage_offset(self, x, home=None):
        """Elements from the start of the memory x lies in (home: where to count from) to x's first."""
        start = (owner(x) if home is None else home).__array_interface__["data"][0]
        return (x.__array_interface__["data"][0] - start) // x.itemsize

    def storage_bytes(self, x):
        """How many bytes the memory that x lies in has."""
        return owner(x).nbytes

    def apart(self, x):
        home = owner(x)
        if not x.size or not home.flags.c_contiguous:
            return x
        try:
            memory = memoryview(home)
        except (TypeError, ValueError):  # a type without the buffer protocol
            memory = memoryview(home.reshape(-1).view(np.uint8))
        other = np.frombuffer(memory, np.uint8)  # an owner, since its base is no array
        at = 0 if home is x else x.__array_interface__["data"][0] - home.__array_interface__["data"][0]
        return np.ndarray(x.shape, x.dtype, other, at, x.strides)

    def may_overlap(self, a, b):
        """Do the stretches of memory of two arrays meet?"""
        return np.may_share_memory(a, b)


_WHOLE = slice(None)


def measured(x):
    """An empty array with the strides that torch gives it (numpy's are all 0)."""
    if any(x.strides):
        return x
    strides = tuple([s * x.itemsize for s in contiguous_strides(x.shape)])
    return _nothing(x, x.shape, strides)


def _nothing(x, shape, strides):
    """An array without elements, of x's memory."""
    home = owner(x)
    if home.flags.c_contiguous:
        try:
            return np.ndarray(shape, x.dtype, home, 0, strides)
        except (TypeError, ValueError):  # a type without the buffer protocol
            pass
    return np.lib.stride_tricks.as_strided(np.empty(1, x.dtype), shape, strides)


def strided(x, shape, strides):
    """A view of x's elements with other byte strides."""
    if x.flags.c_contiguous and x.size:
        return np.ndarray(shape, x.dtype, x, 0, strides)
    return window(x, shape, strides, 0)


def window(x, shape, strides, offset):
    """A view of the memory that x lies in, `offset` bytes from x's first element; it may reach beyond x."""
    if 0 in shape:
        return _nothing(x, shape, strides)
    if offset == 0 and x.flags.c_contiguous and x.flags.writeable:
        try:
            return np.ndarray(shape, x.dtype, x, 0, strides)
        except (TypeError, ValueError):  # reaches beyond x, or a type without the buffer protocol
            pass
    root = owner(x)
    flat = root if root.ndim == 1 and root.flags.c_contiguous else root.ravel("K")
    start = x.__array_interface__["data"][0]
    if flat is root or flat.base is root:
        return np.ndarray(shape, x.dtype, flat, start + offset - flat.__array_interface__["data"][0], strides)
    holder = _Holder()
    holder.__array_interface__ = {
        **x.__array_interface__,
        "data": (start + offset, not x.flags.writeable),
        "shape": tuple(shape),
        "strides": tuple(strides),
    }
    holder.kept = x
    return np.asarray(holder).view(x.dtype)


class _Holder:
    """Lends numpy an address and keeps the memory behind it alive."""
