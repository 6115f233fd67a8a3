"""Results of layers in their input's memory order, channels first or last."""

from ..._base.shape import contiguous_strides


def has_channels_last(shape, strides):
    """Are the channels innermost in memory? (torch counts an N111 tensor as ordinary.)"""
    n = len(shape)
    if n not in (4, 5) or strides[1] != 1:
        return False
    step = 0
    for d in (1, *range(n - 1, 1, -1), 0):
        if shape[d] == 0 or strides[d] < step or d == 0 and step == strides[1]:
            return False
        step = strides[d] * max(shape[d], 1)
    return True


def channels_last_strides(shape):
    """Dense strides with the channels innermost."""
    inner = contiguous_strides((shape[0], *shape[2:], shape[1]))
    return (inner[0], inner[-1], *inner[1:-1])


def in_format(np, out, *arrays):
    """out with the channels innermost in memory if one of the numpy arrays has them so."""
    for x in arrays:
        if not x.flags.c_contiguous and has_channels_last(x.shape, np.strides(x)):
            return np.with_strides(out, channels_last_strides(out.shape)) if out.ndim == x.ndim else out
    return out


def formatted(forward):
    """A numpy kernel: `forward`, its result in the memory format of its first array."""

    def numpy(np, input, *rest):
        return in_format(np, forward(np, input, *rest), input)

    return numpy
