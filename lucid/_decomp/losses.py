"""Losses, and the formulas of their gradients."""

from .registry import decomposes
from .words import MEAN, NONE, SUM, full, like, ops, reduced, tt, wide


def _share(loss_of, reduction):
    """What part of the loss an element of it is."""
    return 1.0 / loss_of.numel() if reduction == MEAN else 1.0


@decomposes("mse_loss")
def mse_loss(self, target, reduction=MEAN):
    return reduced(tt.pow(self - target, 2), reduction)


@decomposes("mse_loss_backward")
@wide(of="grad_output self target")
def mse_loss_backward(grad_output, self, target, reduction):
    norm = 2.0 / self.numel() if reduction == MEAN else 2.0
    return norm * (self - target) * grad_output


@decomposes("smooth_l1_loss")
@wide(of="self target")
def smooth_l1_loss(self, target, reduction=MEAN, beta=1.0):
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    size = (self - target).abs()
    if beta == 0:
        return reduced(size, reduction)
    return reduced(tt.where(size < beta, 0.5 * size**2 / beta, size - 0.5 * beta), reduction)


@decomposes("smooth_l1_loss_backward")
@wide(of="grad_output self target")
def smooth_l1_loss_backward(grad_output, self, target, reduction, beta):
    x = self - target
    size = tt.abs(x)
    grad = _share(self, reduction) * grad_output
    near = size < beta
    return tt.where(near, grad * x / beta, grad * tt.sign(x))


@decomposes("huber_loss")
@wide(of="self target")
def huber_loss(self, target, reduction=MEAN, delta=1.0):
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    size = (self - target).abs()
    near = size < delta
    return reduced(tt.where(near, 0.5 * size * size, delta * (size - 0.5 * delta)), reduction)


@decomposes("huber_loss_backward")
@wide(of="grad_output self target")
def huber_loss_backward(grad_output, self, target, reduction, delta):
    norm = _share(self, reduction)
    x = self - target
    below, left = x < -delta, -norm * grad_output * delta
    above, right = x > delta, norm * grad_output * delta
    return tt.where(below, left, tt.where(above, right, norm * x * grad_output))


@decomposes("soft_margin_loss")
@wide(of="self target")
def soft_margin_loss(self, target, reduction=MEAN):
    return reduced(tt.log1p(tt.exp(-self * target)), reduction)


@decomposes("soft_margin_loss_backward")
@wide(of="grad_output self target")
def soft_margin_loss_backward(grad_output, self, target, reduction=MEAN):
    grad = target * grad_output * (tt.sigmoid(target * self) - 1)
    return grad / self.numel() if reduction == MEAN else grad


@decomposes("binary_cross_entropy")
@wide(of="self target weight")
def binary_cross_entropy(self, target, weight=None, reduction=MEAN):
    # Logarithms stop at -100, as torch's do, or a sure and wrong guess would cost infinitely much.
    of_false = (target - 1) * tt.maximum(tt.log1p(-self), full((), -100, self))
    loss = of_false - target * tt.maximum(tt.log(self), full((), -100, self))
    return reduced(loss if weight is None else loss * weight, reduction)


@decomposes("binary_cross_entropy_backward")
@wide(of="grad_output self target weight")
def binary_cross_entropy_backward(grad_output, self, target, weight=None, reduction=MEAN):
    grad = grad_output * (self - target) / tt.clamp(self * (1 - self), min=1e-12)
    if weight is not None:
        grad = grad * weight
    return grad / self.numel() if reduction == MEAN else grad


@decomposes("binary_cross_entropy_with_logits")
def binary_cross_entropy_with_logits(self, target, weight=None, pos_weight=None, reduction=MEAN):
    if pos_weight is None:
        loss = (1 - target) * self - _log_sigmoid(self)
    else:
        log_weight = (pos_weight - 1) * target + 1
        loss = (1 - target) * self - log_weight * _log_sigmoid(self)
    return reduced(loss if weight is None else loss * weight, reduction)


def _log_sigmoid(x):
    return ops.log_sigmoid_forward.default(x)[0]


