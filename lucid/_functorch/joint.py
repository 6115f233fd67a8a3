"""Graphs below autograd: a function traced as ATen calls without writes, alone or with what its gradients are made of."""

from typing import NamedTuple

from .._aten.overloads import OpOverload
from ..autograd.grad_mode import no_grad
from .._subclasses.fake_tensor import FakeTensorMode
from .._tensor import pytree
from .._tensor.tensor import Tensor
from ..autograd import grad as gradients
from ..autograd.graph import get_gradient_edge
from ..fx.experimental.proxy_tensor import get_proxy_mode, make_fx
from ..fx.graph_module import GraphModule
from ..fx.interpreter import Interpreter
from .functionalization import Functionalized


class Result(NamedTuple):
    """A leaf of what the function returns: "value" `index` of the graph's, a view of "input" `index`, or a "constant"."""

    kind: str
    index: int = None
    chain: tuple = ()  # the views that lead from the value or the input to the result
    constant: object = None


class Plan(NamedTuple):
    """What a call does besides running graphs. The graph returns new values of written inputs, then other values."""

    written: tuple  # places of the inputs that are written
    results: tuple  # a Result for each leaf of the result
    structure: object  # of the result
    wants: tuple  # does each input want a gradient?
    live: tuple  # does each of the graph's values have one?


class Traced(NamedTuple):
    """A graph of a function: of (primals, tangents) where there is something to differentiate, else of the inputs."""

    module: object
    plan: Plan
    tangents: list  # fakes of them
    boundary: str = None  # name of the last node of the forward half


def fake_inputs(inputs):
    """(the inputs as fake tensors, their mode)"""
    mode = next((t.fake_mode for t in inputs if hasattr(t, "fake_mode")), None)
    mode = mode or FakeTensorMode(allow_non_fake_inputs=True)
    return [mode.from_tensor(t) if isinstance(t, Tensor) and not hasattr(t, "fake_mode") else t for t in inputs], mode


def traced(function, inputs, decompositions=None, grad=True):
    """Traced of function(*inputs), a list of leaves; grad: with gradients for the inputs that require one."""
    fakes, mode = fake_inputs(inputs)
    plain = [t.detach() if isinstance(t, Tensor) else t for t in fakes]
    seen = {}

    def flat(*args):
        leaves, seen["structure"] = pytree.tree_flatten(function(*args))
        return leaves

    with no_grad():
        first = make_fx(flat, decompositions, "fake")(*plain)
    written, results, module = _without_writes(first, plain)
    wants = tuple([bool(grad and isinstance(t, Tensor) and t.requires_grad) for t in inputs])
    plan = Plan(written, results, seen["structure"], wants, ())
    if not any(wants):
        return Traced(module, plan, [])
    writes = any(isinstance(n.target, OpOverload) and n.target._schema.is_mutable for n in first.graph.nodes)
    body = Interpreter(module).run if writes else _values(flat, written, results)
    return _with_gradients(body, fakes, mode, plan, decompositions)


def _values(flat, written, results):
    """flat, as a function that gives the graph's values only."""

    def run(*args):
        leaves = flat(*args)
        places = {r.index: leaf for r, leaf in zip(results, leaves) if r.kind == "value" and not r.chain}
        return [places[i] for i in sorted(places)]

    return run


def _without_writes(first, inputs):
    """(inputs that are written, Results, module of the values) of a traced graph."""
    made = Functionalized(first.graph, first)
    graph, env = made.new, made.env
    output = next(n for n in first.graph.nodes if n.op == "output")
    holes = [n for n in first.graph.nodes if n.op == "placeholder"]
    places = {n: i for i, n in enumerate(holes)}
    written = tuple([i for i, n in enumerate(holes) if env[n].storage.version])
    values, results, of_storage = [env[holes[i]].storage.base for i in written], [], {}
    for leaf in pytree.tree_leaves(output.args[0]):
        alias = env.get(leaf) if hasattr(leaf, "op") else None
        if alias is None or isinstance(alias, list):
            results.append(Result("constant", constant=leaf))
        elif alias.storage.origin is not None:
            results.append(Result("input", places[alias.storage.origin], alias.chain))
        else:
            storage = alias.storage
            shared = sum(env.get(o) is not None and not isinstance(env.get(o), list) and env[o].storage is storage
                         for o in {n for n in pytree.tree_leaves(output.args[0]) if hasattr(n, "op")}) > 1  # fmt: skip
            if not shared:
                results.append(Result("value", len(values)))
                values.append(made.current(alias))
                continue
            if storage not in of_storage:
                of_storage[storage] = len(values)
                values.append(storage.base)
            results.append(Result("value", of_storage[storage], alias.chain))
    graph.output(values)
    graph.eliminate_dead_code()
    return written, tuple(results), GraphModule(first, graph)


def _with_gradients(body, fakes, mode, plan, decompositions):
    """The joint graph of a function that writes nothing."""
    with mode:
        stands = [t.detach().requires_grad_(t.requires_grad) if isinstance(t, Tensor) else t for t in fakes]
        values = body(*stands)
    live = tuple([isinstance(v, Tensor) and v.requires_grad for v in values])
    tangents = [v.detach() for v, one in zip(values, live) if one]
    seen = {}

    def joint(primals, tangents):
        edges = [get_gradient_edge(p) for p, w in zip(primals, plan.wants) if w]
        values = body(*primals)
        seen["boundary"] = next(reversed(get_proxy_mode().tracer.graph.nodes)).name
        outs = [v for v, one in zip(values, live) if one]
        found = iter(gradients(outs, edges, tangents, allow_unused=True))
        return [*values, *[next(found) if w else None for w in plan.wants]]

    with mode:
        stands = [t.detach().requires_grad_(w) if isinstance(t, Tensor) else t for t, w in zip(fakes, plan.wants)]
    module = make_fx(joint, decompositions, "fake")(stands, tangents)
    return Traced(module, plan._replace(live=live), tangents, seen["boundary"])
