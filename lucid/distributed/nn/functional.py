"""torch.distributed.nn.functional: collectives that gradients pass through."""

from ..._c10d.collectives import _check_op, _root
from ..._c10d.groups import ReduceOp
from ..._c10d.membership import group, group_of
from ...autograd.function import Function


def _passed(name, tensor):
    """tensor through a node that passes its gradient on, named as torch names it."""
    return _nodes[name].apply(tensor)


def _node(name):
    def forward(ctx, tensor):
        return tensor.clone()

    def backward(ctx, gradient):
        return gradient

    return type(name, (Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})


_nodes = {
    name: _node(name)
    for name in """_Broadcast _Gather _Scatter _Reduce _Reduce_Scatter _AllGather _AlltoAll _AlltoAllSingle
    _AllReduce""".split()
}


def broadcast(tensor, src, group=group.WORLD):
    """broadcast(tensor, 0) -> Tensor"""
    _root(group, src, None, "broadcast")
    return _passed("_Broadcast", tensor)


def gather(tensor, dst=0, group=group.WORLD):
    """gather(tensor, 0) -> tuple of one"""
    _root(group, dst, None, "gather")
    return (_passed("_Gather", tensor),)


def scatter(tensors, src=0, group=group.WORLD):
    """scatter([tensor], 0) -> Tensor"""
    _root(group, src, None, "scatter")
    return _passed("_Scatter", tensors[0])


def reduce(tensor, dst, op=ReduceOp.SUM, group=group.WORLD):
    """reduce(tensor, 0) -> Tensor"""
    _root(group, dst, None, "reduce")
    _check_op(op, tensor)
    return _passed("_Reduce", tensor)


def reduce_scatter(output, input_list, op=ReduceOp.SUM, group=group.WORLD):
    """reduce_scatter(out, [tensor]) -> Tensor; out is overwritten, too."""
    group_of(group)
    output.data.copy_(input_list[0].data)
    return _passed("_Reduce_Scatter", input_list[0])


def all_gather(tensor, group=group.WORLD):
    """all_gather(tensor) -> tuple of one"""
    group_of(group)
    return (_passed("_AllGather", tensor),)


def all_to_all(output_tensor_list, input_tensor_list, group=group.WORLD):
    """all_to_all([out], [tensor]) -> tuple of one; out is overwritten, too."""
    group_of(group)
    output_tensor_list[0].data.copy_(input_tensor_list[0].data)
    return (_passed("_AlltoAll", input_tensor_list[0]),)


def all_to_all_single(output, input, output_split_sizes=None, input_split_sizes=None, group=group.WORLD):
    """all_to_all_single(out, tensor) -> Tensor; out is overwritten, too."""
    group_of(group)
    output.data.copy_(input.data)
    return _passed("_AlltoAllSingle", input)


def all_reduce(tensor, op=ReduceOp.SUM, group=group.WORLD):
    """all_reduce(tensor) -> Tensor"""
    group_of(group)
    _check_op(op, tensor)
    return _passed("_AllReduce", tensor)
