"""Gradients of grid_sample for halves, whose sums round after each summand, in the order of torch's kernels."""

import math
from typing import NamedTuple

_VECTOR = 16  # halves in a vector of torch's kernel


class Corner(NamedTuple):
    """One of the pixels around each point; lists begin with the innermost dimension."""

    index: object  # of the pixel, flat
    values: object  # (N, C, *out), 0 outside; None where the grid needs no gradient
    inside: object  # is the pixel one of the image's? None: all are
    weight: object  # the product of all weights, None: 1
    weights: list
    slopes: list  # of the weights, by the grid


def input_gradient(xp, g, shape, corners):
    """g of each point added to its corners, point by point; in two dimensions by vectors of points, as they come."""
    (n, c), points = shape[:2], math.prod(g.shape[2:])
    parts = [_sent(xp, g, corner) for corner in corners]
    parts = xp.stack([xp.reshape(p, (n, c, points)) for p in parts], 3)
    words = xp.of(corners[0].index)
    places = words.stack([words.reshape(corner.index, (n, points)) for corner in corners], 2)
    total = points * len(corners)
    places = words.expand(words.reshape(places, (n, 1, total)), (n, c, total))
    parts, flat = xp.reshape(parts, (n, c, total)), xp.zeros((n, c, math.prod(shape[2:])))
    if len(shape) == 4:
        order = words.from_python(_by_vectors(points, len(corners)))
        parts, places = xp.index_select(parts, 2, order), words.index_select(places, 2, order)
    return xp.reshape(xp.scatter_in_order(flat, 2, places, parts, "sum", True), shape)


def _sent(xp, g, corner):
    part = g if corner.weight is None else g * xp.unsqueeze(corner.weight, 1)
    return part if corner.inside is None else xp.where(xp.unsqueeze(corner.inside, 1), part, xp.scalar(0))


def _by_vectors(points, corners):
    """The places of (point, corner) pairs, a vector of points after the other, and corner by corner in each."""
    starts = range(0, points, _VECTOR)
    return [
        point * corners + corner
        for start in starts
        for corner in range(corners)
        for point in range(start, min(start + _VECTOR, points))
    ]


def grid_gradient(xp, g, corners):
    """What moving each point changes, channel by channel."""
    slopes, of_channel = corners[-1].slopes, _of_square if len(corners) == 4 else _of_cube
    sums = [xp.zeros(tuple(slope.shape)) for slope in slopes]
    for c in range(g.shape[1]):
        sums = of_channel([xp.select(v.values, 1, c) for v in corners], corners, xp.select(g, 1, c), sums)
    return xp.stack([s * slope for s, slope in zip(sums, slopes)], len(slopes) + 1)


def _of_square(seen, corners, g, sums):
    (nw, ne, sw, se), (east, south), (west, north) = seen, corners[0].weights, corners[3].weights
    to_x = ((ne - nw) * south + (se - sw) * north) * g
    return [sums[0] + to_x, sums[1] + ((sw - nw) * east + (se - ne) * west) * g]


def _of_cube(seen, corners, g, sums):
    for i, (value, corner) in enumerate(zip(seen, corners)):
        for d in range(3):
            one, other = corner.weights[:d] + corner.weights[d + 1 :]
            part = value * one * other * g
            sums[d] = sums[d] + part if i >> d & 1 else sums[d] - part
    return sums
