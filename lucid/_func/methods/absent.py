"""Names of torch's that lucid does not have (quantized, nested tensors, other devices): calling one says so."""

from ..._backend.registry import public, tensor_method
from ..._tensor.tensor import Tensor


def _declare(name, error, text, doc):
    """A function of any arguments that raises error(text)."""

    def f(*args, **kwargs):
        raise error(text)

    f.__name__ = f.__qualname__ = name
    f.__doc__ = f"{name}(): {doc}"
    return f


def _absent(kind, functions, methods=""):
    """Functions of torch and methods of Tensor for what lucid lacks."""
    for where, names in (("torch", functions), ("Tensor", methods)):
        for name in names.split():
            text = f"{where}.{name}: lucid has no {kind}"
            f = _declare(name, NotImplementedError, text, f"NotImplementedError, lucid has no {kind}.")
            public(name)(f) if where == "torch" else tensor_method(f)


_absent(
    "quantized tensors",
    """choose_qparams_optimized fused_moving_avg_obs_fake_quant int_repr q_per_channel_axis q_per_channel_scales
    q_per_channel_zero_points q_scale q_zero_point quantize_per_tensor_dynamic quantized_gru_cell quantized_lstm_cell
    quantized_max_pool1d quantized_max_pool2d quantized_max_pool3d quantized_rnn_relu_cell quantized_rnn_tanh_cell
    quantize_per_tensor quantize_per_channel dequantize quantized_batch_norm
    fake_quantize_per_tensor_affine fake_quantize_per_channel_affine""",
    "qscheme q_scale q_zero_point q_per_channel_scales q_per_channel_zero_points q_per_channel_axis int_repr",
)
_absent("nested tensors", "", "to_padded_tensor")
_absent("mkldnn tensors", "", "to_mkldnn")
_absent(
    "FBGEMM",
    """fbgemm_linear_fp16_weight fbgemm_linear_fp16_weight_fp32_activation fbgemm_linear_int8_weight
    fbgemm_linear_int8_weight_fp32_activation fbgemm_linear_quantize_weight fbgemm_pack_gemm_matrix_fp16
    fbgemm_pack_quantized_matrix""",
)
_absent("torch.native_norm; use torch.norm", "native_norm")
_absent(
    "MIOpen",
    """miopen_batch_norm miopen_convolution miopen_convolution_add_relu miopen_convolution_relu
    miopen_convolution_transpose miopen_depthwise_convolution miopen_rnn""",
)
_absent(
    "CUDA, which alone has this kernel",
    """batch_norm_backward_elemt batch_norm_backward_reduce batch_norm_elemt batch_norm_gather_stats
    batch_norm_gather_stats_with_counts batch_norm_stats""",
)


# what torch took away: its functions say so, and no handler is asked of them
REMOVED = {}
for _name, _instead in {
    "lstsq": (
        " `torch.lstsq` is deprecated in favor of `torch.linalg.lstsq`.\n`torch.linalg.lstsq` has reversed "
        "arguments and does not return the QR decomposition in the returned tuple (although it returns other "
        "information about the problem).\n\nTo get the QR decomposition consider using `torch.linalg.qr`.\n\n"
        "The returned solution in `torch.lstsq` stored the residuals of the solution in the last m - n "
        "columns of the returned value whenever m > n. In torch.linalg.lstsq, the residuals are in the field "
        "'residuals' of the returned named tuple.\n\nThe unpacking of the solution, as in\nX, _ = "
        "torch.lstsq(B, A).solution[:A.size(1)]\nshould be replaced with:\nX = torch.linalg.lstsq(A, "
        "B).solution"
    ),
    "matrix_rank": (
        "\nPlease use the `torch.linalg.matrix_rank` function instead. The parameter 'symmetric' was renamed "
        "in `torch.linalg.matrix_rank()` to 'hermitian'."
    ),
    "solve": (
        " `torch.solve` is deprecated in favor of `torch.linalg.solve`. `torch.linalg.solve` has its "
        "arguments reversed and does not return the LU factorization.\n\nTo get the LU factorization see "
        "`torch.lu`, which can be used with `torch.lu_solve` or `torch.lu_unpack`.\nX = torch.solve(B, "
        "A).solution should be replaced with:\nX = torch.linalg.solve(A, B)"
    ),
    "eig": (
        " `torch.linalg.eig` returns complex tensors of dtype `cfloat` or `cdouble` rather than real tensors "
        "mimicking complex tensors.\n\nL, _ = torch.eig(A) should be replaced with:\nL_complex = "
        "torch.linalg.eigvals(A)\n\nand\n\nL, V = torch.eig(A, eigenvectors=True) should be replaced with:\n"
        "L_complex, V_complex = torch.linalg.eig(A)"
    ),
    "symeig": (
        " The default behavior has changed from using the upper triangular portion of the matrix by default "
        "to using the lower triangular portion.\n\nL, _ = torch.symeig(A, upper=upper) should be replaced "
        "with:\nL = torch.linalg.eigvalsh(A, UPLO='U' if upper else 'L')\n\nand\n\nL, V = torch.symeig(A, "
        "eigenvectors=True) should be replaced with:\nL, V = torch.linalg.eigh(A, UPLO='U' if upper else 'L')"
    ),
}.items():
    _gone = f"This function was deprecated since version 1.9 and is now removed.{_instead}"
    REMOVED[_name] = _declare(_name, RuntimeError, _gone, "removed from torch, whose RuntimeError this is.")
    if _name != "matrix_rank":
        setattr(Tensor, _name, _declare(_name, RuntimeError, _gone, "removed from torch, whose RuntimeError this is."))


for _name, _text in {
    "xpu": "Torch not compiled with XPU enabled",
    "mtia": "Torch not compiled with MTIA enabled.",
    "ipu": "Torch not compiled with IPU enabled",
}.items():
    tensor_method(_declare(_name, AssertionError, _text, "AssertionError, lucid computes on cpu and mlx."))


@tensor_method
def index(self, positions, dims):
    """index(positions, dims): NotImplementedError, lucid has no first-class dimensions."""
    raise NotImplementedError("Tensor.index: lucid has no first-class dimensions (functorch.dim)")


@tensor_method
def pin_memory(self, device=None):
    """pin_memory() -> torch's error: there is no accelerator to pin memory for."""
    raise RuntimeError("Cannot access accelerator device when none is available.")


@tensor_method
def record_stream(self, stream):
    """record_stream(stream): torch's error, there are no streams on this device."""
    raise RuntimeError("record_stream needs an accelerator's stream")


@tensor_method
def reinforce(self, reward):
    """reinforce(reward): removed from torch."""
    raise RuntimeError(
        "reinforce() was removed.\nUse torch.distributions instead.\n"
        "See https://pytorch.org/docs/main/distributions.html"
    )


def _cuda_interface(self):
    raise AttributeError(
        f"Can't get __cuda_array_interface__ on non-CUDA tensor type: {self.type()} If CUDA data is required use "
        "tensor.cuda() to copy tensor to device memory."
    )


Tensor.__cuda_array_interface__ = property(_cuda_interface)
