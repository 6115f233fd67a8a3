"""Pooling by sliding windows: max_pool1d to max_pool3d, avg_pool1d to avg_pool3d."""

import functools
import math

from ..._backend.core import func_op, unary_func_op
from ..._backend.families import Layer, not_implemented_error
from ..._backend.out_argument import store_out
from ..._backend.registry import public
from ..._base.dtype import BOOL, int64
from .channels_last import formatted, in_format

CANONICAL = {2: "two", 3: "three"}


def window(name, what, value, n):
    """One int per dimension from an int or a tuple of n."""
    if type(value) is int or hasattr(value, "__index__"):
        return (int(value),) * n
    value = tuple([int(v) for v in value])
    if len(value) == 1:
        return value * n
    if len(value) != n:
        ints = f"a tuple of {CANONICAL[n]} ints"
        raise RuntimeError(
            f"{name}: {what} must either be a single int, or {ints}"
            if what in ("kernel_size", "output_size")
            else f"{name}: {what} must either be omitted, a single int, or {ints}"
            if what == "stride"
            else f"{name}: {what} must be either a single int, or {ints}"
        )
    return value


def pooled(n, k, s, p, d, ceil_mode):
    """The number of windows along a dimension of n; with ceil_mode the last may hang over, if it starts inside."""
    count = (n + 2 * p - d * (k - 1) - 1 + (s - 1 if ceil_mode else 0)) // s + 1
    return count - 1 if ceil_mode and (count - 1) * s >= n + p else count


@functools.lru_cache(4096)
def checked(name, shape, kernel, stride, padding, dilation, ceil_mode):
    """The number of windows in each dimension, after torch's checks."""
    n = len(kernel)

    def each(values, prefix):
        return " ".join(f"{prefix}{o}: {v}" for o, v in zip("THW"[-n:], values))

    if min(stride) == 0:
        raise RuntimeError("stride should not be zero")
    if min(kernel) <= 0:
        raise RuntimeError(f"kernel size should be greater than zero, but got {each(kernel, 'k')}")
    if min(stride) < 0:
        raise RuntimeError(f"stride should be greater than zero, but got {each(stride, 'd')}")
    if min(dilation) <= 0:
        raise RuntimeError(f"dilation should be greater than zero, but got {each(dilation, 'dilation')}")
    batched = len(shape) == n + 2
    if len(shape) not in (n + 1, n + 2):
        raise RuntimeError(f"non-empty {n + 1}D or {n + 2}D (batch mode) tensor expected for input")
    if any(p < 0 for p in padding):
        raise RuntimeError(f"pad must be non-negative, but got pad: {min(padding)}")
    for k, p, d in zip(kernel, padding, dilation):
        if p > ((k - 1) * d + 1) // 2:
            raise RuntimeError(
                f"pad should be at most half of effective kernel size, but got pad={p}, kernel_size={k} "
                f"and dilation={d}"
            )
    if 0 in shape[-n - 1 :]:
        if n == 2:
            raise RuntimeError(
                f"Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:{list(shape)}"
            )
        empty = shape.index(0, len(shape) - n - 1)
        raise RuntimeError(
            f"{name}: Expected input's non-batch dimensions to have positive length, but input has a "
            f"shape of ({', '.join(map(str, shape))}) and non-batch dimension {empty} has length zero!"
        )
    size = tuple([pooled(*v, ceil_mode) for v in zip(shape[-n:], kernel, stride, padding, dilation)])
    if min(size) < 1:
        planes = shape[1 if batched else 0]
        spelled = "x".join(map(str, (planes, *shape[-n:])))
        got = "x".join(map(str, (planes, *size)))
        raise RuntimeError(f"Given input size: ({spelled}). Calculated output size: ({got}). Output size is too small")
    return size


# ---- maximum


