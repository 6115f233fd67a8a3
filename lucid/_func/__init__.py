"""The ops, in ten folders named as torch's documentation groups its functions. Importing this declares them all."""

from .._backend.registry import complete_methods
from .creation import factory, from_data, from_python, generator, gfunc, legacy_constructor, random, random_inplace
from .indexing import (
    embedding,
    embedding_bag,
    gather_scatter,
    getitem,
    index_add,
    setitem,
    sort,
    take_put,
    unique_search,
)
from .linalg import (
    decomposition,
    det_trace,
    einsum,
    grouped,
    ldl,
    linear,
    lobpcg,
    low_rank,
    lu,
    matmul,
    ormqr,
    pinv,
    products,
    scaled,
    solvers,
    tensordot,
)
from .methods import absent, closure_helpers, convert, legacy_types, tensor_methods
from .nn import (
    adaptive_pool,
    attention,
    channels_last,
    conv,
    ctc_loss,
    distribution_losses,
    dropout,
    fold,
    fractional_pool,
    interpolate,
    linear_cross_entropy,
    loss,
    lp_pool,
    margin,
    max_unpool,
    native_dropout,
    normalization,
    padding,
    placed_maxima,
    pool,
    resampling,
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
    foreach,
    gamma,
    glu,
    operands,
    power,
    scalar,
    special,
    ternary,
    ufunc,
    where,
)
from .pointwise.operands import in_place_operators
from .reduction import hashing, histogram, norms, reduce, scan, segments, softmax, statistics
from .shape import (
    diag,
    expand,
    flip,
    inplace_shape,
    join,
    meshgrid,
    repeat,
    slice_scatter,
    slicing,
    split,
    transpose,
    tril_triu,
    view,
    view_copies,
)
from .sparse import checks, construct, converting, copies, invariants, layouts, reductions
from .sparse import products as sparse_products
from .spectral import fft, stft, windows

complete_methods()
in_place_operators()
