"""Sequences of different lengths, padded or packed: pad_sequence, _pack_padded_sequence, _pad_packed_sequence."""

import itertools

from ..._backend.core import unary_func_op
from ..._backend.families import Own
from ..._backend.registry import public
from ..._base import dtype as dtypes
from ..._tensor.tensor import Tensor
from ..creation.from_data import tensor
from ..creation.gfunc import full


def _blocks(batch_sizes):
    """(first step, end, batch size) of each run of equal batch sizes."""
    start = 0
    for size, run in itertools.groupby(batch_sizes):
        end = start + sum(1 for _ in run)
        yield start, end, size
        start = end


class pack_steps(Own):
    """pack_steps(input, batch_sizes, batch_first): the first batch_sizes[t] samples of each step t, one after the
    other."""

    node_name, method, namespace, linear = "PackPaddedSequenceBackward0", False, None, True

    @unary_func_op()
    def forward(xp, input, batch_sizes, batch_first):
        if batch_first:
            input = xp.permute(input, (1, 0, *range(2, len(input.shape))))
        rest = tuple(input.shape)[2:]
        parts = [xp.slice(xp.slice(input, 0, a, b, 1), 1, 0, n, 1) for a, b, n in _blocks(batch_sizes)]
        return xp.cat([xp.reshape(p, (p.shape[0] * p.shape[1], *rest)) for p in parts], 0)

    def grad_input(xp, g, shape, batch_sizes, batch_first):
        steps, batch = (shape[1], shape[0]) if batch_first else shape[:2]
        rest, at, parts = tuple(shape[2:]), 0, []
        for a, b, n in _blocks(batch_sizes):
            part = xp.reshape(xp.slice(g, 0, at, at + (b - a) * n, 1), (b - a, n, *rest))
            at += (b - a) * n
            parts.append(part if n == batch else xp.cat([part, xp.zeros((b - a, batch - n, *rest))], 1))
        if len(batch_sizes) < steps:
            parts.append(xp.zeros((steps - len(batch_sizes), batch, *rest)))
        out = xp.cat(parts, 0)
        return xp.permute(out, (1, 0, *range(2, len(shape)))) if batch_first else out


def _check_lengths(input, lengths, batch):
    if lengths.dim() != 1 or lengths.device.type != "cpu" or lengths.dtype is not dtypes.int64:
        raise RuntimeError(
            f"'lengths' argument should be a 1D CPU int64 tensor, but got {lengths.dim()}D "
            f"{lengths.device} {lengths.type().split('.')[-1].removesuffix('Tensor')} tensor"
        )
    if not input.numel():
        raise RuntimeError("Cannot pack empty tensors.")
    sizes = lengths.tolist()
    if len(sizes) != batch:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(sizes)} (batch_size={batch})"
        )
    if sizes[-1] <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
        )
    if any(a < b for a, b in itertools.pairwise(sizes)):
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can "
            "pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this "
            "requirement if you do not need ONNX exportability."
        )
    return sizes


@public()
def _pack_padded_sequence(input, lengths, batch_first):
    """_pack_padded_sequence(input, lengths, batch_first) -> (data, batch_sizes):
    see nn.utils.rnn.pack_padded_sequence.
    """
    sizes = _check_lengths(input, lengths, input.size(0 if batch_first else 1))
    steps = input.size(1 if batch_first else 0)
    if sizes[0] > steps:
        raise RuntimeError(f"Expected lengths of at most {steps}, the number of steps in input, but got {sizes[0]}")
    batch_sizes = [sum(n > t for n in sizes) for t in range(sizes[0])]
    return pack_steps.fn(input, tuple(batch_sizes), bool(batch_first)), tensor(batch_sizes, dtype=dtypes.int64)


@public()
def _pad_packed_sequence(data, batch_sizes, batch_first, padding_value, total_length):
    """_pad_packed_sequence(data, batch_sizes, ...) -> (padded, lengths): see nn.utils.rnn.pad_packed_sequence."""
    sizes = batch_sizes.tolist()
    rest = data.shape[1:]
    steps = total_length if total_length > 0 else len(sizes)
    out = full((steps, sizes[0], *rest), padding_value, dtype=data.dtype, device=data.device)
    at = 0
    for a, b, n in _blocks(sizes):
        out[a:b, :n].copy_(data[at : at + (b - a) * n].view(b - a, n, *rest))
        at += (b - a) * n
    lengths = tensor([sum(n > i for n in sizes) for i in range(sizes[0])], dtype=dtypes.int64)
    return out.transpose(0, 1) if batch_first else out, lengths


@public(namespace=None, word="pad_sequence")
def pad_sequence(sequences, batch_first=False, padding_value=0.0, padding_side="right"):
    """pad_sequence(sequences, ...) -> Tensor: see nn.utils.rnn.pad_sequence."""
    if not sequences:
        raise RuntimeError("received an empty list of sequences")
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    for s in sequences:
        if not isinstance(s, Tensor):
            raise TypeError(f"expected Tensor as element 0 in argument 0, but got {type(s).__name__}")
    rest, longest = tuple(sequences[0].shape[1:]), max(s.size(0) for s in sequences)
    shape = (len(sequences), longest) if batch_first else (longest, len(sequences))
    out = full((*shape, *rest), padding_value, dtype=sequences[0].dtype, device=sequences[0].device)
    for i, s in enumerate(sequences):
        n = s.size(0)
        first = longest - n if padding_side == "left" else 0
        place = out.select(0, i).narrow(0, first, n) if batch_first else out.narrow(0, first, n).select(1, i)
        place.copy_(s)
    return out
