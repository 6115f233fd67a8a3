"""Losses: cross_entropy, nll_loss, mse_loss, l1_loss, smooth_l1_loss, huber_loss, binary_cross_entropy."""

import math

from ..._backend.core import func_op
from ..._backend.families import Layer, not_implemented_error
from ..._backend.registry import public
from ..._backend.rules import in_one_step, wide_over, wide_times
from ..._base.dtype import FLOATING, SCALAR_NAMES, bfloat16, float16, int64, uint8
from ..._base.promotion import can_cast, promote_types
from ..._base.shape import broadcast_shapes
from ..._base.warn import warn
from ..pointwise.activation import logsigmoid
from ..pointwise.scalar import over, plus, times
from ..reduction.softmax import log_softmax
from ..shape.expand import broadcast_tensors

# ---- reductions


REDUCTIONS = ("none", "mean", "sum")  # by the numbers that functions of `torch` take


def legacy(size_average, reduce, reduction):
    """The word for the arguments torch had before `reduction`, with its warning."""
    if size_average is None and reduce is None:
        return reduction
    size_average, reduce = size_average is None or size_average, reduce is None or reduce
    word = ("mean" if size_average else "sum") if reduce else "none"
    warn(f"size_average and reduce args will be deprecated, please use reduction='{word}' instead.")
    return word


def checked(reduction):
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return reduction


def reduced(loss, reduction):
    """The loss as the reduction asks."""
    return loss.mean() if reduction == "mean" else loss.sum() if reduction == "sum" else loss


def total_of(xp, loss, reduction):
    """The same inside a kernel."""
    if reduction == "none":
        return loss
    return (xp.mean if reduction == "mean" else xp.sum)(loss, tuple(range(loss.ndim)), False)


def share_of(xp, g, reduction, shape):
    """What each element of a loss of `shape` receives of the reduced loss's gradient."""
    return wide_over(xp, g, math.prod(shape) or 1) if reduction == "mean" else g


def _shared(xp, slope, g, weight, reduction):
    """The gradient of elements with these slopes, in torch's order: times g, weighed, divided among them."""
    return share_of(xp, _weigh(slope * g, weight), reduction, slope.shape)


def _factor(xp, number, reduction, shape):
    """A number, divided by the number of elements where the loss is their mean, in the type of the elements."""
    return xp.scalar(number / math.prod(shape) if reduction == "mean" and math.prod(shape) else number)


def _same_size(input, target):
    """torch's warning for a target of another size."""
    if target.size() != input.size():
        warn(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}). This will "
            "likely lead to incorrect results due to broadcasting. Please ensure they have the same size.",
        )


# ---- distances of two operands


class mse_loss_op(Layer):
    """mse_loss_op(input, target, reduction): (input - target)^2."""

    node_name, namespace, promote = "MseLossBackward0", None, "same"
    stepwise, gradient_kernel = True, False

    @func_op(2)
    def forward(xp, input, target, reduction="mean"):
        d = input - target
        return total_of(xp, d * d, reduction)

    def grad_input(xp, g, input, target, reduction):
        d = input - target
        return d * _factor(xp, 2.0, reduction, d.shape) * g

    def grad_target(xp, g, input, target, reduction):
        d = target - input
        return d * _factor(xp, 2.0, reduction, d.shape) * g


class smooth_l1_loss_op(Layer):
    """smooth_l1_loss_op(input, target, reduction, beta): d^2 / (2 beta) where |d| < beta, else |d| - beta / 2."""

    node_name, namespace, promote, stepwise = "SmoothL1LossBackward0", None, "same", True

    @func_op(2)
    def forward(xp, input, target, reduction="mean", beta=1.0):
        if xp.dtype is float16:  # whose kernel rounds each step
            return total_of(xp, _smooth_l1(xp, input, target, beta), reduction)
        return total_of(xp, in_one_step(xp, _smooth_l1, input, target, beta), reduction)

    def grad_input(xp, g, input, target, reduction, beta):
        return _clipped(xp, input - target, beta) / beta * share_of(xp, g, reduction, input.shape)

    def grad_target(xp, g, input, target, reduction, beta):
        return _clipped(xp, target - input, beta) / beta * share_of(xp, g, reduction, input.shape)


def _smooth_l1(xp, input, target, beta):
    z = xp.abs(input - target)
    return xp.where(z < beta, z * z * 0.5 / beta, z - 0.5 * beta)


