"""Images and lines at other sizes: interpolate in all modes, upsample, adaptive average pooling."""

import math
import warnings

from ..._array import resampling as sampling
from ..._backend.core import unary_func_op
from ..._backend.families import Layer
from ..._backend.registry import public
from ..._base.dtype import FLOATING, SCALAR_NAMES, float64, uint8
from .conv import formatted
from .pool import two_or_three

# ---- the word, as an op


class resample(Layer):
    """resample(x, dim, taps): each output along dim a weighted sum of inputs, as `taps` says."""

    namespace, linear, node_name = None, True, "IndexBackward0"

    @unary_func_op()
    def forward(xp, x, dim, taps):
        return xp.resample(x, dim, taps)

    def grad_x(xp, g, dim, taps):
        return xp.resample_backward(g, dim, taps)


class resample_backward(Layer):
    """resample_backward(g, dim, taps): the transpose of resample."""

    namespace, linear, node_name = None, True, "IndexBackward0"

    @unary_func_op()
    def forward(xp, g, dim, taps):
        return xp.resample_backward(g, dim, taps)

    def grad_g(xp, g_, dim, taps):
        return xp.resample(g_, dim, taps)


def _resampled(xp, input, taps):
    """Along the last len(taps) dimensions, the innermost first."""
    for i in range(len(taps) - 1, -1, -1):
        if taps[i] is not None:
            input = xp.resample(input, input.ndim - len(taps) + i, taps[i])
    return input


def _resampled_backward(xp, g, taps):
    for i in range(len(taps)):
        if taps[i] is not None:
            g = xp.resample_backward(g, g.ndim - len(taps) + i, taps[i])
    return g


def resampling_op(name, node):
    """An op that reads its last dimensions at other points; one per node name that torch has."""

    def forward(xp, input, taps):
        return _resampled(xp, input, taps)

    return type(
        name,
        (Layer,),
        {
            "namespace": None,
            "linear": True,
            "node_name": node,
            "forward": unary_func_op()(forward),
            "numpy": formatted(forward),
            "grad_input": _resampled_backward,
            "__module__": __name__,
            "__doc__": f"{name}(input, taps) -> Tensor: {node[:-9]} by taps, one per trailing dimension.",
        },
    )


_OPS = {}
for _n in (1, 2, 3):
    _OPS["nearest", _n] = resampling_op(f"upsample_nearest{_n}d", f"UpsampleNearest{_n}DBackward0")
    _OPS["nearest-exact", _n] = resampling_op(f"_upsample_nearest_exact{_n}d", f"UpsampleNearestExact{_n}DBackward0")
for _mode, _n in (("linear", 1), ("bilinear", 2), ("trilinear", 3), ("bicubic", 2)):
    _OPS[_mode, _n] = resampling_op(f"upsample_{_mode}{_n}d", f"Upsample{_mode.capitalize()}{_n}DBackward0")
for _mode in ("bilinear", "bicubic", "lanczos"):
    _OPS[_mode + "_aa", 2] = resampling_op(f"_upsample_{_mode}2d_aa", f"Upsample{_mode.capitalize()}2DAaBackward0")

_FORMS = {"bilinear": "linear", "bicubic": "cubic", "lanczos": "lanczos"}


def _taps(mode, n_in, n_out, align_corners, scale, antialias, double):
    if mode in ("nearest", "nearest-exact"):
        return sampling.nearest(n_in, n_out, scale, mode != "nearest")
    if antialias:
        return sampling.antialiased(n_in, n_out, _FORMS[mode], align_corners, scale, double)
    return (sampling.cubic if mode == "bicubic" else sampling.linear)(n_in, n_out, align_corners, scale, double)


# ---- sizes

_MODES = "nearest | linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact"
_ALIGNED = ("linear", "bilinear", "bicubic", "trilinear")


def _sizes(input, size, scale_factor, recompute, mode):
    """(output size or None, scale factors or None) as given, one per spatial dimension."""
    n = input.dim() - 2
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    given, name, letter = (size, "output size", "o") if size is not None else (scale_factor, "scale_factor", "s")
    shown = "output size of" if size is not None else "scale_factor of shape"
    if isinstance(given, (list, tuple)):
        if len(given) != n:
            raise ValueError(
                f"Input and {'output' if size is not None else name} must have the same number of spatial "
                f"dimensions, but got input with spatial dimensions of {list(input.shape[2:])} and "
                f"{shown} {given}. Please provide input tensor in (N, C, d1, d2, ...,dK) format and "
                f"{name} in ({letter}1, {letter}2, ...,{letter}K) format."
            )
        given = list(given)
    else:
        given = [given] * n
    if size is None:
        if recompute or mode == "area":
            return [math.floor(m * s) for m, s in zip(input.shape[2:], given)], None
        return [math.floor(float(m) * s) for m, s in zip(input.shape[2:], given)], [float(s) for s in given]
    if recompute:
        raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
    return given, None


