"""Order: sort, argsort, msort, topk, kthvalue (median and mode are statistics; unique is in unique_search.py)."""

from ..._backend.core import func_op
from ..._backend.families import Own, not_implemented_error
from ..._backend.out_argument import store_out
from ..._backend.registry import public
from ..._base.dtype import bool_
from ..._base.shape import wrap_dim
from ..._tensor.return_types import return_type
from ..reduction.reduce import PickedAlong, picked, picking_options


def _need_order(xp):
    if xp.is_complex:
        raise RuntimeError(" Sort does not support complex dtypes on CPU")


class Ordered(Own):
    """(values, indices) of elements along a dimension in another order; each gets its own gradient back."""

    promote, has_out, differentiable = "same", True, (0,)

    def grad_input(xp, g, out1, dim, shape):
        return xp.scatter(xp.zeros(shape), dim, out1, g) if shape else g


def _sorted(xp, input, dim, descending):
    _need_order(xp)
    return picked(xp, xp.sort, input, dim, descending)


class Sort(Ordered):
    """Both records of sort."""

    namespace, method, composite_results = None, False, return_type("sort", "values indices")

    def prepare(input, dim, descending):
        return wrap_dim(dim, input.ndim), bool(descending)


class sort_plain(Sort):
    """sort(input, dim=-1, descending=False)"""

    not_overgrown = 1
    node_name, forward = "SortBackward0", func_op(1, 2)(_sorted)


class sort_stable(Sort):
    """sort(input, *, stable, dim=-1, descending=False)"""

    not_overgrown = 1
    node_name, forward = "SortBackward1", func_op(1, 2)(_sorted)


@public(method=True)
def sort(input, dim=-1, descending=False, stable=None, *, out=None):
    """sort(input, dim=-1, descending=False, *, stable=False) -> (values, indices) along dim; NaN is the largest.

    Equal elements keep their order whether stable is asked for or not.
    """
    if isinstance(dim, bool):  # sort(stable, dim, descending)
        dim, descending, stable = (-1 if descending is False else descending), bool(stable), dim
    op = sort_plain if stable is None else sort_stable
    return op.fn(input, dim, descending) if out is None else op.fn(input, dim, descending, out=out)


@public(method=True)
def argsort(input, dim=-1, descending=False, stable=False):
    """argsort(input, dim=-1, descending=False, stable=False) -> int64 Tensor: the indices that sort input along dim."""
    return sort_plain.fn(input.detach(), dim, descending)[1]


@public(method=True)
def msort(input, *, out=None):
    """msort(input) -> Tensor: sorted along the first dimension."""
    values = sort_plain.fn(input, 0, False)[0]
    return values if out is None else store_out("msort", values, out, read=(input,))


class topk(Ordered):
    """topk(input, k, dim=-1, largest=True, sorted=True) -> (values, indices):
    the k largest or smallest along dim, in order.
    """

    not_overgrown = 1
    composite_results = return_type("topk", "values indices")

    @func_op(1, 2)
    def forward(xp, input, k, dim=-1, largest=True, sorted=True):
        if xp.is_complex or xp.dtype is bool_:
            raise RuntimeError(
                " topk does not support complex dtypes on CPU"
                if xp.is_complex
                else "topk does not support bool dtypes on CPU"
            )
        return picked(xp, xp.topk, input, k, dim, largest)

    def prepare(input, k, dim, largest, sorted):
        dim, k = wrap_dim(dim, input.ndim), int(k)
        if not 0 <= k <= (input.shape[dim] if input.ndim else 1):
            raise RuntimeError("selected index k out of range")
        return k, dim, bool(largest), sorted


class kthvalue(PickedAlong):
    """kthvalue(input, k, dim=-1, keepdim=False) -> (values, indices): the k-th smallest along dim, counted from 1."""

    overlap, composite_results = "any", return_type("kthvalue", "values indices")

    @func_op(1, 2)
    def forward(xp, input, k, dim=-1, keepdim=False):
        if xp.dtype is bool_ and input.ndim:
            raise not_implemented_error("kthvalue_cpu", xp.dtype)
        return picked(xp, xp.kthvalue, input, k, dim, keepdim)

    def prepare(input, k, dim, keepdim):
        dim, keepdim = picking_options("kthvalue", input, dim, keepdim)
        if not 0 < k <= (input.shape[dim] if input.ndim else 1):
            raise RuntimeError("kthvalue(): selected number k out of range for dimension " + str(dim))
        return k, dim, keepdim
