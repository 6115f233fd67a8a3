"""Attention with numpy arrays: two batched products and a softmax that works in place."""

import numpy as np

from .products import matmul
from .table import HalfWords, install

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
    total = matmul(s, np.ones((s.shape[-1], 1), s.dtype))
    np.copyto(total, 1, where=total == 0)
    s /= total
    return s


def attention(self, q, k, v, mask, causal, scale):
    """See fallbacks.py."""
    s = matmul(q * q.dtype.type(scale), k.swapaxes(-1, -2))
    if causal:
        np.copyto(s, -np.inf, where=_beyond(*s.shape[-2:]))
    if mask is not None:
        s = np.add(s, mask, s) if np.broadcast_shapes(s.shape, mask.shape) == s.shape else s + mask
    p = _softmax_in_place(s)
    return matmul(p, v), p


def attention_backward(self, g, q, k, v, mask, p, causal, scale):
    """See fallbacks.py."""
    to_s = matmul(g, v.swapaxes(-1, -2))
    to_s -= np.einsum("...ij,...ij->...i", p, to_s)[..., None]
    to_s *= p
    to_s *= q.dtype.type(scale)
    return matmul(to_s, k), matmul(to_s.swapaxes(-1, -2), q), matmul(p.swapaxes(-1, -2), g)


install((attention, attention_backward))


# ---- halves, as torch's blocks of queries round them


def _weights(q, k, mask, causal, scale):
    """(exponentials of float32 scores below the greatest of each row, their sums; 1 for a row without any)"""
    s = matmul(q, k.swapaxes(-1, -2))
    s *= q.dtype.type(scale)
    if causal:
        np.copyto(s, -np.inf, where=_beyond(*s.shape[-2:]))
    s = s if mask is None else s + mask
    top = s.max(-1, keepdims=True, initial=-np.inf)
    s -= np.where(np.isneginf(top), 0, top).astype(s.dtype)
    np.exp(s, s)
    total = s.sum(-1, keepdims=True)
    return s, np.where(total == 0, total.dtype.type(1), total)


def _attention_of_halves(self, q, k, v, mask, causal, scale):
    """See fallbacks.py; the exponentials are rounded before they meet v."""
    q, k, v, mask = map(self.widen, (q, k, v, mask))
    weights, total = _weights(q, k, mask, causal, scale)
    out = matmul(self.widen(self.narrow(weights)), v) / total
    return self.narrow(out), self.narrow(weights / total)


def _attention_of_halves_backward(self, g, q, k, v, mask, p, causal, scale):
    """See fallbacks.py; what k and v receive is rounded after each block of queries."""
    g, q, k, v, mask = map(self.widen, (g, q, k, v, mask))
    weights, total = _weights(q, k, mask, causal, scale)
    out = self.widen(self.narrow(matmul(self.widen(self.narrow(weights)), v) / total))
    p = weights / total
    to_s = matmul(g, v.swapaxes(-1, -2))
    to_s -= np.einsum("...ij,...ij->...i", g, out)[..., None]
    to_s *= p
    to_s *= q.dtype.type(scale)
    to_s, p = self.widen(self.narrow(to_s)), self.widen(self.narrow(p))
    n = q.shape[-2]
    step = 256 if n >= 768 else 64 if n >= 192 else 32
    to_k = to_v = None
    for start in range(0, n, step):
        rows = (..., slice(start, start + step), slice(None))
        of_k, of_v = (matmul(a[rows].swapaxes(-1, -2), b[rows]) for a, b in ((to_s, q), (p, g)))
        to_k = self.narrow(of_k if to_k is None else of_k + self.widen(to_k))
        to_v = self.narrow(of_v if to_v is None else of_v + self.widen(to_v))
    if to_k is None:
        return self.narrow(matmul(to_s, k)), self.narrow(np.zeros_like(k)), self.narrow(np.zeros_like(v))
    return self.narrow(matmul(to_s, k)), to_k, to_v


HalfWords.attention, HalfWords.attention_backward = _attention_of_halves, _attention_of_halves_backward
