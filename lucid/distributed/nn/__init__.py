"""torch.distributed.nn: collectives that gradients pass through."""

from ..._base.refused import refused_class
from ..._c10d.groups import ReduceOp
from ..._c10d.membership import group
from ...autograd.function import Function
from . import functional
from .functional import (
    all_gather,
    all_reduce,
    all_to_all,
    all_to_all_single,
    broadcast,
    gather,
    reduce,
    reduce_scatter,
    scatter,
)

RemoteModule = refused_class("torch.distributed.nn", "RemoteModule", "modules in other processes")
