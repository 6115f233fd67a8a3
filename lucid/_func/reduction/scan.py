"""Scans: cumsum, cumprod, cummax, logcumsumexp, and differences along a dimension: diff, trapezoid, gradient."""

from ..._backend.core import func_op, unary_func_op
from ..._backend.families import Along, not_implemented_error
from ..._backend.out_argument import store_out
from ..._backend.promotion import plain_number
from ..._backend.registry import public
from ..._backend.signatures import bind, signatures
from ..._base.dtype import bool_, uint8
from ..._base.shape import wrap_dim
from ..._tensor.return_types import return_type
from ..._tensor.tensor import Tensor
from ..creation.gfunc import zeros, zeros_like
from ..shape.join import cat
from .reduce import need_real, picked


def suffix_sums(xp, x, dim):
    """The sums of each element and all after it."""
    return xp.flip(xp.cumsum(xp.flip(x, (dim,)), dim), (dim,))


def refuse_bools(name, xp, input):
    """Running totals in bool, which dtype= may ask for, do not exist; there are none of nothing."""
    if xp.dtype is bool_ and 0 not in input.shape:
        raise not_implemented_error(f"{name}_out_cpu", xp.dtype)


class cumsum(Along):
    """cumsum(input, dim, *, dtype=None) -> Tensor: the sums of the elements so far; integers add up in int64."""

    not_overgrown = 1
    computes_in_type_of_out = True
    promote, linear, inplace = "int_to_long", True, True

    @unary_func_op()
    def forward(xp, input, dim, *, dtype=None):
        if not input.ndim:
            return xp.copy(input)
        refuse_bools("cumsum", xp, input)
        return xp.cumsum(input, dim)

    def grad_input(xp, g, dim):
        return suffix_sums(xp, g, dim) if len(g.shape) else g


class cumprod(Along):
    """cumprod(input, dim, *, dtype=None) -> Tensor: the products of the elements so far; integers multiply in int64."""

    not_overgrown = 1
    computes_in_type_of_out = True
    promote, inplace = "int_to_long", True

    @unary_func_op()
    def forward(xp, input, dim, *, dtype=None):
        if not input.ndim:
            return xp.copy(input)
        refuse_bools("cumprod", xp, input)
        return xp.cumprod(input, dim)

    def grad_input(xp, g, input, out, dim):
        if not input.ndim:
            return g
        return cumprod_gradient(xp, g, input, out, dim)


def cumprod_gradient(xp, g, x, out, dim):
    """sum over j >= k of g_j * d out_j / d x_k, where zeros in x are left out of a division.

    Up to the first zero of a row the sum is suffix_sums(g * out) / x; at that zero it is the suffix sums of g times the
    products without it; after it, 0.
    """
    if xp.records:  # to be differentiated again: no masks that hide how a zero matters
        return _cumprod_gradient_by_products(xp, g, x, dim)
    zero, nought = xp.eq(x, 0), xp.scalar(0)
    seen = xp.cumsum(xp.cast(zero, xp.dtype), dim)
    before, once = xp.eq(seen, 0), xp.eq(seen, 1)
    first = xp.logical_and(once, zero)
    gs = xp.conj(g)
    plain = suffix_sums(xp, xp.where(before, gs * out, nought), dim) / x
    # With the first zero taken as 1, products are those of the others.
    without = xp.cumprod(xp.where(first, xp.scalar(1), x), dim)
    at_zero = suffix_sums(xp, xp.where(once, gs * without, nought), dim)
    return xp.conj(xp.where(before, plain, xp.where(first, at_zero, nought)))


def _cumprod_gradient_by_products(xp, g, x, dim):
    """The same for each k from the products without x_k: n times the work, right for every derivative."""
    n, parts = x.shape[dim], []
    before = xp.ones((*x.shape[:dim], 1, *x.shape[dim + 1 :]))
    for k in range(n):
        without = before
        if k + 1 < n:
            later = before * xp.cumprod(xp.slice(x, dim, k + 1, n, 1), dim)
            without = xp.cat([before, later], dim)
        parts.append(xp.sum(xp.slice(g, dim, k, n, 1) * xp.conj(without), (dim,), True))
        before = before * xp.slice(x, dim, k, k + 1, 1)
    return xp.cat(parts, dim) if parts else x * g


