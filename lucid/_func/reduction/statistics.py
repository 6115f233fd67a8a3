"""Statistics of data: var, std, median, mode, quantile, histc, bincount, cov, corrcoef."""

import math

from ..._backend.core import func_op, unary_func_op
from ..._backend.families import Own, Reduction, not_implemented_error, restore
from ..._backend.out_argument import store_out
from ..._backend.registry import public
from ..._backend.rules import wide_over, wide_times
from ..._base.dtype import FLOATING, INTEGRAL, SCALAR_NAMES, bool_, float32, float64, int64
from ..._base.shape import wrap_dim
from ..._base.warn import warn
from ..._tensor.return_types import return_type
from ..._tensor.tensor import Tensor, bare
from ..creation.from_data import scalar_tensor
from ..creation.gfunc import full_like
from ..pointwise.complex import complex as complex_of
from .reduce import PickedAlong, picked, picking_options, whole_extremum

# ---- variance and standard deviation


def _freedom(shape, dim, correction):
    return math.prod([shape[d] for d in dim]) - correction


def _options(name, input, dim, correction, keepdim):
    try:
        dims, keepdim = Reduction.prepare(input, dim, keepdim)
    except (IndexError, RuntimeError):
        if getattr(getattr(input, "dtype", None), "kind", "f") in ("b", "i", "u"):  # which torch looks at first
            raise _no_floats(name) from None
        raise
    left = [n for i, n in enumerate(input.shape) if i not in dims]
    if _freedom(input.shape, dims, correction) <= 0 and 0 not in left:
        warn(
            f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor "
            "(input numel divided by output numel).",
            UserWarning,
        )
    return None if dim is None else dims, correction, keepdim


def _dims(input, dim):
    return tuple(range(len(input.shape))) if dim is None else dim


def _no_floats(name):
    name = name if name.endswith("_mean") else "std and var"
    return RuntimeError(f"{name} only support floating point and complex dtypes")


def _need_floats(xp, name="std and var"):
    if not xp.inexact:
        raise _no_floats(name)


def _var_gradient(xp, g, input, dim, correction, keepdim):
    shape, dims = input.shape, _dims(input, dim)
    away = input - xp.mean(input, dims, True)
    freedom = _freedom(shape, dims, correction)
    g = restore(xp, g, dims, keepdim, shape)
    if freedom <= 0 and (dim is None or not shape):  # torch's: a constant, NaN where 2 / 0 * 0 is, else infinite
        return g * xp.where(xp.eq(away, 0), xp.full(shape, math.nan), xp.full(shape, math.inf))
    return wide_times(xp, g, 2.0 / freedom if freedom else math.inf) * away


def _through_sqrt(xp, g, std):
    """A standard deviation's gradient as its variance's; 0 where the deviation is 0."""
    real = xp.of(std)
    flat = real.cast(real.eq(std, 0), real.dtype) if not xp.records else std.eq(0).to(std.dtype)
    return g / (std * 2 + flat) * (1 - flat)


class var_dim(Own):
    """The mean square distance from the mean, over count - correction."""

    out_takes, writes_expanded, out_resized = "castable", True, True
    promote, node_name, namespace, method, has_out, result = "same", "VarBackward0", None, False, True, "of"

    @unary_func_op()
    def forward(xp, input, dim, correction, keepdim):
        _need_floats(xp)
        return xp.var_dim(input, _dims(input, dim), keepdim, correction)

    def prepare(input, dim, correction, keepdim):
        return _options("var", input, dim, correction, keepdim)

    def grad_input(xp, g, input, dim, correction, keepdim):
        return _var_gradient(xp, g, input, dim, correction, keepdim)


class std_dim(Own):
    """The root of var_dim."""

    out_takes, writes_expanded, out_resized = "castable", True, True
    promote, node_name, namespace, method, has_out, result = "same", "StdBackward0", None, False, True, "of"

    @unary_func_op()
    def forward(xp, input, dim, correction, keepdim):
        _need_floats(xp)
        return xp.std_dim(input, _dims(input, dim), keepdim, correction)

    def prepare(input, dim, correction, keepdim):
        return _options("std", input, dim, correction, keepdim)

    def grad_input(xp, g, input, out, dim, correction, keepdim):
        return _var_gradient(xp, _through_sqrt(xp, g, out), input, dim, correction, keepdim)


