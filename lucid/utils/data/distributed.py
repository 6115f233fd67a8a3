"""DistributedSampler: the part of a dataset that one of several processes works on."""

import math
import sys

from ..._func.creation.generator import Generator
from ..._func.creation.random import randperm
from .sampler import Sampler, _T_co

__all__ = ["DistributedSampler"]


def _process_group(ask):
    """World size or rank of the default process group, if lucid.distributed was imported and has one."""
    distributed = sys.modules.get(__name__.partition(".")[0] + ".distributed")
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")
    return getattr(distributed, ask)()


class DistributedSampler(Sampler[_T_co]):
    """DistributedSampler(dataset, num_replicas=None, rank=None, shuffle=True, seed=0, drop_last=False): every
    num_replicas-th index, from rank on, of a shuffle by seed + epoch that is the same in all processes; padded from its
    start, or cut, to equal parts."""

    def __init__(self, dataset, num_replicas=None, rank=None, shuffle=True, seed=0, drop_last=False):
        num_replicas = _process_group("get_world_size") if num_replicas is None else num_replicas
        rank = _process_group("get_rank") if rank is None else rank
        if rank >= num_replicas or rank < 0:
            raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset, self.num_replicas, self.rank = dataset, num_replicas, rank
        self.epoch, self.drop_last = 0, drop_last
        n = len(dataset)
        if drop_last and n % num_replicas != 0:
            n -= num_replicas
        self.num_samples = math.ceil(n / num_replicas)
        self.total_size = self.num_samples * num_replicas
        self.shuffle, self.seed = shuffle, seed

    def __iter__(self):
        n = len(self.dataset)
        if self.shuffle:
            indices = randperm(n, generator=Generator().manual_seed(self.seed + self.epoch)).tolist()
        else:
            indices = list(range(n))
        if self.drop_last:
            indices = indices[: self.total_size]
        elif self.total_size > n:
            missing = self.total_size - n
            indices += (indices * math.ceil(missing / n))[:missing]
        return iter(indices[self.rank : self.total_size : self.num_replicas])

    def __len__(self):
        return self.num_samples

    def set_epoch(self, epoch):
        """set_epoch(epoch): shuffle differently from now on."""
        self.epoch = epoch
