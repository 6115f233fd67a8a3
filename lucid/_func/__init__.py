"""The ops, one file per family of torch names. Importing this package declares them all."""
from . import (absent, activation, adaptive, alignment, assign, attention, bfunc, bits, blend, compare, complex, conv,
               convert, copies, decomposition, distance, dropout, einsum, embedding, embedding_bag, fills, gfunc,
               index, interpolate, join, likelihood, linear, loss, lu, margin, matmul, norm, order, overlay, padding,
               parts, pick, pool, powers, pseudo_inverse, queries, random, reduce, reshaped, rnn, scalars, scan,
               scatter, select, sequence, softmax, solvers, sort, special, split, statistics, ufunc, view, vision,
               weight_norm)
