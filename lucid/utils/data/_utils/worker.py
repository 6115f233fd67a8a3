"""Workers: the process that reads a dataset for a DataLoader, and what the dataset sees there."""

import os
import random
from dataclasses import dataclass

import numpy as np

from ...._array.numpy.threads import set_pool_threads
from ...._base.state import switches
from ...._func.creation.generator import default_generator
from ...._utils import ExceptionWrapper
from .channel import Channel, Closed, close_inherited, encoded, wait

STATUS_CHECK_INTERVAL = 5.0


@dataclass(frozen=True)
class WorkerInfo:
    """The worker that is running: its number, how many there are, its seed, and the dataset."""

    id: int
    num_workers: int
    seed: int
    dataset: object
    rng: object = None
    worker_method: str = "multiprocessing"


_worker_info = None


def get_worker_info():
    """get_worker_info() -> WorkerInfo in a worker's process, None elsewhere."""
    return _worker_info


@dataclass(frozen=True)
class _IterableDatasetStopIteration:
    """What a worker answers when its stream is over."""

    worker_id: int


@dataclass(frozen=True)
class _ResumeIteration:
    """Asks a worker that goes on living for a new pass; the worker sends it back when it gets there."""

    seed: int | None = None


def _generate_state(base_seed, worker_id):
    """The seed of numpy.random in a worker: four words, by numpy's own SeedSequence."""
    return np.random.SeedSequence([worker_id, base_seed & 0xFFFFFFFF, base_seed >> 32, 0]).generate_state(4).tolist()


def _become(worker_id, num_workers, base_seed, dataset):
    """Take on a worker's random numbers and its WorkerInfo."""
    global _worker_info
    seed = base_seed + worker_id
    random.seed(seed)
    default_generator.manual_seed(seed)
    np.random.seed(_generate_state(base_seed, worker_id))
    _worker_info = WorkerInfo(worker_id, num_workers, seed, dataset)
    if getattr(dataset, "_is_stream_of_pipes", False):
        from ..graph_settings import share_among_workers

        share_among_workers(dataset, num_workers, worker_id)


def _next_message(channel, parent):
    """(number, index) of the DataLoader's next message; Closed when it has gone, even if its socket is still held."""
    while not wait([channel], STATUS_CHECK_INTERVAL):
        if os.getppid() != parent:
            raise Closed
    came = channel.receive()
    return came.number, came.data()


def _sendable(task, data, where):
    """What to send as the answer to a task: an answer that cannot be pickled becomes the error that says so."""
    try:
        return encoded(task, data)
    except Exception:
        if not isinstance(data, ExceptionWrapper):
            return _sendable(task, ExceptionWrapper(where=where), where)
    # The class of the exception is known in this process alone: send the nearest one that others know.
    for kind in data.exc_type.__mro__[1:]:
        data.exc_type = kind
        try:
            return encoded(task, data)
        except Exception:
            continue
    raise AssertionError("unreachable: object can be pickled")


def _worker_loop(make_fetcher, dataset, sock, forked, base_seed, init_fn, worker_id, num_workers):
    """The life of a worker: answers tasks until the DataLoader closes the channel."""
    where, parent, channel = f"in DataLoader worker process {worker_id}", os.getppid(), Channel(sock)
    try:
        if forked:
            close_inherited()
        switches.threads = 1  # set_num_threads(1): the processes share the cores
        set_pool_threads(1)
        _become(worker_id, num_workers, base_seed, dataset)
        init_error = fetcher = None
        try:
            if init_fn is not None:
                init_fn(worker_id)
            fetcher = make_fetcher(dataset)
        except Exception:
            init_error = ExceptionWrapper(where=where)
        ended = False
        while True:
            number, index = _next_message(channel, parent)
            if isinstance(number, _ResumeIteration):
                channel.send(*encoded(number, None))
                fetcher, ended = make_fetcher(dataset), False
                continue
            if ended:
                continue
            try:
                data = init_error or fetcher.fetch(index)
            except Exception as error:
                if isinstance(error, StopIteration) and make_fetcher.streams:
                    data, ended = _IterableDatasetStopIteration(worker_id), True
                else:
                    data = ExceptionWrapper(where=where)
            channel.send(*_sendable(number, data, where))
            del data, index
    except (KeyboardInterrupt, Closed):
        pass  # the DataLoader is interrupted, too, or has no more use for this process