def _pair_gradient(xp, g, input, spread, dim, correction, keepdim):
    """The sum of what comes through (var or std as `spread` says) and through the mean."""
    parts = []
    if g[0] is not None:
        parts.append(_var_gradient(xp, spread(g[0]), input, dim, correction, keepdim))
    if g[1] is not None:
        shape, dims = input.shape, _dims(input, dim)
        even = wide_over(xp, restore(xp, g[1], dims, keepdim, shape), _freedom(shape, dims, 0) or 1)
        parts.append(xp.expand(even, shape))
    return parts[0] if len(parts) == 1 else parts[0] + parts[1]


class var_mean_dim(Own):
    """(variance, mean)"""

    promote, node_name, namespace, method, result = "same", "VarMeanBackward0", None, False, "of"

    @func_op(1, 2)
    def forward(xp, input, dim, correction, keepdim):
        _need_floats(xp, "var_mean")
        dim = _dims(input, dim)
        return xp.var_dim(input, dim, keepdim, correction), xp.mean(input, dim, keepdim)

    def prepare(input, dim, correction, keepdim):
        return _options("var_mean", input, dim, correction, keepdim)

    def grad_input(xp, g, input, dim, correction, keepdim):
        return _pair_gradient(xp, g, input, lambda one: one, dim, correction, keepdim)


class std_mean_dim(Own):
    """(standard deviation, mean)"""

    promote, node_name, namespace, method, result = "same", "StdMeanBackward0", None, False, "of"

    @func_op(1, 2)
    def forward(xp, input, dim, correction, keepdim):
        _need_floats(xp, "std_mean")
        dim = _dims(input, dim)
        return xp.std_dim(input, dim, keepdim, correction), xp.mean(input, dim, keepdim)

    def prepare(input, dim, correction, keepdim):
        return _options("std_mean", input, dim, correction, keepdim)

    def grad_input(xp, g, input, out0, dim, correction, keepdim):
        return _pair_gradient(xp, g, input, lambda one: _through_sqrt(xp, one, out0), dim, correction, keepdim)


def _spread(name, op, what, method=True):
    """One of var, std, var_mean, std_mean in all of torch's forms."""

    def spread(input, dim=None, unbiased=None, keepdim=False, *, correction=None, out=None, axis=None, keepdims=None):
        if isinstance(dim, bool):  # var(unbiased)
            dim, unbiased = None, dim
        dim = axis if axis is not None else dim
        keepdim = keepdims if keepdims is not None else keepdim
        if correction is None:
            correction = 1 if unbiased is None else int(unbiased)
        elif unbiased is not None:
            raise TypeError(f"{name}() received an invalid combination of arguments: unbiased and correction")
        more = {} if out is None else {"out": out}
        return op.fn(input, dim, correction, keepdim, **more)

    spread.__name__ = spread.__qualname__ = name
    spread.__doc__ = (
        f"{name}(input, dim=None, *, correction=1, keepdim=False) -> {what} over dim (all dimensions when None). The "
        "divisor is the count minus correction; unbiased=True or False is the older way to say 1 or 0."
    )
    return public(method=method)(spread)


var = _spread("var", var_dim, "Tensor: the variance")
std = _spread("std", std_dim, "Tensor: the standard deviation")
var_mean = _spread("var_mean", var_mean_dim, "(variance, mean)", False)
std_mean = _spread("std_mean", std_mean_dim, "(standard deviation, mean)", False)


# ---- median, mode, quantiles