class huber_loss_op(Layer):
    """huber_loss_op(input, target, reduction, delta): d^2 / 2 where |d| < delta, else delta (|d| - delta / 2)."""

    node_name, namespace, promote = "HuberLossBackward0", None, "same"
    stepwise, gradient_kernel = True, False

    @func_op(2)
    def forward(xp, input, target, reduction="mean", delta=1.0):
        if xp.dtype is bfloat16:  # whose kernel rounds each step
            return total_of(xp, _huber(xp, input, target, delta), reduction)
        return total_of(xp, in_one_step(xp, _huber, input, target, delta), reduction)

    def grad_input(xp, g, input, target, reduction, delta):
        return _huber_slope(xp, input - target, delta, _factor(xp, 1.0, reduction, input.shape), g)

    def grad_target(xp, g, input, target, reduction, delta):
        return _huber_slope(xp, target - input, delta, _factor(xp, 1.0, reduction, input.shape), g)


def _huber(xp, input, target, delta):
    z = xp.abs(input - target)
    return xp.where(z < delta, wide_times(xp, z * z, 0.5), wide_times(xp, xp.sub(z, xp.scalar(0.5 * delta)), delta))


def _huber_slope(xp, d, delta, share, g):
    far = wide_times(xp, g * share, delta)
    return xp.where(d <= -delta, -far, xp.where(d >= delta, far, d * share * g))


def _clipped(xp, d, limit):
    """d, held between -limit and limit."""
    return xp.where(d <= -limit, -limit, xp.where(d >= limit, limit, d))


def _pair(input, target):
    """Both broadcast to one shape, as torch's Python side does."""
    if input.shape == target.shape:
        return input, target
    return broadcast_tensors(input, target)


def need_castable(input, target):
    """torch's error where the promoted type does not fit into the input's, which is that of the loss."""
    kind = promote_types(input.dtype, target.dtype)
    if not can_cast(kind, input.dtype):
        raise RuntimeError(
            f"result type {SCALAR_NAMES[kind]} can't be cast to the desired output type {SCALAR_NAMES[input.dtype]}"
        )


@public(namespace="nn.functional")
def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """mse_loss(input, target, reduction="mean", weight=None) -> Tensor: the squared difference.

    With weight each element counts that much, and the mean divides by the weights' sum.
    """
    _same_size(input, target)
    reduction = legacy(size_average, reduce, reduction)
    a, b = _pair(input, target)
    if weight is not None:
        return _weighted((a - b) ** 2, weight, input, reduction)
    checked(reduction)
    for t in (a, b):
        if t._table.is_complex or a._table.dtype.category < FLOATING and b._table.dtype.category < FLOATING:
            raise not_implemented_error("mse_cpu", t._table.dtype)
    return mse_loss_op.fn(a, b, reduction)


def _weighted(loss, weight, input, reduction):
    if weight.size() != input.size():
        raise ValueError("Weights and input must have the same size.")
    loss = loss * weight
    if reduction == "mean":
        return loss.sum() / weight.sum()
    return loss.sum() if checked(reduction) == "sum" else loss


@public(namespace="nn.functional")
def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """l1_loss(input, target, reduction="mean", weight=None) -> Tensor: the absolute difference."""
    _same_size(input, target)
    reduction = legacy(size_average, reduce, reduction)
    a, b = _pair(input, target)
    if weight is not None:
        return _weighted((a - b).abs(), weight, input, reduction)
    return reduced((a - b).abs(), checked(reduction))


@public(namespace="nn.functional")
def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    """smooth_l1_loss(input, target, reduction="mean", beta=1.0) -> Tensor: quadratic up to beta, linear beyond."""
    _same_size(input, target)
    reduction = checked(legacy(size_average, reduce, reduction))
    a, b = _pair(input, target)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    if beta == 0.0:
        return l1_loss(a, b, reduction=reduction)
    kind = promote_types(a.dtype, b.dtype)
    if kind.category != FLOATING:
        raise not_implemented_error("smooth_l1_cpu", kind)
    return smooth_l1_loss_op.fn(a, b, reduction, beta)


@public(namespace="nn.functional")
def huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    """huber_loss(input, target, reduction="mean", delta=1.0, weight=None) -> Tensor: squares to delta, then linear."""
    _same_size(input, target)
    a, b = _pair(input, target)
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    need_castable(a, b)
    b = b if b._table is a._table else b.to(a.dtype)
    if a.dtype.category != FLOATING:
        raise not_implemented_error("huber_cpu", a.dtype)
    if weight is not None:
        if weight.size() != input.size():
            raise ValueError("Weights and input must have the same size.")
        return reduced(huber_loss_op.fn(a, b, "none", delta).to(a.dtype) * weight, checked(reduction))
    return huber_loss_op.fn(a, b, checked(reduction), delta).to(a.dtype)


