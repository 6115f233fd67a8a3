"""What a sparse array is: numpy arrays of places and of values, and a shape.

`Coo` lists each element's place, `Compressed` those of each row (or column). Both are never written to: what changes a
sparse tensor gives it another array. Words on them are in the other files of this folder; here is what they consist of
and how one becomes the other.
"""

import math

import numpy as np

TOKENS: dict = {}  # numpy dtype of the values -> what a sparse array answers to `dtype`


class SparseKind:
    """The `dtype` of sparse arrays whose values have a numpy dtype: equal to none of numpy's, so tables tell them."""

    __slots__ = ("values",)
    kind = "V"

    def __init__(self, values):
        self.values = values

    def __repr__(self):
        return f"<sparse {self.values}>"


def token_of(dtype):
    """The one SparseKind of a numpy dtype."""
    found = TOKENS.get(dtype)
    if found is None:
        found = TOKENS[dtype] = SparseKind(dtype)
    return found


class Absent:
    """An attribute of numpy's arrays that sparse ones do not have: kernels that ask for it are not made for them."""

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, array, cls):
        if array is None:
            return self
        if self.name == "flags":
            kind = "SparseTensorImpl" if array.layout == "sparse_coo" else "SparseCsrTensorImpl"
            raise NotImplementedError(f"Cannot access storage of {kind}")
        raise NotImplementedError(
            f"a {array.layout} tensor has no array with '{self.name}': this is for strided tensors"
        )


class SparseArray:
    """The base of sparse arrays; operators are words of the array's table."""

    __slots__ = ("values", "shape")
    __array_ufunc__ = None  # numpy's arrays leave operators to us
    base = layout = None
    flags, strides, T, astype, reshape = Absent(), Absent(), Absent(), Absent(), Absent()
    transpose, itemsize, take, view, ravel = Absent(), Absent(), Absent(), Absent(), Absent()
    words = None  # function(array) -> its table: table.py puts its own here

    @property
    def dtype(self):
        return token_of(self.values.dtype)

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def size(self):
        return math.prod(self.shape)

    def __add__(self, other):
        return self.words().total(self, other)

    __radd__ = __add__

    def __sub__(self, other):
        return self.words().total(self, -other)

    def __rsub__(self, other):
        return self.words().total(-self, other)

    def __mul__(self, other):
        return self.words().mul(self, other)

    def __rmul__(self, other):
        return self.words().mul(other, self)

    def __truediv__(self, other):
        return self.words().quotient(self, other)

    def __rtruediv__(self, other):
        return self.words().div(other, self)

    def __pow__(self, other):
        return self.words().pow(self, other)

    def __neg__(self):
        return self.words().neg(self)

    def __lt__(self, other):
        return self.words().lt(self, other)

    def __gt__(self, other):
        return self.words().gt(self, other)

    def __le__(self, other):
        return self.words().le(self, other)

    def __ge__(self, other):
        return self.words().ge(self, other)


class Coo(SparseArray):
    """indices (sparse dims, nnz), int64; values (nnz, *dense dims). coalesced: sorted, and none twice."""

    __slots__ = ("indices", "coalesced")
    layout = "sparse_coo"

    def __init__(self, indices, values, shape, coalesced=False):
        self.indices, self.values, self.shape = indices, values, tuple(shape)
        self.coalesced = coalesced

    @property
    def nnz(self):
        return self.values.shape[0]

    @property
    def sparse_dim(self):
        return self.indices.shape[0]

    @property
    def dense_dim(self):
        return self.values.ndim - 1

    def with_values(self, values):
        """Other values at the same places."""
        return Coo(self.indices, values, self.shape, self.coalesced)

    def copied(self):
        return Coo(self.indices.copy(), self.values.copy(), self.shape, self.coalesced)


class Compressed(SparseArray):
    """CSR or CSC: compressed (*batch, n + 1) says where each row's (column's) places begin in plain (*batch, nnz)."""

    __slots__ = ("layout", "compressed", "plain")

    def __init__(self, layout, compressed, plain, values, shape):
        self.layout, self.compressed, self.plain, self.values = layout, compressed, plain, values
        self.shape = tuple(shape)

    sparse_dim = 2

    @property
    def by_rows(self):
        return self.layout == "sparse_csr"

    @property
    def nnz(self):
        return self.plain.shape[-1]

    @property
    def batch(self):
        return self.plain.shape[:-1]

    @property
    def dense_dim(self):
        return self.values.ndim - self.plain.ndim

    def with_values(self, values):
        return Compressed(self.layout, self.compressed, self.plain, values, self.shape)

    def copied(self):
        return Compressed(self.layout, self.compressed.copy(), self.plain.copy(), self.values.copy(), self.shape)


