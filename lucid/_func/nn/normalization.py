"""Normalisation: batch, layer, group, instance, RMS and local response norm."""

import functools
import math

from ..._array.fallbacks import SPELLED
from ..._backend.autocast import as_called
from ..._backend.core import func_op
from ..._backend.dispatch import asked, spelled_as
from ..._backend.families import Layer, Own, not_implemented_error
from ..._backend.out_argument import store_out
from ..._backend.registry import public
from ..._backend.tensor_words import words_of
from ..._base.dtype import FLOATING, finfo, float32, float64, uint8
from ..._base.state import DISPATCH
from ..creation.gfunc import empty
from ..pointwise.scalar import plus
from .channels_last import formatted_first
from .padding import constant_pad_nd
from .pool import avg_pool2d, avg_pool3d

# ---- Tensors answer the layer words as they are spelled


def _spelled(name):
    word = SPELLED[name]

    @functools.wraps(word)
    def on_tensors(x, *args):
        return word(words_of(x._table), x, *args)

    return on_tensors


for _name in SPELLED:
    public(namespace=None, word=_name)(_spelled(_name))


# ---- batch norm


class _running_average(Own):
    """_running_average(input, latest, momentum): momentum * latest + (1 - momentum) * input, computed in float64."""

    promote, namespace, method, inplace = "keep", None, False, True

    @func_op(2, has_gradient=False)
    def forward(xp, input, latest, momentum):
        wide = xp.sibling(float64)
        mixed = wide.cast(latest, float64) * momentum + wide.cast(input, float64) * (1 - momentum)
        return wide.cast(mixed, xp.dtype)


class batch_norm_op(Layer):
    """batch_norm_op(input, weight, bias, running_mean, running_var, training, eps): (out, mean, biased variance)."""

    node_name, namespace, differentiable = "NativeBatchNormBackward0", None, (0,)
    compute_in_float32 = False  # one word does it, and knows what halves need
    index_inputs = ("running_mean", "running_var")

    def mismatch(*types):
        return "mixed dtype (CPU): all inputs must share same datatype."

    @func_op(5, 3)
    def forward(xp, input, weight=None, bias=None, running_mean=None, running_var=None, training=False, eps=1e-5):
        return xp.normalize_channels(input, weight, bias, running_mean, running_var, training, eps)

    def backward(xp, needs, g, input, weight, running_mean, running_var, out1, out2, training, eps):
        mean, var = (out1, out2) if training else (running_mean, running_var)
        to_x, to_w, to_b = xp.normalize_channels_backward(g, input, weight, mean, var, training, eps)
        return to_x if needs[0] else None, to_w if needs[1] else None, to_b if needs[2] else None, None, None


def _check_sizes(input, weight, bias, running_mean, running_var, training):
    if input.dim() < 2:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [-{max(input.dim(), 1)}, "
            f"{max(input.dim(), 1) - 1}], but got 1)"
        )
    if input._table.dtype.category != FLOATING:
        raise not_implemented_error("batch_norm", input._table.dtype)
    channels = input.shape[1]
    for name, stat in (("running_mean", running_mean), ("running_var", running_var)):
        if stat is None and not training:
            raise RuntimeError(f"{name} must be defined in evaluation mode")
        if stat is not None and stat.numel() != channels:
            raise RuntimeError(f"{name} should contain {channels} elements not {stat.numel()}")
    for name, factor in (("weight", weight), ("bias", bias)):
        if factor is not None and factor.numel() != channels:
            raise RuntimeError(f"{name} should contain {channels} elements not {factor.numel()}")


def _mixed(input, params):
    """Half inputs beside float32 parameters: computed in float32. torch refuses other mixtures."""
    types = {p.dtype for p in params if p is not None} - {input.dtype}
    if not types:
        return False
    if types != {float32} or input.dtype.itemsize != 2:
        raise RuntimeError(
            "mixed dtype (CPU): expect parameter to have scalar type of Float"
            if input.dtype is float32
            else "mixed dtype (CPU): all inputs must share same datatype."
        )
    return True


