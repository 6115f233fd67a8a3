"""torch.nn.functional: what layers do, as functions; and names that programs take from torch's file of them.

Written by scripts/stubs: change the functions, or the types in scripts/stub_types.py.
"""

from collections.abc import Callable, Sequence
from typing import Any, Literal, NoReturn, overload

from .. import adaptive_avg_pool1d as adaptive_avg_pool1d
from .. import avg_pool1d as avg_pool1d
from .. import bilinear as bilinear
from .. import channel_shuffle as channel_shuffle
from .. import conv1d as conv1d
from .. import conv2d as conv2d
from .. import conv3d as conv3d
from .. import conv_tbc as conv_tbc
from .. import conv_transpose1d as conv_transpose1d
from .. import conv_transpose2d as conv_transpose2d
from .. import conv_transpose3d as conv_transpose3d
from .. import cosine_similarity as cosine_similarity
from .. import pairwise_distance as pairwise_distance
from .. import pdist as pdist
from .. import prelu as prelu
from .. import selu_ as selu_
from .._base.dtype import dtype
from .._tensor.tensor import Tensor as Tensor
from ..types import Number
from . import grad as grad

BroadcastingList1: Any
BroadcastingList2: Any
BroadcastingList3: Any
DType = int
GRID_SAMPLE_INTERPOLATION_MODES: dict[str, int]
GRID_SAMPLE_PADDING_MODES: dict[str, int]
ScalingType: Any
SwizzleType: Any

def _threshold(input: Tensor, threshold: Number, value: Number | complex, inplace: bool = False) -> Tensor:
    """threshold(input, threshold, value) -> Tensor: input where it is above threshold, else value."""

def adaptive_avg_pool2d(input: Tensor, output_size: int | Sequence[int | None]) -> Tensor:
    """adaptive_avg_pool2d(input, output_size) -> Tensor: (N, C, H, W) or (C, H, W) averaged down to output_size.

    output_size is an int or two, None for the input's own size.
    """

def adaptive_avg_pool3d(input: Tensor, output_size: int | Sequence[int | None]) -> Tensor:
    """adaptive_avg_pool3d(input, output_size) -> Tensor: (N, C, D, H, W) or (C, D, H, W) averaged to output_size."""

@overload
def adaptive_max_pool1d(
    input: Tensor, output_size: int | Sequence[int | None], return_indices: Literal[False] = False
) -> Tensor:
    """adaptive_max_pool1d(input, output_size, return_indices=False): the same for (N, C, L) or (C, L)."""

@overload
def adaptive_max_pool1d(
    input: Tensor, output_size: int | Sequence[int | None], return_indices: Literal[True]
) -> tuple[Tensor, Tensor]: ...
def adaptive_max_pool1d_with_indices(
    input: Tensor, output_size: int | Sequence[int | None], return_indices: bool = False
) -> tuple[Tensor, Tensor]:
    """adaptive_max_pool1d_with_indices(input, output_size) -> (Tensor, Tensor): adaptive_max_pool1d with return_indices=True."""

@overload
def adaptive_max_pool2d(
    input: Tensor, output_size: int | Sequence[int | None], return_indices: Literal[False] = False
) -> Tensor:
    """adaptive_max_pool2d(input, output_size, return_indices=False): maxima of windows that share the input out evenly.

    input (N, C, H, W) or (C, H, W); output_size an int or two, None for the input's own. With return_indices also
    where each lies, flat over H x W.
    """

@overload
def adaptive_max_pool2d(
    input: Tensor, output_size: int | Sequence[int | None], return_indices: Literal[True]
) -> tuple[Tensor, Tensor]: ...
def adaptive_max_pool2d_with_indices(
    input: Tensor, output_size: int | Sequence[int | None], return_indices: bool = False
) -> tuple[Tensor, Tensor]:
    """adaptive_max_pool2d_with_indices(input, output_size) -> (Tensor, Tensor): adaptive_max_pool2d with return_indices=True."""

@overload
def adaptive_max_pool3d(
    input: Tensor, output_size: int | Sequence[int | None], return_indices: Literal[False] = False
) -> Tensor:
    """adaptive_max_pool3d(input, output_size, return_indices=False): the same for (N, C, D, H, W) or (C, D, H, W)."""

