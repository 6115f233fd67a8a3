"""From one layout to another, and the parts of a sparse tensor: to_dense, to_sparse, coalesce, indices, values."""

from ..._array.sparse.refusals import LAYOUTS as NAMES
from ..._array.sparse.table import table as sparse_table
from ..._backend.core import func_op, unary_func_op
from ..._backend.registry import public, tensor_method
from ..._base.dtype import int64
from ..._tensor.tensor import Tensor, layout, wrap
from .checks import need_tensor
from .construct import Unlisted, words

NAMES = {"strided": "Strided", **NAMES}
_BACKENDS = {"strided": "CPU", "sparse_coo": "SparseCPU"}


def layout_name(t):
    return t._table.layout_of(t._array)


def need_layout(name, t, wanted, description):
    """torch's error for a method of another layout."""
    if layout_name(t) not in wanted:
        raise RuntimeError(f"{name} expected {description} tensor layout but got {NAMES[layout_name(t)]}")


def unsupported(name, t):
    """torch's error for an op that there is no kernel of for this layout."""
    backend = _BACKENDS.get(layout_name(t), "SparseCsrCPU")
    return NotImplementedError(
        f"Could not run 'aten::{name}' with arguments from the '{backend}' backend. This could be because the operator "
        "doesn't exist for this backend, or was omitted during the selective/custom build process (if using custom "
        "build)."
    )


def need_coo(name, t):
    if layout_name(t) != "sparse_coo":
        raise unsupported(name, t)


# ---- to_dense


class dense_form(Unlisted):
    """dense_form(input, masked): a sparse tensor as a dense one."""

    node_name, result, linear = "ToDenseBackward0", "of", True

    @unary_func_op()
    def forward(xp, input, masked=True):
        return xp.to_dense(input)

    def grad_input(xp, g, input, masked):
        return xp.sparse_like(g, input) if masked else xp.in_layout_of(g, input)


@tensor_method
def to_dense(self, dtype=None, *, masked_grad=None):
    """to_dense() -> Tensor: the elements of a sparse tensor among zeros; a strided tensor as it is.

    masked_grad: does the gradient have the sparse tensor's places only (the default), or all that are not zero?
    """
    if not self._table.is_sparse:
        return self if dtype is None else self.to(dtype)
    if dtype is not None:
        name = "sparse" if layout_name(self) == "sparse_coo" else "sparse_csr"
        raise RuntimeError(f"dtype argument is not supported by {name}_to_dense")
    return dense_form.fn(self, masked_grad is not False)


class sparse_like(Unlisted):
    """sparse_like(input, mask): input at the places of mask, as the gradient of something that has only those."""

    name, index_inputs, result = "sparse_like", ("mask",), "of"

    @func_op(2)
    def forward(xp, input, mask):
        return xp.sparse_mask(input, xp.coalesce(mask))

    def grad_input(xp, g, input, mask):
        return xp.in_layout_of(xp.sparse_like(g, mask), input)


class in_layout_of(Unlisted):
    """in_layout_of(input, like): the same elements in like's layout."""

    name, index_inputs, result = "in_layout_of", ("like",), "of"

    @func_op(2)
    def forward(xp, input, like):
        return words(xp).in_layout_of(input, like)

    def grad_input(xp, g, input):
        return words(xp).in_layout_of(g, input)


# ---- to_sparse


class sparse_form(Unlisted):
    """sparse_form(input, layout, sparse_dim, dense_dim): the elements that are not zero (of a sparse one: that are
    named), in a sparse layout."""

    node_name, whole_node_name, result = "ToSparseBackward0", None, "elsewhere"

    def table(k, *options):
        return sparse_table(k.dtype)

    @unary_func_op()
    def forward(xp, input, layout="sparse_coo", sparse_dim=None, dense_dim=0):
        return words(xp).to_layout(input, layout, sparse_dim, dense_dim)

    def grad_input(xp, g, input):
        return words(xp).in_layout_of(g, input)


class sparse_form_whole(sparse_form):
    """The form without an argument, whose node torch numbers apart."""

    node_name = "ToSparseBackward1"
    forward = unary_func_op()(sparse_form.forward)


class sparse_form_csr(sparse_form):
    """The form by rows."""

    node_name = "ToSparseCsrBackward0"
    forward = unary_func_op()(sparse_form.forward)


