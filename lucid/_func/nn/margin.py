"""Losses with a margin: ranking, hinge, triplet, cosine, multi-class and multi-label margins."""

import math

from ..._backend.core import func_op
from ..._backend.families import Layer
from ..._backend.registry import public
from ..._base.dtype import FLOATING, SCALAR_NAMES, int64
from ..._base.shape import broadcast_shapes
from ..._base.state import local
from ..creation.gfunc import zeros_like
from ..pointwise.activation import logsigmoid
from ..pointwise.compare import minimum
from ..pointwise.scalar import minus, plus
from ..pointwise.where import where
from ..reduction.norms import pairwise_distance
from .loss import REDUCTIONS, checked, legacy, need_castable, reduced, share_of, total_of


def _both(name, f):
    """Publish f(…, reduction word) as torch's form, whose reduction is a number."""

    place = f.__code__.co_varnames.index("reduction")

    def numbered(*args, reduction=0, **kwargs):
        if len(args) > place:
            *args, reduction = args
        return f(*args, reduction=REDUCTIONS[reduction], **kwargs)

    numbered.__name__ = numbered.__qualname__ = name
    numbered.__doc__ = f"{name}(..., reduction=0) -> Tensor: nn.functional.{name} with the reduction as a number."
    public(name, word=False)(numbered)


def _hinge(input, target, margin=1.0, reduction="mean"):
    zero = zeros_like(input)
    apart = (input.new_full((), margin) - input).clamp_min(0)
    return reduced(where(target != 1, apart, zero) + where(target != -1, input, zero), reduction)


@public(namespace="nn.functional")
def hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None, reduction="mean"):
    """hinge_embedding_loss(input, target, margin=1.0, reduction="mean") -> Tensor.

    input where target is 1, max(0, margin - input) where it is -1.
    """
    return _hinge(input, target, margin, checked(legacy(size_average, reduce, reduction)))


def _cosine(input1, input2, target, margin=0.0, reduction="mean"):
    sizes = f"{list(input1.shape)} and {list(input2.shape)}"
    if target.dim() not in (0, 1):
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if target.dim() == 1 and input1.dim() != 2:
        raise RuntimeError(f"1D target tensor expects 2D input tensors, but found inputs with sizes {sizes}.")
    if target.dim() == 0 and input1.dim() != 1:
        raise RuntimeError(f"0D target tensor expects 1D input tensors, but found inputs with sizes {sizes}.")
    dim, tiny = target.dim(), 1e-12
    size = plus((input1 * input1).sum(dim), tiny) * plus((input2 * input2).sum(dim), tiny)
    cos = (input1 * input2).sum(dim) / size.sqrt()
    zero = zeros_like(cos)
    alike, apart = cos.new_ones(()) - cos, minus(cos, margin).clamp_min(0)
    return reduced(where(target == 1, alike, zero) + where(target == -1, apart, zero), reduction)


@public(namespace="nn.functional")
def cosine_embedding_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    """cosine_embedding_loss(input1, input2, target, margin=0, reduction="mean") -> Tensor.

    1 - cos where target is 1, max(0, cos - margin) where it is -1; inputs (N, D) and target (N), or (D) and ().
    """
    return _cosine(input1, input2, target, margin, checked(legacy(size_average, reduce, reduction)))


def _ranking(input1, input2, target, margin=0.0, reduction="mean"):
    return reduced(plus(-target * (input1 - input2), float(margin)).clamp_min(0), reduction)


@public(namespace="nn.functional")
def margin_ranking_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    """margin_ranking_loss(input1, input2, target, margin=0, reduction="mean") -> Tensor.

    max(0, margin - target (input1 - input2)): with target 1 the first should be the greater, with -1 the second.
    """
    reduction = checked(legacy(size_average, reduce, reduction))
    if not input1.dim() == input2.dim() == target.dim():
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: "
            f"{input1.size()}, input2: {input2.size()}, target: {target.size()} "
        )
    return _ranking(input1, input2, target, margin, reduction)


def _same_dims(anchor, positive, negative):
    if not anchor.dim() == positive.dim() == negative.dim():
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {anchor.dim()}D, positive {positive.dim()}D, and negative {negative.dim()}D inputs"
        )


def _triplet(anchor, positive, negative, margin=1.0, p=2.0, eps=1e-6, swap=False, reduction="mean"):
    _same_dims(anchor, positive, negative)
    near, far = pairwise_distance(anchor, positive, p, eps), pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = minimum.fn(far, pairwise_distance(positive, negative, p, eps))
    return reduced((plus(near, margin) - far).clamp_min(0), reduction)


@public(namespace="nn.functional")
def triplet_margin_loss(
    anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False, size_average=None, reduce=None, reduction="mean"
):
    """triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False, reduction="mean").

    max(0, margin + |anchor - positive| - |anchor - negative|) in the p-norm of the last dimension; swap takes the
    nearer of anchor and positive to the negative.
    """
    reduction = checked(legacy(size_average, reduce, reduction))
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    return _triplet(anchor, positive, negative, margin, p, eps, swap, reduction)