def _medians(label, ignore_nan):
    """The two ops behind median or nanmedian: of all elements, and along a dimension."""
    camel = label.capitalize()

    class whole(Own):
        name, promote, node_name, namespace, method = label + "_whole", "same", camel + "Backward0", None, False

        @unary_func_op()
        def forward(xp, input):
            _no_median(xp)
            if not input.size:
                return xp.full((), float("nan")) if xp.inexact else xp.full((), _lowest(xp.dtype))
            return xp.median_dim(xp.reshape(input, (input.size,)), 0, False, ignore_nan)[0]

        def grad_input(xp, g, input, out):
            return whole_extremum(xp, g, input, out)

    class along(PickedAlong):
        name, node_name, namespace, method = label + "_along", camel + "Backward1", None, False
        composite_results = return_type(label, "values indices")

        @func_op(1, 2)
        def forward(xp, input, dim, keepdim):
            _no_median(xp)
            return picked(xp, xp.median_dim, input, dim, keepdim, ignore_nan)

        def prepare(input, dim, keepdim):
            return picking_options("median", input, dim, keepdim)

    def median(input, dim=None, keepdim=False, *, out=None):
        if dim is None:
            return whole.fn(input)
        return along.fn(input, dim, keepdim) if out is None else along.fn(input, dim, keepdim, out=out)

    median.__name__ = median.__qualname__ = label
    median.__doc__ = (
        f"{label}(input) -> Tensor, or {label}(input, dim, keepdim=False) -> (values, indices): the lower median; "
        + ("NaN is left out." if ignore_nan else "NaN where there is one.")
    )
    return public(method=True)(median)


def _lowest(dtype):
    return -(1 << dtype.itemsize * 8 - 1) if dtype.is_signed else 0


def _no_median(xp):
    if xp.is_complex or xp.dtype is bool_:
        raise not_implemented_error("median_cpu", xp.dtype)


median = _medians("median", False)
nanmedian = _medians("nanmedian", True)


class mode(PickedAlong):
    """mode(input, dim=-1, keepdim=False) -> (values, indices):
    the most frequent value along dim, the least of several.
    """

    not_overgrown = 1
    out_resized, composite_results = "last", return_type("mode", "values indices")

    @func_op(1, 2)
    def forward(xp, input, dim=-1, keepdim=False):
        return picked(xp, xp.mode_dim, input, dim, keepdim)

    def prepare(input, dim, keepdim):
        return picking_options("mode", input, dim, keepdim)


_INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


def _levels(name, input, q, interpolation):
    """q as a tensor of input's type, after torch's checks."""
    if input.dtype.category != FLOATING or input.dtype.itemsize < 4:
        raise RuntimeError(f"{name}() input tensor must be either float or double dtype")
    if not isinstance(q, Tensor):
        if not 0 <= q <= 1:
            raise RuntimeError(f"{name}() q must be in the range [0, 1] but got {q:g}")
        q = scalar_tensor(q, dtype=input.dtype, device=input.device)
    if q._array.ndim > 1:
        raise RuntimeError(f"{name}() q must be a scalar or 1D tensor")
    if q.dtype is not input.dtype:
        raise RuntimeError(f"{name}() q tensor must be same dtype as the input tensor")
    if interpolation not in _INTERPOLATIONS:
        raise RuntimeError(
            f"{name}() interpolation must be one of linear, lower, higher, midpoint or nearest, but got {interpolation}"
        )
    if q._array.size and q._table.has_data and not bool(bare(q.ge(0).logical_and(q.le(1))).all()):
        raise RuntimeError(f"{name}() q values must be in the range [0, 1]")
    return q


def _ordered_rows(name, input, dim, keepdim):
    """(the elements along dim in order, one row for each result; the shape of the results for one level)"""
    shape, ndim = input._array.shape, input._array.ndim
    place = wrap_dim(0 if dim is None else dim, ndim)
    if input._array.size == 0:
        raise RuntimeError(f"{name}() input tensor must be non-empty")
    if dim is None or not ndim:
        ordered, shape = input.reshape(-1).sort()[0], (1,) * ndim if keepdim else ()
    else:
        ordered = (input if place == ndim - 1 else input.unsqueeze(-1).transpose(place, -1)).sort(-1)[0]
        shape = shape[:place] + ((1,) if keepdim else ()) + shape[place + 1 :]
    return ordered.reshape(-1, ordered._array.shape[-1]), shape


