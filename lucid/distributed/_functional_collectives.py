"""torch.distributed._functional_collectives: collectives that return new tensors; of one process, what they got."""

from .._base.refused import refused_class
from .._c10d.collectives import _check_op
from .._c10d.groups import ReduceOp

_OPS = {name.lower(): getattr(ReduceOp, name) for name in "SUM AVG PRODUCT MIN MAX BAND BOR BXOR".split()}
AsyncCollectiveTensor = refused_class(
    "torch.distributed._functional_collectives", "AsyncCollectiveTensor", "collectives that are still under way"
)


def wait_tensor(tensor):
    """wait_tensor(tensor) -> tensor"""
    return tensor


def _reduced(tensor, reduceOp):
    if reduceOp.lower() not in _OPS:
        raise ValueError(f"Unsupported reduce operation {reduceOp}")
    _check_op(_OPS[reduceOp.lower()], tensor)
    return tensor.clone()


def all_reduce(self, reduceOp, group, tag=""):
    """all_reduce(tensor, "sum", group) -> Tensor"""
    return _reduced(self, reduceOp)


def broadcast(self, src, group, tag=""):
    """broadcast(tensor, 0, group) -> Tensor"""
    return self.clone()


def all_gather_tensor(self, gather_dim, group, tag=""):
    """all_gather_tensor(tensor, dim, group) -> Tensor"""
    if not self.is_contiguous():
        raise AssertionError("all_gather_tensor wants a contiguous tensor")
    return self.clone()


def reduce_scatter_tensor(self, reduceOp, scatter_dim, group, tag=""):
    """reduce_scatter_tensor(tensor, "sum", dim, group) -> Tensor"""
    return _reduced(self, reduceOp)


def all_reduce_coalesced(self, reduceOp, group, tag=""):
    """all_reduce_coalesced(tensors, "sum", group) -> list"""
    return [_reduced(t, reduceOp) for t in self]


def all_gather_into_tensor_coalesced(self, group, tag=""):
    """all_gather_into_tensor_coalesced(tensors, group) -> list"""
    return [t.clone() for t in self]


def reduce_scatter_tensor_coalesced(inputs, reduceOp, scatter_dim, group, tag=""):
    """reduce_scatter_tensor_coalesced(tensors, "sum", dims, group) -> list"""
    return [_reduced(t, reduceOp) for t in inputs]


def all_to_all_single(self, output_split_sizes, input_split_sizes, group, tag=""):
    """all_to_all_single(tensor, None, None, group) -> Tensor"""
    return self.clone()


def permute_tensor(self, src_dst, group, tag=""):
    """permute_tensor(tensor, [0], group) -> Tensor"""
    return self.clone()


all_gather_single = all_gather_tensor
all_gather_tensor_autograd = all_gather_single_autograd = all_gather_tensor
reduce_scatter_single = reduce_scatter_tensor_autograd = reduce_scatter_single_autograd = reduce_scatter_tensor
all_to_all_single_autograd = all_to_all_single
