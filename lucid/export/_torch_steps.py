"""Functions that torch has in Python, in the steps that torch takes: which ops of C++ they call, so that a graph shows
those. An entry answers NotImplemented where a call is not of the kind; lucid's own function then runs, op by op.
"""

import functools
import sys

from .._aten.overloads import packet
from .._base.state import local
from .._modes.torch_function import without_innermost
from ..nn import functional as F  # noqa: N812 - torch's name
from ._capture import Composites, chosen

_REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}
_STEPS = {}


def library():
    """The package by the name that it has just now."""
    return sys.modules[__name__.partition(".")[0]]


def aten_call(name, *args, **kwargs):
    """The composite op's call, as a node of the graph that is being made."""
    mode = next(m for m in reversed(local.interpreters) if isinstance(m, Composites))
    found = chosen(packet("aten", name), args, kwargs)
    if found is None:
        return NotImplemented
    return mode.note(*found)


def steps_of(name):
    """A decorator: f(*args) is what torch does in nn.functional's function of that name."""

    def put(f):
        function = getattr(F, name, None)
        if function is not None:
            _STEPS[function] = f
        return f

    return put


def steps():
    """{function: what torch does in it}"""
    return _STEPS


# ---- activations


def _softmax_of(name):
    def call(input, dim=None, _stacklevel=3, dtype=None):
        if dim is None:
            return NotImplemented
        return aten_call(name, input, dim) if dtype is None else aten_call(name, input, dim, dtype)

    return call


steps_of("softmax")(_softmax_of("softmax"))
steps_of("log_softmax")(_softmax_of("log_softmax"))


@steps_of("softmin")
def _softmin(input, dim=None, _stacklevel=3, dtype=None):
    return NotImplemented if dim is None or dtype is not None else (-input).softmax(dim)


def _in_place_or_not(name):
    def call(input, *args, inplace=False, **kwargs):
        return aten_call(f"{name}_" if inplace else name, input, *args, **kwargs)

    return call


for _name in "relu6 selu".split():
    steps_of(_name)(_in_place_or_not(_name))


@steps_of("softsign")
def _softsign(input):
    return input / (input.abs() + 1)


@steps_of("tanhshrink")
def _tanhshrink(input):
    return input - input.tanh()


@steps_of("tanh")
def _tanh(input):
    return input.tanh()


@steps_of("sigmoid")
def _sigmoid(input):
    return input.sigmoid()


@steps_of("normalize")
def _normalize(input, p=2.0, dim=1, eps=1e-12, out=None):
    if out is not None:
        return NotImplemented
    denominator = input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)
    return input / denominator


# ---- dropout


def _dropout_of(name):
    def call(input, p=0.5, training=True, inplace=False):
        if not 0.0 <= p <= 1.0:
            return NotImplemented
        return aten_call(f"{name}_" if inplace else name, input, p, training)

    return call


for _name, _op in {
    "dropout": "dropout",
    "alpha_dropout": "alpha_dropout",
    "feature_alpha_dropout": "feature_alpha_dropout",
    "dropout1d": "feature_dropout",
    "dropout2d": "feature_dropout",
    "dropout3d": "feature_dropout",
}.items():
    steps_of(_name)(_dropout_of(_op))


# ---- normalisation


_CUDNN = False  # torch switches its backends off while it exports


@steps_of("batch_norm")
def _batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5):
    if training:
        F._verify_batch_size(input.size()) if hasattr(F, "_verify_batch_size") else None
        many = 1
        for i, n in enumerate(input.shape):
            many *= 1 if i == 1 else int(n)
        if many == 1:
            return NotImplemented
    return aten_call("batch_norm", input, weight, bias, running_mean, running_var, training, momentum, eps, _CUDNN)


@steps_of("instance_norm")
def _instance_norm(
    input,
    running_mean=None,
    running_var=None,
    weight=None,
    bias=None,
    use_input_stats=True,
    momentum=0.1,
    eps=1e-5,
):
    return aten_call(
        "instance_norm", input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, _CUDNN
    )


@steps_of("layer_norm")
def _layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    return aten_call("layer_norm", input, list(normalized_shape), weight, bias, eps, _CUDNN)


@steps_of("group_norm")
def _group_norm(input, num_groups, weight=None, bias=None, eps=1e-5):
    return aten_call("group_norm", input, num_groups, weight, bias, eps, _CUDNN)


