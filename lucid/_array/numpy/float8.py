"""The 8-bit floats: what torch computes of them on the CPU; each of its other kernels says that it does not."""

import numpy as np

from ..._base import dtype as dtypes
from ..words import NotDefined
from .few_words import keep_few, named
from .table import CLASSES, HalfWords, computed, converted

# Words that leave the elements as they are and need nothing of their type.
_MOVES = set(
    """reshape permute expand slice select squeeze unsqueeze diagonal unfold as_strided view_dtype cat stack copy
    contiguous repeat cast asarray scalar zeros ones full eye index_select roll pad index complex conj real
    select_backward slice_backward diagonal_backward select_scatter slice_scatter diagonal_scatter
    as_strided_scatter""".split()
)
# Words that torch's kernels have for them (measured with its op_db).
_COMPUTED = set(
    """abs isnan eq ne where index_put all any index_backward unfold_backward as_strided_backward matmul""".split()
)
# Ops of several words.
_OPS = frozenset("addmm addbmm mm all any blocks cat constant_pad_nd where_op".split())
# What torch calls the kernels that it lacks, where that is not `<word or op>_cpu`.
_NAMES = named(
    """
    *_vml_cpu: acos asin atan ceil cos exp expm1 floor i0 log log1p log10 log2 round sin sqrt tan tanh trunc erf erfc
    *_vml_cpu: erfinv lgamma
    round_vml_cpu: round_whole round_decimals
    add_stub: add sub plus_number minus_number rsub_scalar rsub_tensor
    *_cpu_reduced_float: mul sigmoid
    mul_cpu_reduced_float: times_number deg2rad rad2deg
    div_cpu_reduced_float: over_number
    div_floor_cpu_reduced_float: div_rounding floor_divide floor_divide_tensor floor_divide_scalar
    remainder_cpu: remainder_scalar remainder_tensor
    fmod_cpu: fmod_scalar fmod_tensor
    minimum_cpu: clamp_max_tensor
    maximum_cpu: clamp_min_tensor
    clamp_min_scalar_cpu: clamp_min_scalar relu
    clamp_max_scalar_cpu: clamp_max_scalar
    clamp_scalar_cpu: clamp_scalar hardtanh
    clamp_cpu: clamp_tensor
    *_cpu_out: addcmul addcdiv
    *: baddbmm dot bmm exp2 nan_to_num isfinite isinf digamma trace tril triu masked_fill masked_scatter cross pow
    *: pixel_shuffle pixel_unshuffle batch_norm rms_norm reflection_pad1d reflection_pad2d reflection_pad3d
    *: replication_pad1d replication_pad2d replication_pad3d binary_cross_entropy
    binary_cross_entropy: binary_cross_entropy_op
    addmv_impl_cpu: mv addmv
    dot: vdot
    cross: linalg_cross
    pow: square pow_scalar pow_tensor pow_base ldexp
    sum_cpu: sum mean
    std_cpu: var_dim std_dim var_mean_dim std_mean_dim
    *_out_cpu: cumsum cumprod prod im2col logcumsumexp
    isin_default_cpu: isin isin_of
    max_all: max_whole
    min_all: min_whole
    max_cpu: max_dim
    min_cpu: min_dim
    max_values_cpu: amax logsumexp
    min_values_cpu: amin
    aminmax_cpu: aminmax_of
    median_cpu: median_whole nanmedian_whole
    median_out: median_along nanmedian_along
    softmax_lastdim_kernel_impl: softmax_op
    log_softmax_lastdim_kernel_impl: log_softmax_op
    norm_cpu: vector_norm norm_along
    adaptive_avg_pool2d: _adaptive_avg_pool2d
    adaptive_avg_pool3d_cpu: _adaptive_avg_pool3d
    adaptive_max_pool2d: adaptive_max_pool2d_op
    adaptive_max_pool3d_cpu: adaptive_max_pool3d_op
    avg_pool2d: avg_pool2d_op
    avg_pool3d_out_frame: avg_pool3d_op
    max_pool2d: max_pool2d_with_indices max_pool2d_values max_pool2d_placed
    max_pool3d: max_pool3d_with_indices max_pool3d_values max_pool3d_placed
    max_unpool2d: max_unpool2d_op
    max_unpool3d: max_unpool3d_op
    log_sigmoid_cpu: logsigmoid bce_with_logits_op
    multi_margin_loss_cpu_kernel: multi_margin_loss_op
    multilabel_margin_loss_forward_out_frame: multilabel_margin_loss_op
    elu_cpu: elu celu
    softshrink_check: softshrink
    GeluKernelImpl: gelu
    sign_cpu: sign sgn
    lerp_kernel_scalar: lerp lerp_scalar
    lerp_kernel_tensor: lerp_tensor
    scatter_gather_tensor_cpu: gather scatter scatter_add
    scatter_reduce_exclude_input_init: scatter_reduce
    index_add_: index_add
    sorting_kernel_method_name: sort sort_plain sort_stable
    unique: _unique2 _unique_dim _unique_consecutive unique unique_runs
    searchsorted_out_cpu: searchsorted
    nonzero_count_cpu: nonzero count_nonzero
    smooth_l1_cpu: smooth_l1_loss_op
    mse_cpu: mse_loss_op
    huber_cpu: huber_loss_op
    channel_shuffle: native_channel_shuffle
    prelu_cpu: prelu_kernel
    ctc_loss_cpu: ctc_losses
    _segment_reduce_cpu: segment_reduction
    GroupNormKernelImpl: normalize_groups
    LayerNormKernelImpl: normalize_rows
    batch_norm: normalize_channels
    triangular_solve_cpu: triangular_solution
    neg_cpu: soft_margin_loss_op
    linspace_cpu: histc
    nll_loss_out_frame: nll
    compute_indices_weights_nearest: upsample_nearest1d upsample_nearest2d upsample_nearest3d
    compute_indices_weights_nearest: _upsample_nearest_exact1d _upsample_nearest_exact2d _upsample_nearest_exact3d
    compute_indices_weights_linear: upsample_linear1d upsample_bilinear2d upsample_trilinear3d
    compute_indices_weights_cubic: upsample_bicubic2d
    grid_sampler_2d_cpu_kernel_impl: grid_sampler_2d
    grid_sampler3d_cpu: grid_sampler_3d
    heaviside_cpu: heaviside
    copysign_cpu: copysign_scalar copysign_tensor
    nll_loss_out_frame: nll_loss_op
    """
)