@overload
def adaptive_max_pool3d(
    input: Tensor, output_size: int | Sequence[int | None], return_indices: Literal[True]
) -> tuple[Tensor, Tensor]: ...
def adaptive_max_pool3d_with_indices(
    input: Tensor, output_size: int | Sequence[int | None], return_indices: bool = False
) -> tuple[Tensor, Tensor]:
    """adaptive_max_pool3d_with_indices(input, output_size) -> (Tensor, Tensor): adaptive_max_pool3d with return_indices=True."""

def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool | None = None) -> Tensor:
    """affine_grid(theta, size, align_corners=None) -> Tensor: the sampling grid of affine maps, for grid_sample.

    theta (N, 2, 3) for size (N, C, H, W) gives (N, H, W, 2); theta (N, 3, 4) for size (N, C, D, H, W) gives (N, D, H,
    W, 3).
    """

def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """alpha_dropout(input, p=0.5, training=False, inplace=False) -> Tensor:
    dropout that keeps selu's mean and variance (Klambauer et al., 2017).
    """

def assert_int_or_pair(arg: int | Sequence[int], arg_name: str, message: str) -> None:
    """assert_int_or_pair(arg, arg_name, message): AssertionError unless arg is an int or has two elements."""

def avg_pool2d(
    input: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """avg_pool2d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, ...) -> Tensor.

    The mean of each window of input (N, C, H, W) or (C, H, W). Zeros of the padding count unless
    count_include_pad=False; divisor_override replaces the count. RuntimeError for sizes that do not fit.
    """

def avg_pool3d(
    input: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """avg_pool3d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, ...) -> Tensor.

    Like avg_pool2d for input (N, C, D, H, W) or (C, D, H, W).
    """

def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-05,
) -> Tensor:
    """batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5).

    Each channel (dimension 1) of input normalised with its own mean and biased variance when training, else with the
    running ones (Ioffe and Szegedy 2015). Training updates the running statistics in place, the variance unbiased.
    ValueError for one value per channel.
    """

def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """binary_cross_entropy(input, target, weight=None, reduction="mean") -> Tensor: of probabilities, 0 to 1."""

def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """binary_cross_entropy_with_logits(input, target, weight=None, reduction="mean", pos_weight=None) -> Tensor.

    Binary cross entropy of sigmoid(input), stable for large logits; pos_weight counts the positive targets that much.
    """

def boolean_dispatch(
    arg_name: str,
    arg_index: int,
    default: bool,
    if_true: Callable[..., Any],
    if_false: Callable[..., Any],
    module_name: str,
    func_name: str,
) -> Callable[..., Any]:
    """boolean_dispatch(...) -> function that calls if_true or if_false as its flag says."""

def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """celu(input, alpha=1.0) -> Tensor: input above 0, else alpha * (exp(input / alpha) - 1)."""

def celu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """In-place form of celu."""

def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """cosine_embedding_loss(input1, input2, target, margin=0, reduction="mean") -> Tensor.

    1 - cos where target is 1, max(0, cos - margin) where it is -1; inputs (N, D) and target (N), or (D) and ().
    """

def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """cross_entropy(input, target, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0) -> Tensor.

    nll_loss of log_softmax(input) over the classes: input (C), (N, C) or (N, C, ...); target of class indices
    (int64), or of probabilities in input's shape.
    """

def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor | Sequence[int],
    target_lengths: Tensor | Sequence[int],
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean", zero_infinity=False).

    The negative log likelihood of texts when every alignment with a sequence counts (Graves et al. 2006). log_probs
    (T, N, C) or (T, C): log_softmax of each step; targets (N, S), or all texts in one row; lengths of both, as tensors
    or tuples. "mean" divides each loss by the length of its text first. zero_infinity: a text longer than its sequence
    gives 0, not inf. RuntimeError for lengths and sizes that do not fit.
    """

def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """dropout(input, p=0.5, training=True, inplace=False) -> Tensor, in training zero with probability p, else input /
    (1 - p).

    ValueError for p outside [0, 1]. Draws two words of the default generator per element, in the order of memory.
    """

def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """dropout1d(input, p=0.5, training=True, inplace=False) -> Tensor:
    whole channels of (N, C, L) or (C, L) dropped.
    """

def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """dropout2d(input, p=0.5, training=True, inplace=False) -> Tensor:
    whole channels of (N, C, H, W) dropped; a 3-D input is read as (N, C, L).
    """

def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """dropout3d(input, p=0.5, training=True, inplace=False) -> Tensor:
    whole channels of (N, C, D, H, W) or (C, D, H, W).
    """

def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """elu(input, alpha=1.0, scale=1, input_scale=1) -> Tensor:
    scale * input above 0, else scale * alpha * (exp(input_scale * input) - 1).

    alpha and scale as in "Self-Normalizing Neural Networks" (2017) give selu.
    """

def elu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """In-place form of elu."""

def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """embedding(input, weight) -> Tensor of shape (*input.shape, weight.shape[1]): the rows of weight that input names.

    padding_idx: a row that gets no gradient. max_norm: rows in use are first shrunk, in place, to this norm_type-norm.
    scale_grad_by_freq: a row's gradient is divided by how often it was used.
    """

def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: Number = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """embedding_bag(input, weight, offsets=None, ..., mode="mean") -> (bags, weight.shape[1]) Tensor.

    The rows of weight that input names, pooled bag by bag. input (B, N): B bags of N; input (N) with offsets (B): bag i
    begins at offsets[i] (with include_last_offset, the last offset ends the last bag). An empty bag gives zeros.
    per_sample_weights: factors of input's shape, for mode "sum". padding_idx: an index that is left out of its bag.
    scale_grad_by_freq: a row's gradient is divided by how often it was used (by its own count: torch 2.13's CPU kernel
    takes the count of another row). ValueError for shapes and modes that do not fit.
    """

def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """feature_alpha_dropout(input, p=0.5, training=False, inplace=False) -> Tensor: alpha_dropout of whole channels."""

def fold(
    input: Tensor,
    output_size: int | Sequence[int],
    kernel_size: int | Sequence[int],
    dilation: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    stride: int | Sequence[int] = 1,
) -> Tensor:
    """fold(input, output_size, kernel_size, ...) -> Tensor: the transpose of unfold; overlapping windows add up.

    input (N, C * kh * kw, windows) or without N gives (N, C, *output_size) or (C, *output_size).
    """

@overload
def fractional_max_pool2d(
    input: Tensor,
    kernel_size: int | Sequence[int],
    output_size: int | Sequence[int] | None = None,
    output_ratio: float | Sequence[float] | None = None,
    return_indices: Literal[False] = False,
) -> Tensor:
    """fractional_max_pool2d(input, kernel_size, output_size=None, output_ratio=None, return_indices=False) -> Tensor.

    The maximum of each of output_size windows of input (N, C, H, W) or (C, H, W), whose places are drawn at random
    (with _random_samples (N, C, 2) in [0, 1): from those); output_ratio: of the input's size. With return_indices also
    where each lies, flat over H x W.
    """

@overload
def fractional_max_pool2d(
    input: Tensor,
    kernel_size: int | Sequence[int],
    output_size: int | Sequence[int] | None = None,
    output_ratio: float | Sequence[float] | None = None,
    *,
    return_indices: Literal[True],
) -> tuple[Tensor, Tensor]: ...
def fractional_max_pool2d_with_indices(
    input: Tensor,
    kernel_size: int | Sequence[int],
    output_size: int | Sequence[int] | None = None,
    output_ratio: float | Sequence[float] | None = None,
    return_indices: bool = False,
) -> tuple[Tensor, Tensor]:
    """fractional_max_pool2d_with_indices(input, ...) -> (Tensor, Tensor): fractional_max_pool2d, and where."""

@overload
def fractional_max_pool3d(
    input: Tensor,
    kernel_size: int | Sequence[int],
    output_size: int | Sequence[int] | None = None,
    output_ratio: float | Sequence[float] | None = None,
    return_indices: Literal[False] = False,
) -> Tensor:
    """fractional_max_pool3d(input, kernel_size, output_size=None, output_ratio=None, return_indices=False) -> Tensor.

    Like fractional_max_pool2d for input (N, C, D, H, W) or (C, D, H, W).
    """

@overload
def fractional_max_pool3d(
    input: Tensor,
    kernel_size: int | Sequence[int],
    output_size: int | Sequence[int] | None = None,
    output_ratio: float | Sequence[float] | None = None,
    *,
    return_indices: Literal[True],
) -> tuple[Tensor, Tensor]: ...
def fractional_max_pool3d_with_indices(
    input: Tensor,
    kernel_size: int | Sequence[int],
    output_size: int | Sequence[int] | None = None,
    output_ratio: float | Sequence[float] | None = None,
    return_indices: bool = False,
) -> tuple[Tensor, Tensor]:
    """fractional_max_pool3d_with_indices(input, ...) -> (Tensor, Tensor): fractional_max_pool3d, and where."""

def gaussian_nll_loss(
    input: Tensor, target: Tensor, var: Tensor | float, full: bool = False, eps: float = 1e-06, reduction: str = "mean"
) -> Tensor:
    """gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean") -> Tensor.

    (log(var) + (input - target)^2 / var) / 2 with var at least eps (its gradient is not cut there); full adds log(2
    pi) / 2. ValueError for negative var or one that does not fit.
    """

def gelu(input: Tensor, *, approximate: str = "none", out: Tensor | None = None) -> Tensor:
    """gelu(input, *, approximate="none") -> Tensor: input times the normal distribution function of input.

    approximate="tanh" is the formula of "Gaussian Error Linear Units" (2016) with tanh. RuntimeError for another word.
    """

def glu(input: Tensor, dim: int = -1, *, axis: int | None = None) -> Tensor:
    """glu(input, dim=-1) -> Tensor: the first half of input along dim times the sigmoid of the second half."""

def grid_sample(
    input: Tensor, grid: Tensor, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool | None = None
) -> Tensor:
    """grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=None) -> Tensor.

    input (N, C, H, W) read at the points of grid (N, Ho, Wo, 2), whose (x, y) run from -1 to 1 over the image: (N, C,
    Ho, Wo). Also for (N, C, D, H, W) and (N, Do, Ho, Wo, 3). mode: bilinear, nearest, bicubic (4-D); padding_mode:
    zeros, border, reflection; align_corners: are -1 and 1 the middles of the corner pixels, or their edges?
    """

def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-05
) -> Tensor:
    """group_norm(input, num_groups, weight=None, bias=None, eps=1e-5) -> Tensor.

    input (N, C, ...) normalised over each of num_groups groups of channels of each sample, times weight plus bias per
    channel (Wu and He 2018).
    """

def grouped_mm(
    mat_a: Tensor,
    mat_b: Tensor,
    *,
    offs: Tensor | None = None,
    bias: Tensor | None = None,
    out_dtype: dtype | None = None,
) -> Tensor:
    """grouped_mm(mat_a, mat_b, *, offs=None, bias=None, out_dtype=None) -> Tensor: matrix products of groups.

    offs (int32): where each group ends. (m, k) and (groups, k, n): groups of rows of mat_a; (groups, m, k) and (k, n):
    of columns of mat_b; (m, k) and (k, n): of what is summed over, a product for each; two of three dimensions: bmm.
    """

def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1) -> Tensor:
    a sample of relaxed categories (Jang et al., 2016; Maddison et al., 2016), one-hot with the soft sample's gradient
    when hard.
    """