@steps_of("rms_norm")
def _rms_norm(input, normalized_shape, weight=None, eps=None):
    return aten_call("rms_norm", input, list(normalized_shape), weight, eps)


# ---- pools and sizes


def _max_pool_of(n):
    def call(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
        if return_indices:
            return NotImplemented
        listed = [list(v) if isinstance(v, (tuple, list)) else [v] * n for v in (kernel_size, padding, dilation)]
        stride = [] if stride is None else list(stride) if isinstance(stride, (tuple, list)) else [stride] * n
        return aten_call(f"max_pool{n}d", input, listed[0], stride, listed[1], listed[2], ceil_mode)

    return call


for _n in (1, 2, 3):
    steps_of(f"max_pool{_n}d")(_max_pool_of(_n))


def _adaptive_of(name, n):
    def call(input, output_size):
        sizes = output_size if isinstance(output_size, (tuple, list)) else [output_size] * n
        spatial = input.shape[-n:]
        return aten_call(name, input, [s if s is not None else spatial[i] for i, s in enumerate(sizes)])

    return call


for _n in (2, 3):
    steps_of(f"adaptive_avg_pool{_n}d")(_adaptive_of(f"adaptive_avg_pool{_n}d", _n))


@steps_of("pad")
def _pad(input, pad, mode="constant", value=None):
    more = () if value is None and mode == "constant" else (mode,) if value is None else (mode, value)
    return aten_call("pad", input, list(pad), *more)


_SPATIAL = {3: ("nearest", "nearest-exact", "linear"), 4: ("nearest", "nearest-exact", "bilinear", "bicubic")}
_SPATIAL[5] = ("nearest", "nearest-exact", "trilinear")


@steps_of("interpolate")
def _interpolate(
    input,
    size=None,
    scale_factor=None,
    mode="nearest",
    align_corners=None,
    recompute_scale_factor=None,
    antialias=False,
):
    n = input.dim() - 2
    if mode not in _SPATIAL.get(n + 2, ()) or recompute_scale_factor or antialias:
        return NotImplemented
    if (size is None) is (scale_factor is None) or align_corners is not None and mode.startswith("nearest"):
        return NotImplemented
    listed = lambda v, kind: (
        None if v is None else [kind(s) for s in v] if isinstance(v, (list, tuple)) else [kind(v)] * n
    )  # noqa: E731
    size, scales = listed(size, lambda s: s), listed(scale_factor, float)
    if any([x is not None and len(x) != n for x in (size, scales)]):
        return NotImplemented
    name = {"nearest": "upsample_nearest", "nearest-exact": "_upsample_nearest_exact"}.get(mode, f"upsample_{mode}")
    more = () if mode.startswith("nearest") else (bool(align_corners),)
    return aten_call(f"{name}{n}d", input, size, *more, scales)


# ---- losses


def _fixed(size_average, reduce, reduction):
    return None if size_average is not None or reduce is not None else _REDUCTIONS.get(reduction)


@steps_of("cross_entropy")
def _cross_entropy(
    input,
    target,
    weight=None,
    size_average=None,
    ignore_index=-100,
    reduce=None,
    reduction="mean",
    label_smoothing=0.0,
):
    reduction = _fixed(size_average, reduce, reduction)
    if reduction is None:
        return NotImplemented
    return aten_call("cross_entropy_loss", input, target, weight, reduction, ignore_index, label_smoothing)


@steps_of("nll_loss")
def _nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
    reduction = _fixed(size_average, reduce, reduction)
    if reduction is None:
        return NotImplemented
    return aten_call("nll_loss_nd", input, target, weight, reduction, ignore_index)


def _loss_of(name, parameter=None, default=None):
    """A loss whose operands torch broadcasts first; parameter: the one that comes after the usual ones."""

    def call(input, target, size_average=None, reduce=None, reduction="mean", *args, **kwargs):
        number = _fixed(size_average, reduce, reduction)
        weight = kwargs.pop("weight", None)
        last = args[0] if args else kwargs.pop(parameter, default)
        if number is None or weight is not None or kwargs or len(args) > 1 or input.shape != target.shape:
            return NotImplemented
        input, target = library().broadcast_tensors(input, target)
        if name == "l1_loss":
            return aten_call(name, input, target, number)
        more = {} if parameter is None else {parameter: last}
        with without_innermost():
            return getattr(F, name)(input, target, reduction=reduction, **more)

    return call


for _name, _more in {"l1_loss": (), "mse_loss": (), "smooth_l1_loss": ("beta", 1.0)}.items():
    steps_of(_name)(_loss_of(_name, *_more))


@steps_of("kl_div")
def _kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    batchmean = reduction == "batchmean"
    number = _fixed(size_average, reduce, "sum" if batchmean else reduction)
    if number is None:
        return NotImplemented
    got = aten_call("kl_div", input, target, number, log_target=log_target)
    return got / input.size()[0] if batchmean and input.dim() else got


# ---- attention


@steps_of("multi_head_attention_forward")
def _multi_head_attention(
    query,
    key,
    value,
    embed_dim_to_check,
    num_heads,
    in_proj_weight,
    in_proj_bias,
    bias_k,
    bias_v,
    add_zero_attn,
    dropout_p,
    out_proj_weight,
    out_proj_bias,
    training=True,
    key_padding_mask=None,
    need_weights=True,
    attn_mask=None,
    use_separate_proj_weight=False,
    **more,
):
    unusual = (bias_k, bias_v, key_padding_mask, attn_mask, in_proj_bias)
    if any([x is not None for x in unusual[:-1]]) or in_proj_bias is None or add_zero_attn or query.dim() != 3:
        return NotImplemented
    if use_separate_proj_weight or more.get("is_causal") or more.get("static_k") is not None:
        return NotImplemented
    if more.get("static_v") is not None:
        return NotImplemented
    target, batch, width = query.shape
    head = width // num_heads
    q, k, v = _projected(query, key, value, in_proj_weight, in_proj_bias)
    q = q.view(target, batch * num_heads, head).transpose(0, 1)
    k = k.view(k.shape[0], batch * num_heads, head).transpose(0, 1)
    v = v.view(v.shape[0], batch * num_heads, head).transpose(0, 1)
    source = k.size(1)
    rate = dropout_p if training else 0.0
    if need_weights:
        weights = library().bmm(q * (1.0 / head) ** 0.5, k.transpose(-2, -1))
        weights = F.softmax(weights, dim=-1)
        if rate > 0.0:
            weights = F.dropout(weights, p=rate)
        out = library().bmm(weights, v).transpose(0, 1).reshape(target * batch, width)
        out = F.linear(out, out_proj_weight, out_proj_bias).view(target, batch, out_proj_weight.shape[0])
        weights = weights.view(batch, num_heads, target, source)
        return out, weights.mean(dim=1) if more.get("average_attn_weights", True) else weights
    q = q.view(batch, num_heads, target, head)
    k = k.view(batch, num_heads, source, head)
    v = v.view(batch, num_heads, source, head)
    out = F.scaled_dot_product_attention(q, k, v, None, rate, False)
    out = out.permute(2, 0, 1, 3).reshape(batch * target, width)
    return F.linear(out, out_proj_weight, out_proj_bias).view(target, batch, out_proj_weight.shape[0]), None


def _projected(q, k, v, w, b):
    """in_proj: one product of all three where they are the same."""
    width = q.size(-1)
    if k is v:
        if q is k:
            proj = F.linear(q, w, b)
            proj = proj.unflatten(-1, (3, width)).unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()
            return proj[0], proj[1], proj[2]
        w_q, w_kv = w.split([width, width * 2])
        b_q, b_kv = b.split([width, width * 2])
        q_proj, kv = F.linear(q, w_q, b_q), F.linear(k, w_kv, b_kv)
        kv = kv.unflatten(-1, (2, width)).unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()
        return q_proj, kv[0], kv[1]
    weights, biases = w.chunk(3), b.chunk(3)
    return tuple([F.linear(x, a, c) for x, a, c in zip((q, k, v), weights, biases)])


# ---- functions of torch's own


def _einsum(*args):
    equation, *operands = args
    if not isinstance(equation, str):
        return NotImplemented
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = list(operands[0])
    return aten_call("einsum", equation, list(operands))


def _variadic(name):
    def call(*tensors, **kwargs):
        if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
            tensors = tensors[0]
        return aten_call(name, list(tensors), **kwargs)

    return call


@functools.cache
def _add_torchs():
    """The entries for functions of `torch` itself, which is there only once the library is loaded."""
    torch = library()
    _STEPS[torch.einsum] = _einsum
    for name in ("broadcast_tensors", "meshgrid", "cartesian_prod", "block_diag"):
        _STEPS[getattr(torch, name)] = _variadic(name)


def all_steps():
    """steps(), complete."""
    _add_torchs()
    return _STEPS


__all__ = ["all_steps", "aten_call", "steps", "steps_of"]
