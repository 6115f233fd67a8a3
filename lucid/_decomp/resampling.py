"""Images in other sizes: interpolation, pooling to a size, grids of places; and attention, bernoulli's draws."""

from .registry import decomposes
from .words import cast, get_computation_dtype, ops, tt


def _ratio(before, after, align_corners, scale):
    """How far one element of the result is in elements of the input."""
    if align_corners:
        return (before - 1.0) / (after - 1.0) if after > 1 else 0
    return 1.0 / scale if scale is not None and scale > 0 else before / after


def _linear(input, output_size, align_corners, scales):
    n = len(output_size)
    dtype = get_computation_dtype(input.dtype) if input.is_floating_point() else tt.float32
    places, lows, highs = [], [], []
    for i, (after, scale) in enumerate(zip(output_size, scales)):
        before = input.shape[2 + i]
        x = tt.arange(after, device=input.device).to(dtype=dtype)
        ratio = _ratio(before, after, align_corners, scale)
        x = x * ratio if align_corners else (x + 0.5) * ratio - 0.5
        x = ops.view.default(x.clamp(min=0.0), [after, *[1] * (n - 1 - i)])
        low = x.to(tt.int64)
        places.append(x)
        lows.append(low)
        highs.append((low + 1).clamp(max=before - 1))
    corners = [[]]
    for low, high in zip(lows, highs):
        corners = [[*c, end] for c in corners for end in (low, high)]
    values = [ops._unsafe_index.Tensor(input, [None, None, *c]) for c in corners]
    values = [cast(v, dtype) for v in values]
    for x, low in zip(reversed(places), reversed(lows)):
        weight = (x - low).clamp(0.0, 1.0).to(dtype)
        values = [a + tt.mul(b - a, weight) for a, b in zip(values[::2], values[1::2])]
    (out,) = values
    if not input.is_floating_point():
        out = out.round()
    return _laid_out(cast(out, input.dtype), input)


def _laid_out(out, input):
    """out with its dimensions in memory as input's are: channels last or first."""
    if input.ndim == 4 and not input.is_contiguous() and input.is_contiguous(memory_format=tt.channels_last):
        return out.contiguous(memory_format=tt.channels_last)
    return out.contiguous()


@decomposes("upsample_linear1d")
def upsample_linear1d(self, output_size, align_corners, scales=None):
    return _linear(self, output_size, align_corners, [scales])


@decomposes("upsample_bilinear2d", core=False, core_out=True)
def upsample_bilinear2d(self, output_size, align_corners, scales_h=None, scales_w=None):
    return _linear(self, output_size, align_corners, [scales_h, scales_w])


@decomposes("upsample_trilinear3d", core=False, core_out=True)
def upsample_trilinear3d(self, output_size, align_corners, scales_d=None, scales_h=None, scales_w=None):
    return _linear(self, output_size, align_corners, [scales_d, scales_h, scales_w])


def _nearest(input, output_size, scales, offset):
    index = []
    for i, (after, scale) in enumerate(zip(output_size, scales)):
        before = input.shape[2 + i]
        ratio = 1.0 / scale if scale is not None and scale > 0 else before / after
        x = (tt.arange(after, dtype=tt.float32, device=input.device) + offset) * ratio
        x = x.to(tt.int64)
        for _ in range(len(output_size) - 1 - i):
            x = x.unsqueeze(-1)
        index.append(x)
    return _laid_out(ops._unsafe_index.Tensor(input, [None, None, *index]), input)


def _nearest_of(name, n, offset):
    if n == 1:

        def function(self, output_size, scales=None):
            return _nearest(self, output_size, [scales], offset)

    elif n == 2:

        def function(self, output_size, scales_h=None, scales_w=None):
            return _nearest(self, output_size, [scales_h, scales_w], offset)

    else:

        def function(self, output_size, scales_d=None, scales_h=None, scales_w=None):
            return _nearest(self, output_size, [scales_d, scales_h, scales_w], offset)

    function.__name__ = function.__qualname__ = name
    decomposes(name, out=False)(function)
    decomposes(name, core=False)(function)


for _n in (1, 2, 3):
    _nearest_of(f"upsample_nearest{_n}d", _n, 0.0)
    _nearest_of(f"_upsample_nearest_exact{_n}d", _n, 0.5)


