"""Fractional max pooling: windows at steps drawn at random, whose number is given (B. Graham, arXiv:1412.6071)."""

import math

from ..._backend.core import func_op
from ..._backend.families import Layer, not_implemented_error
from ..._backend.registry import public
from ..._base.dtype import FLOATING, int64
from ..creation.random import rand
from .pool import place

_AXES = {2: ("height", "width"), 3: ("time", "height", "width")}


def _starts(xp, sample, size, pool, count):
    """Where the windows of a line begin, (N, C, count): floor((i + u) a) - floor(u a), the last one at the end."""
    k = xp.sibling(int64)
    sample = xp.unsqueeze(sample, 2)
    last = k.full((*sample.shape[:2], 1), size - pool)
    if count < 2:
        return k.slice(last, 2, 0, count, 1)
    step = xp.scalar(size - pool) / xp.scalar(count - 1)
    first = xp.cast(sample * step, int64)
    places = xp.cast((xp.arange(count - 1) + sample) * step, int64)
    return k.cat([places - first, last], 2)


def _windows(xp, samples, size, kernel, output):
    """The flat places of each window's elements, (N, C, *output, elements of a window)."""
    k, n = xp.sibling(int64), len(size)
    flat = k.zeros((1,) * (2 + 2 * n))
    for d in range(n):
        # windows of a line are drawn with the first number for the last dimension in two dimensions, as they lie in 3
        sample = xp.select(samples, 2, n - 1 - d if n == 2 else d)
        starts = _starts(xp, sample, size[d], kernel[d], output[d])
        shape = [*starts.shape[:2], *[1] * (2 * n)]
        shape[2 + d] = output[d]
        inside = [1] * (2 + 2 * n)
        inside[2 + n + d] = max(kernel[d], 1)
        flat = flat * size[d] + k.reshape(starts, tuple(shape)) + k.reshape(k.arange(inside[2 + n + d]), tuple(inside))
    return k.reshape(flat, (*flat.shape[: 2 + n], math.prod(flat.shape[2 + n :])))


def _best(xp, values, dim):
    """The place of the maximum along dim, of the last NaN where there is one."""
    best = xp.argmax(values, dim, True)
    k = xp.of(best)
    order = k.expand(k.arange(values.shape[dim]), tuple(values.shape))
    last = k.amax(k.where(xp.isnan(values), order, k.full(tuple(values.shape), -1)), (dim,), True)
    return k.where(k.lt(last, 0), best, last)


def _fractional_op(n):
    def forward(xp, input, samples, kernel_size, output_size):
        batch = input if len(input.shape) == n + 2 else xp.unsqueeze(input, 0)
        size, lead = tuple(batch.shape[2:]), tuple(batch.shape[:2])
        samples = xp.slice(samples, 0, 0, lead[0], 1)
        places = _windows(xp, samples, size, kernel_size, output_size)
        k = xp.of(places)
        shape = (*input.shape[:-n], *output_size)
        if 0 in shape:
            return xp.zeros(shape), k.zeros(shape)
        if 0 in kernel_size:  # a window of nothing still has a place
            return xp.full(shape, -math.inf), k.contiguous(k.reshape(k.select(places, n + 2, 0), shape))
        flat = xp.reshape(batch, (*lead, math.prod(size)))
        values = xp.reshape(
            xp.gather(flat, 2, k.reshape(places, (*lead, math.prod(places.shape[2:])))), tuple(places.shape)
        )
        best = _best(xp, values, n + 2)
        index = k.reshape(k.gather(places, n + 2, best), shape)
        return xp.reshape(xp.gather(values, n + 2, best), shape), index

    def grad_input(xp, g, out1, shape):
        return place(xp, g, out1, shape, n)

    return type(
        f"fractional_max_pool{n}d_op",
        (Layer,),
        {
            "namespace": None,
            "node_name": f"FractionalMaxPool{n}DBackward0",
            "index_inputs": ("samples",),
            "differentiable": (0,),
            "result": "of",
            "compute_in_float32": False,
            "forward": func_op(2, 2)(forward),
            "grad_input": grad_input,
            "__module__": __name__,
            "__doc__": f"fractional_max_pool{n}d_op(input, samples, ...) -> (maxima, where they lie)",
        },
    )


_OPS = {n: _fractional_op(n) for n in (2, 3)}


