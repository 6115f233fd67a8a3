"""Ops, devices, targets and lowerings that a test declares, and that are gone when it is over."""

import contextlib
import copy

import lucid
from lucid._array import lookup
from lucid._backend import core
from lucid._base import device
from lucid._codegen import targets
from lucid._fusion import base as fusion
from lucid._inductor.lowerings import LOWERINGS

REGISTRIES = (
    LOWERINGS, core.OPS, core.FUNCTIONS, core.WORDS, core.NAMESPACES, fusion._fusion_table, core.PAIR_ENDS,
    lookup.MAKERS, lookup.LIBRARIES, device.RENAMED, targets.TARGETS, targets.DEVICES,
)  # fmt: skip


@contextlib.contextmanager
def declaring():
    """with declaring(): the registries are restored at the end."""
    before = [copy.copy(r) for r in REGISTRIES]
    homes = {place: dict(names) for place, names in core.NAMESPACES.items()}
    methods = dict(vars(lucid.Tensor))
    try:
        yield
    finally:
        for registry, old in zip(REGISTRIES, before):
            registry.clear()
            registry.update(old)
        for place, names in homes.items():
            core.NAMESPACES[place].clear()
            core.NAMESPACES[place].update(names)
        for name in set(vars(lucid.Tensor)) - set(methods):
            delattr(lucid.Tensor, name)
