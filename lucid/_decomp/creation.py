"""Tensors that are made of numbers."""

import math

from .registry import decomposes
from .words import CPU, full, ops, tt


def _made(size, value, dtype, layout, device):
    return ops.full.default(
        list(size),
        value,
        dtype=dtype or tt.get_default_dtype(),
        layout=layout or tt.strided,
        device=device or CPU,
        pin_memory=False,
    )


@decomposes("zeros")
def zeros(size, *, dtype=None, layout=None, device=None, pin_memory=None):
    return _made(size, 0, dtype, layout, device)


@decomposes("ones")
def ones(size, *, dtype=None, layout=None, device=None, pin_memory=None):
    return _made(size, 1, dtype, layout, device)


@decomposes("new_full")
def new_full(self, size, fill_value, *, dtype=None, layout=None, device=None, pin_memory=None):
    return _made(size, fill_value, dtype or self.dtype, layout or self.layout, device or self.device)


@decomposes("new_zeros")
def new_zeros(self, size, *, dtype=None, layout=None, device=None, pin_memory=None):
    return new_full(self, size, 0, dtype=dtype, layout=layout, device=device)


@decomposes("new_ones")
def new_ones(self, size, *, dtype=None, layout=None, device=None, pin_memory=None):
    return new_full(self, size, 1, dtype=dtype, layout=layout, device=device)


@decomposes("new_empty")
def new_empty(self, size, *, dtype=None, layout=None, device=None, pin_memory=None):
    return ops.empty.memory_format(
        list(size),
        dtype=dtype or self.dtype,
        layout=layout or self.layout,
        device=device or self.device,
        pin_memory=False,
    )


def _like(self, value, **options):
    options = {k: v for k, v in options.items() if v is not None}
    memory_format = options.pop("memory_format", tt.preserve_format)
    if options.get("dtype", self.dtype) == tt.bool:
        value = bool(value)
    return ops.full_like.default(self, value, **options, pin_memory=False, memory_format=memory_format)


