"""Padding, its gradient, and windows as columns."""

from .registry import decomposes
from .words import count, flat, full, ops, placed, tt


def _at(ndim, dim, index):
    return [index if d == dim else None for d in range(ndim)]


def _sides(self, padding):
    """[(dim, before, after)] of a list that begins with the last dimension."""
    n = len(padding) // 2
    return [(self.ndim - n + i, *padding[2 * (n - i - 1) : 2 * (n - i)]) for i in range(n)]


def _reflected(places, size):
    return (size - 1) - ((size - 1) - places.abs()).abs()


def _held(places, size):
    return tt.clamp(places, 0, size - 1)


def _padded(self, padding, place):
    for dim, before, after in _sides(self, padding):
        size = self.shape[dim]
        places = place(tt.arange(-before, size + after, device=self.device), size)
        self = ops._unsafe_index.Tensor(self, _at(self.ndim, dim, places))
    return self.contiguous()


def _checked(self, padding, what):
    n = len(padding) // 2
    if self.ndim not in (n + 1, n + 2):
        raise RuntimeError(f"{what}{n}d requires {n + 1}D or {n + 2}D input")


@decomposes("reflection_pad1d reflection_pad2d reflection_pad3d", in_place=False)
def reflection_pad(self, padding):
    _checked(self, padding, "reflection_pad")
    return _padded(self, padding, _reflected)


@decomposes("replication_pad1d replication_pad2d replication_pad3d", in_place=False)
def replication_pad(self, padding):
    _checked(self, padding, "replication_pad")
    return _padded(self, padding, _held)


@decomposes("reflection_pad1d_backward reflection_pad2d_backward reflection_pad3d_backward")
def reflection_pad_backward(grad_output, self, padding):
    # Each element has its own gradient and those of its reflections before and after, in every dimension.
    sides = {dim: (before, after) for dim, before, after in _sides(self, padding)}
    n = self.ndim
    places = [placed(tt.arange(s, device=self.device), n, d) for d, s in enumerate(self.shape)]
    own = {d: places[d] + before for d, (before, _) in sides.items()}
    left = {d: before - places[d] for d, (before, _) in sides.items()}
    right = {d: self.shape[d] * 2 + before - 2 - places[d] for d, (before, _) in sides.items()}

    def taken(choice):
        index, masks = list(places), []
        for d, which in choice.items():
            before, after = sides[d]
            size = self.shape[d]
            if which == "own":
                index[d], low, high, of = own[d], 0, grad_output.shape[d] - 1, own[d]
            elif which == "left":
                index[d], low, high, of = left[d], 1, before, places[d]
            else:
                index[d], low, high, of = right[d], size - 1 - after, size - 2, places[d]
            masks.append(tt.logical_and(of >= low, of <= high))
        mask = masks[0]
        for more in masks[1:]:
            mask = tt.logical_and(mask, more)
        return ops._unsafe_masked_index.default(grad_output, mask, index, 0.0)

    total = None
    for choice in _choices(sides):
        part = taken(choice)
        total = part if total is None else total + part
    return total


def _choices(sides):
    """All of left, own and right for each dimension, where there is a left or right; own for all comes first."""
    found = [{}]
    for d, (before, after) in sides.items():
        kinds = ["left"] * (before > 0) + ["own"] + ["right"] * (after > 0)
        found = [{**c, d: which} for c in found for which in kinds]
    own = dict.fromkeys(sides, "own")
    return [own, *[c for c in found if c != own]]


@decomposes("constant_pad_nd", core=False)
def constant_pad_nd(self, pad, value=0):
    n = self.ndim
    if len(pad) % 2:
        raise RuntimeError(f"Length of pad must be even but instead it equals {len(pad)}")
    if len(pad) > 2 * n:
        raise RuntimeError("Length of pad should be no more than twice the number of dimensions of the input.")
    sides = _sides(self, list(pad))
    if all(before <= 0 and after <= 0 for _, before, after in sides):
        for dim, before, after in sides:
            self = self.narrow(dim, -before, self.shape[dim] + before + after)
        return self.clone()
    shape = list(self.shape)
    for dim, before, after in sides:
        shape[dim] += before + after
        if shape[dim] < 0:
            raise RuntimeError(
                f"The input size {self.shape[dim]}, plus negative padding {before} and {after}, resulted in a "
                "negative output size, which is invalid."
            )
    out, inner = full(shape, value, self), self
    target = out
    for dim, before, after in sides:
        cut_before, cut_after = max(-before, 0), max(-after, 0)
        inner = inner.narrow(dim, cut_before, inner.shape[dim] - cut_before - cut_after)
        target = target.narrow(dim, max(before, 0), inner.shape[dim])
    target.copy_(inner)
    return out