# ---- two classes: binary cross entropy


def _log_sigmoid(xp, x):
    return in_one_step(xp, _log_sigmoid_in_words, x)


def _log_sigmoid_in_words(xp, x):
    return xp.minimum(x, xp.scalar(0.0)) - xp.log1p(xp.exp(-xp.abs(x)))


def _weigh(x, weight):
    return x if weight is None else x * weight


class binary_cross_entropy_op(Layer):
    """binary_cross_entropy_op(input, target, weight, reduction); logarithms are held above -100, as torch's are."""

    node_name, namespace, index_inputs = "BinaryCrossEntropyBackward0", None, ("weight",)
    stepwise, gradient_kernel = True, False

    def mismatch(a, b):
        return f"Found dtype {SCALAR_NAMES[b]} but expected {SCALAR_NAMES[a]}"

    @func_op(3)
    def forward(xp, input, target, weight=None, reduction="mean"):
        floor = xp.scalar(-100.0)
        yes, no = xp.maximum(xp.log(input), floor), xp.maximum(xp.log1p(-input), floor)
        return total_of(xp, _weigh((target - 1) * no - target * yes, weight), reduction)

    def numpy(np, input, target, weight, reduction):
        for name, x in (("input", input), ("target", target)):
            if x.size and not ((x >= 0) & (x <= 1)).all():
                raise RuntimeError(f"all elements of {name} should be between 0 and 1")
        return binary_cross_entropy_op.forward(np, input, target, weight, reduction)

    def grad_input(xp, g, input, target, weight, reduction):
        slope = (input - target) * g / xp.maximum((1 - input) * input, xp.scalar(1e-12))
        return share_of(xp, _weigh(slope, weight), reduction, input.shape)

    def grad_target(xp, g, input, target, weight, reduction):  # target is kept for both gradients
        slope = xp.maximum(xp.minimum(-xp.log(input / (1 - input)), xp.scalar(100.0)), xp.scalar(-100.0))
        return _shared(xp, slope, g, weight, reduction)


class bce_with_logits_op(Layer):
    """bce_with_logits_op(input, target, weight, pos_weight, reduction): binary cross entropy of sigmoid(input)."""

    node_name, namespace, index_inputs = "BinaryCrossEntropyWithLogitsBackward0", None, ("weight", "pos_weight")
    promote, stepwise, gradient_kernel = "same", True, False

    @func_op(4)
    def forward(xp, input, target, weight=None, pos_weight=None, reduction="mean"):
        loss = (1 - target) * input
        if pos_weight is None:
            loss = loss - _log_sigmoid(xp, input)
        else:
            loss = loss - ((pos_weight - 1) * target + 1) * _log_sigmoid(xp, input)
        return total_of(xp, _weigh(loss, weight), reduction)

    def grad_input(xp, g, input, target, weight, pos_weight, reduction):
        if pos_weight is None:
            slope = xp.sigmoid(input) - target
        else:
            yes = pos_weight * target
            slope = (yes + 1 - target) * xp.sigmoid(input) - yes
        return _shared(xp, slope, g, weight, reduction)

    def grad_target(xp, g, input, weight, pos_weight, reduction):
        slope = -input if pos_weight is None else _log_sigmoid(xp, -input) - pos_weight * _log_sigmoid(xp, input)
        return _shared(xp, slope, g, weight, reduction)


@public(namespace="nn.functional")
def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    """binary_cross_entropy(input, target, weight=None, reduction="mean") -> Tensor: of probabilities, 0 to 1."""
    reduction = checked(legacy(size_average, reduce, reduction))
    if target.size() != input.size():
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) "
            "is deprecated. Please ensure they have the same size."
        )
    if weight is not None and weight.shape != input.shape:
        weight = weight.expand(broadcast_shapes(target.shape, weight.shape))
    return binary_cross_entropy_op.fn(input, target, weight, reduction)


@public("binary_cross_entropy_with_logits")
def _torch_bce_with_logits(input, target, weight=None, pos_weight=None, reduction=0):
    """binary_cross_entropy_with_logits(input, target, weight=None, pos_weight=None, reduction=0) -> Tensor."""
    return _bce_with_logits(input, target, weight, pos_weight, REDUCTIONS[reduction])


