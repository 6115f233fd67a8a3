"""Padding: constants, mirror images, held edges or wrapped copies around a tensor (F.pad, constant_pad_nd)."""

from ..._array import resampling as sampling
from ..._backend.core import unary_func_op
from ..._backend.dispatch import spelled_as
from ..._backend.families import Layer, not_implemented_error
from ..._backend.registry import public
from ..._base.dtype import bool_
from ..shape.slicing import slice_of
from .resampling import resampling_op


class constant_pad_nd(Layer):
    """constant_pad_nd(input, pad, value=0) -> Tensor: `value` around input; a negative width crops.

    pad is (before, after) of the last dimension, then of the one before it, and so on.
    """

    namespace, method = "torch", False
    fits_type = ("value",)

    @unary_func_op()
    def forward(xp, input, pad, value=0):
        first = input.ndim - len(pad) // 2
        widths, cropped = [(0, 0)] * first, input
        for d in range(first, input.ndim):
            before, after = pad[2 * (input.ndim - 1 - d) :][:2]
            if before < 0 or after < 0:
                cropped = xp.slice(cropped, d, max(-before, 0), input.shape[d] + min(after, 0), 1)
            widths.append((max(before, 0), max(after, 0)))
        if any(a or b for a, b in widths):
            return xp.pad(cropped, tuple(widths), value)
        return xp.copy(cropped)

    def prepare(input, pad, value):
        pad = tuple([int(n) for n in pad])
        if len(pad) % 2:
            raise RuntimeError(f"Length of pad must be even but instead it equals {len(pad)}")
        if len(pad) > 2 * input.ndim:
            raise RuntimeError(
                "Length of pad should be no more than twice the number of dimensions of the input. Pad "
                f"length is {len(pad)} while the input has {input.ndim} dimensions."
            )
        for i in range(len(pad) // 2):
            n, size = input.shape[input.ndim - 1 - i], input.shape[input.ndim - 1 - i] + pad[2 * i] + pad[2 * i + 1]
            if size < 0:
                if n + min(pad[2 * i], 0) + min(pad[2 * i + 1], 0) < 0:
                    raise RuntimeError("narrow(): length must be non-negative.")
                raise RuntimeError(
                    f"The input size {n}, plus negative padding {pad[2 * i]} and {pad[2 * i + 1]} resulted in a "
                    f"negative output size, which is invalid. Check dimension {input.ndim - 1 - i} of your input."
                )
        return pad, value

    def grad_input(xp, g, pad):
        return constant_pad_nd.forward(xp, g, tuple([-n for n in pad]), 0)


@public(namespace=None, word="pad")
def _pad_word(x, widths, value=0):
    """The word `pad` for Tensors: one (before, after) pair per dimension."""
    return constant_pad_nd.fn(x, [n for pair in reversed(widths) for n in pair], value)


# ---- mirrored and held edges

_OPS = {
    (mode, n): resampling_op(f"{name}_pad{n}d", f"{name.capitalize()}Pad{n}DBackward0", in_order=True)
    for mode, name in (("reflect", "reflection"), ("replicate", "replication"))
    for n in (1, 2, 3)
}


def _checked(input, pad, mode):
    """The number of padded dimensions, after torch's checks."""
    n, shape = len(pad) // 2, list(input.shape)
    if len(shape) not in (n + 1, n + 2) or n > 3:
        raise NotImplementedError(f"Padding size {len(pad)} is not supported for {len(shape)}D input tensor.")
    if 0 in shape[-n - 1 :] and mode != "circular":
        raise RuntimeError(
            f"Expected {n + 1}D or {n + 2}D (batch mode) tensor with possibly 0 batch size and other "
            f"non-zero dimensions for input, but got: {shape}"
        )
    for i in range(n):
        d, before, after = len(shape) - 1 - i, pad[2 * i], pad[2 * i + 1]
        if mode == "reflect" and (before >= shape[d] or after >= shape[d]):
            raise RuntimeError(
                f"Argument #{2 * n + 2}: Padding size should be less than the corresponding input "
                f"dimension, but got: padding ({before}, {after}) at dimension {d} of input {shape}"
            )
        if mode == "circular" and (before > shape[d] or after > shape[d]):
            raise RuntimeError("Padding value causes wrapping around more than once.")
        size = shape[d] + before + after
        if mode == "circular" and size < 0:
            raise RuntimeError("Negative padding value is resulting in an empty dimension")
        if size < (0 if mode == "circular" else 1):
            sizes = [*shape[:-n], *[shape[-1 - j] + pad[2 * j] + pad[2 * j + 1] for j in reversed(range(n))]]
            raise RuntimeError(f"Trying to create tensor with negative dimension {size}: {sizes}")
    return n


def _resampled(input, pad, mode):
    n = _checked(input, pad, mode)
    if input._table.dtype is bool_:
        raise not_implemented_error(f"{'reflection' if mode == 'reflect' else 'replication'}_pad{n}d", bool_)
    line = sampling.mirrored if mode == "reflect" else sampling.held
    taps = [
        line(input.shape[input.dim() - 1 - i], pad[2 * i], pad[2 * i + 1]) if pad[2 * i] or pad[2 * i + 1] else None
        for i in reversed(range(n))
    ]
    op = _OPS[mode, n]
    return input.clone() if not any(taps) else spelled_as(op.name, (input, pad), op.fn, input, tuple(taps))


def _circular(input, pad):
    """Wrapped around, as torch does it: the middle first, then both ends of each dimension copied from the result."""
    n, ndim = _checked(input, pad, "circular"), input.dim()
    size = list(input.shape)
    for i in range(n):
        size[ndim - 1 - i] += pad[2 * i] + pad[2 * i + 1]
    out = input.new_empty(size)
    to, source = out, input
    for i in range(n):
        d, before, after = ndim - 1 - i, pad[2 * i], pad[2 * i + 1]
        to = _part(to, d, max(before, 0), size[d] - max(after, 0))
        source = _part(source, d, max(-before, 0), input.shape[d] - max(-after, 0))
    to.copy_(source)
    for i in reversed(range(n)):
        d, before, after = ndim - 1 - i, pad[2 * i], pad[2 * i + 1]
        if before > 0:
            end = size[d] - max(after, 0)
            _part(out, d, 0, before).copy_(_part(out, d, end - before, end))
        if after > 0:
            start = max(before, 0)
            _part(out, d, size[d] - after, size[d]).copy_(_part(out, d, start, start + after))
    return out


def _part(x, d, start, end):
    return slice_of.fn(x, d, start, end, 1)


@public(namespace="nn.functional", word=False)
def pad(input, pad, mode="constant", value=None):
    """pad(input, pad, mode="constant", value=None) -> Tensor: input with more, or with negative widths less, around it.

    pad is (before, after) of the last dimension, then of the one before it, and so on. mode: constant (any
    dimensions; value 0 when None), reflect, replicate or circular (the last one to three dimensions of a 2-D to 5-D
    input).
    """
    widths = [int(n) for n in pad]
    if len(widths) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(widths) > 2 * input.dim():
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got "
            f"padding length {len(widths)} and input of dimension {input.dim()}"
        )
    if mode == "constant":
        return constant_pad_nd.fn(input, widths, 0.0 if value is None else value)
    if value is not None and value != 0:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if mode == "circular":
        return _circular(input, widths)
    if mode not in ("reflect", "replicate"):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    return _resampled(input, widths, mode)
