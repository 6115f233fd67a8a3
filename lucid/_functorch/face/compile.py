"""functorch.compile: AOTAutograd and what goes with it."""

from ..._base.refused import refuse
from .. import config, partitioners
from ..aot_autograd import (
    aot_function,
    aot_module,
    aot_module_simplified,
    make_boxed_compiler,
    make_boxed_func,
    nop,
    print_compile,
)
from ..partitioners import default_partition

__all__ = [
    "aot_function",
    "aot_module",
    "aot_module_simplified",
    "config",
    "default_partition",
    "make_boxed_compiler",
    "make_boxed_func",
    "nop",
    "print_compile",
]

globals().update(
    refuse(
        "functorch.compile",
        "compiled_function compiled_module memory_efficient_fusion draw_graph minifier get_decompositions",
        "compilers and pictures of graphs",
    )
)


def __getattr__(name):
    if name == "min_cut_rematerialization_partition":
        return getattr(partitioners, name)
    raise AttributeError(f"module 'functorch.compile' has no attribute {name!r}")
