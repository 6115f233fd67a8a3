"""Compiled graphs kept on this machine between processes: what one process compiled, the next one only loads.

    name(kind, parts)   -> under which name something is kept, which says all that it depends on; None: not to be kept
    graph(module)       -> a graph as plain data (NotPlain where it has something that text cannot tell)
    find(name), keep(name, data), find_made(name), keep_made(name, made)
    listen(counters)    -> from now on hits and misses are counted there, as torch counts them

An entry is text in the private directory of _codegen/cache.py: the graph's Python, the text of its kernels (whose
library lies beside it), names of ops. It is found by the text of the graph, which says shapes, strides and types, and
by what else decides: lucid's own files, Python, numpy, the compiler and the processor, settings. A graph with something
of the program's own in it, such as an op that it declared, is compiled in every process.
"""

import functools
import hashlib
import json
import os
import sys

from .._base.state import defaults, local, switches
from .._codegen import build, store
from .._functorch import told
from .._tensor import pytree
from .._tensor.tensor import Tensor
from . import config
from .lowerings import LOWERINGS
from .made import from_data
from .plain import NotPlain, facts, is_library, plain, target_name

# What Dynamo tells of its own work, which is done as ever. Of what is not done nothing could be told.
_EARLIER = frozenset("graph_code graph guards recompiles graph_breaks bytecode segments".split())
_counters = None


def listen(counters):
    """listen({group: Counter}): hits and misses are counted there from now on."""
    global _counters
    _counters = counters


def count(group, event):
    """One more."""
    if _counters is not None:
        _counters[group][event] += 1


# ---- what everything depends on


@functools.lru_cache(None)
def _files():
    """The state of lucid's own files: another version, or one that is being worked on, compiles anew."""
    root, found = os.path.dirname(os.path.dirname(os.path.abspath(__file__))), []
    waiting = [root]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir() and entry.name != "__pycache__":
                    waiting.append(entry.path)
                elif entry.name.endswith((".py", ".txt")):
                    about = entry.stat()
                    found.append((entry.path[len(root) :], about.st_size, about.st_mtime_ns))
    return hashlib.sha256(repr(sorted(found)).encode()).hexdigest()


@functools.lru_cache(None)
def _machine():
    return [_files(), sys.version, sys.modules["numpy"].__version__, sys.byteorder, build.identity()]


def _settings():
    """Settings, defaults and tables that decide what is made of a graph."""
    chosen = {n: plain(v) for n, v in config.get_config_copy().items()}
    kept = {n: getattr(switches, n) for n in dir(switches) if n[0] != "_" and not n.endswith("threads")}
    lowerings = sorted([(name, f.__module__, f.__qualname__) for name, f in LOWERINGS.items()])
    if not all(is_library(module) for _, module, _ in lowerings):
        raise NotPlain("lowerings of the program's own")
    state = local.autocast
    autocast = [sorted(state.enabled), [(kind, plain(dtype)) for kind, dtype in state.dtypes]]
    return [
        chosen,
        kept,
        lowerings,
        autocast,
        plain(defaults.dtype),
        plain(defaults.device),
        local.grad,
        local.inference,
    ]


def _off():
    """Why nothing is to be kept just now, or None."""
    if not config.fx_graph_cache or config.force_disable_caches:
        return "it is switched off"
    if config.trace.enabled or told.WATCHERS or not _EARLIER.issuperset(told.wanted):
        return "somebody wants to see every stage"
    if local.dispatch_modes or local.interpreters or local.transforms or local.frames or local.saved_hooks:
        return "modes, transforms or hooks are on"
    return None


def name(kind, parts):
    """The name of an entry. parts: a function that gives plain data of the graph; NotPlain: then it is not kept."""
    why = _off()
    if why is None:
        try:
            text = json.dumps([kind, _machine(), _settings(), parts()])
            return hashlib.sha256(text.encode()).hexdigest()
        except (NotPlain, OSError, KeyError, TypeError, ValueError):
            pass
    return None


# ---- graphs


def graph(module):
    """Its nodes as plain data: what is called with what, and what the trace saw of the results."""
    numbers, rows = {}, []
    for node in module.graph.nodes:
        numbers[node] = len(rows)
        seen = [facts(x) for x in pytree.tree_leaves(node.meta.get("val")) if isinstance(x, Tensor)]
        if node.op in ("placeholder", "output"):
            target = None
        elif node.op == "get_attr":
            target = [node.target, facts(functools.reduce(getattr, node.target.split("."), module))]
        elif node.op == "call_module":
            raise NotPlain("a call of a module")
        else:
            target = target_name(node)
        rows.append([node.op, target, plain(node.args, numbers), plain(node.kwargs, numbers), seen])
    return rows


# ---- entries


def find(entry):
    """The plain data of an entry, or None."""
    content = store.get(entry)
    if content is None:
        return None
    try:
        return json.loads(content)
    except ValueError:
        return None


def keep(entry, data):
    """Keep plain data under a name; nothing where it cannot be written."""
    store.put(entry, json.dumps(data).encode())


def find_made(entry):
    """The Made of a graph that is kept under this name, or None."""
    if entry is None:
        count("inductor", "fxgraph_cache_bypass")
        return None
    try:
        found = from_data(find(entry))
    except Exception:  # whatever is wrong with an entry, the graph is at hand
        found = None
    count("inductor", "fxgraph_cache_miss" if found is None else "fxgraph_cache_hit")
    return found


def keep_made(entry, made):
    """Keep the Made of a graph, if all of it can be told."""
    if entry is not None:
        try:
            keep(entry, made.data())
        except NotPlain:
            pass


__all__ = ["count", "find", "find_made", "graph", "keep", "keep_made", "listen", "name"]