def _nll(self, target, weight, reduction, ignore_index):
    n, channel = self.ndim, 0 if self.ndim < 2 else 1
    if reduction == MEAN and not self.numel():
        return full((), float("nan"), self), full((), 0.0, self)
    if weight is not None:
        weight = weight.view([self.shape[1] if d == 1 else 1 for d in range(n)]) if n > 1 else weight
        self = self * weight
    place = tt.where(target != ignore_index, target, 0).unsqueeze(channel)
    loss = -tt.gather(self, channel, place).squeeze(channel)
    loss = tt.where(target != ignore_index, loss, 0)
    if reduction == NONE and n > 1:
        return loss, full((), 0.0, self)
    if weight is not None:
        share = tt.gather(weight.expand(self.shape), channel, place).squeeze(channel)
        total = tt.where(target != ignore_index, share, 0).sum()
    else:
        total = like((target != ignore_index).sum(), self)
    if reduction == SUM:
        return loss.sum(), total
    return (loss.sum() / total if reduction == MEAN else loss), total


@decomposes("nll_loss_forward")
def nll_loss_forward(self, target, weight, reduction, ignore_index):
    if not 0 < self.ndim <= 2:
        raise RuntimeError(f"input tensor should be 1D or 2D, got {self.ndim}D")
    if target.ndim > 1:
        raise RuntimeError(f"0D or 1D target tensor expected, multi-target not supported, got {target.ndim}D")
    return _nll(self, target, weight, reduction, ignore_index)


@decomposes("nll_loss2d_forward")
def nll_loss2d_forward(self, target, weight, reduction, ignore_index):
    return _nll(self, target, weight, reduction, ignore_index)


@decomposes("nll_loss_backward nll_loss2d_backward")
def nll_loss_backward(grad_output, self, target, weight, reduction, ignore_index, total_weight):
    channel = 0 if self.ndim < 2 else 1
    if reduction == MEAN:
        grad_output = grad_output / total_weight
    target = target.unsqueeze(channel)
    place = tt.where(target != ignore_index, target, 0)
    marks = tt.scatter(tt.zeros_like(self), channel, place, -1.0)
    if marks.ndim > grad_output.ndim > 0:
        grad_output = grad_output.unsqueeze(channel)
    if weight is not None:
        shape = [weight.shape[0] if d == channel else 1 for d in range(self.ndim)]
        grad_output = grad_output * weight.reshape(shape)
    return marks * tt.where(target != ignore_index, grad_output, 0)


@decomposes("multi_margin_loss")
def multi_margin_loss(input, target, p=1, margin=1, weight=None, reduction=MEAN):
    input, target = tt.atleast_2d(input), tt.atleast_1d(target)
    dim = input.shape[1]
    if p not in (1, 2):
        raise RuntimeError("only p == 1 and p == 2 supported")
    target = target.unsqueeze(1)
    short = (margin - tt.gather(input, 1, target) + input).clamp_min(0)
    if p == 2:
        short = short * short
    if weight is not None:
        short = short * weight[target]
    others = tt.arange(dim, device=input.device) != target
    loss = tt.where(others, short, 0)
    if reduction == MEAN:
        return loss.mean()
    return loss.sum() / dim if reduction == SUM else loss.mean(1)


@decomposes("multilabel_margin_loss_forward")
def multilabel_margin_loss_forward(input, target, reduction):
    shape = target.shape
    input, target = tt.atleast_2d(input), tt.atleast_2d(target)
    dim = input.shape[1]
    places = tt.arange(dim, device=target.device)
    # Labels end at the first -1.
    end = tt.where(target == -1, places, dim).amin(-1, True)
    valid = places < end
    scores = ops.gather.default(input, -1, tt.where(valid, target, 0))
    label = tt.where(valid, target, -1).unsqueeze(-1)
    is_target = tt.any(places == label, 1)
    loss = ((1.0 - scores.T.unsqueeze(-1) + input).clamp_min(0)) / dim
    loss = tt.where(is_target, 0, loss)
    # Beyond the end there is no label to be near; torch's own decomposition forgets it, its kernel does not.
    loss = tt.where(valid.T.unsqueeze(-1), loss, 0)
    if reduction == MEAN:
        loss = loss.sum((0, -1)).mean()
    else:
        loss = loss.sum() if reduction == SUM else loss.sum((0, -1))
    return loss, is_target.to(input.dtype).reshape(shape)


@decomposes("dist", core=False)
def dist(self, other, p=2):
    return ops.norm.Scalar(self - other, p)
