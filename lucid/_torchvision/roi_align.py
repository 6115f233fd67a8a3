"""roi_align and ps_roi_align: the mean of interpolated points in each bin of a region, and its gradient."""

from ..nn._ops import ops
from .sampling import Points, bin_of_points, check, groups_of, map_of, rows_of, wide


def _axis(coordinates, size):
    """The two neighbours of coordinates on an axis, with their weights; points outside weigh nothing."""
    inside = (coordinates >= -1) & (coordinates <= size)
    c = ops.where(inside, coordinates, 0.0).clamp(min=0)
    low = c.floor().clamp(max=size - 1)
    beyond = (c - low).masked_fill(low >= size - 1, 0.0)
    high = (low + 1).clamp(max=size - 1)
    inside = inside.to(c.dtype)
    return (low.long(), (1 - beyond) * inside), (high.long(), beyond * inside)


class _Regions:
    """The regions of a call: where they begin, how large their bins are, how many points each bin has."""

    def __init__(self, rois, scale, pooled, ratio, shift, at_least):
        rois = wide(rois)
        self.batch, self.pooled = rois[:, 0].long(), pooled
        self.start, self.bin, self.grid = [], [], []
        for axis in (1, 0):  # height, width
            start = rois[:, 1 + axis] * scale - shift
            size = rois[:, 3 + axis] * scale - shift - start
            if at_least is not None:
                size = size.clamp(min=at_least)
            self.start.append(start)
            self.bin.append(size / pooled[1 - axis])
            grid = ops.full_like(size, ratio) if ratio > 0 else (size / pooled[1 - axis]).ceil()
            self.grid.append(grid.nan_to_num(0).long())

    def groups(self, bins, size):
        """(members, Points, points per bin) of regions with as many points in each bin; None for Points if none."""
        for members, grid in groups_of(*self.grid):
            if min(grid) <= 0:
                yield members, None, grid
                continue
            taps = []
            for start, step, n, pooled, length in zip(self.start, self.bin, grid, self.pooled, size):
                start, step = start[members][:, None, None], step[members][:, None, None]
                corner = ops.arange(pooled, dtype=start.dtype)[None, :, None] * step + start
                inner = (ops.arange(n, dtype=start.dtype) + 0.5)[None, None, :] * step / n
                taps.append(_axis((corner + inner).flatten(1), length))
            group = bin_of_points(self.pooled, grid) if bins > 1 else ops.zeros(1, 1, dtype=ops.arange(1).dtype)
            yield members, Points(self.batch[members], *taps, (group, bins), size), grid


def _pool(input, regions, bins, empty):
    """(K, C / bins, PH, PW): the mean in each bin; `empty` is that of no points."""
    b, c, h, w = input.shape
    ph, pw = regions.pooled
    rows, k = rows_of(wide(input), bins), regions.batch.shape[0]
    out = rows.new_full((k, ph, pw, c // bins), empty)
    for members, points, (gy, gx) in regions.groups(bins, (h, w)):
        if points is None:
            continue
        for portion in points.portions(c // bins):
            sums = points.gather(rows, portion).reshape(-1, ph, gy, pw, gx, c // bins)
            out[members[portion]] = sums.sum((2, 4)) / (gy * gx)
    return out.permute(0, 3, 1, 2).contiguous().to(input.dtype)


def _spread(grad, regions, bins, shape):
    """The gradient of _pool for a feature map of this shape."""
    b, c, h, w = shape
    ph, pw = regions.pooled
    rows = wide(grad).new_zeros((b * bins * h * w, c // bins))
    for members, points, (gy, gx) in regions.groups(bins, (h, w)):
        if points is None:
            continue
        each = wide(grad)[members].permute(0, 2, 3, 1) / (gy * gx)
        for portion in points.portions(c // bins):
            part = each[portion][:, :, None, :, None, :].expand(-1, ph, gy, pw, gx, c // bins)
            points.scatter(part.reshape(-1, ph * gy, pw * gx, c // bins), rows, portion)
    return map_of(rows, bins, shape).to(grad.dtype)


def roi_align(input, rois, scale, ph, pw, ratio, aligned):
    """The kernel of torchvision::roi_align."""
    check(input, rois)
    regions = _Regions(rois, scale, (ph, pw), ratio, 0.5 if aligned else 0.0, None if aligned else 1.0)
    return _pool(input, regions, 1, 0.0)


def roi_align_backward(grad, rois, scale, ph, pw, b, c, h, w, ratio, aligned):
    """The kernel of torchvision::_roi_align_backward."""
    check(grad, rois, "grad")
    regions = _Regions(rois, scale, (ph, pw), ratio, 0.5 if aligned else 0.0, None if aligned else 1.0)
    return _spread(grad, regions, 1, (b, c, h, w))


def channel_mapping(rois, channels, ph, pw):
    """(K, C / bins, PH, PW): the input's channel that each result was read from."""
    return ops.arange(channels).int().reshape(-1, ph, pw).expand(rois.shape[0], -1, ph, pw).contiguous()


def ps_roi_align(input, rois, scale, ph, pw, ratio):
    """The kernel of torchvision::ps_roi_align: each bin has channels of its own."""
    check(input, rois, channels_of=(ph, pw))
    regions = _Regions(rois, scale, (ph, pw), ratio, 0.5, None)
    return _pool(input, regions, ph * pw, float("nan")), channel_mapping(rois, input.shape[1], ph, pw)


def ps_roi_align_backward(grad, rois, mapping, scale, ph, pw, ratio, b, c, h, w):
    """The kernel of torchvision::_ps_roi_align_backward."""
    check(grad, rois, "grad")
    return _spread(grad, _Regions(rois, scale, (ph, pw), ratio, 0.5, None), ph * pw, (b, c, h, w))
