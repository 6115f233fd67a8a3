"""ATen's neural network ops, computed."""

from .._backend.registry import FUNCTIONS, NAMESPACES, OPS
from .._func.nn.interpolate import at_size
from .calls import REDUCTIONS
from .kernel_table import kernel

F = NAMESPACES["nn.functional"]


def _fn(name):
    return OPS[name].fn


@kernel("convolution", "_convolution", "convolution_overrideable")
def convolution(x, weight, bias, stride, padding, dilation, transposed, output_padding, groups, *rest):
    return _fn("convolution")(
        x, weight, bias, tuple(stride), tuple(padding), tuple(dilation), transposed, tuple(output_padding), groups
    )


@kernel("native_layer_norm")
def native_layer_norm(x, shape, weight, bias, eps):
    return FUNCTIONS["native_layer_norm"](x, tuple(shape), weight, bias, eps)


@kernel("native_group_norm")
def native_group_norm(x, weight, bias, n, c, hxw, groups, eps):
    return FUNCTIONS["native_group_norm"](x, weight, bias, n, c, hxw, groups, eps)


@kernel("native_batch_norm")
def native_batch_norm(x, weight, bias, running_mean, running_var, training, momentum, eps):
    return FUNCTIONS["native_batch_norm"](x, weight, bias, running_mean, running_var, training, momentum, eps)


@kernel("nll_loss_forward", "nll_loss2d_forward")
def nll_loss_forward(x, target, weight, reduction, ignore_index):
    op = _fn("nll_loss2d_op" if x.dim() == 4 else "nll_loss_op")
    loss = op(x, target, weight, REDUCTIONS[reduction], ignore_index)
    if reduction == 0 and x.dim() > 1:
        return loss, x.new_zeros(())
    counted = target.ne(ignore_index)
    if weight is None:
        return loss, counted.sum().to(x.dtype)
    chosen = weight.gather(0, target.clamp(0).reshape(-1)).reshape(target.shape)
    return loss, (chosen * counted.to(x.dtype)).sum()


@kernel("multilabel_margin_loss_forward")
def multilabel_margin_loss_forward(x, target, reduction):
    loss = F["multilabel_margin_loss"](x, target, reduction=REDUCTIONS[reduction])
    flat = target.reshape(-1, target.shape[-1]) if target.dim() else target.reshape(1, 1)
    ended = flat.lt(0).to(target.dtype).cumsum(-1).gt(0)
    classes = FUNCTIONS["arange"](flat.shape[-1])
    chosen = flat.masked_fill(ended, -1).unsqueeze(-1).eq(classes).any(-2)
    return loss, chosen.to(x.dtype).reshape(target.shape)


@kernel("log_sigmoid_forward")
def log_sigmoid_forward(x):
    return F["logsigmoid"](x), x.abs().neg().exp()


@kernel("_trilinear")
def trilinear(a, weight, b, *expand):
    return _fn("trilinear")(a, weight, b)


@kernel("adaptive_max_pool2d", "adaptive_max_pool3d")
def adaptive_max_pool(x, size):
    return F[f"adaptive_max_pool{len(size)}d"](x, tuple(size), return_indices=True)


@kernel("_adaptive_avg_pool2d", "_adaptive_avg_pool3d")
def adaptive_avg_pool(x, size):
    n = len(size)
    return _fn(f"_adaptive_avg_pool{n}d")(x, tuple(size)) if f"_adaptive_avg_pool{n}d" in OPS else _mean(x, size)


def _mean(x, size):
    return F[f"adaptive_avg_pool{len(size)}d"](x, tuple(size))


@kernel("max_pool2d_with_indices", "max_pool3d_with_indices")
def max_pool_with_indices(x, kernel_size, stride=(), padding=0, dilation=1, ceil_mode=False):
    return _fn(f"max_pool{_spatial(kernel_size, x)}d_with_indices")(
        x,
        *[tuple(v) if isinstance(v, (list, tuple)) else v for v in (kernel_size, stride or None, padding, dilation)],
        ceil_mode,
    )


def _spatial(kernel_size, x):
    return len(kernel_size) if len(kernel_size) > 1 else x.dim() - 2


@kernel("max_unpool2d", "max_unpool3d")
def max_unpool(x, indices, size, *rest):
    return _fn(f"max_unpool{len(size)}d_op")(x, indices, tuple(size))


@kernel("_scaled_dot_product_flash_attention_for_cpu")
def flash_attention(q, k, v, dropout_p, is_causal, attn_mask, scale):
    return _fn("flash_attention")(q, k, v, attn_mask, is_causal, q.shape[-1] ** -0.5 if scale is None else scale)


def _interpolation(mode, n, name, aligned):
    def upsampled(x, size, *rest):
        align = rest[0] if aligned else None
        scales = list(rest[1:] if aligned else rest)
        if size is None:
            return F["interpolate"](x, None, tuple(scales[0]), mode, align)
        return _at_size(x, tuple(size), scales, mode, align)

    kernel(name)(upsampled)


def _at_size(x, size, scales, mode, align, antialias=False):
    """With the scales that were given: they, not the sizes, say where points lie."""
    return at_size(x, size, scales if any(s is not None for s in scales) else None, mode, align, antialias)


for _n, _linear in ((1, "linear"), (2, "bilinear"), (3, "trilinear")):
    _interpolation("nearest", _n, f"upsample_nearest{_n}d", False)
    _interpolation("nearest-exact", _n, f"_upsample_nearest_exact{_n}d", False)
    _interpolation(_linear, _n, f"upsample_{_linear}{_n}d", True)
_interpolation("bicubic", 2, "upsample_bicubic2d", True)


def _antialiased(mode):
    @kernel(f"_upsample_{mode}2d_aa")
    def upsampled(x, size, align_corners, *scales):
        if size is None:
            return F["interpolate"](x, None, tuple(scales[0]), mode, align_corners, antialias=True)
        return _at_size(x, tuple(size), scales, mode, align_corners, True)


_antialiased("bilinear")
_antialiased("bicubic")


def _padding(kind, n):
    kernel(f"{kind}_pad{n}d")(
        lambda x, pad: F["pad"](x, tuple(pad), "reflect" if kind == "reflection" else "replicate")
    )


for _n in (1, 2, 3):
    _padding("reflection", _n), _padding("replication", _n)


@kernel("smooth_l1_loss")
def smooth_l1_loss(x, target, reduction, beta):
    return F["smooth_l1_loss"](x, target, reduction=REDUCTIONS[reduction], beta=beta)


@kernel("huber_loss")
def huber_loss(x, target, reduction, delta):
    return F["huber_loss"](x, target, REDUCTIONS[reduction], delta)


@kernel("binary_cross_entropy_with_logits")
def bce_with_logits(x, target, weight, pos_weight, reduction):
    return _fn("bce_with_logits_op")(x, target, weight, pos_weight, REDUCTIONS[reduction])


@kernel("soft_margin_loss")
def soft_margin_loss(x, target, reduction):
    return _fn("soft_margin_loss_op")(x, target, REDUCTIONS[reduction])


@kernel("embedding")
def embedding(weight, indices, padding_idx, scale_grad_by_freq, sparse):
    return _fn("embedding_op")(weight, indices, padding_idx, scale_grad_by_freq, sparse)


@kernel("elu_")
def elu_in_place(x, alpha, scale, input_scale):
    return x.copy_(_fn("elu")(x, alpha, scale, input_scale))
