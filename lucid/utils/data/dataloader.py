"""DataLoader: batches of a dataset's samples, in the order and with the random numbers of torch's."""

import itertools
import math
import multiprocessing
import traceback
import warnings
from collections.abc import Sequence
from typing import Generic, TypeVar

from . import _utils
from ._utils.collate import default_collate, default_convert
from ._utils.worker import Worker, get_worker_info
from .dataset import Dataset, IterableDataset
from .sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler, random_seed

__all__ = ["DataLoader", "get_worker_info", "default_collate", "default_convert"]

_T_co = TypeVar("_T_co", covariant=True)
_collate_fn_t = _worker_init_fn_t = object


class _DatasetKind:
    """Is a dataset read by index or as a stream?"""

    Map, Iterable = 0, 1

    @staticmethod
    def create_fetcher(kind, dataset, auto_collation, collate_fn, drop_last):
        """create_fetcher(kind, ...) -> the fetcher for that kind."""
        make = _utils.fetch._MapDatasetFetcher if kind == _DatasetKind.Map else _utils.fetch._IterableDatasetFetcher
        return make(dataset, auto_collation, collate_fn, drop_last)


class _InfiniteConstantSampler(Sampler):
    """The "indices" of a stream."""

    def __iter__(self):
        return itertools.repeat(None)


_FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")


def _checked_workers(num_workers, timeout, prefetch_factor, persistent_workers):
    """The prefetch factor that is meant; ValueError for options of workers that do not go together."""
    if num_workers < 0:
        raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if num_workers == 0 and prefetch_factor is not None:
        raise ValueError(
            "prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to "
            "enable multiprocessing, otherwise set prefetch_factor to None."
        )
    if num_workers > 0 and prefetch_factor is None:
        prefetch_factor = 2
    elif prefetch_factor is not None and prefetch_factor < 0:
        raise ValueError("prefetch_factor option should be non-negative")
    if persistent_workers and num_workers == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")
    return prefetch_factor


def _check_sampling(streams, batch_size, shuffle, sampler, batch_sampler, drop_last):
    """ValueError for ways to choose items that exclude each other. streams: is the dataset an IterableDataset?"""
    if streams:
        for name, value in (("shuffle", shuffle or None), ("sampler", sampler), ("batch_sampler", batch_sampler)):
            if value is not None:
                raise ValueError(
                    f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={value}"
                )
    if sampler is not None and shuffle:
        raise ValueError("sampler option is mutually exclusive with shuffle")
    if batch_sampler is not None:
        if batch_size != 1 or shuffle or sampler is not None or drop_last:
            raise ValueError(
                "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
            )
    elif batch_size is None and drop_last:
        raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")


