"""Pointwise words of sparse arrays: functions that keep zero, sums, products, quotients and powers.

Which of them take a list of places as it is and which coalesce it first is torch's choice, to be seen in the result.
"""

import numpy as np

from ..._base.shape import broadcast_pair
from .arrays import (
    Compressed,
    Coo,
    SparseArray,
    coalesced,
    compress,
    compressed_of,
    dense_of,
    flat_places,
    matrix_shape,
    picked,
    places_of,
    summed_runs,
)
from .refusals import LAYOUTS, calling_op, refused

# f(0) == 0, so only the values change; COO is coalesced first.
KEEPING_ZERO = """abs asin asinh atan atanh ceil erf erfinv expm1 floor frac isinf isnan isneginf isposinf log1p relu
    round sgn sign signbit sin sinh sqrt tan tanh trunc""".split()
# the same, for sums of two places that are told apart by the list alone
LINEAR = ["neg", "conj"]
# in torch there are these for COO only
COO_ONLY = ["square", "reciprocal", "rsqrt"]
COMPRESSED_ONLY = ["angle"]


def _keeping(name, coalesces=True, kinds=SparseArray):
    def word(self, x, *options):
        if not isinstance(x, SparseArray):
            return getattr(self.dense, name)(x, *options)
        if not isinstance(x, kinds) or name in ("reciprocal", "rsqrt") and not _is_power():
            raise refused(name, x)
        if coalesces and x.__class__ is Coo:
            x = coalesced(x)
        return x.with_values(np.asarray(getattr(self.dense_of(x), name)(x.values, *options)))

    word.__name__ = name
    return word


def _is_power():
    """Is it pow that asks? The same function under its own name is not zero at zero, and refused."""
    op = calling_op()
    return op is not None and op.name == "pow"


def number_of(x):
    """A 0-dim dense operand or a Python number as a 0-dim array; None for anything else."""
    if isinstance(x, SparseArray):
        return None
    return x if getattr(x, "ndim", 0) == 0 else None


