"""deform_conv2d: a convolution whose taps are moved by offsets, and weighted by a mask."""

from ..autograd import grad as gradients
from ..autograd.grad_mode import enable_grad
from ..nn._ops import ops
from .sampling import wide


def _check(input, weight, offset, mask, groups, offset_groups, use_mask, out_size):
    kh, kw = weight.shape[2:]

    def must(holds, message):
        if not holds:
            raise RuntimeError(message)

    def expected(text, holds):
        must(holds, f"Expected {text} to be true, but got false.")

    expected("input_c.ndimension() == 4", input.ndim == 4)
    expected("offset_c.ndimension() == 4", offset.ndim == 4)
    expected("!use_mask || mask_c.ndimension() == 4", not use_mask or mask.ndim == 4)
    expected("weight_c.size(1) * n_weight_grps == input_c.size(1)", weight.shape[1] * groups == input.shape[1])
    expected("weight_c.size(0) % n_weight_grps == 0", weight.shape[0] % groups == 0)
    want = offset_groups * 2 * kh * kw
    must(offset.shape[1] == want, f"offset.shape[1] is not valid: got: {offset.shape[1]} expected: {want}")
    want //= 2
    must(
        not use_mask or mask.shape[1] == want,
        f"mask.shape[1] is not valid: got: {mask.shape[1] if mask.ndim > 1 else 0} expected: {want}",
    )
    expected("input_c.size(1) % n_offset_grps == 0", input.shape[1] % offset_groups == 0)
    must(offset.shape[0] == input.shape[0], "invalid batch size of offset")
    shown = f"({out_size[0]}, {out_size[1]})"
    for name, t in (("offset", offset), ("mask", mask)) if use_mask else (("offset", offset),):
        got = f"({t.shape[2]}, {t.shape[3]})"
        must(tuple(t.shape[2:]) == out_size, f"{name} output dims: {got} - computed output dims: {shown}")
    must(not use_mask or mask.shape[0] == input.shape[0], "invalid batch size of mask")
    must(min(out_size) > 0, f"Calculated output size too small - out_h: {out_size[0]} out_w: {out_size[1]}")


def _sampled(planes, y, x):
    """Values of planes (N, C, H, W) between points, at y and x (N, T): (N, C, T). Outside of the planes all is zero."""
    n, c, h, w = planes.shape
    flat = planes.flatten(2)
    y0, x0 = y.detach().floor(), x.detach().floor()
    total = None
    for cy, wy in ((y0, 1 - (y - y0)), (y0 + 1, y - y0)):
        for cx, wx in ((x0, 1 - (x - x0)), (x0 + 1, x - x0)):
            inside = (cy >= 0) & (cy < h) & (cx >= 0) & (cx < w)
            index = ops.where(inside, cy * w + cx, 0.0).long()[:, None].expand(n, c, -1)
            part = flat.gather(2, index) * ops.where(inside, wy * wx, 0.0)[:, None]
            total = part if total is None else total + part
    return total


def _convolved(input, weight, offset, mask, bias, stride, padding, dilation, groups, offset_groups, use_mask):
    """The result, made of ops that record."""
    (b, c, h, w), (kh, kw) = input.shape, weight.shape[2:]
    out = tuple(
        (size + 2 * p - (d * (k - 1) + 1)) // s + 1
        for size, p, d, k, s in zip((h, w), padding, dilation, (kh, kw), stride)
    )
    _check(input, weight, offset, mask, groups, offset_groups, use_mask, out)
    taps = []
    for n, (k, s, p, d) in enumerate(zip((kh, kw), stride, padding, dilation)):
        at = ops.arange(k, dtype=input.dtype)[:, None] * d + ops.arange(out[n], dtype=input.dtype) * s - p
        taps.append(at.reshape((k, 1, out[n], 1) if n == 0 else (1, k, 1, out[n])))
    moved = offset.reshape(b * offset_groups, kh, kw, 2, *out)
    y, x = ((moved[:, :, :, n] + taps[n]).flatten(1) for n in (0, 1))
    columns = _sampled(input.reshape(b * offset_groups, c // offset_groups, h, w), y, x)
    if use_mask:
        columns = columns * mask.reshape(b * offset_groups, 1, -1)
    columns = columns.reshape(b, groups, (c // groups) * kh * kw, out[0] * out[1])
    filters = weight.reshape(groups, weight.shape[0] // groups, -1)
    result = ops.matmul(filters, columns).reshape(b, weight.shape[0], *out)
    return result + bias.reshape(1, -1, 1, 1)


def _options(numbers):
    sh, sw, ph, pw, dh, dw, groups, offset_groups, use_mask = numbers
    return (sh, sw), (ph, pw), (dh, dw), groups, offset_groups, use_mask


def deform_conv2d(input, weight, offset, mask, bias, *numbers):
    """The kernel of torchvision::deform_conv2d."""
    tensors = [wide(t) for t in (input, weight, offset, mask, bias)]
    return _convolved(*tensors, *_options(numbers)).to(input.dtype)


def deform_conv2d_backward(grad, input, weight, offset, mask, bias, *numbers):
    """The kernel of torchvision::_deform_conv2d_backward: autograd of the ops above."""
    given = (input, weight, offset, mask, bias)
    with enable_grad():
        tensors = [wide(t.detach()).requires_grad_() for t in given]
        result = _convolved(*tensors, *_options(numbers))
        found = gradients(result, tensors, wide(grad), allow_unused=True)
    return tuple(t.new_zeros(t.shape) if g is None else g.to(t.dtype) for g, t in zip(found, given))