class max_pool_backward(Layer):
    """max_pool_backward(g, x, pooled, ...): g of each window at the element that was its maximum."""

    node_name, namespace = "MaxPool2DWithIndicesBackwardBackward0", None

    @func_op(3)
    def forward(xp, g, x, pooled, kernel_size, stride, padding, dilation):
        return xp.max_pool_backward(g, x, pooled, kernel_size, stride, padding, dilation)

    def grad_g(xp, g_, x, pooled, kernel_size, stride, padding, dilation):
        return pick(xp, g_, xp.max_pool_indices(x, pooled, kernel_size, stride, padding, dilation), len(kernel_size))

    def grad_x(xp, g_, shape):
        return xp.zeros(tuple(shape))  # constant between ties; torch too gives zeros rather than none


class max_pool_indices(Layer):
    """max_pool_indices(x, pooled, ...): where in x each window's maximum lies, flat over the pooled dimensions."""

    namespace, result = None, "of"

    @func_op(2, has_gradient=False)
    def forward(xp, x, pooled, kernel_size, stride, padding, dilation):
        return xp.max_pool_indices(x, pooled, kernel_size, stride, padding, dilation)


def pick(xp, x, index, n):
    """The elements of x at flat indices over its last n dimensions."""
    lead = tuple(index.shape[:-n])
    flat = xp.reshape(x, (*lead, math.prod(x.shape[-n:])))
    picked = xp.gather(flat, len(lead), xp.reshape(index, (*lead, math.prod(index.shape[-n:]))))
    return xp.reshape(picked, tuple(index.shape))


def place(xp, g, index, shape, n):
    """Zeros of `shape` with g added at flat indices over the last n dimensions: the transpose of `pick`."""
    lead = tuple(index.shape[:-n])
    count = math.prod(index.shape[-n:])
    flat = xp.scatter_add(
        xp.zeros((*lead, math.prod(shape[-n:]))),
        len(lead),
        xp.reshape(index, (*lead, count)),
        xp.reshape(g, (*lead, count)),
    )
    return xp.reshape(flat, tuple(shape))


def _prepare_max(n, input, kernel_size, stride, padding, dilation, ceil_mode):
    name = f"max_pool{n}d"
    kernel_size = window(name, "kernel_size", kernel_size, n)
    stride = (
        kernel_size
        if stride is None or isinstance(stride, (tuple, list)) and not stride
        else window(name, "stride", stride, n)
    )
    padding, dilation = window(name, "padding", padding, n), window(name, "dilation", dilation, n)
    checked(name, tuple(input.shape), kernel_size, stride, padding, dilation, bool(ceil_mode))
    return kernel_size, stride, padding, dilation, bool(ceil_mode)


def _max(xp, input, kernel_size, stride, padding, dilation, ceil_mode):
    n = len(kernel_size)
    size = tuple([pooled(*v, ceil_mode) for v in zip(input.shape[-n:], kernel_size, stride, padding, dilation)])
    return xp.max_pool(input, kernel_size, stride, padding, dilation, size)


def _max_backward(xp, g, input, out, kernel_size, stride, padding, dilation):
    return xp.max_pool_backward(g, input, out, kernel_size, stride, padding, dilation)


def _max_again(node, name):
    """The maxima once more: torch keeps indices, so a program may write over what max pooling gave."""
    size = tuple(getattr(node, name).shape[-len(node.kernel_size) :])
    setattr(node, name, node.k.max_pool(node.input, node.kernel_size, node.stride, node.padding, node.dilation, size))


