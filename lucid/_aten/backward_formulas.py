"""How torch goes back through ops: its formulas, step by step (facts measured with dispatch modes on torch)."""

import math
import sys

from .._base.dtype import finfo
from .._tensor.tensor import strided
from .backward_calls import BACKWARD, Backward, NotThis, at, backward_of, formulas, need_real, one, reduction

ROOT_PI = math.sqrt(math.pi)


def zeros_like(v, g):
    return at.zeros_like(g)


# ---- one backward op


BACKWARD |= {
    "tanh": one("tanh_backward", "result", saves=(0,)),
    "sigmoid": one("sigmoid_backward", "result", saves=(0,)),
    "hardswish": one("hardswish_backward", "self"),
    "hardsigmoid": one("hardsigmoid_backward", "self"),
    "silu": one("silu_backward", "self"),
    "mish": one("mish_backward", "self"),
    "glu": one("glu_backward", "self", "dim"),
    "softshrink": one("softshrink_backward", "self", "lambd"),
    "hardshrink": one("hardshrink_backward", "self", "lambd"),
    "logit": one("logit_backward", "self", "eps"),
    "select": one("select_backward", "shape", "dim", "index"),
    "diagonal": one("diagonal_backward", "shape", "offset", "dim1", "dim2"),
    "unfold": one("unfold_backward", "shape", "dimension", "size", "step"),
    "_adaptive_avg_pool2d": one("_adaptive_avg_pool2d_backward", "self"),
    "_adaptive_avg_pool3d": one("_adaptive_avg_pool3d_backward", "self"),
    "multi_margin_loss_op": one("multi_margin_loss_backward", "self", "target", "p", "margin", "weight", "reduction"),
    "pdist_of": one("_pdist_backward", "self", "p", "result", saves=(0,)),
    "soft_margin_loss_op": one("soft_margin_loss_backward", "self", "target", "reduction"),
}
BACKWARD["diagonal_copy"] = BACKWARD["diagonal"]
BACKWARD["unfold_copy"] = BACKWARD["unfold"]


@backward_of("softplus")
def _softplus(v, g, needs):
    _, *how = v.told["args"]
    return [at.softplus_backward(g, v.self, *how, *[1, 20][len(how) :])]


@backward_of("relu", saves=(0,))
def _relu(v, g, needs):
    return [at.threshold_backward(g, v.result, 0)]


@backward_of("threshold")
def _threshold(v, g, needs):
    return [at.threshold_backward(g, v.self, v.threshold)]


@backward_of("hardtanh")
def _hardtanh(v, g, needs):
    low, high = (v.min_val, v.max_val) if v.has("min_val") else (0, 6)
    return [at.hardtanh_backward(g, v.self, low, high)]


@backward_of("leaky_relu")
def _leaky_relu(v, g, needs):
    return [at.leaky_relu_backward(g, v.self, v.negative_slope, False)]


@backward_of("elu")
def _elu(v, g, needs):
    return [at.elu_backward(g, v.alpha, v.scale, v.input_scale, False, v.self)]


@backward_of("celu")
def _celu(v, g, needs):
    return [at.elu_backward(g, v.alpha, 1, 1 / v.alpha, False, v.self)]


@backward_of("told_dropout", saves=(1,))
def _dropout(v, g, needs):
    g = g[0] if isinstance(g, (tuple, list)) else g
    return [at.native_dropout_backward(g, v.out1, 1.0 / (1.0 - v.p))]


@backward_of("gelu")
def _gelu(v, g, needs):
    how = {} if v.approximate == "none" else {"approximate": v.approximate}
    return [at.gelu_backward(g, v.self, **how)]


@backward_of("softmax_op", saves=(0,))
def _softmax(v, g, needs):
    return [at._softmax_backward_data(g, v.result, v.told["args"][1], v.self.dtype)]