class sparse_form_csc(sparse_form):
    """The form by columns."""

    node_name = "ToSparseCscBackward0"
    forward = unary_func_op()(sparse_form.forward)


_BLOCKS = ("sparse_bsr", "sparse_bsc")


def _blocks(name, kind):
    raise NotImplementedError(f"Tensor.{name}: lucid has no {kind} tensors; it has COO, CSR and CSC ones")


@tensor_method
def to_sparse(self, sparse_dim=None, *, layout=None, blocksize=None, dense_dim=None):
    """to_sparse(sparse_dim=None, *, layout=None) -> Tensor, sparse: COO, or another sparse layout.

    sparse_dim: how many leading dimensions are sparse; the others stay dense. dense_dim: the same counted from the end,
    for CSR and CSC.
    """
    if isinstance(sparse_dim, type_of_layout):
        sparse_dim, layout = None, sparse_dim
    name = "sparse_coo" if layout is None else layout.name
    if name in _BLOCKS:
        _blocks("to_sparse", name)
    if name == "strided":
        raise RuntimeError("to_sparse: unsupported layout: strided")
    if name != "sparse_coo":
        return _compressed_form(self, name, dense_dim)
    have = layout_name(self)
    if have == "sparse_coo":
        if sparse_dim is not None and sparse_dim != self._array.sparse_dim:
            raise RuntimeError(
                "to_sparse: conversion from Sparse to Sparse with sparse_dim argument !=self.sparse_dim() is not "
                "supported"
            )
        return self
    if sparse_dim is not None:
        if have != "strided" and sparse_dim != 2:
            raise RuntimeError(f"to_sparse: conversion from {NAMES[have]} to Sparse with sparse_dim argument != 2")
        if not 0 <= sparse_dim <= self.ndim or not sparse_dim and self.ndim:
            raise RuntimeError(
                f"dense_to_sparse: sparse_dim argument must be in [0,{self.ndim}] range, but {sparse_dim} is given"
                if sparse_dim
                else "dense_to_sparse: sparse_dim argument must be >0"
            )
        return sparse_form.fn(self, "sparse_coo", sparse_dim)
    return sparse_form_whole.fn(self, "sparse_coo")


type_of_layout = layout


def _compressed_form(self, name, dense_dim=None):
    have = layout_name(self)
    if have == name:
        return self
    if have == "sparse_coo" and self._array.sparse_dim != 2:
        raise RuntimeError(
            f"coo_to_{name}: conversion from Sparse to {NAMES[name]} for input tensors with sparse_dim()!=2 is not "
            "supported"
        )
    if have == "strided" and self.ndim < 2 + (dense_dim or 0):
        raise IndexError(f"select(): index 1 out of range for tensor of size [2, {self.ndim}] at dimension 1")
    op = sparse_form_csr if name == "sparse_csr" else sparse_form_csc
    return op.fn(self, name, None, dense_dim or 0)


@tensor_method
def to_sparse_coo(self):
    """to_sparse_coo() -> Tensor, sparse in COO layout."""
    return to_sparse(self)


@tensor_method
def to_sparse_csr(self, dense_dim=None):
    """to_sparse_csr(dense_dim=None) -> Tensor, sparse by compressed rows; leading dimensions are batches."""
    return _compressed_form(self, "sparse_csr", dense_dim)


@tensor_method
def to_sparse_csc(self, dense_dim=None):
    """to_sparse_csc(dense_dim=None) -> Tensor, sparse by compressed columns; leading dimensions are batches."""
    return _compressed_form(self, "sparse_csc", dense_dim)


@tensor_method
def to_sparse_bsr(self, blocksize, dense_dim=None):
    """to_sparse_bsr(blocksize): NotImplementedError, lucid has no sparse_bsr tensors."""
    _blocks("to_sparse_bsr", "sparse_bsr")


@tensor_method
def to_sparse_bsc(self, blocksize, dense_dim=None):
    """to_sparse_bsc(blocksize): NotImplementedError, lucid has no sparse_bsc tensors."""
    _blocks("to_sparse_bsc", "sparse_bsc")


# ---- the parts


