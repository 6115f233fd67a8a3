"""Convolution of numpy arrays in one, two or three dimensions, and its two gradients, as matrix products.

The input is unrolled ("im2col") a few images at a time, so that the unrolled block stays in the cache, and multiplied
by the weights. Where the first dimension has stride 1 only the others are unrolled: its taps are then contiguous
slices of the unrolled rows, which saves most of the copying. All three functions are linear in each of their two
arrays.
"""

import itertools
import math

import numpy as np

from .products import matmul
from .table import install

BLOCK = 1 << 18  # elements of an unrolled block: what a second-level cache holds
SLIDE_FROM = 24  # unrolled rows per slide below which one larger product beats several small ones


# [f(word, a, b, shape of the result, stride, padding, dilation, groups) -> the result, None where it is left to us]
direct = []


def conv(self, x, w, stride, padding, dilation, groups):
    """The cross-correlation of x (N, C, *size) with w (O, C/groups, *kernel): (N, O, *out_size)."""
    if direct:
        reach = [n + 2 * p for n, p in zip(x.shape[2:], padding)]
        shape = (x.shape[0], w.shape[0], *out_sizes(reach, w.shape[2:], stride, dilation))
        if (found := direct[0]("conv", x, w, shape, stride, padding, dilation, groups)) is not None:
            return found
    if max(w.shape[2:]) == 1 and not any(padding):
        x = x[(..., *[slice(None, None, s) for s in stride])]
        return _grouped(w, x, groups).reshape(x.shape[0], w.shape[0], *x.shape[2:])
    return _correlate(x, w, stride, [(p, p) for p in padding], dilation, groups)


def conv_input(self, g, w, size, stride, padding, dilation, groups):
    """The gradient of conv for an input of spatial `size`, given g (N, O, *out_size); the transposed convolution."""
    kernel = w.shape[2:]
    if direct:
        shape = (g.shape[0], w.shape[1] * groups, *size)
        if (found := direct[0]("conv_input", g, w, shape, stride, padding, dilation, groups)) is not None:
            return found
    if max(stride) == 1:
        reach = [d * (k - 1) for d, k in zip(dilation, kernel)]
        pads = [(r - p, n + p - m) for r, p, n, m in zip(reach, padding, size, g.shape[2:])]
        return _correlate(g, _mirrored(w, groups), stride, pads, dilation, groups)
    return _scattered(g, w, size, stride, padding, dilation, groups)