@public(namespace="nn.functional")
def triplet_margin_with_distance_loss(
    anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False, reduction="mean"
):
    """triplet_margin_with_distance_loss(anchor, positive, negative, *, distance_function=None, margin=1.0, ...).

    triplet_margin_loss with a distance of the caller's (pairwise_distance when None).
    """
    checked(reduction)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    _same_dims(anchor, positive, negative)
    distance = pairwise_distance if distance_function is None else distance_function
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = minimum.fn(far, distance(positive, negative))
    return reduced((margin + near - far).clamp_min(0), reduction)


# ---- soft margins


class soft_margin_loss_op(Layer):
    """soft_margin_loss_op(input, target, reduction): log(1 + exp(-target * input))."""

    node_name, namespace, promote, index_inputs = "SoftMarginLossBackward0", None, "same", ("target",)
    stepwise, gradient_kernel = True, False

    @func_op(2)
    def forward(xp, input, target, reduction="mean"):
        return total_of(xp, xp.log1p(xp.exp(-target * input)), reduction)

    def grad_input(xp, g, input, target, reduction, shape):
        z = xp.exp(-target * input)
        share = 1 / math.prod(shape) if reduction == "mean" and math.prod(shape) else 1.0
        return xp.mul(-target, xp.wide_scalar(share)) * z / (z + 1) * g


@public(namespace="nn.functional")
def soft_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """soft_margin_loss(input, target, reduction="mean") -> Tensor: log(1 + exp(-target * input)), targets 1 or -1."""
    reduction = checked(legacy(size_average, reduce, reduction))
    shape = broadcast_shapes(tuple(input.shape), tuple(target.shape))
    if shape != tuple(input.shape):
        raise RuntimeError(f"output with shape {list(input.shape)} doesn't match the broadcast shape {list(shape)}")
    target = target.expand(shape)
    need_castable(input, target)
    if input.dtype.category < FLOATING:
        raise RuntimeError(f"result type Float can't be cast to the desired output type {SCALAR_NAMES[input.dtype]}")
    if target._node is not None and local.grad:
        raise RuntimeError(
            "The function 'soft_margin_loss' is not differentiable with respect to argument 'target'. This input "
            "cannot have requires_grad True."
        )
    return soft_margin_loss_op.fn(input, target.to(input.dtype), reduction)


