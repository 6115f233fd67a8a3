"""The ops, one file per family of torch names. Importing this package declares them all."""
from . import bfunc, convert, fills, gfunc, random, reduce, ufunc, view
