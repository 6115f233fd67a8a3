"""The layers' functions in every element type: torch's values and gradients, or its error."""

import pytest
import torch
from both import attempt, close

import lucid

TYPES = "float64 float32 float16 bfloat16 complex64 complex128 int64 int32 int16 int8 uint8 bool".split()
FLAT, SQUARE, CUBE = (2, 4, 7), (2, 4, 5, 6), (1, 4, 3, 4, 3)
CALLS = {
    "conv1d": (lambda F, x, w: F.conv1d(x, w, w[:, 0, 0], padding=1), FLAT, (4, 4, 3)),
    "conv1d groups": (lambda F, x, w: F.conv1d(x, w, stride=2, groups=2), FLAT, (4, 2, 3)),
    "conv2d": (lambda F, x, w: F.conv2d(x, w, stride=2), SQUARE, (3, 4, 2, 3)),
    "conv2d of one pixel": (lambda F, x, w: F.conv2d(x, w), SQUARE, (3, 4, 1, 1)),
    "conv3d": (lambda F, x, w: F.conv3d(x, w), CUBE, (2, 4, 2, 2, 2)),
    "conv_transpose1d": (lambda F, x, w: F.conv_transpose1d(x, w, w[0, :, 0]), FLAT, (4, 3, 3)),
    "conv_transpose2d": (lambda F, x, w: F.conv_transpose2d(x, w, stride=2), SQUARE, (4, 3, 2, 2)),
    "conv_transpose3d": (lambda F, x, w: F.conv_transpose3d(x, w), CUBE, (4, 2, 2, 2, 1)),
    "unfold": (lambda F, x: F.unfold(x, (2, 3), padding=1, stride=2), SQUARE),
    "fold": (lambda F, x: F.fold(x, (3, 4), (2, 2)), (2, 8, 6)),
    "pad constant": (lambda F, x: F.pad(x, (1, 2, -1, 0)), SQUARE),
    "pad reflect 1d": (lambda F, x: F.pad(x, (2, 3), "reflect"), FLAT),
    "pad reflect 2d": (lambda F, x: F.pad(x, (1, 2, 0, 3), "reflect"), SQUARE),
    "pad reflect 3d": (lambda F, x: F.pad(x, (1, 2, 0, 2, 1, 1), "reflect"), CUBE),
    "pad replicate 1d": (lambda F, x: F.pad(x, (2, 9), "replicate"), FLAT),
    "pad replicate 2d": (lambda F, x: F.pad(x, (1, 2, -1, 3), "replicate"), SQUARE),
    "pad replicate 3d": (lambda F, x: F.pad(x, (1, 2, 0, 2, 1, 1), "replicate"), CUBE),
    "pad circular": (lambda F, x: F.pad(x, (1, 2, 0, 3), "circular"), SQUARE),
    "avg_pool1d": (lambda F, x: F.avg_pool1d(x, 2), FLAT),
    "avg_pool2d": (lambda F, x: F.avg_pool2d(x, 2), SQUARE),
    "avg_pool3d": (lambda F, x: F.avg_pool3d(x, 2), CUBE),
    "max_pool1d": (lambda F, x: F.max_pool1d(x, 2), FLAT),
    "max_pool2d": (lambda F, x: F.max_pool2d(x, 2), SQUARE),
    "max_pool3d": (lambda F, x: F.max_pool3d(x, 2), CUBE),
    "lp_pool2d": (lambda F, x: F.lp_pool2d(x, 2.0, 2), SQUARE),
    "adaptive_avg_pool1d": (lambda F, x: F.adaptive_avg_pool1d(x, 3), FLAT),
    "adaptive_avg_pool2d": (lambda F, x: F.adaptive_avg_pool2d(x, (2, 3)), SQUARE),
    "adaptive_avg_pool2d to one": (lambda F, x: F.adaptive_avg_pool2d(x, 1), SQUARE),
    "adaptive_avg_pool3d": (lambda F, x: F.adaptive_avg_pool3d(x, 2), CUBE),
    "adaptive_max_pool1d": (lambda F, x: F.adaptive_max_pool1d(x, 3), FLAT),
    "adaptive_max_pool2d": (lambda F, x: F.adaptive_max_pool2d(x, (2, 3)), SQUARE),
    "adaptive_max_pool3d": (lambda F, x: F.adaptive_max_pool3d(x, 2), CUBE),
    "interpolate nearest": (lambda F, x: F.interpolate(x, 4), FLAT),
    "interpolate linear": (lambda F, x: F.interpolate(x, 4, mode="linear"), FLAT),
    "interpolate bilinear": (lambda F, x: F.interpolate(x, (3, 4), mode="bilinear"), SQUARE),
    "interpolate area": (lambda F, x: F.interpolate(x, (3, 4), mode="area"), SQUARE),
    "linear": (lambda F, x, w: F.linear(x, w), FLAT, (3, 7)),
    "linear with a bias": (lambda F, x, w: F.linear(x, w, w[:, 0]), FLAT, (3, 7)),
    "layer_norm": (lambda F, x: F.layer_norm(x, (7,)), FLAT),
    "group_norm": (lambda F, x: F.group_norm(x, 2), SQUARE),
    "batch_norm": (lambda F, x: F.batch_norm(x, None, None, training=True), SQUARE),
    "instance_norm": (lambda F, x: F.instance_norm(x), SQUARE),
    "local_response_norm": (lambda F, x: F.local_response_norm(x, 2), SQUARE),
    "normalize": (lambda F, x: F.normalize(x), FLAT),
    "pixel_shuffle": (lambda F, x: F.pixel_shuffle(x, 2), SQUARE),
    "channel_shuffle": (lambda F, x: F.channel_shuffle(x, 2), SQUARE),
    "one_hot": (lambda F, x: F.one_hot(abs(x) if x.dtype.is_signed else x), FLAT),
    "softmax": (lambda F, x: F.softmax(x, 1), FLAT),
    "glu": (lambda F, x: F.glu(x, 1), FLAT),
    "relu": (lambda F, x: F.relu(x), FLAT),
    "relu6": (lambda F, x: F.relu6(x), FLAT),
    "gelu": (lambda F, x: F.gelu(x), FLAT),
    "softplus": (lambda F, x: F.softplus(x), FLAT),
    "hardtanh": (lambda F, x: F.hardtanh(x), FLAT),
    "leaky_relu": (lambda F, x: F.leaky_relu(x), FLAT),
    "elu": (lambda F, x: F.elu(x), FLAT),
    "mse_loss": (lambda F, x, y: F.mse_loss(x, y), FLAT, FLAT),
    "l1_loss": (lambda F, x, y: F.l1_loss(x, y), FLAT, FLAT),
    "smooth_l1_loss": (lambda F, x, y: F.smooth_l1_loss(x, y), FLAT, FLAT),
    "cosine_similarity": (lambda F, x, y: F.cosine_similarity(x, y), FLAT, FLAT),
    "pairwise_distance": (lambda F, x, y: F.pairwise_distance(x, y), FLAT, FLAT),
    "bilinear": (lambda F, x, y, w: F.bilinear(x, y, w), (3, 4), (3, 5), (2, 4, 5)),
}
TOLERANCE = {"float64": 1e-10, "complex128": 1e-10, "float16": 4e-3, "bfloat16": 3e-2}
# What lucid computes, rightly, and torch refuses.
MORE = {f"{name} {kind}" for name in ("avg_pool3d", "local_response_norm") for kind in ("float16", "bfloat16")}
MORE |= {"bilinear complex64", "bilinear complex128"}  # torch has the values, and no gradient