class DataLoader(Generic[_T_co]):
    """DataLoader(dataset, batch_size=1, shuffle=None, sampler=None, batch_sampler=None, num_workers=0, collate_fn=None,
    ...)

    An iterable of batches. With num_workers > 0 no processes are started: the workers take turns in the calling thread,
    each with the seeds, the get_worker_info() and the share of batches that torch's worker process would have, so that
    batches and random numbers are torch's. pin_memory changes nothing; timeout, multiprocessing_context and
    prefetch_factor are checked as torch checks them (prefetch_factor also says how far ahead indices are drawn).
    """

    __initialized = False

    def __init__(
        self,
        dataset: Dataset[_T_co] | Sequence[_T_co],
        batch_size=1,
        shuffle=None,
        sampler=None,
        batch_sampler=None,
        num_workers=0,
        collate_fn=None,
        pin_memory=False,
        drop_last=False,
        timeout=0,
        worker_init_fn=None,
        multiprocessing_context=None,
        generator=None,
        *,
        prefetch_factor=None,
        persistent_workers=False,
        pin_memory_device="",
        in_order=True,
    ):
        prefetch_factor = _checked_workers(num_workers, timeout, prefetch_factor, persistent_workers)
        self.dataset, self.num_workers, self.prefetch_factor = dataset, num_workers, prefetch_factor
        self.pin_memory, self.pin_memory_device, self.timeout = pin_memory, pin_memory_device, timeout
        self.worker_init_fn, self.in_order = worker_init_fn, in_order
        self.multiprocessing_context = multiprocessing_context
        streams = isinstance(dataset, IterableDataset)
        self._dataset_kind = _DatasetKind.Iterable if streams else _DatasetKind.Map
        _check_sampling(streams, batch_size, shuffle, sampler, batch_sampler, drop_last)
        if batch_sampler is not None:
            batch_size, drop_last = None, False
        if sampler is None:
            sampler = (
                _InfiniteConstantSampler()
                if streams
                else RandomSampler(dataset, generator=generator)
                if shuffle
                else SequentialSampler(dataset)
            )
        if batch_size is not None and batch_sampler is None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size, self.drop_last = batch_size, drop_last
        self.sampler, self.batch_sampler = sampler, batch_sampler
        self.generator = generator
        self.collate_fn = collate_fn or (default_collate if self._auto_collation else default_convert)
        self.persistent_workers = persistent_workers
        self.__initialized = True
        self._IterableDataset_len_called = self._iterator = None

    @property
    def multiprocessing_context(self):
        """A start method's name or context, kept but not used."""
        return self.__multiprocessing_context

    @multiprocessing_context.setter
    def multiprocessing_context(self, context):
        if context is not None:
            if self.num_workers <= 0:
                raise ValueError(
                    "multiprocessing_context can only be used with multi-process loading (num_workers > "
                    f"0), but got num_workers={self.num_workers}"
                )
            if isinstance(context, str):
                known = multiprocessing.get_all_start_methods()
                if context not in known:
                    raise ValueError(
                        f"multiprocessing_context option should specify a valid start method in "
                        f"{known!r}, but got multiprocessing_context={context!r}"
                    )
                context = multiprocessing.get_context(context)
            if not isinstance(context, multiprocessing.context.BaseContext):
                raise TypeError(
                    "multiprocessing_context option should be a valid context object or a string "
                    f"specifying the start method, but got multiprocessing_context={context}"
                )
        self.__multiprocessing_context = context

    def __setattr__(self, attr, val):
        if self.__initialized and attr in _FIXED:
            raise ValueError(f"{attr} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(attr, val)

    def _get_iterator(self):
        return _SingleProcessDataLoaderIter(self) if self.num_workers == 0 else _MultiProcessingDataLoaderIter(self)

    def __iter__(self):
        if not (self.persistent_workers and self.num_workers > 0):
            return self._get_iterator()
        if self._iterator is None:
            self._iterator = self._get_iterator()
        else:
            self._iterator._reset(self)
        return self._iterator

    @property
    def _auto_collation(self):
        return self.batch_sampler is not None

    @property
    def _index_sampler(self):
        return self.batch_sampler if self._auto_collation else self.sampler

    def __len__(self):
        if self._dataset_kind == _DatasetKind.Map:
            return len(self._index_sampler)
        length = self._IterableDataset_len_called = len(self.dataset)
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else math.ceil(length / self.batch_size)

    def check_worker_number_rationality(self):
        """Nothing to warn of: workers cost no processes here."""


class _BaseDataLoaderIter:
    def __init__(self, loader):
        self._dataset, self._dataset_kind = loader.dataset, loader._dataset_kind
        self._IterableDataset_len_called = loader._IterableDataset_len_called
        self._auto_collation, self._drop_last = loader._auto_collation, loader.drop_last
        self._index_sampler, self._num_workers = loader._index_sampler, loader.num_workers
        self._timeout = loader.timeout
        if loader.pin_memory and loader.pin_memory_device:
            warnings.warn(
                "pin_memory_device is deprecated, the current accelerator will be used as the device,ignore "
                f"pin_memory_device='{loader.pin_memory_device}'.",
                stacklevel=2,
            )
        if loader.pin_memory:
            warnings.warn(
                "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory "
                "won't be used.",
                stacklevel=2,
            )
        self._pin_memory, self._collate_fn = False, loader.collate_fn
        self._sampler_iter = iter(self._index_sampler)
        self._base_seed = random_seed(loader.generator)  # torch draws it whether or not there are workers
        self._persistent_workers, self._num_yielded = loader.persistent_workers, 0

    def __iter__(self):
        return self

    def _reset(self, loader, first_iter=False):
        self._sampler_iter, self._num_yielded = iter(self._index_sampler), 0
        self._IterableDataset_len_called = loader._IterableDataset_len_called

    def _next_index(self):
        return next(self._sampler_iter)

    def _next_data(self):
        raise NotImplementedError

    def __next__(self):
        data = self._next_data()
        self._num_yielded += 1
        told = self._IterableDataset_len_called
        if self._dataset_kind == _DatasetKind.Iterable and told is not None and self._num_yielded > told:
            message = (
                f"Length of IterableDataset {self._dataset} was reported to be {told}(when accessing "
                f"len(dataloader)), but {self._num_yielded} samples have been fetched. "
            )
            if self._num_workers > 0:
                message += (
                    "For multiprocessing data-loading, this could be caused by not properly configuring the "
                    "IterableDataset replica at each worker. Please see "
                    "https://pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset for examples."
                )
            warnings.warn(message, stacklevel=2)
        return data

    def __len__(self):
        return len(self._index_sampler)

    def __getstate__(self):
        raise NotImplementedError("{} cannot be pickled", type(self).__name__)

    def _create_fetcher(self):
        return _DatasetKind.create_fetcher(
            self._dataset_kind, self._dataset, self._auto_collation, self._collate_fn, self._drop_last
        )


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    """Batches without workers."""

    def __init__(self, loader):
        super().__init__(loader)
        if self._timeout != 0:
            raise AssertionError("_SingleProcessDataLoaderIter requires timeout == 0")
        self._dataset_fetcher = self._create_fetcher()

    def _next_data(self):
        return self._dataset_fetcher.fetch(self._next_index())


class _Ended:
    """What a worker answers when its stream is over."""


class _Failure:
    """An exception in a worker, to be raised again where its batch is asked for."""

    def __init__(self, error, worker_id):
        trace = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        self.kind, self.cause = type(error), error
        self.message = f"Caught {self.kind.__name__} in DataLoader worker process {worker_id}.\nOriginal {trace}"

    def reraise(self):
        if self.kind is KeyError:
            raise KeyError(_Verbatim(self.message)) from self.cause
        try:
            error = self.kind(self.message)
        except Exception:
            error = RuntimeError(self.message)
        raise error from self.cause


class _Verbatim(str):
    """A string that prints as it is inside KeyError."""

    def __repr__(self):
        return str(self)


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """Batches by workers that take turns in this thread. Indices are handed out as early as torch hands them to its
    processes, since samplers draw random numbers when asked; the work itself is done when the batch is due."""

    def __init__(self, loader):
        super().__init__(loader)
        self._prefetch_factor, self._worker_init_fn = loader.prefetch_factor, loader.worker_init_fn
        if self._prefetch_factor <= 0:
            raise AssertionError("prefetch_factor must be greater than 0 for MultiProcessingDataLoaderIter")
        self._workers = [Worker(i, self._num_workers, self._base_seed, self._dataset) for i in range(self._num_workers)]
        self._fetchers = [None] * self._num_workers
        self._initialized = set()
        self._reset(loader, first_iter=True)

    def _reset(self, loader, first_iter=False):
        super()._reset(loader, first_iter)
        self._tasks, self._active = [], [True] * self._num_workers  # tasks: (worker, index), in order
        self._cycle = itertools.cycle(range(self._num_workers))
        if self._dataset_kind == _DatasetKind.Iterable:
            self._fetchers = [None] * self._num_workers
        for _ in range(self._prefetch_factor * self._num_workers):
            self._try_put_index()

    def _try_put_index(self):
        try:
            index = self._next_index()
        except StopIteration:
            return
        for _ in range(self._num_workers):
            i = next(self._cycle)
            if self._active[i]:
                self._tasks.append((i, index))
                return

    def _run(self, i, index):
        """What worker i answers."""
        with self._workers[i].running():
            try:
                if i not in self._initialized:
                    self._initialized.add(i)
                    if self._worker_init_fn is not None:
                        self._worker_init_fn(i)
                if self._fetchers[i] is None:
                    self._fetchers[i] = self._create_fetcher()
                return self._fetchers[i].fetch(index)
            except StopIteration as end:
                return _Ended if self._dataset_kind == _DatasetKind.Iterable else _Failure(end, i)
            except Exception as error:
                return _Failure(error, i)

    def _next_data(self):
        while self._tasks:
            i, index = self._tasks.pop(0)
            if not self._active[i]:
                continue
            data = self._run(i, index)
            if data is _Ended:
                self._active[i] = False
                self._try_put_index()
                continue
            self._try_put_index()
            if isinstance(data, _Failure):
                data.reraise()
            return data
        raise StopIteration
