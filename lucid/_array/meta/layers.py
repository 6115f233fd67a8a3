"""The sizes that layer kernels give: convolution, pooling and unfolding on the `meta` device."""

import math

from ..._base import dtype as dtypes
from ..fallbacks import SPELLED
from . import spectral  # noqa: F401 - it adds its words
from .linalg import LinalgShapes
from .table import MetaWords, like_format, table


def windows(size, kernel, stride, padding, dilation):
    """How many windows fit along each dimension."""
    return tuple(
        [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d in zip(size, kernel, stride, padding, dilation)]
    )


def _image_format(shape, x, w):
    """The strides of a convolution's result, which is laid out as its weights are, too; None: row by row."""
    found = like_format(shape, [x])
    return found if found is not None or x.k.device.type == "meta" else like_format(shape, [w])


class LayerShapes:
    """Layer words; tuples hold one number per spatial dimension."""

    def conv(self, x, w, stride, padding, dilation, groups):
        shape = (x.shape[0], w.shape[0], *windows(x.shape[2:], w.shape[2:], stride, padding, dilation))
        return x.k.new(shape, _image_format(shape, x, w))

    def conv_input(self, g, w, size, stride, padding, dilation, groups):
        shape = (g.shape[0], w.shape[1] * groups, *size)
        return g.k.new(shape, _image_format(shape, g, w))

    def conv_weight(self, g, x, kernel, stride, padding, dilation, groups):
        return g.k.new((g.shape[1], x.shape[1] // groups, *kernel))

    def im2col(self, x, kernel, dilation, padding, stride):
        return x.k.new(
            (
                x.shape[0],
                x.shape[1] * math.prod(kernel),
                math.prod(windows(x.shape[2:], kernel, stride, padding, dilation)),
            )
        )

    def col2im(self, columns, size, kernel, dilation, padding, stride):
        return columns.k.new((columns.shape[0], columns.shape[1] // math.prod(kernel), *size))

    def max_pool(self, x, kernel, stride, padding, dilation, out_size):
        shape = (*x.shape[: len(x.shape) - len(kernel)], *out_size)
        return x.k.new(shape, like_format(shape, [x]))

    def max_pool_indices(self, x, out, kernel, stride, padding, dilation):
        return x.k.sibling(dtypes.int64).new(out.shape, out.strides)

    def max_pool_backward(self, g, x, out, kernel, stride, padding, dilation):
        return x.k.new(x.shape, like_format(x.shape, [x]))

    def adaptive_max_indices(self, x, out_size):
        return x.k.sibling(dtypes.int64).new((*x.shape[: len(x.shape) - len(out_size)], *out_size))

    def resample(self, x, dim, taps):
        shape = (*x.shape[:dim], taps.n_out, *x.shape[dim + 1 :])
        return x.k.new(shape, like_format(shape, [x]))

    def resample_backward(self, g, dim, taps):
        shape = (*g.shape[:dim], taps.n_in, *g.shape[dim + 1 :])
        return g.k.new(shape, like_format(shape, [g]))

    def frexp(self, x):
        strides = self.preserved(x)
        return x.k.new(x.shape, strides), x.k.sibling(dtypes.int32).new(x.shape, strides)

    def window_sum(self, x, kernel, stride, padding, out_size):
        return x.k.new((*x.shape[: len(x.shape) - len(kernel)], *out_size))

    def window_spread(self, g, kernel, stride, padding, size):
        return g.k.new((*g.shape[: len(g.shape) - len(kernel)], *size))


for _name, _word in {**SPELLED, **vars(LayerShapes)}.items():
    if not _name.startswith("__"):
        setattr(MetaWords, _name, _word)

__all__ = ["LayerShapes", "LinalgShapes", "MetaWords", "table", "windows"]
