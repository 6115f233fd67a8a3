"""What torch checks of indices and values before it believes that they are a sparse tensor."""

from ..._base.dtype import SCALAR_NAMES, int32, int64
from ..._base.state import switches
from ..._tensor.tensor import Tensor

PLAIN_NAMES = {"sparse_csr": ("crow", "col", "row"), "sparse_csc": ("ccol", "row", "column")}


def invariants_checked(check_invariants):
    """Is a new sparse tensor checked: as its maker says, or as the switch stands?"""
    return switches.sparse_invariants if check_invariants is None else check_invariants


def check_coo(indices, values, size, sizes_too=True):
    """The errors for a COO tensor of these parts. sizes_too: looks at the places, as check_invariants asks."""
    if indices.ndim != 2:
        if sizes_too:
            raise RuntimeError(f"indices must be sparse_dim x nnz, but got: {list(indices.shape)}")
        return
    n, dense = indices.shape[0], values.ndim - 1
    if n + dense != len(size):
        if sizes_too:
            raise RuntimeError(
                f"number of dimensions must be sparse_dim ({n}) + dense_dim ({dense}), but got {len(size)}"
            )
        raise RuntimeError(
            "'len(size) == sparse_dim + dense_dim' is not satisfied: "
            f"len(size) = {len(size)}, sparse_dim = {n}, dense_dim = {dense}"
        )
    if not sizes_too:
        return
    if tuple(values.shape[1:]) != tuple(size[n:]):
        expected = [values.shape[0], *size[n:]]
        raise RuntimeError(f"values has incorrect size, expected {expected}, got {list(values.shape)}")
    if values.shape[0]:
        low, high = indices.amin(1).tolist(), indices.amax(1).tolist()
        for d in range(n):
            if low[d] < 0:
                raise RuntimeError(f"found negative index {low[d]} for dim {d}")
            if high[d] >= size[d]:
                raise RuntimeError(
                    f"size is inconsistent with indices: for dim {d}, size is {size[d]} but found index {high[d]}"
                )


def check_compressed(compressed, plain, values, size, layout):
    """torch's checks of a compressed tensor's parts, in its order."""
    row, col, line = PLAIN_NAMES[layout]
    kinds = [t.dtype for t in (compressed, plain)]
    if compressed.ndim != plain.ndim:
        raise RuntimeError(
            f"{row}_indices and {col}_indices dimensionalities must be equal but got {compressed.ndim} and "
            f"{plain.ndim}, respectively"
        )
    batch = compressed.ndim - 1
    dense = values.ndim - batch - 1
    if dense < 0 or batch + 2 + dense != len(size):
        raise RuntimeError(
            "tensor dimensionality must be sum of batch, base, and dense dimensionalities "
            f"(={batch} + 2 + {dense}) but got {len(size)}"
        )
    lines, length = size[batch : batch + 2] if layout == "sparse_csr" else size[batch : batch + 2][::-1]
    nnz = values.shape[batch]
    if plain.shape[-1] != nnz:
        raise RuntimeError(
            f"{col}_indices.shape[-1] must be equal to nnz (={nnz}) as defined by values.shape[{batch}], but got "
            f"{plain.shape[-1]}"
        )
    if compressed.shape[-1] != lines + 1:
        raise RuntimeError(
            f"{row}_indices.shape[-1] must be equal to the number of {line}s + 1 (={lines + 1}), but got "
            f"{compressed.shape[-1]}"
        )
    if kinds[0] is not kinds[1]:
        one, two = map(SCALAR_NAMES.get, kinds)
        raise RuntimeError(
            f"{row}_indices and {col}_indices must have the same dtype, bot got {one} and {two}, respectively"
        )
    if kinds[0] not in (int32, int64):
        raise RuntimeError(f"{row}_indices and {col}_indices must be an int32 or int64 type, but got {kinds[0]}")
    for starts, places in zip(compressed.reshape(-1, lines + 1).tolist(), plain.reshape(-1, nnz).tolist()):
        _check_lines(starts, places, lines, length, row, col, line)


def _check_lines(starts, places, lines, length, row, col, line):
    """The same of one matrix's places, as lists."""
    axis = "ncols" if row == "crow" else "nrows"
    if starts[0] != 0:
        raise _unsatisfied(f"{row}_indices[..., 0] == 0")
    if starts[-1] != len(places):
        raise _unsatisfied(f"{row}_indices[..., -1] == nnz")
    if any(not 0 <= b - a <= length for a, b in zip(starts, starts[1:])):
        raise _unsatisfied(f"0 <= {row}_indices[..., 1:] - {row}_indices[..., :-1] <= {axis}")
    if any(not 0 <= p < length for p in places):
        raise _unsatisfied(f"0 <= {col}_indices < {axis}")
    count = "nrows" if axis == "ncols" else "ncols"
    for a, b in zip(starts, starts[1:]):
        part = places[a:b]
        if any(p >= q for p, q in zip(part, part[1:])):
            raise _unsatisfied(
                f"{col}_indices[..., {row}_indices[..., i - 1]:{row}_indices[..., i]] for all i = 1, ..., {count} are "
                "sorted and distinct along the last dimension values"
            )


def _unsatisfied(condition):
    return RuntimeError(f"`{condition}` is not satisfied.")


def need_tensor(name, t, argument="input", position=1):
    """TypeError unless t is a tensor."""
    if not isinstance(t, Tensor):
        raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be Tensor, not {type(t).__name__}")


__all__ = ["check_compressed", "check_coo", "invariants_checked", "need_tensor"]
