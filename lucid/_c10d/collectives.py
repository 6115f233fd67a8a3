"""Collectives of a group with one member: arguments are checked as torch checks them, and results are what that member
gave."""

import contextlib
import warnings

from .._tensor.tensor import Tensor
from .groups import INTEGRAL, ReduceOp, Work
from .membership import get_group_rank, group_of, in_group

_BITS = (ReduceOp.BAND, ReduceOp.BOR, ReduceOp.BXOR)
_NOBODY = "should not be the same as the rank of the current process."


def supports_complex(reduceOp):
    """supports_complex(op) -> bool"""
    return reduceOp not in (ReduceOp.MAX, ReduceOp.MIN, ReduceOp.PRODUCT, *_BITS)


def _a_tensor(value, name):
    if not isinstance(value, Tensor):
        raise TypeError(
            f"Invalid function argument. Expected parameter `{name}` of type torch.Tensor\n"
            f"             but got {type(value)} instead."
        )


def _tensors(value, name):
    start = f"Invalid function argument. Expected parameter `{name}` of type List[torch.Tensor]\n             but got "
    if not isinstance(value, list):
        raise TypeError(f"{start}{type(value)} instead.")
    if not all(isinstance(v, Tensor) for v in value):
        raise TypeError(f"{start}{type(value)} with elements of type {[type(v) for v in value]}.")


def _one_dtype(*tensors):
    last = None
    for t in tensors:
        dtype = t.dtype.to_real() if t.dtype.is_complex else t.dtype
        if last is not None and last != dtype:
            raise ValueError(f"Invalid usage of tensors with different dtypesFound {last} and  {t.dtype}")
        last = dtype


def _member(group, what):
    """May this process take part? Outside the group torch warns and does nothing."""
    if in_group(group):
        return True
    warnings.warn(f"Running {what} on global rank 0 which does not belong to the given group.", stacklevel=3)
    return False


def _check_op(op, *tensors):
    if op is ReduceOp.PREMUL_SUM:
        raise TypeError("ReduceOp.PREMUL_SUM wants a factor, which backend gloo does not take")
    if getattr(op, "op", op) in _BITS and any(t.dtype not in INTEGRAL for t in tensors):
        raise RuntimeError(f"Cannot use ReduceOp.{getattr(op, 'op', op).name} with non-integral dtype")
    if any(t.dtype.is_complex for t in tensors) and not supports_complex(op):
        raise ValueError(f"all_reduce does not support {op} on complex tensors")


def _root(group, rank, group_rank, what=None, default=None):
    """The root's rank in the group, of two ways to say it; RuntimeError where it is not this process."""
    if rank is None and group_rank is None:
        rank = default
    if rank is not None and group_rank is not None:
        raise ValueError("Can't specify both group_rank and global_rank")
    if rank is None and group_rank is None:
        raise ValueError("Must specify global_rank or group_rank")
    found = group_rank if group_rank is not None else get_group_rank(group_of(group), rank)
    if found != 0 and what is not None:
        raise RuntimeError(f"ProcessGroupGloo::{what}: invalid root rank: {found}")
    return found


def _put(out, value, what):
    """Write a result, as torch's backends do: below autograd, unseen by version counters."""
    if tuple(out.shape) != tuple(value.shape):
        sizes = [", ".join(map(str, t.shape)) for t in (value, out)]
        raise RuntimeError(
            f"ProcessGroupGloo::{what}: invalid tensor size at index 0 (expected ({sizes[0]}), got ({sizes[1]}))"
        )
    if out is not value:
        out.data.copy_(value.data)


def _length(outs, what, kind="output"):
    if len(outs) != 1:
        raise RuntimeError(
            f"ProcessGroupGloo::{what}: invalid {kind} tensor list at index 0 (expected length 1, got {len(outs)})"
        )


def _done(async_op, *results):
    return Work(results) if async_op else None


def all_reduce(tensor, op=ReduceOp.SUM, group=None, async_op=False):
    """all_reduce(tensor): tensor stays as it is."""
    _a_tensor(tensor, "tensor")
    if not _member(group, "all_reduce"):
        return None
    _check_op(op, tensor)
    return _done(async_op, tensor)


def all_reduce_coalesced(tensors, op=ReduceOp.SUM, group=None, async_op=False):
    """all_reduce_coalesced(tensors): they stay as they are."""
    tensors = [tensors] if isinstance(tensors, Tensor) else tensors
    _tensors(tensors, "tensor")
    if not _member(group, "all_reduce_coalesced"):
        return None
    _check_op(op, *tensors)
    return _done(async_op, *tensors)


