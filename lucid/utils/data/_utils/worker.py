"""Workers: what a dataset sees when it is read for worker i of n, and the random numbers that worker has to itself."""

import contextlib
import random
import threading
from dataclasses import dataclass

import numpy as np

from ...._array.random.engine import Engine
from ...._func.creation.generator import default_generator


@dataclass(frozen=True)
class WorkerInfo:
    """The worker that is running: its number, how many there are, its seed, and the dataset."""

    id: int
    num_workers: int
    seed: int
    dataset: object
    rng: object = None
    worker_method: str = "multiprocessing"


_current = threading.local()


def get_worker_info():
    """get_worker_info() -> WorkerInfo while a sample is read for a worker, else None."""
    return getattr(_current, "info", None)


def _generate_state(base_seed, worker_id):
    """The seed of numpy.random in a worker: four words, by numpy's own SeedSequence."""
    return np.random.SeedSequence([worker_id, base_seed & 0xFFFFFFFF, base_seed >> 32, 0]).generate_state(4).tolist()


class Worker:
    """One worker's world: inside `with worker.running()` the random states of torch, random and numpy are its own.

    A worker process of torch starts with these seeds; keeping its three states apart gives the numbers it would draw.
    """

    def __init__(self, worker_id, num_workers, base_seed, dataset):
        seed = base_seed + worker_id
        self.info = WorkerInfo(worker_id, num_workers, seed, dataset)
        self.engine = Engine(seed)
        self.python_state = random.Random(seed).getstate()
        self.numpy_state = np.random.RandomState(_generate_state(base_seed, worker_id)).get_state()

    @contextlib.contextmanager
    def running(self):
        """Be this worker for a while."""
        outer = default_generator._engine, random.getstate(), np.random.get_state(), get_worker_info()
        default_generator._engine = self.engine
        random.setstate(self.python_state)
        np.random.set_state(self.numpy_state)
        _current.info = self.info
        try:
            yield self
        finally:
            self.engine = default_generator._engine
            self.python_state, self.numpy_state = random.getstate(), np.random.get_state()
            default_generator._engine, _current.info = outer[0], outer[3]
            random.setstate(outer[1])
            np.random.set_state(outer[2])