def _max_ops(n):
    """The two ops of n-dimensional max pooling: values alone, and values with indices."""
    node = f"MaxPool{n}DWithIndicesBackward0"

    def values(xp, input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
        return _max(xp, input, kernel_size, stride, padding, dilation, ceil_mode)

    def with_indices(xp, input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
        out = _max(xp, input, kernel_size, stride, padding, dilation, ceil_mode)
        return out, xp.max_pool_indices(input, out, kernel_size, stride, padding, dilation)

    def both(np, input, *options):
        out, index = with_indices(np, input, *options)
        return in_format(np, out, input), in_format(np, index, input)

    def first(xp, g, input, out0, kernel_size, stride, padding, dilation):
        return xp.max_pool_backward(g, input, out0, kernel_size, stride, padding, dilation)

    shared = {
        "namespace": None,
        "node_name": node,
        "prepare": functools.partial(_prepare_max, n),
        "recompute_saved": _max_again,
        "gradient_kernel": False,
        "__module__": __name__,
    }
    return (
        type(
            f"max_pool{n}d_values",
            (Layer,),
            {
                **shared,
                "forward": unary_func_op()(values),
                "numpy": formatted(values),
                "grad_input": _max_backward,
                "__doc__": f"max_pool{n}d_values(input, ...) -> Tensor: the maximum of each window.",
            },
        ),
        type(
            f"max_pool{n}d_with_indices",
            (Layer,),
            {
                **shared,
                "forward": func_op(1, 2)(with_indices),
                "numpy": both,
                "grad_input": first,
                "differentiable": (0,),
                "__doc__": f"max_pool{n}d_with_indices(input, ...) -> (maxima, where they lie)",
            },
        ),
    )


max_pool2d_values, max_pool2d_with_indices = _max_ops(2)
max_pool3d_values, max_pool3d_with_indices = _max_ops(3)


def _bounded(x, name):
    if x._table.dtype.category == BOOL or x._table.is_complex:
        raise not_implemented_error(name, x._table.dtype)


@public(namespace=("torch", "nn.functional"))
def max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False).

    The maximum of each window of input (N, C, H, W) or (C, H, W); padding counts as -inf; stride is kernel_size when
    None. With return_indices also where each lies, flat over H x W (int64). RuntimeError for sizes that do not fit.
    """
    _bounded(input, "max_pool2d")
    op = max_pool2d_with_indices if return_indices else max_pool2d_values
    return op.fn(input, kernel_size, stride, padding, dilation, ceil_mode)


@public(namespace=("torch", "nn.functional"))
def max_pool3d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """max_pool3d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False).

    Like max_pool2d for input (N, C, D, H, W) or (C, D, H, W); indices are flat over D x H x W.
    """
    _bounded(input, "max_pool3d")
    op = max_pool3d_with_indices if return_indices else max_pool3d_values
    return op.fn(input, kernel_size, stride, padding, dilation, ceil_mode)


def _one(name, what, value):
    if type(value) is int or hasattr(value, "__index__"):
        return int(value)
    if len(value) != 1:
        raise RuntimeError(
            f"{name}() {what} must be an int, list of ints or tuple of ints of size 1 but got size {len(value)}"
        )
    return int(value[0])


def _one_int(name, what, value):
    """The same in the words of torch's argument parser."""
    if type(value) is int or hasattr(value, "__index__"):
        return int(value)
    if len(value) != 1:
        raise RuntimeError(f"{name}() argument '{what}' should contain one int (got {len(value)})")
    return int(value[0])


def _check_max1d(input, kernel, stride, padding, dilation, ceil_mode):
    name, shape = "max_pool1d()", tuple(input.shape)
    if len(shape) not in (2, 3) or 0 in shape[-2:]:
        raise RuntimeError(
            "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for "
            f"input, but got:{list(shape)}"
        )
    for what, value in (("kernel_size", kernel), ("stride", stride)):
        if value <= 0:
            raise RuntimeError(f"{name} {what} must be greater than zero, but got {value}")
    if padding < 0:
        raise RuntimeError(f"{name} padding must be non-negative, but got {padding}")
    if padding > kernel // 2:
        raise RuntimeError(
            f"{name} padding should be at most half of kernel size, but got padding={padding} and kernel_size={kernel}"
        )
    if dilation <= 0:
        raise RuntimeError(f"{name} dilation must be greater than zero, but got {dilation}")
    size = pooled(shape[-1], kernel, stride, padding, dilation, ceil_mode)
    if size < 1:
        raise RuntimeError(f"{name} Invalid computed output size: {size}")