@backward_of("log_softmax_op", saves=(0,))
def _log_softmax(v, g, needs):
    return [at._log_softmax_backward_data(g, v.result, v.told["args"][1], v.self.dtype)]


@backward_of("slice_of")
def _slice(v, g, needs):
    _, *how = v.told["args"]
    dim, start, end, step = *how, *[0, None, None, 1][len(how) :]
    return [at.slice_backward(g, list(v.sizes), dim, start or 0, sys.maxsize if end is None else end, step)]


@backward_of("layer_norm_op", saves=(1, 2))
def _layer_norm(v, g, needs):
    g = g[0] if isinstance(g, (tuple, list)) else g
    shape = list(v.normalized_shape)
    return at.native_layer_norm_backward(g, v.self, shape, v.out1, v.out2, v.weight, v.bias, list(needs))


@backward_of("group_norm_op", saves=(1, 2))
def _group_norm(v, g, needs):
    g = g[0] if isinstance(g, (tuple, list)) else g
    n, c, *rest = v.sizes
    groups = v.num_groups
    return at.native_group_norm_backward(
        g, v.self, v.out1, v.out2, v.weight, n, c, math.prod(rest), groups, list(needs)
    )


@backward_of("convolution")
def _convolution(v, g, needs):
    n = v.weight.dim() - 2

    def each(x):
        x = list(x) if isinstance(x, (tuple, list)) else [x]
        return x * n if len(x) == 1 else x

    sizes = [0] if v.bias is None else list(v.bias.shape)
    return at.convolution_backward(
        g, v.self, v.weight, sizes, each(v.stride), each(v.padding), each(v.dilation), bool(v.transposed),
        each(v.output_padding), v.groups, list(needs),
    )  # fmt: skip


@backward_of("avg_pool2d_op", "avg_pool3d_op")
def _avg_pool(v, g, needs):
    n, (_, *how) = int(v.op.label[8]), v.told["args"]
    how += [[], [0] * n, False, True, None][len(how) - 1 :]
    return [getattr(at, f"avg_pool{n}d_backward")(g, v.self, *how)]


@backward_of("max_pool2d_with_indices", "max_pool3d_with_indices", "max_pool2d_values", "max_pool3d_values", saves=(1,))
def _max_pool(v, g, needs):
    g = g[0] if isinstance(g, (tuple, list)) else g
    n, (_, *how) = len(v.kernel_size), v.told["args"]
    how += [[], [0] * n, [1] * n, False][len(how) - 1 :]
    return [getattr(at, f"max_pool{n}d_with_indices_backward")(g, v.self, *how, v.out1)]


@backward_of("adaptive_max_pool2d_op", "adaptive_max_pool3d_op", saves=(1,))
def _adaptive_max(v, g, needs):
    g = g[0] if isinstance(g, (tuple, list)) else g
    return [getattr(at, f"adaptive_max_pool{len(v.output_size)}d_backward")(g, v.self, v.out1)]


@backward_of("prelu_kernel")
def _prelu(v, g, needs):
    return at._prelu_kernel_backward(g, v.self, v.weight)


@backward_of("nll_loss_op", "nll_loss2d_op", saves=(1,))
def _nll(v, g, needs):
    name = "nll_loss_backward" if v.op.label == "nll_loss_op" else "nll_loss2d_backward"
    return [
        getattr(at, name)(g, v.self, v.target, v.weight, reduction(v), v.ignore_index, v.out1),
        *[None] * (len(needs) - 1),
    ]


@backward_of("logsigmoid", saves=(1,))
def _log_sigmoid(v, g, needs):
    return [at.log_sigmoid_backward(g, v.self, v.out1)]


@backward_of("multilabel_margin_loss_op", saves=(1,))
def _multilabel(v, g, needs):
    return [at.multilabel_margin_loss_backward(g, v.self, v.target, reduction(v), v.out1), None]


