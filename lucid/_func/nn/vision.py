"""Images: sampling at the points of a grid, affine grids, and channels shuffled into pixels."""

import itertools
import math

from ..._array.resampling import cubic_weights
from ..._backend.core import func_op, unary_func_op
from ..._backend.families import Layer, not_implemented_error
from ..._backend.registry import public
from ..._backend.rules import in_one_step
from ..._base.dtype import FLOATING, int64
from ..._base.warn import warn
from .channels_last import formatted
from .grid_halves import Corner, grid_gradient, input_gradient

_MODES, _FILLS = ("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection")


# ---- grid_sample: along each dimension, which inputs a point reads and with which weights


def _point(xp, grid, n, fill, align_corners):
    """(coordinates in pixels for a grid in -1 .. 1, their derivative by the grid) after border or reflection."""
    slope = (n - 1) / 2 if align_corners else n / 2
    at = (grid + 1) / 2 * (n - 1) if align_corners else ((grid + 1) * n - 1) / 2
    if fill == "zeros":
        return at, slope
    turn = slope
    if fill == "reflection":
        at, turn = _reflected(xp, at, n, align_corners, slope)
    inside = xp.logical_and(at > 0, at < n - 1)
    return _held(xp, at, n), xp.where(inside, turn if hasattr(turn, "shape") else xp.scalar(turn), xp.scalar(0))


def _held(xp, at, n):
    return xp.minimum(xp.maximum(at, xp.scalar(0.0)), xp.scalar(float(n - 1)))


def _reflected(xp, at, n, align_corners, slope):
    """Coordinates folded back between the first and last pixel (their middles with align_corners, else their edges)."""
    low, span = (0.0, n - 1.0) if align_corners else (-0.5, float(n))
    if span == 0:
        return at * 0.0, 0.0
    low, span = xp.scalar(low), xp.scalar(span)
    away = xp.abs(at - low)
    whole = xp.floor(away / span)
    rest = away - whole * span
    odd = xp.fmod(whole, xp.scalar(2.0)) == 1.0
    turn = xp.where(xp.logical_xor(odd, at < low), xp.scalar(-slope), xp.scalar(slope))
    return xp.where(odd, span - rest + low, rest + low), turn


def _reads(xp, grid, n, mode, fill, align_corners):
    """[(index, weight, the weight's derivative by the grid, is it inside)] along one dimension; None for 1, 0, yes."""
    if mode == "bicubic":
        at, slope = _point(xp, grid, n, "zeros", align_corners)
        low = xp.floor(at)
        t = at - low
        reads = []
        for k, (w, dw) in enumerate(zip(cubic_weights(t), _cubic_slopes(t))):
            index = low + (k - 1)
            if fill == "reflection":
                index = _reflected(xp, index, n, align_corners, 1.0)[0]
            reads.append(_bounded(xp, index, n, fill, w, dw * xp.scalar(slope)))
        return reads
    at, slope = _point(xp, grid, n, fill, align_corners)
    if mode == "nearest":
        return [_bounded(xp, xp.round(at), n, fill, None, None)]
    low = xp.floor(at)
    t = at - low
    ones = slope if hasattr(slope, "shape") else xp.full(tuple(t.shape), slope)
    return [_bounded(xp, low, n, fill, 1 - t, -ones), _bounded(xp, low + 1, n, fill, t, ones, True)]


def _cubic_slopes(t, a=-0.75):
    """The derivatives of sampling.cubic_weights."""

    def near(x):
        return (3 * (a + 2) * x - 2 * (a + 3)) * x

    def far(x):
        return (3 * a * x - 10 * a) * x + 8 * a

    return [far(t + 1), near(t), -near(1 - t), -far(2 - t)]


def _bounded(xp, index, n, fill, weight, slope, behind=False):
    """One of _reads; behind: the index may lie behind the last one of points that are held inside, too."""
    inside = None
    if fill == "zeros":
        inside = xp.logical_and(index >= 0, index <= n - 1)
    elif behind:
        inside = index <= n - 1
    # a NaN point reads the first pixel, like torch's conversion to an integer held inside
    return _held(xp, xp.where(index == index, index, xp.scalar(0)), n), weight, slope, inside


