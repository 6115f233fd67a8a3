"""Reductions over some or all dimensions: sum, mean, prod, amax, max, all, any, argmax, logsumexp, sum_to_size."""

import builtins
import math

from ..._backend.core import func_op, unary_func_op
from ..._backend.dispatch import asked
from ..._backend.families import ALL_DIMS, Own, Reduction, not_implemented_error, restore
from ..._backend.out_argument import store_out
from ..._backend.registry import public, tensor_method
from ..._backend.rules import wide_over
from ..._base.dtype import COMPLEX, FLOATING, SCALAR_NAMES, bool_, int64, uint8
from ..._base.shape import wrap_dim
from ..._base.state import DISPATCH
from ..._tensor.return_types import return_type
from ..._tensor.tensor import Tensor
from ..pointwise.compare import maximum, minimum


def in_own_type(xp, total):
    """A total in the type that dtype= asked for: words add up integers and bools in int64; it wraps as torch's."""
    return total if xp.inexact else xp.sibling(int64).cast(total, xp.dtype)


class sum(Reduction):
    """sum(input, dim=None, keepdim=False, *, dtype=None) -> Tensor: the sum over dim (all dimensions when None).

    Integers and bools add up in int64 unless dtype says otherwise; halves add up in float32.
    """

    computes_in_type_of_out = True
    promote, node_name, whole_node_name, linear = None, "SumBackward1", "SumBackward0", True
    compute_in_float32 = False  # its one word does, and what dtype= asks for is not rounded to a half

    @unary_func_op()
    def forward(xp, input, dim=None, keepdim=False, *, dtype=None):
        if dtype is None:
            dtype = xp.dtype if xp.inexact else int64
        if dtype is not xp.dtype:
            xp, input = xp.sibling(dtype), xp.cast(input, dtype)
        if not input.ndim and xp.only_ops is None:
            return xp.copy(input)
        return in_own_type(xp, xp.sum(input, dim, keepdim))

    def numpy(k, input, dim, keepdim, dtype):
        if dtype is None and (k.inexact or k.dtype is bool_):
            return k.sum(input, dim, keepdim)
        return sum.forward(k, input, dim, keepdim, dtype)

    def prepare(input, dim, keepdim, dtype):
        if dim is None:
            return ALL_DIMS[input.ndim], keepdim, dtype
        return Reduction.prepare(input, dim, keepdim, dtype)

    def grad_input(xp, g, dim, keepdim, dtype, shape):
        if len(dim) < len(shape):
            g = restore(xp, g, dim, keepdim, shape)
        g = xp.broadcast_to(g, shape)
        return g if dtype is None else xp.cast(g, xp.dtype)


class nansum(Reduction):
    """nansum(input, dim=None, keepdim=False, *, dtype=None) -> Tensor: the sum of what is not NaN."""

    writes_expanded = True
    computes_in_type_of_out = "floats of floats"
    promote = "int_to_long"

    def check(tensors, options):
        if tensors[0].is_complex():
            raise RuntimeError("nansum does not support complex inputs")
        dtype = options[2]
        if dtype is not None and dtype.category == COMPLEX and tensors[0].is_floating_point() and tensors[0].numel():
            raise not_implemented_error("nansum_cpu", dtype)

    @unary_func_op()
    def forward(xp, input, dim=None, keepdim=False, *, dtype=None):
        if xp.is_complex:
            if dtype is None:
                raise RuntimeError("nansum does not support complex inputs")
            return xp.sum(input, dim, keepdim)
        return in_own_type(xp, xp.nansum(input, dim, keepdim))

    def grad_input(xp, g, input, dim, keepdim):
        shape = input.shape
        g = xp.expand(restore(xp, g, dim, keepdim, shape), shape)
        return g * xp.cast(xp.logical_not(xp.isnan(input)), xp.dtype)


class mean(Reduction):
    """mean(input, dim=None, keepdim=False, *, dtype=None) -> Tensor: the average over dim; floating types only."""

    computes_in_type_of_out = "inexact"
    node_name, whole_node_name, linear = "MeanBackward1", "MeanBackward0", True

    @unary_func_op()
    def forward(xp, input, dim=None, keepdim=False, *, dtype=None):
        if not xp.inexact:
            which = "Input" if dtype is None else "Optional"
            raise RuntimeError(
                f"mean(): could not infer output dtype. {which} dtype must be either a floating point or complex "
                f"dtype. Got: {SCALAR_NAMES[xp.dtype]}"
            )
        return xp.mean(input, dim, keepdim)

    def prepare(input, dim, keepdim, dtype):
        if dim is None:
            return ALL_DIMS[input.ndim], keepdim, dtype
        return Reduction.prepare(input, dim, keepdim, dtype)

    def grad_input(xp, g, dim, keepdim, shape):
        count = math.prod([shape[d] for d in dim])
        return wide_over(xp, xp.expand(restore(xp, g, dim, keepdim, shape), shape), count or 1)