def _ranks(ordered, levels, ignore_nan):
    """Where in each row the levels lie, as fractional positions; a row with NaN gives its last, which is NaN."""
    nan, last = ordered.detach().isnan(), ordered._array.shape[-1] - 1
    if ignore_nan:
        return (levels * (nan.logical_not().sum(-1, True) - 1).to(levels.dtype)).clamp(min=0)
    ranks = levels * last
    return ranks.expand(ordered._array.shape[0], ranks._array.shape[0]).masked_fill(nan.any(-1, True), last)


def _quantile(name, input, q, dim, keepdim, interpolation, out):
    q = _levels(name, input, q, interpolation)
    ordered, shape = _ordered_rows(name, input, dim, keepdim)
    levels = q.reshape(-1)
    ranks = _ranks(ordered, levels, name == "nanquantile")
    ranks = {"lower": ranks.floor, "higher": ranks.ceil, "nearest": ranks.round}.get(interpolation, lambda: ranks)()
    below = ranks.to(int64)
    values = ordered.gather(-1, below)
    if interpolation in ("linear", "midpoint"):
        weight = full_like(ranks, 0.5) if interpolation == "midpoint" else ranks - below
        values = values.lerp(ordered.gather(-1, ranks.ceil().to(int64)), weight)
    values = values.reshape(*shape, levels._array.shape[0]).unsqueeze(0).transpose(0, -1).squeeze(-1)
    if q._array.ndim == 0:
        values = values.squeeze(0)
    return values if out is None else store_out(name, values, out, resized="typed")


@public(method=True)
def quantile(input, q, dim=None, keepdim=False, *, interpolation="linear", out=None):
    """quantile(input, q, dim=None, keepdim=False, *, interpolation="linear") -> Tensor: the q-quantiles along dim.

    q: a number in [0, 1] or a 1-D tensor of such, which adds a first dimension. float32 and float64 only.
    """
    return _quantile("quantile", input, q, dim, keepdim, interpolation, out)


@public(method=True)
def nanquantile(input, q, dim=None, keepdim=False, *, interpolation="linear", out=None):
    """nanquantile(input, q, dim=None, keepdim=False, *, interpolation="linear") -> Tensor:
    quantile of what is not NaN.
    """
    return _quantile("nanquantile", input, q, dim, keepdim, interpolation, out)


# ---- counts


class histc(Own):
    """histc(input, bins=100, min=0, max=0) -> Tensor:
    counts in equal bins from min to max (both 0: the data's range).
    """

    writes_expanded = True
    promote, has_out, vmap_by_loop = "same", True, True
    stepwise = True

    @unary_func_op(has_gradient=False)
    def forward(xp, input, bins=100, min=0, max=0):
        if xp.dtype.category != FLOATING:
            raise not_implemented_error("histogram_cpu", xp.dtype)
        if min == max and input.size:
            every = tuple(range(input.ndim))
            min, max = float(xp.amin(input, every, False)), float(xp.amax(input, every, False))
        if min == max:
            min, max = min - 1, max + 1
        if not (min - min == 0 and max - max == 0):
            raise RuntimeError(f"torch.histc: range of [{min:g}, {max:g}] is not finite")
        return xp.histc(input, bins, min, max)

    def prepare(input, bins, min, max):
        if bins <= 0:
            raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
        if min > max:
            raise RuntimeError("max must be larger than min")
        return bins, min, max


