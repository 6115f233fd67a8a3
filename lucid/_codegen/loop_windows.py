"""Max pooling as loops: windows of few elements, whose greatest is found again where it is needed."""

import itertools
import math

from .._base import dtype as dtypes
from .._base.dtype import bool_, int64
from .._base.shape import contiguous_strides
from . import index as places
from .loop_places import called, guarded

WINDOW = 25  # elements of a window that are written out one by one


class Windows:
    """The words of LoopWords for max pooling."""

    def max_pool(self, x, kernel, stride, padding, dilation, out_size):
        if math.prod(kernel) > WINDOW:
            return called("max_pool")(self, x, kernel, stride, padding, dilation, out_size)
        out = super().max_pool(x, kernel, stride, padding, dilation, out_size)
        out.body = lambda ops, i: _winner(ops, x.dtype, _window(ops, x, i, kernel, stride, padding, dilation))[0]
        return out

    def max_pool_indices(self, x, out, kernel, stride, padding, dilation):
        if math.prod(kernel) > WINDOW or any(padding):  # in a window of -inf padding must not win
            return called("max_pool_indices")(self, x, out, kernel, stride, padding, dilation)
        places = super().max_pool_indices(x, out, kernel, stride, padding, dilation)
        places.body = lambda ops, i: _winner(ops, x.dtype, _window(ops, x, i, kernel, stride, padding, dilation))[1]
        return places

    def max_pool_backward(self, g, x, out, kernel, stride, padding, dilation):
        n = len(kernel)
        apart = all(k <= s and d == 1 and not p for k, s, d, p in zip(kernel, stride, dilation, padding))
        if math.prod(kernel) > WINDOW or not apart:
            return called("max_pool_backward")(self, g, x, out, kernel, stride, padding, dilation)
        made = super().max_pool_backward(g, x, out, kernel, stride, padding, dilation)

        def body(ops, index):
            words = ops.sibling(x.dtype)
            window = (*index[:-n], *[i // s for i, s in zip(index[-n:], stride)])
            own = places.offset(index[-n:], contiguous_strides(x.shape[-n:]))

            def read():
                _, where = _winner(ops, x.dtype, _window(ops, x, window, kernel, stride, padding, dilation))
                here = ops.sibling(int64).eq(where, ops.number(own))
                return words.where(here, words.cast(g.at(ops, window), x.dtype), words.scalar(0))

            for i, many in zip(window[-n:], out.shape[-n:]):
                read = guarded(ops, x.dtype, i, 0, many, read, 0)
            return read()

        made.body = body
        return made


def _window(ops, x, index, kernel, stride, padding, dilation):
    """[(value, place over the last dimensions)] of the elements of a window of max pooling, -inf beyond the edges."""
    n, found = len(kernel), []
    outer, inner, sizes = index[:-n], index[-n:], x.shape[-n:]
    least = x.k.lowest
    for taps in itertools.product(*[range(k) for k in kernel]):
        at = [i * s - p + t * d for i, s, p, t, d in zip(inner, stride, padding, taps, dilation)]
        read = lambda at=at: x.at(ops, (*outer, *at))  # noqa: E731
        for i, size in zip(at, sizes):
            if i.low < 0 or i.high >= size:
                read = guarded(ops, x.dtype, i, 0, size, read, least)
        found.append((read(), places.offset(at, contiguous_strides(sizes))))
    return found


def _winner(ops, dtype, window):
    """(the greatest value, the place of the first such one); a NaN wins."""
    words, numbers = ops.sibling(dtype), ops.sibling(int64)
    (best, where), *rest = window
    where = ops.number(where)
    for value, place in rest:
        wins = words.gt(value, best)
        if dtype.category >= dtypes.FLOATING:
            wins = ops.sibling(bool_).logical_or(wins, words.isnan(value))
        best, where = words.where(wins, value, best), numbers.where(wins, ops.number(place), where)
    return best, where