@public(method=True)
def nanmean(input, dim=None, keepdim=False, *, dtype=None, out=None):
    """nanmean(input, dim=None, keepdim=False, *, dtype=None) -> Tensor: the average of what is not NaN."""
    if not input._table.inexact:
        raise RuntimeError(
            f"nanmean(): expected input to have floating point or complex dtype but got {SCALAR_NAMES[input.dtype]}"
        )
    if dtype is not None and dtype.category < FLOATING:
        raise RuntimeError(
            "nanmean(): could not infer output dtype. Optional dtype must be either a floating point or complex "
            f"dtype. Got: {SCALAR_NAMES[dtype]}"
        )
    count = input.isnan().logical_not().sum(dim, keepdim)
    if isinstance(out, Tensor) and dtype not in (None, out.dtype):
        of = f"Got {SCALAR_NAMES[out.dtype]} and {SCALAR_NAMES[dtype]}."
        raise RuntimeError(f"nansum: provided dtype must match dtype of result. {of}")
    if isinstance(out, Tensor) and not out.is_floating_point():
        raise not_implemented_error("nansum_cpu", out.dtype)
    result = nansum.fn(input, dim, keepdim, dtype=dtype) / count
    return result if out is None else store_out("nanmean", result, out, "castable", resized=True)


class prod(Reduction):
    """prod(input, dim=None, keepdim=False, *, dtype=None) -> Tensor: the product over one dimension or all."""

    computes_in_type_of_out, stepwise = True, True
    promote, node_name, whole_node_name = "int_to_long", "ProdBackward1", "ProdBackward0"

    @unary_func_op()
    def forward(xp, input, dim=None, keepdim=False, *, dtype=None):
        return in_own_type(xp, xp.prod(input, dim, keepdim)) if input.ndim else xp.copy(input)

    def grad_input(xp, g, input, dim, keepdim, out):  # out is not needed, but kept: torch refuses where it was changed
        shape = input.shape
        if not dim:
            return g
        k = xp.k if xp.records else xp
        seen = DISPATCH and xp.records and asked([input])  # by a mode, which is to see every step
        if k.host and not k.is_transform and not seen:  # torch's formulas, which differ in what infinities give
            values = input._array if xp.records else input
            zeros = values.size - int(k.to_numpy(values != 0).sum())
            if not zeros:
                return restore(xp, g, dim, keepdim, shape) * xp.conj(restore(xp, out, dim, keepdim, shape) / input)
            if zeros > 1 and len(dim) == input.ndim and not xp.records:
                return xp.zeros(shape)
        if len(dim) > 1:  # along one dimension of all elements
            others = xp.reshape(product_of_others(xp, xp.reshape(input, (math.prod(shape),)), 0), shape)
        else:
            others = product_of_others(xp, input, dim[0])
        return restore(xp, g, dim, keepdim, shape) * xp.conj(others)


def product_of_others(xp, x, dim):
    """For each element the product of all others along dim: right where there are zeros."""
    n = x.shape[dim]
    if n == 0:
        return x * 1
    edge = x.shape[:dim] + (1,) + x.shape[dim + 1 :]
    one = xp.ones(edge)
    before = xp.cumprod(xp.cat([one, xp.slice(x, dim, 0, n - 1, 1)], dim), dim)
    after = xp.flip(xp.cumprod(xp.cat([one, xp.flip(xp.slice(x, dim, 1, n, 1), (dim,))], dim), dim), (dim,))
    return before * after


# ---- the largest and the smallest


def need_real(xp, kernel):
    """Complex numbers have no order."""
    if xp.is_complex:
        raise not_implemented_error(kernel, xp.dtype)


def need_elements(name, input, dim=None):
    """torch's errors for an extremum of nothing."""
    if input.size:
        return
    if dim is None or isinstance(dim, (tuple, list)) and not dim:
        raise RuntimeError(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with "
            "the 'dim' argument."
        )
    for d in (dim,) if isinstance(dim, int) else dim:
        d = wrap_dim(d, input.ndim)
        if input.shape[d] == 0:
            raise IndexError(f"{name}(): Expected reduction dim {d} to have non-zero size.")