def handle_torch_function(
    public_api: Callable[..., Any], relevant_args: Sequence[Any], *args: Any, **kwargs: Any
) -> Any:
    """What the modes and types of the arguments make of public_api(*args, **kwargs); TypeError when none takes it."""

def hardshrink(input: Tensor, lambd: Number = 0.5, *, out: Tensor | None = None) -> Tensor:
    """hardshrink(input, lambd=0.5) -> Tensor: 0 within [-lambd, lambd], input outside."""

def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """hardsigmoid(input) -> Tensor: input / 6 + 1/2, limited to [0, 1]."""

def hardsigmoid_(input: Tensor) -> Tensor:
    """In-place form of hardsigmoid."""

def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """hardswish(input) -> Tensor: input * hardsigmoid(input)."""

def hardswish_(input: Tensor) -> Tensor:
    """In-place form of hardswish."""

def hardtanh(input: Tensor, min_val: Number = -1.0, max_val: Number = 1.0, inplace: bool = False) -> Tensor:
    """hardtanh(input, min_val=-1.0, max_val=1.0) -> Tensor: limited to [min_val, max_val]; no gradient at bounds."""

def hardtanh_(input: Tensor, min_val: Number = -1.0, max_val: Number = 1.0) -> Tensor:
    """In-place form of hardtanh."""

