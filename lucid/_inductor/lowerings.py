"""Ops that are lowered by formulas of their own, where the engine's rule would compute again what the graph has saved.

@lowering("native_layer_norm_backward")
def layer_norm_backward(g, x, ...): ...   # tensors in, tensors out: what is done with them becomes loops
"""

import math

PIECES = 64  # of rows whose sums are put together in the end
LOWERINGS = {}  # ATen name -> function of the values of all its arguments


def lowering(*names):
    """Marks the formula of ops."""

    def mark(f):
        LOWERINGS.update(dict.fromkeys(names, f))
        return f

    return mark


@lowering("native_layer_norm_backward")
def layer_norm_backward(g, x, shape, mean, rstd, weight, bias, mask):
    """The gradients for x, weight and bias from the saved mean and 1 / deviation of each row."""
    n = len(shape)
    rows, outer = tuple(range(x.dim() - n, x.dim())), tuple(range(x.dim() - n))
    hat = (x - mean) * rstd
    to_x = to_weight = to_bias = None
    if mask[0]:
        to_x = _centered(g if weight is None else g * weight, hat, rstd, rows)
    if mask[1] and weight is not None:
        to_weight = _over_rows(g * hat, outer)
    if mask[2] and bias is not None:
        to_bias = _over_rows(g, outer)
    return to_x, to_weight, to_bias


def _over_rows(x, outer):
    """The sum over leading dims: first of some rows each, in the loops that read the rows anyway, then of those."""
    if not outer:
        return x * 1
    count, rest = math.prod([x.shape[d] for d in outer]), [x.shape[d] for d in range(len(outer), x.dim())]
    pieces = next((p for p in range(min(PIECES, count // 8), 1, -1) if count % p == 0), 1)
    if pieces == 1 or x.numel() < 1 << 16:
        return x.sum(outer)
    return x.reshape(pieces, count // pieces, *rest).sum(1).sum(0)


def _centered(g, hat, rstd, dims):
    """The gradient of (x - mean) / deviation along dims."""
    return rstd * (g - g.mean(dims, keepdim=True) - hat * (g * hat).mean(dims, keepdim=True))


@lowering("native_group_norm_backward")
def group_norm_backward(g, x, mean, rstd, weight, N, C, HxW, group, mask):
    """The same of groups of channels."""
    grouped, channels = (N, group, C // group, HxW), (1, group, C // group, 1)
    stats = (N, group, 1, 1)
    rstd = rstd.reshape(stats)
    hat = (x.reshape(grouped) - mean.reshape(stats)) * rstd
    g = g.reshape(grouped)
    to_x = to_weight = to_bias = None
    if mask[0]:
        to_x = _centered(g if weight is None else g * weight.reshape(channels), hat, rstd, (2, 3)).reshape(x.shape)
    if mask[1]:
        to_weight = (g * hat).sum((0, 3)).reshape(C)
    if mask[2]:
        to_bias = g.sum((0, 3)).reshape(C)
    return to_x, to_weight, to_bias


@lowering("native_batch_norm_backward")
def batch_norm_backward(g, x, weight, running_mean, running_var, mean, invstd, train, eps, mask):
    """The same of channels over a batch; not training, of the running statistics."""
    shape = (1, x.shape[1]) + (1,) * (x.dim() - 2)
    dims = (0, *range(2, x.dim()))
    if not train:
        mean, invstd = running_mean, (running_var + eps).rsqrt()
    mean, invstd = mean.reshape(shape), invstd.reshape(shape)
    hat = (x - mean) * invstd
    factor = invstd if weight is None else invstd * weight.reshape(shape)
    to_bias, to_weight = g.sum(dims, keepdim=True), (g * hat).sum(dims, keepdim=True)
    to_x = None
    if mask[0]:
        count = math.prod([x.shape[d] for d in dims])
        to_x = factor * (g - (to_bias + hat * to_weight) / count) if train else factor * g
    channels = (x.shape[1],)
    return (
        to_x,
        to_weight.reshape(channels) if mask[1] else None,
        to_bias.reshape(channels) if mask[2] else None,
    )
