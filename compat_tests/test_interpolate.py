"""interpolate in every mode, by sizes and by factors, of floats with gradients and of bytes, in both memory formats."""

import random

import numpy as np
import pytest
from both import same

SIZES = {1: [(4,), (7,)], 2: [(4, 5), (6, 3), (16, 9)], 3: [(3, 4, 5)]}
MODES = {
    1: ["nearest", "nearest-exact", "linear"],
    2: ["nearest", "nearest-exact", "bilinear", "bicubic", "bilinear aa", "bicubic aa", "lanczos aa"],
    3: ["nearest", "nearest-exact", "trilinear"],
}
FACTORS = [1, 1.1, 1.2, 1.9, 2, 2.3, 3.01, 0.7, 0.5]  # some leave a size as it is, or double it by rounding


def ways(shape):
    yield from [{"scale_factor": s} for s in FACTORS]
    yield {"scale_factor": 1.1, "recompute_scale_factor": True}
    yield from [{"size": s} for s in (shape, tuple(2 * n for n in shape), tuple(3 * n - 1 for n in shape))]


def cases(n, mode):
    aligned = (None, True) if "linear" in mode or "cubic" in mode else (None,)
    for shape in SIZES[n]:
        for align in aligned:
            for how in ways(shape):
                for channels in (1, 3, 6):
                    for last in (False, True) if n == 2 else (False,):
                        yield shape, align, how, channels, last


def resized(m, dtype, mode, shape, align, how, channels, last):
    rng = np.random.default_rng(1)
    values = rng.integers(0, 256, (2, channels, *shape)) if dtype == "uint8" else rng.random((2, channels, *shape))
    x = m.from_numpy(values.astype(dtype))
    if last:
        x = x.contiguous(memory_format=m.channels_last)
    if dtype != "uint8":
        x.requires_grad_()
    more = {"antialias": True} if mode.endswith("aa") else {}
    y = m.nn.functional.interpolate(x, mode=mode.split()[0], align_corners=align, **more, **how)
    if dtype == "uint8":
        return y
    (y * m.arange(float(y.numel())).reshape(y.shape)).sum().backward()
    return y, x.grad


@pytest.mark.parametrize("dtype", ["float32", "uint8"])
@pytest.mark.parametrize("n, mode", [(n, mode) for n in MODES for mode in MODES[n]])
def test_every_mode(n, mode, dtype, examples):
    if dtype == "uint8" and mode in ("linear", "trilinear"):
        return
    chosen = list(cases(n, mode))
    for shape, align, how, channels, last in (
        chosen if examples.all else random.Random(examples.seed).sample(chosen, 20)
    ):
        if (mode.endswith("aa") or dtype == "uint8") and shape == (6, 3) and how == {"scale_factor": 0.5}:
            continue  # torch's kernel repeats the first row where one column is left
        near = {} if dtype == "uint8" else {"rtol": 1e-4, "of_largest": 1e-5}
        where = (mode, shape, align, how, channels, last)
        same(resized, dtype, mode, shape, align, how, channels, last, name=where, looks="stride", **near)