# ---- COO


def listed(indices, values, shape):
    """A COO array of places that nothing is known of: with fewer than two of them it is coalesced."""
    return Coo(indices, values, shape, values.shape[0] < 2)


def flat_places(indices, sizes):
    """The number of each place, row-major over the sparse dimensions."""
    flat = np.zeros(indices.shape[1], np.int64)
    for row, n in zip(indices, sizes):
        flat = flat * n + row
    return flat


def spread_places(flat, sizes):
    """The inverse: indices of numbered places."""
    if not sizes:
        return np.zeros((0, len(flat)), np.int64)
    if 0 in sizes:
        return np.zeros((len(sizes), 0), np.int64)
    return np.stack(np.unravel_index(flat, sizes)).astype(np.int64, copy=False)


def summed_runs(values, starts):
    """The sums of runs of rows of values that begin at starts."""
    if values.dtype.kind == "V":  # types of ml_dtypes, which numpy's reduceat may not know
        return np.add.reduceat(values.astype(np.float32), starts, 0).astype(values.dtype)
    return np.add.reduceat(values, starts, 0, dtype=values.dtype)


def picked(dense, indices):
    """The elements (or slices) of a dense array at COO indices, one for each place."""
    if len(indices):
        return np.asarray(dense[tuple(indices)])
    return np.broadcast_to(dense, (indices.shape[1], *dense.shape)).copy()


def coalesced(x):
    """x with its places sorted and each named once, values of one place added up."""
    if x.coalesced:
        return x
    if x.nnz < 2:
        return Coo(x.indices, x.values, x.shape, True)
    sizes = x.shape[: x.sparse_dim]
    flat = flat_places(x.indices, sizes)
    order = np.argsort(flat, kind="stable")
    flat = flat[order]
    starts = np.flatnonzero(np.concatenate(([True], flat[1:] != flat[:-1])))
    values = x.values[order]
    if len(starts) < len(flat):
        values = summed_runs(values, starts)
    return Coo(np.ascontiguousarray(x.indices[:, order[starts]]), values, x.shape, True)


def dense_of(x):
    """A sparse array as a numpy array."""
    if x.__class__ is Compressed:
        return _dense_of_compressed(x)
    x = coalesced(x)
    out = np.zeros(x.shape, x.values.dtype)
    if x.nnz:
        out[tuple(x.indices) if x.sparse_dim else ...] = x.values if x.sparse_dim else x.values[0]
    return out


def coo_of(dense, sparse_dim=None):
    """A numpy array's elements that are not zero, over its first sparse_dim dimensions (all by default)."""
    n = dense.ndim if sparse_dim is None else sparse_dim
    tail = tuple(range(n, dense.ndim))
    present = dense != 0
    if tail:
        present = present.any(tail)
    where = np.nonzero(present) if n else ()
    count = len(where[0]) if n else int(bool(present))
    indices = np.stack(where).astype(np.int64, copy=False) if n else np.zeros((0, count), np.int64)
    values = dense[where] if n else dense[None][:count]
    return Coo(indices, np.ascontiguousarray(values), dense.shape, True)


# ---- compressed


def expanded_rows(compressed):
    """The row of each element, from where rows begin."""
    return np.repeat(np.arange(len(compressed) - 1, dtype=np.int64), np.diff(compressed))


def matrix_shape(x):
    """(rows, columns) of a compressed array."""
    n = len(x.batch)
    return x.shape[n : n + 2]


def places_of(x):
    """(rows, columns) of an unbatched compressed array's elements, in its order."""
    lines, plain = expanded_rows(x.compressed), x.plain.astype(np.int64, copy=False)
    return (lines, plain) if x.by_rows else (plain, lines)


def members(x):
    """The matrices of a batch, each a compressed array."""
    n = int(math.prod(x.batch))
    compressed, plain = x.compressed.reshape(n, x.compressed.shape[-1]), x.plain.reshape(n, x.nnz)
    values = x.values.reshape(n, *x.values.shape[len(x.batch) :])
    shape = x.shape[len(x.batch) :]
    return [Compressed(x.layout, c, p, v, shape) for c, p, v in zip(compressed, plain, values)]