class Elementwise:
    """A part of SparseWords."""

    # ---- sums

    def add(self, a, b):
        one, two = isinstance(a, SparseArray), isinstance(b, SparseArray)
        if not (one or two):
            return self.dense.add(a, b)
        if a.__class__ is Coo and not two:
            raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
        if one and two:
            if a.__class__ is not b.__class__ or a.__class__ is Compressed and a.layout != b.layout:
                raise RuntimeError("memory format option is only supported by strided tensors")
            return self._two_coo(a, b) if a.__class__ is Coo else self._two_compressed(a, b)
        dense, sparse = (b, a) if one else (a, b)
        shape = tuple(getattr(dense, "shape", ()))
        if shape != sparse.shape:
            kind = "dense" if sparse.__class__ is Coo else "op2"
            raise RuntimeError(
                f"add: expected 'self' and 'other' to have same size, but self has size {list(shape)} while other has "
                f"size {list(sparse.shape)} (FYI: {kind}-sparse addition does not currently support broadcasting)"
            )
        return self.total(dense, sparse)

    def total(self, a, b):
        """The sum of gradients, in any mixture of layouts: with a dense one among them it is dense."""
        if isinstance(a, SparseArray) and isinstance(b, SparseArray):
            if a.__class__ is b.__class__ and getattr(a, "layout", None) == getattr(b, "layout", None):
                return self.add(a, b)
            a = dense_of(a)
        if isinstance(a, SparseArray):
            a, b = b, a
        return self.dense.add(a, dense_of(b))

    def sub(self, a, b):
        for x in (a, b):
            if x.__class__ is Compressed:
                raise RuntimeError(f"unsupported tensor layout: {LAYOUTS[x.layout]}")
        return self.add(a, self.neg(b))

    def _two_coo(self, a, b):
        if a.shape != b.shape:
            raise RuntimeError(
                f"add: expected sizes of 'self' and 'other' to match, but {list(a.shape)} != {list(b.shape)}"
            )
        if not b.nnz or not a.nnz:
            return (b if b.nnz else a).copied()
        if a.sparse_dim != b.sparse_dim:
            raise RuntimeError(
                f"add: expected 'self' and 'other' to have same density, but 'self' has {a.sparse_dim} sparse "
                f"dimensions while 'other' has {b.sparse_dim} sparse dimensions"
            )
        if not (a.values.flags.c_contiguous and b.values.flags.c_contiguous):
            indices = np.concatenate([a.indices, b.indices], 1)
            return Coo(indices, np.concatenate([a.values, b.values]), a.shape)
        sizes = a.shape[: a.sparse_dim]
        first, second = flat_places(a.indices, sizes), flat_places(b.indices, sizes)
        mine, theirs, count = merged(first, second, a.coalesced and b.coalesced)
        values = np.zeros((count, *a.values.shape[1:]), a.values.dtype)
        indices = np.empty((a.sparse_dim, count), np.int64)
        indices[:, theirs], indices[:, mine] = b.indices, a.indices
        values[mine] = a.values
        values[theirs] += b.values
        return Coo(indices, values, a.shape, a.coalesced and b.coalesced)

    def _two_compressed(self, a, b):
        if a.shape != b.shape:
            raise RuntimeError(
                f"Expected input tensors to have the same shape, but got tensor `self` with shape {list(a.shape)} and "
                f"tensor `other` with shape {list(b.shape)}"
            )
        need_matrix("add", a)
        sizes = matrix_shape(a)
        flat = np.concatenate([flat_places(np.stack(places_of(x)), sizes) for x in (a, b)])
        values = np.concatenate([a.values, b.values])
        order = np.argsort(flat, kind="stable")
        flat, values = flat[order], values[order]
        starts = np.flatnonzero(np.concatenate(([True], flat[1:] != flat[:-1]))) if len(flat) else []
        if len(flat):
            values, flat = summed_runs(values, starts), flat[starts]
        return self._compressed_like(a, flat, values)

    def _compressed_like(self, x, flat, values):
        rows, columns = np.divmod(flat, x.shape[1]) if x.shape[1] else (flat, flat)
        return compressed_of(rows, columns, values, x.shape, x.layout, x.plain.dtype.type)

    # ---- products

    def mul(self, a, b):
        one, two = isinstance(a, SparseArray), isinstance(b, SparseArray)
        if not (one or two):
            return self.dense.mul(a, b)
        if one and two:
            if a.__class__ is Coo and b.__class__ is Coo:
                return self._intersection(a, b)
            if a.__class__ is Compressed and b.__class__ is Coo:
                b = compress(b, a.layout)
            if a.__class__ is b.__class__ and a.layout == b.layout:
                return self._compressed_product(a, b)
            raise RuntimeError("Expected result Tensor to be of format CSR")
        sparse, dense = (a, b) if one else (b, a)
        number = number_of(dense)
        if number is not None:
            k = self.dense_of(sparse)
            if k.is_half:  # torch makes a tensor of the number first
                number = k.cast(number, k.dtype)
            return sparse.with_values(np.asarray(k.mul(sparse.values, number)))
        return self._times_dense(sparse, dense)

    def _intersection(self, x, y):
        """The places that both have, in the order (and as often) as the one torch runs through has them."""
        n = x.sparse_dim
        if n != y.sparse_dim and x.shape == y.shape and not (x.nnz and y.nnz):
            return Coo(x.indices[:, :0], x.values[:0], x.shape, x.coalesced)
        if x.ndim != y.ndim or n != y.sparse_dim or x.shape[:n] != y.shape[:n]:
            raise RuntimeError(
                "sparse_binary_op_intersection_cpu(): expects sparse inputs with equal dimensionality, number of "
                "sparse dimensions, and shape of sparse dimensions"
            )
        if x.coalesced != y.coalesced:
            looked_up, source = (x, y) if x.coalesced else (y, x)
        else:
            looked_up, source = (x, y) if x.nnz >= y.nnz else (y, x)
        sizes, known = x.shape[:n], coalesced(looked_up)
        have, wanted = flat_places(known.indices, sizes), flat_places(source.indices, sizes)
        at = np.searchsorted(have, wanted)
        found = np.zeros(len(wanted), bool)
        inside = at < len(have)
        found[inside] = have[at[inside]] == wanted[inside]
        mine, theirs = source.values[found], known.values[at[found]]
        values = np.asarray(self.dense_of(x).mul(*((theirs, mine) if looked_up is x else (mine, theirs))))
        shape = (*sizes, *values.shape[1:])
        if not (x.nnz and y.nnz):
            return Coo(source.indices[:, :0], source.values[:0] * looked_up.values[:0], x.shape, True)
        if x.coalesced and y.coalesced:
            return Coo(source.indices[:, found], values, shape, source.coalesced)
        every = np.zeros((source.nnz, *values.shape[1:]), values.dtype)  # torch leaves zeros where there is no match
        every[found] = values
        return Coo(source.indices, every, shape)

    def _times_dense(self, x, dense):
        shape = broadcast_pair(dense.shape, x.shape)
        if x.__class__ is Compressed:
            if shape != x.shape:
                raise RuntimeError("mul(sparse_csr, dense): broadcasting the sparse operand is not supported")
            need_matrix("mul", x)
            factors = np.broadcast_to(dense, shape)[places_of(x)]
            return x.with_values(np.asarray(self.dense_of(x).mul(x.values, factors)))
        if shape != x.shape:
            x = self.broadcast_sparse(x, shape)
        factors = picked(np.broadcast_to(dense, shape), x.indices)
        return x.with_values(np.asarray(self.dense_of(x).mul(x.values, factors)))

    def _compressed_product(self, a, b):
        need_matrix("mul", a)
        if a.shape != b.shape:
            raise RuntimeError("mul(sparse_csr, sparse_csr): both need the same shape")
        sizes = matrix_shape(a)
        first, second = (flat_places(np.stack(places_of(x)), sizes) for x in (a, b))
        places, i, j = np.intersect1d(first, second, return_indices=True)
        return self._compressed_like(a, places, np.asarray(self.dense_of(a).mul(a.values[i], b.values[j])))

    # ---- quotients and powers

    def _divided(name):
        def word(self, a, b):
            if not isinstance(a, SparseArray) and not isinstance(b, SparseArray):
                return getattr(self.dense, name)(a, b)
            for x in (a, b):
                if x.__class__ is Compressed:
                    raise RuntimeError(f"unsupported tensor layout: {LAYOUTS[x.layout]}")
            number = number_of(b)
            if a.__class__ is not Coo or number is None:
                raise RuntimeError(
                    "Sparse division requires a scalar or zero-dim dense tensor divisor (got shape "
                    f"{list(getattr(b, 'shape', ()))} for divisor)"
                )
            x = a if name == "div" else coalesced(a)
            return x.with_values(np.asarray(getattr(self.dense_of(x), name)(x.values, number)))

        word.__name__ = name
        return word

    div, floor_divide, trunc_divide = map(_divided, ("div", "floor_divide", "trunc_divide"))

    def quotient(self, a, b):
        """The quotient in a rule, which may divide what there is by a dense array of the same shape."""
        if not isinstance(a, SparseArray) or isinstance(b, SparseArray) or number_of(b) is not None:
            return self.div(a, b)
        return self._times_dense(a, self.dense.div(self.dense.scalar(1), b))

    def ne(self, a, b):
        """Which elements are not zero, for rules: the op of that name is refused, as in torch."""
        if not isinstance(a, SparseArray):
            return self.dense.ne(a, b)
        if number_of(b) is None or float(b) != 0 or calling_op() is not None:
            raise refused("ne", a)
        return a.with_values(a.values != 0)

    def where(self, condition, a, b):
        """a where a sparse condition holds, for rules; elsewhere b, which is 0."""
        if not isinstance(condition, SparseArray):
            if isinstance(a, SparseArray) or isinstance(b, SparseArray):
                raise refused("where", a if isinstance(a, SparseArray) else b)
            return self.dense.where(condition, a, b)
        if number_of(b) is None or float(b) != 0:
            raise refused("where", condition)
        kind = a.values.dtype if isinstance(a, SparseArray) else a.dtype
        return self.mul(a, condition.with_values(condition.values.astype(kind)))

    def pow(self, a, b):
        if not isinstance(a, SparseArray) and not isinstance(b, SparseArray):
            return self.dense.pow(a, b)
        if number_of(b) is not None and b == 0:
            raise RuntimeError(
                "pow: cannot raise to zeroth power on sparse tensor; it would make the result tensor dense"
            )
        op = calling_op()
        if a.__class__ is not Coo or number_of(b) is None or op is None or len(op.inputs) > 1:
            raise refused("pow", a if isinstance(a, SparseArray) else b)
        x = coalesced(a)
        return x.with_values(np.asarray(self.dense_of(x).pow(x.values, b)))


