"""Convolutions in one to three dimensions, plain and transposed, and the unrolling (unfold, fold) they are made of."""

import functools
import warnings

from ..._backend.core import func_op, unary_func_op
from ..._backend.families import Contraction, Layer
from ..._backend.registry import FUNCTIONS, NAMESPACES, public
from ..._base.shape import contiguous_strides
from ..._tensor.tensor import Tensor

# ---- the three words of convolution, as ops: each is linear in both operands, and each one's gradients are the others


class conv(Contraction):
    """conv(x, w, stride, padding, dilation, groups): x (N, C, *size) cross-correlated with w (O, C/groups, *kernel)."""

    node_name, namespace, method, has_out = "ConvolutionBackward0", None, False, False

    @func_op(2)
    def forward(xp, x, w, stride, padding, dilation, groups):
        return xp.conv(x, w, stride, padding, dilation, groups)

    def grad_x(xp, g, w, stride, padding, dilation, groups, shape):
        return xp.conv_input(g, xp.conj(w), tuple(shape[2:]), stride, padding, dilation, groups)

    def grad_w(xp, g, x, stride, padding, dilation, groups, shape):
        return xp.conv_weight(g, xp.conj(x), tuple(shape[2:]), stride, padding, dilation, groups)


class conv_input(Contraction):
    """conv_input(g, w, size, ...): what `conv` sends back to an x of spatial `size`; the transposed convolution."""

    node_name, namespace, method, has_out = "ConvolutionBackwardBackward0", None, False, False

    @func_op(2)
    def forward(xp, g, w, size, stride, padding, dilation, groups):
        return xp.conv_input(g, w, size, stride, padding, dilation, groups)

    def grad_g(xp, g, w, stride, padding, dilation, groups, shape):
        return first_windows(xp, xp.conv(g, xp.conj(w), stride, padding, dilation, groups), shape)

    def grad_w(xp, g_, g, stride, padding, dilation, groups, shape):
        return xp.conv_weight(xp.conj(g), g_, tuple(shape[2:]), stride, padding, dilation, groups)


class conv_weight(Contraction):
    """conv_weight(g, x, kernel, ...): what `conv` sends back to weights of spatial size `kernel`."""

    node_name, namespace, method, has_out = "ConvolutionBackwardBackward0", None, False, False

    @func_op(2)
    def forward(xp, g, x, kernel, stride, padding, dilation, groups):
        return xp.conv_weight(g, x, kernel, stride, padding, dilation, groups)

    def grad_g(xp, g, x, stride, padding, dilation, groups, shape):
        return first_windows(xp, xp.conv(xp.conj(x), g, stride, padding, dilation, groups), shape)

    def grad_x(xp, g_, g, stride, padding, dilation, groups, shape):
        return xp.conv_input(xp.conj(g), g_, tuple(shape[2:]), stride, padding, dilation, groups)


# ---- the op that users' calls record