def shared_evenly(xp, g, input, out, dim, keepdim):
    """The gradient of an extremum: divided evenly among the elements that reach it."""
    shape = input.shape
    hit = xp.cast(xp.eq(input, restore(xp, out, dim, keepdim, shape)), xp.dtype)
    return restore(xp, g, dim, keepdim, shape) * hit / xp.sum(hit, dim, True)


class Extremum(Reduction):
    """The largest or the smallest over some dimensions: NaN wins, ties share the gradient."""

    out_takes = "type of input"

    def grad_input(xp, g, input, out, dim, keepdim):
        return shared_evenly(xp, g, input, out, dim, keepdim)


class amax(Extremum):
    """amax(input, dim=(), keepdim=False) -> Tensor: the largest over dim; a NaN wins; ties share the gradient."""

    writes_expanded = True

    @unary_func_op()
    def forward(xp, input, dim=(), keepdim=False):
        need_real(xp, "max_values_cpu")
        return xp.amax(input, dim, keepdim) if input.ndim else xp.copy(input)

    def prepare(input, dim, keepdim):
        need_elements("amax", input, dim)
        return Reduction.prepare(input, dim, keepdim)


class amin(Extremum):
    """amin(input, dim=(), keepdim=False) -> Tensor: the smallest over dim; a NaN wins; ties share the gradient."""

    writes_expanded = True

    @unary_func_op()
    def forward(xp, input, dim=(), keepdim=False):
        need_real(xp, "min_values_cpu")
        return xp.amin(input, dim, keepdim) if input.ndim else xp.copy(input)

    def prepare(input, dim, keepdim):
        need_elements("amin", input, dim)
        return Reduction.prepare(input, dim, keepdim)


def _over_count(xp, g, hit):
    """g / how many are hit, where halves cannot count that far."""
    dims = tuple(range(len(hit.shape)))
    if not xp.is_half or xp.records:
        return g / xp.sum(xp.cast(hit, xp.dtype), dims, False)
    wide = xp.sibling(xp.wide_type)
    return xp.narrow(xp.widen(g) / wide.sum(wide.cast(hit, wide.dtype), dims, False))


def whole_extremum(xp, g, input, out):
    """shared_evenly over everything, where a NaN that won shares among the NaNs."""
    hit = xp.logical_or(xp.eq(input, out), xp.logical_and(xp.isnan(input), xp.isnan(out)))
    share = xp.expand(_over_count(xp, g, hit), tuple(input.shape))
    return xp.masked_fill(
        share, xp.logical_not(hit), xp.scalar(0)
    )  # row by row, as in torch; zeros where none is, as after a write through .data


class WholeExtremum(Own):
    """The largest or the smallest element of all."""

    promote, namespace, method = "same", None, False
    grad_input = whole_extremum


class max_whole(WholeExtremum):
    """The largest element of all."""

    node_name = "MaxBackward1"

    @unary_func_op()
    def forward(xp, input):
        need_real(xp, "max_all")
        return xp.amax(input, ALL_DIMS[input.ndim], False) if input.ndim else xp.copy(input)

    def prepare(input):
        need_elements("max", input)
        return ()


class min_whole(WholeExtremum):
    """The smallest element of all."""

    node_name = "MinBackward1"

    @unary_func_op()
    def forward(xp, input):
        need_real(xp, "min_all")
        return xp.amin(input, ALL_DIMS[input.ndim], False) if input.ndim else xp.copy(input)

    def prepare(input):
        need_elements("min", input)
        return ()


# ---- with indices, along one dimension


def place_back(xp, g, index, dim, keepdim, shape):
    """The gradient of elements picked along dim: each where it came from."""
    if not shape:
        return g
    if not keepdim:
        g, index = xp.unsqueeze(g, dim), xp.unsqueeze(index, dim)
    return xp.scatter(xp.zeros(shape), dim, index, g)


def picking_options(name, input, dim, keepdim, *rest):
    """Canonical options of an op that picks along one dimension."""
    dim = wrap_dim(dim, input.ndim)
    if input.ndim and input.shape[dim] == 0:
        raise IndexError(f"{name}(): Expected reduction dim {dim} to have non-zero size.")
    return (dim, keepdim, *rest)


def picked(xp, word, input, *options):
    """(values, indices) of what a word picks along a dimension; a 0-dim tensor has one element to pick."""
    return word(input, *options) if input.ndim else (xp.copy(input), xp.sibling(int64).zeros(()))


class PickedAlong(Own):
    """(values, indices) of one element of each row along a dimension, which alone gets the gradient."""

    promote, has_out, differentiable = "same", True, (0,)

    def grad_input(xp, g, out1, dim, keepdim, shape):
        return place_back(xp, g, out1, dim, keepdim, shape)


