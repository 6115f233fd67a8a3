"""Sparse tensors from places and values: sparse_coo_tensor, sparse_csr_tensor and their relatives."""

from ..._array.lookup import table
from ..._array.sparse.arrays import Compressed, Coo, listed
from ..._array.sparse.table import table as sparse_table
from ..._backend.core import unary_func_op
from ..._backend.families import Own
from ..._backend.registry import public
from ..._base import dtype as dtypes
from ..._base.state import defaults
from ..._tensor.tensor import Tensor, sparse_csc, sparse_csr, wrap
from ..creation.factory import factory, finish, size_of
from ..creation.from_data import tensor
from .checks import check_compressed, check_coo, invariants_checked

INT_INDICES = (dtypes.int32, dtypes.int64)


class Unlisted(Own):
    """The family of sparse ops: found by the functions that use them, and computed in the values' own type."""

    promote, method, namespace, compute_in_float32 = None, False, None, False


def words(xp):
    """The vocabulary that knows sparse arrays: xp itself where it does, or records."""
    return xp if xp.is_sparse or xp.records else sparse_table(xp.dtype)


class sparse_coo(Unlisted):
    """sparse_coo(values, indices, size, coalesced): a COO tensor of these values at these places (a raw array)."""

    node_name, result = "SparseCooTensorWithDimsAndTensorsBackward0", "elsewhere"

    def table(k, *options):
        return sparse_table(k.dtype)

    @unary_func_op()
    def forward(xp, values, indices, size, coalesced=False):
        return Coo(indices, values, size, coalesced) if coalesced else listed(indices, values, size)

    def grad_values(xp, g, indices, size):
        return words(xp).values_at(g, indices)


class values_at(Unlisted):
    """values_at(input, indices): what a tensor holds at these places (a raw array); zero where it names none."""

    result = "of"

    @unary_func_op()
    def forward(xp, input, indices):
        return words(xp).values_at(input, indices)

    def grad_input(xp, g, indices, shape):
        return words(xp).sparse_coo(g, indices, shape)


class sparse_compressed(Unlisted):
    """sparse_compressed(values, compressed, plain, size, layout): a CSR or CSC tensor of these values."""

    node_name, result = "SparseCompressedTensorBackward0", "elsewhere"

    def table(k, *options):
        return sparse_table(k.dtype)

    @unary_func_op()
    def forward(xp, values, compressed, plain, size, layout):
        return Compressed(layout, compressed, plain, values, size)

    def grad_values(xp, g, compressed, plain, size, layout):
        return words(xp).compressed_values(g, compressed, plain, size, layout)


class compressed_values(Unlisted):
    """compressed_values(input, compressed, plain, size, layout): what a tensor holds at a compressed one's places."""

    result = "of"

    @unary_func_op()
    def forward(xp, input, compressed, plain, size, layout):
        return words(xp).compressed_values(input, compressed, plain, size, layout)

    def grad_input(xp, g, compressed, plain, size, layout):
        return words(xp).sparse_compressed(g, compressed, plain, size, layout)


# ---- the parts that programs give


def _part(x, dtype, what):
    """Values or indices as a Tensor."""
    if isinstance(x, Tensor):
        return x if dtype is None or x.dtype is dtype else x.to(dtype)
    if x is None:
        raise TypeError(f"sparse tensor: '{what}' must be a Tensor or nested lists, not None")
    return tensor(x, dtype=dtype)


def _size(size):
    return tuple(int(n) for n in size)


def _leaf(made, requires_grad):
    """The new tensor, as a leaf where asked for."""
    if requires_grad:
        made.requires_grad_()
    return made


def _cpu_only(device):
    """NotImplementedError for a device that has no sparse tensors."""
    place = "cpu" if device is None else getattr(device, "type", device)
    if str(place) != "cpu":
        table(dtypes.float32, device)  # a device that is not there says so
        raise NotImplementedError(f"sparse tensors on device '{place}': lucid has them on the CPU only")


def is_sorted(indices, size):
    """Are COO indices in order, none of them twice?"""
    probe = Coo(indices._array, indices._array[0] if len(indices) else indices._array, size)
    return sparse_table(dtypes.int64).in_order(probe)


