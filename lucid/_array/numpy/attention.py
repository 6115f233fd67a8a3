"""Attention with numpy arrays: two batched products and a softmax that works in place."""

import numpy as np

from ..fallbacks import SPELLED
from .table import HalfWords, install, recomputing

_BEYOND: dict = {}


def _beyond(rows, columns):
    """True where a column lies behind its row: what a causal mask hides."""
    found = _BEYOND.get((rows, columns))
    if found is None:
        if len(_BEYOND) > 64:
            _BEYOND.clear()
        found = _BEYOND[rows, columns] = ~np.tri(rows, columns, dtype=bool)
    return found


def _softmax_in_place(s):
    """softmax over the last dimension, zeros where all is -inf; s is used up."""
    if not s.size:
        return s
    top = np.maximum.reduce(s, -1, None, None, True)
    if not np.isfinite(top).all():
        top = np.where(top == -np.inf, s.dtype.type(0), top)
    s -= top
    np.exp(s, out=s)
    total = np.matmul(s, np.ones((s.shape[-1], 1), s.dtype))
    np.copyto(total, 1, where=total == 0)
    s /= total
    return s


def attention(self, q, k, v, mask, causal, scale):
    """See fallbacks.py."""
    s = np.matmul(q * q.dtype.type(scale), k.swapaxes(-1, -2))
    if causal:
        np.copyto(s, -np.inf, where=_beyond(*s.shape[-2:]))
    if mask is not None:
        s = np.add(s, mask, s) if np.broadcast_shapes(s.shape, mask.shape) == s.shape else s + mask
    p = _softmax_in_place(s)
    return np.matmul(p, v), p


def attention_backward(self, g, q, k, v, mask, p, causal, scale):
    """See fallbacks.py."""
    to_s = np.matmul(g, v.swapaxes(-1, -2))
    to_s -= np.einsum("...ij,...ij->...i", p, to_s)[..., None]
    to_s *= p
    to_s *= q.dtype.type(scale)
    return np.matmul(to_s, k), np.matmul(to_s.swapaxes(-1, -2), q), np.matmul(p.swapaxes(-1, -2), g)


install((attention, attention_backward))
HalfWords.attention_backward = recomputing(SPELLED["attention_backward"])