def _bce_with_logits(input, target, weight, pos_weight, reduction):
    """torch computes in the memory of 1 - target: what comes out has the target's type and shape."""
    if input.dtype.category != FLOATING:
        raise not_implemented_error("log_sigmoid_cpu", input.dtype)
    for other in (input, weight, pos_weight):
        if other is not None:
            need_castable(target, other)
    shape = broadcast_shapes(tuple(target.shape), tuple(input.shape))
    if shape != tuple(target.shape):
        raise RuntimeError(f"output with shape {list(target.shape)} doesn't match the broadcast shape {list(shape)}")
    kind = promote_types(input.dtype, target.dtype)
    if kind.is_complex:
        if pos_weight is not None:
            need_castable(input, target)  # which refuses: torch computes the positive part in input's memory
        loss = reduced(_weigh((1 - target) * input - logsigmoid.fn(input), weight), reduction)
        return loss if loss.dtype is target.dtype else loss.to(target.dtype)
    weights = [w if w is None or w.dtype is kind else w.to(kind) for w in (weight, pos_weight)]
    loss = bce_with_logits_op.fn(input, target, *weights, reduction)
    return loss if loss.dtype is target.dtype else loss.to(target.dtype)


@public(namespace="nn.functional", word=False)  # torch.binary_cross_entropy_with_logits takes its arguments otherwise
def binary_cross_entropy_with_logits(
    input, target, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None
):
    """binary_cross_entropy_with_logits(input, target, weight=None, reduction="mean", pos_weight=None) -> Tensor.

    Binary cross entropy of sigmoid(input), stable for large logits; pos_weight counts the positive targets that much.
    """
    reduction = checked(legacy(size_average, reduce, reduction))
    if target.size() != input.size():
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    return _bce_with_logits(input, target, weight, pos_weight, reduction)


# ---- one of many classes: negative log likelihood and cross entropy


def _nll(xp, input, target, weight=None, reduction="mean", ignore_index=-100):
    return xp.nll(input, target, weight, reduction, ignore_index)


def _nll_backward(xp, g, input, target, weight, reduction, ignore_index, shape):
    return xp.nll_backward(g, target, weight, reduction, ignore_index, tuple(shape))


class nll_loss_op(Layer):
    """nll_loss_op(input, target, weight, reduction, ignore_index): -weight[target] input[target] of (N, C) or (C)."""

    node_name, namespace, index_inputs = "NllLossBackward0", None, ("target", "weight")
    compute_in_float32 = False  # the words round halves as torch's kernels do
    forward, grad_input = func_op(3)(_nll), _nll_backward


class nll_loss2d_op(Layer):
    """nll_loss2d_op(input, target, weight, reduction, ignore_index): the same for input (N, C, H, W)."""

    node_name, namespace, index_inputs = "NllLoss2DBackward0", None, ("target", "weight")
    compute_in_float32 = False
    forward, grad_input = func_op(3)(_nll), _nll_backward


def _check_nll(input, target, weight, n_classes):
    if target.dtype is uint8:
        target = target.to(int64)
    if target.dtype is not int64:
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {SCALAR_NAMES[target._table.dtype]}")
    if weight is not None:
        if tuple(weight.shape) != (n_classes,):
            raise RuntimeError(
                f"weight tensor should be defined either for all {n_classes} classes or no classes but "
                f"got weight tensor of shape: {list(weight.shape)}"
            )
        if weight.dtype is not input.dtype:
            raise RuntimeError(
                f"expected scalar type {SCALAR_NAMES[input._table.dtype]} but found {SCALAR_NAMES[weight._table.dtype]}"
            )
    if input._table.dtype.category != FLOATING:
        raise not_implemented_error("nll_loss_out_frame", input._table.dtype)
    return target


