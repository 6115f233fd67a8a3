"""Dimensions, shapes and strides: checks, and what ops make of them."""

import math

from .._base.device import device as device_type
from .._base.device import get_default_device
from .._base.shape import broadcast_shapes
from .._tensor.tensor import (
    Tensor,
    channels_last,
    channels_last_3d,
    contiguous_format,
    preserve_format,
    strided,
)
from .types import Number

_memory_formats = {channels_last, channels_last_3d, contiguous_format, preserve_format}


def prod(xs):
    """prod(numbers) -> their product, 1 of none"""
    return math.prod(xs)


def same_shape(a, b, *, allow_rhs_unbacked=False):
    """same_shape(shape, shape) -> bool"""
    return tuple(a) == tuple(b)


def is_same_shape(a, b):
    """is_same_shape(shape, shape) -> bool"""
    return tuple(a) == tuple(b)


def validate_dim_length(length):
    """validate_dim_length(n): AssertionError unless n >= 0"""
    if not length >= 0:
        raise AssertionError(f"dim length must be non-negative, got {length}")


def validate_shape(shape):
    """validate_shape(shape): AssertionError unless it is a sequence of sizes"""
    if not isinstance(shape, (tuple, list)):
        raise AssertionError(f"shape must be a sequence, got {type(shape)}")
    for length in shape:
        validate_dim_length(length)


def validate_idx(rank, idx):
    """validate_idx(rank, i): AssertionError unless 0 <= i < rank (or both are 0)"""
    if not isinstance(idx, int) or not isinstance(rank, int):
        raise AssertionError(f"idx and rank must be ints, got {type(idx)} and {type(rank)}")
    if not (0 <= idx < rank or idx == 0):
        raise AssertionError(f"idx {idx} is out of range for rank {rank}")


def validate_dimension_indices(rank, indices):
    """validate_dimension_indices(rank, indices): validate_idx of each"""
    for i in indices:
        validate_idx(rank, i)


def validate_no_repeating_dims(dims):
    """validate_no_repeating_dims(dims): RuntimeError if one is there twice"""
    if len(dims) != len(set(dims)):
        raise RuntimeError("duplicate value in the list of dims")


def canonicalize_dim(rank, idx, wrap_scalar=True):
    """canonicalize_dim(rank, i, wrap_scalar=True) -> i counted from the front; IndexError out of range"""
    if rank < 0:
        raise IndexError(f"Rank cannot be negative but got {rank}")
    if rank == 0:
        if not wrap_scalar:
            raise IndexError(f"Dimension specified as {idx} but tensor has no dimensions")
        rank = 1
    if 0 <= idx < rank:
        return idx
    if not -rank <= idx < 0:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {idx})")
    return idx + rank


def canonicalize_dims(rank, indices, wrap_scalar=True):
    """canonicalize_dims(rank, i or indices) -> the same, counted from the front"""
    if isinstance(indices, int):
        return canonicalize_dim(rank, indices, wrap_scalar)
    return tuple(canonicalize_dim(rank, i, wrap_scalar) for i in indices)


def reduction_dims(shape, dims):
    """reduction_dims(shape, dims or None) -> the dimensions of a reduction: all for None"""
    if dims is None:
        return tuple(range(len(shape)))
    dims = tuple(canonicalize_dim(len(shape), i) for i in dims)
    validate_no_repeating_dims(dims)
    return dims


def is_valid_permutation(rank, perm):
    """is_valid_permutation(rank, perm) -> bool"""
    return isinstance(perm, (tuple, list)) and sorted(perm) == list(range(rank))


def apply_perm(inp, perm):
    """apply_perm(sequence, perm) -> list of its elements in that order"""
    if len(inp) != len(perm):
        raise AssertionError(f"lengths differ: {len(inp)} and {len(perm)}")
    return [inp[i] for i in perm]


def invert_perm(perm):
    """invert_perm(perm) -> list: the permutation that undoes it"""
    inverse = [-1] * len(perm)
    for i, p in enumerate(perm):
        inverse[p] = i
    return inverse