class coalesced_form(Unlisted):
    """coalesced_form(input): its places in order, values of one place added up."""

    node_name, linear = "CoalesceBackward0", True

    @unary_func_op()
    def forward(xp, input):
        return xp.coalesce(input)

    def grad_input(xp, g):
        return g


@tensor_method
def coalesce(self):
    """coalesce() -> Tensor, sparse with each place named once, in order; self where it is so already."""
    need_layout("coalesce", self, ("sparse_coo",), "sparse coordinate")
    return self if self._array.coalesced else coalesced_form.fn(self)


@tensor_method
def is_coalesced(self):
    """is_coalesced() -> bool: is each place of a COO tensor named once, in order?"""
    need_layout("is_coalesced", self, ("sparse_coo",), "sparse coordinate")
    return self._array.coalesced


class values_of(Unlisted):
    """values_of(input): the values of a coalesced COO tensor, or of a compressed one."""

    node_name, result, linear = "ValuesBackward0", "of", True

    @unary_func_op()
    def forward(xp, input):
        return input.values

    def grad_input(xp, g, input):
        return xp.placed_like(g, input)


class placed_like(Unlisted):
    """placed_like(input, like): a sparse tensor of like's places and these values."""

    name, index_inputs, result = "placed_like", ("like",), "of"

    @func_op(2)
    def forward(xp, input, like):
        return like.with_values(input)

    def grad_input(xp, g, input, like):
        return xp.values_of(xp.sparse_like(g, like))


@tensor_method
def values(self):
    """values() -> Tensor (nnz, *dense): the values of a coalesced COO tensor, or of a compressed one."""
    if layout_name(self) == "strided":
        raise RuntimeError("values expected sparse tensor layout but got Strided")
    if self.is_sparse and not self._array.coalesced:
        raise RuntimeError("Cannot get values on an uncoalesced tensor, please call .coalesce() first")
    return values_of.fn(self)


def _indices_tensor(array):
    """A raw array of places as a Tensor."""
    k = sparse_table(int64).dense.of(array)
    return wrap(array, k)


@tensor_method
def indices(self):
    """indices() -> Tensor (sparse dims, nnz) of int64: the places of a coalesced COO tensor."""
    need_layout("indices", self, ("sparse_coo",), "sparse coordinate")
    if not self._array.coalesced:
        raise RuntimeError("Cannot get indices on an uncoalesced tensor, please call .coalesce() first")
    return _indices_tensor(self._array.indices)


@tensor_method
def _indices(self):
    """_indices() -> Tensor (sparse dims, nnz): the places of a COO tensor as they are."""
    need_coo("_indices", self)
    return _indices_tensor(self._array.indices)


@tensor_method
def _values(self):
    """_values() -> Tensor (nnz, *dense): the values of a COO tensor as they are, outside the graph."""
    need_coo("_values", self)
    return wrap(self._array.values, self._table.dense)


@tensor_method
def _nnz(self):
    """_nnz() -> int: how many places a sparse tensor names (in each member of a batch)."""
    if layout_name(self) == "strided":
        raise unsupported("_nnz", self)
    return self._array.nnz


def _coalesced_(self, coalesced):
    """_coalesced_(coalesced) -> self, marked as coalesced or not."""
    need_coo("_coalesced_", self)
    array = self._array
    self._array = type(array)(array.indices, array.values, array.shape, coalesced)
    self._array.coalesced = coalesced
    return self


tensor_method(_coalesced_)


def _compressed_part(name, wanted, part, kind):
    def f(self):
        need_layout(name, self, (wanted,), kind)
        return _indices_tensor(getattr(self._array, part))

    f.__name__ = f.__qualname__ = name
    f.__doc__ = f"{name}() -> Tensor: of a {kind} tensor."
    tensor_method(f)


_compressed_part("crow_indices", "sparse_csr", "compressed", "sparse row compressed")
_compressed_part("col_indices", "sparse_csr", "plain", "sparse row compressed")
_compressed_part("ccol_indices", "sparse_csc", "compressed", "sparse column compressed")
_compressed_part("row_indices", "sparse_csc", "plain", "sparse column compressed")


@tensor_method
def sparse_dim(self):
    """sparse_dim() -> int: how many dimensions are sparse (0 of a strided tensor)."""
    return self._array.sparse_dim if self._table.is_sparse else 0