@public(namespace=("torch", "nn.functional"))
def max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False).

    Like max_pool2d for input (N, C, L) or (C, L).
    """
    one = _one_int if return_indices else _one
    kernel, padding, dilation = (
        one("max_pool1d", what, v)
        for what, v in (("kernel_size", kernel_size), ("padding", padding), ("dilation", dilation))
    )
    stride = (
        kernel
        if stride is None or isinstance(stride, (tuple, list)) and not stride
        else one("max_pool1d", "stride", stride)
    )
    if return_indices:  # torch's max_pool2d is asked, and refuses in its own words
        two_or_three("max_pool1d", input)
    else:
        _check_max1d(input, kernel, stride, padding, dilation, ceil_mode)
    if not input._table.inexact:
        raise not_implemented_error("max_pool1d_impl", input._table.dtype)
    _bounded(input, "max_pool1d_impl")
    got = max_pool2d(
        input.unsqueeze(-2), (1, kernel), (1, stride), (0, padding), (1, dilation), ceil_mode, return_indices
    )
    return (got[0].squeeze(-2), got[1].squeeze(-2)) if return_indices else got.squeeze(-2)


def _with_indices(f):
    def pooling(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=True):
        return f(input, kernel_size, stride, padding, dilation, ceil_mode, True)

    pooling.__name__ = pooling.__qualname__ = f.__name__ + "_with_indices"
    pooling.__doc__ = f"{pooling.__name__}(input, ...) -> (Tensor, Tensor): {f.__name__} with return_indices=True."
    return pooling


for _f in (max_pool1d, max_pool2d, max_pool3d):
    _g = _with_indices(_f)
    public(_g.__name__, namespace=("nn.functional", "torch") if _f is max_pool1d else "nn.functional", word=False)(_g)


# ---- mean


class window_sum(Layer):
    """window_sum(x, kernel, stride, padding, out_size): the sum of each window over the last dimensions."""

    namespace, linear, gradient_kernel = None, True, False

    @unary_func_op()
    def forward(xp, x, kernel_size, stride, padding, out_size):
        return xp.window_sum(x, kernel_size, stride, padding, out_size)

    def grad_x(xp, g, kernel_size, stride, padding, shape):
        return xp.window_spread(g, kernel_size, stride, padding, tuple(shape[-len(kernel_size) :]))


class window_spread(Layer):
    """window_spread(g, kernel, stride, padding, size): g of each window added to all its elements."""

    namespace, linear = None, True

    @unary_func_op()
    def forward(xp, g, kernel_size, stride, padding, size):
        return xp.window_spread(g, kernel_size, stride, padding, size)

    def grad_g(xp, g_, kernel_size, stride, padding, shape):
        return xp.window_sum(g_, kernel_size, stride, padding, tuple(shape[-len(kernel_size) :]))


def _prepare_mean(n, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
    name = f"avg_pool{n}d"
    kernel_size = window(name, "kernel_size", kernel_size, n)
    stride = (
        kernel_size
        if stride is None or isinstance(stride, (tuple, list)) and not stride
        else window(name, "stride", stride, n)
    )
    padding = window(name, "padding", padding, n)
    if divisor_override == 0 and divisor_override is not None:
        raise RuntimeError("divisor must be not zero")
    checked(name, tuple(input.shape), kernel_size, stride, padding, (1,) * n, bool(ceil_mode))
    return kernel_size, stride, padding, bool(ceil_mode), bool(count_include_pad), divisor_override


def _mean_size(shape, kernel_size, stride, padding, ceil_mode):
    n = len(kernel_size)
    return tuple([pooled(*v, ceil_mode) for v in zip(shape[-n:], kernel_size, stride, padding, (1,) * n)])


def _divisor(xp, size, out_size, kernel_size, stride, padding, count_include_pad, divisor_override):
    """What each window's sum is divided by: a number where all agree, else an array over the windows."""
    if divisor_override is not None:
        return divisor_override
    if count_include_pad:
        size, padding = tuple([n + 2 * p for n, p in zip(size, padding)]), (0,) * len(size)
    inside = all((m - 1) * s + k <= n for n, m, k, s in zip(size, out_size, kernel_size, stride))
    if inside and not any(padding):
        return math.prod(kernel_size)
    return xp.window_sum(xp.ones(tuple(size)), kernel_size, stride, padding, out_size)


