"""Names of torch that stand alone: checks of sizes, flags of its build, an enumeration, hooks of its start."""

from .._base.enumeration import enumeration
from .._base.refused import refuse
from .._tensor.tensor import Tensor
from ..autograd.anomaly_mode import _switch

_LARGEST = 2**63 - 1


def sym_constrain_range(size, *, min=None, max=None):
    """sym_constrain_range(size, *, min=None, max=None): RuntimeError unless min <= size <= max."""
    least, most = -(2**63) if min is None else min, _LARGEST if max is None else max
    if most < least:
        raise RuntimeError(f"Max must be greater than or equal to min. Got min={least} max={most}")
    if not isinstance(size, (int, float, Tensor)):
        raise TypeError(
            f"sym_constrain_range(): argument 'size' (position 1) must be Number, not {type(size).__name__}"
        )
    if not least <= int(size) <= most:
        raise RuntimeError(f"Invalid value range for {int(size)} between [{least}, {most}].")


def sym_constrain_range_for_size(size, *, min=None, max=None):
    """sym_constrain_range_for_size(size, *, min=None, max=None): RuntimeError unless min (or 0) <= size <= max."""
    if not isinstance(size, (int, float, Tensor)):
        raise TypeError(
            f"sym_constrain_range_for_size(): argument 'size' (position 1) must be Number, not {type(size).__name__}"
        )
    if max is not None and max <= 2:
        raise RuntimeError(f"Max value to constrain_range_for_size must be greater than 2. got: {max}")
    sym_constrain_range(size, min=0 if min is None else min, max=max)


def sym_fresh_size(expr):
    """sym_fresh_size(expr) -> the number itself, as long as no program is traced."""
    return expr.item() if isinstance(expr, Tensor) else expr


def set_anomaly_enabled(enabled, check_nan=True):
    """set_anomaly_enabled(enabled, check_nan=True): turn anomaly mode on or off."""
    _switch(enabled, check_nan)


def init_num_threads():
    """init_num_threads(): nothing is left to do, threads are made when the first product needs them."""


def prepare_multiprocessing_environment(path):
    """prepare_multiprocessing_environment(path): nothing, as in torch's own builds."""


def profiler_allow_cudagraph_cupti_lazy_reinit_cuda12():
    """profiler_allow_cudagraph_cupti_lazy_reinit_cuda12() -> True"""
    return True


AggregationType = enumeration("AggregationType", "lucid", "SUM AVG")

_FUNCTIONS = (
    sym_constrain_range, sym_constrain_range_for_size, sym_fresh_size, set_anomaly_enabled, init_num_threads,
    prepare_multiprocessing_environment, profiler_allow_cudagraph_cupti_lazy_reinit_cuda12,
)  # fmt: skip
for _f in _FUNCTIONS:
    _f.__module__ = "lucid"

NAMES: dict = {
    **{f.__name__: f for f in _FUNCTIONS},
    "AggregationType": AggregationType,
    "SUM": AggregationType.SUM,
    "AVG": AggregationType.AVG,
    "PRIVATE_OPS": ("unique_dim",),
    "has_lapack": True,
    "has_spectral": True,
}

# Kernels that lucid does not have; those that a subclass may answer are in _func/methods/absent.py.
for _library, _names in {
    "cuDNN": """cudnn_affine_grid_generator cudnn_batch_norm cudnn_convolution cudnn_convolution_add_relu
        cudnn_convolution_relu cudnn_convolution_transpose cudnn_grid_sampler cudnn_is_acceptable""",
    "MIOpen": "miopen_ctc_loss",
    "oneDNN": """mkldnn_adaptive_avg_pool2d mkldnn_convolution mkldnn_linear_backward_weights mkldnn_max_pool2d
        mkldnn_max_pool3d mkldnn_rnn_layer""",
    "quantized tensors": """QInt32Storage QInt8Storage QUInt2x4Storage QUInt4x2Storage QUInt8Storage empty_quantized
        quantized_gru quantized_lstm""",
}.items():
    NAMES |= refuse("torch", _names, _library)
NAMES |= refuse("torch", "_make_per_tensor_quantized_tensor _make_per_channel_quantized_tensor", "quantized tensors")
