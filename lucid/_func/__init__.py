"""The ops, one file per family of torch names. Importing this package declares them all."""
from . import (activation, bfunc, compare, conv, convert, dropout, fills, gfunc, index, join, linear, matmul, parts,
               pool, random, reduce, scan, select, sort, ufunc, view)