def _taps(xp, grid, size, mode, fill, align_corners):
    """For each corner a point reads: (flat index, [weights], [slopes]) with one weight per dimension, None for 1.

    grid's last dimension names the innermost spatial dimension first.
    """
    n = len(size)
    lines = [
        _reads(xp, xp.select(grid, grid.ndim - 1, n - 1 - d), m, mode, fill, align_corners) for d, m in enumerate(size)
    ]
    for corner in itertools.product(*lines):
        flat, inside = None, None
        for (index, _, _, within), m in zip(corner, size):
            index = xp.cast(index, int64)
            flat = index if flat is None else flat * m + index
            inside = within if inside is None else inside if within is None else xp.logical_and(inside, within)
        yield flat, [c[1] for c in corner], [c[2] for c in corner], inside


def _product(factors):
    total = None
    for f in factors:
        if f is not None:
            total = f if total is None else total * f
    return total


def _values(xp, flat_input, index, inside, shape):
    """flat_input (N, C, pixels) at index (N, *out): (N, C, *out); 0 where it is not inside."""
    n, c = shape[:2]
    points = math.prod(index.shape[1:])
    wide = xp.expand(xp.reshape(index, (n, 1, points)), (n, c, points))
    return _kept(xp, inside, xp.reshape(xp.gather(flat_input, 2, wide), (n, c, *index.shape[1:])))


def _kept(xp, inside, values):
    """values (N, C, *out) of points inside; 0 for others, whatever lies there."""
    return values if inside is None else xp.where(xp.unsqueeze(inside, 1), values, xp.scalar(0))


def _shares(xp, inside, values, weight):
    """values times weights; where a point is outside torch's kernel of volumes leaves even a weight of NaN out."""
    if weight is None:
        return values
    part = values * xp.unsqueeze(weight, 1)
    return _kept(xp, inside, part) if values.ndim == 5 else part


def _flat(xp, input):
    n, c = input.shape[:2]
    return xp.reshape(input, (n, c, math.prod(input.shape[2:])))


def _sampled(xp, input, grid, mode, fill, align_corners):
    total, flat = None, _flat(xp, input)
    for index, weights, _, inside in _taps(xp, grid, input.shape[2:], mode, fill, align_corners):
        part = _shares(xp, inside, _values(xp, flat, index, inside, input.shape), _product(weights[::-1]))
        total = part if total is None else total + part
    return total


def _sampled_backward(xp, g, input, grid, needs, mode, fill, align_corners):
    n, c = input.shape[:2]
    size, flat = input.shape[2:], _flat(xp, input)
    to_input = to_grid = None
    for index, weights, slopes, inside in _taps(xp, grid, size, mode, fill, align_corners):
        weight = _product(weights)
        if needs[0]:
            part = _kept(xp, inside, g if weight is None else g * xp.unsqueeze(weight, 1))
            points = math.prod(index.shape[1:])
            wide = xp.expand(xp.reshape(index, (n, 1, points)), (n, c, points))
            base = xp.zeros((n, c, math.prod(size))) if to_input is None else to_input
            to_input = xp.scatter_add(base, 2, wide, xp.reshape(part, (n, c, points)))
        if needs[1] and slopes[0] is not None:
            seen = xp.sum(g * _values(xp, flat, index, inside, input.shape), (1,), False)
            parts = [seen * _product([*weights[:d], slopes[d], *weights[d + 1 :]]) for d in reversed(range(len(size)))]
            if len(size) == 3 and inside is not None:
                parts = [xp.where(inside, part, xp.scalar(0)) for part in parts]
            part = xp.stack(parts, grid.ndim - 1)
            to_grid = part if to_grid is None else to_grid + part
    if needs[1] and to_grid is None:
        to_grid = xp.zeros(tuple(grid.shape))
    return None if to_input is None else xp.reshape(to_input, tuple(input.shape)), to_grid


def _halves_backward(xp, g, input, grid, needs, mode, fill, align_corners):
    """The same of halves, in torch's order: see grid_halves.py."""
    corners, flat = [], _flat(xp, input)
    for index, weights, slopes, inside in _taps(xp, grid, input.shape[2:], mode, fill, align_corners):
        seen = _values(xp, flat, index, inside, input.shape) if needs[1] else None
        weight = _product(weights[::-1])
        corners.append(Corner(index, seen, inside, weight, weights[::-1], slopes[::-1]))
    to_input = input_gradient(xp, g, tuple(input.shape), corners) if needs[0] else None
    if not needs[1] or mode == "nearest":
        return to_input, xp.zeros(tuple(grid.shape)) if needs[1] else None
    return to_input, grid_gradient(xp, g, corners)


