"""The types of torch.distributed: reductions, backends, groups, work under way, options."""

import datetime
import enum

from .._base.dtype import DTYPES

HOME = __name__.partition(".")[0] + ".distributed.distributed_c10d"
default_pg_timeout = datetime.timedelta(minutes=30)


class RedOpType(enum.Enum):
    """Kinds of reductions."""

    SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR, BXOR, PREMUL_SUM = range(9)

    def __repr__(self):
        return f"<RedOpType.{self.name}: {self.value}>"

    def __str__(self):
        return f"RedOpType.{self.name}"


class _ReduceOpType(type):
    def __instancecheck__(cls, thing):
        return isinstance(thing, RedOpType) or super().__instancecheck__(thing)


class ReduceOp(metaclass=_ReduceOpType):
    """ReduceOp.SUM ...: how values of several processes become one. Of one process, all give its value."""

    RedOpType = RedOpType
    SUM, AVG, PRODUCT, MIN, MAX = RedOpType.SUM, RedOpType.AVG, RedOpType.PRODUCT, RedOpType.MIN, RedOpType.MAX
    BAND, BOR, BXOR, PREMUL_SUM = RedOpType.BAND, RedOpType.BOR, RedOpType.BXOR, RedOpType.PREMUL_SUM

    def __init__(self, op):
        if not isinstance(op, RedOpType):
            raise TypeError("__init__(): incompatible constructor arguments: a ReduceOp.RedOpType is wanted")
        self.op = op

    def __eq__(self, other):
        return self.op == (other.op if type(other) is ReduceOp else other)

    def __hash__(self):
        return hash(self.op)


class reduce_op:
    """Old names of ReduceOp's members."""

    SUM, PRODUCT, MIN, MAX = ReduceOp.SUM, ReduceOp.PRODUCT, ReduceOp.MIN, ReduceOp.MAX


class DebugLevel(enum.Enum):
    """How much torch.distributed says of itself."""

    OFF, INFO, DETAIL = range(3)


class BackendType(enum.Enum):
    """Kinds of backends."""

    UNDEFINED, GLOO, NCCL, UCC, MPI, XCCL, CUSTOM = range(7)


class Backend(str):
    """Backend(name) -> the name in small letters; register_backend adds names."""

    UNDEFINED, GLOO, NCCL, UCC = "undefined", "gloo", "nccl", "ucc"
    MPI, XCCL, FAKE = "mpi", "xccl", "fake"
    backend_list = ["undefined", "gloo", "nccl", "xccl", "ucc", "mpi", "fake"]
    default_device_backend_map = {"cpu": "gloo", "cuda": "nccl", "xpu": "xccl", "mps": "gloo", "hpu": "fake"}
    backend_capability = {
        "gloo": ["cpu", "cuda"],
        "nccl": ["cuda"],
        "xccl": ["xpu"],
        "ucc": ["cpu", "cuda"],
        "mpi": ["cpu", "cuda"],
        "fake": ["cpu", "cuda", "hpu", "xpu"],
    }
    backend_type_map = {name.lower(): kind for name, kind in BackendType.__members__.items() if name != "CUSTOM"}
    _plugins: dict = {}

    def __new__(cls, name):
        if not isinstance(name, str):
            raise ValueError("Backend constructor parameter must be string-ish")
        known = getattr(cls, name.upper(), None)
        return known if isinstance(known, str) else name.lower()

    @classmethod
    def register_backend(cls, name, func, extended_api=False, devices=None):
        """register_backend(name, func): a name of one's own; with one process func is never asked."""
        if hasattr(cls, name.upper()):
            raise AssertionError(f"{name.upper()} c10d backend already exist")
        setattr(cls, name.upper(), name.lower())
        cls.backend_list.append(name.lower())
        cls._plugins[name.upper()] = (func, extended_api)
        devices = [devices] if isinstance(devices, str) else devices or ["cpu", "cuda"]
        cls.backend_capability[name.lower()] = devices
        cls.backend_type_map[name.lower()] = BackendType.CUSTOM


