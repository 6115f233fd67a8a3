"""Convolutions of numpy arrays by kernels that are written for their shapes (c_conv.py), in place of matrix products.

    direct(function, a, b, shape, stride, padding, dilation, groups) -> the result, or None where products are quicker

function: "conv" of images and weights, "conv_input" of a gradient and weights, "conv_weight" of a gradient and images;
shape: of the result.
"""

import functools
import math

import numpy as np

from .._array.numpy.table import TABLES
from . import build, kernel_store
from .c_conv import conv_source, is_direct

WORTH = 1 << 20  # multiplications from which a kernel is asked for


def direct(function, a, b, shape, stride, padding, dilation, groups):
    """See the head of this file."""
    if a.dtype.char not in "fd" or b.dtype != a.dtype or not (a.flags.c_contiguous and b.flags.c_contiguous):
        return None
    found = _kernel(function, a.shape, b.shape, shape, a.dtype, stride, padding, dilation, groups)
    if found is None:
        return None
    kernel, room = found
    out = np.empty(shape, a.dtype)
    kernel(a, b, out, np.empty(room, a.dtype), out.size)
    return out


@functools.lru_cache(4096)
def _kernel(function, a_shape, b_shape, shape, dtype, stride, padding, dilation, groups):
    """(the kernel of these shapes, how many numbers it needs room for), None where there is none."""
    if not build.promising() or not is_direct(function, a_shape, b_shape, shape, stride, groups):
        return None
    outer, weights = shape if function == "conv" else a_shape, shape if function == "conv_weight" else b_shape
    if math.prod(outer) * math.prod(weights[1:]) < WORTH:
        return None
    how = a_shape, b_shape, shape, TABLES[dtype].dtype, stride, padding, dilation, groups
    name = kernel_store.name_of(conv_source(function, "kernel", *how)[0])
    text, room = conv_source(function, name, *how)
    try:
        return *kernel_store.functions([(text, (name, 4, 1, 0))]), room
    except build.CompileError as error:
        build.report(error)
        return None