@factory
def sparse_coo_tensor(
    indices,
    values=None,
    size=None,
    *,
    dtype=None,
    device=None,
    pin_memory=False,
    requires_grad=False,
    check_invariants=None,
    is_coalesced=None,
):
    """sparse_coo_tensor(indices, values, size=None) -> Tensor, sparse: values (nnz, *dense) at indices (dims, nnz).

    sparse_coo_tensor(size): one in which nothing is named. The size is as small as it can be where it is not given.
    check_invariants: look at all indices (RuntimeError for one outside). is_coalesced: promises that they are in order.
    """
    _cpu_only(device)
    if values is None and not isinstance(indices, Tensor):
        k = sparse_table(dtype or defaults.dtype)
        return finish(k.empty_of(size_of((indices,))), k, requires_grad)
    indices, values = _part(indices, dtypes.int64, "indices"), _part(values, dtype, "values")
    if values.ndim == 0:
        values = values.expand(indices.shape[-1])
    if size is None:
        size = _smallest(indices, values)
    size, checked = _size(size), invariants_checked(check_invariants)
    if any(n < 0 for n in size):
        raise RuntimeError("numel: integer multiplication overflow")
    if indices.ndim < 2 and not indices.numel() and indices.ndim == 1 and len(size) == 1:
        indices = indices.reshape(1, 0)
    check_coo(indices, values, size, checked)
    if indices.ndim < 2 or indices.shape[0] + values.ndim - 1 != len(size):
        raise RuntimeError(
            "'len(size) == sparse_dim + dense_dim' is not satisfied: "
            f"len(size) = {len(size)}, sparse_dim = {indices.shape[0]}, dense_dim = {values.ndim - 1}"
        )
    if indices.shape[1] != values.shape[0]:
        raise RuntimeError(
            f"indices and values must have same nnz, but got nnz from indices: {indices.shape[1]}, nnz from values: "
            f"{values.shape[0]}"
        )
    if is_coalesced and checked and not is_sorted(indices, size):
        raise RuntimeError("cannot set is_coalesced to true if indices correspond to uncoalesced COO tensor")
    return _leaf(sparse_coo.fn(values, indices._array, size, bool(is_coalesced)), requires_grad)


def _smallest(indices, values):
    """The size that holds all indices."""
    if indices.ndim != 2:
        raise RuntimeError(f"indices must be sparse_dim x nnz, but got: {list(indices.shape)}")
    if indices.shape[1]:
        if indices.min().item() < 0:
            low = indices.amin(1).tolist()
            d = next(d for d, n in enumerate(low) if n < 0)
            raise RuntimeError(f"found negative index {low[d]} for dim {d}")
        lead = [n + 1 for n in indices.amax(1).tolist()]
    else:
        lead = [0] * indices.shape[0]
    return (*lead, *values.shape[1:])


@public()
def _sparse_coo_tensor_unsafe(
    indices, values, size, dtype=None, device=None, requires_grad=False, check_invariants=None, is_coalesced=None
):
    """_sparse_coo_tensor_unsafe(indices, values, size) -> Tensor, sparse of these parts, which are not looked at."""
    values = _part(values, dtype, "values")
    return _leaf(
        sparse_coo.fn(values, _part(indices, dtypes.int64, "indices")._array, _size(size), bool(is_coalesced)),
        requires_grad,
    )


# ---- compressed


def _compressed(which, compressed, plain, values, size, dtype, device, requires_grad, check_invariants):
    _cpu_only(device)
    kind = which.name
    compressed, plain = (_part(t, None, n) for t, n in ((compressed, "indices"), (plain, "indices")))
    values = _part(values, dtype, "values")
    if size is None:
        size = _smallest_compressed(compressed, plain, values, kind)
    size = _size(size)
    if invariants_checked(check_invariants):
        check_compressed(compressed, plain, values, size, kind)
    parts = [t if t.dtype in INT_INDICES else t.long() for t in (compressed, plain)]
    return _leaf(
        sparse_compressed.fn(values, parts[0]._array, parts[1]._array, size, kind),
        requires_grad,
    )


def _smallest_compressed(compressed, plain, values, kind):
    batch, lines = tuple(compressed.shape[:-1]), max(compressed.shape[-1] - 1, 0)
    length = plain.max().item() + 1 if plain.numel() else 0
    matrix = (lines, length) if kind == "sparse_csr" else (length, lines)
    return (*batch, *matrix, *values.shape[plain.ndim :])


def _no_blocks(name, kind):
    raise NotImplementedError(f"{name}(): lucid has no {kind} tensors; it has COO, CSR and CSC ones")


@factory
def sparse_csr_tensor(
    crow_indices,
    col_indices,
    values,
    size=None,
    *,
    dtype=None,
    device=None,
    pin_memory=False,
    requires_grad=False,
    check_invariants=None,
):
    """sparse_csr_tensor(crow_indices, col_indices, values, size=None) -> Tensor, sparse by compressed rows.

    crow_indices (*batch, rows + 1) says where each row begins in col_indices (*batch, nnz).
    """
    parts = (crow_indices, col_indices, values)
    return _compressed(sparse_csr, *parts, size, dtype, device, requires_grad, check_invariants)


