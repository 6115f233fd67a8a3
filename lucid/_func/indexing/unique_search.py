"""Which values there are and where they belong: unique, unique_consecutive, searchsorted, bucketize, isin."""

from ..._backend.argument_kinds import is_index, typename
from ..._backend.core import func_op
from ..._backend.dispatch import spelled_as
from ..._backend.families import Own, not_implemented_error
from ..._backend.out_argument import store_out
from ..._backend.promotion import is_number
from ..._backend.registry import public
from ..._base.dtype import SCALAR_NAMES, bool_, int32, int64
from ..._base.promotion import result_dtype, scalar_dtype
from ..._base.shape import wrap_dim
from ..._tensor.tensor import Tensor, bare
from ..creation.from_data import tensor
from ..pointwise.operands import missing_derivative


def _unique(torchs_name, node, word):
    """(values, inverse, counts) by a word; torch records it though it has no derivative."""

    class found(Own):
        name, node_name, promote, result = "_" + torchs_name.removeprefix("_"), node, "same", "of"
        method, namespace, differentiable = False, None, (0,)

        @func_op(1, 3)
        def forward(xp, input, dim=None):
            if xp.is_complex:  # they have no order, and torch refuses them even where equality would do
                raise not_implemented_error("unique", xp.dtype)
            return getattr(xp, word)(input, dim)

        grad_input = missing_derivative(torchs_name)

    return found


unique_elements = _unique("_unique2", "Unique2Backward0", "unique")
unique_slices = _unique("unique_dim", "UniqueDimBackward0", "unique")
unique_runs = _unique("unique_consecutive", "UniqueConsecutiveBackward0", "unique_runs")


def _existing_dim(dim, input):
    """dim counted from the front; unlike elsewhere, a 0-dim tensor has not one dimension."""
    if not input._array.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return wrap_dim(dim, input._array.ndim)


def _check_unique(function, input, dim, place=None, **switches):
    """torch's TypeErrors of the function in C that it hands these to."""
    if not isinstance(input, Tensor):
        raise TypeError(f"{function}(): argument 'input' (position 1) must be Tensor, not {typename(input)}")
    if dim is not None and not is_index(dim):
        raise TypeError(f"{function}(): argument 'dim'{place or ''} must be int, not {typename(dim)}")
    for name, value in switches.items():
        if not isinstance(value, bool):
            raise TypeError(f"{function}(): argument '{name}' must be bool, not {typename(value)}")


def _chosen(found, return_inverse, return_counts):
    """What the caller asked for: one tensor, or a tuple."""
    values, inverse, counts = found
    if not (return_inverse or return_counts):
        return values
    return (values, *([inverse] if return_inverse else []), *([counts] if return_counts else []))


@public(method=True)
def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None) -> values, or a tuple.

    The distinct elements (or, with dim, slices) in ascending order; where each element is among them; how often each
    occurs.
    """
    switches = dict(sorted=sorted, return_inverse=return_inverse, return_counts=return_counts)
    _check_unique("_unique2" if dim is None else "unique_dim", input, dim, " (position 2)", **switches)
    if dim is not None:
        dim = _existing_dim(dim, input)
        if input._array.shape.count(0) and input._array.shape[dim]:
            raise RuntimeError("There are 0 sized dimensions, and they aren't selected, so unique cannot be applied")
    told = (sorted, return_inverse, return_counts)
    name, told = ("_unique2", (input, *told)) if dim is None else ("unique_dim", (input, dim, *told))
    op = unique_elements if dim is None else unique_slices
    return _chosen(spelled_as(name, told, op.fn, input, dim), return_inverse, return_counts)


@public(method=True)
def unique_consecutive(input, return_inverse=False, return_counts=False, dim=None):
    """unique_consecutive(input, return_inverse=False, return_counts=False, dim=None) -> values, or a tuple:
    one of each run.
    """
    switches = dict(return_inverse=return_inverse, return_counts=return_counts)
    _check_unique("unique_consecutive", input, dim, **switches)
    if dim is not None:
        dim = _existing_dim(dim, input)
        if input._array.shape.count(0) and input._array.shape[dim]:
            raise RuntimeError(
                "There are 0 sized dimensions, and they aren't selected, so unique_consecutive cannot be applied"
            )
    told = (input, return_inverse, return_counts, dim)
    return _chosen(spelled_as("unique_consecutive", told, unique_runs.fn, input, dim), return_inverse, return_counts)


class searchsorted_rows(Own):
    """Where values go in their sorted rows."""

    name, promote, result, method, namespace = "_searchsorted", "keep", "of", False, None

    @func_op(2, has_gradient=False)
    def forward(xp, sorted_sequence, values, right, to32):
        index = xp.searchsorted(sorted_sequence, values, right)
        return xp.cast(index, int32) if to32 else index


def _to_the_right(name, right, side):
    """Whether equal elements come before a value: both ways to say so, which may not disagree."""
    if side is None:
        return bool(right)
    if side not in ("left", "right"):
        raise RuntimeError(f"torch.{name}(): side can only be 'left' or 'right' but got {side}")
    if side == "left" and right:
        raise RuntimeError(
            f"torch.{name}(): side and right can't be set to opposites, got side of {side} while right was True"
        )
    return side == "right"


def _values_to_find(name, sequence, values):
    """The values as a tensor, checked against the sequence's type."""
    if isinstance(values, Tensor):
        return values
    if not is_number(values):
        raise TypeError(f"{name}(): argument 'input' (position 2) must be Tensor, not {type(values).__name__}")
    if sequence._array.ndim != 1:
        raise RuntimeError(
            f"torch.{name}(): input value can be a scalar only when boundaries tensor dimension is 1, but we got "
            f"boundaries tensor dim({sequence._array.ndim}) and input value's dim(0) numel(1)"
        )
    return tensor(values, dtype=scalar_dtype(values), device=sequence.device)