def reduce(tensor, dst=None, op=ReduceOp.SUM, group=None, async_op=False, group_dst=None):
    """reduce(tensor, 0): tensor stays as it is."""
    group_of(group)
    root = _root(group, dst, group_dst)
    _a_tensor(tensor, "tensor")
    if not _member(group, "reduce"):
        return None
    _root(group, None, root, "reduce")
    _check_op(op, tensor)
    return _done(async_op, tensor)


def broadcast(tensor, src=None, group=None, async_op=False, group_src=None):
    """broadcast(tensor, 0): tensor stays as it is."""
    group_of(group)
    root = _root(group, src, group_src)
    _a_tensor(tensor, "tensor")
    if not _member(group, "broadcast"):
        return None
    _root(group, None, root, "broadcast")
    return _done(async_op, tensor)


def all_gather(tensor_list, tensor, group=None, async_op=False):
    """all_gather([out], tensor): out becomes tensor."""
    _tensors(tensor_list, "tensor_list")
    _a_tensor(tensor, "tensor")
    _one_dtype(*tensor_list, tensor)
    if not _member(group, "all_gather"):
        return None
    _length(tensor_list, "allgather")
    _put(tensor_list[0], tensor, "allgather")
    return _done(async_op, *tensor_list)


def all_gather_coalesced(output_tensor_lists, input_tensor_list, group=None, async_op=False):
    """all_gather_coalesced([[out] ...], tensors): each out becomes its tensor."""
    if not _member(group, "all_gather_coalesced"):
        return None
    _tensors(input_tensor_list, "tensor_list")
    if not isinstance(output_tensor_lists, list):
        raise TypeError("Invalid function argument: output_tensor_lists should be a list")
    for outs, value in zip(output_tensor_lists, input_tensor_list, strict=True):
        _tensors(outs, "output_tensor_lists")
        _length(outs, "allgather")
        _put(outs[0], value, "allgather")
    return _done(async_op, *[out for outs in output_tensor_lists for out in outs])


def all_gather_into_tensor(output_tensor, input_tensor, group=None, async_op=False):
    """all_gather_into_tensor(out, tensor): out becomes tensor."""
    _a_tensor(input_tensor, "input_tensor")
    _a_tensor(output_tensor, "output_tensor")
    if not _member(group, "all_gather_into_tensor"):
        return None
    _put(output_tensor, input_tensor, "allgather")
    return _done(async_op, output_tensor)


all_gather_single = _all_gather_base = all_gather_into_tensor


def gather(tensor, gather_list=None, dst=None, group=None, async_op=False, group_dst=None):
    """gather(tensor, [out], 0): out becomes tensor."""
    _a_tensor(tensor, "tensor")
    if gather_list:
        _tensors(gather_list, "gather_list")
    _one_dtype(tensor, *(gather_list or ()))
    if not _member(group, "gather"):
        return None
    root = _root(group, dst, group_dst, default=0)
    if root == 0 and not gather_list:
        raise ValueError("Argument ``gather_list`` must be specified on destination rank.")
    if root != 0 and gather_list:
        raise ValueError("Argument ``gather_list`` must NOT be specified on non-destination ranks.")
    _root(group, None, root, "gather")
    _length(gather_list, "gather")
    _put(gather_list[0], tensor, "gather")
    return _done(async_op, *gather_list)


def scatter(tensor, scatter_list=None, src=None, group=None, async_op=False, group_src=None):
    """scatter(tensor, [value], 0): tensor becomes value."""
    _a_tensor(tensor, "tensor")
    if scatter_list:
        _tensors(scatter_list, "scatter_list")
    _one_dtype(tensor, *(scatter_list or ()))
    group_of(group)
    root = _root(group, src, group_src, default=0)
    if not _member(group, "scatter"):
        return None
    if root == 0 and not scatter_list:
        raise ValueError("Argument ``scatter_list`` must be specified on source rank.")
    if root != 0 and scatter_list:
        raise ValueError("Argument ``scatter_list`` must NOT be specified on non-source ranks.")
    _root(group, None, root, "scatter")
    _length(scatter_list, "scatter", "input")
    _put(tensor, scatter_list[0], "scatter")
    return _done(async_op, tensor)


def reduce_scatter(output, input_list, op=ReduceOp.SUM, group=None, async_op=False):
    """reduce_scatter(out, [tensor]): out becomes tensor."""
    _a_tensor(output, "output")
    _tensors(input_list, "input_list")
    _one_dtype(output, *input_list)
    if not _member(group, "reduce_scatter"):
        return None
    _length(input_list, "reduce_scatter", "input")
    _check_op(op, *input_list)
    _put(output, input_list[0], "reduce_scatter")
    return _done(async_op, output)