class RunningExtremum(Along):
    """(values, indices) of the extremum so far; the gradient goes where it was found."""

    differentiable, out_resized = (0,), "last"

    def grad_input(xp, g, input, out1, dim, shape):  # input is kept as torch keeps it
        return xp.scatter_add(xp.zeros(shape), dim, out1, g) if shape else g


class cummax(RunningExtremum):
    """cummax(input, dim) -> (values, indices): the largest so far and where it was last found; a NaN stays."""

    writes_expanded = True
    composite_results = return_type("cummax", "values indices")

    @func_op(1, 2)
    def forward(xp, input, dim):
        if input.ndim:
            need_real(xp, "cummax_cpu")
        return picked(xp, xp.cummax, input, dim)


class cummin(RunningExtremum):
    """cummin(input, dim) -> (values, indices): the smallest so far and where it was last found; a NaN stays."""

    writes_expanded = True
    composite_results = return_type("cummin", "values indices")

    @func_op(1, 2)
    def forward(xp, input, dim):
        if input.ndim:
            need_real(xp, "cummin_cpu")
        return picked(xp, xp.cummin, input, dim)


class logcumsumexp(Along):
    """logcumsumexp(input, dim) -> Tensor: log(cumsum(exp(input))) that does not overflow."""

    not_overgrown = 1

    @unary_func_op()
    def forward(xp, input, dim):
        if not xp.inexact:
            raise not_implemented_error("logcumsumexp_out_cpu", xp.dtype)
        return xp.logcumsumexp(input, dim) if input.ndim else xp.copy(input)

    def grad_input(xp, g, input, dim, out):  # out is kept, as torch keeps it
        if not input.ndim:
            return g
        out = xp.logcumsumexp(input, dim)  # not the result: in halves exp would enlarge its rounding
        if xp.records:  # to be differentiated again: no logarithms of nothing
            return xp.contiguous(_logcumsumexp_gradient_by_pairs(xp, g, input, out, dim))
        if xp.is_complex:
            flipped = xp.flip(xp.log(g) - xp.conj(out), (dim,))
            return xp.exp(xp.flip(xp.logcumsumexp(flipped, dim), (dim,)) + xp.conj(input))
        # positive and negative gradients apart, each as a logarithm
        zero, low = xp.zeros(g.shape), xp.full(g.shape, float("-inf"))
        parts = []
        for sign in (1, -1):
            size = g * sign
            log = xp.where(xp.gt(size, 0), xp.log(xp.where(xp.gt(size, 0), size, zero + 1)), low)
            summed = xp.flip(xp.logcumsumexp(xp.flip(log - out, (dim,)), dim), (dim,))
            parts.append(xp.exp(summed + input))
        return parts[0] - parts[1]


def _logcumsumexp_gradient_by_pairs(xp, g, x, out, dim):
    """The sum over j >= i of g_j exp(x_i - out_j), a matrix of pairs of which none is above 1."""
    n, last = x.shape[dim], len(x.shape) - 1
    order = (*[d for d in range(last + 1) if d != dim], dim)
    x, out, g = (xp.permute(v, order) for v in (x, out, g))
    later = xp.eq(xp.triu(xp.ones((n, n)), 0), 1)
    apart = xp.where(later, xp.unsqueeze(x, last + 1) - xp.unsqueeze(out, last), xp.full((n, n), float("-inf")))
    total = xp.sum(xp.conj(xp.exp(apart)) * xp.unsqueeze(g, last), (last + 1,), False)
    back = sorted(range(last + 1), key=lambda d: order[d])
    return xp.permute(total, tuple(back))


# ---- differences, and integrals by the trapezoid rule


