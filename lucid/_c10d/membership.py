"""Who belongs to which group: init_process_group and its kin, and the questions about ranks."""

import os
from datetime import timedelta
from urllib.parse import parse_qs, urlparse

from .groups import HOME, Backend, BackendConfig, DebugLevel, ProcessGroup, default_pg_timeout
from .stores import FileStore, HashStore, PrefixStore, Store

ONE = "torch.distributed works in one process in lucid (world size 1)"


class _WorldMeta(type):
    """`group.WORLD` is the default group as it is now."""

    @property
    def WORLD(cls):
        return _state["default"]

    @WORLD.setter
    def WORLD(cls, pg):
        _state["default"] = pg


class group(metaclass=_WorldMeta):
    """group.WORLD: the default group, or None."""


class GroupMember(metaclass=_WorldMeta):
    """GroupMember.NON_GROUP_MEMBER: what new_group gives a process that is not in it."""

    NON_GROUP_MEMBER = -100


group.__module__ = GroupMember.__module__ = HOME
_state = {"default": None, "groups": {}, "count": 0, "debug": DebugLevel.OFF}
_rendezvous = {}


def is_initialized():
    """is_initialized() -> bool: is there a default group?"""
    return _state["default"] is not None


def default_group():
    """The default group; ValueError where there is none."""
    if _state["default"] is None:
        raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")
    return _state["default"]


def group_of(given):
    """The group that an argument `group=` means."""
    return default_group() if given is None or given is _state["default"] else given


def in_group(given):
    """Does this process belong to the group? A collective asks it first."""
    return group_of(given) is not GroupMember.NON_GROUP_MEMBER


def register_rendezvous_handler(scheme, handler):
    """register_rendezvous_handler(scheme, handler): handler(url) yields (store, rank, world_size)."""
    if scheme in _rendezvous or scheme in ("tcp", "file", "env"):
        raise RuntimeError(f"Rendezvous handler for {scheme}:// already registered")
    _rendezvous[scheme] = handler


def _variable(asked, name):
    value = asked.get(name.lower(), [None])[0] or os.environ.get(name)
    if not value:
        raise ValueError(
            "Error initializing torch.distributed using env:// rendezvous: "
            f"environment variable {name} expected, but not set"
        )
    return value


def rendezvous(url, rank=-1, world_size=-1, **kwargs):
    """rendezvous(url, rank=-1, world_size=-1) -> iterator of one (store, rank, world_size)"""
    if not isinstance(url, (str, bytes)):
        raise RuntimeError(f"`url` must be a string. {type(url)}: {url}")
    parts = urlparse(url)
    if parts.scheme in _rendezvous:
        yield from _rendezvous[parts.scheme](url, **kwargs)
        return
    asked = parse_qs(parts.query)
    if parts.scheme == "env" or not parts.scheme:
        rank = rank if rank != -1 else int(_variable(asked, "RANK"))
        world_size = world_size if world_size != -1 else int(_variable(asked, "WORLD_SIZE"))
        _variable(asked, "MASTER_ADDR"), int(_variable(asked, "MASTER_PORT"))
    elif parts.scheme not in ("tcp", "file"):
        raise RuntimeError(f"No rendezvous handler for {parts.scheme}://")
    for name, number in (("rank", rank), ("world size", world_size)):
        if number == -1 and name.replace(" ", "_") in asked:
            number = int(asked[name.replace(" ", "_")][0])
        if number == -1:
            raise ValueError(
                f"Error initializing torch.distributed using {parts.scheme}:// rendezvous: {name} parameter missing"
            )
        rank, world_size = (number, world_size) if name == "rank" else (rank, number)
    yield FileStore(parts.path) if parts.scheme == "file" else HashStore(), rank, world_size


def _check_backend(backend):
    """The backend's name; torch's errors for one that is unknown or that a CPU build lacks."""
    name = "undefined" if backend is None else str(backend)
    config = BackendConfig(Backend(name) if ":" not in name else name)
    for part in set(config.get_device_backend_map().values()):
        if part not in Backend.backend_list:
            raise AssertionError(f"Unknown backend type {part}")
        if part in ("nccl", "xccl", "ucc", "mpi"):
            raise RuntimeError(f"Distributed package doesn't have {part.upper()} built in")
    return (name.lower() if ":" not in name else "undefined"), config