def has_torch_function(relevant_args: Sequence[Any]) -> bool:
    """has_torch_function(args) -> bool: must a call with these go through handle_torch_function?"""

def has_torch_function_unary(obj: Any) -> bool:
    """has_torch_function((obj,))"""

def has_torch_function_variadic(*args: Any) -> bool:
    """has_torch_function(args)"""

def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """hinge_embedding_loss(input, target, margin=1.0, reduction="mean") -> Tensor.

    input where target is 1, max(0, margin - input) where it is -1.
    """

def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: Number = 1.0, weight: Tensor | None = None
) -> Tensor:
    """huber_loss(input, target, reduction="mean", delta=1.0, weight=None) -> Tensor: squares to delta, then linear."""

def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-05,
) -> Tensor:
    """instance_norm(input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, ...).

    input (N, C, ...) normalised over each channel of each sample (Ulyanov et al. 2016), or with running statistics.
    ValueError for one element per channel.
    """

def interpolate(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None, ...) -> Tensor.

    input (N, C, ...) with one to three spatial dimensions, at another size (given, or by a factor). Modes: nearest,
    nearest-exact, linear, bilinear, bicubic, trilinear, area, lanczos. ValueError for arguments that contradict each
    other, NotImplementedError for a mode with another number of dimensions.
    """

def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """kl_div(input, target, reduction="mean", log_target=False) -> Tensor: target (log target - input), input logs.

    reduction "batchmean" divides the sum by input.shape[0], which is the divergence's definition.
    """

def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """l1_loss(input, target, reduction="mean", weight=None) -> Tensor: the absolute difference."""

def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-05,
) -> Tensor:
    """layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5) -> Tensor.

    input normalised over its last len(normalized_shape) dimensions, times weight plus bias of that shape (Ba et al.
    2016).
    """

def leaky_relu(input: Tensor, negative_slope: Number = 0.01, inplace: bool = False) -> Tensor:
    """leaky_relu(input, negative_slope=0.01) -> Tensor: input above 0, negative_slope * input below."""

def leaky_relu_(input: Tensor, negative_slope: Number = 0.01) -> Tensor:
    """In-place form of leaky_relu."""

def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None, *, out: Tensor | None = None) -> Tensor:
    """linear(input, weight, bias=None, *, out=None) -> (*, out) Tensor: input @ weight.T + bias.

    weight: (out, in), or (in,) for one output; bias: (out,). torch's graph: one addmm where input is a matrix, or can be
    viewed as one and has a bias; else a matmul and a sum.
    """

def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    *,
    linear_bias: Tensor | None = None,
    weight: Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: object = None,
) -> Tensor:
    """linear_cross_entropy(input, linear_weight, target, *, linear_bias=None, weight=None, reduction="mean",
    ignore_index=None, label_smoothing=0.0, options=None) -> cross_entropy(linear(input, linear_weight), target).

    input (N, in) or (in); linear_weight (C, ..., in); target as cross_entropy takes it. options (how torch cuts the
    batch into chunks to save memory) are checked and change nothing: all is computed at once.
    """

def local_response_norm(input: Tensor, size: int, alpha: float = 0.0001, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """local_response_norm(input, size, alpha=1e-4, beta=0.75, k=1.0) -> Tensor.

    input / (k + alpha * mean of squares over `size` neighbouring channels) ** beta (Krizhevsky et al. 2012).
    """

def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: dtype | None = None) -> Tensor:
    """log_softmax(input, dim, dtype=None) -> Tensor: log(softmax) without overflow."""

def logsigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """logsigmoid(input) -> Tensor: log(sigmoid(input)), exact for very negative input."""

def lp_pool1d(
    input: Tensor,
    norm_type: Number,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """lp_pool1d(input, norm_type, kernel_size, stride=None, ceil_mode=False) -> Tensor: each window's p-norm."""

