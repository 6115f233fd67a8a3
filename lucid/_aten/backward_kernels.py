"""ATen's backward ops, computed: by the gradient rules of lucid's own ops, run once more for the inputs given."""

import math

from .._backend import backward as walk
from .._backend.registry import FUNCTIONS, NAMESPACES, OPS
from .._backend.tensor_words import words_of
from .._base.dtype import float32
from .._base.state import grad_enabled, set_grad_enabled
from .._tensor.tensor import Tensor, wrap
from .calls import REDUCTIONS
from .kernel_table import KERNELS, kernel

F = NAMESPACES["nn.functional"]


def _fn(name):
    return OPS[name].fn


def vjp(f, inputs, g, needs=None):
    """Gradients of f at inputs for g, the gradient of its (first) result; None for what `needs` leaves out."""
    needs = needs or [x is not None for x in inputs]
    on = grad_enabled()
    again = on and any([x is not None and x.requires_grad for x in (*inputs, g)])
    set_grad_enabled(True)
    try:
        xs = [x if x is None or again and x.requires_grad else x.detach() for x in inputs]
        for x, need in zip(xs, needs):
            if need and x is not None and not x.requires_grad:
                x.requires_grad_()
        out = f(*xs)
        out = out[0] if isinstance(out, (tuple, list)) else out
        wanted = [x._node for x, need in zip(xs, needs) if need and x is not None]
        got = iter(
            walk.run([out._node], [g], again, again, captures=wanted) if wanted and out._node is not None else ()
        )
    finally:
        set_grad_enabled(on)
    return tuple([next(got, None) if need and x is not None else None for x, need in zip(xs, needs)])


def _of(name, f):
    """name(g, self, *options): f(self, *options) differentiated."""
    kernel(name)(lambda g, x, *options: vjp(lambda x: f(x, *options), [x], g)[0])


_of("hardswish_backward", F["hardswish"])
_of("hardsigmoid_backward", F["hardsigmoid"])
_of("silu_backward", F["silu"])
_of("mish_backward", F["mish"])
_of("glu_backward", F["glu"])
_of("softplus_backward", F["softplus"])
_of("softshrink_backward", F["softshrink"])
_of("hardshrink_backward", F["hardshrink"])
_of("hardtanh_backward", F["hardtanh"])
_of("logit_backward", FUNCTIONS["logit"])
_of("gelu_backward", lambda x, approximate: F["gelu"](x, approximate=approximate))
_of("log_sigmoid_backward", lambda x, buffer: F["logsigmoid"](x))


@kernel("tanh_backward")
def tanh_backward(g, out):
    return _by_rule("tanh", g, out=out)


@kernel("sigmoid_backward")
def sigmoid_backward(g, out):
    return _by_rule("sigmoid", g, out=out)


@kernel("_softmax_backward_data")
def softmax_backward(g, out, dim, input_dtype):
    return _by_rule("softmax_op", g, out=out, dim=dim % max(out.dim(), 1))


@kernel("_log_softmax_backward_data")
def log_softmax_backward(g, out, dim, input_dtype):
    return _by_rule("log_softmax_op", g, out=out, dim=dim % max(out.dim(), 1))


def _by_rule(label, g, **values):
    """The first input's gradient by an op's rule, from the values that it asks for."""
    rule = OPS[label].rules[0]
    return rule.call(words_of(g._table), g, *[values[w] for w in rule.wants])


@kernel("threshold_backward")
def threshold_backward(g, x, threshold):
    return FUNCTIONS["where"](x.le(threshold), FUNCTIONS["zeros_like"](g), g)


@kernel("leaky_relu_backward")
def leaky_relu_backward(g, x, slope, is_result):
    return FUNCTIONS["where"](x.gt(0), g, g * slope)


@kernel("elu_backward")
def elu_backward(g, alpha, scale, input_scale, is_result, x):
    negative, positive = alpha * scale, scale
    if is_result:
        return FUNCTIONS["where"](x.le(0), g * input_scale * (x + negative), g * positive)
    return FUNCTIONS["where"](x.le(0), g * input_scale * negative * (x * input_scale).exp(), g * positive)


@kernel("_prelu_kernel_backward")
def prelu_backward(g, x, weight):
    positive = x.gt(0)
    nothing = FUNCTIONS["zeros_like"](g)
    return FUNCTIONS["where"](positive, g, weight * g), FUNCTIONS["where"](positive, nothing, x * g)


@kernel("convolution_backward")
def convolution_backward(g, x, w, bias_sizes, stride, padding, dilation, transposed, output_padding, groups, mask):
    bias = None if not bias_sizes or bias_sizes == [0] or not mask[2] else w.new_zeros(tuple(bias_sizes))
    options = (tuple(stride), tuple(padding), tuple(dilation), transposed, tuple(output_padding), groups)
    if bias is None and mask[2]:
        bias = w.new_zeros((g.shape[1],))
    return vjp(lambda x, w, b: _fn("convolution")(x, w, b, *options), [x, w, bias], g, list(mask))