def _batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps):
    """(out, mean, biased variance), and the running statistics brought up to date."""
    training = bool(training)
    if not input.numel():
        return _of_nothing(input, weight, bias, running_mean, running_var)
    _check_sizes(input, weight, bias, running_mean, running_var, training)
    if _mixed(input, (weight, bias, running_mean, running_var)):
        wide = [None if p is None else p.to(float32) for p in (weight, bias)]
        out, mean, var = _batch_norm(input.to(float32), *wide, running_mean, running_var, training, momentum, eps)
        return out.to(input.dtype), mean, var
    if DISPATCH and asked((input,)):
        given = (input, weight, bias, running_mean, running_var, training, float(momentum or 0.0), float(eps))
        return spelled_as("native_batch_norm", given, batch_norm_op.fn, *given[:6], eps)
    out, mean, var = batch_norm_op.fn(input, weight, bias, running_mean, running_var, training, eps)
    if training:
        if running_mean is not None:
            running_mean.data._running_average_(_kept(mean), momentum)
        if running_var is not None:
            running_var.data._running_average_(_kept(_unbiased(input, var)), momentum)
    return out, mean, var


def _unbiased(input, var):
    """The variance that is kept (of one element: as torch, inf or nan)."""
    count = input.numel() // input.shape[1]
    return var * (count / (count - 1)) if count > 1 else var / 0.0


def batch_norm_apart(input, weight, bias, running_mean, running_var, momentum, eps):
    """(out, mean, 1 / deviation, new running mean, new running variance) of training; nothing is written."""
    out, mean, var = _batch_norm(input, weight, bias, None, None, True, momentum, eps)
    if not input.numel():
        return out, mean, var, running_mean.clone(), running_var.clone()
    pairs = ((running_mean, mean), (running_var, _unbiased(input, var)))
    new = [_running_average.fn(old, latest, momentum).to(old.dtype) for old, latest in pairs]
    return out, mean, (var + eps).rsqrt(), *new


def _kept(statistic):
    """Without the tangents that forward mode may carry along."""
    return statistic if statistic._table.aliases else statistic.detach()


def _of_nothing(input, weight, bias, running_mean, running_var):
    """An input without elements passes through; its factors stay in the graph."""
    out = input.clone()
    out = out if weight is None else out * weight[0]
    out = out if bias is None else out + bias[0]
    channels = input.shape[1:2] or (0,)
    zeros = input.detach().new_zeros(channels)
    return out, zeros if running_mean is None else running_mean, zeros if running_var is None else running_var


@public("batch_norm")
def _torch_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled=True):
    """batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled) -> Tensor."""
    _reserve(input)
    return _batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)[0]


@public()
def native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, *, out=None):
    """native_batch_norm(...) -> (out, mean, 1 / sqrt(var + eps)); the statistics are empty when not training."""
    y, mean, var = _batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)
    if DISPATCH and asked((input,)):
        return y, mean, var  # that was the op itself
    found = (y, mean, (var + eps).rsqrt()) if training else (y, mean.new_empty((0,)), var.new_empty((0,)))
    return found if out is None else store_out("native_batch_norm", found, out)


@public()
def batch_norm_update_stats(input, running_mean, running_var, momentum):
    """batch_norm_update_stats(input, running_mean, running_var, momentum) -> (mean, biased variance) of each channel,
    with which the running ones are updated (the variance unbiased)."""
    if not input.numel():
        raise RuntimeError(
            f"input tensor must have at least one element, but got input_sizes = {list(input._array.shape)}"
        )
    return _batch_norm(input.detach(), None, None, running_mean, running_var, True, momentum, 1e-5)[1:]


def _more_than_one(size, shown=None):
    """Training needs more than one value per channel."""
    count = size[0] * math.prod(size[2:])
    if count == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {shown or size}")