@backward_of("binary_cross_entropy_op")
def _bce(v, g, needs):
    self_grad = target_grad = None
    if needs[0]:
        self_grad = at.binary_cross_entropy_backward(g, v.self, v.target, v.weight, reduction(v))
    if needs[1]:
        turned = at.neg_(at.logit(v.self))
        target_grad = at.mul(g, turned)
        if v.weight is not None:
            target_grad = at.mul(target_grad, v.weight)
        if v.reduction == "mean":
            target_grad = at.div_(target_grad, v.self.numel())
    return [self_grad, target_grad, None]


def _symmetric_loss(name, *more):
    def step(v, g, needs):
        options = [getattr(v, n) for n in more]
        back = getattr(at, name)
        grads = [None, None]
        if needs[0]:
            grads[0] = back(g, v.self, v.target, reduction(v), *options)
        if needs[1]:
            grads[1] = back(g, v.target, v.self, reduction(v), *options)
        return grads

    return step


backward_of("mse_loss_op")(_symmetric_loss("mse_loss_backward"))
backward_of("smooth_l1_loss_op")(_symmetric_loss("smooth_l1_loss_backward", "beta"))
backward_of("huber_loss_op")(_symmetric_loss("huber_loss_backward", "delta"))


# ---- no gradient to speak of


formulas("ceil", "floor", "round_whole", "round_decimals", "sign", "trunc", input=zeros_like)


# ---- one operand


def _one_minus_square(x):
    return at.add(at.mul(at.neg(x), x), 1)


formulas("acos", input=lambda v, g: at.mul(g, at.neg(at.rsqrt(_one_minus_square(v.self)))))
formulas("asin", input=lambda v, g: at.mul(g, at.rsqrt(_one_minus_square(v.self))))
formulas("asinh", input=lambda v, g: at.mul(g, at.rsqrt(at.add(at.pow(v.self, 2), 1))))
formulas("tan", saves=(0,), input=lambda v, g: at.mul(g, at.add(at.pow(v.result, 2), 1)))
formulas("erf", input=lambda v, g: at.mul(at.mul(at.exp(at.neg(at.pow(v.self, 2))), 2 / ROOT_PI), g))
formulas("erfc", input=lambda v, g: at.mul(at.mul(at.exp(at.neg(at.pow(v.self, 2))), -2 / ROOT_PI), g))
formulas("erfcx", saves=(0,), input=lambda v, g: at.mul(at.sub(at.mul(at.mul(v.self, 2.0), v.result), 2 / ROOT_PI), g))


@backward_of("rsqrt", saves=(0,))
def _rsqrt(v, g, needs):
    need_real(g)
    cube = at.pow(v.result, 3)
    return [at.mul(at.mul(g, -0.5), cube)]


@backward_of("reciprocal", saves=(0,))
def _reciprocal(v, g, needs):
    if v.result.is_complex():
        raise NotThis
    squared = at.mul(v.result, v.result)
    return [at.mul(at.neg(g), squared)]


@backward_of("erfinv")
def _erfinv(v, g, needs):
    return [at.mul(at.mul(at.exp(at.pow(at.erfinv(v.self), 2)), 0.5 * ROOT_PI), g)]


@backward_of("atanh")
def _atanh(v, g, needs):
    need_real(g)
    below = subtracted_from(1, at.pow(v.self, 2))
    return [at.div(at.mul(g, 1), below)]


def subtracted_from(number, x):
    """number - x as torch's C++ operator has it."""
    return at.sub_(at.fill_(at.empty_like(x), number), x)


@backward_of("ndtri", saves=(0,))
def _ndtri(v, g, needs):
    grown = at.exp(at.div(at.pow(v.result, 2), 2))
    return [at.mul(at.mul(g, math.sqrt(2 * math.pi)), grown)]


@backward_of("log_ndtr", saves=(0,))
def _log_ndtr(v, g, needs):
    inner = at.add(v.result, at.div(at.pow(v.self, 2), 2))
    return [at.mul(g, at.div(at.exp(at.neg(inner)), math.sqrt(2 * math.pi)))]