def _check_timeout(timeout):
    if timeout is not None and not isinstance(timeout, timedelta):
        raise TypeError(f"Expected timeout argument to be of type datetime.timedelta, got {timeout}")


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
    _ranks=None,
):
    """init_process_group(backend=None, ...): the default group, of this process alone. NotImplementedError for a world
    of more processes."""
    if is_initialized():
        raise ValueError("trying to initialize the default process group twice!")
    if store is not None and init_method is not None:
        raise AssertionError("Cannot specify both init_method and store.")
    _check_timeout(timeout)
    if store is not None:
        if not world_size > 0:
            raise AssertionError("world_size must be positive if using store")
        if not rank >= 0:
            raise AssertionError("rank must be non-negative if using store")
    else:
        store, rank, world_size = next(rendezvous(init_method or "env://", rank, world_size))
    if world_size != 1 or rank != 0:
        raise NotImplementedError(f"torch.distributed.init_process_group(rank={rank}, world_size={world_size}): {ONE}")
    name, config = _check_backend(backend)
    group.WORLD = _make(name, "default_pg", PrefixStore("default_pg", store), config, group_name or None)
    if isinstance(device_id, int):
        raise AssertionError("device_id must be a torch.device, not a number")
    group.WORLD.bound_device_id = device_id


def _make(name, desc, store, config, group_name=None):
    group_name = group_name or str(_state["count"])
    _state["count"] += 1
    pg = ProcessGroup(name, group_name, desc or "undefined", store, config)
    _state["groups"][pg] = [0]
    return pg


def destroy_process_group(group=None):
    """destroy_process_group(group=None): that group, or all."""
    if group == GroupMember.NON_GROUP_MEMBER:
        return
    pg = _state["default"] if group is None else group
    if pg is None:
        raise AssertionError("Process group cannot be None")
    if pg not in _state["groups"]:
        raise ValueError("Invalid process group specified")
    if pg is _state["default"]:
        _state.update(default=None, groups={}, count=0)
    else:
        del _state["groups"][pg]


def new_group(
    ranks=None,
    timeout=None,
    backend=None,
    pg_options=None,
    use_local_synchronization=False,
    group_desc=None,
    device_id=None,
    sort_ranks=True,
):
    """new_group(ranks=None) -> ProcessGroup of this process, or NON_GROUP_MEMBER for no ranks."""
    world = default_group()
    _check_timeout(timeout)
    ranks = [0] if ranks is None else list(ranks)
    for rank in ranks:
        if not 0 <= rank < 1:
            raise ValueError(f"Rank {rank} is out of range. Valid ranks are 0 to 0 (world_size=1)")
    if len(set(ranks)) != len(ranks):
        raise ValueError(f"ranks list must not contain duplicate entries, got {ranks}")
    if not ranks:
        return GroupMember.NON_GROUP_MEMBER
    name, config = (world.name(), world.config) if backend is None else _check_backend(backend)
    return _make(name, group_desc, world.get_group_store(), config)


def new_subgroups(group_size=None, group=None, timeout=None, backend=None, pg_options=None, group_desc=None):
    """new_subgroups(group_size=None) -> (the group of this process, list of all groups)"""
    default_group()
    size = 1 if group_size is None else group_size
    if size <= 0:
        raise ValueError(f"The arg 'group_size' ({size}) must be positive")
    if size > 1:
        raise ValueError(f"The arg 'group_size' ({size}) must not exceed the world size (1)")
    mine = new_group([0], timeout, backend, pg_options, group_desc=group_desc)
    return mine, [mine]


def new_subgroups_by_enumeration(ranks_per_subgroup_list, timeout=None, backend=None, pg_options=None, group_desc=None):
    """new_subgroups_by_enumeration([[0]]) -> (the group of this process, list of all groups)"""
    if ranks_per_subgroup_list is None or len(ranks_per_subgroup_list) == 0:
        raise ValueError("The arg 'ranks_per_subgroup_list' cannot be empty")
    made = [new_group(r, timeout, backend, pg_options, group_desc=group_desc) for r in ranks_per_subgroup_list]
    mine = [pg for pg in made if pg is not GroupMember.NON_GROUP_MEMBER]
    return (mine[0] if mine else None), made


