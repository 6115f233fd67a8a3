"""Stores of torch.distributed: keys and values that processes share; with one process, dictionaries with torch's
methods."""

import datetime

from .._base.entering import at_home


class DistError(RuntimeError):
    """An error of torch.distributed."""


class DistBackendError(DistError):
    """An error of a backend."""


class DistNetworkError(DistError):
    """An error of the network."""


class DistStoreError(DistError):
    """An error of a store."""


class QueueEmptyError(DistStoreError):
    """queue_pop found nothing."""


for _cls in (DistError, DistBackendError, DistNetworkError, DistStoreError, QueueEmptyError):
    _cls.__module__ = at_home("lucid.distributed")


def _bytes(value):
    return value.encode() if isinstance(value, str) else bytes(value)


class Store:
    """The methods of all stores."""

    def __init__(self):
        self._data, self._queues = {}, {}
        self.timeout = datetime.timedelta(seconds=300)

    def set(self, key, value):
        """set(key, value)"""
        self._data[key] = _bytes(value)

    def get(self, key):
        """get(key) -> bytes; DistStoreError where nobody can set it any more."""
        self.wait([key])
        return self._data[key]

    def add(self, key, amount):
        """add(key, amount) -> int, the sum of all amounts"""
        total = int(self._data.get(key, b"0")) + amount
        self._data[key] = str(total).encode()
        return total

    def append(self, key, value):
        """append(key, value): to what is there"""
        self._data[key] = self._data.get(key, b"") + _bytes(value)

    def compare_set(self, key, expected_value, desired_value):
        """compare_set(key, expected, desired) -> the value afterwards: desired, if it was expected or missing."""
        expected, desired = _bytes(expected_value), _bytes(desired_value)
        if key not in self._data:
            if expected:
                return expected
            self._data[key] = desired
        elif self._data[key] == expected:
            self._data[key] = desired
        return self._data[key]

    def check(self, keys):
        """check(keys) -> bool: are all there?"""
        return all(k in self._data for k in keys)

    def delete_key(self, key):
        """delete_key(key) -> bool: was it there?"""
        return self._data.pop(key, None) is not None

    def num_keys(self):
        """num_keys() -> int"""
        return len(self._data)

    def list_keys(self):
        """list_keys() -> list of str"""
        return list(self._data)

    def wait(self, keys, timeout=None):
        """wait(keys): DistStoreError for one that is missing, as no other process will set it."""
        missing = [k for k in keys if k not in self._data]
        if missing:
            raise DistStoreError(f"wait timeout after 0ms, keys: {', '.join('/' + k for k in missing)}")

    def set_timeout(self, timeout):
        """set_timeout(timedelta)"""
        self.timeout = timeout

    def multi_get(self, keys):
        """multi_get(keys) -> list of bytes"""
        return [self.get(k) for k in keys]

    def multi_set(self, keys, values):
        """multi_set(keys, values)"""
        for k, v in zip(keys, values, strict=True):
            self.set(k, v)

    def queue_push(self, key, value):
        """queue_push(key, value)"""
        self._queues.setdefault(key, []).append(_bytes(value))

    def queue_pop(self, key, block=True):
        """queue_pop(key) -> bytes, the oldest; QueueEmptyError"""
        if not self._queues.get(key):
            raise QueueEmptyError("queue is empty")
        return self._queues[key].pop(0)

    def queue_len(self, key):
        """queue_len(key) -> int"""
        return len(self._queues.get(key, ()))

    def has_extended_api(self):
        """has_extended_api() -> True"""
        return True

    def clone(self):
        """clone() -> a store of the same data"""
        return self


class HashStore(Store):
    """HashStore()"""


class FileStore(Store):
    """FileStore(file_name, world_size=-1): of one process, so nothing but the name is written."""

    def __init__(self, file_name, world_size=-1):
        super().__init__()
        _one(world_size)
        self.path = file_name


class TCPStore(Store):
    """TCPStore(host, port, world_size=None, is_master=False, ...): of one process, so nothing listens."""

    def __init__(
        self,
        host_name,
        port,
        world_size=None,
        is_master=False,
        timeout=datetime.timedelta(seconds=300),
        wait_for_workers=True,
        multi_tenant=False,
        master_listen_fd=None,
        use_libuv=True,
    ):
        super().__init__()
        _one(world_size)
        self.host, self.port, self.timeout = host_name, port, timeout


class PrefixStore(Store):
    """PrefixStore(prefix, store): keys of another store that begin with prefix/"""

    def __init__(self, prefix, store):
        self._prefix, self.underlying_store = prefix, store
        self.timeout = store.timeout

    def __getattribute__(self, name):
        own = object.__getattribute__(self, name)
        if name.startswith("_") or not callable(own) or not hasattr(Store, name):
            return own
        inner = getattr(object.__getattribute__(self, "underlying_store"), name)
        prefix = object.__getattribute__(self, "_prefix")

        def prefixed(*args, **kwargs):
            if args and isinstance(args[0], str):
                args = (f"{prefix}/{args[0]}", *args[1:])
            elif args and isinstance(args[0], (list, tuple)):
                args = ([f"{prefix}/{k}" for k in args[0]], *args[1:])
            return inner(*args, **kwargs)

        return prefixed


def _one(world_size):
    if world_size is not None and world_size > 1:
        raise NotImplementedError(
            f"a store for {world_size} processes: torch.distributed works in one process in lucid (world size 1)"
        )