class bincount(Own):
    """bincount(input, weights=None, minlength=0) -> Tensor:
    how often each of 0, 1, 2 ... occurs, or its total weight.
    """

    promote, result, vmap_by_loop = "keep", "of", True

    @func_op(2, has_gradient=False)
    def forward(xp, input, weights=None, minlength=0):
        if xp.dtype.category != INTEGRAL:
            raise not_implemented_error("bincount_cpu", xp.dtype)
        if input.ndim != 1 or input.size and xp.has_data and int(xp.amin(input, (0,), False)) < 0:
            raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
        if weights is None or not input.shape[0]:
            return xp.bincount(input, None, minlength)
        k = xp.of(weights)
        counts = xp.bincount(input, k.real(weights) if k.is_complex else weights, minlength)
        return xp.cast(counts, float32 if k.dtype is float32 else float64)

    def prepare(input, weights, minlength):
        if minlength < 0:
            raise RuntimeError("minlength should be >= 0")
        if weights is not None and weights.shape != input.shape:
            raise RuntimeError("weights should be 1-d and have the same length as input")
        return (minlength,)


# ---- relations between rows


@public(method=True)
def cov(input, *, correction=1, fweights=None, aweights=None):
    """cov(input, *, correction=1, fweights=None, aweights=None) -> Tensor: covariances of the rows (variables), (n, n).

    fweights: how often each column counts (integers); aweights: its weight (floating).
    """
    if input._array.ndim > 2:
        raise RuntimeError(
            f"cov(): expected input to have two or fewer dimensions but got an input with {input._array.ndim} "
            "dimensions"
        )
    if input.dtype is bool_:
        raise RuntimeError("cov(): bool dtype is not supported for input")
    x = input.unsqueeze(0) if input._array.ndim < 2 else input
    if input._array.ndim == 0:
        x = input.reshape(1, 1)
    count = x._array.shape[1]
    weights = _column_weights(x, count, fweights, aweights)
    if weights is None:
        total, mean = count, x.sum(1) / count
    else:
        total = weights.sum()
        mean = (x * weights).sum(1) / total
    divisor = total
    if aweights is None or correction == 0:
        divisor = total - correction
    else:
        square = (weights * aweights).sum() / total
        divisor = total - correction * square
    if isinstance(divisor, Tensor):
        small = bool(divisor.le(0))
        divisor = divisor.clamp(min=0)
    else:
        small, divisor = divisor <= 0, scalar_tensor(max(divisor, 0), dtype=int64, device=x.device)
    if small:
        warn(
            "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations.",
            UserWarning,
        )
    away = x - mean.unsqueeze(1)
    turned = (away if weights is None else away * weights).t()
    product = away @ (turned.conj() if x._table.is_complex else turned)
    return product.div(divisor).squeeze()


def _column_weights(x, count, fweights, aweights):
    weights = None
    for name, given, integral in (("fweights", fweights, True), ("aweights", aweights, False)):
        if given is None:
            continue
        if given._array.ndim > 1:
            raise RuntimeError(
                f"cov(): expected {name} to have one or fewer dimensions but got {name} with {given._array.ndim} "
                "dimensions"
            )
        if (given.dtype.category == INTEGRAL) != integral or not integral and given.dtype.category != FLOATING:
            raise RuntimeError(
                f"cov(): expected {name} to have {'integral' if integral else 'floating point'} dtype but got {name} "
                f"with {SCALAR_NAMES[given.dtype]} dtype"
            )
        if given._array.size != count:
            raise RuntimeError(
                f"cov(): expected {name} to have the same numel as there are observations in the input but got "
                f"{given._array.size} != {count}"
            )
        if count and bool(given.lt(0).any()):
            raise RuntimeError(f"cov(): {name} cannot be negative")
        weights = given if weights is None else weights * given
    return weights


@public(method=True)
def corrcoef(input):
    """corrcoef(input) -> Tensor: correlation coefficients of the rows, (n, n), each in [-1, 1]."""
    if input._array.ndim > 2:
        raise RuntimeError(
            f"corrcoef(): expected input to have two or fewer dimensions but got an input with {input._array.ndim} "
            "dimensions"
        )
    c = cov(input)
    if c._array.ndim == 0:
        return c / c
    d = c.diagonal()
    deviation = (d.real if d._table.is_complex else d).sqrt()
    c = c / deviation.view(-1, 1) / deviation.view(1, -1)
    if c._table.is_complex:
        return complex_of.fn(c.real.clip(-1, 1), c.imag.clip(-1, 1))
    return c.clip(-1, 1)