def split_group(parent_pg=None, split_ranks=None, timeout=None, pg_options=None, group_desc=None, backend=None):
    """split_group(parent, [[0]]) -> the group of this process"""
    if split_ranks is None or len(split_ranks) == 0:
        raise ValueError("split_ranks cannot be None or empty")
    return new_subgroups_by_enumeration(split_ranks, timeout, backend, pg_options, group_desc)[0]


def shrink_group(ranks_to_exclude, group=None, shrink_flags=0, pg_options=None):
    """shrink_group(ranks_to_exclude): ValueError, a group of one process has nobody to leave out."""
    group_of(group)
    raise ValueError(f"ranks_to_exclude {ranks_to_exclude} must leave a process in a group of size 1")


def get_rank(group=None):
    """get_rank(group=None) -> 0, or -1 outside the group"""
    return 0 if in_group(group) else -1


def get_world_size(group=None):
    """get_world_size(group=None) -> 1, or -1 outside the group"""
    return 1 if in_group(group) else -1


def get_backend(group=None):
    """get_backend(group=None) -> str"""
    if not in_group(group):
        raise ValueError("Invalid process group specified")
    return Backend(group_of(group).name())


def get_backend_config(group=None):
    """get_backend_config(group=None) -> str, such as `cpu:gloo,cuda:gloo`"""
    return str(group_of(group).config)


def get_default_backend_for_device(device):
    """get_default_backend_for_device("cpu") -> "gloo" """
    kind = device if isinstance(device, str) else device.type
    found = Backend.default_device_backend_map.get(kind.partition(":")[0])
    if not found:
        raise ValueError(f"Default backend not registered for device : {device}")
    return found


def get_pg_count():
    """get_pg_count() -> int"""
    return _state["count"]


def get_process_group_ranks(group=None):
    """get_process_group_ranks(group) -> [0]"""
    return list(_state["groups"][group_of(group)])


def _rank(group, number):
    if group is default_group():
        return number
    if group not in _state["groups"]:
        raise ValueError(f"Group {group} is not registered, please create group with torch.distributed.new_group API")
    if number != 0:
        raise ValueError(f"Global rank {number} is not part of group {group}")
    return 0


def get_group_rank(group, global_rank):
    """get_group_rank(group, global_rank) -> int"""
    return _rank(group, global_rank)


def get_global_rank(group, group_rank):
    """get_global_rank(group, group_rank) -> int"""
    return _rank(group, group_rank)


def get_node_local_rank(fallback_rank=None):
    """get_node_local_rank(fallback_rank=None) -> $LOCAL_RANK, or the fallback."""
    if "LOCAL_RANK" in os.environ:
        return int(os.environ["LOCAL_RANK"])
    if fallback_rank is not None:
        return int(fallback_rank)
    raise RuntimeError(
        "LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow `get_node_local_rank` to work, "
        "assuming you are not running in a multi-device context and want the code to run locally instead."
    )


def is_available():
    """is_available() -> True: a group of one process works."""
    return True


def is_gloo_available():
    """is_gloo_available() -> True"""
    return True


def is_nccl_available():
    """is_nccl_available() -> False"""
    return False


is_mpi_available = is_ucc_available = is_xccl_available = is_nccl_available


def is_backend_available(backend):
    """is_backend_available(name) -> bool: gloo, and what was registered"""
    return backend.lower() == "gloo" or backend.upper() in Backend._plugins


def is_torchelastic_launched():
    """is_torchelastic_launched() -> bool: did torchrun start this process?"""
    return os.environ.get("TORCHELASTIC_RUN_ID") is not None


def get_debug_level():
    """get_debug_level() -> DebugLevel"""
    return _state["debug"]


def set_debug_level(level):
    """set_debug_level(DebugLevel)"""
    _state["debug"] = level


def set_debug_level_from_env():
    """set_debug_level_from_env(): $TORCH_DISTRIBUTED_DEBUG"""
    _state["debug"] = DebugLevel[os.environ.get("TORCH_DISTRIBUTED_DEBUG", "OFF").upper()]


_OURS = [n for n, v in list(globals().items()) if n[0] != "_" and getattr(v, "__module__", "") == __name__]
__all__ = ["Store", "default_pg_timeout"]
__all__.extend(_OURS)