@public(namespace="nn.functional", word=False)  # torch.batch_norm takes its arguments otherwise
def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5):
    """batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5).

    Each channel (dimension 1) of input normalised with its own mean and biased variance when training, else with the
    running ones (Ioffe and Szegedy 2015). Training updates the running statistics in place, the variance unbiased.
    ValueError for one value per channel.
    """
    if training:
        _more_than_one(input.shape)
        if eps <= 0.0:
            raise ValueError(f"batch_norm eps must be positive during training, but got {eps}")
    if eps < 0.0:
        raise ValueError(f"batch_norm eps must be non-negative, but got {eps}")
    _reserve(input)
    return _batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)[0]


def _reserve(input):
    """What torch makes beforehand, which modes see."""
    if DISPATCH and asked((input,)):
        empty(0, dtype=uint8, device=input.device)


# ---- layer norm


class layer_norm_op(Layer):
    """layer_norm_op(input, weight, bias, normalized_shape, eps): (out, mean, 1 / sqrt(var + eps))."""

    node_name, namespace, differentiable = "NativeLayerNormBackward0", None, (0,)
    compute_in_float32 = False  # one word does it, and knows what halves need

    def mismatch(*types):
        return "mixed dtype (CPU): expect parameter to have scalar type of Float"

    @func_op(3, 3)
    def forward(xp, input, weight=None, bias=None, normalized_shape=(), eps=1e-5):
        return xp.normalize_rows(input, weight, bias, len(normalized_shape), eps)

    def prepare(input, weight, bias, normalized_shape, eps):
        shape = tuple(normalized_shape)
        n = len(shape)
        if not n:
            raise RuntimeError(
                "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
                f"element, but got normalized_shape = {list(shape)}"
            )
        for name, factor in (("weight", weight), ("bias", bias)):
            if factor is not None and tuple(factor.shape) != shape:
                raise RuntimeError(
                    f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape "
                    f"{list(factor.shape)} and normalized_shape = {list(shape)}"
                )
        if tuple(input.shape[-n:]) != shape:
            raise RuntimeError(
                f"Given normalized_shape={list(shape)}, expected input with shape [*, "
                f"{', '.join(map(str, shape))}], but got input of size{list(input.shape)}"
            )
        return shape, eps

    def backward(xp, needs, g, input, weight, out1, out2, normalized_shape, eps):
        to_x, to_w, to_b = xp.normalize_rows_backward(g, input, weight, out1, out2, len(normalized_shape), eps)
        return to_x if needs[0] else None, to_w if needs[1] else None, to_b if needs[2] else None


def _layer_norm(input, normalized_shape, weight, bias, eps):
    if isinstance(normalized_shape, int):
        raise TypeError("layer_norm(): argument 'normalized_shape' (position 2) must be tuple of ints, not int")
    if input._table.dtype.category != FLOATING:
        raise not_implemented_error("LayerNormKernelImpl", input._table.dtype)
    if (weight is not None or bias is not None) and _mixed(input, (weight, bias)):
        out, mean, rstd = layer_norm_op.fn(input.to(float32), weight, bias, normalized_shape, eps)
        return out.to(input.dtype), mean, rstd
    return layer_norm_op.fn(input, weight, bias, normalized_shape, eps)