def _joint(label, mask, g, **values):
    """Gradients by an op's joint rule, from the values that it asks for: on raw arrays, as a backward walk has it."""
    rule, k = OPS[label].joint, g._table
    wide = k.sibling(float32) if k.is_half else k

    def raw(value):
        if not isinstance(value, Tensor):
            return value
        return k.widen(value._array) if k.is_half else value._array

    got = rule.call(wide, tuple(mask), raw(g), *[raw(values.get(w)) for w in rule.wants])
    return tuple([None if d is None else wrap(k.narrow(d) if k.is_half else d, k) for d in got])


def _normalized(mask, g, x, weight, mean, rstd, shape, dims, per):
    """The same as Tensors say it, to be differentiated again: x seen in `shape`, normalised over dims."""
    rows, mean, rstd = x.reshape(shape), mean.reshape(per), rstd.reshape(per)
    hat = (rows - mean) * rstd
    scaled = (g if weight is None else g * weight).reshape(shape)
    to_x = rstd * (scaled - scaled.mean(dims, True) - hat * (scaled * hat).mean(dims, True))
    return to_x.reshape(x.shape), hat.reshape(x.shape)


def _again(*tensors):
    return grad_enabled() and any([t is not None and t.requires_grad for t in tensors])


@kernel("native_layer_norm_backward")
def layer_norm_backward(g, x, shape, mean, rstd, weight, bias, mask):
    if not _again(g, x, weight):
        named = {"normalized_shape": tuple(shape), "eps": 0.0, "input": x, "weight": weight, "out1": mean, "out2": rstd}
        return _joint("layer_norm_op", mask, g, **named)
    dims = tuple(range(x.dim() - len(shape), x.dim()))
    per = (*x.shape[: dims[0]], *[1] * len(shape))
    to_x, hat = _normalized(mask, g, x, weight, mean, rstd, x.shape, dims, per)
    outer = tuple(range(dims[0]))
    sums = [(g * hat).sum(outer) if outer else g * hat, g.sum(outer) if outer else g]
    return tuple([t if need else None for t, need in zip((to_x, *sums), mask)])


@kernel("native_group_norm_backward")
def group_norm_backward(g, x, mean, rstd, weight, n, c, hxw, groups, mask):
    if not _again(g, x, weight):
        named = {"num_groups": groups, "eps": 0.0, "input": x, "weight": weight, "out1": mean, "out2": rstd}
        return _joint("group_norm_op", mask, g, **named)
    w = None if weight is None else weight.reshape(1, c, *[1] * (x.dim() - 2))
    to_x, hat = _normalized(mask, g, x, w, mean, rstd, (n, groups, -1), (2,), (n, groups, 1))
    outer = (0, *range(2, x.dim()))
    return tuple([t if need else None for t, need in zip((to_x, (g * hat).sum(outer), g.sum(outer)), mask)])


@kernel("native_batch_norm_backward")
def batch_norm_backward(g, x, weight, running_mean, running_var, mean, invstd, train, eps, mask):
    bias = x.new_zeros((x.shape[1],)) if mask[2] else None
    if weight is None and mask[1]:
        weight = x.new_ones((x.shape[1],))

    def f(x, weight, bias):
        return _fn("batch_norm_op")(x, weight, bias, running_mean, running_var, train, eps)

    return vjp(f, [x, weight, bias], g, list(mask))


@kernel("avg_pool2d_backward", "avg_pool3d_backward")
def avg_pool_backward(g, x, kernel_size, stride, *rest):
    op = _fn(f"avg_pool{len(kernel_size)}d_op")
    options = (tuple(kernel_size), tuple(stride) or None, *[tuple(r) if isinstance(r, list) else r for r in rest])
    return vjp(lambda x: op(x, *options), [x], g)[0]


@kernel("max_pool2d_with_indices_backward", "max_pool3d_with_indices_backward")
def max_pool_backward(g, x, kernel_size, stride, padding, dilation, ceil_mode, indices):
    n = len(kernel_size) if len(kernel_size) > 1 else g.dim() - 2
    return _fn(f"max_pool{n}d_placed")(g, x, indices)


@kernel("adaptive_max_pool2d_backward")
def adaptive_max_pool2d_backward(g, x, indices):
    return _placed(g, x, indices, 2)


@kernel("adaptive_max_pool3d_backward")
def adaptive_max_pool3d_backward(g, x, indices):
    return _placed(g, x, indices, 3)


def _placed(g, x, indices, n):
    """g added at flat indices over the last n dimensions of zeros like x."""
    flat = FUNCTIONS["zeros_like"](x).reshape(*x.shape[:-n], math.prod(x.shape[-n:]))
    return flat.scatter_add(-1, indices.flatten(-n), g.flatten(-n)).reshape(x.shape)


def _adaptive_backward(n):
    return lambda g, x: vjp(lambda x: F[f"adaptive_avg_pool{n}d"](x, tuple(g.shape[-n:])), [x], g)[0]


