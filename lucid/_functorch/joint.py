"""Graphs of forward and backward together: a function traced below autograd, with what its gradients are computed of."""

from typing import NamedTuple

from .._subclasses.fake_tensor import FakeTensorMode
from .._tensor import pytree
from .._tensor.tensor import Tensor
from ..autograd import grad as gradients
from ..autograd.graph import get_gradient_edge
from ..fx.experimental.proxy_tensor import get_proxy_mode, make_fx
from ..fx.graph_module import GraphModule
from ..fx.node import map_arg
from .functionalization import functionalized


class Result(NamedTuple):
    """A leaf of what the function returns: "value" `index` of the graph's, a view of "input" `index`, or a constant."""

    kind: str
    index: int = None
    chain: tuple = ()  # the views that lead from the value or the input to the result
    constant: object = None


class Plan(NamedTuple):
    """What a traced function does besides computing: the graph returns new values of written inputs, then values."""

    results: tuple  # a Result for each leaf
    structure: object  # of what the function returns
    written: tuple  # the inputs that it writes
    live: tuple  # which of the graph's values have a gradient
    n_forward: int  # how many values the forward half returns


class Traced(NamedTuple):
    module: object  # of (primals, tangents), or of the inputs where nothing wants a gradient
    plan: Plan
    tangents: list  # fakes of the tangents
    boundary: object  # the last node of the forward half, by name


def fake_inputs(inputs):
    """The inputs as fake tensors of one mode."""
    mode = next((t.fake_mode for t in inputs if hasattr(t, "fake_mode")), None)
    mode = mode or FakeTensorMode(allow_non_fake_inputs=True)
    return [mode.from_tensor(t) if isinstance(t, Tensor) and not hasattr(t, "fake_mode") else t for t in inputs], mode


def _standing_in(fakes, wants):
    """Tensors for the function to work on: not leaves, so that it may write them, and with an edge for gradients."""
    stands, edges = [], []
    for t, wants_grad in zip(fakes, wants):
        if wants_grad:
            t = t.detach().requires_grad_().view_as(t)
            edges.append(get_gradient_edge(t))
        else:
            edges.append(None)
        stands.append(t)
    return stands, edges


def traced(function, inputs, decompositions=None, grad=True):
    """Traced of function(*inputs), a list of leaves; grad: with the gradients of inputs that require one."""
    fakes, mode = fake_inputs(inputs)
    wants = [grad and isinstance(t, Tensor) and t.requires_grad for t in inputs]
    with mode:
        stands, _ = _standing_in(fakes, wants)
        outputs = pytree.tree_leaves(function(*stands))
        live = [t for t in outputs if isinstance(t, Tensor) and t.requires_grad] if any(wants) else []
        live += [t for t, w in zip(stands, wants) if w and t._version and not any(t is o for o in live)]
        tangents = [t.detach().clone() for t in live]
    seen = {}

    def forward(primals):
        leaves, seen["structure"] = pytree.tree_flatten(function(*primals))
        return leaves

    def joint(primals, tangents):
        leaves = forward(primals)
        seen["boundary"] = next(reversed(get_proxy_mode().tracer.graph.nodes))
        outs = [t for t in leaves if isinstance(t, Tensor) and t.requires_grad]
        outs += [t for t, w in zip(primals, wants) if w and t._version and not any(t is o for o in outs)]
        found = iter(gradients(outs, [e for e in seen["edges"] if e is not None], tangents, allow_unused=True))
        return leaves, [next(found) if e is not None else None for e in seen["edges"]]

    with mode:
        stands, seen["edges"] = _standing_in(fakes, wants)
    if tangents:
        module = make_fx(joint, decompositions, "fake")(stands, tangents)
    else:
        module = make_fx(lambda *primals: (forward(primals), []), decompositions, "fake")(*stands)
    return seen, module, wants, tangents, map_arg, functionalized, GraphModule
