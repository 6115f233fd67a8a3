"""Strides compared, and the strides that a pointwise op gives its result."""

from .._tensor.tensor import Tensor, channels_last
from .shapes import (
    apply_perm,
    compute_required_storage_length,
    invert_perm,
    is_cpu_scalar_tensor,
    is_same_shape,
    make_contiguous_strides_for,
)


def validate_strides(strides):
    """validate_strides(strides): AssertionError unless they are a sequence of numbers from 0"""
    if not isinstance(strides, (tuple, list)):
        raise AssertionError(f"strides must be a sequence, got {type(strides)}")
    for stride in strides:
        if stride < 0:
            raise AssertionError(f"stride must be non-negative, got {stride}")


def validate_exclusive_idx(rank, ex_idx):
    """validate_exclusive_idx(rank, i): AssertionError unless 0 < i <= rank"""
    if not isinstance(ex_idx, int) or not isinstance(rank, int) or not 0 < ex_idx <= rank:
        raise AssertionError(f"ex_idx {ex_idx} is out of range for rank {rank}")


def _check_strides(a, b, only_cuda, significant_only):
    """(do the strides agree?, the first dimension where they do not)"""
    if (not only_cuda or "cuda" in (a.device.type, b.device.type)) and a.numel():
        for i in range(a.ndim):
            if a.stride()[i] != b.stride()[i] and (not significant_only or a.shape[i] > 1):
                return False, i
    return True, None


def check_significant_strides(a, b, *, only_cuda=True, allow_rhs_unbacked=False):
    """check_significant_strides(a, b, only_cuda=True) -> (agree?, first dimension where not), but for sizes of 1"""
    return _check_strides(a, b, only_cuda, True)


def check_all_strides(a, b, *, only_cuda=True):
    """check_all_strides(a, b, only_cuda=True) -> (agree?, first dimension where not)"""
    return _check_strides(a, b, only_cuda, False)


def check_contiguous_sizes_strides(sizes, strides, false_if_dde=False):
    """check_contiguous_sizes_strides(sizes, strides) -> bool"""
    expected = 1
    for n, stride in zip(reversed(sizes), reversed(strides)):
        if n == 0:
            return True
        if n != 1 and stride != expected:
            return False
        expected *= n
    return True


def check_in_bounds_for_storage(a, shape, strides, storage_offset):
    """check_in_bounds_for_storage(storage, shape, strides, offset): ValueError where it ends before"""
    needed = compute_required_storage_length(shape, strides, storage_offset)
    if a.size() < needed:
        raise ValueError(
            f"Can't view a storage of size {a.size()} with an offset of {storage_offset}, shape of {shape!s}, and "
            f"strides of {strides!s}, which requires a storage of size {needed}"
        )


def compare_tensor_meta(a, b, check_sizes=True, check_strides=False, *, allow_rhs_unbacked=False, check_conj=True):
    """compare_tensor_meta(a, b): AssertionError or RuntimeError unless they agree in all but their elements"""
    for t in (a, b):
        if not isinstance(t, Tensor):
            raise AssertionError(f"expected a tensor, got {type(t)}")
    if check_sizes and not is_same_shape(a.shape, b.shape):
        raise AssertionError(f"Shapes {a.shape} and {b.shape} are not equal!")
    if a.dtype is not b.dtype:
        raise AssertionError(f"Dtypes {a.dtype} and {b.dtype} are not equal!")
    if a.device != b.device:
        raise AssertionError(f"Devices {a.device} and {b.device} are not equal!")
    if check_strides:
        same, i = check_significant_strides(a, b)
        if not same:
            raise RuntimeError(f"Stride mismatch! Strides are {a.stride()} and {b.stride()} (mismatched at {i})!")
        if a.storage_offset() != b.storage_offset():
            raise RuntimeError(f"Storage offset mismatch! {a.storage_offset()} and {b.storage_offset()}!")
    if check_conj and a.is_conj() != b.is_conj():
        raise RuntimeError(f"Conj mismatch! is_conj is set to {a.is_conj()} and {b.is_conj()}")
    if a.is_neg() != b.is_neg():
        raise RuntimeError(f"Neg mismatch! is_neg is set to {a.is_neg()} and {b.is_neg()}")


def _swapped(tensors, shape, a, b):
    """1: dimension a moves faster than b should, -1: they are in order, 0: nothing tells."""
    for t in tensors:
        x, y = t.stride()[a], t.stride()[b]
        if not x or not y:
            continue
        if x != y:
            return -1 if x < y else 1
        if shape[a] > shape[b]:
            return 1
    return 0


def compute_elementwise_output_logical_to_physical_perm(*tensors, _skip_checks=False, ambiguity_check=False):
    """compute_elementwise_output_logical_to_physical_perm(*tensors) -> (dimensions from the slowest to the fastest,
    False): the order in which the result of a pointwise op lies in memory"""
    if not tensors and not _skip_checks:
        raise ValueError("Can't compute elementwise output strides for zero tensors!")
    tensors = [t for t in tensors if isinstance(t, Tensor) and (_skip_checks or not is_cpu_scalar_tensor(t))]
    if not tensors or tensors[0].ndim < 2:
        return list(range(tensors[0].ndim if tensors else 0)), False
    shape, ndim = tensors[0].shape, tensors[0].ndim
    contiguous = all(t.is_contiguous() for t in tensors)
    last = ndim == 4 and all(t.is_contiguous(memory_format=channels_last) for t in tensors)
    if contiguous != last:
        return ([0, *range(2, ndim), 1] if last else list(range(ndim))), False
    perm = list(reversed(range(ndim)))  # fastest first, put in order by insertion as far as strides tell
    for i in range(1, ndim):
        at = i
        for below in reversed(range(i)):
            order = _swapped(tensors, shape, perm[below], perm[at])
            if order > 0:
                perm[below], perm[at] = perm[at], perm[below]
                at = below
            elif order < 0:
                break
    ambiguous = ambiguity_check and any(_swapped(tensors, shape, a, b) != -1 for a, b in zip(perm, perm[1:]))
    return perm[::-1], ambiguous


def compute_elementwise_output_strides(*tensors):
    """compute_elementwise_output_strides(*tensors) -> the strides of a pointwise op's result"""
    if not tensors:
        raise ValueError("Can't compute elementwise output strides for zero tensors!")
    tensors = [t for t in tensors if isinstance(t, Tensor) and not is_cpu_scalar_tensor(t)]
    if not tensors or tensors[0].ndim == 0:
        return ()
    shape = tensors[0].shape
    if tensors[0].ndim == 1:
        return (1,)
    perm, _ = compute_elementwise_output_logical_to_physical_perm(*tensors, _skip_checks=True)
    strides = make_contiguous_strides_for(apply_perm(shape, perm))
    return tuple(apply_perm(strides, invert_perm(perm)))