@decomposes("zeros_like")
def zeros_like(self, *, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
    return _like(self, 0, dtype=dtype, layout=layout, device=device, memory_format=memory_format)


@decomposes("ones_like")
def ones_like(self, *, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
    return _like(self, 1, dtype=dtype, layout=layout, device=device, memory_format=memory_format)


@decomposes("empty_like")
def empty_like(self, *, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
    dtype, layout, device = dtype or self.dtype, layout or self.layout, device or self.device
    if memory_format not in (None, tt.preserve_format):
        return ops.empty.memory_format(
            list(self.shape), dtype=dtype, layout=layout, device=device, pin_memory=False, memory_format=memory_format
        )
    # Dense memory, with the dimensions in the order of self's: overlapping or not, a larger stride comes first.
    strides = self.stride()
    order = sorted(range(self.ndim), key=lambda d: -strides[d])
    return ops.empty_permuted.default(
        list(self.shape), order, dtype=dtype, layout=layout, device=device, pin_memory=False
    )


@decomposes("zero")
def zero(self):
    return zeros_like(self)


@decomposes("fill.Scalar")
def fill_scalar(self, value):
    return ops.full_like.default(self, value, pin_memory=False)


@decomposes("fill.Tensor")
def fill_tensor(self, value):
    if value.ndim:
        raise RuntimeError(f"only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions")
    return ops.copy.default(self, value)


@decomposes("arange")
def arange(end, *, dtype=None, layout=None, device=None, pin_memory=None):
    return arange_from(0, end, dtype=dtype, layout=layout, device=device)


@decomposes("arange.start")
def arange_from(start, end, *, dtype=None, layout=None, device=None, pin_memory=None):
    return ops.arange.start_step(start, end, dtype=dtype, layout=layout or tt.strided, device=device, pin_memory=False)


@decomposes("eye")
def eye(n, *, dtype=None, layout=None, device=None, pin_memory=None):
    return eye_m(n, n, dtype=dtype, layout=layout, device=device)


@decomposes("eye.m")
def eye_m(n, m, *, dtype=None, layout=None, device=None, pin_memory=None):
    small = tt.uint8 if max(n, m) < 256 else tt.int64
    rows, columns = (_counted(k, small, device or CPU) for k in (n, m))
    return (rows.unsqueeze(-1) == columns).to(dtype or tt.get_default_dtype())


def _counted(n, dtype, device):
    return tt.arange(n, dtype=dtype, device=device)


@decomposes("linspace")
def linspace(start, end, steps, *, dtype=None, layout=None, device=None, pin_memory=None):
    return _spaced(start, end, steps, dtype or _kind(start, end), device or CPU)


@decomposes("linspace.Tensor_Tensor linspace.Tensor_Scalar linspace.Scalar_Tensor")
def linspace_of_tensors(start, end, steps, *, dtype=None, layout=None, device=None, pin_memory=None):
    device = device or next(x.device for x in (start, end) if hasattr(x, "device"))
    return _spaced(start, end, steps, dtype or _kind(start, end), device)


def _kind(*numbers):
    """The type of a range between these."""
    if any(x.is_complex() if hasattr(x, "is_complex") else isinstance(x, complex) for x in numbers):
        return tt.complex128 if tt.get_default_dtype() == tt.float64 else tt.complex64
    return tt.get_default_dtype()


def _spaced(start, end, steps, dtype, device):
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    if steps == 0:
        return full((0,), 0, tt.empty((0,), dtype=dtype, device=device))
    if steps == 1:
        if hasattr(start, "to"):
            return tt.empty((steps,), dtype=dtype, device=device).copy_(start)
        return full((1,), start, tt.empty((0,), dtype=dtype, device=device))
    whole = not (dtype.is_floating_point or dtype.is_complex)
    # From both ends to the middle, so that both are met to the bit.
    places = tt.arange(0, steps, device=device)
    step = (end - start) / (steps - 1)

    def typed(x):
        return x if whole else x.to(dtype)

    left = places < steps / 2
    from_start = start + step * typed(places)
    out = tt.where(left, from_start, end - step * typed((steps - 1) - places))
    return out.to(dtype) if whole else out


@decomposes("logspace logspace.Tensor_Tensor logspace.Tensor_Scalar logspace.Scalar_Tensor")
def logspace(start, end, steps, base=10.0, *, dtype=None, layout=None, device=None, pin_memory=None):
    kind = dtype or _kind(start, end)
    device = device or next((x.device for x in (start, end) if hasattr(x, "device")), CPU)
    if not (kind.is_floating_point or kind.is_complex):
        start, end = (int(x) if isinstance(x, float) else x.trunc() if hasattr(x, "trunc") else x for x in (start, end))
    # Powers are taken in float64, or the last bits of large results would be lost.
    wide = tt.complex128 if kind.is_complex else tt.float64
    start, end = (x.to(wide) if hasattr(x, "to") else x for x in (start, end))
    base = int(base) if float(base).is_integer() else base
    return tt.pow(base, _spaced(start, end, steps, wide, device)).to(kind)


@decomposes("hann_window")
def hann_window(window_length, *, dtype=None, layout=None, device=None, pin_memory=None):
    return hann_window_periodic(window_length, True, dtype=dtype, device=device)


@decomposes("hann_window.periodic")
def hann_window_periodic(window_length, periodic=True, *, dtype=None, layout=None, device=None, pin_memory=None):
    dtype, device = dtype or tt.get_default_dtype(), device or CPU
    if window_length < 2:
        return tt.ones((window_length,), dtype=dtype, device=device)
    n = window_length + 1 if periodic else window_length
    angles = tt.arange(n, dtype=dtype, device=device) * (math.pi * 2 / (n - 1))
    window = angles.cos() * -0.5 + 0.5
    return window.narrow(0, 0, window_length) if periodic else window


@decomposes("block_diag")
def block_diag(tensors):
    blocks = [t.view(1, -1) if t.ndim < 2 else t for t in tensors]
    total = sum(b.shape[1] for b in blocks)
    rows, before = [], 0
    for b in blocks:
        height, width = b.shape
        left, right = (full((height, n), 0, b) for n in (before, total - before - width))
        rows.append(tt.cat([left, b, right], 1))
        before += width
    return tt.cat(rows)
