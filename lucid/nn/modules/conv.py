"""Convolutions and transposed convolutions in one, two and three dimensions, and their lazy forms."""

import math
import warnings

from .. import functional as F
from .. import init
from .._ops import no_recording
from ..parameter import hold, hold_lazy
from .lazy import LazyModuleMixin
from .module import Module
from .utils import _ntuple, _reverse_repeat_tuple

__all__ = [
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
    "LazyConv1d",
    "LazyConv2d",
    "LazyConv3d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyConvTranspose3d",
]

_PADDINGS = {"same", "valid"}
_PADDING_MODES = {"zeros", "reflect", "replicate", "circular"}


def _same_padding(dilation, kernel_size):
    """What padding="same" adds, left and right, the last dimension first."""
    totals = [d * (k - 1) for d, k in zip(dilation, kernel_size)]
    return [n for total in reversed(totals) for n in (total // 2, total - total // 2)]


class _ConvNd(Module):
    """What all convolutions keep; sizes are tuples here."""

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride,
        padding,
        dilation,
        transposed,
        output_padding,
        groups,
        bias,
        padding_mode,
        device=None,
        dtype=None,
    ):
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        for name, channels in (("in", in_channels), ("out", out_channels)):
            if channels % groups != 0:
                raise ValueError(f"{name}_channels must be divisible by groups")
        if isinstance(padding, str):
            if padding not in _PADDINGS:
                raise ValueError(f"Invalid padding string {padding!r}, should be one of {_PADDINGS}")
            if padding == "same" and any(s != 1 for s in stride):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if padding_mode not in _PADDING_MODES:
            raise ValueError(f"padding_mode must be one of {_PADDING_MODES}, but got padding_mode='{padding_mode}'")
        self.in_channels, self.out_channels, self.kernel_size = in_channels, out_channels, kernel_size
        self.stride, self.padding, self.dilation = stride, padding, dilation
        self.transposed, self.output_padding = transposed, output_padding
        self.groups, self.padding_mode = groups, padding_mode
        if isinstance(padding, str):
            around = _same_padding(dilation, kernel_size) if padding == "same" else [0, 0] * len(kernel_size)
        else:
            around = _reverse_repeat_tuple(padding, 2)
        self._reversed_padding_repeated_twice = around
        hold(self, device, dtype, weight=self._weight_shape(), bias=(out_channels,) if bias else None)
        self.reset_parameters()

    def _weight_shape(self):
        first, second = self.out_channels, self.in_channels
        if self.transposed:
            first, second = second, first
        return first, second // self.groups, *self.kernel_size

    def reset_parameters(self):
        """Draw weight and bias anew, uniform on +-1/sqrt(weight.size(1) * prod(kernel_size))."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def extra_repr(self):
        shown = [f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"]
        for name, usual in (("padding", 0), ("dilation", 1), ("output_padding", 0)):
            value = getattr(self, name)
            if value != (usual,) * len(value):
                shown.append(f"{name}={value}")
        if self.groups != 1:
            shown.append(f"groups={self.groups}")
        if self.bias is None:
            shown.append("bias=False")
        if self.padding_mode != "zeros":
            shown.append(f"padding_mode={self.padding_mode}")
        return ", ".join(shown)

    def __setstate__(self, state):
        super().__setstate__(state)
        self.__dict__.setdefault("padding_mode", "zeros")


class _Conv(_ConvNd):
    """Conv1d, Conv2d and Conv3d differ in `_dims` and in the function."""

    _dims = None

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        bias=True,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ):
        sizes = _ntuple(self._dims)
        super().__init__(
            in_channels,
            out_channels,
            sizes(kernel_size),
            sizes(stride),
            padding if isinstance(padding, str) else sizes(padding),
            sizes(dilation),
            False,
            sizes(0),
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def _conv_forward(self, input, weight, bias):
        padding = self.padding
        if self.padding_mode != "zeros":
            input = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            padding = (0,) * self._dims
        return getattr(F, self._function)(input, weight, bias, self.stride, padding, self.dilation, self.groups)

    def forward(self, input):
        own = self._parameters
        try:
            weight, bias = own["weight"], own["bias"]
        except KeyError:
            weight, bias = self.weight, self.bias
        return self._conv_forward(input, weight, bias)

    def _traced_forward(self, input):  # torch.fx watches attributes
        return self._conv_forward(input, self.weight, self.bias)


class Conv1d(_Conv):
    """Conv1d(in_channels, out_channels, kernel_size, ...): cross-correlation over (N, C, L) or (C, L).

    padding: a number, one per dimension, "valid" or "same"; padding_mode: zeros, reflect, replicate or circular.
    weight (out_channels, in_channels / groups, kernel_size).
    """

    _dims, _function = 1, "conv1d"


class Conv2d(_Conv):
    """Conv2d(in_channels, out_channels, kernel_size, ...): cross-correlation over (N, C, H, W) or (C, H, W); see
    Conv1d."""

    _dims, _function = 2, "conv2d"


class Conv3d(_Conv):
    """Conv3d(in_channels, out_channels, kernel_size, ...): the same over (N, C, D, H, W) or (C, D, H, W); see
    Conv1d."""

    _dims, _function = 3, "conv3d"


class _ConvTransposeNd(_ConvNd):
    """What transposed convolutions share."""

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride,
        padding,
        dilation,
        transposed,
        output_padding,
        groups,
        bias,
        padding_mode,
        device=None,
        dtype=None,
    ):
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            transposed,
            output_padding,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def _output_padding(self, input, output_size, stride, padding, kernel_size, num_spatial_dims, dilation=None):
        """The output_padding that gives output_size (the layer's own where None is asked)."""
        n = num_spatial_dims
        if output_size is None:
            return tuple(self.output_padding)
        outer = 2 if input.dim() == n + 2 else 1
        if len(output_size) == outer + n:
            output_size = output_size[outer:]
        if len(output_size) != n:
            raise ValueError(
                f"ConvTranspose{n}D: for {input.dim()}D input, output_size must have {n} or {outer + n} "
                f"elements (got {len(output_size)})"
            )
        dilation = dilation if dilation is not None else (1,) * n
        least = [
            (input.size(d + outer) - 1) * stride[d] - 2 * padding[d] + dilation[d] * (kernel_size[d] - 1) + 1
            for d in range(n)
        ]
        most = [low + s - 1 for low, s in zip(least, stride)]
        if any(not low <= size <= high for low, size, high in zip(least, output_size, most)):
            raise ValueError(
                f"requested an output size of {output_size}, but valid sizes range from {least} to {most} "
                f"(for an input of {input.size()[2:]})"
            )
        return [size - low for size, low in zip(output_size, least)]


class _ConvTransposeMixin(_ConvTransposeNd):
    """An old name of _ConvTransposeNd."""

    def __init__(self, *args, **kwargs):
        warnings.warn(
            "`_ConvTransposeMixin` is a deprecated internal class. Please consider using public APIs.",
            FutureWarning,
            stacklevel=2,
        )
        super().__init__(*args, **kwargs)


class _ConvTranspose(_ConvTransposeNd):
    """ConvTranspose1d, 2d and 3d differ in `_dims` and in the function."""

    _dims = None

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        output_padding=0,
        groups=1,
        bias=True,
        dilation=1,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ):
        sizes = _ntuple(self._dims)
        super().__init__(
            in_channels,
            out_channels,
            sizes(kernel_size),
            sizes(stride),
            sizes(padding),
            sizes(dilation),
            True,
            sizes(output_padding),
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def forward(self, input, output_size=None):
        if self.padding_mode != "zeros":
            raise ValueError(f"Only `zeros` padding mode is supported for ConvTranspose{self._dims}d")
        if not isinstance(self.padding, tuple):
            raise AssertionError("self.padding must be a tuple")
        extra = self._output_padding(
            input, output_size, self.stride, self.padding, self.kernel_size, self._dims, self.dilation
        )
        return getattr(F, self._function)(
            input, self.weight, self.bias, self.stride, self.padding, extra, self.groups, self.dilation
        )


class ConvTranspose1d(_ConvTranspose):
    """ConvTranspose1d(in_channels, out_channels, kernel_size, ...): the gradient of Conv1d as a layer, over (N, C, L)
    or (C, L).

    weight (in_channels, out_channels / groups, kernel_size). forward(input, output_size=None) chooses among the output
    sizes that one stride allows.
    """

    _dims, _function = 1, "conv_transpose1d"


class ConvTranspose2d(_ConvTranspose):
    """ConvTranspose2d(in_channels, out_channels, kernel_size, ...): over (N, C, H, W) or (C, H, W); see
    ConvTranspose1d."""

    _dims, _function = 2, "conv_transpose2d"


class ConvTranspose3d(_ConvTranspose):
    """ConvTranspose3d(in_channels, out_channels, kernel_size, ...): over (N, C, D, H, W) or (C, D, H, W)."""

    _dims, _function = 3, "conv_transpose3d"


class _LazyConvXdMixin(LazyModuleMixin):
    """A convolution that takes in_channels from its first input."""

    def _wait(self, out_channels, bias, device, dtype):
        self.out_channels = out_channels
        hold_lazy(self, device, dtype, "weight", *(["bias"] if bias else []))

    def reset_parameters(self):
        if not self.has_uninitialized_params() and self.in_channels != 0:
            super().reset_parameters()

    def initialize_parameters(self, input, *args, **kwargs):
        if not self.has_uninitialized_params():
            return
        self.in_channels = self._get_in_channels(input)
        if self.in_channels % self.groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        with no_recording():
            self.weight.materialize(self._weight_shape())
            if self.bias is not None:
                self.bias.materialize((self.out_channels,))
            self.reset_parameters()

    def _get_in_channels(self, input):
        n = self._get_num_spatial_dims()
        if input.dim() not in (n + 1, n + 2):
            raise RuntimeError(
                f"Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to {type(self).__name__}, "
                f"but got input of size: {input.shape}"
            )
        return input.shape[1] if input.dim() == n + 2 else input.shape[0]

    def _get_num_spatial_dims(self):
        return self._dims


class _LazyConv(_LazyConvXdMixin):
    def __init__(
        self,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        bias=True,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ):
        super().__init__(0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode, device, dtype)
        self._wait(out_channels, bias, device, dtype)


class LazyConv1d(_LazyConv, Conv1d):
    """LazyConv1d(out_channels, kernel_size, ...): a Conv1d that takes in_channels from its first input."""

    cls_to_become = Conv1d


class LazyConv2d(_LazyConv, Conv2d):
    """LazyConv2d(out_channels, kernel_size, ...): a Conv2d that takes in_channels from its first input."""

    cls_to_become = Conv2d


class LazyConv3d(_LazyConv, Conv3d):
    """LazyConv3d(out_channels, kernel_size, ...): a Conv3d that takes in_channels from its first input."""

    cls_to_become = Conv3d


class _LazyConvTranspose(_LazyConvXdMixin):
    def __init__(
        self,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        output_padding=0,
        groups=1,
        bias=True,
        dilation=1,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ):
        super().__init__(
            0, 0, kernel_size, stride, padding, output_padding, groups, False, dilation, padding_mode, device, dtype
        )
        self._wait(out_channels, bias, device, dtype)


class LazyConvTranspose1d(_LazyConvTranspose, ConvTranspose1d):
    """LazyConvTranspose1d(out_channels, kernel_size, ...): takes in_channels from its first input."""

    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyConvTranspose, ConvTranspose2d):
    """LazyConvTranspose2d(out_channels, kernel_size, ...): takes in_channels from its first input."""

    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(_LazyConvTranspose, ConvTranspose3d):
    """LazyConvTranspose3d(out_channels, kernel_size, ...): takes in_channels from its first input."""

    cls_to_become = ConvTranspose3d