@backward_of("i0e", saves=(0,))
def _i0e(v, g, needs):
    turned = at.mul(at.sgn(v.self), v.result)
    return [at.mul(g, at.sub(at.special_i1e(v.self), turned))]


# ---- two operands


@backward_of("atan2")
def _atan2(v, g, needs):
    square = at.mul(v.other, v.other)
    size = at.add(at.mul(v.self, v.self), square)
    part = at.reciprocal(size)
    part = at.masked_fill(part, at.eq(size, 0), 0)
    mine = at.mul(at.mul(g, v.other), part) if needs[0] else None
    return [mine, at.mul(at.mul(g, at.neg(v.self)), part) if needs[1] else None]


def _div_other(v, g):
    need_real(v.self, v.other)
    quotient = at.div(v.self, v.other)
    quotient = at.div(quotient, v.other)
    return at.mul(at.neg(g), quotient)


def _div_self(v, g):
    need_real(v.other)
    by_scalar = v.told["func"]._overloadname == "Scalar"  # said by C++ code
    return at.div(g, v.other) if by_scalar else at("div.Tensor", g, v.other)


formulas("div", input=_div_self, other=_div_other)


def _modulo(mode):
    def other(v, g):
        quotient = at.div(v.self, v.other, rounding_mode=mode)
        return at.mul(at.neg(g), quotient)

    return other


formulas("fmod_scalar", "fmod_tensor", input=lambda v, g: g, other=_modulo("trunc"))
formulas("remainder_scalar", "remainder_tensor", input=lambda v, g: g, other=_modulo("floor"))


def _half_where_equal(smaller):
    """Gradients of maximum and minimum: shared between equal operands."""

    def part(compare):
        def gradient(v, g):
            half = at.div(g, 2)
            shared = at.where(at.eq(v.self, v.other), half, g)
            return at.masked_fill_(shared, compare(v.self, v.other), 0)

        return gradient

    mine, others = (at.lt, at.gt) if smaller else (at.gt, at.lt)
    return {"input": part(mine), "other": part(others)}


formulas("maximum", **_half_where_equal(True))
formulas("minimum", **_half_where_equal(False))


def _kept_where(v, g, compare, limit):
    zero = at.scalar_tensor(0.0, dtype=g.dtype, layout=strided, device=g.device)
    return at.where(compare(v.self, limit), g, zero)


@backward_of("clamp_min_scalar", "clamp_min_tensor")
def _clamp_min(v, g, needs):
    limit = v.told[v.op.inputs[1]].value if len(v.op.inputs) > 1 else v.told[v.op.options[0]]
    other = _kept_where(v, g, at.lt, limit) if len(needs) > 1 and needs[1] else None
    mine = _kept_where(v, g, at.ge, limit) if needs[0] else None
    return [mine, other][: len(needs)]


@backward_of("clamp_max_scalar", "clamp_max_tensor")
def _clamp_max(v, g, needs):
    limit = v.told[v.op.inputs[1]].value if len(v.op.inputs) > 1 else v.told[v.op.options[0]]
    other = _kept_where(v, g, at.gt, limit) if len(needs) > 1 and needs[1] else None
    mine = _kept_where(v, g, at.le, limit) if needs[0] else None
    return [mine, other][: len(needs)]


# ---- chosen elements


def _selected(v, g, dim, indices, keepdim):
    """value_selecting_reduction_backward: g at the places that were chosen."""
    shape = list(v.sizes)
    if not keepdim and shape:
        g, indices = at.unsqueeze(g, dim), at.unsqueeze(indices, dim)
    return at.scatter(at.new_zeros(g, shape), dim, indices, g)