@public(method=True)
def diff(input, n=1, dim=-1, prepend=None, append=None, *, out=None):
    """diff(input, n=1, dim=-1, prepend=None, append=None) -> Tensor:
    each element minus the one before, n times over.
    """
    ndim = input._array.ndim
    if ndim == 0:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    if n or prepend is not None or append is not None:  # a dimension that is not asked for is not looked at
        dim = wrap_dim(dim, ndim)
    given = n
    parts = []
    for name, part in (("prepend", prepend), ("", input), ("append", append)):
        if part is None:
            continue
        if part._array.ndim != ndim and name:
            raise RuntimeError("diff expects prepend or append to be the same dimension as input")
        for d, (a, b) in enumerate(zip(part._array.shape, input._array.shape)):
            if a != b and d != dim:
                raise RuntimeError(
                    "diff expects the shape of tensor to prepend or append to match that of input except along the "
                    f"differencing dimension; input.size({d}) = {b}, but got tensor.size({d}) = {a}"
                )
        parts.append(part)
    x = input if len(parts) == 1 else cat.fn(parts, dim)
    n = min(n, x._array.shape[dim]) if n else 0
    if given == 0:
        x = zeros_like(input).copy_(input)
    for _ in range(n):
        size = x._array.shape[dim]
        later, sooner = x.narrow(dim, 1, size - 1), x.narrow(dim, 0, size - 1)
        x = later.logical_xor(sooner) if x._table.dtype.name == "bool" else later - sooner
    if out is None:
        return x
    more = dict(takes="castable") if n else dict(resized=True)
    return store_out("diff", x, out, read=(input,), **more)


def _spacing(y, x, dim):
    """The distances between sample points, shaped to go along dim of y."""
    if x._array.ndim == 1:
        if x._array.shape[0] != y._array.shape[dim]:
            raise RuntimeError("There must be one `x` value for each sample point")
        gaps = x[1:] - x[:-1]
        return gaps.view(*(gaps._array.shape[0] if i == dim else 1 for i in range(y._array.ndim)))
    if x._array.ndim < y._array.ndim:
        x = x.view(*([1] * (y._array.ndim - x._array.ndim)), *x._array.shape)
    n = x._array.shape[dim]
    if not n:
        return x - x
    return x.narrow(dim, 1, n - 1) - x.narrow(dim, 0, n - 1)


def _pairs(y, dim):
    n = y._array.shape[dim]
    if not n:
        return y + y
    return y.narrow(dim, 1, n - 1) + y.narrow(dim, 0, n - 1)


def _points(name, y, x, dx, dim):
    if not y._array.ndim and name == "trapezoid":  # the other looks at the types first
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    dim = wrap_dim(dim, y._array.ndim)
    if x is not None and not isinstance(x, Tensor):
        x, dx = None, x
    if isinstance(dx, complex) or isinstance(dx, bool) and name != "trapezoid":
        raise RuntimeError(f"{name}: Currently, we only support dx as a real number.")
    if name == "trapezoid" and not y._array.shape[dim]:
        return x, dx, dim
    if x is not None and x._table.dtype.name == "bool" or y._table.dtype.name == "bool":
        raise RuntimeError(f"{name}: received a bool input for `x` or `y`, but bool is not supported")
    return x, dx, dim


@public()
def trapezoid(y, x=None, *, dx=1, dim=-1):
    """trapezoid(y, x=None, *, dx=1, dim=-1) -> Tensor: the integral of samples y at points x, or dx apart."""
    x, dx, dim = _points("trapezoid", y, x, dx, dim)
    n = y._array.shape[dim]
    if n == 0:
        return zeros(tuple(s for i, s in enumerate(y._array.shape) if i != dim), dtype=y.dtype, device=y.device)
    if x is not None:
        return (_pairs(y, dim) * _spacing(y, x, dim)).sum(dim) / 2.0
    return (y.sum(dim) - (y.select(dim, 0) + y.select(dim, -1)) * 0.5) * dx


trapz = public("trapz")(trapezoid)


@public()
def cumulative_trapezoid(y, x=None, *, dx=1, dim=-1):
    """cumulative_trapezoid(y, x=None, *, dx=1, dim=-1) -> Tensor: the integrals up to each sample but the first."""
    x, dx, dim = _points("cumulative_trapezoid", y, x, dx, dim)
    if x is not None:
        return (_pairs(y, dim) * _spacing(y, x, dim)).cumsum(dim) / 2.0
    return (_pairs(y, dim) * (dx / 2.0)).cumsum(dim)


# ---- numerical derivatives