@public(namespace="nn.functional")
def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5) -> Tensor.

    input normalised over its last len(normalized_shape) dimensions, times weight plus bias of that shape (Ba et al.
    2016).
    """
    return _layer_norm(input, normalized_shape, weight, bias, eps)[0]


@public("layer_norm")
def _torch_layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5, cudnn_enable=True):
    """layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5, cudnn_enable=True) -> Tensor."""
    return _layer_norm(input, normalized_shape, weight, bias, eps)[0]


@public()
def native_layer_norm(input, normalized_shape, weight, bias, eps):
    """native_layer_norm(input, normalized_shape, weight, bias, eps) -> (out, mean, 1 / sqrt(var + eps))."""
    return _layer_norm(input, normalized_shape, weight, bias, eps)


# ---- group norm


class group_norm_op(Layer):
    """group_norm_op(input, weight, bias, num_groups, eps): (out, mean, 1 / sqrt(var + eps))."""

    node_name, namespace, differentiable = "NativeGroupNormBackward0", None, (0,)
    compute_in_float32 = False  # one word does it, and knows what halves need

    def mismatch(*types):
        return "mixed dtype (CPU): expect parameter to have scalar type of Float"

    @func_op(3, 3)
    def forward(xp, input, weight=None, bias=None, num_groups=1, eps=1e-5):
        return xp.normalize_groups(input, weight, bias, num_groups, eps)

    numpy = formatted_first(lambda xp, *args: xp.normalize_groups(*args))

    def backward(xp, needs, g, input, weight, out1, out2, num_groups, eps):
        to_x, to_w, to_b = xp.normalize_groups_backward(g, input, weight, out1, out2, num_groups, eps)
        return to_x if needs[0] else None, to_w if needs[1] else None, to_b if needs[2] else None


def _group_norm(input, num_groups, weight, bias, eps):
    shape = input.shape
    if len(shape) < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {len(shape)}")
    if num_groups <= 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {num_groups}")
    if shape[1] % num_groups:
        raise RuntimeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape "
            f"{list(shape)} and num_groups={num_groups}"
        )
    for name, factor in (("weight", weight), ("bias", bias)):
        if factor is not None and tuple(factor.shape) != (shape[1],):
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but "
                f"got {name} of shape {list(factor.shape)} and input of shape {list(shape)}"
            )
    if input._table.dtype.category != FLOATING:
        raise not_implemented_error("GroupNormKernelImpl", input._table.dtype)
    if (weight is not None or bias is not None) and _mixed(input, (weight, bias)):
        out, mean, rstd = group_norm_op.fn(input.to(float32), weight, bias, num_groups, eps)
        return out.to(input.dtype), mean, rstd
    return group_norm_op.fn(input, weight, bias, num_groups, eps)


@public(namespace="nn.functional")
def group_norm(input, num_groups, weight=None, bias=None, eps=1e-5):
    """group_norm(input, num_groups, weight=None, bias=None, eps=1e-5) -> Tensor.

    input (N, C, ...) normalised over each of num_groups groups of channels of each sample, times weight plus bias per
    channel (Wu and He 2018).
    """
    if input.dim() < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.dim()}")
    shape = input.shape
    _more_than_one((shape[0] * shape[1] // num_groups, num_groups, *shape[2:]), list(shape))
    return _group_norm(input, num_groups, weight, bias, eps)[0]


@public("group_norm")
def _torch_group_norm(input, num_groups, weight=None, bias=None, eps=1e-5, cudnn_enabled=True):
    """group_norm(input, num_groups, weight=None, bias=None, eps=1e-5, cudnn_enabled=True) -> Tensor."""
    return _group_norm(input, num_groups, weight, bias, eps)[0]


@public()
def native_group_norm(input, weight, bias, N, C, HxW, group, eps):
    """native_group_norm(input, weight, bias, N, C, HxW, group, eps) -> (out, mean, 1 / sqrt(var + eps))."""
    out, mean, rstd = _group_norm(input, group, weight, bias, eps)
    if input.requires_grad:  # torch sends gradients through the statistics too
        rows = input.reshape(N, group, input.numel() // max(N * group, 1))
        mean = rows.mean(2)
        rstd = ((rows - mean.unsqueeze(2)).square().mean(2) + eps).rsqrt()
    return out, mean, rstd


# ---- instance norm: batch norm of a batch of one, with a channel for every channel of every sample


@public("instance_norm")
def _torch_instance_norm(
    input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, cudnn_enabled=True
):
    """instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, cudnn_enabled)."""
    if not use_input_stats and (running_mean is None or running_var is None):
        raise RuntimeError("Expected running_mean and running_var to be defined when use_input_stats is false")
    shape = tuple(input.shape)
    n, c = shape[:2]
    weight, bias, mean, var = (None if v is None else v.repeat(n) for v in (weight, bias, running_mean, running_var))
    flat = input.contiguous().view(1, n * c, *shape[2:])
    out = _torch_batch_norm(flat, weight, bias, mean, var, use_input_stats, momentum, eps)
    for kept, new in ((running_mean, mean), (running_var, var)):
        if kept is not None and use_input_stats:
            kept.detach().copy_(new.detach().view(n, c).mean(0))
    return out.view(*shape)


@public(namespace="nn.functional", word=False)  # torch.instance_norm takes its arguments otherwise
def instance_norm(
    input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, momentum=0.1, eps=1e-5
):
    """instance_norm(input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, ...).

    input (N, C, ...) normalised over each channel of each sample (Ulyanov et al. 2016), or with running statistics.
    ValueError for one element per channel.
    """
    if use_input_stats:
        size = input.shape
        if math.prod(size[2:]) == 1:
            raise ValueError(f"Expected more than 1 spatial element when training, got input size {size}")
    return _torch_instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps)


# ---- RMS norm and local response norm


@public(namespace=("torch", "nn.functional"))
def rms_norm(input, normalized_shape, weight=None, eps=None):
    """rms_norm(input, normalized_shape, weight=None, eps=None) -> Tensor: input / sqrt(mean of squares + eps) * weight.

    The mean is over the last len(normalized_shape) dimensions; eps is the type's machine epsilon when None (Zhang and
    Sennrich 2019).
    """
    shape = tuple(normalized_shape)
    n = len(shape)
    if not n:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
            f"element, but got normalized_shape = {list(shape)}"
        )
    if weight is not None and tuple(weight.shape) != shape:
        raise RuntimeError(
            "Expected weight to be of same shape as normalized_shape, but got weight of shape "
            f"{list(weight.shape)} and normalized_shape = {list(shape)}"
        )
    if tuple(input.shape[-n:]) != shape or input.dim() < n:
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape "
            f"[*{', '.join(map(str, shape))}], but got input of size{list(input.shape)}"
        )
    if not input._table.inexact:
        raise not_implemented_error("rms_norm", input._table.dtype)
    x = input if input.dtype.itemsize > 2 else input.to(float32)
    eps = finfo(x.dtype).eps if eps is None else eps
    out = x * plus(x.pow(2).mean(tuple(range(x.dim() - n, x.dim())), True), eps).rsqrt()
    if x is not input:
        return (out if weight is None else out * weight).to(input.dtype)
    return out if weight is None else out * weight


@public(namespace="nn.functional")
def local_response_norm(input, size, alpha=1e-4, beta=0.75, k=1.0):
    """local_response_norm(input, size, alpha=1e-4, beta=0.75, k=1.0) -> Tensor.

    input / (k + alpha * mean of squares over `size` neighbouring channels) ** beta (Krizhevsky et al. 2012).
    """
    dim = input.dim()
    if dim < 3:
        raise ValueError(f"Expected 3D or higher dimensionality                          input (got {dim} dimensions)")
    if input.numel() == 0:
        return input
    squares, around = input * input, (size // 2, (size - 1) // 2)
    pad = constant_pad_nd.fn
    if dim == 3:
        mean = avg_pool2d(pad(squares.unsqueeze(1), (0, 0, *around), 0.0), (size, 1), stride=1).squeeze(1)
    else:
        shape = input.shape
        squares = squares.view(shape[0], 1, shape[1], shape[2], -1)
        padded = pad(squares, (0, 0, 0, 0, *around), 0.0)
        mean = as_called(avg_pool3d, padded, (size, 1, 1), stride=1).squeeze(1).view(shape)
    return input / (mean * alpha + k).pow(beta)
