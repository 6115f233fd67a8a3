"""torch.utils.data.graph_settings: seeds, shuffling and sharding of all pipes of a chain."""

import inspect
import warnings

from ..._backend.registry import NAMESPACES
from ..._base.dtype import DTYPES
from .graph import traverse_dps

__all__ = [
    "apply_random_seed",
    "apply_sharding",
    "apply_shuffle_seed",
    "apply_shuffle_settings",
    "get_all_graph_pipes",
]
_MULTIPROCESSING = 3  # iter.order.SHARDING_PRIORITIES


def get_all_graph_pipes(graph):
    """get_all_graph_pipes(graph) -> list of pipes, each once"""
    return _pipes(graph, set())


def _pipes(graph, seen):
    found = []
    for number, (pipe, below) in graph.items():
        if number not in seen:
            seen.add(number)
            found += [pipe, *_pipes(below, seen)]
    return found


def _has(pipe, *names):
    return all(inspect.ismethod(getattr(pipe, name, None)) for name in names)


def apply_sharding(datapipe, num_of_instances, instance_id, sharding_group=1):
    """apply_sharding(pipe, n, i, group=DEFAULT) -> pipe, whose sharding filters pass every n-th element from i on"""

    def apply(graph, above):
        for pipe, below in graph.values():
            applied = above
            if _has(pipe, "apply_sharding"):
                if above is not None:
                    raise RuntimeError(
                        "Sharding twice on a single pipeline is likely unintended and will cause data loss. "
                        f"Sharding already applied to {above} while trying to apply to {pipe}"
                    )
                if len(inspect.signature(pipe.apply_sharding).parameters) < 3:
                    pipe.apply_sharding(num_of_instances, instance_id)
                else:
                    pipe.apply_sharding(num_of_instances, instance_id, sharding_group=sharding_group)
                applied = pipe
            apply(below, applied)

    apply(traverse_dps(datapipe), None)
    return datapipe


def share_among_workers(datapipe, count, own):
    """Let a worker's pipe give its share of the elements."""
    return apply_sharding(datapipe, count, own, _MULTIPROCESSING)


def apply_shuffle_settings(datapipe, shuffle=None):
    """apply_shuffle_settings(pipe, shuffle=None) -> pipe, its shufflers on or off; one more at the end if there is
    none"""
    if shuffle is None:
        return datapipe
    shufflers = [p for p in get_all_graph_pipes(traverse_dps(datapipe)) if _has(p, "set_shuffle", "set_seed")]
    if not shufflers and shuffle:
        warnings.warn(
            "`shuffle=True` was set, but the datapipe does not contain a `Shuffler`. Adding one at the end. "
            "Be aware that the default buffer size might not be sufficient for your task.",
            stacklevel=2,
        )
        datapipe = datapipe.shuffle()
        shufflers = [datapipe]
    for shuffler in shufflers:
        shuffler.set_shuffle(shuffle)
    return datapipe


def apply_random_seed(datapipe, rng):
    """apply_random_seed(pipe, generator) -> pipe, each of whose random pipes has a seed of the generator's"""
    for pipe in get_all_graph_pipes(traverse_dps(datapipe)):
        if _has(pipe, "set_seed"):
            pipe.set_seed(int(NAMESPACES["torch"]["empty"]((), dtype=DTYPES["int64"]).random_(generator=rng).item()))
    return datapipe


def apply_shuffle_seed(datapipe, rng):
    """apply_shuffle_seed(pipe, generator): the older name of apply_random_seed"""
    warnings.warn(
        "`apply_shuffle_seed` is deprecated since 1.12 and will be removed in the future releases. Please use "
        "`apply_random_seed` instead.",
        FutureWarning,
        stacklevel=2,
    )
    return apply_random_seed(datapipe, rng)
