"""Pipes that choose which elements come, and when."""

import enum
import random

from ....._backend.registry import NAMESPACES
from ....._base.dtype import DTYPES
from ...sampler import SequentialSampler
from .._decorator import functional_datapipe
from ..datapipe import IterDataPipe, length_of


class SamplerIterDataPipe(IterDataPipe):
    """Sampler(pipe, sampler=SequentialSampler): what a sampler over it gives"""

    def __init__(self, datapipe, sampler=SequentialSampler, sampler_args=None, sampler_kwargs=None):
        if not hasattr(type(datapipe), "__len__"):
            raise AssertionError("Sampler class requires input datapipe implemented `__len__`")
        super().__init__()
        self.datapipe, self.sampler_args = datapipe, () if sampler_args is None else sampler_args
        self.sampler_kwargs = {**(sampler_kwargs or {}), "data_source": datapipe}
        self.sampler = sampler(*self.sampler_args, **self.sampler_kwargs)

    def __iter__(self):
        return iter(self.sampler)

    def __len__(self):
        return length_of(self, self.sampler)


def seed_of_torch():
    """A seed drawn from the default generator, as torch draws it."""
    return int(NAMESPACES["torch"]["empty"]((), dtype=DTYPES["int64"]).random_().item())


@functional_datapipe("shuffle")
class ShufflerIterDataPipe(IterDataPipe):
    """Shuffler(pipe, buffer_size=10000, unbatch_level=0): elements in another order, by way of a buffer"""

    def __init__(self, datapipe, *, buffer_size=10000, unbatch_level=0):
        super().__init__()
        if buffer_size <= 0:
            raise AssertionError("buffer_size should be larger than 0")
        self.datapipe = datapipe if unbatch_level == 0 else datapipe.unbatch(unbatch_level=unbatch_level)
        self.buffer_size, self._buffer, self._enabled, self._seed = buffer_size, [], True, None
        self._rng = random.Random()

    def set_shuffle(self, shuffle=True):
        """set_shuffle(True) -> self"""
        self._enabled = shuffle
        return self

    def set_seed(self, seed):
        """set_seed(seed) -> self: for the next iterator"""
        self._seed = seed
        return self

    def __iter__(self):
        if not self._enabled:
            yield from self.datapipe
            return
        for x in self.datapipe:
            if len(self._buffer) == self.buffer_size:
                index = self._rng.randint(0, len(self._buffer) - 1)
                value, self._buffer[index] = self._buffer[index], x
                yield value
            else:
                self._buffer.append(x)
        while self._buffer:
            yield self._buffer.pop(self._rng.randint(0, len(self._buffer) - 1))

    def __len__(self):
        return length_of(self, self.datapipe)

    def reset(self):
        """reset(): a new seed"""
        self._buffer = []
        if self._enabled:
            self._rng.seed(seed_of_torch() if self._seed is None else self._seed)
            self._seed = None


class SHARDING_PRIORITIES(enum.IntEnum):
    """Which sharding comes first."""

    DEFAULT, DISTRIBUTED, MULTIPROCESSING = 1, 2, 3


@functional_datapipe("sharding_filter")
class ShardingFilterIterDataPipe(IterDataPipe):
    """ShardingFilter(pipe): after apply_sharding(n, i) every n-th element from the i-th on"""

    def __init__(self, source_datapipe, sharding_group_filter=None):
        super().__init__()
        self.source_datapipe, self.sharding_group_filter = source_datapipe, sharding_group_filter
        self.groups, self.num_of_instances, self.instance_id = {}, 1, 0

    def apply_sharding(self, num_of_instances, instance_id, sharding_group=SHARDING_PRIORITIES.DEFAULT):
        """apply_sharding(n, i)"""
        if instance_id >= num_of_instances:
            raise ValueError(f"instance_id({instance_id}) should be smaller than num_of_instances({num_of_instances})")
        usual = SHARDING_PRIORITIES.DEFAULT
        if self.groups and (sharding_group == usual) != (usual in self.groups):
            raise RuntimeError("ShardingFilter cannot mix DEFAULT and non DEFAULT groups")
        self.groups[sharding_group] = (num_of_instances, instance_id)
        self.num_of_instances, self.instance_id = 1, 0
        for key in sorted(self.groups, reverse=True):
            if self.sharding_group_filter in (None, key):
                count, own = self.groups[key]
                self.instance_id += self.num_of_instances * own
                self.num_of_instances *= count

    def __iter__(self):
        for i, item in enumerate(self.source_datapipe):
            if i % self.num_of_instances == self.instance_id:
                yield item

    def __len__(self):
        count = length_of(self, self.source_datapipe)
        return count // self.num_of_instances + (self.instance_id < count % self.num_of_instances)