def _nll_loss(input, target, weight, reduction, ignore_index):
    """nll_loss for any number of dimensions."""
    shape, ndim = input.shape, input.dim()
    if ndim == 0:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    if ndim > 1 and shape[0] != (target.shape[0] if target.dim() else 1):
        raise ValueError(
            f"Expected input batch_size ({shape[0]}) to match target batch_size "
            f"({target.shape[0] if target.dim() else 1})."
        )
    if ndim <= 2:
        if target.dim() > 1:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        target = _check_nll(input, target, weight, shape[-1])
        if ndim == 1 and target.dim() == 1:  # a lone sample with its target in a list: the loss too is a list of one
            return nll_loss_op.fn(input, target.reshape(()), weight, reduction, ignore_index)
        return nll_loss_op.fn(input, target, weight, reduction, ignore_index)
    target = _check_nll(input, target, weight, shape[1])
    if ndim == 4:
        if target.dim() != 3:
            raise RuntimeError(
                f"only batches of spatial targets supported (3D tensors) but got targets of dimension: {target.dim()}"
            )
        if tuple(target.shape) != (shape[0], *shape[2:]):
            raise RuntimeError(f"size mismatch (got input: {list(shape)} , target: {list(target.shape)}")
        return nll_loss2d_op.fn(input, target, weight, reduction, ignore_index)
    out_size = (shape[0], *shape[2:])
    if tuple(target.shape) != out_size:
        raise RuntimeError(f"Expected target size {list(out_size)}, got {list(target.shape)}")
    if not input.numel():
        flat, aim = input.reshape(shape[0], shape[1], 0, 0), target.reshape(shape[0], 0, 0)
    else:
        flat = input.contiguous().view(shape[0], shape[1], 1, -1)
        aim = target.contiguous().view(shape[0], 1, -1)
    loss = nll_loss2d_op.fn(flat, aim, weight, reduction, ignore_index)
    return loss.view(out_size) if reduction == "none" else loss


@public(namespace="nn.functional")
def nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
    """nll_loss(input, target, weight=None, ignore_index=-100, reduction="mean") -> Tensor: -weight[t] * input[n, t].

    input (C), (N, C) or (N, C, ...) of log probabilities; target without C, int64. Samples whose target is
    ignore_index do not count; the mean divides by the sum of the weights that count.
    """
    return _nll_loss(input, target, weight, checked(legacy(size_average, reduce, reduction)), ignore_index)


@public(namespace="nn.functional")
def cross_entropy(
    input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean", label_smoothing=0.0
):
    """cross_entropy(input, target, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0) -> Tensor.

    nll_loss of log_softmax(input) over the classes: input (C), (N, C) or (N, C, ...); target of class indices
    (int64), or of probabilities in input's shape.
    """
    reduction = checked(legacy(size_average, reduce, reduction))
    if not input.dim() and (target.dim() or target.dtype.category == FLOATING):
        raise IndexError("Dimension out of range (expected to be in range of [-1, 0], but got 1)")
    at = 0 if input.dim() == 1 else 1
    if target.shape == input.shape:
        return _with_probabilities(input, target, weight, reduction, ignore_index, label_smoothing, at)
    if label_smoothing < 0 or label_smoothing > 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    logs = log_softmax(input, at)
    loss = _nll_loss(logs, target, weight, reduction, ignore_index)
    if label_smoothing == 0:
        return loss
    classes = input.shape[at]
    weighed = logs if weight is None else logs * weight.view([-1 if d == at else 1 for d in range(input.dim())])
    smooth = -weighed.sum(at)
    ignored = target == ignore_index
    smooth = smooth.masked_fill(ignored, 0.0)
    if reduction == "mean":
        counted = ~ignored
        by = counted.sum() if weight is None else (weight[target.masked_fill(ignored, 0)] * counted).sum()
        smooth = smooth.sum() / by
    elif reduction == "sum":
        smooth = smooth.sum()
    smooth = times(smooth, label_smoothing / classes)  # first, as torch's compiler takes the operands of a sum
    return times(loss, 1 - label_smoothing) + smooth


def _with_probabilities(input, target, weight, reduction, ignore_index, label_smoothing, at):
    if target._table.dtype.category != FLOATING:
        raise RuntimeError(
            f"Expected floating point type for target with class probabilities, got {SCALAR_NAMES[target._table.dtype]}"
        )
    if ignore_index >= 0:
        raise RuntimeError("ignore_index is not supported for floating point target")
    classes = input.shape[at]
    if weight is not None and tuple(weight.shape) != (classes,):
        raise RuntimeError(
            f"cross_entropy: weight tensor should be defined either for all {classes} classes or no "
            f"classes but got weight tensor of shape: {list(weight.shape)}"
        )
    if label_smoothing > 0:
        target = plus(times(target, 1 - label_smoothing), label_smoothing / classes)
    loss = log_softmax(input, at) * target
    if weight is not None:
        loss = loss * weight.view([-1 if d == at else 1 for d in range(input.dim())])
    if reduction == "none":
        return -loss.sum(at)
    total = -loss.sum()
    return total if reduction == "sum" else over(total, input.numel() / classes if classes else 0.0)
