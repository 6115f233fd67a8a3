"""Noise in training: dropout, alpha_dropout, dropout1d to dropout3d, and rrelu, with torch's masks and graph.

A dropped tensor is `input * noise`, noise being 0 or 1 / (1 - p); a node of its own would not be torch's (on the CPU
its graph shows MulBackward0), and `where` would lose the NaN that torch keeps in `NaN * 0`.
"""

import math

from ..._array.numpy.table import table as cpu_table
from ..._array.random import engine as draw
from ..._array.random.rejection import rrelu_slopes
from ..._backend.core import func_op
from ..._backend.dispatch import takes_apart
from ..._backend.entries import function_entry
from ..._backend.families import Own, not_implemented_error
from ..._backend.inplace import inplace as run_inplace
from ..._backend.registry import public
from ..._backend.signatures import bind, signatures
from ..._base import dtype as dtypes
from ..._base.state import DISPATCH, UNUSUAL, local
from ..._base.warn import warn
from ..._tensor.tensor import wrap
from ..creation.generator import engine_of
from ..creation.gfunc import empty, empty_like, zeros, zeros_like
from ..creation.random_inplace import COMMON, bernoulli_, inside, overridable
from ..pointwise.activation import Overwriting
from ..pointwise.operands import need_tensors
from .native_dropout import as_modes_see_it

ALPHA = 1.7580993408473766  # -selu(-infinity)
# functions that torch has under one name, with other parameters, in torch and nn.functional
TORCH_FORMS = {}


def _torch_form(f):
    TORCH_FORMS[f.__name__] = function_entry("torch", f.__name__, f)
    return f


# ---- the mask


def _shape_of_noise(input, feature):
    if not feature:
        return None
    shape = tuple(input._array.shape)
    if len(shape) < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    return (*shape[:2], *[1] * (len(shape) - 2))


def _bernoulli_like(input, p, feature):
    """Ones with probability 1 - p, else zeros: of input's shape and memory order, or one per channel."""
    shape, k = _shape_of_noise(input, feature), input._table
    if k.dtype not in COMMON:
        raise not_implemented_error("bernoulli_scalar_cpu_", k.dtype)
    if UNUSUAL or local.frames or not k.host:
        x = input.detach()
        return bernoulli_(
            inside(empty_like(x) if shape is None else empty(shape, dtype=x.dtype, device=x.device)), 1 - p
        )
    d = k.empty_like(input._array) if shape is None else k.empty(shape)
    return wrap(draw.fill_bernoulli(engine_of(None, "dropout"), d, 1 - p), k)


def _scaled(noise, word, number):
    """noise *= number, or noise /= number; a half is scaled by a float32, as torch does, and rounded once."""
    k = noise._table
    if UNUSUAL or not k.host:
        return getattr(noise, word + "_")(number)
    exact = k if k.dtype.itemsize > 2 else cpu_table(dtypes.float32)
    return wrap(getattr(k, word)(noise._array, exact.scalar(number)), k)


def _drop(input, p, train, inplace, feature=False, alpha=False):
    need_tensors("dropout", input=input)
    if not 0 <= p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p:g}")
    if p == 0 or not train or input.numel() == 0:
        return input
    if p == 1:
        zero = zeros((), dtype=input.dtype, device=input.device)
        return input.mul_(zero) if inplace else input * zero
    if not input._table.inexact:
        raise RuntimeError("result type Float can't be cast to the desired output type Long")
    if DISPATCH and not (inplace or feature or alpha) and takes_apart():
        return as_modes_see_it(input, p)
    noise = _bernoulli_like(input, p, feature)
    if not alpha:
        noise = _scaled(noise, "div", 1 - p)
        return input.mul_(noise) if inplace else input * noise
    a = 1 / math.sqrt((ALPHA * ALPHA * p + 1) * (1 - p))
    b = _scaled(noise + -1, "mul", ALPHA * a) + ALPHA * a * p
    noise = _scaled(noise, "mul", a)
    return input.mul_(noise).add_(b) if inplace else input * noise + b


def _register(name, **kind):
    """torch.<name>(input, p, train) and its in-place form."""

    def out_of_place(input, p, train):
        return _drop(input, _probability(name, p), train, False, **kind)

    def in_place(input, p, train):
        return _drop(input, _probability(name, p), train, True, **kind)

    for f, label in ((out_of_place, name), (in_place, name + "_")):
        f.__name__ = f.__qualname__ = label
        f.__doc__ = f"{label}(input, p, train) -> Tensor; see nn.functional."
        _torch_form(overridable(f))