def _sampler(n):
    def forward(xp, input, grid, interpolation_mode=0, padding_mode=0, align_corners=False):
        mode, fill = _MODES[interpolation_mode], _FILLS[padding_mode]
        if mode == "bicubic":
            return in_one_step(xp, _sampled, input, grid, mode, fill, align_corners)
        return _sampled(xp, input, grid, mode, fill, align_corners)

    def backward(xp, needs, g, input, grid, interpolation_mode, padding_mode, align_corners):
        mode, fill = _MODES[interpolation_mode], _FILLS[padding_mode]
        if mode == "bicubic":
            return in_one_step(xp, _sampled_backward, g, input, grid, needs, mode, fill, align_corners)
        backward = _halves_backward if xp.is_half else _sampled_backward
        return backward(xp, g, input, grid, needs, mode, fill, align_corners)

    return type(
        f"grid_sampler_{n}d",
        (Layer,),
        {
            "namespace": "torch",
            "node_name": f"GridSampler{n}DBackward0",
            "stepwise": True,
            "gradient_kernel": False,
            "forward": func_op(2)(forward),
            "backward": backward,
            "__module__": __name__,
            "__doc__": f"grid_sampler_{n}d(input, grid, interpolation_mode, padding_mode, align_corners) -> Tensor",
        },
    )


grid_sampler_2d, grid_sampler_3d = _sampler(2), _sampler(3)


@public()
def grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners):
    """grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners) -> Tensor: grid_sample by numbers."""
    shape, points = list(input.shape), list(grid.shape)
    if points[-1] != len(shape) - 2:
        raise RuntimeError(
            f"grid_sampler(): expected grid to have size {len(shape) - 2} in last dimension, but got "
            f"grid with sizes {points}"
        )
    if len(shape) not in (4, 5) or len(points) != len(shape):
        raise RuntimeError(
            "grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, but got "
            f"input with sizes {shape} and grid with sizes {points}"
        )
    if shape[0] != points[0]:
        raise RuntimeError(
            "grid_sampler(): expected grid and input to have same batch size, but got input with sizes "
            f"{shape} and grid with sizes {points}"
        )
    for d in range(2, len(shape)):
        if not shape[d]:
            raise RuntimeError(
                "grid_sampler(): expected input to have non-empty spatial dimensions, but input has "
                f"sizes {shape} with dimension {d} being empty"
            )
    if len(shape) == 5 and interpolation_mode == 2:
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
    if input._table.dtype.category != FLOATING:
        raise not_implemented_error(f"grid_sampler_{len(shape) - 2}d_cpu", input._table.dtype)
    op = grid_sampler_2d if len(shape) == 4 else grid_sampler_3d
    return op.fn(input, grid, interpolation_mode, padding_mode, bool(align_corners))


@public(namespace="nn.functional")
def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=None):
    """grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=None) -> Tensor.

    input (N, C, H, W) read at the points of grid (N, Ho, Wo, 2), whose (x, y) run from -1 to 1 over the image: (N, C,
    Ho, Wo). Also for (N, C, D, H, W) and (N, Do, Ho, Wo, 3). mode: bilinear, nearest, bicubic (4-D); padding_mode:
    zeros, border, reflection; align_corners: are -1 and 1 the middles of the corner pixels, or their edges?
    """
    if mode not in _MODES:
        raise ValueError(
            f"nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{mode}'"
        )
    if padding_mode not in _FILLS:
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', "
            f"but got: '{padding_mode}'"
        )
    if align_corners is None:
        warn(
            "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. "
            "Please specify align_corners=True if the old behavior is desired. See the documentation of "
            "grid_sample for details.",
        )
    return grid_sampler(input, grid, _MODES.index(mode), _FILLS.index(padding_mode), bool(align_corners))


# ---- affine grids