@backward_of("max_dim", "min_dim", "kthvalue", "mode", "median_along", "nanmedian_along", saves=(1,))
def _chosen(v, g, needs):
    return [_selected(v, g[0] if isinstance(g, (tuple, list)) else g, v.dim, v.out1, v.keepdim)]


@backward_of("sort_plain", "sort_stable", "topk", saves=(1,))
def _sorted(v, g, needs):
    return [_selected(v, g[0] if isinstance(g, (tuple, list)) else g, v.dim, v.out1, True)]


@backward_of("gather_op")
def _gather(v, g, needs):
    return [at.scatter_add(at.new_zeros(g, list(v.sizes)), v.dim, v.index, g), None]


def _zeros(v, g):
    """Zeros of the input's shape and kind."""
    return at.new_zeros(g, list(v.sizes), dtype=v.self.dtype, layout=strided, device=v.self.device)


@backward_of("index_select_op")
def _index_select(v, g, needs):
    zeros = _zeros(v, g)
    return [at.index_add(zeros, v.dim, v.index, g), None]


@backward_of("index_of")
def _index(v, g, needs):
    indices = [v.told[f"i{n}"] for n in range(8)]
    indices = [i.value if hasattr(i, "value") else i for i in indices]
    while indices and indices[-1] is None:
        indices.pop()
    zeros = _zeros(v, g)
    return [at.index_put(zeros, indices, g, True), *[None] * (len(needs) - 1)]


@backward_of("take_at")
def _take(v, g, needs):
    return [at.put(at.zeros_like(v.self), v.index, g, True), None]


@backward_of("max_whole", "min_whole", "median_whole", "nanmedian_whole", saves=(0,))
def _shared_evenly(v, g, needs):
    x, value = v.self, v.result
    lost = at.isnan(value)
    lost = at.logical_and(at.isnan(x), lost)
    mask = at.logical_or_(at.eq(x, value), lost)
    return [at.mul(at.div(g, at.sum(mask)), mask)]


@backward_of("logcumsumexp", saves=(0,))
def _logcumsumexp(v, g, needs):
    if g.is_complex():
        turned = at.flip(at.sub(at.log(g), at._conj(v.result)), [v.dim])
        return [at.exp(at.add(at.flip(at.logcumsumexp(turned, v.dim), [v.dim]), at._conj(v.self)))]
    lowest = at.scalar_tensor(finfo(g.dtype).min, dtype=g.dtype, layout=strided, device=g.device)
    size, out = at.log(at.abs(g)), v.result
    above, below = at.where(at.gt(g, 0), size, lowest), at.where(at.lt(g, 0), size, lowest)

    def part(x):
        turned = at.flip(at.logcumsumexp(at.flip(at.sub(x, out), [v.dim]), v.dim), [v.dim])
        return at.exp(at.add(turned, v.self))

    return [at.sub(part(above), part(below))]


# ---- statistics


def _var(v, g, result_grad=None):
    x, dims = v.self, v.dim
    dims = tuple(range(x.dim())) if dims is None else tuple(dims) if isinstance(dims, (tuple, list)) else (dims,)
    correction = 1 if v.correction is None else v.correction
    if len(dims) == x.dim() and not v.keepdim:
        mean = at.mean(x)
        n = x.numel()
    else:
        if not v.keepdim:
            for d in sorted(d % x.dim() for d in dims):
                g = at.unsqueeze(g, d)
        mean = at("mean.dim", x, list(dims), True)
        n = math.prod([x.shape[d] for d in dims])
    away = at.sub(x, mean)
    return at.mul(at.mul(g, 2.0 / (n - correction)) if n != correction else at.mul(g, math.inf), away)


@backward_of("var_dim")
def _variance(v, g, needs):
    need_real(v.self)
    return [_var(v, g)]


@backward_of("std_dim", saves=(0,))
def _deviation(v, g, needs):
    need_real(v.self)
    part = at.div(g, at.mul(v.result, 2))
    part = at.masked_fill_(part, at.eq(v.result, 0), 0)
    return [_var(v, part)]


