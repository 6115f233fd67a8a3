"""One pass over a DataLoader: in this process, or with workers."""

import atexit
import collections
import itertools
import multiprocessing
import os
import pickle
import signal
import time
import warnings
import weakref

from ...._func.creation.generator import Generator
from ...._utils import ExceptionWrapper
from ..sampler import random_seed
from .channel import Closed, pair, wait
from .fetch import FetcherMaker
from .worker import STATUS_CHECK_INTERVAL, _IterableDatasetStopIteration, _ResumeIteration, _worker_loop

_STREAM = 1  # _DatasetKind.Iterable


class _BaseDataLoaderIter:
    def __init__(self, loader):
        self._dataset, self._dataset_kind = loader.dataset, loader._dataset_kind
        self._seed_pipes(loader)
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

    def _seed_pipes(self, loader):
        """Give the random pipes of a DataPipe their seeds, which torch draws before all others."""
        if getattr(self._dataset, "_is_stream_of_pipes", False):
            from ..graph_settings import apply_random_seed

            apply_random_seed(self._dataset, Generator().manual_seed(random_seed(loader.generator)))

    def _reset(self, loader, first_iter=False):
        self._seed_pipes(loader)
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
        if self._dataset_kind == _STREAM and told is not None and self._num_yielded > told:
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

    def _make_fetcher(self):
        streams = self._dataset_kind == _STREAM
        return FetcherMaker(streams, self._auto_collation, self._collate_fn, self._drop_last)


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    """Batches without workers."""

    def __init__(self, loader):
        super().__init__(loader)
        if self._timeout != 0:
            raise AssertionError("_SingleProcessDataLoaderIter requires timeout == 0")
        self._dataset_fetcher = self._make_fetcher()(self._dataset)

    def _next_data(self):
        return self._dataset_fetcher.fetch(self._next_index())