def _probability(name, p):
    if isinstance(p, complex) or not hasattr(type(p), "__float__"):
        raise TypeError(f"{name}(): argument 'p' (position 2) must be float, not {type(p).__name__}")
    return float(p)


_register("dropout")
_register("feature_dropout", feature=True)
_register("alpha_dropout", alpha=True)
_register("feature_alpha_dropout", feature=True, alpha=True)


# ---- nn.functional


def _check(p):
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if type(p) not in (float, int, bool):
        bind(signatures("torch", "dropout"), (zeros(()), p, True), {})


@public(namespace="nn.functional")
@overridable
def dropout(input, p=0.5, training=True, inplace=False):
    """dropout(input, p=0.5, training=True, inplace=False) -> Tensor, in training zero with probability p, else input /
    (1 - p).

    ValueError for p outside [0, 1]. Draws two words of the default generator per element, in the order of memory.
    """
    _check(p)
    return _drop(input, p, training, inplace)


@public(namespace="nn.functional")
@overridable
def alpha_dropout(input, p=0.5, training=False, inplace=False):
    """alpha_dropout(input, p=0.5, training=False, inplace=False) -> Tensor:
    dropout that keeps selu's mean and variance (Klambauer et al., 2017).
    """
    _check(p)
    return _drop(input, p, training, inplace, alpha=True)


@public(namespace="nn.functional")
@overridable
def feature_alpha_dropout(input, p=0.5, training=False, inplace=False):
    """feature_alpha_dropout(input, p=0.5, training=False, inplace=False) -> Tensor: alpha_dropout of whole channels."""
    _check(p)
    return _drop(input, p, training, inplace, feature=True, alpha=True)


def _unbatched(input, p, training, inplace):
    """Channel dropout of an input without a batch dimension."""
    x = input.unsqueeze_(0) if inplace else input.unsqueeze(0)
    x = _drop(x, p, training, inplace, feature=True)
    return x.squeeze_(0) if inplace else x.squeeze(0)


_PURPOSE = (
    "Note that dropout{0}d exists to provide channel-wise dropout on inputs with {0} spatial dimension{1}, a channel "
    "dimension, and an optional batch dimension (i.e. {2}D or {3}D inputs)."
)


@public(namespace="nn.functional")
@overridable
def dropout1d(input, p=0.5, training=True, inplace=False):
    """dropout1d(input, p=0.5, training=True, inplace=False) -> Tensor:
    whole channels of (N, C, L) or (C, L) dropped.
    """
    _check(p)
    ndim = input.dim()
    if ndim not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {ndim}D input. " + _PURPOSE.format(1, "", 2, 3)
        )
    return _drop(input, p, training, inplace, feature=True) if ndim == 3 else _unbatched(input, p, training, inplace)


@public(namespace="nn.functional")
@overridable
def dropout2d(input, p=0.5, training=True, inplace=False):
    """dropout2d(input, p=0.5, training=True, inplace=False) -> Tensor:
    whole channels of (N, C, H, W) dropped; a 3-D input is read as (N, C, L).
    """
    _check(p)
    ndim = input.dim()
    if ndim not in (3, 4):
        warn(
            f"dropout2d: Received a {ndim}-D input to dropout2d, which is deprecated and will result in an error in "
            "a future release. To retain the behavior and silence this warning, please use dropout instead. "
            + _PURPOSE.format(2, "s", 3, 4),
        )
    if ndim == 3:
        warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is "
            "desired - input is interpreted as shape (N, C, L), where C is the channel dim. This behavior will "
            "change in a future release to interpret the input as one without a batch dimension, i.e. shape (C, H, "
            "W). To maintain the 1D channel-wise dropout behavior, please switch to using dropout1d instead.",
        )
    return _drop(input, p, training, inplace, feature=True)


@public(namespace="nn.functional")
@overridable
def dropout3d(input, p=0.5, training=True, inplace=False):
    """dropout3d(input, p=0.5, training=True, inplace=False) -> Tensor:
    whole channels of (N, C, D, H, W) or (C, D, H, W).
    """
    _check(p)
    ndim = input.dim()
    if ndim not in (4, 5):
        warn(
            f"dropout3d: Received a {ndim}-D input to dropout3d, which is deprecated and will result in an error in "
            "a future release. To retain the behavior and silence this warning, please use dropout instead. "
            + _PURPOSE.format(3, "s", 4, 5),
        )
    return _drop(input, p, training, inplace, feature=True) if ndim == 5 else _unbatched(input, p, training, inplace)


