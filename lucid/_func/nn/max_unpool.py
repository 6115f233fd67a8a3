"""Pooled maxima put back where they came from: max_unpool1d to max_unpool3d."""

import math

from ..._backend.core import func_op
from ..._backend.dispatch import spelled_as
from ..._backend.families import Layer
from ..._backend.registry import public
from ..._base.dtype import SCALAR_NAMES, int64
from .channels_last import in_format
from .pool import pick, window


def _unpool_op(n):
    def forward(xp, input, indices, output_size):
        lead = tuple(input.shape[:-n])
        count = math.prod(input.shape[-n:])
        flat = xp.scatter(
            xp.zeros((*lead, math.prod(output_size))),
            len(lead),
            xp.reshape(indices, (*lead, count)),
            xp.reshape(input, (*lead, count)),
        )
        return xp.reshape(flat, (*lead, *output_size))

    def numpy(np, input, indices, output_size):
        if indices.size and (indices.min() < 0 or indices.max() >= math.prod(output_size)):
            wrong = indices[(indices < 0) | (indices >= math.prod(output_size))][0]
            raise RuntimeError(
                f"Found an invalid max index: {wrong} (output volumes are of size {'x'.join(map(str, output_size))})"
            )
        return in_format(np, forward(np, input, indices, output_size), input)

    def grad_input(xp, g, indices):
        return pick(xp, g, indices, n)

    return type(
        f"max_unpool{n}d_op",
        (Layer,),
        {
            "namespace": None,
            "linear": True,
            "index_inputs": ("indices",),
            "node_name": f"MaxUnpool{n}DBackward0",
            "forward": func_op(2)(forward),
            "numpy": numpy,
            "grad_input": grad_input,
            "__module__": __name__,
            "__doc__": f"max_unpool{n}d_op(input, indices, output_size) -> zeros with input at the flat indices.",
        },
    )


_UNPOOLS = {n: _unpool_op(n) for n in (2, 3)}


def _unpool_size(input, kernel, stride, padding, output_size):
    n = len(kernel)
    natural = [(m - 1) * s + k - 2 * p for m, k, s, p in zip(input.shape[-n:], kernel, stride, padding)]
    if output_size is None:
        size = natural
    else:
        size = list(output_size)[2:] if len(output_size) == n + 2 else list(output_size)
        if len(size) != n:
            raise ValueError(
                f"output_size should be a sequence containing {n} or {n + 2} elements, but it has a "
                f"length of '{len(size)}'"
            )
        for d, (wanted, m, s) in enumerate(zip(size, natural, stride)):
            if not m - s < wanted < m + s:
                raise ValueError(f'invalid output_size "{output_size}" (dim {d} must be between {m - s} and {m + s})')
    for d, m in enumerate(size):
        if m < 0:
            raise ValueError(
                f"max_unpooling: output_size must contain non-negative spatial dimensions, but got output_size[{d}]={m}"
            )
    return tuple(size)


def _unpool(n, input, indices, kernel_size, stride, padding, output_size, dims):
    name = f"max_unpool{dims}d"
    kernel = window(name, "kernel_size", kernel_size, n)
    stride = kernel if stride is None else window(name, "stride", stride, n)
    size = _unpool_size(input, kernel, stride, window(name, "padding", padding, n), output_size)
    if indices.dtype is not int64:
        raise RuntimeError(f"elements in indices should be type int64 but got: {SCALAR_NAMES[indices._table.dtype]}")
    if input.dim() not in (n + 1, n + 2):
        raise RuntimeError(
            f"Input to max_unpooling{n}d should be a {n + 1}d or {n + 2}d Tensor, but got a tensor with "
            f"{input.dim()} dimensions."
        )
    if indices.shape != input.shape:
        raise RuntimeError(
            f"Expected shape of indices to be same as that of the input tensor ({list(input.shape)}) "
            f"but got indices tensor with shape: {list(indices.shape)}"
        )
    more = ()
    if n == 3:
        more = (list(stride), list(window(name, "padding", padding, n)))
    return spelled_as(f"max_unpool{n}d", (input, indices, list(size), *more), _UNPOOLS[n].fn, input, indices, size)


@public(namespace="nn.functional")
def max_unpool2d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """max_unpool2d(input, indices, kernel_size, stride=None, padding=0, output_size=None) -> Tensor.

    Zeros with the pooled maxima back where `indices` (of max_pool2d with return_indices) say.
    """
    return _unpool(2, input, indices, kernel_size, stride, padding, output_size, 2)


@public(namespace="nn.functional")
def max_unpool3d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """max_unpool3d(input, indices, kernel_size, stride=None, padding=0, output_size=None): see max_unpool2d."""
    return _unpool(3, input, indices, kernel_size, stride, padding, output_size, 3)


@public(namespace="nn.functional")
def max_unpool1d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """max_unpool1d(input, indices, kernel_size, stride=None, padding=0, output_size=None): see max_unpool2d."""

    def one(v):
        return int(v) if hasattr(v, "__index__") else int(v[0])

    kernel, padding = one(kernel_size), one(padding)
    stride = kernel if stride is None else one(stride)
    size = _unpool_size(input, (kernel,), (stride,), (padding,), output_size)
    out = _unpool(2, input.unsqueeze(-1), indices.unsqueeze(-1), (kernel, 1), (stride, 1), (padding, 0), (*size, 1), 1)
    return out.squeeze(-1)