def lp_pool2d(
    input: Tensor,
    norm_type: Number,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """lp_pool2d(input, norm_type, kernel_size, stride=None, ceil_mode=False) -> Tensor: each window's p-norm."""

def lp_pool3d(
    input: Tensor,
    norm_type: Number,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """lp_pool3d(input, norm_type, kernel_size, stride=None, ceil_mode=False) -> Tensor: each window's p-norm."""

def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """margin_ranking_loss(input1, input2, target, margin=0, reduction="mean") -> Tensor.

    max(0, margin - target (input1 - input2)): with target 1 the first should be the greater, with -1 the second.
    """

@overload
def max_pool1d(
    input: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    return_indices: Literal[False] = False,
) -> Tensor:
    """max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False).

    Like max_pool2d for input (N, C, L) or (C, L).
    """

@overload
def max_pool1d(
    input: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    *,
    return_indices: Literal[True],
) -> tuple[Tensor, Tensor]: ...
def max_pool1d_with_indices(
    input: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = True,
) -> tuple[Tensor, Tensor]:
    """max_pool1d_with_indices(input, ...) -> (Tensor, Tensor): max_pool1d with return_indices=True."""

@overload
def max_pool2d(
    input: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    return_indices: Literal[False] = False,
) -> Tensor:
    """max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False).

    The maximum of each window of input (N, C, H, W) or (C, H, W); padding counts as -inf; stride is kernel_size when
    None. With return_indices also where each lies, flat over H x W (int64). RuntimeError for sizes that do not fit.
    """

@overload
def max_pool2d(
    input: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    *,
    return_indices: Literal[True],
) -> tuple[Tensor, Tensor]: ...
def max_pool2d_with_indices(
    input: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = True,
) -> tuple[Tensor, Tensor]:
    """max_pool2d_with_indices(input, ...) -> (Tensor, Tensor): max_pool2d with return_indices=True."""

@overload
def max_pool3d(
    input: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    return_indices: Literal[False] = False,
) -> Tensor:
    """max_pool3d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False).

    Like max_pool2d for input (N, C, D, H, W) or (C, D, H, W); indices are flat over D x H x W.
    """

@overload
def max_pool3d(
    input: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    *,
    return_indices: Literal[True],
) -> tuple[Tensor, Tensor]: ...
def max_pool3d_with_indices(
    input: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = True,
) -> tuple[Tensor, Tensor]:
    """max_pool3d_with_indices(input, ...) -> (Tensor, Tensor): max_pool3d with return_indices=True."""

def max_unpool1d(
    input: Tensor,
    indices: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """max_unpool1d(input, indices, kernel_size, stride=None, padding=0, output_size=None): see max_unpool2d."""

def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """max_unpool2d(input, indices, kernel_size, stride=None, padding=0, output_size=None) -> Tensor.

    Zeros with the pooled maxima back where `indices` (of max_pool2d with return_indices) say.
    """

def max_unpool3d(
    input: Tensor,
    indices: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """max_unpool3d(input, indices, kernel_size, stride=None, padding=0, output_size=None): see max_unpool2d."""

def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """mish(input) -> Tensor: input * tanh(log(1 + exp(input)))."""

def mish_(input: Tensor) -> Tensor:
    """In-place form of mish."""

def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """mse_loss(input, target, reduction="mean", weight=None) -> Tensor: the squared difference.

    With weight each element counts that much, and the mean divides by the weights' sum.
    """

def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """multi_head_attention_forward(query, key, value, ...) -> (output, weights or None): nn.MultiheadAttention's.

    query (L, N, E) or (L, E), key and value (S, N, E) or (S, E); masks are bool (true hides) or added to the scores.
    The weights are (N, L, S), averaged over heads, or (N, heads, L, S).
    """

def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """multi_margin_loss(input, target, p=1, margin=1.0, weight=None, reduction="mean") -> Tensor.

    The mean over classes i of max(0, margin - input[target] + input[i])^p, i other than target, times weight[target];
    input (N, C) or (C), target of class indices (int64).
    """

def multilabel_margin_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
) -> Tensor:
    """multilabel_margin_loss(input, target, reduction="mean") -> Tensor.

    The sum over labels j and other classes i of max(0, 1 - input[j] + input[i]), divided by C; input and target (N,
    C) or (C); the labels are the entries of target before its first -1.
    """

def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """multilabel_soft_margin_loss(input, target, weight=None, reduction="mean") -> Tensor.

    Binary cross entropy of sigmoid(input), averaged over the classes (last dimension); target 0 or 1.
    """

def native_channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """native_channel_shuffle(input, groups) -> Tensor: see channel_shuffle."""

def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """nll_loss(input, target, weight=None, ignore_index=-100, reduction="mean") -> Tensor: -weight[t] * input[n, t].

    input (C), (N, C) or (N, C, ...) of log probabilities; target without C, int64. Samples whose target is
    ignore_index do not count; the mean divides by the sum of the weights that count.
    """

def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Tensor | None = None) -> Tensor:
    """normalize(input, p=2.0, dim=1, eps=1e-12) -> Tensor: input / max(its p-norm over dim, eps)."""

def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """one_hot(tensor, num_classes=-1) -> int64 Tensor of shape (*tensor.shape, num_classes):
    1 at each value, else 0.
    """

def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: Number | complex | None = None) -> Tensor:
    """pad(input, pad, mode="constant", value=None) -> Tensor: input with more, or with negative widths less, around it.

    pad is (before, after) of the last dimension, then of the one before it, and so on. mode: constant (any
    dimensions; value 0 when None), reflect, replicate or circular (the last one to three dimensions of a 2-D to 5-D
    input).
    """

def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """pixel_shuffle(input, upscale_factor) -> Tensor: (*, C r^2, H, W) as (*, C, H r, W r) (Shi et al. 2016)."""

def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """pixel_unshuffle(input, downscale_factor) -> Tensor: the inverse of pixel_shuffle."""

def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-08,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """poisson_nll_loss(input, target, log_input=True, full=False, eps=1e-8, reduction="mean") -> Tensor.

    exp(input) - target * input, or input - target * log(input + eps); full adds Stirling's term for target > 1.
    """

def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """relu(input) -> Tensor: max(input, 0); NaN stays NaN. Its gradient at 0 is 0."""

def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """relu6(input) -> Tensor: input limited to [0, 6]."""

def relu_(input: Tensor) -> Tensor:
    """In-place form of relu."""

def rms_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    """rms_norm(input, normalized_shape, weight=None, eps=None) -> Tensor: input / sqrt(mean of squares + eps) * weight.

    The mean is over the last len(normalized_shape) dimensions; eps is the type's machine epsilon when None (Zhang and
    Sennrich 2019).
    """

def rrelu(
    input: Tensor,
    lower: Number = 0.125,
    upper: Number = 0.3333333333333333,
    training: bool = False,
    inplace: bool = False,
) -> Tensor:
    """rrelu(input, lower=1/8, upper=1/3, training=False, inplace=False) -> Tensor:
    leaky_relu whose slope is drawn from [lower, upper) per negative element in training (Xu et al., 2015), else their
    mean.
    """

def rrelu_(input: Tensor, lower: Number = 0.125, upper: Number = 0.3333333333333333, training: bool = False) -> Tensor:
    """rrelu_(input, lower=1/8, upper=1/3, training=False) -> input, rrelu in place."""

def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, ...).

    softmax(query key^T scale + mask) value (Vaswani et al. 2017): query (..., L, E), key (..., S, E), value (..., S,
    Ev); scale is 1 / sqrt(E) when None. A bool mask keeps where it is true; rows where nothing is kept give zeros.
    """

def scaled_grouped_mm(*args: Any, **kwargs: Any) -> NoReturn:
    """scaled_grouped_mm(...): NotImplementedError, lucid has no grouped product of scaled matrices."""

def scaled_mm(
    mat_a: Tensor,
    mat_b: Tensor,
    scale_a: Tensor | list[Tensor],
    scale_recipe_a: int | Sequence[int],
    scale_b: Tensor | list[Tensor],
    scale_recipe_b: int | Sequence[int],
    swizzle_a: int | Sequence[int] | None = None,
    swizzle_b: int | Sequence[int] | None = None,
    bias: Tensor | None = None,
    output_dtype: dtype | None = ...,
    contraction_dim: Sequence[int] = (),
    use_fast_accum: bool = False,
) -> Tensor:
    """scaled_mm(mat_a, mat_b, scale_a, scale_recipe_a, scale_b, scale_recipe_b, ...) -> Tensor.

    The product of two matrices of 8-bit floats, each times its scales: one number (ScalingType.TensorWise), or one for
    each row of mat_a and column of mat_b (RowWise). ValueError for other recipes, which torch's CPU does not have.
    """

def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """selu(input) -> Tensor: elu with the constants of self-normalizing networks."""

def sigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """sigmoid(input) -> Tensor: 1 / (1 + exp(-input))."""

def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """silu(input) -> Tensor: input * sigmoid(input) (also called swish)."""

def silu_(input: Tensor) -> Tensor:
    """In-place form of silu."""

def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """smooth_l1_loss(input, target, reduction="mean", beta=1.0) -> Tensor: quadratic up to beta, linear beyond."""

def soft_margin_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
) -> Tensor:
    """soft_margin_loss(input, target, reduction="mean") -> Tensor: log(1 + exp(-target * input)), targets 1 or -1."""

def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: dtype | None = None) -> Tensor:
    """softmax(input, dim, dtype=None) -> Tensor: exp(input) divided by its sum over dim."""

def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: dtype | None = None) -> Tensor:
    """softmin(input, dim, dtype=None) -> Tensor: softmax of -input."""

def softplus(input: Tensor, beta: float = 1, threshold: Number = 20, *, out: Tensor | None = None) -> Tensor:
    """softplus(input, beta=1, threshold=20) -> Tensor:
    log(1 + exp(beta * input)) / beta; input itself where beta * input is above threshold.
    """

def softshrink(input: Tensor, lambd: Number = 0.5, *, out: Tensor | None = None) -> Tensor:
    """softshrink(input, lambd=0.5) -> Tensor: input moved towards 0 by lambd. RuntimeError for negative lambd."""

def softsign(input: Tensor) -> Tensor:
    """softsign(input) -> Tensor: input / (1 + |input|)."""

def tanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """tanh(input) -> Tensor: the hyperbolic tangent."""

def tanhshrink(input: Tensor) -> Tensor:
    """tanhshrink(input) -> Tensor: input - tanh(input)."""

def threshold(input: Tensor, threshold: Number, value: Number | complex, inplace: bool = False) -> Tensor:
    """threshold(input, threshold, value) -> Tensor: input where it is above threshold, else value."""

def threshold_(input: Tensor, threshold: Number, value: Number | complex) -> Tensor:
    """In-place form of threshold."""

def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-06,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False, reduction="mean").

    max(0, margin + |anchor - positive| - |anchor - negative|) in the p-norm of the last dimension; swap takes the
    nearer of anchor and positive to the negative.
    """

def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """triplet_margin_with_distance_loss(anchor, positive, negative, *, distance_function=None, margin=1.0, ...).

    triplet_margin_loss with a distance of the caller's (pairwise_distance when None).
    """

def unfold(
    input: Tensor,
    kernel_size: int | Sequence[int],
    dilation: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    stride: int | Sequence[int] = 1,
) -> Tensor:
    """unfold(input, kernel_size, dilation=1, padding=0, stride=1) -> Tensor: every sliding window as a column.

    input (N, C, H, W) or (C, H, W) gives (N, C * kh * kw, windows) or (C * kh * kw, windows).
    """

def upsample(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None) -> Tensor: interpolate."""

def upsample_bilinear(
    input: Tensor, size: int | Sequence[int] | None = None, scale_factor: float | Sequence[float] | None = None
) -> Tensor:
    """upsample_bilinear(input, size=None, scale_factor=None) -> Tensor: interpolate in mode bilinear; deprecated."""

def upsample_nearest(
    input: Tensor, size: int | Sequence[int] | None = None, scale_factor: float | Sequence[float] | None = None
) -> Tensor:
    """upsample_nearest(input, size=None, scale_factor=None) -> Tensor: interpolate in mode nearest; deprecated."""
