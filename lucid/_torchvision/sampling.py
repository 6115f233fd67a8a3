"""What the pooling of regions has in common: feature maps as rows of channels, and sums over points of each region.

A feature map (B, C, H, W) is a table with one row of channels for each point, and what a region pools are weighted sums
of rows. `gather` makes the sums, `scatter` is its gradient; both take the regions in portions, as the points of all
regions together may not fit into memory.
"""

from ..nn._ops import ops

PORTION = 1 << 24  # elements that are gathered at once


def check(input, rois, name="input", channels_of=None):
    """RuntimeError, as torchvision's kernels have it, for regions that are not (K, 5) or of another type."""
    if rois.shape[1] != 5:
        raise RuntimeError("Tensor rois should have shape as Tensor[K, 5]")
    if input.dtype != rois.dtype:
        raise RuntimeError(
            f"Expected tensor for {name} to have the same type as tensor for rois; but type {input.type()} does not "
            f"equal {rois.type()}"
        )
    if channels_of is not None and input.shape[1] % (channels_of[0] * channels_of[1]):
        raise RuntimeError("input channels must be a multiple of pooling height * pooling width")


def wide(t):
    """A tensor of halves in float32, in which their kernels compute here."""
    return t.float() if t.dtype.itemsize < 4 else t


def rows_of(input, bins):
    """The feature map as a table of rows. bins: how many groups of channels it has, each with rows of its own."""
    b, c, h, w = input.shape
    return input.reshape(b, c // bins, bins, h, w).permute(0, 2, 3, 4, 1).reshape(b * bins * h * w, c // bins)


def map_of(rows, bins, shape):
    """The feature map of a table of rows."""
    b, c, h, w = shape
    return rows.reshape(b, bins, h, w, c // bins).permute(0, 4, 1, 2, 3).reshape(shape)


class Points:
    """Points of regions: for each of (K, Y, X) the rows that are added up (`taps`: index and weight of each)."""

    def __init__(self, batch, y_taps, x_taps, bins, size):
        """y_taps, x_taps: (position, weight) pairs along the two axes, of shapes (K, Y) and (K, X); bins: the group of
        channels of each point, of shape (Y, X), and how many there are; size: height and width."""
        group, groups = bins
        base = (batch[:, None, None] * groups + group) * size[0]
        self.taps = [
            ((base + y[:, :, None]) * size[1] + x[:, None, :], wy[:, :, None] * wx[:, None, :])
            for y, wy in y_taps
            for x, wx in x_taps
        ]
        self.shape = tuple(self.taps[0][0].shape)

    def gather(self, rows, portion):
        """The weighted sums, (k, Y, X, C), of a slice of the regions."""
        total = None
        for index, weight in self.taps:
            index = index[portion]
            part = rows.index_select(0, index.reshape(-1)).reshape(*index.shape, -1) * weight[portion][..., None]
            total = part if total is None else total.add_(part)
        return total

    def scatter(self, grad, rows, portion):
        """Add the gradient (k, Y, X, C) of the sums to that of the table."""
        for index, weight in self.taps:
            part = grad * weight[portion][..., None]
            rows.index_add_(0, index[portion].reshape(-1), part.reshape(-1, rows.shape[1]))

    def portions(self, channels):
        """Slices of the regions that are small enough."""
        count, y, x = self.shape
        step = max(1, PORTION // max(1, y * x * channels))
        return [slice(at, min(at + step, count)) for at in range(0, count, step)]


def groups_of(*counts):
    """(members, counts) of the regions that agree in all the counts (K,)."""
    found = {}
    for n, key in enumerate(zip(*[c.tolist() for c in counts])):
        found.setdefault(key, []).append(n)
    return [(ops.tensor(members), key) for key, members in found.items()]


def bin_of_points(pooled, per_bin):
    """(Y, X): to which bin, counted row by row, each point belongs."""
    ph, pw = pooled
    y = ops.arange(ph * per_bin[0]) // per_bin[0]
    x = ops.arange(pw * per_bin[1]) // per_bin[1]
    return y[:, None] * pw + x[None, :]