def _check(input, size, mode, n):
    for name, values in (("input", input.shape[2:]), ("output", size)):
        for v in values:
            if not hasattr(v, "__index__"):
                raise TypeError(
                    f"upsample_{mode}{n}d() received an invalid combination of arguments: size must be "
                    f"ints, got {values}"
                )
    if min(*input.shape[2:], *size) <= 0:
        raise RuntimeError(
            "Input and output sizes should be greater than 0, but got input "
            f"({_named(input.shape[2:])}) output ({_named(size)})"
        )
    if input.shape[1] == 0:
        raise RuntimeError(f"Non-empty {n + 2}D data tensor expected but got a tensor with sizes {list(input.shape)}")


def _named(size):
    return ", ".join(f"{c}: {n}" for c, n in zip("DHW"[-len(size) :], size))


@public(namespace="nn.functional")
def interpolate(
    input,
    size=None,
    scale_factor=None,
    mode="nearest",
    align_corners=None,
    recompute_scale_factor=None,
    antialias=False,
):
    """interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None, ...) -> Tensor.

    input (N, C, ...) with one to three spatial dimensions, at another size (given, or by a factor). Modes: nearest,
    nearest-exact, linear, bilinear, bicubic, trilinear, area, lanczos. ValueError for arguments that contradict each
    other, NotImplementedError for a mode with another number of dimensions.
    """
    if mode in ("nearest", "area", "nearest-exact"):
        if align_corners is not None:
            raise ValueError(
                "align_corners option can only be set with the interpolating modes: linear | bilinear | "
                "bicubic | trilinear"
            )
    n = input.dim() - 2
    sizes, scales = _sizes(input, size, scale_factor, recompute_scale_factor, mode)
    if antialias and not (mode in _FORMS and n == 2):
        raise ValueError(
            "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as input"
        )
    if mode == "area" and n in (1, 2, 3):
        pool = (adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d)[n - 1]
        return pool(input, sizes[0] if n == 1 else sizes)
    if mode == "lanczos" and n == 2:
        if align_corners:
            raise ValueError("Lanczos mode does not support align_corners=True")
        if not antialias:
            raise ValueError("Lanczos mode requires antialias=True")
    op = _OPS.get((mode + "_aa" if antialias else mode, n))
    if op is None:
        needs = {"linear": 3, "bilinear": 4, "trilinear": 5}
        if mode in needs and n in (1, 2, 3):
            raise NotImplementedError(f"Got {n + 2}D input, but {mode} mode needs {needs[mode]}D input")
        raise NotImplementedError(
            f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {n + 2}D) for the "
            f"modes: {_MODES} (got {mode})"
        )
    _check(input, sizes, mode, n)
    _check_type(input, mode, n)
    double = input.dtype is float64
    taps = tuple(
        [
            _taps(mode, m, int(k), bool(align_corners), None if scales is None else s, antialias, double)
            for m, k, s in zip(input.shape[2:], sizes, scales or sizes)
        ]
    )
    return op.fn(input, taps)


def _check_type(input, mode, n):
    if input._table.dtype.category == FLOATING or input.dtype is uint8 and mode in ("nearest", "nearest-exact"):
        return
    if input.dtype is uint8:
        raise NotImplementedError(
            f"lucid has no uint8 kernel for interpolation mode '{mode}'; convert to a floating type first"
        )
    raise NotImplementedError(
        f"\"upsample_{mode.replace('-', '_')}{n}d\" not implemented for '{SCALAR_NAMES[input._table.dtype]}'"
    )


def _upsample(mode, name):
    def f(input, size=None, scale_factor=None):
        return interpolate(input, size, scale_factor, mode, align_corners=None if mode == "nearest" else True)

    f.__name__ = f.__qualname__ = name
    f.__doc__ = f"{name}(input, size=None, scale_factor=None) -> Tensor: interpolate in mode {mode}; deprecated."
    return public(namespace="nn.functional")(f)