@tensor_method
def dense_dim(self):
    """dense_dim() -> int: how many dimensions are dense."""
    return self._array.dense_dim if self._table.is_sparse else self.ndim


Tensor._dimI, Tensor._dimV = sparse_dim, dense_dim


# ---- masks


class masked_form(Unlisted):
    """masked_form(input, mask): input at the places of a sparse mask."""

    node_name, index_inputs, result = "SparseMaskBackward0", ("mask",), "of"

    @func_op(2)
    def forward(xp, input, mask):
        return xp.sparse_mask(input, mask)

    def grad_input(xp, g, input, mask):
        return xp.in_layout_of(xp.masked_form(g, mask), input)


@public(method=True, namespace=None)
def sparse_mask(input, mask):
    """sparse_mask(mask) -> Tensor, sparse: self's elements at the places of mask, in mask's layout."""
    need_tensor("sparse_mask", mask, "mask")
    if not mask._table.is_sparse:
        raise unsupported("sparse_mask", mask)
    if input.shape != mask.shape:
        raise RuntimeError(
            f"sparse_mask(): operands have incompatible sizes; self has size {list(input.shape)} but mask has size "
            f"{list(mask.shape)}"
        )
    return masked_form.fn(input, mask)


# ---- another size, in place


_OPTIONS = (
    "\nYou could try the following options:\n1. If you need an empty sparse tensor of this size, call `x = "
    "torch.sparse_coo_tensor(size)`.\n2. If you need to resize this tensor, you have the following options:\n\t1. For "
    "both sparse and dense dimensions, keep the number of them constant and the size of them non-shrinking, and then "
    "try the same call again.\n\t2. Or, create a new sparse tensor with the correct indices and values from this "
    "sparse tensor."
)


def _resize(self, size, sparse_dim, dense_dim):
    """The array of self in another size."""
    size, array = tuple(size), self._array
    if sparse_dim + dense_dim != len(size):
        raise RuntimeError(
            f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(size)}, sparse_dim = "
            f"{sparse_dim}, dense_dim = {dense_dim}"
        )
    if array.nnz:
        for kind, old, new in (("sparse", array.sparse_dim, sparse_dim), ("dense", array.dense_dim, dense_dim)):
            if old != new:
                raise RuntimeError(
                    f"changing the number of {kind} dimensions (from {old} to {new}) on a non-empty sparse tensor is "
                    f"not supported.{_OPTIONS}"
                )
        for kind, part in (("sparse", slice(None, sparse_dim)), ("dense", slice(sparse_dim, None))):
            old, new = list(array.shape[part]), list(size[part])
            if any(m < n for m, n in zip(new, old)):
                raise RuntimeError(
                    f"shrinking the size of {kind} dimensions (from {old} to {new}) on a non-empty sparse tensor is "
                    f"not supported.{_OPTIONS}"
                )
    return self._table.resized(array, size, sparse_dim)


@tensor_method
def sparse_resize_(self, size, sparse_dim, dense_dim):
    """sparse_resize_(size, sparse_dim, dense_dim) -> self in a size that is not smaller in any dimension."""
    need_coo("sparse_resize_", self)
    self._array = _resize(self, size, sparse_dim, dense_dim)
    return self


@tensor_method
def sparse_resize_and_clear_(self, size, sparse_dim, dense_dim):
    """sparse_resize_and_clear_(size, sparse_dim, dense_dim) -> self in another size, with nothing in it."""
    need_coo("sparse_resize_and_clear_", self)
    if sparse_dim + dense_dim != len(size):
        raise RuntimeError(
            f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(size)}, sparse_dim = "
            f"{sparse_dim}, dense_dim = {dense_dim}"
        )
    self._array = self._table.empty_of(tuple(size), "sparse_coo", sparse_dim)
    return self


@public(method=True)
def resize_as_sparse_(input, the_template):
    """resize_as_sparse_(the_template) -> input in the size of another sparse tensor."""
    need_coo("resize_as_sparse_", input)
    need_coo("resize_as_sparse_", the_template)
    other = the_template._array
    input._array = _resize(input, other.shape, other.sparse_dim, other.dense_dim)
    return input


__all__ = ["layout_name", "need_coo", "need_layout", "unsupported"]
