"""roi_pool and ps_roi_pool: the maximum, or the mean, of whole points in each bin of a region, and their gradients."""

from .._base.dtype import finfo
from ..nn._ops import ops
from .roi_align import channel_mapping
from .sampling import Points, bin_of_points, check, map_of, rows_of, wide


def _rounded(x):
    """C's round: halves go away from zero."""
    x = x.double()
    return (x.abs() + 0.5).floor() * x.sign()


class _Bins:
    """The bins of regions as ranges of whole points: begin and end along each axis, (K, PH) and (K, PW)."""

    def __init__(self, rois, scale, pooled, size, extra, last):
        """extra: how much larger than its ends' distance a region is; last: the largest end, as height and width."""
        rois = wide(rois)
        self.batch, self.pooled, self.size, self.ranges = rois[:, 0].long(), pooled, size, []
        for axis, parts, most in ((2, pooled[0], last[0]), (1, pooled[1], last[1])):
            start = _rounded(rois[:, axis] * scale)
            length = (_rounded(rois[:, axis + 2] * scale) - start + extra).clamp(min=1)
            step = (length.to(rois.dtype) / parts)[:, None]
            n = ops.arange(parts, dtype=rois.dtype)
            begin, end = (n * step).floor().double(), ((n + 1) * step).ceil().double()
            self.ranges.append([(v + start[:, None]).clamp(0, most).long() for v in (begin, end)])

    def points(self, bins):
        """Points of all bins, as many for each bin as the largest has, and how many: those in excess weigh nothing."""
        taps, counts = [], []
        for (begin, end), length in zip(self.ranges, self.size):
            n = max(1, int((end - begin).max())) if begin.numel() else 1
            at = begin[:, :, None] + ops.arange(n)
            weight = (at < end[:, :, None]).to(ops.empty(0).dtype)
            taps.append([(at.clamp(max=length - 1).flatten(1), weight.flatten(1))])
            counts.append(n)
        group = bin_of_points(self.pooled, counts) if bins > 1 else ops.zeros(1, 1).long()
        return Points(self.batch, *taps, (group, bins), self.size), counts

    def areas(self):
        """(K, PH, PW): how many points a bin has."""
        (top, bottom), (left, right) = self.ranges
        return (bottom - top).clamp(min=0)[:, :, None] * (right - left).clamp(min=0)[:, None, :]


def roi_pool(input, rois, scale, ph, pw):
    """The kernel of torchvision::roi_pool: maxima, and where they are (-1: in an empty bin)."""
    check(input, rois)
    b, c, h, w = input.shape
    bins, rows, k = _Bins(rois, scale, (ph, pw), (h, w), 1, (h, w)), rows_of(wide(input), 1), rois.shape[0]
    points, (ny, nx) = bins.points(1)
    out, where = rows.new_zeros((k, ph, pw, c)), ops.full((k, ph, pw, c), -1).int()
    (index, weight), lowest = points.taps[0], -finfo(input.dtype).max
    for portion in points.portions(c):
        values = rows.index_select(0, index[portion].reshape(-1)).reshape(-1, ph, ny, pw, nx, c)
        counts = weight[portion].reshape(-1, ph, ny, pw, nx, 1) > 0
        values = ops.where(counts & (values > lowest), values, -float("inf"))  # nothing is larger than not-a-number
        best, at = values.permute(0, 1, 3, 5, 2, 4).flatten(4).max(-1)
        place = (index[portion] - bins.batch[portion][:, None, None] * (h * w)).reshape(-1, ph, ny, pw, nx)
        place = place.permute(0, 1, 3, 2, 4).flatten(3)[:, :, :, None, :].expand(-1, -1, -1, c, -1)
        found, empty = best > -float("inf"), (bins.areas()[portion] == 0)[..., None]
        out[portion] = ops.where(found, best, ops.full_like(best, lowest).masked_fill(empty, 0.0))
        where[portion] = ops.where(found, place.gather(-1, at[..., None])[..., 0], -1).int()
    return out.permute(0, 3, 1, 2).contiguous().to(input.dtype), where.permute(0, 3, 1, 2).contiguous()


def roi_pool_backward(grad, rois, argmax, scale, ph, pw, b, c, h, w):
    """The kernel of torchvision::_roi_pool_backward."""
    check(grad, rois, "grad")
    plane = rois[:, 0].long()[:, None] * c + ops.arange(c)
    index = plane[:, :, None, None] * (h * w) + argmax.long()
    found = argmax >= 0
    total = wide(grad).new_zeros(b * c * h * w)
    return total.index_add_(0, index[found], wide(grad)[found]).reshape(b, c, h, w).to(grad.dtype)


def ps_roi_pool(input, rois, scale, ph, pw):
    """The kernel of torchvision::ps_roi_pool: means; each bin has channels of its own."""
    check(input, rois, channels_of=(ph, pw))
    b, c, h, w = input.shape
    bins = _Bins(rois, scale, (ph, pw), (h, w), 0, (h - 1, w - 1))  # the last row and column are left out, as there
    rows, n, k = rows_of(wide(input), ph * pw), c // (ph * pw), rois.shape[0]
    points, (ny, nx) = bins.points(ph * pw)
    out, areas = rows.new_zeros((k, ph, pw, n)), bins.areas()
    for portion in points.portions(n):
        sums = points.gather(rows, portion).reshape(-1, ph, ny, pw, nx, n).sum((2, 4))
        out[portion] = sums / areas[portion].clamp(min=1)[..., None].to(sums.dtype)
    return out.permute(0, 3, 1, 2).contiguous().to(input.dtype), channel_mapping(rois, c, ph, pw)


def ps_roi_pool_backward(grad, rois, mapping, scale, ph, pw, b, c, h, w):
    """The kernel of torchvision::_ps_roi_pool_backward; its bins reach to the border, unlike those of the values."""
    check(grad, rois, "grad")
    bins = _Bins(rois, scale, (ph, pw), (h, w), 0, (h, w))
    points, (ny, nx) = bins.points(ph * pw)
    n = c // (ph * pw)
    rows = wide(grad).new_zeros((b * ph * pw * h * w, n))
    each = wide(grad).permute(0, 2, 3, 1) / bins.areas().clamp(min=1)[..., None].to(rows.dtype)
    for portion in points.portions(n):
        part = each[portion][:, :, None, :, None, :].expand(-1, ph, ny, pw, nx, n)
        points.scatter(part.reshape(-1, ph * ny, pw * nx, n), rows, portion)
    return map_of(rows, ph * pw, (b, c, h, w)).to(grad.dtype)