def _line(xp, n, align_corners):
    """n points from -1 to 1: the corner pixels' middles, or edges half a pixel further out."""
    if n <= 1:
        return xp.zeros((n,))
    line = xp.linspace(-1.0, 1.0, n)  # to the last bit: points may lie half way between two pixels
    return line if align_corners else line * float(n - 1) / float(n)


def _lines(xp, size, align_corners):
    """The line of every dimension, along it."""
    n = len(size)
    return [
        xp.reshape(_line(xp, m, align_corners), tuple([m if j == d else 1 for j in range(n)]))
        for d, m in enumerate(size)
    ]


def _base_grid(xp, size, align_corners):
    """The homogeneous coordinates (x, y, ..., 1) of every pixel: (pixels, dims + 1)."""
    n = len(size)
    lines = [xp.expand(line, size) for line in _lines(xp, size, align_corners)]
    return xp.reshape(xp.stack([*reversed(lines), xp.ones(size)], n), (math.prod(size), n + 1))


class affine_grid_generator(Layer):
    """affine_grid_generator(theta, size, align_corners) -> Tensor: theta (N, 2, 3) or (N, 3, 4) at every pixel."""

    namespace, linear = "torch", True

    @unary_func_op()
    def forward(xp, theta, size, align_corners):
        n, product = len(size) - 2, None
        for d, line in enumerate(reversed(_lines(xp, tuple(size[2:]), align_corners))):
            column = xp.reshape(theta[:, :, d], (size[0], *[1] * n, n))
            term = xp.reshape(line, (1, *line.shape, 1)) * column
            product = term if product is None else product + term
        return product + xp.reshape(theta[:, :, n], (size[0], *[1] * n, n))

    def prepare(theta, size, align_corners):
        return tuple([int(n) for n in size]), bool(align_corners)

    def grad_theta(xp, g, size, align_corners):
        base = _base_grid(xp, tuple(size[2:]), align_corners)
        g = xp.reshape(g, (size[0], math.prod(size[2:]), len(size) - 2))
        return xp.matmul(xp.permute(g, (0, 2, 1)), base)


@public(namespace="nn.functional")
def affine_grid(theta, size, align_corners=None):
    """affine_grid(theta, size, align_corners=None) -> Tensor: the sampling grid of affine maps, for grid_sample.

    theta (N, 2, 3) for size (N, C, H, W) gives (N, H, W, 2); theta (N, 3, 4) for size (N, C, D, H, W) gives (N, D, H,
    W, 3).
    """
    if align_corners is None:
        warn(
            "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. "
            "Please specify align_corners=True if the old behavior is desired. See the documentation of "
            "grid_sample for details.",
        )
    if theta._table.dtype.category != FLOATING:
        raise ValueError(f"Expected theta to have floating point type, but got torch.{theta.dtype.name}")
    size = tuple(size)
    n = len(size) - 2
    if n not in (2, 3):
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, "
            f"respectively. Got size {size}."
        )
    if theta.dim() != 3 or theta.shape[-2] != n or theta.shape[-1] != n + 1:
        raise ValueError(
            f"Expected a batch of {n}D affine matrices of shape Nx{n}x{n + 1} for size {size}. Got {theta.shape}."
        )
    if align_corners and min(size[2:]) == 1:
        warn(
            "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when align_corners=True. This "
            "is not an intended use case of affine_grid. See the documentation of affine_grid for details.",
        )
    elif min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    return affine_grid_generator.fn(theta, size, bool(align_corners))


# ---- channels and pixels


