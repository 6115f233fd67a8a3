"""Windows of images as columns and back: F.unfold (im2col) and F.fold (col2im)."""

from ..._backend.core import unary_func_op
from ..._backend.families import Layer, not_implemented_error
from ..._backend.registry import public
from ..._base.dtype import bool_


class im2col(Layer):
    """im2col(input, kernel_size, dilation=1, padding=0, stride=1) -> Tensor: what F.unfold does."""

    node_name, namespace, gradient_kernel = "Im2ColBackward0", None, False

    @unary_func_op()
    def forward(xp, input, kernel_size, dilation=1, padding=0, stride=1):
        refuse_integers("im2col", xp)
        return unbatched(xp, xp.im2col(batched(xp, input, 4), kernel_size, dilation, padding, stride), input.ndim == 3)

    def prepare(input, kernel_size, dilation, padding, stride):
        shape = tuple(input.shape)
        options = [pair("im2col", v) for v in (kernel_size, dilation, padding, stride)]
        _check_windows("im2col", *options)
        if len(shape) not in (3, 4) or 0 in shape[-3:]:
            raise RuntimeError(
                "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero "
                f"dimensions for input, but got: {list(shape)}"
            )
        kernel_size, dilation, padding, stride = options
        size = window_counts(shape[-2:], kernel_size, dilation, padding, stride)
        if min(size) < 1:
            raise RuntimeError(
                f"Given input with spatial size {_comma(shape[-2:])}, kernel_size={_comma(kernel_size)}, "
                f"dilation={_comma(dilation)}, padding={_comma(padding)}, calculated shape of the array of sliding "
                f"blocks as {_comma(size)}, but its components must be at least one."
            )
        return tuple(options)

    def grad_input(xp, g, kernel_size, dilation, padding, stride, shape):
        got = xp.col2im(batched(xp, g, 3), tuple(shape[-2:]), kernel_size, dilation, padding, stride)
        return unbatched(xp, got, len(shape) == 3)


class col2im(Layer):
    """col2im(input, output_size, kernel_size, dilation=1, padding=0, stride=1) -> Tensor: what F.fold does."""

    node_name, namespace, stepwise = "Col2ImBackward0", None, True

    @unary_func_op()
    def forward(xp, input, output_size, kernel_size, dilation=1, padding=0, stride=1):
        refuse_integers("col2im", xp)
        got = xp.col2im(batched(xp, input, 3), output_size, kernel_size, dilation, padding, stride)
        return unbatched(xp, got, input.ndim == 2)

    def prepare(input, output_size, kernel_size, dilation, padding, stride):
        shape = tuple(input.shape)
        output_size = pair("col2im", output_size)
        options = [pair("col2im", v) for v in (kernel_size, dilation, padding, stride)]
        _check_windows("col2im", *options)
        if len(shape) not in (2, 3) or 0 in shape[-2:]:
            raise RuntimeError(
                "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and "
                f"non-zero dimensions for input, but got: {list(shape)}"
            )
        _check_columns(shape, len(shape) - 2, output_size, *options)
        return (output_size, *options)

    def grad_input(xp, g, kernel_size, dilation, padding, stride, shape):
        return unbatched(xp, xp.im2col(batched(xp, g, 4), kernel_size, dilation, padding, stride), len(shape) == 2)


def refuse_integers(name, xp):
    """torch moves windows of bools, too, but not of integers."""
    if not xp.inexact and xp.dtype is not bool_:
        raise not_implemented_error(f"{name}_out_cpu", xp.dtype)


def batched(xp, x, ndim):
    """x with a batch dimension of one when it has none."""
    return x if x.ndim == ndim else xp.reshape(x, (1, *x.shape))


def unbatched(xp, x, without):
    """x without its batch dimension, where the input had none."""
    return xp.reshape(x, tuple(x.shape[1:])) if without else x


def pair(name, value):
    """An int or a tuple of two, as two ints."""
    if type(value) is int or hasattr(value, "__index__"):
        return (int(value),) * 2
    value = tuple([int(v) for v in value])
    if len(value) == 1:
        return value * 2
    if len(value) != 2:
        raise RuntimeError(f"{name}: expected an int or a tuple of 2 ints, but got {value}")
    return value


def window_counts(size, kernel, dilation, padding, stride):
    """How many windows fit along each dimension."""
    return tuple(
        [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, d, p, s in zip(size, kernel, dilation, padding, stride)]
    )


def _check_windows(name, kernel_size, dilation, padding, stride):
    for what, (h, w) in (("kernel_size", kernel_size), ("dilation", dilation), ("stride", stride)):
        if h <= 0 or w <= 0:
            spelled = {"kernel_size": "kernel"}.get(what, what)
            raise RuntimeError(
                f"{spelled if what != 'kernel_size' else 'kernel size'} should be greater than zero, "
                f"but got {spelled}_height: {h} {spelled}_width: {w}"
            )
    if min(padding) < 0:
        raise RuntimeError(f"padding should be non-negative, but got pad_height: {padding[0]} pad_width: {padding[1]}")


def _check_columns(shape, at, output_size, kernel_size, dilation, padding, stride):
    """Do columns of this shape, their channels at dimension `at`, fold into output_size?"""
    taps = kernel_size[0] * kernel_size[1]
    if shape[at] % taps:
        raise RuntimeError(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but "
            f"got input.size(1)={shape[at]} and kernel_size={_comma(kernel_size)}."
        )
    h, w = window_counts(output_size, kernel_size, dilation, padding, stride)
    if shape[at + 1] != h * w:
        raise RuntimeError(
            f"Given output_size={_comma(output_size)}, kernel_size={_comma(kernel_size)}, dilation={_comma(dilation)}, "
            f"padding={_comma(padding)}, stride={_comma(stride)}, expected size of input's dimension 2 to match the "
            f"calculated number of sliding blocks {h} * {w} = {h * w}, but got input.size(2)={shape[at + 1]}."
        )
    if h < 1 or w < 1:
        raise RuntimeError(
            f"Given output_size={_comma(output_size)}, kernel_size={_comma(kernel_size)}, dilation={_comma(dilation)}, "
            f"padding={_comma(padding)}, stride={_comma(stride)}, calculated shape of the array of sliding blocks as "
            f"({h}, {w}), but its components must be at least one."
        )


def _comma(size):
    return "(" + ", ".join(map(str, size)) + ")"


@public(namespace="nn.functional", word=False)  # the word `unfold` is the view of windows
def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    """unfold(input, kernel_size, dilation=1, padding=0, stride=1) -> Tensor: every sliding window as a column.

    input (N, C, H, W) or (C, H, W) gives (N, C * kh * kw, windows) or (C * kh * kw, windows).
    """
    return im2col.fn(input, kernel_size, dilation, padding, stride)


@public(namespace="nn.functional", word=False)
def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """fold(input, output_size, kernel_size, ...) -> Tensor: the transpose of unfold; overlapping windows add up.

    input (N, C * kh * kw, windows) or without N gives (N, C, *output_size) or (C, *output_size).
    """
    return col2im.fn(input, output_size, kernel_size, dilation, padding, stride)