class convolution(Contraction):
    """convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups) -> Tensor.

    input (N, C, *size); weight (O, C/groups, *kernel), or (C, O/groups, *kernel) when transposed; bias (O,) or None.
    The other arguments are an int or one int per spatial dimension. RuntimeError for sizes that do not fit.
    """

    method, has_out = False, False

    @func_op(3)
    def forward(
        xp, input, weight, bias=None, stride=1, padding=0, dilation=1, transposed=False, output_padding=0, groups=1
    ):
        if transposed:
            size = transposed_size(input.shape, weight.shape, stride, padding, dilation, output_padding)
            out = xp.conv_input(input, weight, size, stride, padding, dilation, groups)
        else:
            out = xp.conv(input, weight, stride, padding, dilation, groups)
        if bias is None:
            return out
        return out + xp.reshape(bias, (1, bias.shape[0]) + (1,) * len(stride))

    def numpy(np, input, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
        out = convolution.forward(
            np, input, weight, None, stride, padding, dilation, transposed, output_padding, groups
        )
        if bias is not None:
            out += bias.reshape(-1, *[1] * len(stride))  # `out` is ours, so adding in place saves an array
        return in_format(np, out, input, weight)

    def prepare(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
        n = len(weight.shape) - 2
        return checked(
            tuple(input.shape),
            tuple(weight.shape),
            None if bias is None else tuple(bias.shape),
            per_dim("stride", stride, n),
            per_dim("padding", padding, n),
            per_dim("dilation", dilation, n),
            bool(transposed),
            per_dim("output_padding", output_padding, n),
            int(groups),
        )

    def grad_input(xp, g, weight, stride, padding, dilation, transposed, groups, shape):
        if transposed:
            return first_windows(xp, xp.conv(g, xp.conj(weight), stride, padding, dilation, groups), shape)
        return xp.conv_input(g, xp.conj(weight), tuple(shape[2:]), stride, padding, dilation, groups)

    def grad_weight(xp, g, input, stride, padding, dilation, transposed, groups, shape):
        if transposed:
            return xp.conv_weight(xp.conj(input), g, tuple(shape[2:]), stride, padding, dilation, groups)
        return xp.conv_weight(g, xp.conj(input), tuple(shape[2:]), stride, padding, dilation, groups)

    def grad_bias(xp, g, shape):
        return sum_over_pixels(xp, g)


def first_windows(xp, x, shape):
    """x cut to the spatial size of `shape`: an output padding may leave room for windows that were never used."""
    for d in range(2, len(shape)):
        if x.shape[d] != shape[d]:
            x = xp.slice(x, d, 0, shape[d], 1)
    return x


def sum_over_pixels(xp, g):
    """g (N, C, *size) summed to (C,): pixels first, the order in which sums are quick."""
    n, c = g.shape[:2]
    if g.ndim > 2:
        g = xp.reshape(xp.sum(xp.reshape(g, (n * c, numel(g.shape[2:]))), (1,), False), (n, c))
    return xp.sum(g, (0,), False)


def numel(shape):
    n = 1
    for m in shape:
        n *= m
    return n


def transposed_size(shape, weight_shape, stride, padding, dilation, output_padding):
    """The spatial size of a transposed convolution's result."""
    return tuple(
        [
            (n - 1) * s - 2 * p + d * (k - 1) + 1 + extra
            for n, k, s, p, d, extra in zip(shape[2:], weight_shape[2:], stride, padding, dilation, output_padding)
        ]
    )


def per_dim(name, value, n):
    """One int per spatial dimension."""
    if type(value) is int:
        return (value,) * n
    if isinstance(value, Tensor) or hasattr(value, "__index__"):
        return (int(value),) * n
    value = tuple([int(v) for v in value])
    if len(value) == 1:
        return value * n
    if len(value) != n:
        raise RuntimeError(
            f"expected {name} to be a single integer value or a list of {n} values to match the "
            f"convolution dimensions, but got {name}={list(value)}"
        )
    return value


@functools.lru_cache(4096)
def checked(shape, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
    """The options of a convolution, after torch's checks of all sizes."""
    _check_positive(stride, padding, dilation, output_padding, groups)
    if len(shape) != len(weight):
        raise RuntimeError(
            f"Expected {len(weight)}-dimensional input for {len(weight)}-dimensional weight "
            f"{list(weight)}, but got {len(shape)}-dimensional input of size {list(shape)} instead"
        )
    if weight[0] < groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got "
            f"weight of size {list(weight)} instead"
        )
    if weight[0] % groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but "
            f"got weight of size [{list(weight)}] instead"
        )
    if transposed:
        _check_transposed(shape, weight, bias, groups)
        size = transposed_size(shape, weight, stride, padding, dilation, output_padding)
        if any(e >= s and e >= d for e, s, d in zip(output_padding, stride, dilation)):
            raise RuntimeError(_too_much_output_padding(stride, dilation, output_padding))
        if any(n < 0 for n in size):
            raise RuntimeError(
                f"Given input size per channel: {_times(shape[2:])}. Calculated output size per "
                f"channel: {_times(size)}. Output size is too small"
            )
    else:
        _check_plain(shape, weight, bias, padding, dilation, groups)
    return stride, padding, dilation, transposed, output_padding, groups


def _check_positive(stride, padding, dilation, output_padding, groups):
    if min(padding, default=0) < 0:
        raise RuntimeError("negative padding is not supported")
    if min(output_padding, default=0) < 0:
        raise RuntimeError("negative output_padding is not supported")
    if min(stride, default=1) <= 0:
        raise RuntimeError("non-positive stride is not supported")
    if min(dilation, default=1) <= 0:
        raise RuntimeError(f"dilation should be greater than zero, but got {list(dilation)}")
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")


def _check_plain(shape, weight, bias, padding, dilation, groups):
    if shape[1] != weight[1] * groups:
        raise RuntimeError(
            f"Given groups={groups}, weight of size {list(weight)}, expected input{list(shape)} to have "
            f"{weight[1] * groups} channels, but got {shape[1]} channels instead"
        )
    if bias is not None and bias != (weight[0],):
        raise RuntimeError(
            f"Given weight of size {list(weight)}, expected bias to be 1-dimensional with {weight[0]} "
            f"elements, but got bias of size {list(bias)} instead"
        )
    padded = [n + 2 * p for n, p in zip(shape[2:], padding)]
    reach = [d * (k - 1) + 1 for d, k in zip(dilation, weight[2:])]
    if any(n < r for n, r in zip(padded, reach)):
        raise RuntimeError(
            f"Calculated padded input size per channel: {_times(padded)}. Kernel size: {_times(reach)}. "
            "Kernel size can't be greater than actual input size"
        )


def _check_transposed(shape, weight, bias, groups):
    if shape[1] != weight[0]:
        raise RuntimeError(
            f"Given transposed=1, weight of size {list(weight)}, expected input{list(shape)} to have "
            f"{weight[0]} channels, but got {shape[1]} channels instead"
        )
    if bias is not None and bias != (weight[1] * groups,):
        raise RuntimeError(
            f"Given transposed=1, weight of size {list(weight)}, expected bias to be 1-dimensional with "
            f"{weight[1] * groups} elements, but got bias of size {list(bias)} instead"
        )


def _too_much_output_padding(stride, dilation, output_padding):
    named = ("depth", "height", "width") if len(stride) == 3 else ("height", "width")
    stride, dilation, output_padding = ((1,) * (2 - len(v)) + v for v in (stride, dilation, output_padding))
    return "output padding must be smaller than either stride or dilation, but got " + " ".join(
        f"{what}_{name}: {n}"
        for what, values in (("output_padding", output_padding), ("stride", stride), ("dilation", dilation))
        for name, n in zip(named, values)
    )


def _times(size):
    return "(" + " x ".join(map(str, size)) + ")"


# ---- channels_last


def has_channels_last(shape, strides):
    """Are the channels innermost in memory? (torch counts an N111 tensor as ordinary.)"""
    n = len(shape)
    if n not in (4, 5) or strides[1] != 1:
        return False
    step = 0
    for d in (1, *range(n - 1, 1, -1), 0):
        if shape[d] == 0 or strides[d] < step or d == 0 and step == strides[1]:
            return False
        step = strides[d] * max(shape[d], 1)
    return True


def channels_last_strides(shape):
    """Dense strides with the channels innermost."""
    inner = contiguous_strides((shape[0], *shape[2:], shape[1]))
    return (inner[0], inner[-1], *inner[1:-1])


def in_format(np, out, *arrays):
    """out with the channels innermost in memory if one of the numpy arrays has them so."""
    for x in arrays:
        if not x.flags.c_contiguous and has_channels_last(x.shape, np.strides(x)):
            return np.with_strides(out, channels_last_strides(out.shape)) if out.ndim == x.ndim else out
    return out


def formatted(forward):
    """A numpy kernel: `forward`, its result in the memory format of its first array."""

    def numpy(np, input, *rest):
        return in_format(np, forward(np, input, *rest), input)

    return numpy


# ---- what users call


def _convolve(n, name, input, weight, bias, stride, padding, dilation, groups):
    """conv1d, conv2d and conv3d: an input without a batch gets one for the call; padding may be a word."""
    ndim = input.dim()
    if ndim == n + 1:
        return _convolve(n, name, input.unsqueeze(0), weight, bias, stride, padding, dilation, groups).squeeze(0)
    if ndim != n + 2:
        raise RuntimeError(
            f"Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to {name}, but got input of "
            f"size: {list(input.shape)}"
        )
    if type(padding) is str:
        input, padding = _padding_from_word(input, weight, stride, padding, dilation)
    if weight.dim() < 3:
        raise RuntimeError("weight should have at least three dimensions")
    if weight.dim() != n + 2 and n != 1:
        steps = [stride] * n if isinstance(stride, int) else list(stride)
        raise RuntimeError(
            f"expected stride to be a single integer value or a list of {weight.dim() - 2} values to match the "
            f"convolution dimensions, but got stride={steps}"
        )
    if bias is not None and bias.dtype is not input.dtype:
        raise RuntimeError(f"Input type ({_c_name(input)}) and bias type ({_c_name(bias)}) should be the same")
    return convolution.fn(input, weight, bias, stride, padding, dilation, False, 0, groups)


def _c_name(t):
    from_torch = {
        "float32": "float",
        "float64": "double",
        "int64": "long long",
        "int32": "int",
        "float16": "c10::Half",
        "bfloat16": "c10::BFloat16",
        "complex64": "c10::complex<float>",
        "complex128": "c10::complex<double>",
    }
    return from_torch.get(t.dtype.name, t.dtype.name)


def _padding_from_word(input, weight, stride, word, dilation):
    """(input, padding) for padding="valid" or "same"; what "same" needs on one side only is padded beforehand."""
    n = weight.dim() - 2
    if word == "valid":
        return input, 0
    if word != "same":
        raise RuntimeError(f"Invalid padding string: '{word}'")
    if any(s != 1 for s in per_dim("stride", stride, n)):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    total = [d * (k - 1) for d, k in zip(per_dim("dilation", dilation, n), weight.shape[2:])]
    if any(t % 2 for t in total):
        warnings.warn(
            "Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy "
            "of the input be created",
            stacklevel=4,
        )
        odd = [t % 2 for t in total]
        input = FUNCTIONS["constant_pad_nd"](input, [w for extra in reversed(odd) for w in (0, extra)], 0)
    return input, tuple([t // 2 for t in total])


_DOC = """{name}(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1) -> Tensor: {n}-D correlation.

    input (N, C, {size}) or (C, {size}); weight (O, C/groups, {kernel}); bias (O,). padding may be "valid" or "same";
    the other arguments are an int or a tuple of {n}. Output size: (n + 2 padding - dilation (k - 1) - 1) // stride +
    1. RuntimeError where sizes do not fit.
    """
_DIMS = {1: ("L", "k"), 2: ("H, W", "kh, kw"), 3: ("D, H, W", "kd, kh, kw")}


@public(namespace=("torch", "nn.functional"))
def conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    return _convolve(1, "conv1d", input, weight, bias, stride, padding, dilation, groups)


@public(namespace=("torch", "nn.functional"))
def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    return _convolve(2, "conv2d", input, weight, bias, stride, padding, dilation, groups)


@public(namespace=("torch", "nn.functional"))
def conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    return _convolve(3, "conv3d", input, weight, bias, stride, padding, dilation, groups)


def _transpose(n, name, input, weight, bias, stride, padding, output_padding, groups, dilation):
    """conv_transpose1d, 2d and 3d."""
    ndim = input.dim()
    if ndim == n + 1:
        batch = input.unsqueeze(0)
        return _transpose(n, name, batch, weight, bias, stride, padding, output_padding, groups, dilation).squeeze(0)
    if ndim != n + 2:
        raise RuntimeError(
            f"Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to {name}, but got input of "
            f"size: {list(input.shape)}"
        )
    if bias is not None and bias._table is not input._table and weight._table is input._table:
        raise RuntimeError(f"Input type ({_c_name(input)}) and bias type ({_c_name(bias)}) should be the same")
    return convolution.fn(input, weight, bias, stride, padding, dilation, True, output_padding, groups)


_TRANSPOSE_DOC = """{name}(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1).

    The transpose of {n}-D convolution as a linear map. input (N, C, {size}) or (C, {size}); weight (C, O/groups,
    {kernel}); bias (O,). Output size: (n - 1) stride - 2 padding + dilation (k - 1) + output_padding + 1.
    RuntimeError where sizes do not fit.
    """


@public(namespace=("torch", "nn.functional"))
def conv_transpose1d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    return _transpose(1, "conv_transpose1d", input, weight, bias, stride, padding, output_padding, groups, dilation)


@public(namespace=("torch", "nn.functional"))
def conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    return _transpose(2, "conv_transpose2d", input, weight, bias, stride, padding, output_padding, groups, dilation)


@public(namespace=("torch", "nn.functional"))
def conv_transpose3d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    return _transpose(3, "conv_transpose3d", input, weight, bias, stride, padding, output_padding, groups, dilation)


for _n, (_size, _kernel) in _DIMS.items():
    for _f, _text in ((FUNCTIONS[f"conv{_n}d"], _DOC), (FUNCTIONS[f"conv_transpose{_n}d"], _TRANSPOSE_DOC)):
        _f.__doc__ = _text.format(name=_f.__name__, n=_n, size=_size, kernel=_kernel)


@public(namespace=("torch", "nn.functional"))
def conv_tbc(input, weight, bias, pad=0):
    """conv_tbc(input, weight, bias, pad=0) -> Tensor: 1-D convolution of input (time, N, C) with weight (k, C, O)."""
    out = convolution.fn(input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, 1, pad, 1, False, 0, 1)
    return out.permute(2, 0, 1).contiguous()


# ---- unfold and fold


class im2col(Layer):
    """im2col(input, kernel_size, dilation=1, padding=0, stride=1) -> Tensor: what F.unfold does."""

    node_name, namespace = "Im2ColBackward0", None

    @unary_func_op()
    def forward(xp, input, kernel_size, dilation=1, padding=0, stride=1):
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
                f"Given input with spatial size {_comma(shape[-2:])}, "
                f"kernel_size={_comma(kernel_size)}, dilation={_comma(dilation)}, "
                f"padding={_comma(padding)}, calculated shape of the array of sliding blocks as "
                f"{_comma(size)}, but its components must be at least one."
            )
        return tuple(options)

    def grad_input(xp, g, kernel_size, dilation, padding, stride, shape):
        got = xp.col2im(batched(xp, g, 3), tuple(shape[-2:]), kernel_size, dilation, padding, stride)
        return unbatched(xp, got, len(shape) == 3)


class col2im(Layer):
    """col2im(input, output_size, kernel_size, dilation=1, padding=0, stride=1) -> Tensor: what F.fold does."""

    node_name, namespace = "Col2ImBackward0", None

    @unary_func_op()
    def forward(xp, input, output_size, kernel_size, dilation=1, padding=0, stride=1):
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
            f"Given output_size={_comma(output_size)}, kernel_size={_comma(kernel_size)}, "
            f"dilation={_comma(dilation)}, padding={_comma(padding)}, stride={_comma(stride)}, expected "
            f"size of input's dimension 2 to match the calculated number of sliding blocks {h} * {w} = "
            f"{h * w}, but got input.size(2)={shape[at + 1]}."
        )
    if h < 1 or w < 1:
        raise RuntimeError(
            f"Given output_size={_comma(output_size)}, kernel_size={_comma(kernel_size)}, "
            f"dilation={_comma(dilation)}, padding={_comma(padding)}, stride={_comma(stride)}, "
            f"calculated shape of the array of sliding blocks as ({h}, {w}), but its components must be "
            "at least one."
        )


def _comma(size):
    return "(" + ", ".join(map(str, size)) + ")"


def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    """unfold(input, kernel_size, dilation=1, padding=0, stride=1) -> Tensor: every sliding window as a column.

    input (N, C, H, W) or (C, H, W) gives (N, C * kh * kw, windows) or (C * kh * kw, windows).
    """
    return im2col.fn(input, kernel_size, dilation, padding, stride)


def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """fold(input, output_size, kernel_size, ...) -> Tensor: the transpose of unfold; overlapping windows add up.

    input (N, C * kh * kw, windows) or without N gives (N, C, *output_size) or (C, *output_size).
    """
    return col2im.fn(input, output_size, kernel_size, dilation, padding, stride)


NAMESPACES.setdefault("nn.functional", {}).update(unfold=unfold, fold=fold)  # as a word, `unfold` is the view
