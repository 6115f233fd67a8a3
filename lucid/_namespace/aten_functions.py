"""Functions that torch has of ATen's ops without a documented name, made when first asked for: `torch._softmax`."""

NAMES = set(
    """_adaptive_avg_pool2d _adaptive_avg_pool3d _add_relu _addmm_activation _aminmax
    _amp_foreach_non_finite_check_and_unscale_ _amp_update_scale_ _assert_async _assert_scalar _batch_norm_impl_index
    _cast_Byte _cast_Char _cast_Double _cast_Float _cast_Half _cast_Int _cast_Long _cast_Short _conj_copy
    _conj_physical _convolution _convolution_mode _dim_arange _euclidean_dist _fused_rms_norm _fused_sdp_choice
    _grouped_mm _int_mm _is_all_true _is_any_true _is_zerotensor _lazy_clone _linalg_check_errors _linalg_det
    _linalg_eigh _linalg_slogdet _linalg_solve_ex _linalg_svd _log_softmax _log_softmax_backward_data _logcumsumexp
    _lu_with_info _masked_softmax _native_batch_norm_legit _native_batch_norm_legit_no_training _neg_view_copy
    _prelu_kernel _reshape_alias_copy _scaled_dot_product_attention_math _scaled_dot_product_flash_attention_for_cpu
    _fused_adagrad_ _fused_adam_ _fused_adamw_ _fused_sgd_ _scaled_dot_product_cudnn_attention
    _scaled_dot_product_efficient_attention _scaled_dot_product_flash_attention
    _scaled_dot_product_fused_attention_overrideable
    _scaled_mm _scaled_mm_v2 _shape_as_tensor _softmax _softmax_backward_data _stack _test_check_tensor _trilinear
    _unique _unique2
    _unsafe_index _unsafe_index_put _unsafe_masked_index _unsafe_masked_index_put_accumulate _weight_int8pack_mm
    """.split()
)


def function(name):
    """The function of torch's that is an op of ATen."""
    from .._aten.overloads import packet  # the table of schemas is read when an op is first asked for

    op = packet("aten", name)

    def call(*args, **kwargs):
        if "input" in kwargs and not args:  # as functions call what ops call self
            kwargs["self"] = kwargs.pop("input")
        return op(*args, **kwargs)

    call.__name__ = call.__qualname__ = name
    call.__module__, call.__doc__ = "lucid", f"torch.{name}: torch.ops.aten.{name}."
    return call