def _windows(size, kernel, dilation, padding, stride, device):
    """The place, in the padded input, of each element of each window."""
    end = size + 2 * padding - dilation * (kernel - 1)
    starts = tt.arange(0, end, stride, dtype=tt.int64, device=device).unsqueeze(0)
    return starts + tt.arange(0, kernel * dilation, dilation, dtype=tt.int64, device=device).unsqueeze(-1)


def _blocks(shape, kernel_size, dilation, padding, stride):
    return [
        (size + 2 * p - d * (k - 1) - 1) // s + 1
        for size, k, d, p, s in zip(shape, kernel_size, dilation, padding, stride)
    ]


@decomposes("im2col")
def im2col(self, kernel_size, dilation, padding, stride):
    batched = self.ndim == 4
    x = self if batched else self.unsqueeze(0)
    n, c, h, w = x.shape
    blocks = _blocks((h, w), kernel_size, dilation, padding, stride)
    if min(blocks) <= 0:
        raise RuntimeError(
            f"Given an input with spatial size {(h, w)}, kernel_size={tuple(kernel_size)}, dilation={tuple(dilation)}, "
            f"padding={tuple(padding)}, stride={tuple(stride)}, the calculated shape of the array of sliding blocks is "
            f"{tuple(blocks)}, but its components must be at least one."
        )
    rows, columns = (
        _windows(size, k, d, p, s, x.device) for size, k, d, p, s in zip((h, w), kernel_size, dilation, padding, stride)
    )
    x = ops.constant_pad_nd.default(x, [padding[1], padding[1], padding[0], padding[0]], 0.0)
    found = x[:, :, rows.unsqueeze(-1).unsqueeze(-1), columns].permute(0, 1, 2, 4, 3, 5)
    found = found.reshape([n, c * kernel_size[0] * kernel_size[1], blocks[0] * blocks[1]])
    return found if batched else found.squeeze(0)


@decomposes("col2im")
def col2im(self, output_size, kernel_size, dilation, padding, stride):
    batched = self.ndim == 3
    x = self if batched else self.unsqueeze(0)
    h, w = output_size
    blocks = _blocks(output_size, kernel_size, dilation, padding, stride)
    channels = x.shape[1] // count(kernel_size)
    x = x.reshape([x.shape[0], channels, *kernel_size, *blocks]).permute(0, 1, 2, 4, 3, 5)
    places = (
        _windows(size, k, d, p, s, x.device) for size, k, d, p, s in zip((h, w), kernel_size, dilation, padding, stride)
    )
    rows = next(places).unsqueeze(-1).unsqueeze(-1)
    columns = next(places)
    out = full([x.shape[0], channels, h + 2 * padding[0], w + 2 * padding[1]], 0, x)
    out = ops._unsafe_index_put.default(out, [None, None, rows, columns], x, True)
    out = ops.constant_pad_nd.default(out, [-padding[1], -padding[1], -padding[0], -padding[0]], 0.0)
    return out if batched else out.squeeze(0)


def _unpooled(self, indices, output_size, n):
    batched = self.ndim == n + 2
    outer = list(self.shape[:-n])
    planes, area = count(outer), count(output_size)
    first = tt.arange(0, planes, device=self.device).view([*outer, *[1] * n]) if batched or outer else 0
    places = flat(indices + first * area)
    out = full([*outer, *output_size], 0, self)
    written = ops._unsafe_index_put.default(flat(out), [places], flat(self))
    return written.view(out.shape)


@decomposes("max_unpool2d")
def max_unpool2d(self, indices, output_size):
    if indices.dtype != tt.int64:
        raise RuntimeError(f"elements in indices should be type int64 but got: {indices.dtype}")
    return _unpooled(self, indices, output_size, 2)


@decomposes("max_unpool3d")
def max_unpool3d(self, indices, output_size, stride, padding):
    if indices.dtype != tt.int64:
        raise RuntimeError("elements in indices should be type int64")
    return _unpooled(self, indices, output_size, 3)