def compute_reduction_output_shape(shape, dimensions):
    """compute_reduction_output_shape(shape, dims) -> shape without these dimensions"""
    for d in dimensions:
        validate_idx(len(shape), d)
    return tuple(n for i, n in enumerate(shape) if i not in dimensions)


def extract_shape_from_varargs(shape, validate=True):
    """extract_shape_from_varargs(args) -> shape, given as one sequence or as numbers"""
    if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
        shape = shape[0]
    if validate:
        validate_shape(shape)
    return shape


def extract_dims_from_varargs(dims):
    """extract_dims_from_varargs(args) -> dims, given as one sequence or as numbers"""
    return dims[0] if dims and isinstance(dims[0], (tuple, list)) else dims


def extract_shape(*args, allow_cpu_scalar_tensors):
    """extract_shape(*operands, allow_cpu_scalar_tensors=) -> the shape that all tensors have, None where they differ"""
    shape = scalar = None
    for x in args:
        if isinstance(x, Number):
            continue
        if not isinstance(x, Tensor):
            return None
        if allow_cpu_scalar_tensors and is_cpu_scalar_tensor(x):
            scalar = x.shape
        elif shape is None or is_same_shape(shape, x.shape):
            shape = x.shape
        else:
            return None
    return scalar if shape is None else shape