def reduce_scatter_tensor(output, input, op=ReduceOp.SUM, group=None, async_op=False):
    """reduce_scatter_tensor(out, tensor): out becomes tensor."""
    _a_tensor(output, "output")
    _a_tensor(input, "input")
    if not _member(group, "reduce_scatter_tensor"):
        return None
    _check_op(op, input)
    _put(output, input.reshape(output.shape) if input.numel() == output.numel() else input, "reduce_scatter")
    return _done(async_op, output)


reduce_scatter_single = _reduce_scatter_base = reduce_scatter_tensor


def all_to_all(output_tensor_list, input_tensor_list, group=None, async_op=False):
    """all_to_all([out], [tensor]): out becomes tensor."""
    if not _member(group, "all_to_all"):
        return None
    _tensors(output_tensor_list, "output_tensor_list")
    _tensors(input_tensor_list, "input_tensor_list")
    _one_dtype(*output_tensor_list, *input_tensor_list)
    _length(output_tensor_list, "alltoall")
    _length(input_tensor_list, "alltoall", "input")
    _put(output_tensor_list[0], input_tensor_list[0], "alltoall")
    return _done(async_op, *output_tensor_list)


def all_to_all_single(output, input, output_split_sizes=None, input_split_sizes=None, group=None, async_op=False):
    """all_to_all_single(out, tensor): out becomes tensor."""
    if not _member(group, "all_to_all_single"):
        return None
    _a_tensor(output, "output")
    _a_tensor(input, "input")
    _one_dtype(output, input)
    _put(output, input, "alltoall_base")
    return _done(async_op, output)


def barrier(group=None, async_op=False, device_ids=None, timeout=None):
    """barrier(): nobody else is waited for."""
    if not _member(group, "barrier"):
        return None
    return _done(async_op)


def monitored_barrier(group=None, timeout=None, wait_all_ranks=False):
    """monitored_barrier(): nobody else is waited for."""
    _member(group, "monitored_barrier")


def _to_nobody(tensor, rank, group, group_rank, what):
    _a_tensor(tensor, "tensor")
    found = _root(group, rank, group_rank)
    raise ValueError(f"Invalid {what} rank: {what} rank {_NOBODY}" if found == 0 else f"Invalid {what} rank: {found}")


def send(tensor, dst=None, group=None, tag=0, group_dst=None):
    """send(tensor, dst): ValueError, there is nobody to send to."""
    group_of(group)
    _to_nobody(tensor, dst, group, group_dst, "destination")


def isend(tensor, dst=None, group=None, tag=0, group_dst=None):
    """isend(tensor, dst): ValueError, there is nobody to send to."""
    send(tensor, dst, group, tag, group_dst)


def recv(tensor, src=None, group=None, tag=0, group_src=None):
    """recv(tensor, src): ValueError, nobody sends."""
    group_of(group)
    _to_nobody(tensor, 0 if src is None and group_src is None else src, group, group_src, "source")


def irecv(tensor, src=None, group=None, tag=0, group_src=None):
    """irecv(tensor, src): ValueError, nobody sends."""
    recv(tensor, src, group, tag, group_src)


class P2POp:
    """P2POp(isend or irecv, tensor, peer): one step of batch_isend_irecv"""

    def __init__(self, op, tensor, peer=None, group=None, tag=0, group_peer=None):
        if op not in (isend, irecv):
            raise ValueError("Invalid ``op``. Expected ``op`` to be of type ``torch.distributed.isend`` or "
                             "``torch.distributed.irecv``.")  # fmt: skip
        self.op, self.tensor, self.group, self.tag = op, tensor, group_of(group), tag
        self.group_peer = _root(group, peer, group_peer)
        self.peer = self.group_peer


def batch_isend_irecv(p2p_op_list):
    """batch_isend_irecv(ops) -> list of Work; with one process there is nobody to send to (ValueError)."""
    if not isinstance(p2p_op_list, list) or not all(isinstance(p, P2POp) for p in p2p_op_list):
        raise ValueError("Invalid ``p2p_op_list``. Each op is expected to to be of type "
                         "``torch.distributed.P2POp``.")  # fmt: skip
    return [p.op(p.tensor, group=p.group, tag=p.tag, **_peer(p)) for p in p2p_op_list]


def _peer(p):
    return {"group_dst" if p.op is isend else "group_src": p.group_peer}


@contextlib.contextmanager
def _coalescing_manager(group=None, device=None, async_ops=False):
    """with _coalescing_manager(): collectives inside run one by one."""
    work = Work()
    yield work


@contextlib.contextmanager
def record_comm(name):
    """with record_comm(name): nothing is recorded."""
    yield


_OURS = [n for n, v in list(globals().items()) if n[0] != "_" and getattr(v, "__module__", "") == __name__]
__all__ = ["_all_gather_base", "_coalescing_manager", "_reduce_scatter_base"]
__all__.extend(_OURS)