def _shuffled(xp, x, r):
    """(*, C r^2, H, W) -> (*, C, H r, W r)"""
    lead, (c, h, w) = tuple(x.shape[:-3]), x.shape[-3:]
    n = len(lead)
    x = xp.reshape(x, (*lead, c // (r * r), r, r, h, w))
    x = xp.permute(x, (*range(n + 1), n + 3, n + 1, n + 4, n + 2))
    return xp.reshape(x, (*lead, c // (r * r), h * r, w * r))


def _unshuffled(xp, x, r):
    """(*, C, H r, W r) -> (*, C r^2, H, W)"""
    lead, (c, h, w) = tuple(x.shape[:-3]), x.shape[-3:]
    n = len(lead)
    x = xp.reshape(x, (*lead, c, h // r, r, w // r, r))
    x = xp.permute(x, (*range(n + 1), n + 2, n + 4, n + 1, n + 3))
    return xp.reshape(x, (*lead, c * r * r, h // r, w // r))


def _check_factor(name, input, label, factor):
    if input.ndim < 3:
        raise RuntimeError(
            f"{name} expects input to have at least 3 dimensions, but got input with {input.ndim} dimension(s)"
        )
    if factor <= 0:
        raise RuntimeError(f"{name} expects a positive {label}, but got {factor}")


class pixel_shuffle(Layer):
    """pixel_shuffle(input, upscale_factor) -> Tensor: (*, C r^2, H, W) as (*, C, H r, W r) (Shi et al. 2016)."""

    namespace, linear = ("torch", "nn.functional"), True

    @unary_func_op()
    def forward(xp, input, upscale_factor):
        return xp.copy(input) if upscale_factor == 1 else _shuffled(xp, input, upscale_factor)

    numpy = formatted(lambda xp, *args: pixel_shuffle.forward(xp, *args))

    def prepare(input, upscale_factor):
        _check_factor("pixel_shuffle", input, "upscale_factor", upscale_factor)
        if input.shape[-3] % upscale_factor**2:
            raise RuntimeError(
                "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of "
                f"upscale_factor, but input.size(-3)={input.shape[-3]} is not divisible by {upscale_factor**2}"
            )
        return (int(upscale_factor),)

    def grad_input(xp, g, upscale_factor):
        return _unshuffled(xp, g, upscale_factor)


class pixel_unshuffle(Layer):
    """pixel_unshuffle(input, downscale_factor) -> Tensor: the inverse of pixel_shuffle."""

    namespace, linear = ("torch", "nn.functional"), True

    @unary_func_op()
    def forward(xp, input, downscale_factor):
        return xp.copy(input) if downscale_factor == 1 else _unshuffled(xp, input, downscale_factor)

    numpy = formatted(lambda xp, *args: pixel_unshuffle.forward(xp, *args))

    def prepare(input, downscale_factor):
        _check_factor("pixel_unshuffle", input, "downscale_factor", downscale_factor)
        for what, d in (("height", -2), ("width", -1)):
            if input.shape[d] % downscale_factor:
                raise RuntimeError(
                    f"pixel_unshuffle expects {what} to be divisible by downscale_factor, but "
                    f"input.size({d})={input.shape[d]} is not divisible by {downscale_factor}"
                )
        return (int(downscale_factor),)

    def grad_input(xp, g, downscale_factor):
        return _shuffled(xp, g, downscale_factor)


def _dealt(xp, x, groups):
    """Channels (groups, C / groups) turned to (C / groups, groups)."""
    n, c, rest = x.shape[0], x.shape[1], tuple(x.shape[2:])
    x = xp.reshape(x, (n, groups, c // groups, math.prod(rest)))
    return xp.reshape(xp.permute(x, (0, 2, 1, 3)), (n, c, *rest))


class native_channel_shuffle(Layer):
    """native_channel_shuffle(input, groups) -> Tensor: see channel_shuffle."""

    namespace, linear, node_name = ("torch", "nn.functional"), True, "ChannelShuffleBackward0"

    @unary_func_op()
    def forward(xp, input, groups):
        return xp.copy(input) if groups in (1, input.shape[1]) else _dealt(xp, input, groups)

    numpy = formatted(lambda xp, *args: native_channel_shuffle.forward(xp, *args))

    def grad_input(xp, g, groups, shape):
        return _dealt(xp, g, shape[1] // groups)


@public(namespace=("torch", "nn.functional"))
def channel_shuffle(input, groups):
    """channel_shuffle(input, groups) -> Tensor: channels (dimension 1) dealt round the groups (Zhang et al. 2018)."""
    if input.dim() <= 2:
        raise RuntimeError(f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(input.shape)}")
    if groups <= 0:
        raise RuntimeError(f"Number of groups to divide channels in must be positive. Value of groups:{groups}")
    if input.shape[1] % groups:
        raise RuntimeError(
            f"Number of channels must be divisible by groups. Got {input.shape[1]} channels and {groups} groups."
        )
    return native_channel_shuffle.fn(input, groups)