# ---- shapes


@backward_of("squeeze_all", "squeeze_copy_0")
def _squeeze(v, g, needs):
    for d, n in enumerate(v.sizes):
        if n == 1:
            g = at.unsqueeze(g, d)
    return [g]


@backward_of("squeeze_dim", "squeeze_copy_1", "squeeze_dims", "squeeze_copy_2", "drop_dim")
def _squeeze_dims(v, g, needs):
    dims = v.dim if isinstance(v.dim, (tuple, list)) else (v.dim,)
    n = v.self.dim()
    for d in sorted({d % n for d in dims} if n else ()):
        if v.sizes[d] == 1:
            g = at.unsqueeze(g, d)
    return [g]


@backward_of("unsqueeze", "unsqueeze_copy")
def _unsqueeze(v, g, needs):
    return [at("squeeze.dim", g, v.dim)]


@backward_of("transpose")
def _transpose(v, g, needs):
    return [at.transpose(g, *v.told["args"][1:])]


@backward_of("t", "t_copy")
def _t(v, g, needs):
    return [at.t(g)]


@backward_of("constant_pad_nd")
def _pad(v, g, needs):
    return [at.constant_pad_nd(g, [-p for p in v.pad], 0)]


@backward_of("pixel_shuffle")
def _pixel_shuffle(v, g, needs):
    return [at.pixel_unshuffle(g, v.upscale_factor)]


@backward_of("pixel_unshuffle")
def _pixel_unshuffle(v, g, needs):
    return [at.pixel_shuffle(g, v.downscale_factor)]


@backward_of("linalg_cross")
def _cross(v, g, needs):
    need_real(v.self, v.other)
    other = at.linalg_cross(g, v.self, dim=v.dim) if needs[1] else None
    return [at.linalg_cross(v.other, g, dim=v.dim) if needs[0] else None, other]


@backward_of("masked_pick")
def _masked_select(v, g, needs):
    zeros = at.zeros_like(v.self)
    if tuple(v.mask.shape) != v.sizes:
        raise NotThis
    return [at.masked_scatter(zeros, v.mask, g), None]


@backward_of("masked_scatter_from")
def _masked_scatter(v, g, needs):
    mask = v.mask if v.mask.shape == g.shape else at.expand(v.mask, list(g.shape))
    source = at.masked_scatter_backward(g, mask, list(v.source.shape)) if needs[2] else None
    return [at.masked_fill(g, mask, 0).sum_to_size(v.sizes) if needs[0] else None, None, source]


def _upsampled(name, aligned):
    def step(v, g, needs):
        x, size, *rest = v.told["args"]
        return [at(f"{name}_backward", g, list(size), list(x.shape), *rest)]

    BACKWARD[name] = Backward(step)


for _n, _linear in ((1, "linear"), (2, "bilinear"), (3, "trilinear")):
    _upsampled(f"upsample_nearest{_n}d", False), _upsampled(f"_upsample_nearest_exact{_n}d", False)
    _upsampled(f"upsample_{_linear}{_n}d", True)
_upsampled("upsample_bicubic2d", True)


def _padded(name):
    def step(v, g, needs):
        x, pad = v.told["args"]
        return [at(f"{name}_backward", g, x, pad)]

    BACKWARD[name] = Backward(step)


for _n in (1, 2, 3):
    _padded(f"reflection_pad{_n}d"), _padded(f"replication_pad{_n}d")


@backward_of("batch_norm_op", saves=(1, 2))
def _batch_norm(v, g, needs):
    g = g[0] if isinstance(g, (tuple, list)) else g
    x, weight, _, mean, var, training, _, eps = v.told["args"]
    got = at.native_batch_norm_backward(g, x, weight, mean, var, v.out1, v.out2, training, eps, list(needs[:3]))
    return [*got, None, None]