def conv_weight(self, g, x, kernel, stride, padding, dilation, groups):
    """The gradient of conv for weights of spatial size `kernel`, given g (N, O, *out_size) and the input x."""
    n, o, c = g.shape[0], g.shape[1], x.shape[1]
    if direct:
        shape = (o, c // groups, *kernel)
        if (found := direct[0]("conv_weight", g, x, shape, stride, padding, dilation, groups)) is not None:
            return found
    unrolled = Unrolled(x, kernel, stride, [(p, p) for p in padding], dilation, groups, g.shape[2:])
    total = np.zeros((unrolled.slides, groups, o // groups, unrolled.rows), g.dtype)
    if not total.size or not g.size:
        return total.reshape(o, c // groups, *kernel)
    g = g.reshape(n, groups, o // groups, -1)
    for images, parts in unrolled.blocks():
        for i, part in enumerate(parts):
            product = matmul(g[images], part.swapaxes(-1, -2))
            total[i] += product[0] if product.shape[0] == 1 else np.add.reduce(product, 0)
    return unrolled.weights_back(total, (o, c // groups, *kernel))


def _grouped(w, x, groups):
    """A kernel of size one: a product with each image's (C, pixels) matrix."""
    n, c, o = x.shape[0], x.shape[1], w.shape[0]
    if groups == 1:
        return matmul(w.reshape(o, c), x.reshape(n, c, math.prod(x.shape[2:])))
    x = x.reshape(n, groups, c // groups, math.prod(x.shape[2:]))
    return matmul(w.reshape(groups, o // groups, c // groups), x)


def _mirrored(w, groups):
    """Weights with which correlating gives the transposed convolution: taps mirrored, channels in and out swapped."""
    o, c = w.shape[:2]
    w = w[(..., *[slice(None, None, -1)] * (w.ndim - 2))].reshape(groups, o // groups, c, *w.shape[2:])
    return w.swapaxes(1, 2).reshape(groups * c, o // groups, *w.shape[3:])


def _correlate(x, w, stride, pads, dilation, groups):
    """Cross-correlation with its own (before, after) padding per dimension; a negative one crops."""
    n, o, kernel = x.shape[0], w.shape[0], w.shape[2:]
    size = out_sizes([m + lo + hi for m, (lo, hi) in zip(x.shape[2:], pads)], kernel, stride, dilation)
    unrolled = Unrolled(x, kernel, stride, pads, dilation, groups, size)
    out = np.empty((n, groups, o // groups, math.prod(size)), x.dtype)
    if not out.size:
        return out.reshape(n, o, *size)
    if not unrolled.rows:
        return np.zeros((n, o, *size), x.dtype)
    weights = unrolled.weights(w)
    for images, parts in unrolled.blocks():
        target = out[images]
        matmul(weights[0], parts[0], out=target)
        for i in range(1, len(parts)):
            target += matmul(weights[i], parts[i])
    return out.reshape(n, o, *size)


def im2col(self, x, kernel, dilation, padding, stride):
    """The windows of x (N, C, *size) as columns: (N, C * taps, windows)."""
    padded = Padder(x, [(p, p) for p in padding], x.shape[0])(slice(None))
    size = out_sizes(padded.shape[2:], kernel, stride, dilation)
    unrolled = windows(padded, kernel, stride, dilation, size)
    return unrolled.reshape(x.shape[0], x.shape[1] * math.prod(kernel), math.prod(size))


def col2im(self, columns, size, kernel, dilation, padding, stride):
    """The transpose of im2col: columns added back where they came from, (N, C, *size)."""
    n, c = columns.shape[0], columns.shape[1] // math.prod(kernel)
    out_size = out_sizes([m + 2 * p for m, p in zip(size, padding)], kernel, stride, dilation)
    return _gather_taps(columns.reshape(n, c, *kernel, *out_size), size, stride, padding, dilation)


def out_sizes(size, kernel, stride, dilation):
    """How many windows fit along each dimension."""
    return tuple([(n - d * (k - 1) - 1) // s + 1 for n, k, s, d in zip(size, kernel, stride, dilation)])


def windows(x, kernel, stride, dilation, size):
    """A view (N, C, *kernel, *size) of all windows of x (N, C, *room)."""
    steps = x.strides[2:]
    strides = (*x.strides[:2], *[d * s for d, s in zip(dilation, steps)], *[m * s for m, s in zip(stride, steps)])
    return np.lib.stride_tricks.as_strided(x, (*x.shape[:2], *kernel, *size), strides)


def _gather_taps(columns, size, stride, padding, dilation):
    """columns (N, C, *kernel, *out_size) added up where each tap of each window lies: (N, C, *size)."""
    dims = len(size)
    kernel, out_size = columns.shape[2 : 2 + dims], columns.shape[2 + dims :]
    room = [
        max(m + 2 * p, (l - 1) * s + d * (k - 1) + 1)
        for m, p, l, s, d, k in zip(size, padding, out_size, stride, dilation, kernel)
    ]
    padded = np.zeros((*columns.shape[:2], *room), columns.dtype)
    for tap in itertools.product(*map(range, kernel)):
        where = [slice(i * d, i * d + s * (l - 1) + 1, s) for i, d, s, l in zip(tap, dilation, stride, out_size)]
        padded[(..., *where)] += columns[(slice(None), slice(None), *tap)]
    return padded[(..., *[slice(p, p + m) for p, m in zip(padding, size)])]


def _scattered(g, w, size, stride, padding, dilation, groups):
    """The gradient for the input with any stride: a product per block of images, taps added where they came from."""
    n, o, kernel, c = g.shape[0], g.shape[1], w.shape[2:], w.shape[1] * groups
    out_size = g.shape[2:]
    turned = np.ascontiguousarray(w.reshape(groups, o // groups, -1).swapaxes(1, 2))
    g = g.reshape(n, groups, o // groups, math.prod(out_size))
    out = np.empty((n, c, *size), g.dtype)
    if not g.size or not out.size:
        return np.zeros((n, c, *size), g.dtype)
    step = max(1, BLOCK // max(1, c * math.prod(kernel) * math.prod(out_size)))
    for first in range(0, n, step):
        images = slice(first, min(first + step, n))
        columns = matmul(turned, g[images]).reshape(-1, c, *kernel, *out_size)
        out[images] = _gather_taps(columns, size, stride, padding, dilation)
    return out


class Unrolled:
    """An input laid out so that a convolution is a few matrix products.

    `blocks()` gives (a slice of images, parts); part i has shape (images, groups, rows, pixels) and goes with
    weights(w)[i] of shape (groups, out channels per group, rows). There are `slides` parts, each a view of one buffer.
    """

    def __init__(self, x, kernel, stride, pads, dilation, groups, size):
        self.x, self.pads, self.groups, self.size = x, pads, groups, tuple(size)
        per_group = x.shape[1] // groups
        rest = per_group * math.prod(kernel[1:])
        self.slides = kernel[0] if stride[0] == 1 and kernel[0] > 1 and rest >= SLIDE_FROM else 1
        self.sliding = self.slides > 1
        self.kernel = tuple(kernel[1:] if self.sliding else kernel)
        self.rows = rest if self.sliding else per_group * math.prod(kernel)
        self.stride, self.dilation = stride, dilation
        self.padded = tuple([n + lo + hi for n, (lo, hi) in zip(x.shape[2:], pads)])

    def weights(self, w):
        """w (O, C/groups, *kernel) as (slides, groups, O/groups, rows)."""
        if self.sliding:
            w = np.moveaxis(w, 2, 0)
        return np.ascontiguousarray(w).reshape(self.slides, self.groups, -1, self.rows)

    def weights_back(self, total, shape):
        """The inverse of `weights`, for a gradient."""
        if self.sliding:
            return np.ascontiguousarray(np.moveaxis(total.reshape(shape[2], *shape[:2], *shape[3:]), 0, 2))
        return total.reshape(shape)

    def blocks(self):
        """See the class."""
        x, groups, size = self.x, self.groups, self.size
        n, c = x.shape[:2]
        first_rows = self.padded[0] if self.sliding else size[0]
        each = c * math.prod(self.kernel) * first_rows * math.prod(size[1:])
        step = min(n, max(1, BLOCK // each)) if each else n
        pixels, line = math.prod(size), math.prod(size[1:])
        buffer = np.empty((step, c, *self.kernel, first_rows, *size[1:]), x.dtype)
        pad = Padder(x, self.pads, step)
        for first in range(0, n, step):
            images = slice(first, min(first + step, n))
            count = images.stop - first
            block = pad(images)
            columns = buffer[:count]
            if self.sliding and not self.kernel and block.flags.c_contiguous:
                columns = block  # one dimension: the rows themselves
            else:
                np.copyto(columns, self._view(block))
            columns = columns.reshape(count, groups, self.rows, -1)
            if self.sliding:
                reach = self.dilation[0] * line
                yield images, [columns[..., i * reach : i * reach + pixels] for i in range(self.slides)]
            else:
                yield images, [columns]

    def _view(self, block):
        """The windows of a padded block; when sliding, its first dimension whole."""
        if not self.sliding:
            return windows(block, self.kernel, self.stride, self.dilation, self.size)
        n, c, rows = block.shape[:3]
        steps = block.strides[3:]
        taps = [d * s for d, s in zip(self.dilation[1:], steps)]
        moves = [m * s for m, s in zip(self.stride[1:], steps)]
        return np.lib.stride_tricks.as_strided(
            block, (n, c, *self.kernel, rows, *self.size[1:]), (*block.strides[:2], *taps, block.strides[2], *moves)
        )


class Padder:
    """Blocks of images with zeros around them, in one buffer that is used again; negative widths crop."""

    def __init__(self, x, pads, step):
        self.x, self.buffer = x, None
        self.source = tuple([slice(max(0, -lo), n - max(0, -hi)) for n, (lo, hi) in zip(x.shape[2:], pads)])
        if any(lo > 0 or hi > 0 for lo, hi in pads):
            room = [n + lo + hi for n, (lo, hi) in zip(x.shape[2:], pads)]
            self.buffer = np.zeros((step, x.shape[1], *room), x.dtype)
            self.inside = tuple(
                [slice(max(0, lo), max(0, lo) + max(0, s.stop - s.start)) for (lo, _), s in zip(pads, self.source)]
            )

    def __call__(self, images):
        block = self.x[(images, slice(None), *self.source)]
        if self.buffer is None:
            return block
        out = self.buffer[: block.shape[0]]
        out[(..., *self.inside)] = block
        return out


install((conv, conv_input, conv_weight, im2col, col2im))