class BackendConfig:
    """BackendConfig(backend): which backend each device has; as text `cpu:gloo,cuda:gloo`."""

    def __init__(self, backend):
        backend = str(backend)
        if backend == "undefined":
            self.device_backend_map = {"cpu": "gloo"}
        elif ":" in backend:
            pairs = [part.split(":") for part in backend.lower().split(",")]
            if any(len(p) != 2 for p in pairs):
                raise ValueError(f"Invalid device:backend pairing: {backend}.")
            self.device_backend_map = {device: Backend(name) for device, name in pairs}
        else:
            devices = Backend.backend_capability.get(backend.lower(), ["cpu", "cuda"])
            self.device_backend_map = {device: Backend(backend) for device in devices}

    def __repr__(self):
        return ",".join(f"{device}:{name}" for device, name in self.device_backend_map.items())

    def get_device_backend_map(self):
        """get_device_backend_map() -> {device: backend}"""
        return self.device_backend_map


class ProcessGroup:
    """A group of processes, of which there is one: this."""

    BackendType = BackendType

    def __init__(self, name="gloo", group_name="0", desc="undefined", store=None, config=None):
        self._name, self.group_name, self.group_desc = name, group_name, desc
        self._store, self.config = store, config
        self.bound_device_id = None

    def rank(self):
        """rank() -> 0"""
        return 0

    def size(self):
        """size() -> 1"""
        return 1

    def name(self):
        """name() -> the backend's name"""
        return self._name

    def get_group_store(self):
        """get_group_store() -> Store"""
        return self._store

    def _get_backend_name(self):
        return self._name

    def _set_group_desc(self, desc):
        self.group_desc = desc

    def abort(self):
        """abort(): nothing is under way."""

    shutdown = abort

    @property
    def _device_types(self):
        from .._base.device import device

        return [device("cpu")]


class ProcessGroupGloo(ProcessGroup):
    """The group of backend gloo."""


class Work:
    """What an asynchronous collective gives: here it is done already."""

    def __init__(self, results=()):
        self._results = list(results)

    def wait(self, timeout=None):
        """wait() -> True"""
        return True

    def is_completed(self):
        """is_completed() -> True"""
        return True

    is_success = is_completed

    def exception(self):
        """exception() -> None"""
        return None

    def result(self):
        """result() -> list of the tensors that were written"""
        return self._results

    def synchronize(self):
        """synchronize(): it is done."""

    block_current_stream = synchronize

    def source_rank(self):
        """source_rank() -> 0"""
        return 0

    def get_future(self):
        """get_future() -> Future of result()"""
        from ..futures import Future

        future = Future()
        future.set_result(self._results)
        return future


def _options(name, fields):
    """A class of settings of one collective; they change nothing here."""

    def __init__(self):
        for field in fields:
            made = {"reduceOp": ReduceOp.SUM, "device_ids": [], "device": None}.get(field, 0)
            setattr(self, field, made)
        self.timeout, self.asyncOp = datetime.timedelta(seconds=-1), True  # no time set, as torch shows it

    return type(name, (), {"__init__": __init__, "__doc__": f"{name}(): settings, which change nothing here."})


OPTIONS = {
    name: _options(name, fields.split())
    for name, fields in {
        "AllToAllOptions": "",
        "AllgatherOptions": "",
        "AllreduceCoalescedOptions": "reduceOp",
        "AllreduceOptions": "reduceOp",
        "BarrierOptions": "device_ids device",
        "BroadcastOptions": "rootRank rootTensor",
        "GatherOptions": "rootRank",
        "ReduceOptions": "reduceOp rootRank rootTensor",
        "ReduceScatterOptions": "reduceOp",
        "ScatterOptions": "rootRank",
    }.items()
}
INTEGRAL = {d for d in DTYPES.values() if not (d.is_floating_point or d.is_complex)}
for _cls in (Backend, BackendConfig, ProcessGroup, ProcessGroupGloo, Work, reduce_op):
    _cls.__module__ = HOME
for _cls in (ReduceOp, RedOpType, DebugLevel, BackendType):
    _cls.__module__ = __name__.partition(".")[0] + "._C._distributed_c10d"
