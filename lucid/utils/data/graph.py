"""torch.utils.data.graph: the DataPipes that a DataPipe reads."""

import collections.abc
import warnings

from .datapipes.datapipe import IterDataPipe, MapDataPipe

DataPipe = IterDataPipe | MapDataPipe
DataPipeGraph = dict[int, tuple[DataPipe, "DataPipeGraph"]]
__all__ = ["traverse", "traverse_dps"]


def _read_by(thing, seen, found, depth=0):
    """The pipes that an attribute holds, in order."""
    if isinstance(thing, (IterDataPipe, MapDataPipe)):
        found.append(thing)
    elif id(thing) in seen or depth > 8:
        return
    elif isinstance(thing, (list, tuple, set, collections.abc.Mapping)):
        seen.add(id(thing))
        for part in thing.values() if isinstance(thing, collections.abc.Mapping) else thing:
            _read_by(part, seen, found, depth + 1)
    elif hasattr(thing, "pipe") and type(thing).__module__.partition(".")[0] in ("lucid", "torch"):
        _read_by(thing.pipe, seen, found, depth + 1)  # what several readers share


def traverse_dps(datapipe):
    """traverse_dps(pipe) -> {id: (pipe, the same of the pipes it reads)}"""
    return _traverse(datapipe, set())


def _traverse(datapipe, done):
    if id(datapipe) in done:
        return {}
    below, graph = [], {}
    for value in vars(datapipe).values():
        _read_by(value, set(), below)
    for pipe in below:
        graph.update(_traverse(pipe, done | {id(datapipe)}))
    return {id(datapipe): (datapipe, graph)}


def traverse(datapipe, only_datapipe=None):
    """traverse(pipe): the older name of traverse_dps"""
    warnings.warn(
        "`traverse` function and will be removed after 1.13. Please use `traverse_dps` instead.",
        FutureWarning,
        stacklevel=2,
    )
    return traverse_dps(datapipe)
