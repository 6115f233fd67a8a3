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
from ..partitioners import default_partition, min_cut_rematerialization_partition
from ..told import get_aot_compilation_context, get_aot_graph_name, get_graph_being_compiled

__all__ = [
    "aot_function",
    "aot_module",
    "aot_module_simplified",
    "compiled_function",
    "compiled_module",
    "config",
    "default_partition",
    "get_aot_compilation_context",
    "get_aot_graph_name",
    "get_graph_being_compiled",
    "make_boxed_compiler",
    "make_boxed_func",
    "min_cut_rematerialization_partition",
    "nop",
    "partitioners",
    "print_compile",
]

compiled_function, compiled_module = aot_function, aot_module

globals().update(
    refuse(
        "functorch.compile",
        """debug_compile default_decompositions draw_graph draw_graph_compile memory_efficient_fusion minifier
        nnc_jit pythonkey_decompose ts_compile""",
        "TorchScript and pictures of graphs",
    )
)
