"""What AOTAutograd made of a graph, kept between processes: a hit neither traces nor cuts nor lowers.

    AotCache(options)(module, decompositions) -> cache, for aot_module_simplified(..., cache=)
    cache(inputs, static) -> Entry of the graph for inputs like these, or None where nothing can be kept
    entry.found(function) -> what runs in the place of the function, or None
    entry.keep(plan, forward, backward, may_alias)

An entry holds the Plan (what a call does besides running graphs) and the Made of both halves, so there is one only once
backward has run too.
"""

from .._backend.overrides import PLAIN
from .._codegen import build, targets
from .._functorch import config as functorch_config
from .._functorch.functionalization import View
from .._functorch.joint import Plan, Result, Write
from .._functorch.runtime import compiled
from .._tensor import pytree
from .._tensor.tensor import Tensor
from . import config, graph_cache
from .made import from_data
from .plain import NotPlain, facts, is_library, op_name, plain, value

_NESTS = {"tuple": tuple, "list": list, "dict": dict}


class AotCache:
    """The cache of graphs that are compiled with these options."""

    def __init__(self, options=None):
        self.options = options or {}

    def __call__(self, module, decompositions=None):
        def entry(inputs, static=()):
            with config.patch(self.options):
                return _entry(module, decompositions or {}, inputs, static)

        return entry


def _entry(module, decompositions, inputs, static):
    name = None
    if functorch_config.enable_autograd_cache:
        parts = lambda: [graph_cache.graph(module), _looks(inputs), list(static), _how(decompositions)]  # noqa: E731
        name = graph_cache.name("traced", parts)
    if name is None:
        graph_cache.count("aot_autograd", "autograd_cache_bypass")
        return None
    return Entry(name)


def _how(decompositions):
    """Settings of AOTAutograd's, and what is taken apart by which functions."""
    parts = [(op_name(op), f.__module__, f.__qualname__) for op, f in decompositions.items()]
    if not all(is_library(module) and "<" not in name for _, module, name in parts):
        raise NotPlain("decompositions of the program's own")
    return {n: plain(v) for n, v in functorch_config.get_config_copy().items()}, sorted(parts, key=repr)


def _looks(inputs):
    """What a trace sees of inputs; who is given twice."""
    first = {}
    rows = []
    for i, x in enumerate(inputs):
        if isinstance(x, Tensor) and (type(x) not in PLAIN or x._table.is_sparse or x._table.is_transform):
            raise NotPlain("an input of a class of its own")
        row = [facts(x), type(x).__name__, first.setdefault(id(x) if isinstance(x, Tensor) else -1 - i, i)]
        rows.append(row + [x.requires_grad, x.is_leaf, x._node is not None] if isinstance(x, Tensor) else row)
    return rows


class Entry:
    """A place for what is made of one graph, for inputs of one kind."""

    def __init__(self, name):
        self.name = name

    def found(self, function):
        """What runs in the place of `function`, as a process before this one made it; None where none did."""
        data = graph_cache.find(self.name)
        run = None
        if data is not None:
            try:
                halves = [None if half is None else from_data(half).load(_attributes) for half in data["halves"]]
                run = compiled(_plan(data["plan"]), *halves, function, data["may_alias"])
            except build.CompileError:
                pass  # the usual way says what is amiss
            except Exception:  # whatever is wrong with an entry, the graph is at hand
                pass
        graph_cache.count("aot_autograd", "autograd_cache_miss" if run is None else "autograd_cache_hit")
        return run

    def keep(self, plan, forward, backward, may_alias):
        """Keep what was made, where all of it can be told."""
        halves = [getattr(f, "made", None) for f in (forward, backward) if f is not None]
        try:
            if any(made is None or made.attributes or not _is_meant(made) for made in halves):
                raise NotPlain("a half that is no compiled graph")
            data = {
                "plan": _plan_data(plan),
                "halves": [*[made.data() for made in halves], None][:2],
                "may_alias": may_alias,
            }
        except NotPlain:
            return
        graph_cache.keep(self.name, data)
        graph_cache.count("aot_autograd", "autograd_cache_saved")


def _is_meant(made):
    """Is a graph written as it should be, and not as what there was instead when the compiler failed?"""
    wanted = targets.target(config.cpu_backend).name
    return made.target == ("numpy" if wanted == "c" and build.compiler() is None else wanted)


def _attributes(target):
    raise KeyError(target)


# ---- plans


def _plan_data(plan):
    results = [
        [r.kind, r.index, [_view_data(v) for v in r.chain], r.grad, plain(r.constant), r.inference]
        for r in plan.results
    ]
    return {
        "written": [list(w) for w in plan.written],
        "results": results,
        "structure": _structure_data(plan.structure),
        "wants": list(plan.wants),
        "live": list(plan.live),
        "strides": [plain(tuple(map(int, s))) for s in plan.strides],
    }


def _plan(data):
    results = [
        Result(kind, index, tuple([_view(v) for v in chain]), grad, value(constant), inference)
        for kind, index, chain, grad, constant, inference in data["results"]
    ]
    return Plan(
        tuple([Write(*w) for w in data["written"]]),
        tuple(results),
        _structure(data["structure"]),
        tuple(data["wants"]),
        tuple(data["live"]),
        tuple([value(s) for s in data["strides"]]),
    )


def _view_data(view):
    return [plain(view.target), plain(view.args), plain(view.kwargs), view.item]


def _view(data):
    target, args, kwargs, item = data
    return View(value(target), value(args), value(kwargs), None, item)


def _structure_data(spec):
    if spec.is_leaf():
        return None
    name = next((name for name, kind in _NESTS.items() if kind is spec.type), None)
    if name is None:
        raise NotPlain(f"a result of type {spec.type}")
    return [name, plain(spec.context), [_structure_data(s) for s in spec.children()]]


def _structure(data):
    if data is None:
        return pytree.treespec_leaf()
    name, context, children = data
    return pytree.TreeSpec(_NESTS[name], value(context), [_structure(c) for c in children])


__all__ = ["AotCache", "Entry"]