@factory
def sparse_csc_tensor(
    ccol_indices,
    row_indices,
    values,
    size=None,
    *,
    dtype=None,
    device=None,
    pin_memory=False,
    requires_grad=False,
    check_invariants=None,
):
    """sparse_csc_tensor(ccol_indices, row_indices, values, size=None) -> Tensor, sparse by compressed columns."""
    parts = (ccol_indices, row_indices, values)
    return _compressed(sparse_csc, *parts, size, dtype, device, requires_grad, check_invariants)


@factory
def sparse_compressed_tensor(
    compressed_indices,
    plain_indices,
    values,
    size=None,
    *,
    dtype=None,
    layout=None,
    device=None,
    pin_memory=False,
    requires_grad=False,
    check_invariants=None,
):
    """sparse_compressed_tensor(compressed_indices, plain_indices, values, size=None, *, layout) -> Tensor, sparse.

    layout: sparse_csr or sparse_csc; NotImplementedError for layouts of blocks, RuntimeError for others.
    """
    if layout not in (sparse_csr, sparse_csc):
        if layout is not None and layout.name in ("sparse_bsr", "sparse_bsc"):
            _no_blocks("sparse_compressed_tensor", layout.name)
        got = "none" if layout is None else {"strided": "Strided", "sparse_coo": "Sparse"}.get(layout.name, layout.name)
        raise RuntimeError(f"sparse_compressed_tensor expected sparse compressed tensor layout but got {got}")
    parts = (compressed_indices, plain_indices, values)
    return _compressed(layout, *parts, size, dtype, device, requires_grad, check_invariants)


def _of_blocks(name, kind):
    def f(
        compressed_indices,
        plain_indices,
        values,
        size=None,
        *,
        dtype=None,
        device=None,
        pin_memory=False,
        requires_grad=False,
        check_invariants=None,
    ):
        _no_blocks(name, kind)

    f.__name__ = f.__qualname__ = name
    f.__doc__ = f"{name}(...): NotImplementedError, lucid has no {kind} tensors."
    public(name)(f)


_of_blocks("sparse_bsr_tensor", "sparse_bsr")
_of_blocks("sparse_bsc_tensor", "sparse_bsc")


# ---- torch.sparse.spdiags


@public("spdiags", namespace="sparse")
def spdiags(diagonals, offsets, shape, layout=None):
    """spdiags(diagonals, offsets, shape, layout=None) -> Tensor, sparse: rows of diagonals along its diagonals.

    offsets[i] says which: 0 the main one, k > 0 above, k < 0 below it; element j of a row goes into column j.
    """
    offsets = offsets if isinstance(offsets, Tensor) else tensor(offsets)
    if diagonals.ndim not in (1, 2):
        raise RuntimeError("Diagonals must be vector or matrix")
    if len(shape) != 2:
        raise RuntimeError("Output shape must be 2d")
    rows, offsets = diagonals.reshape(1, -1) if diagonals.ndim == 1 else diagonals, offsets.reshape(-1)
    if rows.shape[0] != offsets.shape[0]:
        raise RuntimeError(
            f"Number of diagonals ({rows.shape[0]}) does not match the number of offsets ({offsets.shape[0]})"
        )
    if len(set(offsets.tolist())) != offsets.shape[0]:
        raise RuntimeError("Offset tensor contains duplicate values")
    if layout is not None and layout.name not in ("sparse_coo", "sparse_csr", "sparse_csc"):
        raise RuntimeError("Only output layouts (Sparse, SparseCsc, SparseCsr) are supported, got " + layout.name)
    places = [
        (i, j - offset, j)
        for i, offset in enumerate(offsets.tolist())
        for j in range(rows.shape[1])
        if 0 <= j - offset < shape[0] and j < shape[1]
    ]
    numbers = tensor(places, dtype=dtypes.int64).reshape(-1, 3)
    values = rows[numbers[:, 0], numbers[:, 2]]
    made = sparse_coo.fn(values, numbers[:, 1:].t().contiguous()._array, tuple(shape), False)
    return made if layout is None else made.to_sparse(layout=layout)


# ---- torch.sparse.FloatTensor and its like


def legacy_sparse(args, dtype):
    """torch.sparse.FloatTensor(indices, values, size), (indices, values), (size), (2, 3) or ()."""
    k = sparse_table(dtype)
    if not args:
        return wrap(k.empty_of((0,)), k)
    if isinstance(args[0], Tensor):
        return sparse_coo_tensor(*args, dtype=dtype)
    return wrap(k.empty_of(size_of(args)), k)


__all__ = ["Unlisted", "legacy_sparse", "sparse_coo", "sparse_compressed", "values_at", "words"]