class _Task:
    """A batch that was asked for: by whom it is made, and what came."""

    __slots__ = ("worker", "data", "done")

    def __init__(self, worker):
        self.worker, self.data, self.done = worker, None, False


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """Batches by worker processes.

    Tasks are numbered as they are handed out, to the workers in turn, and their batches given out in that order. A new
    task is handed out for every batch given out, so samplers draw their random numbers when torch's do.
    """

    def __init__(self, loader):
        self._shut_down, self._owner, self._workers, self._channels = False, os.getpid(), [], []
        super().__init__(loader)
        self._prefetch_factor, self._in_order = loader.prefetch_factor, loader.in_order
        if self._prefetch_factor <= 0:
            raise AssertionError("prefetch_factor must be greater than 0 for MultiProcessingDataLoaderIter")
        self._worker_init_fn = loader.worker_init_fn
        context = loader.multiprocessing_context or multiprocessing.get_context()
        for i in range(self._num_workers):
            self._start(context, i)
        _RUNNING.add(self)
        self._reset(loader, first_iter=True)

    def _start(self, context, i):
        channel, sock = pair()
        self._channels.append(channel)
        forked = context.get_start_method() == "fork"
        what = (self._make_fetcher(), self._dataset, sock, forked, self._base_seed, self._worker_init_fn)
        worker = context.Process(target=_worker_loop, args=(*what, i, self._num_workers), daemon=True)
        try:
            worker.start()
        except (TypeError, AttributeError, pickle.PicklingError):
            warnings.warn(
                "Got pickle error when attempting to start a worker Process. This might be because the worker Process "
                "arguments are not picklable. Python 3.14+ changed the multiprocessing start method in non-Mac POSIX "
                "platforms to 'forkserver', which requires the worker Process arguments to be picklable. You can also "
                "try multiprocessing.set_start_method('fork').",
                stacklevel=2,
            )
            raise
        finally:
            sock.close()
        self._workers.append(worker)

    def _reset(self, loader, first_iter=False):
        super()._reset(loader, first_iter)
        self._sent = self._next = 0  # the numbers of the next task, and of the next batch to give out
        self._tasks, self._arrived = {}, collections.deque()
        self._active, self._loads = [True] * self._num_workers, [0] * self._num_workers
        if not first_iter:
            if gone := [i for i, channel in enumerate(self._channels) if channel.sock.fileno() < 0]:
                self._tell(gone)
            for channel in self._channels:
                channel.post(_ResumeIteration())
            waited_for = self._num_workers
            while waited_for:  # what comes before the answers belongs to the pass that was left
                waited_for -= isinstance(self._received()[0], _ResumeIteration)
        self._turns = itertools.cycle(range(self._num_workers))
        for _ in range(self._prefetch_factor * self._num_workers):
            self._try_put_index()

    # ---- handing out

    def _try_put_index(self):
        most = self._prefetch_factor * self._num_workers
        try:
            index = self._next_index()
        except StopIteration:
            return
        for _ in range(self._num_workers):
            i = next(self._turns)
            if self._active[i] and (self._in_order or self._loads[i] < most // sum(self._active)):
                break
        else:
            return
        self._tasks[self._sent] = _Task(i)
        self._channels[i].post(self._sent, index)
        self._loads[i] += 1
        self._sent += 1

    # ---- receiving

    def _received(self):
        """(number of a task, its batch): the next that comes from any worker."""
        until = time.monotonic() + self._timeout if self._timeout > 0 else None
        while not self._arrived:
            pause = STATUS_CHECK_INTERVAL
            if until is not None:
                pause = min(pause, max(0.0, until - time.monotonic()))
            if not self._listen(pause) and until is not None and time.monotonic() >= until:
                raise RuntimeError(f"DataLoader timed out after {self._timeout} seconds")
        came = self._arrived.popleft()
        try:
            return came.number, came.data()
        except Exception:  # it cannot be unpickled here; the pass may go on without it
            if (task := self._tasks.pop(came.number, None)) is not None:
                self._loads[task.worker] -= 1
                self._try_put_index()
            raise

    def _listen(self, pause):
        """Take in one message of every worker that has sent some, after waiting at most `pause` seconds -> did any
        come? RuntimeError for workers that are gone."""
        before, gone = len(self._arrived), []
        ready = wait(self._channels, pause)
        for i, readable in ready.items():
            if readable:
                try:
                    self._arrived.append(self._channels[i].receive())
                except Closed:
                    gone.append(i)
        if not ready:  # a process that a worker has started may keep the worker's socket open
            gone = [i for i, worker in enumerate(self._workers) if self._active[i] and not worker.is_alive()]
        if gone:
            self._tell(gone)
        return len(self._arrived) > before

    def _tell(self, gone):
        """RuntimeError for the workers that have ended."""
        cause = None
        for i in gone:
            self._active[i] = False
            self._channels[i].close()
            worker = self._workers[i]
            worker.join(STATUS_CHECK_INTERVAL)
            cause = cause or _how_it_ended(worker)
        pids = ", ".join(str(self._workers[i].pid) for i in gone)
        raise RuntimeError(f"DataLoader worker (pid(s) {pids}) exited unexpectedly") from cause

    # ---- giving out

    def _is_due(self):
        """Is there a next batch? Skips tasks of workers that have ended."""
        while self._next < self._sent:
            task = self._tasks.get(self._next)
            if task is not None:
                if task.done or self._active[task.worker]:
                    return True
                del self._tasks[self._next]
            self._next += 1
        return False

    def _next_data(self):
        while True:
            if not self._is_due():
                if not self._persistent_workers:
                    self._shutdown_workers()
                raise StopIteration
            if self._tasks[self._next].done:
                return self._given_out(self._next)
            number, data = self._received()
            if isinstance(data, _IterableDatasetStopIteration):
                self._active[data.worker_id] = False
                if not self._persistent_workers:
                    self._channels[data.worker_id].close()
                self._try_put_index()
                continue
            task = self._tasks[number]
            task.data, task.done = data, True
            if number == self._next or not self._in_order:
                return self._given_out(number)

    def _given_out(self, number):
        task = self._tasks.pop(number)
        if number == self._next:
            self._next += 1
        self._loads[task.worker] -= 1
        self._try_put_index()
        if isinstance(task.data, ExceptionWrapper):
            task.data.reraise()
        return task.data

    # ---- the end

    def _shutdown_workers(self):
        """End the workers: they stop when their channel closes, or else are stopped."""
        if self._shut_down or self._owner != os.getpid():
            return
        self._shut_down = True
        _RUNNING.discard(self)
        for channel in self._channels:
            channel.close()
        until = time.monotonic() + STATUS_CHECK_INTERVAL
        try:
            for worker in self._workers:
                worker.join(max(0.0, until - time.monotonic()))
        finally:
            for stop in ("terminate", "kill"):
                for worker in self._workers:
                    if worker.is_alive():
                        getattr(worker, stop)()
                        worker.join(STATUS_CHECK_INTERVAL)

    def __del__(self):
        self._shutdown_workers()


def _how_it_ended(worker):
    """torch's words about a process that has ended, as an error to be the cause of another."""
    code = worker.exitcode
    if code is not None and code < 0:
        return RuntimeError(f"DataLoader worker (pid {worker.pid}) is killed by signal: {signal.strsignal(-code)}. ")
    return RuntimeError(
        f"DataLoader worker (pid(s) {worker.pid}) exited unexpectedly with exit code {code}. Details are lost due to "
        "multiprocessing. Rerunning with num_workers=0 may give better error trace."
    )


_RUNNING = weakref.WeakSet()


@atexit.register
def _end_all():
    """When the program ends, so do the workers, before Python takes itself apart."""
    for iterator in list(_RUNNING):
        iterator._shutdown_workers()
