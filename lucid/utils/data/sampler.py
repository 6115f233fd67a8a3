"""Samplers: the order in which a DataLoader takes samples; random ones draw torch's numbers."""

import itertools
from typing import Generic, TypeVar

from ..._base.dtype import float64, int64
from ..._func.creation.from_data import as_tensor
from ..._func.creation.generator import Generator
from ..._func.creation.gfunc import empty
from ..._func.creation.random import multinomial, randint, randperm

__all__ = [
    "BatchSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SubsetRandomSampler",
    "WeightedRandomSampler",
]

_T_co = TypeVar("_T_co", covariant=True)


def random_seed(generator=None):
    """A seed drawn as torch draws one: an int64 in [0, 2**63)."""
    return empty((), dtype=int64).random_(generator=generator).item()


class Sampler(Generic[_T_co]):
    """An iterable of indices (or of lists of them): subclasses give __iter__, and __len__ where it is known."""

    def __init__(self, data_source=None):
        pass

    def __iter__(self):
        raise NotImplementedError


class SequentialSampler(Sampler[int]):
    """SequentialSampler(data_source): 0, 1, ... len(data_source) - 1."""

    def __init__(self, data_source):
        self.data_source = data_source

    def __iter__(self):
        return iter(range(len(self.data_source)))

    def __len__(self):
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """RandomSampler(data_source, replacement=False, num_samples=None, generator=None): indices in random order, each
    once per round, or drawn with replacement. Without a generator, one is seeded from the default generator at each
    __iter__."""

    def __init__(self, data_source, replacement=False, num_samples=None, generator=None):
        self.data_source, self.generator = data_source, generator
        self.replacement, self._num_samples = replacement, num_samples
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples={self.num_samples}")

    @property
    def num_samples(self):
        """How many indices an iteration gives."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self):
        n, total, generator = len(self.data_source), self.num_samples, self.generator
        if generator is None:
            generator = Generator().manual_seed(random_seed())
        if self.replacement:
            for _ in range(total // 32):
                yield from randint(high=n, size=(32,), dtype=int64, generator=generator).tolist()
            yield from randint(high=n, size=(total % 32,), dtype=int64, generator=generator).tolist()
        else:
            for _ in range(total // n):
                yield from randperm(n, generator=generator).tolist()
            yield from randperm(n, generator=generator).tolist()[: total % n]  # drawn even when none is taken

    def __len__(self):
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """SubsetRandomSampler(indices, generator=None): these indices in random order."""

    def __init__(self, indices, generator=None):
        self.indices, self.generator = indices, generator

    def __iter__(self):
        for i in randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[i]

    def __len__(self):
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """WeightedRandomSampler(weights, num_samples, replacement=True, generator=None): indices drawn with these
    weights."""

    def __init__(self, weights, num_samples, replacement=True, generator=None):
        if not isinstance(num_samples, int) or isinstance(num_samples, bool) or num_samples <= 0:
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples={num_samples}")
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        self.weights = as_tensor(weights, dtype=float64)
        if len(self.weights.shape) != 1:
            raise ValueError(
                f"weights should be a 1d sequence but given weights have shape {tuple(self.weights.shape)}"
            )
        self.num_samples, self.replacement, self.generator = num_samples, replacement, generator

    def __iter__(self):
        yield from multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator).tolist()

    def __len__(self):
        return self.num_samples


class BatchSampler(Sampler[list]):
    """BatchSampler(sampler, batch_size, drop_last): lists of batch_size indices; the last one may be shorter, or is
    dropped."""

    def __init__(self, sampler, batch_size, drop_last):
        if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size <= 0:
            raise ValueError(f"batch_size should be a positive integer value, but got batch_size={batch_size}")
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self):
        indices = iter(self.sampler)
        if self.drop_last:
            for batch in zip(*[indices] * self.batch_size):
                yield list(batch)
            return
        while batch := list(itertools.islice(indices, self.batch_size)):
            yield batch

    def __len__(self):
        n = len(self.sampler)
        return n // self.batch_size if self.drop_last else (n + self.batch_size - 1) // self.batch_size
