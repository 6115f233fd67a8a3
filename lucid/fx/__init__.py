"""torch.fx: programs as graphs of nodes that can be read, changed and run.

`symbolic_trace(module)` runs the module on proxies and gives a GraphModule: a Graph of Nodes, and the Python that is
written from it. Interpreter and Transformer go through a graph node by node, replace_pattern changes parts of it.
"""

import importlib

from . import immutable_collections
from ._symbolic_trace import PH, ProxyableClassMeta, Tracer, symbolic_trace, wrap
from .graph import CodeGen, Graph
from .graph_module import GraphModule
from .interpreter import Interpreter, Transformer
from .node import Node, has_side_effect, map_arg
from .proxy import Proxy
from .subgraph_rewriter import replace_pattern

__all__ = [
    "symbolic_trace",
    "Tracer",
    "wrap",
    "Graph",
    "GraphModule",
    "Interpreter",
    "Transformer",
    "Node",
    "Proxy",
    "replace_pattern",
    "has_side_effect",
    "map_arg",
    "CodeGen",
    "PH",
    "ProxyableClassMeta",
    "immutable_collections",
]

_LATER = {"_compatibility", "_utils", "config", "experimental", "operator_schemas", "passes", "tensor_type"}


def __getattr__(name):
    """Modules that load when they are first asked for."""
    if name in _LATER:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module 'torch.fx' has no attribute {name!r}")
