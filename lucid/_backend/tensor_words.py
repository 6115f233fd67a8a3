"""Tensors as a vocabulary: every word answered by the op of that name, so that a gradient rule records a graph of its
own.
"""

from .._array.table import Table
from .._base.state import local
from .registry import FUNCTIONS, WORDS


class TensorWords(Table):
    """Every word answered by the op of that name, so that a gradient rule records a graph of its own."""

    backend, records, is_half = "tensor", True, False
    array_dtype = device_group = None

    def __init__(self, k):
        self.k, self.dtype, self.device, self.inexact, self.is_complex = k, k.dtype, k.device, k.inexact, k.is_complex

    @property
    def has_data(self):
        """Are there numbers to look at? A rule that goes by them is none for a graph."""
        if not self.k.has_data and local.dispatch_modes and local.dispatch_modes[-1].sees_own_ops:
            raise NotImplementedError("a gradient that depends on the numbers of a tensor cannot be traced")
        return self.k.has_data

    def __getattr__(self, word):
        try:
            f = WORDS.get(word) or FUNCTIONS[word]
        except KeyError:
            raise NotImplementedError(
                f"the word '{word}' has no op yet, so this cannot be differentiated twice"
            ) from None
        return f

    def _new(self, name, *args):
        return FUNCTIONS[name](*args, dtype=self.dtype, device=self.device)

    def scalar(self, value):
        return value

    def asarray(self, value):
        return value

    def zeros(self, shape):
        return self._new("zeros", shape)

    def ones(self, shape):
        return self._new("ones", shape)

    def full(self, shape, value):
        return self._new("full", shape, value)

    def empty(self, shape):
        return self._new("zeros", shape)

    def eye(self, n, m=None):
        return self._new("eye", n, n if m is None else m)

    def arange(self, n):
        return self._new("arange", n)

    def cast(self, x, dtype):
        return x if x.dtype is dtype else FUNCTIONS["cast"](x, dtype)

    def scatter_reduce(self, x, dim, index, src, reduce, include_self):
        return FUNCTIONS["scatter_reduce"](x, dim, index, src, reduce, include_self=include_self)

    def var_dim(self, x, dim, keepdim, correction):
        """The word's options in the order of the function's."""
        return FUNCTIONS["var_dim"](x, dim, correction, keepdim)

    def std_dim(self, x, dim, keepdim, correction):
        return FUNCTIONS["std_dim"](x, dim, correction, keepdim)

    def count_nonzero(self, x, dim, keepdim):
        return FUNCTIONS["sum"](x != 0, dim, keepdim)

    def median_dim(self, x, dim, keepdim, ignore_nan):
        return FUNCTIONS["nanmedian" if ignore_nan else "median"](x, dim, keepdim)

    def mode_dim(self, x, dim, keepdim):
        return FUNCTIONS["mode"](x, dim, keepdim)

    def max_pool(self, x, kernel, stride, padding, dilation, out_size):
        n = len(kernel)
        room = [s + 2 * p - d * (k - 1) - 1 for s, k, p, d in zip(x.shape[-n:], kernel, padding, dilation)]
        up = any(size > r // step + 1 for size, r, step in zip(out_size, room, stride))
        found = FUNCTIONS[f"max_pool{n}d"](x.reshape(-1, 1, *x.shape[-n:]), kernel, stride, padding, dilation, up)
        return found.reshape(*x.shape[:-n], *found.shape[-n:])

    def index_reduce(self, x, dim, index, src, reduce, include_self):
        return FUNCTIONS["index_reduce"](x, dim, index, src, reduce, include_self=include_self)

    @property
    def bool(self):
        return words_of(self.k.bool)

    def sibling(self, dtype):
        return words_of(self.k.sibling(dtype))

    def of(self, x):
        return words_of(x._table)

    def strides(self, x):
        return x.stride()

    def import_from(self, x, k):
        """A Tensor of another device's table k, on this one."""
        return FUNCTIONS["transfer"](x, self.device)

    def as_strided(self, x, size, stride, offset):
        """The word counts the offset from x's first element; the public function from the storage's."""
        return FUNCTIONS["window"](x, size, stride, offset, x.stride())

    def as_strided_scatter(self, x, src, size, stride, offset, in_stride):
        return FUNCTIONS["window_scatter"](x, src, size, stride, offset, in_stride)

    def conj(self, x):
        return FUNCTIONS["conj"](x) if x._table.is_complex else x

    def real(self, x):
        return FUNCTIONS["real"](x) if x._table.is_complex else x


_WORDS: dict = {}


def words_of(k) -> TensorWords:
    """The vocabulary of Tensors for table k."""
    found = _WORDS.get(k)
    if found is None:
        found = _WORDS[k] = TensorWords(k)
    return found
