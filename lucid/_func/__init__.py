"""The ops, in eight folders named as torch's documentation groups its functions. Importing this declares them all."""

from .creation import from_python, generator, gfunc, random, random_inplace
from .indexing import embedding, embedding_bag, gather_scatter, getitem, setitem, sort, take_put, unique_search
from .linalg import decomposition, einsum, linear, lu, matmul, pinv, solvers
from .methods import absent, closure_helpers, convert, tensor_methods
from .nn import (
    attention,
    conv,
    ctc_loss,
    distribution_losses,
    dropout,
    interpolate,
    loss,
    margin,
    normalization,
    padding,
    pool,
    pool_extra,
    rnn,
    sequence,
    vision,
    weight_norm,
)
from .pointwise import (
    activation,
    bessel,
    bfunc,
    bits,
    clamp,
    compare,
    complex,
    fill,
    float_parts,
    gamma,
    operands,
    power,
    scalar,
    special,
    ternary,
    ufunc,
    where,
)
from .reduction import norms, reduce, scan, softmax, statistics
from .shape import expand, inplace_shape, join, slice_scatter, slicing, split, transpose, tril_triu, view, view_copies