@public(namespace="nn.functional")
def multilabel_soft_margin_loss(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    """multilabel_soft_margin_loss(input, target, weight=None, reduction="mean") -> Tensor.

    Binary cross entropy of sigmoid(input), averaged over the classes (last dimension); target 0 or 1.
    """
    reduction = checked(legacy(size_average, reduce, reduction))
    logs = logsigmoid.fn
    loss = -(target * logs(input) + (1 - target) * logs(-input))
    if weight is not None:
        loss = loss * weight
    return reduced(loss.sum(-1) / input.size(-1), reduction)


# ---- margins between classes


class multi_margin_loss_op(Layer):
    """multi_margin_loss_op(input (N, C), target, weight, p, margin, reduction)."""

    node_name, namespace = "MultiMarginLossBackward0", None
    index_inputs = ("target", "weight")

    @func_op(3)
    def forward(xp, input, target, weight=None, p=1, margin=1.0, reduction="mean"):
        lone = target.ndim == 0 and reduction == "none"
        input, target = _rows(xp, input), _flat(xp, target)
        hinge = _hinges(xp, input, target, margin)
        loss = _weighed(xp, hinge if p == 1 else hinge * hinge, target, weight)
        loss = xp.sum(loss, (1,), False) / float(input.shape[1])
        return xp.reshape(loss, ()) if lone else total_of(xp, loss, reduction)

    def grad_input(xp, g, input, target, weight, p, margin, reduction, shape):
        input, target = _rows(xp, input), _flat(xp, target)
        n, classes = input.shape
        hinge = _hinges(xp, input, target, margin)
        slope = xp.cast(hinge > 0, xp.dtype) if p == 1 else hinge * 2.0
        slope = _weighed(xp, slope, target, weight) * (1.0 / classes)
        slope = slope - xp.class_scatter(xp.sum(slope, (1,), False), target, classes)
        g = share_of(xp, g, reduction, (n,))
        return xp.reshape(slope * (xp.reshape(g, (n, 1)) if reduction == "none" else g), tuple(shape))


def _rows(xp, x):
    """x (C) or () as one row."""
    return x if x.ndim == 2 else xp.reshape(x, (1, x.shape[0] if x.ndim else 1))


def _flat(xp, target):
    return target if target.ndim == 1 else xp.reshape(target, (1,))


def _hinges(xp, input, target, margin):
    """max(0, margin - x[target] + x[i]) for i other than target."""
    n, classes = input.shape
    own = xp.class_scatter(xp.ones((n,)), target, classes)
    hinge = input - xp.unsqueeze(xp.class_gather(input, target), 1) + margin
    return xp.where(xp.logical_and(xp.eq(own, 0), xp.gt(hinge, 0)), hinge, xp.scalar(0))


def _weighed(xp, x, target, weight):
    return x if weight is None else x * xp.unsqueeze(xp.index_select(weight, 0, target), 1)


@public(namespace="nn.functional")
def multi_margin_loss(input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction="mean"):
    """multi_margin_loss(input, target, p=1, margin=1.0, weight=None, reduction="mean") -> Tensor.

    The mean over classes i of max(0, margin - input[target] + input[i])^p, i other than target, times weight[target];
    input (N, C) or (C), target of class indices (int64).
    """
    reduction = checked(legacy(size_average, reduce, reduction))
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.dim() != 1:
        raise ValueError("weight must be one-dimensional")
    shape = list(input.shape)
    if len(shape) > 2 or 0 in shape[-1:]:
        raise RuntimeError(f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {shape}")
    n, classes = shape if len(shape) == 2 else (1, shape[0] if shape else 1)
    if target.numel() != n or target.dim() > 1:
        raise RuntimeError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch "
            f"size). Expected target size [{n}], but got {list(target.shape)}. Input has shape {shape}."
        )
    if weight is not None and weight.numel() != classes:
        raise RuntimeError(f"inconsistent weight size, expected {classes} but got {list(weight.shape)}")
    _need_long(target)
    try:
        return multi_margin_loss_op.fn(input, target, weight, p, margin, reduction)
    except IndexError:
        raise RuntimeError("target out of range") from None


def _need_long(target):
    if target.dtype is not int64:
        raise RuntimeError(f"expected scalar type Long but found {SCALAR_NAMES[target._table.dtype]}")


class multilabel_margin_loss_op(Layer):
    """multilabel_margin_loss_op(input (N, C), target (N, C), reduction): see the public function."""

    node_name, namespace, index_inputs = "MultilabelMarginLossBackward0", None, ("target",)

    @func_op(2)
    def forward(xp, input, target, reduction="mean"):
        lone = input.ndim < 2 and reduction == "none"
        input, target = _rows(xp, input), _rows(xp, target)
        hinge, _ = _label_hinges(xp, input, target)
        loss = xp.sum(hinge, (1, 2), False) / float(input.shape[1])
        return xp.reshape(loss, ()) if lone else total_of(xp, loss, reduction)

    def numpy(np, input, target, reduction):
        if target.size and (target.min() < -1 or target.max() >= (input.shape or (1,))[-1]):
            raise RuntimeError("argument #2 'target' is out of range")
        return multilabel_margin_loss_op.forward(np, input, target, reduction)

    def grad_input(xp, g, input, target, reduction, shape):
        input, target = _rows(xp, input), _rows(xp, target)
        n, classes = input.shape
        hinge, safe = _label_hinges(xp, input, target)
        active = xp.cast(hinge > 0, xp.dtype)
        as_label = xp.scatter_add(xp.zeros((n, classes)), 1, safe, xp.sum(active, (2,), False))
        slope = xp.sum(active, (1,), False) - as_label
        g = share_of(xp, g, reduction, (n,))
        slope = slope * (1.0 / classes)
        return xp.reshape(slope * (xp.reshape(g, (n, 1)) if reduction == "none" else g), tuple(shape))


def _label_hinges(xp, input, target):
    """(max(0, 1 - x[label j] + x[i]) for each label j before the first -1 and each i that is no label, the labels)."""
    n, classes = input.shape
    listed = xp.cumsum(xp.cast(target < 0, xp.dtype), 1) == 0
    safe = xp.where(listed, target, 0)
    listed = xp.cast(listed, xp.dtype)
    label = xp.scatter_add(xp.zeros((n, classes)), 1, safe, listed)
    other = xp.cast(label == 0, xp.dtype)
    gap = 1.0 - xp.unsqueeze(xp.gather(input, 1, safe), 2) + xp.unsqueeze(input, 1)
    counts = xp.unsqueeze(listed, 2) * xp.unsqueeze(other, 1)
    return xp.where(xp.logical_and(xp.ne(counts, 0), xp.gt(gap, 0)), gap, xp.scalar(0)), safe


@public(namespace="nn.functional")
def multilabel_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """multilabel_margin_loss(input, target, reduction="mean") -> Tensor.

    The sum over labels j and other classes i of max(0, 1 - input[j] + input[i]), divided by C; input and target (N,
    C) or (C); the labels are the entries of target before its first -1.
    """
    reduction = checked(legacy(size_average, reduce, reduction))
    shape = list(input.shape)
    if len(shape) > 2 or 0 in shape[-1:]:
        raise RuntimeError(f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {shape}")
    if list(target.shape) != shape and not (len(shape) < 2 and target.numel() == input.numel()):
        raise RuntimeError(f"inconsistent target size: {list(target.shape)} for input of size: {shape}")
    _need_long(target)
    return multilabel_margin_loss_op.fn(input, target, reduction)


for _name, _f in (
    ("hinge_embedding_loss", _hinge),
    ("cosine_embedding_loss", _cosine),
    ("margin_ranking_loss", _ranking),
    ("triplet_margin_loss", _triplet),
):
    _both(_name, _f)
