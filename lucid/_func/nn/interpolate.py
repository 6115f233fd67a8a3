"""Images and lines at other sizes: interpolate in all modes, upsample."""

import math

from ..._array import resampling as sampling
from ..._array.lookup import table
from ..._backend.autocast import as_called
from ..._backend.dispatch import spelled_as
from ..._backend.families import not_implemented_error
from ..._backend.registry import public
from ..._backend.signatures import int_list
from ..._base.dtype import FLOATING, float64, uint8
from ..._base.warn import warn
from .adaptive_pool import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d
from .resampling import resampling_op

# ---- the word, as an op


_OPS = {}
for _n in (1, 2, 3):
    _OPS["nearest", _n] = resampling_op(f"upsample_nearest{_n}d", f"UpsampleNearest{_n}DBackward0")
    _OPS["nearest-exact", _n] = resampling_op(f"_upsample_nearest_exact{_n}d", f"UpsampleNearestExact{_n}DBackward0")
for _mode, _n in (("linear", 1), ("bilinear", 2), ("trilinear", 3), ("bicubic", 2)):
    _OPS[_mode, _n] = resampling_op(f"upsample_{_mode}{_n}d", f"Upsample{_mode.capitalize()}{_n}DBackward0")
for _mode in ("bilinear", "bicubic", "lanczos"):
    _OPS[_mode + "_aa", 2] = resampling_op(f"_upsample_{_mode}2d_aa", f"Upsample{_mode.capitalize()}2DAaBackward0")

_FORMS = {"bilinear": "linear", "bicubic": "cubic", "lanczos": "lanczos"}


# which modes torch has for uint8 images, in how many dimensions
_OF_BYTES = {"nearest": (1, 2, 3), "nearest-exact": (1, 2, 3), "bilinear": (2,), "bicubic": (2,), "lanczos": (2,)}


def _taps(mode, n_in, n_out, align_corners, scale, antialias, double):
    if mode in ("nearest", "nearest-exact"):
        return sampling.nearest(n_in, n_out, scale, mode != "nearest")
    if antialias:
        return sampling.antialiased(n_in, n_out, _FORMS[mode], align_corners, scale, double)
    return (sampling.cubic if mode == "bicubic" else sampling.linear)(n_in, n_out, align_corners, scale, double)


_ROUNDED = ("linear", "trilinear", "bicubic")  # torch's kernels of these keep their weights in the tensor's type


def _with_halves(taps, k):
    """The same with weights that halves can hold."""
    if taps.weights is None:
        return taps
    if k.dtype not in taps.cache:
        weights = k.widen(k.narrow(taps.weights.astype("float32")))
        if len(weights) == 2:
            weights[0] = k.widen(k.narrow(1 - weights[1]))
        taps.cache[k.dtype] = sampling.Taps(taps.n_in, taps.indices, weights, taps.real)
    return taps.cache[k.dtype]


def _special_cases(taps, mode, separable):
    """(taps, taps of the gradient or None): some kernels of torch copy where a factor left the size as it was."""
    plain = tuple([sampling.whole(t.n_in, t.n_out // t.n_in) if t.n_out in (t.n_in, 2 * t.n_in) else t for t in taps])
    if mode == "nearest":
        return (plain, None) if len(taps) == 2 else (taps, plain)
    held = sampling.standing if mode.endswith("linear") and not separable else sampling.whole
    kept = tuple([held(t.n_in) if t.n_in == t.n_out else t for t in taps])
    if separable:
        return kept, taps
    if mode == "bicubic":
        return taps, kept if all(t.n_in == t.n_out for t in taps) else None
    return taps, None


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
    if size is not None:
        given = list(int_list(f"upsample_{mode}{n}d", "output_size", given))
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
        return as_called(pool, input, sizes[0] if n == 1 else sizes)
    if mode == "lanczos" and n == 2:
        if align_corners:
            raise ValueError("Lanczos mode does not support align_corners=True")
        if not antialias:
            raise ValueError("Lanczos mode requires antialias=True")
    if (mode + "_aa" if antialias else mode, n) not in _OPS:
        needs = {"linear": 3, "bilinear": 4, "trilinear": 5}
        if mode in needs and n in (1, 2, 3):
            raise NotImplementedError(f"Got {n + 2}D input, but {mode} mode needs {needs[mode]}D input")
        raise NotImplementedError(
            f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {n + 2}D) for the "
            f"modes: {_MODES} (got {mode})"
        )
    return at_size(input, sizes, scales, mode, align_corners, antialias)


def at_size(input, sizes, scales, mode, align_corners, antialias=False):
    """input at these sizes; scales (None, or one for each dimension, None for the sizes' own): how far points lie
    apart."""
    n = len(sizes)
    op = _OPS[(mode + "_aa" if antialias else mode, n)]
    _check(input, sizes, mode, n)
    _check_type(input, mode, n)
    double = input.dtype in (float64, uint8)
    taps = tuple(
        [
            _taps(mode, m, int(k), bool(align_corners), None if scales is None else s, antialias, double)
            for m, k, s in zip(input.shape[2:], sizes, scales or sizes)
        ]
    )
    special = _special_cases(taps, mode, antialias or input.dtype is uint8 and mode == "bicubic")
    if mode in _ROUNDED and not antialias and input._table.is_half:
        special = tuple([_with_halves(t, table(input.dtype, "cpu")) for t in special[0]]), special[1] or special[0]
    aligned = () if mode.startswith("nearest") else (bool(align_corners),)
    told = (input, sizes, *aligned, *(scales or [None] * n))
    return spelled_as(op.name, told, op.fn, input, *special)


def _check_type(input, mode, n):
    if input._table.dtype.category == FLOATING or input.dtype is uint8 and n in _OF_BYTES.get(mode, ()):
        return
    raise not_implemented_error(f"upsample_{mode.replace('-', '_')}{n}d", input._table.dtype)


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
    warn("`nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` instead.")
    return interpolate(input, size, scale_factor, mode, align_corners)
