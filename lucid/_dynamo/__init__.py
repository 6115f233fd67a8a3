"""torch._dynamo: graphs from Python code. A function is read when it is called, instruction by instruction.

decode.py evens out bytecode, machine.py runs it with real.py's meanings or reads it with tracer.py's, recorder.py makes
the graph, segment.py writes what was read as one function, compiled.py finds the segment that fits a call.
"""

from .._base.garbage import Loading
from .._base.state import is_compiling
from .._tensor.tensor import Tensor

_loading = Loading()

from . import backends, checkpoints, config, exc, external_utils, functions, higher_order, testing, transforms, utils
from .backends import list_backends, lookup_backend, register_backend
from .compiled import reset
from .eval_frame import OptimizedModule, disable, explain, graph_break, optimize
from .utils import counters

__all__ = [
    "allow_in_graph", "assume_constant_result", "config", "disable", "disallow_in_graph", "exc", "explain", "export",
    "forbid_in_graph", "graph_break", "is_compiling", "list_backends", "lookup_backend", "mark_dynamic", "mark_static",
    "mark_static_address", "maybe_mark_dynamic", "optimize", "OptimizedModule", "register_backend", "reset", "run",
]  # fmt: skip


def allow_in_graph(fn):
    """allow_in_graph(fn) -> fn (or a list of them), a call of which is one node of a graph."""
    for f in fn if isinstance(fn, (list, tuple)) else (fn,):
        if not callable(f):
            raise AssertionError("allow_in_graph expects a callable")
        rules.ALLOWED.add(f)
    return fn


def disallow_in_graph(fn):
    """disallow_in_graph(fn) -> fn (or a list of them), at a call of which a graph ends."""
    for f in fn if isinstance(fn, (list, tuple)) else (fn,):
        rules.DISALLOWED.add(f)
    return fn


forbid_in_graph = disallow_in_graph


def assume_constant_result(fn):
    """assume_constant_result(fn) -> fn, which is called while a program is read; its result is a constant then."""
    fn._dynamo_marked_constant = True
    return fn


def run(fn=None):
    """run(fn) -> fn"""
    return (lambda f: f) if fn is None else fn


def mark_dynamic(t, index, **kwargs):
    """mark_dynamic(tensor, dim): the size of that dimension is expected to differ from call to call."""
    dims = index if isinstance(index, (list, tuple)) else (index,)
    t._dynamo_dynamic_indices = {*getattr(t, "_dynamo_dynamic_indices", ()), *dims}


maybe_mark_dynamic = mark_dynamic


def mark_static(t, index=None):
    """mark_static(tensor, dim=None): the size of that dimension (or all) is expected to stay."""
    if isinstance(t, Tensor):
        dims = range(t.dim()) if index is None else index if isinstance(index, (list, tuple)) else (index,)
        t._dynamo_static_indices = {*getattr(t, "_dynamo_static_indices", ()), *dims}


def mark_static_address(t, guard=False):
    """mark_static_address(tensor): noted on the tensor; TypeError for anything else."""
    if not isinstance(t, Tensor):
        raise TypeError(f"mark_static_address expects a tensor but received {type(t)}")
    t._dynamo_static_input_type = "guarded" if guard else "unguarded"


def export(f, *args, **kwargs):
    """export(f): NotImplementedError."""
    raise NotImplementedError("torch._dynamo.export: lucid has no export yet")


from . import rules  # noqa: E402

_loading.done()