def need_matrix(name, x):
    """NotImplementedError for a batch of compressed matrices."""
    if x.batch:
        raise NotImplementedError(f"{name} of batches of {x.layout} tensors: lucid takes one matrix at a time")


def merged(first, second, is_sorted):
    """Where the elements of two lists of places go when they are merged by looking at the two heads, equal ones in one
    place: (positions of the first's, of the second's, how many positions)."""
    if len(first) == len(second) and (first == second).all():
        at = np.arange(len(first))
        return at, at, len(first)
    if is_sorted:
        both = np.concatenate([first, second])
        order = np.argsort(both, kind="stable")  # which merges two runs that are sorted
        both, at = both[order], np.empty(len(both), np.int64)
        at[order] = np.cumsum(np.concatenate(([0], both[1:] != both[:-1])))
        return at[: len(first)], at[len(first) :], int(at.max()) + 1
    a, b, i, j, at = first.tolist(), second.tolist(), 0, 0, 0
    mine, theirs = [0] * len(a), [0] * len(b)
    while i < len(a) or j < len(b):
        left = i < len(a) and (j == len(b) or a[i] <= b[j])
        right = j < len(b) and (i == len(a) or b[j] <= a[i])
        if left:
            mine[i] = at
            i += 1
        if right:
            theirs[j] = at
            j += 1
        at += 1
    return np.array(mine, np.int64), np.array(theirs, np.int64), at


for _name in KEEPING_ZERO:
    setattr(Elementwise, _name, _keeping(_name))
for _name in LINEAR:
    setattr(Elementwise, _name, _keeping(_name, coalesces=False))
for _name in COO_ONLY:
    setattr(Elementwise, _name, _keeping(_name, kinds=Coo))

for _name in COMPRESSED_ONLY:
    setattr(Elementwise, _name, _keeping(_name, kinds=Compressed))

__all__ = ["COO_ONLY", "KEEPING_ZERO", "Elementwise", "need_matrix", "number_of"]