class max_dim(PickedAlong):
    """(values, indices) of the largest along dim: the first of equals, a NaN before all."""

    not_overgrown = 1
    node_name, namespace, method = "MaxBackward0", None, False
    composite_results = return_type("max", "values indices")

    @func_op(1, 2)
    def forward(xp, input, dim, keepdim=False):
        if xp.is_complex:
            raise RuntimeError("max(): does not support complex input")
        return picked(xp, xp.max_dim, input, dim, keepdim)

    def prepare(input, dim, keepdim):
        return picking_options("max", input, dim, keepdim)


class min_dim(PickedAlong):
    """(values, indices) of the smallest along dim: the first of equals, a NaN before all."""

    not_overgrown = 1
    node_name, namespace, method = "MinBackward0", None, False
    composite_results = return_type("min", "values indices")

    @func_op(1, 2)
    def forward(xp, input, dim, keepdim=False):
        if xp.is_complex:
            raise RuntimeError("min(): does not support complex input")
        return picked(xp, xp.min_dim, input, dim, keepdim)

    def prepare(input, dim, keepdim):
        return picking_options("min", input, dim, keepdim)


def _extremum(name, whole, along, pair):
    """max or min in torch's three forms: of all, along a dimension, of two tensors."""

    def extremum(input, dim=None, keepdim=False, *, other=None, out=None, axis=None, keepdims=None):
        dim = axis if axis is not None else dim
        keepdim = keepdims if keepdims is not None else keepdim
        if dim is None and other is None:
            if out is None:
                return whole.fn(input)
            return store_out(name, whole.fn(input.detach()), out, "castable")
        if other is not None or isinstance(dim, Tensor):
            return pair.fn(input, dim if other is None else other, **({} if out is None else {"out": out}))
        return along.fn(input, dim, keepdim) if out is None else along.fn(input, dim, keepdim, out=out)

    extremum.__name__ = extremum.__qualname__ = name
    extremum.__doc__ = (
        f"{name}(input), {name}(input, dim, keepdim=False), {name}(input, other): the {name}imum of all elements; "
        f"(values, indices) along dim; or element by element of two tensors ({pair.name})."
    )
    return public(method=True)(extremum)


max = _extremum("max", max_whole, max_dim, maximum)
min = _extremum("min", min_whole, min_dim, minimum)


class aminmax_of(Own):
    """(the smallest, the largest); ties share the gradient."""

    not_overgrown = 1
    promote, node_name, namespace, method, has_out = "same", "AminmaxBackward0", None, False, True
    composite_results = return_type("aminmax", "min max")

    @func_op(1, 2)
    def forward(xp, input, dim, keepdim):
        need_real(xp, "aminmax_cpu")
        if not input.ndim:
            return xp.copy(input), xp.copy(input)
        return xp.amin(input, dim, keepdim), xp.amax(input, dim, keepdim)

    def prepare(input, dim, keepdim):
        if not input.size and dim is None:
            raise RuntimeError(
                "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."
            )
        if dim is None:
            return tuple(range(input.ndim)), keepdim
        dim = wrap_dim(dim, input.ndim)
        if not input.ndim:
            return (), keepdim
        if input.shape[dim] == 0:
            raise IndexError(f"aminmax: Expected reduction dim {dim} to have non-zero size.")
        return (dim,), keepdim

    def grad_input(xp, g, input, outs, dim, keepdim):
        grads = [shared_evenly(xp, one, input, out, dim, keepdim) for one, out in zip(g, outs) if one is not None]
        return grads[0] if len(grads) == 1 else grads[0] + grads[1]


@public(method=True)
def aminmax(input, *, dim=None, keepdim=False, out=None):
    """aminmax(input, *, dim=None, keepdim=False) -> (min, max): both extrema, of all or along one dimension."""
    if input._table.is_complex:
        raise not_implemented_error("aminmax_cpu", input.dtype)
    return aminmax_of.fn(input, dim, keepdim) if out is None else aminmax_of.fn(input, dim, keepdim, out=out)


def _arg_options(name, input, dim, keepdim):
    try:
        if dim is not None:
            return picking_options(name, input, dim, keepdim)
        if not input.size:
            raise IndexError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.")
    except IndexError:
        if (kind := getattr(getattr(input, "dtype", None), "kind", "")) in ("b", "c"):  # which torch looks at first
            raise _unordered(name, kind == "c") from None
        raise
    return None, keepdim


def _unordered(name, is_complex):
    return RuntimeError(f"{name}(): does not support {'complex' if is_complex else 'bool'} input")