# ---- rrelu


def _slope_gradient(xp, g, positive_where, noise, lower, upper, training):
    if training and upper - lower > 1e-6:
        return xp.mul(g, xp.cast(noise, xp.dtype))
    return xp.where(positive_where > 0, g, xp.mul(g, (lower + upper) / 2))


class rrelu_with_noise(Own):
    """rrelu_with_noise(input, noise, lower, upper, training) -> Tensor:
    input * noise in training, else leaky_relu with the mean slope.
    """

    promote, namespace, method = "keep", None, False
    fits_float = ("lower", "upper")

    @func_op(2)
    def forward(xp, input, noise, lower=1 / 8, upper=1 / 3, training=False):
        if training:
            return xp.mul(input, noise)
        input = xp.contiguous(input)  # torch's result is row-major, whatever the input
        return xp.where(input > 0, input, xp.mul(input, (lower + upper) / 2))

    def grad_input(xp, g, input, noise, lower, upper, training):
        return _slope_gradient(xp, g, input, noise, lower, upper, training)


class rrelu_overwrite(Own):
    """rrelu_with_noise in place; its sign is its input's, so it saves itself instead."""

    promote, namespace, method, inplace, node_name = "keep", None, False, True, "RreluWithNoiseBackward1"
    fits_float = ("lower", "upper")

    @func_op(2)
    def forward(xp, input, noise, lower=1 / 8, upper=1 / 3, training=False):
        if training:
            return xp.mul(input, noise)
        return xp.where(input > 0, input, xp.mul(input, (lower + upper) / 2))

    def grad_input(xp, g, out, noise, lower, upper, training):
        if not training:
            Overwriting.check_slope("leakyReLu", (lower + upper) / 2)
        return _slope_gradient(xp, g, out, noise, lower, upper, training)


def _rrelu(input, lower, upper, training, inplace, generator=None):
    if not lower <= upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")
    k = input._table
    for name, n in (("lower", lower), ("upper", upper)):
        if n in (math.inf, -math.inf):
            raise RuntimeError(f"rrelu: {name} bound must be finite, got {n}")
    if k.dtype.category != dtypes.FLOATING or training and k.dtype is dtypes.float16:
        raise not_implemented_error("rrelu_with_noise_out_cpu" if training else "leaky_relu_cpu", k.dtype)
    if training and k.has_data:
        here = cpu_table(k.dtype)
        slopes = rrelu_slopes(engine_of(generator, "rrelu"), k.to_numpy(input._array), lower, upper)
        kind = here.of(slopes)
        table = k.sibling(kind.dtype)
        noise = wrap(slopes if k.host else table.import_from(slopes, kind), table)
    else:
        noise = zeros_like(input.detach())
    if inplace:
        return run_inplace(rrelu_overwrite, input, (noise,), (lower, upper, training))
    return rrelu_with_noise.fn(input, noise, lower, upper, training)


@public(namespace="nn.functional")
@overridable
def rrelu(input, lower=1.0 / 8, upper=1.0 / 3, training=False, inplace=False):
    """rrelu(input, lower=1/8, upper=1/3, training=False, inplace=False) -> Tensor:
    leaky_relu whose slope is drawn from [lower, upper) per negative element in training (Xu et al., 2015), else their
    mean.
    """
    return _rrelu(input, lower, upper, training, inplace)


@public(namespace="nn.functional")
@overridable
def rrelu_(input, lower=1.0 / 8, upper=1.0 / 3, training=False):
    """rrelu_(input, lower=1/8, upper=1/3, training=False) -> input, rrelu in place."""
    return _rrelu(input, lower, upper, training, True)


def _register_rrelu(label, inplace):
    def f(input, lower=0.125, upper=1.0 / 3, training=False, generator=None):
        return _rrelu(input, lower, upper, training, inplace, generator)

    f.__name__ = f.__qualname__ = label
    f.__doc__ = f"{label}(input, lower=1/8, upper=1/3, training=False, generator=None) -> Tensor; see nn.functional."
    _torch_form(overridable(f))


_register_rrelu("rrelu", False)
_register_rrelu("rrelu_", True)
