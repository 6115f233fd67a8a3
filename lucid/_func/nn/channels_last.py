"""Results of layers in their input's memory order, channels first or last."""

from ..._base.shape import channels_last_strides, has_channels_last


def in_format(np, out, *arrays):
    """out with the channels innermost in memory if one of the numpy arrays has them so."""
    for x in arrays:
        if not x.flags.c_contiguous and has_channels_last(x.shape, np.strides(x)):
            if out.ndim != x.ndim:
                return out
            wanted = channels_last_strides(out.shape)
            return out if np.strides(out) == wanted else np.with_strides(out, wanted)
    return out


def formatted(forward):
    """A numpy kernel: `forward`, its result in the memory format of its first array."""

    def numpy(np, input, *rest):
        return in_format(np, forward(np, input, *rest), input)

    return numpy


def formatted_first(forward):
    """The same for a kernel of several results, of which the first is an image."""

    def numpy(np, input, *rest):
        out, *others = forward(np, input, *rest)
        return (in_format(np, out, input), *others)

    return numpy
