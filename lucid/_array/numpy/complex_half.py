"""complex32, pairs of float16: what torch computes of it on the CPU; each of its other kernels says that it does not.

The words that compute do so in complex64 and round once; those that move elements move pairs.
"""

import numpy as np

from ..._base.dtype import complex32, complex64
from .few_words import keep_few, named
from .table import CLASSES, PAIR, TABLES, HalfWords, NumpyWords, add_table, apart, paired

# Words that leave the elements as they are and need nothing of their type.
_MOVES = set(
    """reshape permute expand slice select squeeze unsqueeze diagonal unfold as_strided view_dtype view_as_real
    view_as_complex cat stack copy contiguous repeat cast asarray scalar zeros ones full index_select flip""".split()
)
# Words that torch's kernels have for complex32 (measured with its op_db).
_COMPUTED = set(
    """neg abs conj isnan isinf isfinite eq ne where sgn add sub mul addcmul roll tril triu pad index index_put
    masked_fill nonzero index_add index_backward select_backward slice_backward diagonal_backward unfold_backward
    as_strided_backward select_scatter slice_scatter diagonal_scatter as_strided_scatter all any count_nonzero
    vector_norm var_dim std_dim var_mean_dim std_mean_dim""".split()
)
# Ops of several words that it has.
_OPS = frozenset(
    """add addcmul sub all any blocks cat count_nonzero dist_of constant_pad_nd convolution minus_number plus_number
    times_number rsub_scalar rsub_tensor std_dim std_mean_dim var_dim var_mean_dim where_op
    clamp_scalar clamp_min_scalar clamp_max_scalar clamp_tensor sort_plain sort_stable""".split()
)
# Words and ops where torch does not come to the kernel that it lacks if an operand is empty.
_EMPTY = frozenset("""matmul gather scatter scatter_add mm bmm mv addmm pixel_shuffle pixel_unshuffle""".split())
# What torch calls the kernels that it lacks, where that is not `<word or op>_cpu`.
_NAMES = named(
    """
    exp_vml_cpu: logsumexp
    *_vml_cpu: acos asin atan cos exp expm1 log log1p log10 log2 sin sqrt tan tanh
    *: exp2 dot vdot bmm baddbmm trace eye
    pow: pow square pow_scalar pow_tensor pow_base ldexp
    sum_cpu: mean
    prod_out_cpu: prod
    *_out_cpu: cumsum cumprod logcumsumexp im2col
    addmm_impl_cpu_: matmul mm addmm addbmm
    addmv_impl_cpu: mv addmv
    addcdiv_cpu_out: addcdiv
    cross: linalg_cross
    div_cpu: over_number div_rounding
    lerp_kernel_scalar: lerp lerp_scalar
    lerp_kernel_tensor: lerp_tensor
    softmax_lastdim_kernel_impl: softmax_op
    log_softmax_lastdim_kernel_impl: log_softmax_op
    scatter_gather_tensor_cpu: gather scatter scatter_add scatter_reduce
    unique: _unique2 _unique_dim _unique_consecutive
    channel_shuffle: native_channel_shuffle
    lu_cpu: lu_factors solution determinant sign_logdet
    linalg_svd_cpu: svd_factors
    linalg_eigh_cpu: eigh_pairs
    linalg_eig_out_cpu: eig_pairs
    geqrf_cpu: qr_factors qr_raw
    orgqr_cpu: reflectors
    cholesky_cpu: cholesky_factor cholesky_op
    triangular_solve_cpu: triangular_solution
    ldl_factor_kernel_cpu: ldl_factors
    ldl_solve_kernel_cpu: ldl_solution
    pixel_shuffle: pixel_shuffle
    pixel_unshuffle: pixel_unshuffle
    reflection_pad1d: reflection_pad1d
    reflection_pad2d: reflection_pad2d
    reflection_pad3d: reflection_pad3d
    replication_pad1d: replication_pad1d
    replication_pad2d: replication_pad2d
    replication_pad3d: replication_pad3d
    """
)


class ComplexHalfWords(HalfWords):
    """complex32: pairs of float16."""

    backend = "numpy-pairs"  # kernels that ops have for numpy do not know pairs
    has_steps = False
    wide_type, only_ops, empty_ops, kernel_names = complex64, _OPS, _EMPTY, _NAMES

    def __init__(self, dtype, kind):
        NumpyWords.__init__(self, dtype, kind)
        self.is_half = True

    def from_python(self, data):
        data = np.asarray(data)
        return data.copy() if data.dtype == PAIR else paired(np.array(data, np.complex64))

    def write(self, x, value):
        if value.__class__ is np.ndarray and value.dtype != x.dtype and x.dtype == PAIR:
            value = paired(apart(value) if value.dtype.names else value)
        NumpyWords.write(self, x, value)

    def wide_scalar(self, value):
        return TABLES[np.dtype(np.complex64)].scalar(value)

    def widen(self, value):
        if isinstance(value, (np.ndarray, np.void)):
            return apart(np.asarray(value)) if value.dtype == PAIR else value
        return value if isinstance(value, np.generic) else HalfWords.widen(self, value)

    def narrow(self, value):
        if isinstance(value, (np.ndarray, np.generic)):
            if value.dtype == np.complex64:
                return paired(np.asarray(value))
            return value.astype(np.float16) if value.dtype == np.float32 else value
        return tuple([self.narrow(v) for v in value]) if isinstance(value, tuple) else value

    def ones(self, shape):
        return self.full(shape, 1)

    def real(self, x):
        return x["real"]

    def imag(self, x):
        return x["imag"]

    def pad(self, x, widths, value=0):
        return self.narrow(TABLES[np.dtype(np.complex64)].pad(apart(x), widths, value))


keep_few(ComplexHalfWords, complex32, _COMPUTED, _MOVES)
CLASSES[complex32] = ComplexHalfWords
add_table(complex32, PAIR)


def added(a, b):
    """a + b, where they may be arrays of pairs, which numpy does not add."""
    try:
        return a + b
    except TypeError:
        if getattr(a, "dtype", None) != PAIR:
            raise
    return TABLES[PAIR].add(a, b)