kernel("_adaptive_avg_pool2d_backward")(_adaptive_backward(2))
kernel("_adaptive_avg_pool3d_backward")(_adaptive_backward(3))


@kernel("nll_loss_backward", "nll_loss2d_backward")
def nll_loss_backward(g, x, target, weight, reduction, ignore_index, total_weight):
    op = _fn("nll_loss2d_op" if x.dim() == 4 else "nll_loss_op")
    return vjp(lambda x: op(x, target, weight, REDUCTIONS[reduction], ignore_index), [x], g)[0]


@kernel("multilabel_margin_loss_backward")
def multilabel_margin_loss_backward(g, x, target, reduction, is_target):
    return vjp(lambda x: F["multilabel_margin_loss"](x, target, reduction=REDUCTIONS[reduction]), [x], g)[0]


@kernel("multi_margin_loss_backward")
def multi_margin_loss_backward(g, x, target, p, margin, weight, reduction):
    f = F["multi_margin_loss"]
    return vjp(lambda x: f(x, target, p=p, margin=margin, weight=weight, reduction=REDUCTIONS[reduction]), [x], g)[0]


@kernel("binary_cross_entropy_backward")
def binary_cross_entropy_backward(g, x, target, weight, reduction):
    return vjp(lambda x: _fn("binary_cross_entropy_op")(x, target, weight, REDUCTIONS[reduction]), [x], g)[0]


def _loss(name, op):
    def back(g, x, target, reduction, *options):
        return vjp(lambda x: _fn(op)(x, target, REDUCTIONS[reduction], *options), [x], g)[0]

    kernel(name)(back)


_loss("mse_loss_backward", "mse_loss_op")
_loss("smooth_l1_loss_backward", "smooth_l1_loss_op")
_loss("huber_loss_backward", "huber_loss_op")
_loss("soft_margin_loss_backward", "soft_margin_loss_op")


# ---- views


def _of_view(name, f):
    def back(g, sizes, *options):
        return vjp(lambda x: f(x, *options), [g.new_zeros(tuple(sizes))], g)[0]

    kernel(name)(back)


_of_view("select_backward", FUNCTIONS["select"])
_of_view(
    "slice_backward", lambda x, dim, start, end, step: FUNCTIONS["slice"](x, dim, start, min(end, x.shape[dim]), step)
)
_of_view("diagonal_backward", FUNCTIONS["diagonal"])
_of_view("unfold_backward", lambda x, dim, size, step: x.unfold(dim, size, step))


@kernel("masked_scatter_backward")
def masked_scatter_backward(g, mask, sizes):
    if not g._table.has_data:
        return g.new_empty(tuple(sizes))
    chosen = g.masked_select(mask)
    made = g.new_zeros((math.prod(sizes),))
    made[: chosen.numel()] = chosen
    return made.reshape(tuple(sizes))


@kernel("embedding_dense_backward")
def embedding_dense_backward(g, indices, num_weights, padding_idx, scale_grad_by_freq):
    how = {"padding_idx": padding_idx, "scale_grad_by_freq": scale_grad_by_freq, "sparse": False}
    return _by_rule("embedding_op", g, indices=indices, shape=(num_weights, g.shape[-1]), **how)


# ---- sampled at other points


def _upsampling(name, forward, aligned):
    def back(g, output_size, input_size, *rest):
        x = g.new_zeros(tuple(input_size))
        size = list(output_size) if output_size is not None else list(g.shape[2:])
        return vjp(lambda x: KERNELS[forward](x, size, *rest), [x], g)[0]

    kernel(name)(back)


for _n, _linear in ((1, "linear"), (2, "bilinear"), (3, "trilinear")):
    _upsampling(f"upsample_nearest{_n}d_backward", f"upsample_nearest{_n}d", False)
    _upsampling(f"_upsample_nearest_exact{_n}d_backward", f"_upsample_nearest_exact{_n}d", False)
    _upsampling(f"upsample_{_linear}{_n}d_backward", f"upsample_{_linear}{_n}d", True)
_upsampling("upsample_bicubic2d_backward", "upsample_bicubic2d", True)


def _padding(name):
    kernel(f"{name}_backward")(lambda g, x, pad: vjp(lambda x: KERNELS[name](x, pad), [x], g)[0])


for _n in (1, 2, 3):
    _padding(f"reflection_pad{_n}d"), _padding(f"replication_pad{_n}d")


@kernel("_cdist_backward")
def cdist_backward(g, a, b, p, cdist):
    return vjp(lambda a: _fn("cdist_of")(a, b, p), [a], g)[0]


@kernel("_pdist_backward")
def pdist_backward(g, x, p, pdist):
    return vjp(lambda x: F["pdist"](x, p), [x], g)[0]


@kernel("_segment_reduce_backward")
def segment_reduce_backward(g, out, data, reduce, lengths, offsets, axis, initial):
    by_lengths = offsets is None
    return OPS["segment_gradient"].fn(
        g, data, lengths if by_lengths else offsets, out, reduce, by_lengths, axis, initial
    )