class Float8Words(HalfWords):
    """8-bit floats: conversions, moves, comparison for equality, abs, and products of matrices."""

    only_ops, empty_ops, kernel_names = _OPS, frozenset(), _NAMES

    def narrow(self, value):
        if isinstance(value, (np.ndarray, np.generic)):
            return converted(np.asarray(value), self.array_dtype) if value.dtype == np.float32 else value
        return HalfWords.narrow(self, value)

    def mul(self, a, b, out=None):
        """The product of two tensors; torch has none with a second operand of one element."""
        if b.size == 1:
            raise NotDefined("mul_cpu_reduced_float", self.dtype)
        got = _mul(self, a, b)
        if out is not None:
            out[...] = got
        return got if out is None else out

    def isfinite(self, x):
        """Only float8_e5m2 has infinities that torch looks for."""
        if self.dtype is not dtypes.float8_e5m2:
            raise NotDefined("isfinite", self.dtype)
        return np.isfinite(x.astype(np.float32))

    def isinf(self, x):
        if self.dtype is not dtypes.float8_e5m2:
            raise NotDefined("isinf", self.dtype)
        return np.isinf(x.astype(np.float32))


_mul = computed("mul")
keep_few(Float8Words, dtypes.float8_e5m2, _COMPUTED, _MOVES)
CLASSES |= dict.fromkeys([d for d in dtypes.DTYPES.values() if d.itemsize == 1 and d.is_floating_point], Float8Words)