def _check_rows(name, own, asked):
    """torch's errors for a sequence of shape `own` in which values of shape `asked` cannot be looked for."""
    if not own:
        raise RuntimeError(
            f"torch.{name}(): boundaries tensor should have positive dimension, but got 0 dimension"
            if name == "searchsorted"
            else "boundaries tensor must be 1 dimension, but got dim(0)"
        )
    if len(own) > 1 and own[:-1] != asked[:-1]:
        raise RuntimeError(
            f"torch.{name}(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor "
            f"and input value tensor must match, but we got boundaries tensor {list(own)} and input value tensor "
            f"{list(asked)}"
        )


def _check_sorter(name, sorter, shape):
    if sorter._array.shape != shape:
        raise RuntimeError(
            f"torch.{name}(): boundary and sorter must have the same size, but got boundary tensor {list(shape)} and "
            f"got sorter tensor {list(sorter._array.shape)}"
        )
    if sorter.dtype is not int64:
        raise RuntimeError(f"torch.{name}(): sorter must be a tensor of long dtype but got dtype {_scalar(sorter)}")
    if sorter._array.size and sorter._table.has_data:
        places = bare(sorter)
        if int(places.min()) < 0 or int(places.max()) >= shape[-1]:
            raise RuntimeError("torch.searchsorted(): sorter index out of range")


def _search(name, sequence, values, out_int32, right, side, sorter, out):
    """searchsorted, in the words of the function `name`."""
    right = _to_the_right(name, right, side)
    values = _values_to_find(name, sequence, values)
    _check_rows(name, sequence._array.shape, values._array.shape)
    if sorter is not None:
        _check_sorter(name, sorter, sequence._array.shape)
        sequence = sequence.gather(-1, sorter)
    sequence, values = sequence.detach(), values.detach()
    if sequence.dtype is not values.dtype:
        shaped, single = ([t.dtype for t in (sequence, values) if bool(t._array.ndim) is n] for n in (True, False))
        kind = result_dtype(shaped, single, [])
        sequence, values = sequence.to(kind), values.to(kind)
    if sequence._table.is_complex:
        raise not_implemented_error("searchsorted_out_cpu", sequence.dtype)
    result = searchsorted_rows.fn(sequence, values, right, bool(out_int32))
    if out is None:
        return result
    if out.dtype is not result.dtype:
        raise RuntimeError(
            f"torch.{name}(): output tensor's dtype is wrong, it can only be Int(int32) or Long(int64) depending on "
            f"whether out_int32 flag is True, but we got output tensor's dtype {_scalar(out)} and out_int32 flag is "
            f"{bool(out_int32)}"
        )
    return store_out(name, result, out)


def _scalar(t):
    return SCALAR_NAMES[t.dtype]


@public(namespace=None, word="searchsorted")
def _searchsorted_word(sequence, values, right=False):
    """The word, as rules say it of Tensors."""
    return searchsorted_rows.fn(sequence, values, right, False)


@public(word=False)
def searchsorted(sorted_sequence, input, *, out_int32=False, right=False, side=None, sorter=None, out=None):
    """searchsorted(sorted_sequence, input, *, right=False) -> int64 Tensor:
    where each value goes to keep the row sorted.

    sorted_sequence: 1-D, or (*, n) with input (*, m); sorter: the indices that sort it. right: after equal elements.
    """
    return _search("searchsorted", sorted_sequence, input, out_int32, right, side, sorter, out)


@public()
def bucketize(input, boundaries, *, out_int32=False, right=False, out=None):
    """bucketize(input, boundaries, *, right=False) -> int64 Tensor:
    the bucket between sorted boundaries each value falls in.
    """
    if boundaries._array.ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries._array.ndim})")
    return _search("searchsorted", boundaries, input, out_int32, right, None, None, out)


class isin_of(Own):
    """Is each element one of the pool's?"""

    name, promote, result, method, namespace = "_isin", "compare", "bool", False, None

    @func_op(2, has_gradient=False)
    def forward(xp, elements, pool, invert):
        found = xp.isin(elements, pool)
        return xp.bool.logical_not(found) if invert else found


@public()
def isin(elements, test_elements, *, assume_unique=False, invert=False, out=None):
    """isin(elements, test_elements, *, invert=False) -> bool Tensor:
    is each element (one may be a number) among the others?
    """
    if not isinstance(elements, Tensor):
        elements = tensor(elements, dtype=scalar_dtype(elements), device=test_elements.device)
    elif not isinstance(test_elements, Tensor):
        test_elements = tensor(test_elements, dtype=scalar_dtype(test_elements), device=elements.device)
    for t in (elements, test_elements):
        if t._table.is_complex or t.dtype is bool_:
            raise RuntimeError(f"Unsupported input type encountered for isin(): {SCALAR_NAMES[t.dtype]}")
    result = isin_of.fn(elements.detach(), test_elements.detach(), bool(invert))
    return result if out is None else store_out("isin", result, out, read=(elements,))