def _mean(xp, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
    n = len(kernel_size)
    size = _mean_size(input.shape, kernel_size, stride, padding, ceil_mode)
    total = xp.window_sum(input, kernel_size, stride, padding, size)
    by = _divisor(xp, tuple(input.shape[-n:]), size, kernel_size, stride, padding, count_include_pad, divisor_override)
    if not xp.inexact:
        return xp.trunc_divide(total, xp.scalar(by) if type(by) is int else by)
    return total / (xp.scalar(by) if type(by) is int else by)


def _mean_backward(xp, g, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, shape):
    n = len(kernel_size)
    size = tuple(shape[-n:])
    by = _divisor(xp, size, tuple(g.shape[-n:]), kernel_size, stride, padding, count_include_pad, divisor_override)
    return xp.window_spread(g / (xp.scalar(by) if type(by) is int else by), kernel_size, stride, padding, size)


def _mean_op(n):
    def forward(
        xp, input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None
    ):
        return _mean(xp, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)

    return type(
        f"avg_pool{n}d_op",
        (Layer,),
        {
            "namespace": None,
            "node_name": f"AvgPool{n}DBackward0",
            "prepare": functools.partial(_prepare_mean, n),
            "linear": True,
            "gradient_kernel": False,  # which adds window by window
            "forward": unary_func_op()(forward),
            "numpy": formatted(forward) if n == 2 else None,  # torch's of three dimensions is row-major
            "grad_input": _mean_backward,
            "__module__": __name__,
            "__doc__": f"avg_pool{n}d_op(input, ...) -> Tensor: the mean of each window.",
        },
    )


avg_pool2d_op, avg_pool3d_op = _mean_op(2), _mean_op(3)


def _averaged(x, name):
    if not x._table.inexact and x._table.dtype is not int64 or x._table.is_complex:
        raise not_implemented_error(name, x._table.dtype)


@public(namespace="nn.functional")
def avg_pool2d(
    input,
    kernel_size,
    stride=None,
    padding=0,
    ceil_mode=False,
    count_include_pad=True,
    divisor_override=None,
    *,
    out=None,
):
    """avg_pool2d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, ...) -> Tensor.

    The mean of each window of input (N, C, H, W) or (C, H, W). Zeros of the padding count unless
    count_include_pad=False; divisor_override replaces the count. RuntimeError for sizes that do not fit.
    """
    _averaged(input, "avg_pool2d")
    result = avg_pool2d_op.fn(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
    return result if out is None else store_out("avg_pool2d", result, out)


@public(namespace="nn.functional")
def avg_pool3d(
    input,
    kernel_size,
    stride=None,
    padding=0,
    ceil_mode=False,
    count_include_pad=True,
    divisor_override=None,
    *,
    out=None,
):
    """avg_pool3d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, ...) -> Tensor.

    Like avg_pool2d for input (N, C, D, H, W) or (C, D, H, W).
    """
    _averaged(input, "avg_pool3d_out_frame")
    result = avg_pool3d_op.fn(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
    return result if out is None else store_out("avg_pool3d", result, out)


def two_or_three(name, input):
    if input.dim() not in (2, 3):
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {input.dim()}-dimensional tensor for argument #1 "
            f"'self' (while checking arguments for {name})"
        )


@public(namespace=("torch", "nn.functional"))
def avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
    """avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True) -> Tensor.

    Like avg_pool2d for input (N, C, L) or (C, L).
    """
    two_or_three("avg_pool1d", input)
    kernel, padding = _one_int("avg_pool1d", "kernel_size", kernel_size), _one_int("avg_pool1d", "padding", padding)
    stride = (
        kernel
        if stride is None or isinstance(stride, (tuple, list)) and not stride
        else _one_int("avg_pool1d", "stride", stride)
    )
    _averaged(input, "avg_pool2d")
    return avg_pool2d_op.fn(
        input.unsqueeze(-2), (1, kernel), (1, stride), (0, padding), ceil_mode, count_include_pad, None
    ).squeeze(-2)
