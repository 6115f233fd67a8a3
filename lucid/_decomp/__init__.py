"""torch._decomp: ops as simpler ones, for compilers.

Each room has the decompositions of one family, small functions of tensors that are registered for ATen's overloads;
registry.py has the tables, words.py what the rooms share.
"""

import importlib

from .registry import (
    _should_decompose_because_unsafe_op,
    core_aten_decompositions,
    get_decompositions,
    global_decomposition_table,
    load,
    meta_table,
    pre_autograd_decomposition_table,
    register_decomposition,
    remove_decompositions,
)

__all__ = [
    "_should_decompose_because_unsafe_op",
    "core_aten_decompositions",
    "decomposition_table",
    "get_decompositions",
    "meta_table",
    "pre_autograd_decomposition_table",
    "register_decomposition",
]


def __getattr__(name):
    if name == "decomposition_table":  # its rooms are imported when somebody asks for it
        load()
        return global_decomposition_table["post_autograd"]
    if name == "decompositions":
        return importlib.import_module(f"{__name__}.decompositions")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
