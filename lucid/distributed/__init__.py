"""torch.distributed: several processes that train together, which lucid does not have; `is_available()` is False.

The names exist, so that programs which ask first, or only annotate, run; calling one that would communicate raises.
"""

__all__ = [
    "is_available",
    "is_initialized",
    "init_process_group",
    "get_rank",
    "get_world_size",
    "ReduceOp",
    "ProcessGroup",
]


class DistError(RuntimeError):
    """An error of torch.distributed; lucid never raises it, programs catch it."""


class ProcessGroup:
    """The class of process groups; there are none."""


class Work:
    """The class of operations under way; there are none."""


class Store:
    """The class of stores; there are none."""


class ReduceOp:
    """Names of reductions."""

    SUM, AVG, PRODUCT, MIN, MAX = "SUM AVG PRODUCT MIN MAX".split()
    BAND, BOR, BXOR, PREMUL_SUM = "BAND BOR BXOR PREMUL_SUM".split()


reduce_op = ReduceOp


class Backend(str):
    """Names of backends."""

    GLOO, NCCL, MPI, UCC, XCCL, UNDEFINED = "gloo", "nccl", "mpi", "ucc", "xccl", "undefined"


class GroupMember:
    """Marks of membership."""

    WORLD = None
    NON_GROUP_MEMBER = -100


class group:
    """The default group: there is none."""

    WORLD = None


def is_available():
    """is_available() -> False"""
    return False


def is_initialized():
    """is_initialized() -> False"""
    return False


def _no(*args):
    return False


is_nccl_available = is_gloo_available = is_mpi_available = is_ucc_available = is_xccl_available = _no
is_torchelastic_launched = is_backend_available = _no


def _uninitialized(name):
    def f(*args, **kwargs):
        raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")

    f.__name__, f.__doc__ = name, f"{name}(...): ValueError, there is no process group."
    return f


get_rank = _uninitialized("get_rank")
get_world_size = _uninitialized("get_world_size")
get_backend = _uninitialized("get_backend")
barrier = _uninitialized("barrier")
all_reduce = _uninitialized("all_reduce")
all_gather = _uninitialized("all_gather")
all_gather_object = _uninitialized("all_gather_object")
all_gather_into_tensor = _uninitialized("all_gather_into_tensor")
all_gather_coalesced = _uninitialized("all_gather_coalesced")
all_reduce_coalesced = _uninitialized("all_reduce_coalesced")
broadcast = _uninitialized("broadcast")
broadcast_object_list = _uninitialized("broadcast_object_list")
reduce = _uninitialized("reduce")
reduce_scatter = _uninitialized("reduce_scatter")
reduce_scatter_tensor = _uninitialized("reduce_scatter_tensor")
scatter = _uninitialized("scatter")
scatter_object_list = _uninitialized("scatter_object_list")
gather = _uninitialized("gather")
gather_object = _uninitialized("gather_object")
all_to_all = _uninitialized("all_to_all")
all_to_all_single = _uninitialized("all_to_all_single")
send = _uninitialized("send")
recv = _uninitialized("recv")
isend = _uninitialized("isend")
irecv = _uninitialized("irecv")
new_group = _uninitialized("new_group")
monitored_barrier = _uninitialized("monitored_barrier")
destroy_process_group = _uninitialized("destroy_process_group")
get_process_group_ranks = _uninitialized("get_process_group_ranks")
get_group_rank = _uninitialized("get_group_rank")
get_global_rank = _uninitialized("get_global_rank")
batch_isend_irecv = _uninitialized("batch_isend_irecv")
new_subgroups = _uninitialized("new_subgroups")
split_group = _uninitialized("split_group")


def init_process_group(
    backend=None,
    init_method=None,
    timeout=None,
    world_size=-1,
    rank=-1,
    store=None,
    group_name="",
    pg_options=None,
    device_id=None,
):
    """init_process_group(...): NotImplementedError, lucid trains in one process."""
    raise NotImplementedError(
        "torch.distributed.init_process_group: lucid trains in one process; torch.distributed.is_available() is False"
    )


def get_node_local_rank(fallback_rank=None):
    """get_node_local_rank(fallback_rank=None) -> $LOCAL_RANK, or the fallback."""
    import os

    if "LOCAL_RANK" in os.environ:
        return int(os.environ["LOCAL_RANK"])
    if fallback_rank is not None:
        return int(fallback_rank)
    raise RuntimeError(
        "LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow `get_node_local_rank` to work "
        "assuming you are not running in a multi-device context and want the code to run locally instead."
    )