def filled(m, shape, kind, start):
    """Small whole numbers, and for complex types imaginary ones, too."""
    n = torch.Size(shape).numel()
    values = (torch.arange(n) * 7 + start) % 5 - (0 if kind in ("uint8", "bool") else 2)
    x = m.tensor(values.tolist()).reshape(shape).to(getattr(m, kind))
    return x * (1 + 2j) if x.dtype.is_complex else x


def called(m, name, kind):
    f, *shapes = CALLS[name]
    inputs = [filled(m, shape, kind, i) for i, shape in enumerate(shapes)]
    live = inputs[0].dtype.is_floating_point or inputs[0].dtype.is_complex
    result = attempt(f, m.nn.functional, *[x.requires_grad_(live) for x in inputs])
    if isinstance(result, Exception):
        return result
    if not result.requires_grad:
        return [result]
    grads = m.autograd.grad(result, inputs, filled(m, tuple(result.shape), kind, 3).to(result.dtype))
    return [result.detach(), *grads]


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("ignore")
def test_values_or_the_error(name, kind):
    want, got = called(torch, name, kind), called(lucid, name, kind)
    if isinstance(want, Exception):
        assert isinstance(got, type(want)) or f"{name} {kind}" in MORE, f"{got!r}, torch {want!r}"
        return
    assert not isinstance(got, Exception), got
    rtol = TOLERANCE.get(kind, 1e-5)
    for w, g in zip(want, got, strict=True):
        close(g, w, rtol=rtol, atol=rtol, of_largest=rtol)