def infer_size(shape, numel):
    """infer_size(shape, numel) -> shape with its -1 filled in; RuntimeError where it does not fit"""
    if list(shape).count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    for n in shape:
        if n < -1:
            raise RuntimeError(f"invalid shape dimension {n}")
    known = math.prod(n for n in shape if n != -1)
    if -1 not in shape:
        if known != numel:
            raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")
        return tuple(shape)
    if known == 0 or numel % known:
        if known == 0 and numel == 0:
            raise RuntimeError(
                f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified dimension size "
                "-1 can be any value and is ambiguous"
            )
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")
    return tuple(numel // known if n == -1 else n for n in shape)


def infer_size_shapes(a, b):
    """infer_size_shapes(shape, shape) -> the shape to which both are broadcast"""
    return tuple(broadcast_shapes(a, b))


def is_expandable_to(shape, desired):
    """is_expandable_to(shape, desired) -> bool"""
    if len(shape) > len(desired):
        return False
    return all(n in (1, wanted) for n, wanted in zip(reversed(shape), reversed(desired)))


# ---- strides


def make_contiguous_strides_for(shape, row_major=True):
    """make_contiguous_strides_for(shape, row_major=True) -> strides (False: of the last two dimensions swapped)"""
    validate_shape(shape)
    strides, step = [], 1
    for n in reversed(shape):
        strides.append(step)
        step *= max(n, 1)
    strides = tuple(reversed(strides))
    if row_major or len(shape) < 2:
        return strides
    return (*strides[:-2], 1, max(shape[-2], 1))


def _channels_last(shape, rank, name):
    if len(shape) != rank:
        raise RuntimeError(f"Only tensors of rank {rank} can use the {name} memory format")
    strides, step = [0] * rank, 1
    for d in (1, *range(rank - 1, 1, -1), 0):
        strides[d] = step
        step *= shape[d]
    return tuple(strides)


def make_channels_last_1d_strides_for(shape):
    """make_channels_last_1d_strides_for(N, C, L) -> strides with the channels last"""
    return _channels_last(shape, 3, "channels_last_1d")


def make_channels_last_2d_strides_for(shape):
    """make_channels_last_2d_strides_for(N, C, H, W) -> strides with the channels last"""
    return _channels_last(shape, 4, "channels_last")


def make_channels_last_3d_strides_for(shape):
    """make_channels_last_3d_strides_for(N, C, D, H, W) -> strides with the channels last"""
    return _channels_last(shape, 5, "channels_last_3d")


def make_channels_last_strides_for(shape):
    """make_channels_last_strides_for(shape of 3, 4 or 5 dimensions) -> strides with the channels last"""
    if len(shape) not in (3, 4, 5):
        raise RuntimeError(f"no channels last format strides exist in {len(shape)} dimensions")
    return _channels_last(shape, len(shape), "channels_last")


def validate_memory_format(memory_format):
    """validate_memory_format(format): RuntimeError for what is none"""
    if memory_format not in _memory_formats:
        raise RuntimeError(f"Received unknown memory format {memory_format}!")


def is_contiguous(a):
    """is_contiguous(tensor) -> bool"""
    return a.is_contiguous()


def is_contiguous_for_memory_format(a, *, memory_format):
    """is_contiguous_for_memory_format(tensor, memory_format=) -> bool"""
    validate_memory_format(memory_format)
    return a.is_contiguous(memory_format=memory_format)


def is_channels_last_contiguous_2d(a):
    """is_channels_last_contiguous_2d(tensor) -> bool"""
    return a.ndim == 4 and a.is_contiguous(memory_format=channels_last)


def is_channels_last_contiguous_3d(a):
    """is_channels_last_contiguous_3d(tensor) -> bool"""
    return a.ndim == 5 and a.is_contiguous(memory_format=channels_last_3d)


def is_channels_last_contiguous(a):
    """is_channels_last_contiguous(tensor) -> bool"""
    return is_channels_last_contiguous_2d(a) or is_channels_last_contiguous_3d(a)


def is_non_overlapping_and_dense_or_false(a):
    """is_non_overlapping_and_dense_or_false(tensor) -> bool: is each place of its memory one element?"""
    if a.layout != strided:
        return False
    step = 1
    for stride, n in sorted((s, n) for s, n in zip(a.stride(), a.shape) if n != 1):
        if stride != step:
            return a.numel() < 2
        step *= n
    return True


is_contiguous_or_false, is_contiguous_for_memory_format_or_false = is_contiguous, is_contiguous_for_memory_format
is_channels_last_contiguous_or_false = is_channels_last_contiguous
is_channels_last_contiguous_or_false_2d = is_channels_last_contiguous_2d
is_channels_last_contiguous_or_false_3d = is_channels_last_contiguous_3d
is_non_overlapping_and_dense = _is_non_overlapping_and_dense_or_false = is_non_overlapping_and_dense_or_false


def suggest_memory_format(x):
    """suggest_memory_format(tensor) -> the format that its strides are of"""
    if x.layout == strided and x.ndim in (4, 5) and are_strides_like_channels_last_or_false(x.shape, x.stride()):
        return channels_last if x.ndim == 4 else channels_last_3d
    return contiguous_format


def are_strides_like_channels_last_or_false(shape, strides):
    if strides[1] == 0:
        return False
    least = 0
    for d in [1, *range(len(shape) - 1, 1, -1), 0]:
        if shape[d] == 0 or strides[d] < least or (d == 0 and least == strides[1]):
            return False
        least = strides[d] * max(shape[d], 1)
    return True


def compute_required_storage_length(shape, strides, storage_offset):
    """compute_required_storage_length(shape, strides, offset) -> how many elements a storage needs"""
    if 0 in shape:
        return 0
    return 1 + sum((n - 1) * s for n, s in zip(shape, strides)) + storage_offset


def clone_preserve_strides(x):
    """clone_preserve_strides(tensor) -> a copy with the same strides, gaps and overlaps"""
    length = compute_required_storage_length(x.shape, x.stride(), x.storage_offset())
    whole = x.as_strided((length,), (1,), 0).clone()
    return whole.as_strided(x.shape, x.stride(), x.storage_offset())


# ---- devices


def is_cpu_scalar_tensor(a):
    """is_cpu_scalar_tensor(x) -> bool: a tensor of the CPU without dimensions"""
    return isinstance(a, Tensor) and a.ndim == 0 and a.device.type == "cpu"


def canonicalize_device(device):
    """canonicalize_device(device or its name) -> device"""
    return device if isinstance(device, device_type) else device_type(device)


def device_or_default(device):
    """device_or_default(device or None) -> device"""
    return get_default_device() if device is None else device


def layout_or_default(layout):
    """layout_or_default(layout or None) -> layout"""
    return strided if layout is None else layout
