"""Large matrix products on the pool: numpy's own BLAS, called for some rows, columns or matrices by each thread.

    sharer(threads) -> f(a, b, out=None) -> a @ b, or None for what is better left to numpy; None without a core library

One matrix is cut into as many parts as its size says, however many threads there are, even one: OpenBLAS sums in
another order where a matrix has other rows or columns.
"""

import ctypes
import functools
import math

import numpy as np

from .._array.numpy.products import GEMM
from .._array.numpy.threads import blas_functions
from . import build, pool

TEXT = r"""
typedef const void *array_t;
typedef void sgemm_t(int, int, int, long, long, long, float, array_t, long, array_t, long, float, void *, long);
typedef void dgemm_t(int, int, int, long, long, long, double, array_t, long, array_t, long, double, void *, long);
struct product {
  void *gemm; const char *a, *b; char *c; const long *starts; /* of each matrix of a, b and c, in bytes */
  long size, turn_a, turn_b, m, n, k, lda, ldb, ldc, count, parts;
};
static void call(struct product *p, const char *a, const char *b, char *c, long m, long n)
{
  int of_a = p->turn_a ? 112 : 111, of_b = p->turn_b ? 112 : 111; /* CBLAS: row major, turned or not */
  if (p->size == 4) ((sgemm_t *)p->gemm)(101, of_a, of_b, m, n, p->k, 1, a, p->lda, b, p->ldb, 0, c, p->ldc);
  else ((dgemm_t *)p->gemm)(101, of_a, of_b, m, n, p->k, 1, a, p->lda, b, p->ldb, 0, c, p->ldc);
}
static void part(void *context, long i)
{
  struct product *p = context;
  if (p->count > 1) {
    for (long t = p->count * i / p->parts; t < p->count * (i + 1) / p->parts; t++)
      call(p, p->a + p->starts[3 * t], p->b + p->starts[3 * t + 1], p->c + p->starts[3 * t + 2], p->m, p->n);
    return;
  }
  long whole = p->m >= p->n ? p->m : p->n, block = ((whole + p->parts - 1) / p->parts + 15) / 16 * 16;
  long from = i * block, left = whole - from < block ? whole - from : block;
  if (left <= 0) return;
  from *= p->size;
  if (p->m >= p->n) call(p, p->a + from * (p->turn_a ? 1 : p->lda), p->b, p->c + from * p->ldc, left, p->n);
  else call(p, p->a, p->b + from * (p->turn_b ? p->ldb : 1), p->c + from, p->m, left);
}
__attribute__((visibility("default"))) void lucid_product(struct product *p) { lucid_parallel(part, p, p->parts); }
"""


class _Product(ctypes.Structure):
    """`struct product`."""

    _fields_ = [
        *[(name, ctypes.c_void_p) for name in "gemm a b c starts".split()],
        *[(name, ctypes.c_long) for name in "size turn_a turn_b m n k lda ldb ldc count parts".split()],
    ]


@functools.lru_cache(None)
def _library():
    address = pool.address()
    if not address:
        return None
    try:
        library = build.load(pool.DECLARATIONS + TEXT)
    except build.CompileError as error:
        build.report(error)
        return None
    library.lucid_use_pool.argtypes = library.lucid_product.argtypes = [ctypes.c_void_p]
    library.lucid_use_pool(address)
    return library


@functools.lru_cache(None)
def _gemm(kind):
    return ctypes.cast(next(blas_functions(GEMM[kind])), ctypes.c_void_p).value


def sharer(threads):
    """f(a, b, out=None) for so many threads."""
    library = _library()
    if library is None:
        return None
    run = library.lucid_product

    def product(a, b, out=None):
        layout = _layout(a, b, out)
        if layout is None:
            return None
        shape, kind, numbers, offsets = layout
        out = np.empty(shape, a.dtype) if out is None else out
        starts = None if offsets is None else _starts(offsets, out)
        count = 1 if starts is None else len(starts)
        parts = threads if count > 1 else min(max(2, a.size * shape[-1] >> 28), 16)
        given = _Product(
            _gemm(kind),
            *map(_address, (a, b, out)),
            None if starts is None else _address(starts),
            *numbers,
            count,
            parts,
        )
        run(ctypes.byref(given))
        return out

    return product


def _address(array):
    return array.__array_interface__["data"][0]


def _layout(a, b, out):
    """(shape, kind, [size, turn_a, turn_b, m, n, k, lda, ldb, ldc], (batch shape, strides of a and b in it) or None);
    None for what is left to numpy."""
    kind = a.dtype.char
    if a.ndim < 2 or b.ndim < 2 or kind not in GEMM or b.dtype.char != kind:
        return None
    m, k, n = *a.shape[-2:], b.shape[-1]
    size, left, right = a.itemsize, _turned(a), _turned(b)
    if min(m, n, k) < 2 or b.shape[-2] != k or left is None or right is None:
        return None
    if a.strides[-1] == b.strides[-2] and a.strides[-2] == b.strides[-1] and _address(a) == _address(b):
        return None  # a matrix times itself turned: half of it is computed
    offsets, shape = None, (m, n)
    if a.ndim > 2 or b.ndim > 2:
        try:
            batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        except ValueError:
            return None
        offsets, shape = (batch, _stretched(a, batch), _stretched(b, batch)), (*batch, m, n)
        if math.prod(batch) < 2:
            return None
    if out is not None and (out.shape != shape or not out.flags.c_contiguous or out.dtype.char != kind):
        return None
    return shape, kind, [size, left[0], right[0], m, n, k, left[1], right[1], n], offsets


def _turned(x):
    """(is a matrix column by column, the elements from one row or column to the next), None for other layouts."""
    rows, columns = x.strides[-2], x.strides[-1]
    size = x.itemsize
    if columns == size and rows % size == 0 and rows >= size * x.shape[-1]:
        return 0, rows // size
    if rows == size and columns % size == 0 and columns >= size * x.shape[-2]:
        return 1, columns // size
    return None


def _stretched(x, batch):
    own = x.shape[:-2]
    return (0,) * (len(batch) - len(own)) + tuple([0 if n == 1 else s for n, s in zip(own, x.strides)])


def _starts(offsets, out):
    """Where each matrix of a, b and out starts, in bytes."""
    batch, of_a, of_b = offsets
    places = np.indices(batch, np.int64).reshape(len(batch), -1)
    return np.ascontiguousarray(np.stack([np.array(s, np.int64) @ places for s in (of_a, of_b, out.strides[:-2])], 1))
