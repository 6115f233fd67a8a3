"""The ops, one file per family of torch names. Importing this package declares them all."""
from . import (activation, bfunc, bits, blend, compare, complex, conv, convert, dropout, einsum, fills, gfunc, index, join,
               linear, matmul, norm, order, parts, pool, powers, random, reduce, scan, select, sort, statistics,
               ufunc, view)