upsample_nearest = _upsample("nearest", "upsample_nearest")
upsample_bilinear = _upsample("bilinear", "upsample_bilinear")


@public(namespace="nn.functional")
def upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    """upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None) -> Tensor: interpolate."""
    warnings.warn("`nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` instead.", stacklevel=2)
    return interpolate(input, size, scale_factor, mode, align_corners)


# ---- adaptive average pooling: means from floor(i n / m) to ceil((i + 1) n / m) for each of m outputs


def _adaptive_op(n):
    def forward(xp, input, output_size):
        return _resampled(xp, input, _areas(input.shape, output_size))

    def grad_input(xp, g, output_size, shape):
        return _resampled_backward(xp, g, _areas(shape, output_size))

    return type(
        f"_adaptive_avg_pool{n}d",
        (Layer,),
        {
            "namespace": None,
            "linear": True,
            "node_name": f"AdaptiveAvgPool{n}DBackward0",
            "forward": unary_func_op()(forward),
            "numpy": formatted(forward),
            "grad_input": grad_input,
            "__module__": __name__,
            "__doc__": f"_adaptive_avg_pool{n}d(input, output_size) -> Tensor: adaptive average pooling.",
        },
    )


def _areas(shape, output_size):
    return [None if n == m else sampling.area(n, m) for n, m in zip(shape[-len(output_size) :], output_size)]


_MEANS = {n: _adaptive_op(n) for n in (2, 3)}


def adaptive_size(input, size, n):
    """The wanted size, None standing for the input's own."""
    if hasattr(size, "__index__") or size is None:
        size = (size,) * n
    elif len(input.shape) <= len(size):
        raise ValueError(f"Input dimension should be at least {len(size) + 1}")
    return tuple([m if s is None else int(s) for s, m in zip(size, input.shape[-len(size) :])])


def check_adaptive(name, input, size, n, colon=""):
    shape = list(input.shape)
    if len(shape) not in (n + 1, n + 2):
        raise RuntimeError(f"{name}(): Expected {n + 1}D or {n + 2}D tensor, but got{colon} {shape}")
    for d in range(len(shape) - n, len(shape)):
        if shape[d] == 0:
            raise RuntimeError(
                f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input "
                f"has sizes {shape} with dimension {d} being empty"
            )


def _adaptive_mean(n, input, output_size):
    name = f"adaptive_avg_pool{n}d"
    size = adaptive_size(input, output_size, n)
    if input.dim() not in (n + 1, n + 2):
        check_adaptive(name, input, size, n)
    if len(size) != n:
        raise RuntimeError(f"{name}: output_size must be {n}")
    if min(size) < 0:
        raise RuntimeError(
            f"{name}: elements of output_size must be greater than or equal to 0 but received "
            f"{{{', '.join(map(str, size))}}}"
        )
    if set(size) == {1} and input.dim() in (n + 1, n + 2) and input._table.inexact:
        return input.mean(tuple(range(-n, 0)), True)
    check_adaptive(name, input, size, n)
    if input._table.dtype.category != FLOATING:
        raise NotImplementedError(f"\"{name}\" not implemented for '{SCALAR_NAMES[input._table.dtype]}'")
    return _MEANS[n].fn(input, size)


@public(namespace="nn.functional")
def adaptive_avg_pool2d(input, output_size):
    """adaptive_avg_pool2d(input, output_size) -> Tensor: (N, C, H, W) or (C, H, W) averaged down to output_size.

    output_size is an int or two, None for the input's own size.
    """
    return _adaptive_mean(2, input, output_size)


@public(namespace="nn.functional")
def adaptive_avg_pool3d(input, output_size):
    """adaptive_avg_pool3d(input, output_size) -> Tensor: (N, C, D, H, W) or (C, D, H, W) averaged to output_size."""
    return _adaptive_mean(3, input, output_size)


@public(namespace=("torch", "nn.functional"))
def adaptive_avg_pool1d(input, output_size):
    """adaptive_avg_pool1d(input, output_size) -> Tensor: (N, C, L) or (C, L) averaged down to output_size."""
    size = one_size("adaptive_avg_pool1d", input, output_size)
    return _adaptive_mean(2, input.unsqueeze(-2), (1, size)).squeeze(-2)


def one_size(name, input, output_size):
    two_or_three(name, input)
    if hasattr(output_size, "__index__"):
        return int(output_size)
    if len(output_size) != 1:
        raise RuntimeError(f"{name}() argument 'output_size' should contain one int (got {len(output_size)})")
    return int(output_size[0])
