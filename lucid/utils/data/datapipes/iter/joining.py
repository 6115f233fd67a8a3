"""Pipes of several pipes, and several pipes of one."""

import collections
import copy as copying
import warnings

from .._decorator import functional_datapipe
from ..datapipe import IterDataPipe, length_of


class _OfSeveral(IterDataPipe):
    def __init__(self, *datapipes):
        super().__init__()
        self.datapipes = datapipes

    def _lengths(self):
        return [length_of(self, pipe) for pipe in self.datapipes]


@functional_datapipe("concat")
class ConcaterIterDataPipe(_OfSeveral):
    """Concater(*pipes): one after the other"""

    def __init__(self, *datapipes):
        if len(datapipes) == 0:
            raise ValueError("Expected at least one DataPipe, but got nothing")
        if not all(isinstance(pipe, IterDataPipe) for pipe in datapipes):
            raise TypeError("Expected all inputs to be `IterDataPipe`")
        super().__init__(*datapipes)

    def __iter__(self):
        for pipe in self.datapipes:
            yield from pipe

    def __len__(self):
        return sum(self._lengths())


@functional_datapipe("mux")
class MultiplexerIterDataPipe(_OfSeveral):
    """Multiplexer(*pipes): one element of each in turn, until the shortest ends"""

    def __iter__(self):
        for row in zip(*self.datapipes, strict=False):
            yield from row

    def __len__(self):
        return min(self._lengths()) * len(self.datapipes)


@functional_datapipe("zip")
class ZipperIterDataPipe(_OfSeveral):
    """Zipper(*pipes): tuples, until the shortest ends"""

    def __init__(self, *datapipes):
        if not all(isinstance(pipe, IterDataPipe) for pipe in datapipes):
            raise TypeError("All inputs are required to be `IterDataPipe` for `ZipIterDataPipe`.")
        super().__init__(*datapipes)

    def __iter__(self):
        yield from zip(*[iter(pipe) for pipe in self.datapipes], strict=False)

    def __len__(self):
        return min(self._lengths())


class _Source:
    """One pipe that several read: what some have not read yet waits in their buffers."""

    def __init__(self, pipe, count, buffer_size, places, what):
        self.pipe, self.buffer_size, self.places, self.what = pipe, buffer_size, places, what
        self.buffers, self.iterator = [collections.deque() for _ in range(count)], None
        self.reading = [False] * count
        if buffer_size < 0:
            warnings.warn(
                f"Unlimited buffer size is set for `{what}`, please be aware of OOM at random places", stacklevel=4
            )

    def read(self, child):
        if self.iterator is None or self.reading[child]:
            if self.iterator is not None and any(self.reading):
                warnings.warn(
                    "Some child DataPipes are not exhausted when __iter__ is called. We are resetting the buffer and "
                    "each child DataPipe will read from the start again.",
                    stacklevel=3,
                )
            self.iterator = iter(self.pipe)
            for buffer in self.buffers:
                buffer.clear()
            self.reading = [False] * len(self.buffers)
        self.reading[child] = True
        iterator = self.iterator
        while True:
            if not self.buffers[child]:
                try:
                    self._fetch(next(iterator), child)
                except StopIteration:
                    break
                continue
            yield self.buffers[child].popleft()
        self.reading[child] = False
        if not any(self.reading) and not any(self.buffers):
            self.iterator = None

    def _fetch(self, value, child):
        for place, copy in self.places(value):
            self.buffers[place].append(copy)
        waiting = sum(map(len, self.buffers)) if self.what == "demux" else max(map(len, self.buffers))
        if 0 <= self.buffer_size < waiting - (self.what == "demux" and bool(self.buffers[child])):
            raise BufferError(
                f"{'DemultiplexerIterDataPipe' if self.what == 'demux' else 'ForkerIterDataPipe'} buffer overflow, "
                f"buffer size {self.buffer_size} is insufficient."
            )


class _ChildDataPipe(IterDataPipe):
    """One of the readers of a pipe."""

    def __init__(self, main_datapipe, instance_id):
        self.main_datapipe, self.instance_id = main_datapipe, instance_id

    def __iter__(self):
        return self.main_datapipe.read(self.instance_id)

    def __len__(self):
        if self.main_datapipe.what == "demux":
            raise TypeError(f"{type(self).__name__} instance doesn't have valid length")
        return len(self.main_datapipe.pipe)


def _no_copy(value):
    return value


@functional_datapipe("fork")
class ForkerIterDataPipe(IterDataPipe):
    """Forker(pipe, num_instances, buffer_size=1000, copy=None) -> list of pipes with the same elements"""

    def __new__(cls, datapipe, num_instances, buffer_size=1000, copy=None):
        if num_instances < 1:
            raise ValueError(f"Expected `num_instances` larger than 0, but {num_instances} is found")
        if num_instances == 1:
            return datapipe
        if copy not in (None, "shallow", "deep"):
            raise ValueError(f"Unknown copy method `{copy}` requested, choose one of None, `shallow` or `deep`.")
        one = {None: _no_copy, "shallow": copying.copy, "deep": copying.deepcopy}[copy]
        source = _Source(
            datapipe, num_instances, buffer_size, lambda v: [(i, one(v)) for i in range(num_instances)], "fork"
        )
        return [_ChildDataPipe(source, i) for i in range(num_instances)]


@functional_datapipe("demux")
class DemultiplexerIterDataPipe(IterDataPipe):
    """Demultiplexer(pipe, num_instances, classifier_fn, drop_none=False, buffer_size=1000) -> list of pipes, each with
    the elements of its number"""

    def __new__(cls, datapipe, num_instances, classifier_fn, drop_none=False, buffer_size=1000):
        if num_instances < 1:
            raise ValueError(f"Expected `num_instances` larger than 0, but {num_instances} is found")

        def places(value):
            place = classifier_fn(value)
            if place is None and drop_none:
                return []
            if place is None or not 0 <= place < num_instances:
                raise ValueError(
                    f"Output of the classification fn should be between 0 and {num_instances - 1}. {place} is returned."
                )
            return [(place, value)]

        source = _Source(datapipe, num_instances, buffer_size, places, "demux")
        return [_ChildDataPipe(source, i) for i in range(num_instances)]