def _arg_extremum(xp, word, input, dim, keepdim):
    if xp.is_complex or xp.dtype is bool_:
        raise _unordered(word.__name__, xp.is_complex)
    if dim is not None and input.ndim:
        return word(input, dim, keepdim)
    index = word(xp.reshape(input, (input.size,)), 0, False)
    return xp.sibling(int64).reshape(index, (1,) * input.ndim) if keepdim else index


class argmax(Own):
    """argmax(input, dim=None, keepdim=False) -> int64 Tensor: where the largest is (the first of equals; NaN wins)."""

    writes_expanded = True
    promote, result, has_out = "same", "of", True

    @unary_func_op(has_gradient=False)
    def forward(xp, input, dim=None, keepdim=False):
        return _arg_extremum(xp, xp.argmax, input, dim, keepdim)

    def prepare(input, dim, keepdim):
        return _arg_options("argmax", input, dim, keepdim)


class argmin(Own):
    """argmin(input, dim=None, keepdim=False) -> int64 Tensor: where the smallest is (the first of equals; NaN wins)."""

    writes_expanded = True
    promote, result, has_out = "same", "of", True

    @unary_func_op(has_gradient=False)
    def forward(xp, input, dim=None, keepdim=False):
        return _arg_extremum(xp, xp.argmin, input, dim, keepdim)

    def prepare(input, dim, keepdim):
        return _arg_options("argmin", input, dim, keepdim)


# ---- truth


def truth_options(input, dim, keepdim):
    """dim=() reduces nothing here, unlike in other reductions."""
    nothing = isinstance(dim, (tuple, list)) and not dim
    return ((), keepdim) if nothing else Reduction.prepare(input, dim, keepdim)


class all(Reduction):
    """all(input, dim=None, keepdim=False) -> bool Tensor (uint8 for uint8): are all elements non-zero?"""

    out_takes = "truth"
    writes_expanded = True

    @unary_func_op(has_gradient=False)
    def forward(xp, input, dim=None, keepdim=False):
        d = xp.all(input, dim, keepdim)
        return xp.cast(d, uint8) if xp.dtype is uint8 else d

    prepare = staticmethod(truth_options)


class any(Reduction):
    """any(input, dim=None, keepdim=False) -> bool Tensor (uint8 for uint8): is some element non-zero?"""

    out_takes = "truth"
    writes_expanded = True

    @unary_func_op(has_gradient=False)
    def forward(xp, input, dim=None, keepdim=False):
        d = xp.any(input, dim, keepdim)
        return xp.cast(d, uint8) if xp.dtype is uint8 else d

    prepare = staticmethod(truth_options)


class count_nonzero(Reduction):
    """count_nonzero(input, dim=None) -> int64 Tensor: how many elements are not zero."""

    has_out = False

    @unary_func_op(has_gradient=False)
    def forward(xp, input, dim=None):
        return xp.count_nonzero(input, dim, False)

    def prepare(input, dim):
        return Reduction.prepare(input, dim, False)[:1]


class logsumexp(Reduction):
    """logsumexp(input, dim, keepdim=False) -> Tensor:
    log(sum(exp(input))) over dim, scaled so that it does not overflow.
    """

    out_takes = "castable"
    promote = "int_to_float"

    @unary_func_op()
    def forward(xp, input, dim, keepdim=False):
        return xp.logsumexp(input, dim, keepdim)

    def prepare(input, dim, keepdim):
        if (
            not keepdim and input.ndim and isinstance(dim, (tuple, list)) and not dim and 0 not in input.shape
        ):  # an accident of torch's
            raise RuntimeError(f"output with shape [] doesn't match the broadcast shape {[1] * input.ndim}")
        return Reduction.prepare(input, dim, keepdim)

    def grad_input(xp, g, input, out, dim, keepdim):
        shape = input.shape
        away = input - restore(xp, out, dim, keepdim, shape)
        return restore(xp, g, dim, keepdim, shape) * xp.conj(xp.exp(away))


@tensor_method
def sum_to_size(self, *size):
    """sum_to_size(*size) -> Tensor: the sum over the dimensions that broadcasting size to this shape would stretch."""
    size = tuple(size[0]) if len(size) == 1 and isinstance(size[0], (tuple, list)) else size
    shape = self._array.shape
    lead = len(shape) - len(size)
    if lead < 0 or builtins.any(want not in (1, have) for want, have in zip(size, shape[lead:])):
        raise RuntimeError(f"size {{{list(size)}}} is not expandable to size {{{list(shape)}}}.")
    if not size:
        return self.sum()
    stretched = [lead + i for i, (want, have) in enumerate(zip(size, shape[lead:])) if want == 1 != have]
    found = self.sum([*range(lead), *stretched], True) if lead or stretched else self
    return found.view(size) if lead else found
