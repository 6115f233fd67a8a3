"""Sequences of different lengths in one tensor: padded, or packed as a PackedSequence."""

import collections
from collections.abc import Iterable

from ..._base import dtype as dtypes
from ..._func.creation.from_data import as_tensor, tensor
from ..._func.creation.gfunc import arange, empty_like
from ..._tensor.tensor import Tensor
from .._ops import ops

__all__ = [
    "PackedSequence",
    "invert_permutation",
    "pack_padded_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpad_sequence",
    "pack_sequence",
    "unpack_sequence",
]

_NOT_BY_HAND = (
    "batch_sizes should always be on CPU. Instances of PackedSequence should never be created manually. They should be "
    "instantiated by functions like pack_sequence and pack_padded_sequences in nn.utils.rnn. "
    "https://pytorch.org/docs/stable/nn.html#torch.nn.utils.rnn.pack_sequence"
)


PackedSequence_ = collections.namedtuple(
    "PackedSequence", ["data", "batch_sizes", "sorted_indices", "unsorted_indices"]
)


class PackedSequence(PackedSequence_):
    """Sequences without their padding: data holds step 0 of all, step 1 of all that have one ...; batch_sizes says how
    many.

    sorted_indices: the order by length; unsorted_indices: back to the original order; None where it was kept.
    """

    def __new__(cls, data, batch_sizes=None, sorted_indices=None, unsorted_indices=None):
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        if batch_sizes is None:
            if not (isinstance(data, (list, tuple)) and len(data) == 2):
                raise AssertionError("Expected data to be a list or tuple of length 2")
            data, batch_sizes = data
        elif batch_sizes.device.type != "cpu":
            raise ValueError(_NOT_BY_HAND)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def _with(self, data, move):
        """The same with other data; move(indices) for the index tensors."""
        return type(self)(
            data,
            self.batch_sizes,
            *[None if t is None else move(t) for t in (self.sorted_indices, self.unsorted_indices)],
        )

    def pin_memory(self):
        """pin_memory() -> the same in page-locked memory."""
        return self._with(self.data.pin_memory(), lambda t: t.pin_memory())

    def to(self, *args, **kwargs):
        """to(...) as Tensor.to; indices change their device only."""
        data = self.data.to(*args, **kwargs)
        return self if data is self.data else self._with(data, lambda t: t.to(data.device))

    def _on(self, kind, args, kwargs):
        probe = tensor((), dtype=self.data.dtype, device=self.data.device).to(*args, **kwargs)
        if probe.device.type != kind:
            kwargs["device"] = kind
        return self.to(*args, **kwargs)

    def cuda(self, *args, **kwargs):
        """cuda(...) as Tensor.cuda."""
        return self._on("cuda", args, kwargs)

    def cpu(self, *args, **kwargs):
        """cpu(...) as Tensor.cpu."""
        return self._on("cpu", args, kwargs)

    @property
    def is_cuda(self):
        """Is data on a GPU?"""
        return self.data.is_cuda

    def is_pinned(self):
        """is_pinned() -> bool: is data in page-locked memory?"""
        return self.data.is_pinned()


def _caster(name, dtype):
    def cast(self):
        return self.to(dtype=dtype)

    cast.__name__, cast.__doc__ = name, f"{name}() -> the same with data of type {dtype}."
    setattr(PackedSequence, name, cast)


for _name, _dtype in (
    ("double", dtypes.float64),
    ("float", dtypes.float32),
    ("half", dtypes.float16),
    ("long", dtypes.int64),
    ("int", dtypes.int32),
    ("short", dtypes.int16),
    ("char", dtypes.int8),
    ("byte", dtypes.uint8),
):
    _caster(_name, _dtype)


def invert_permutation(permutation):
    """invert_permutation(p) -> q with q[p[i]] = i; None for None."""
    if permutation is None:
        return None
    places = arange(0, permutation.numel(), device=permutation.device)
    return empty_like(permutation).scatter_(0, permutation, places)


def pack_padded_sequence(input, lengths, batch_first=False, enforce_sorted=True):
    """pack_padded_sequence(input (L, N, *), lengths (N), batch_first=False, enforce_sorted=True) -> PackedSequence

    enforce_sorted: lengths must fall; else they are sorted here. lengths: a list, or a tensor on the CPU.
    """
    lengths = (
        lengths.to(dtype=dtypes.int64)
        if isinstance(lengths, Tensor)
        else as_tensor(lengths, dtype=dtypes.int64, device="cpu")
    )
    order = None
    if not enforce_sorted:
        lengths, order = ops.sort(lengths, descending=True)
        order = order.to(input.device)
        input = input.index_select(0 if batch_first else 1, order)
    data, batch_sizes = ops._pack_padded_sequence(input, lengths, batch_first)
    return PackedSequence(data, batch_sizes, order, None)


def pad_packed_sequence(sequence, batch_first=False, padding_value=0.0, total_length=None):
    """pad_packed_sequence(sequence) -> (padded (L, N, *), lengths (N)): the inverse of pack_padded_sequence.

    total_length: pad to this length (ValueError if a sequence is longer).
    """
    longest = sequence.batch_sizes.size(0)
    if total_length is not None:
        if total_length < longest:
            raise ValueError(
                "Expected total_length to be at least the length of the longest sequence in input, but "
                f"got total_length={total_length} and max sequence length being {longest}"
            )
        longest = total_length
    padded, lengths = ops._pad_packed_sequence(sequence.data, sequence.batch_sizes, batch_first, padding_value, longest)
    order = sequence.unsorted_indices
    if order is None:
        return padded, lengths
    return padded.index_select(0 if batch_first else 1, order), lengths[order.cpu()]


def pad_sequence(sequences, batch_first=False, padding_value=0.0, padding_side="right"):
    """pad_sequence(list of N tensors (L_i, *)) -> (max L, N, *), or (N, max L, *) with batch_first."""
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}"
        )
    return ops.pad_sequence(tuple(sequences), batch_first, padding_value, padding_side)


def unpad_sequence(padded_sequences, lengths, batch_first=False):
    """unpad_sequence(padded (L, N, *), lengths (N)) -> list of N tensors (L_i, *)."""
    if not batch_first:
        padded_sequences.transpose_(0, 1)  # in place, as torch's does
    places = arange(padded_sequences.shape[1], device=lengths.device)
    return [s[places < length] for s, length in zip(padded_sequences, lengths, strict=True)]


def pack_sequence(sequences, enforce_sorted=True):
    """pack_sequence(list of tensors (L_i, *)) -> PackedSequence"""
    lengths = as_tensor([s.size(0) for s in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences):
    """unpack_sequence(PackedSequence) -> list of tensors (L_i, *)"""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
