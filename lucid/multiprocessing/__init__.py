"""torch.multiprocessing: Python's multiprocessing, with torch's few additions.

A tensor that is sent through a queue or a pipe, or given to a new process, moves to shared memory (what `share_memory_`
does) and is the same memory there.
"""

import multiprocessing
from multiprocessing import *  # noqa: F403

from .reductions import init_reductions
from .spawn import (
    ProcessContext,
    ProcessException,
    ProcessExitedException,
    ProcessRaisedException,
    SpawnContext,
    spawn,
    start_processes,
)

__all__ = [
    "ProcessContext",
    "ProcessException",
    "ProcessExitedException",
    "ProcessRaisedException",
    "SpawnContext",
    "get_all_sharing_strategies",
    "get_sharing_strategy",
    "set_sharing_strategy",
    "spawn",
    "start_processes",
]
__all__ += multiprocessing.__all__

_strategies = {"file_descriptor", "file_system"}
_strategy = ["file_descriptor"]


def set_sharing_strategy(new_strategy):
    """set_sharing_strategy("file_descriptor" | "file_system"): kept to be told back."""
    if new_strategy not in _strategies:
        raise AssertionError(f"{new_strategy!r} is not one of {sorted(_strategies)}")
    _strategy[0] = new_strategy


def get_sharing_strategy():
    """get_sharing_strategy() -> str"""
    return _strategy[0]


def get_all_sharing_strategies():
    """get_all_sharing_strategies() -> set of str"""
    return set(_strategies)


def _supports_context():
    return True


init_reductions()