def batched(parts, batch, shape, layout):
    """Compressed arrays as one batch of them; RuntimeError where they hold different numbers of elements."""
    if len({p.nnz for p in parts}) > 1:
        raise RuntimeError("Expect the same number of specified elements per batch.")
    compressed, plain, values = (np.stack([getattr(p, n) for p in parts]) for n in ("compressed", "plain", "values"))
    return Compressed(
        layout,
        compressed.reshape(*batch, -1),
        plain.reshape(*batch, plain.shape[1]),
        values.reshape(*batch, *values.shape[1:]),
        shape,
    )


def _dense_of_compressed(x):
    if x.batch:
        parts = [_dense_of_compressed(m) for m in members(x)]
        return np.stack(parts).reshape(x.shape) if parts else np.zeros(x.shape, x.values.dtype)
    out = np.zeros(x.shape, x.values.dtype)
    np.add.at(out, places_of(x), x.values)
    return out


def compressed_of(rows, columns, values, shape, layout, index=np.int64):
    """A compressed array of elements in any order, each place once; index: the type of its places."""
    by_rows = layout == "sparse_csr"
    lines, plain = (rows, columns) if by_rows else (columns, rows)
    order = np.lexsort((plain, lines))
    counts = np.bincount(lines, minlength=shape[0 if by_rows else 1]) if len(lines) else 0
    starts = np.zeros(shape[0 if by_rows else 1] + 1, index)
    np.cumsum(counts, out=starts[1:]) if len(lines) else None
    return Compressed(layout, starts, plain[order].astype(index, copy=False), values[order], shape)


def compress(x, layout):
    """A matrix, in whatever layout, as a compressed array."""
    if x.__class__ is Compressed:
        if x.layout == layout:
            return x
        if x.batch:
            return batched([compress(m, layout) for m in members(x)], x.batch, x.shape, layout)
        rows, columns = places_of(x)
        return compressed_of(rows, columns, x.values, x.shape, layout, x.plain.dtype.type)
    x = coalesced(x)
    return compressed_of(x.indices[0], x.indices[1], x.values, x.shape, layout)


def compress_dense(dense, layout, dense_dim=0):
    """A dense array as a compressed one; leading dimensions are batches."""
    lead = dense.ndim - dense_dim - 2
    if not lead:
        return compress(coo_of(dense, 2), layout)
    batch = dense.shape[:lead]
    parts = [compress(coo_of(m, 2), layout) for m in dense.reshape(-1, *dense.shape[lead:])]
    return batched(parts, batch, dense.shape, layout)


def as_coo(x):
    """A sparse array as a COO one; a batch's number becomes sparse dimensions."""
    if x.__class__ is Coo:
        return x
    if x.batch:
        numbers = np.repeat(np.arange(math.prod(x.batch)), x.nnz)
        parts = [np.stack(places_of(m)) for m in members(x)]
        places = np.concatenate(parts, 1) if parts else np.zeros((2, 0), np.int64)
        indices = np.concatenate([spread_places(numbers, x.batch), places])
        values = x.values.reshape(-1, *x.values.shape[len(x.batch) + 1 :])
        return Coo(indices, values, x.shape, x.by_rows)
    indices = np.stack(places_of(x))
    return Coo(indices, x.values, x.shape, True) if x.by_rows else listed(indices, x.values, x.shape)


def scipy_of(x):
    """An unbatched matrix without dense dimensions as one of scipy's, in a type that scipy computes in."""
    from scipy import sparse

    values = x.values
    if values.dtype.kind == "V" or values.dtype == np.float16:
        values = values.astype(np.float32)
    if x.__class__ is Compressed:
        make = sparse.csr_matrix if x.by_rows else sparse.csc_matrix
        return make((values, x.plain, x.compressed), shape=x.shape)
    return sparse.coo_matrix((values, (x.indices[0], x.indices[1])), shape=x.shape).tocsr()


__all__ = [
    "Compressed",
    "Coo",
    "SparseArray",
    "SparseKind",
    "as_coo",
    "batched",
    "coalesced",
    "compress",
    "compress_dense",
    "compressed_of",
    "coo_of",
    "dense_of",
    "expanded_rows",
    "flat_places",
    "listed",
    "matrix_shape",
    "members",
    "picked",
    "places_of",
    "scipy_of",
    "spread_places",
    "summed_runs",
    "token_of",
]