@decomposes("_adaptive_avg_pool2d", core=False)
def _adaptive_avg_pool2d(self, output_size):
    h, w = self.shape[-2:]
    if h % output_size[0] == 0 and w % output_size[1] == 0:
        stride = [h // output_size[0], w // output_size[1]]
        return ops.avg_pool2d.default(self, stride, stride)
    (rows, row_counts, row_mask), (columns, column_counts, column_mask) = (
        _bins(size, n, self.device) for size, n in zip((h, w), output_size)
    )
    picked = self[..., rows.unsqueeze(-1).unsqueeze(-1), columns]
    if row_counts is None and column_counts is None:
        return picked.mean((-3, -1))
    for mask, spread in ((row_mask, (-1, -1)), (column_mask, ())):
        if mask is not None:
            for d in spread:
                mask = mask.unsqueeze(d)
            picked = tt.masked_fill(picked, mask, 0.0)
    total = picked.sum((-3, -1))
    height = row_counts.unsqueeze(-1) if row_counts is not None else rows.shape[-1]
    width = column_counts if column_counts is not None else columns.shape[-1]
    return total / (height * width)


def _bins(size, n, device):
    """(places of each bin's elements, how many each has, which are beyond it); None where all bins are equal."""
    order = tt.arange(n, device=device, dtype=tt.int64)
    starts = tt.div(order * size, n, rounding_mode="trunc")
    most = size // n + 1
    equal = size % n == 0 or n % (size % n) == 0
    if not (size % n == 0 or n % (size % n) == 0):
        most += 1
    elif size % n == 0:
        most -= 1
    inside = tt.arange(most, device=device, dtype=tt.int64)
    places = starts.unsqueeze(-1) + inside
    if equal and size % n == 0:
        return places, None, None
    if _all_long(size, n, most):
        return places, None, None
    ends = tt.div((order + 1) * size + n - 1, n, rounding_mode="trunc")
    counts = ends - starts
    beyond = inside >= counts.unsqueeze(-1)
    return tt.clamp(places, max=size - 1), counts, beyond


def _all_long(size, n, most):
    return all(-(-(i + 1) * size // n) - i * size // n == most for i in range(n))


@decomposes("affine_grid_generator")
def affine_grid_generator(theta, size, align_corners):
    n = len(size) - 2
    if len(size) not in (4, 5):
        raise RuntimeError("affine_grid_generator needs 4d (spatial) or 5d (volumetric) inputs.")
    parts = []
    for k, steps in enumerate(reversed(size[2:])):
        end = 1 if align_corners else (steps - 1) / steps
        line = tt.linspace(-end, end, steps, dtype=theta.dtype, device=theta.device)
        parts.append(line.view([1] * (n - 1 - k) + [steps] + [1] * (k + 1)))
    parts.append(tt.ones([1] * (n + 1), dtype=theta.dtype, device=theta.device))
    parts = [ops.constant_pad_nd.default(line, [k, n - k], 0.0) for k, line in enumerate(parts)]
    grid = parts[0]
    for part in parts[1:]:
        grid = grid + part
    moved = (ops.view.default(grid, [-1, n + 1, 1]) * theta.mT.unsqueeze(1)).sum(-2)
    return moved.view([size[0], *size[2:], n])


@decomposes("bernoulli", in_place=False, out=False)
def bernoulli(self, *, generator=None):
    drawn = tt.rand(self.shape, dtype=tt.float32, device=self.device, generator=generator)
    return (drawn < self).to(self.dtype)


@decomposes("_scaled_dot_product_flash_attention_for_cpu", out=False)
def _scaled_dot_product_flash_attention_for_cpu(
    query, key, value, dropout_p=0.0, is_causal=False, *, attn_mask=None, scale=None
):
    out, weights = ops._scaled_dot_product_attention_math.default(
        query,
        key,
        value,
        attn_mask=attn_mask,
        dropout_p=dropout_p,
        is_causal=is_causal,
        dropout_mask=None,
        scale=scale,
        enable_gqa=query.shape[1] != key.shape[1],
    )
    # Heads next to their features in memory, as the kernel leaves them.
    return out.permute(2, 0, 1, 3).contiguous().permute(1, 2, 0, 3), weights
