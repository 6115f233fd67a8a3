"""The ops, one file per family of torch names. Importing this package declares them all."""
from . import (activation, bfunc, bits, blend, compare, complex, conv, convert, distance, dropout, einsum, fills,
               gfunc, index, join, linear, loss, matmul, norm, order, parts, pool, powers, queries, random, reduce,
               scan, select, sort, special, statistics, ufunc, view)