def _spacings(ndim, spacing, dim):
    """(dimensions, for each its spacing: a number, or the coordinates of its points)."""
    dims = None if dim is None else [dim] if isinstance(dim, int) else list(dim)
    dims = None if dims is None else [wrap_dim(d, ndim) for d in dims]
    for d in dims or ():
        if dims.count(d) > 1:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
    count = ndim if dims is None else len(dims)
    spacing = plain_number(spacing)
    if spacing is None or isinstance(spacing, (int, float, complex)):
        gaps = [1 if spacing is None else spacing] * count
    elif isinstance(spacing, Tensor) and not spacing._array.ndim:
        gaps = [spacing] * count
    elif isinstance(spacing, (list, tuple, Tensor)):
        gaps = list(spacing)
        if len(gaps) != count:
            raise RuntimeError(
                "torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to "
                f"'self.dim() = {ndim}', since dim argument was not given, but got a list of length {len(gaps)}"
                if dims is None
                else "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim "
                f"arguments to have the same length, but got a spacing argument of length {len(gaps)} "
                f"and a dim argument of length {count}."
            )
    else:
        raise TypeError(
            f"gradient() received an invalid combination of arguments - got (Tensor, spacing={type(spacing).__name__})"
        )
    return range(ndim) if dims is None else dims, gaps


def _along(y, dim, first, last):
    """The elements first ... from the end `last` back, along dim."""
    return y.narrow(dim, first, y._array.shape[dim] - first - last)


def _slopes(y, gap, dim, edge_order):
    """The derivative along dim by second order differences inside; at the ends of first or second order."""
    n = y._array.shape[dim]
    if isinstance(gap, Tensor) and gap._array.ndim:
        steps = _spacing(y, gap, dim)
        before, after = _along(steps, dim, 0, 1), _along(steps, dim, 1, 0)
        total = before + after
        inner = (
            -after / (before * total) * _along(y, dim, 0, 2)
            + (after - before) / (before * after) * _along(y, dim, 1, 1)
            + before / (after * total) * _along(y, dim, 2, 0)
        )
        first, second, beforelast, last = (
            (steps.narrow(dim, at, 1) for at in (0, 1, n - 3, n - 2)) if n > 2 else (steps, None, None, steps)
        )
    else:
        inner = (_along(y, dim, 2, 0) - _along(y, dim, 0, 2)) / (2 * gap)
        first = second = beforelast = last = gap
    if edge_order == 1:
        begin = (y.narrow(dim, 1, 1) - y.narrow(dim, 0, 1)) / first
        end = (y.narrow(dim, n - 1, 1) - y.narrow(dim, n - 2, 1)) / last
    else:
        begin = _one_sided(first, second, *(y.narrow(dim, at, 1) for at in (0, 1, 2)))
        end = -_one_sided(last, beforelast, *(y.narrow(dim, n - at, 1) for at in (1, 2, 3)))
    return cat.fn([begin, inner, end], dim)


def _one_sided(near, far, a, b, c):
    """The derivative at a, towards b (`near` away) and c (`far` further), of second order."""
    return (
        -(2 * near + far) / (near * (near + far)) * a
        + (near + far) / (near * far) * b
        - near / (far * (near + far)) * c
    )


@public(method=False)
def gradient(input, *, spacing=None, dim=None, edge_order=1):
    """gradient(input, *, spacing=1, dim=None, edge_order=1) -> tuple of Tensors: the derivative along each dimension.

    spacing: the distance of the samples, one for each dimension, or the coordinates of the samples in each. Inside it
    is the second order central difference (Fornberg, 1988), at the ends the difference of order edge_order (1 or 2).
    """
    if spacing is not None and type(spacing) not in (float, int, list, tuple):
        bind(signatures("torch", "gradient"), (input,), {"spacing": spacing, **({} if dim is None else {"dim": dim})})
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    if input._table.dtype is uint8:
        raise RuntimeError("torch.gradient does not support uint8 input.")
    dims, gaps = _spacings(input._array.ndim, spacing, dim)
    for gap in gaps:
        if isinstance(gap, Tensor) and gap.device != input.device:
            raise RuntimeError(
                "torch.gradient expected each tensor to be on the same device, but got devices "
                f"{input.device} and {gap.device}!"
            )
    for d in dims:
        if input._array.shape[d] < edge_order + 1:
            raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")
    return tuple([_slopes(input, gap, d, edge_order) for d, gap in zip(dims, gaps)])
