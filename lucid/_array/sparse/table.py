"""The table of sparse arrays: one for each element type, on the CPU. An array knows whether it is COO or compressed.

Its words take dense arrays too, and hand those to numpy's table: a sum or a product may have operands of both kinds,
and a gradient rule meets both. What torch has no kernel for is an error that names the op.
"""

import sys

import numpy as np

from ..._base import dtype as dtypes
from ..._base.device import cpu
from ..numpy.table import KINDS
from ..numpy.table import TABLES as DENSE
from ..table import Table
from .arrays import (
    Compressed,
    Coo,
    SparseArray,
    as_coo,
    coalesced,
    compress,
    compress_dense,
    coo_of,
    dense_of,
    flat_places,
    listed,
    picked,
    token_of,
)
from .elementwise import KEEPING_ZERO, Elementwise, number_of
from .products import Products
from .reduce import Reduce
from .refusals import LAYOUTS, TITLES, first_sparse, no_storage, refused
from .shape import Shape


class SparseWords(Elementwise, Products, Reduce, Shape, Table):
    """The words of one element type."""

    backend = device_group = "sparse"
    array_type = SparseArray
    is_sparse = True

    def __init__(self, dtype):
        self.dense = dense = DENSE[KINDS[dtype]]
        self.dtype, self.array_dtype, self.device = dtype, token_of(KINDS[dtype]), cpu
        for name in "inexact is_complex is_half low high wide_low wide_high".split():
            setattr(self, name, getattr(dense, name))
        self.bool = self

    def __repr__(self):
        return f"<sparse table of {self.dtype.name}>"

    def __reduce__(self):
        return table, (self.dtype,)

    def __getattr__(self, word):
        """A word that is not written here: numpy's for dense arrays, refused for sparse ones."""
        if word.startswith("__"):
            raise AttributeError(word)
        own = getattr(self.dense, word)
        if not callable(own):
            return own

        def said(*args):
            x = first_sparse(args)
            if x is not None:
                raise refused(word, x)
            return own(*args)

        return said

    # ---- tables and arrays

    def sibling(self, dtype):
        return table(dtype)

    def of(self, array):
        if isinstance(array, SparseArray):
            return self if array.dtype is self.array_dtype else TABLES[array.dtype]
        return self.dense.of(array)

    @staticmethod
    def dense_of(x):
        """numpy's table for the values of a sparse array."""
        return DENSE[x.values.dtype]

    @staticmethod
    def layout_of(array):
        return array.layout if isinstance(array, SparseArray) else "strided"

    def asarray(self, value):
        return value if isinstance(value, SparseArray) else self.dense.asarray(value)

    def cast(self, x, dtype):
        if not isinstance(x, SparseArray):
            return self.dense.cast(x, dtype)
        values = self.dense_of(x).cast(x.values, dtype)
        return x if values is x.values else x.with_values(values)

    def copy(self, x):
        return x.copied() if isinstance(x, SparseArray) else self.dense.copy(x)

    def contiguous(self, x):
        if not isinstance(x, SparseArray):
            return self.dense.contiguous(x)
        raise RuntimeError("unsupported memory format option Contiguous")

    def with_strides(self, x, stride):
        return self.dense.with_strides(x, stride) if not isinstance(x, SparseArray) else self.contiguous(x)

    def import_from(self, array, k):
        return k.to_numpy(array)

    def to_numpy(self, x):
        if not isinstance(x, SparseArray):
            return x
        if x.size == 1:
            return dense_of(x)
        asked = sys._getframe(1).f_code.co_name
        if asked == "item":
            raise RuntimeError(f"a Tensor with {x.size} elements cannot be converted to Scalar")
        if asked == "tolist":
            raise no_storage(x)
        raise TypeError(f"can't convert {LAYOUTS[x.layout]} layout tensor to numpy. Use Tensor.to_dense() first.")

    def real(self, x):
        if not isinstance(x, SparseArray) or not np.iscomplexobj(x.values):
            return x if isinstance(x, SparseArray) else self.dense.real(x)
        return x.with_values(np.ascontiguousarray(x.values.real))

    def view_as_real(self, x):
        if not isinstance(x, SparseArray):
            return self.dense.view_as_real(x)
        return Coo(x.indices, self.dense_of(x).view_as_real(x.values), (*x.shape, 2), x.coalesced)

    def view_as_complex(self, x):
        if not isinstance(x, SparseArray):
            return self.dense.view_as_complex(x)
        return Coo(x.indices, self.dense_of(x).view_as_complex(x.values), x.shape[:-1], x.coalesced)

    # ---- places

    def values_at(self, x, indices):
        """What x holds at COO indices, zero where it names none."""
        if not isinstance(x, SparseArray):
            return picked(x, indices)
        mask = Coo(indices, np.zeros((indices.shape[1], *x.shape[len(indices) :]), x.values.dtype), x.shape)
        return self.sparse_mask(x, mask).values

    @staticmethod
    def in_order(x):
        """Are a COO array's places sorted, none of them twice?"""
        flat = flat_places(x.indices, x.shape[: x.sparse_dim])
        return bool((flat[1:] > flat[:-1]).all())

    # ---- halves: dense operands are widened and narrowed by their own table

    def wide_scalar(self, value):
        return self.dense.wide_scalar(value)

    def widen(self, value):
        return self.dense.widen(value) if first_sparse((value,)) is None else Table.widen(self, value)

    def narrow(self, value):
        return self.dense.narrow(value) if first_sparse((value,)) is None else Table.narrow(self, value)

    # ---- in-place forms

    @staticmethod
    def replaces(name, x):
        """Does torch give a COO tensor new places and values in this in-place form, so that what shares the old ones
        (`detach`) keeps them? Others write into the values."""
        return x.__class__ is Coo and name in ("mul", "add", "sub", "zero", "copy")

    @staticmethod
    def check_inplace(name, x):
        """torch's error for the in-place form of a function that first adds up what is at one place."""
        if x.__class__ is Coo and not x.coalesced and name in KEEPING_ZERO:
            raise RuntimeError(f"{name}_ requires coalesced input")

    def to_store(self, name, operands, d, x):
        """What a write of the result d into a tensor that holds x leaves there."""
        d = self.in_layout_of(d, x)
        if name == "mul" and d.__class__ is Coo:  # torch takes the list of places for a new one
            known = d.coalesced and number_of(operands[-1]) is None
            return d if known else listed(d.indices, d.values, d.shape)
        return d

    # ---- layouts

    def to_dense(self, x):
        """Any array as a dense one."""
        return dense_of(x) if isinstance(x, SparseArray) else x

    def coalesce(self, x):
        return coalesced(x) if x.__class__ is Coo else x

    def to_layout(self, x, layout, sparse_dim=None, dense_dim=0):
        """Any array in another layout."""
        if layout == "strided":
            return self.to_dense(x)
        if layout == "sparse_coo":
            if not isinstance(x, SparseArray):
                return coo_of(x, sparse_dim)
            return x if x.__class__ is Coo else as_coo(x)
        return compress(x, layout) if isinstance(x, SparseArray) else compress_dense(x, layout, dense_dim or 0)

    def of_values(self, name, x, f):
        """f of a COO array's values, added up first; f(0) is 0."""
        if x.__class__ is not Coo:
            raise refused(name, x)
        x = coalesced(x)
        return x.with_values(np.asarray(f(x.values)))

    # ---- what rules say: the ops of the same names answer it for Tensors

    def sparse_like(self, g, x):
        """The gradient g at the places of the sparse array x."""
        return self.sparse_mask(g, self.coalesce(x)) if isinstance(x, SparseArray) else self.to_dense(g)

    def in_layout_of(self, g, x):
        """The elements of g in x's layout."""
        dims = x.dense_dim if isinstance(x, SparseArray) else 0
        return self.to_layout(g, self.layout_of(x), len(x.shape) - dims, dims)

    @staticmethod
    def placed_like(values, x):
        return x.with_values(values)

    def masked_form(self, x, mask):
        return self.coalesce(self.sparse_mask(x, mask))

    def values_of(self, x):
        return self.coalesce(x).values

    def sampled_product(self, a, b, like):
        return self.product_at(a, b, like)

    @staticmethod
    def sparse_coo(values, indices, shape):
        return listed(indices, values, shape)

    @staticmethod
    def sparse_compressed(values, compressed, plain, shape, layout):
        return Compressed(layout, compressed, plain, values, shape)

    def compressed_values(self, x, compressed, plain, shape, layout):
        mask = Compressed(layout, compressed, plain, self.dense.zeros(plain.shape), shape)
        return self.sparse_mask(x, mask).values

    def sparse_sum_op(self, x, dims):
        return self.sum_over(x, dims)

    def empty_of(self, shape, layout="sparse_coo", sparse_dim=None, index=np.int64):
        """An array of this shape in which no place is named; index: the type of compressed places."""
        shape, kind = tuple(shape), self.dense.array_dtype
        if layout == "sparse_coo":
            n = len(shape) if sparse_dim is None else sparse_dim
            return Coo(np.zeros((n, 0), np.int64), np.zeros((0, *shape[n:]), kind), shape, True)
        lines = shape[-2 if layout == "sparse_csr" else -1]
        batch = shape[:-2]
        starts = np.zeros((*batch, lines + 1), index)
        return Compressed(layout, starts, np.zeros((*batch, 0), index), np.zeros((*batch, 0), kind), shape)

    def resized(self, x, shape, sparse_dim=None):
        """A COO array in another size: the same places, dense parts with zeros behind them."""
        if not x.nnz:
            return self.empty_of(shape, "sparse_coo", sparse_dim)
        wide = np.zeros((x.nnz, *shape[x.sparse_dim :]), x.values.dtype)
        wide[tuple([slice(n) for n in x.values.shape])] = x.values
        return Coo(x.indices, wide, shape, x.coalesced)

    def filled(self, x, value):
        """The places of a compressed array with one value in all of them."""
        if x.__class__ is not Compressed:
            raise refused("fill_.Scalar", x)
        return x.with_values(self.dense.full(x.values.shape, value))

    def zeros_like(self, x):
        """Nothing, in x's shape and layout."""
        if not isinstance(x, SparseArray):
            return self.dense.zeros(x.shape)
        k = self.of(x)
        if x.__class__ is Coo:
            return k.empty_of(x.shape, "sparse_coo", x.sparse_dim)
        return k.empty_of(x.shape, x.layout, index=x.plain.dtype)

    def taken_over(self, x):
        """A gradient that nobody else holds, as a leaf keeps it: torch then forgets that it was coalesced."""
        if x.__class__ is not Coo:
            return x
        if not x.values.flags.c_contiguous:
            return x.copied()
        return listed(x.indices, x.values, x.shape)

    def rows_of(self, g, rows, shape):
        """The gradient of rows picked out of a matrix of that shape, g of all of them, as a COO array."""
        rows = rows.reshape(1, -1).astype(np.int64)
        return listed(rows, np.ascontiguousarray(g).reshape(rows.shape[1], *shape[1:]), shape)

    # ---- memory, of which there is none

    def strides(self, x):
        if not isinstance(x, SparseArray):
            return self.dense.strides(x)
        if x.__class__ is Coo:
            return (0,) * x.ndim
        raise RuntimeError(f"{TITLES[x.layout]} tensors do not have strides")

    def storage_offset(self, x, home=None):
        return 0

    def storage_bytes(self, x):
        kind = "SparseTensorImpl" if x.__class__ is Coo else "SparseCsrTensorImpl"
        raise NotImplementedError(f"Cannot access storage of {kind}")

    def nbytes(self, x):
        raise RuntimeError(
            "nbytes is not defined for sparse tensors.  If you want the size of the constituent tensors, add the "
            "nbytes of the indices and values.  If you want the size of the  equivalent dense tensor, multiply numel() "
            "by element_size()"
        )

    def data_ptr(self, x):
        raise no_storage(x)

    def empty_like(self, x):
        return self.zeros_like(x)

    def write_view(self, base, chain, value):
        return value


# ---- the tables


class _Tables(dict):
    def __missing__(self, token):
        return table(DENSE[token.values].dtype)


TABLES = _Tables()  # what a sparse array answers to `dtype` -> its table


def table(dtype):
    """The table of an element type. numpy's table of it then knows sparse arrays, too."""
    if dtype is dtypes.complex32:
        raise NotImplementedError("lucid has no sparse tensors of complex32: use complex64")
    token = token_of(KINDS[dtype])
    found = dict.get(TABLES, token)
    if found is None:
        found = TABLES[token] = DENSE[token] = SparseWords(dtype)
        found.bool = found if dtype is dtypes.bool_ else table(dtypes.bool_)
    return found


SparseArray.words = lambda array: TABLES[array.dtype]

__all__ = ["SparseWords", "table"]