def _each(value, n, name, what):
    value = (value,) if hasattr(value, "__index__") else tuple(value)
    if len(value) not in (1, n):
        ints = "Ints" if n == 2 else "three Ints"
        raise RuntimeError(f"fractional_max_pool{n}d: {what} must either be a single Int or tuple of {ints}")
    return tuple([int(v) for v in value * (n // len(value))])


def _check(input, kernel, output, samples, n):
    name, shape = f"fractional_max_pool{n}d{'_out' if n == 3 else ''}()", list(input._array.shape)
    if len(shape) not in (n + 1, n + 2):
        raise RuntimeError(f"{name}: Expected {n + 1}D or {n + 2}D tensor, but got: {shape}")
    for d in range(len(shape) - n - 1, len(shape)):
        if shape[d] == 0:
            raise RuntimeError(
                f"{name}: Expected input to have non-zero size for non-batch dimensions, but got{shape} with dimension "
                f"{d} being empty."
            )
    for size, k, m, axis in zip(shape[-n:], kernel, output, _AXES[n]):
        if m + k - 1 > size - (n == 3):
            raise RuntimeError(f"{name}: pool {axis} {k} too large relative to input {axis} {size}")
    if min(output) < 0:
        wrong = [*shape[:-n], *output]
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(output)}: {wrong}")
    if samples._table.dtype is not input._table.dtype:
        raise RuntimeError("Expect _random_samples to have the same dtype as input")
    given = samples._array.shape
    if len(given) != 3:
        raise RuntimeError(f"Expect _random_samples to have 3 dimensions, got {len(given)}")
    if given[0] < (shape[0] if len(shape) == n + 2 else 1):
        raise RuntimeError("Expect _random_samples.size(0) no less then input batch size.")
    if given[1] != shape[-n - 1]:
        raise RuntimeError("Expect _random_samples.size(1) equals to input channel size.")
    if given[2] != n:
        raise RuntimeError(f"Expect _random_samples.size(2) equals to {n}; got {given[2]}.")


def _pooled(n, input, kernel_size, output_size, output_ratio, samples):
    name = f"fractional_max_pool{n}d"
    if output_size is None and output_ratio is None:
        raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
    if output_size is None:
        if n == 2 and len(output_ratio) > 2:
            raise ValueError(f"{name} requires output_ratio to either be a single Int or tuple of Ints.")
        ratios = tuple(output_ratio) if hasattr(output_ratio, "__len__") else (output_ratio,) * n
        output_size = [int(input.size(d - n) * ratios[d]) for d in range(n)]
    if samples is None:
        batch = 1 if input.dim() == n + 1 else input.size(0)
        samples = rand(batch, input.size(-n - 1), n, dtype=input.dtype, device=input.device)
    kernel = _each(kernel_size, n, name, "kernel_size")
    output = _each(output_size, n, name, "output_size")
    _check(input, kernel, output, samples, n)
    if input._table.dtype.category != FLOATING:
        raise not_implemented_error(f"{name}_out_frame", input._table.dtype)
    return _OPS[n].fn(input, samples, kernel, output)


@public(namespace="nn.functional", word=False)
def fractional_max_pool2d_with_indices(
    input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None
):
    """fractional_max_pool2d_with_indices(input, ...) -> (Tensor, Tensor): fractional_max_pool2d, and where."""
    return _pooled(2, input, kernel_size, output_size, output_ratio, _random_samples)


@public(namespace="nn.functional", word=False)
def fractional_max_pool3d_with_indices(
    input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None
):
    """fractional_max_pool3d_with_indices(input, ...) -> (Tensor, Tensor): fractional_max_pool3d, and where."""
    return _pooled(3, input, kernel_size, output_size, output_ratio, _random_samples)


@public(namespace="nn.functional", word=False)
def fractional_max_pool2d(
    input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None
):
    """fractional_max_pool2d(input, kernel_size, output_size=None, output_ratio=None, return_indices=False) -> Tensor.

    The maximum of each of output_size windows of input (N, C, H, W) or (C, H, W), whose places are drawn at random
    (with _random_samples (N, C, 2) in [0, 1): from those); output_ratio: of the input's size. With return_indices also
    where each lies, flat over H x W.
    """
    found = _pooled(2, input, kernel_size, output_size, output_ratio, _random_samples)
    return found if return_indices else found[0]


@public(namespace="nn.functional", word=False)
def fractional_max_pool3d(
    input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None
):
    """fractional_max_pool3d(input, kernel_size, output_size=None, output_ratio=None, return_indices=False) -> Tensor.

    Like fractional_max_pool2d for input (N, C, D, H, W) or (C, D, H, W).
    """
    found = _pooled(3, input, kernel_size, output_size, output_ratio, _random_samples)
    return found if return_indices else found[0]
