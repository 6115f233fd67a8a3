"""Graphs below autograd: a function traced as ATen calls without writes, alone or with its gradients."""

from typing import NamedTuple

from .._aten.overloads import OpOverload, aten
from .._backend.autocast import UNSET, set_state
from .._backend.graph import Output
from .._base.state import local
from .._modes.steps import ended_on_error
from .._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from .._tensor import pytree
from .._tensor.tensor import Tensor
from ..autograd import grad as gradients
from ..autograd.function import FunctionNode
from ..autograd.grad_mode import no_grad, set_grad_enabled
from ..autograd.graph import get_gradient_edge
from ..fx.experimental.proxy_tensor import ProxyTorchDispatchMode, PythonKeyTracer, snapshot
from ..fx.graph import Graph
from ..fx.graph_module import GraphModule
from ..fx.proxy import Proxy
from ..nn.modules.module import Module
from .functionalization import Alias, Functionalized, View
from .inverses import Unsupported
from .pure_forms import functional_form


class Result(NamedTuple):
    """A leaf of what a function returns: "value" `index` of the graph, a view of "input" `index`, or a "constant"."""

    kind: str
    index: int = None
    chain: tuple = ()  # the views that lead from the value or the input to the result
    grad: object = True  # False: it is made outside of the graph of gradients; "leaf": and then asks for one itself
    constant: object = None
    inference: bool = False  # is it made under inference_mode?


class Write(NamedTuple):
    """The first of the graph's values are those of written inputs, unless the graph writes them itself."""

    place: int  # of the input
    recorded: bool  # or written under no_grad
    in_graph: bool = False


class Plan(NamedTuple):
    """What a call does besides running graphs. The graph returns new values of written inputs, then other values."""

    written: tuple  # a Write for each input that is written
    results: tuple  # a Result for each leaf of the result
    structure: object  # of the result
    wants: tuple  # does each input want a gradient?
    live: tuple  # does each of the graph's values have one?
    strides: tuple = ()  # of the tangents, as the backward graph was traced with them


class Traced(NamedTuple):
    """A graph of a function: of (primals, tangents) where there is something to differentiate, else of the inputs."""

    module: object
    plan: Plan
    inputs: list  # fakes of them
    tangents: list


def fake_inputs(inputs):
    """(the inputs as fake tensors, their mode)"""
    mode = next((t.fake_mode for t in inputs if isinstance(t, FakeTensor)), None) or FakeTensorMode()
    return [mode.from_tensor(t) if isinstance(t, Tensor) else t for t in inputs], mode


class Table(dict):
    """Decompositions, also for in-place ops: by what the table has for the op that writes nothing."""

    def get(self, func, default=None):
        """The function for an overload."""
        found = dict.get(self, func)
        if found is None and isinstance(func, OpOverload) and func._schema.is_mutable and func._opname.endswith("_"):
            plain = dict.get(self, functional_form(func))
            found = None if plain is None else _written(plain)
        return default if found is None else found


def _written(function):
    def run(self, *args, **kwargs):
        got = function(self, *args, **kwargs)
        return got if got is NotImplemented else self.copy_(got)

    return run


class Tracing:
    """A function's run on fake tensors, noted as a graph from which writes are taken out as it grows."""

    def __init__(self, inputs, decompositions, grad, copied=(), named="primals"):
        self.grad, self.copied = grad, copied
        self.fakes, self.mode = fake_inputs(inputs)
        self.wants = tuple([bool(grad and isinstance(t, Tensor) and t.requires_grad) for t in inputs])
        self.tracer = PythonKeyTracer()
        self.tracer.root, self.tracer.tensor_attrs = Module(), {}
        self.tracer.graph = Graph(tracer_cls=PythonKeyTracer)
        table = Table(decompositions or {})
        self.proxies = ProxyTorchDispatchMode(self.tracer, "fake", table, error_on_data_dependent_ops=False)
        self.proxies.takes_apart = True
        self.made = Functionalized(self.tracer.graph, self.tracer.root)
        joint = any(self.wants) and named == "primals"
        name, first = ("primals_{}", 1) if joint else ("arg{}_1", 0)
        self.stands = [self._stand(t, real, want) for t, real, want in zip(self.fakes, inputs, self.wants)]
        self.holes = [self.hole(name.format(i), t) for i, t in enumerate(self.stands, first)]
        self.edges = [_edge(t) for t in self.stands]
        self.given = [self._copy(i) if i in copied else t for i, t in enumerate(self.stands)]
        self.before = [_facts(t) for t in self.given]
        self.began = [_edge(t) for t in self.given]  # where the inputs are in the graph before anything is done

    def _stand(self, fake, real, want):
        """What the function is given for an input: a leaf or the end of a history, as the input is."""
        if not isinstance(fake, Tensor):
            return fake
        with no_grad():
            stand = fake.detach()
        if want:
            stand.requires_grad_()
            if not real.is_leaf:
                with set_grad_enabled(True):
                    stand = stand.clone()
        return stand

    def _copy(self, i):
        """A copy for the function to write into, as torch's graphs have it."""
        copy = self.run(lambda: self.stands[i].clone())
        self.alias(copy).storage.origin = self.holes[i]
        return copy

    def hole(self, name, value, after=None):
        """The placeholder of a value."""
        old, new = self.tracer.graph, self.made.new
        if after is None:
            node = old.placeholder(name)
            self._note(node, value)
            self.made.hole(node)
            return node
        with old.inserting_after(after):
            node = old.placeholder(name)
        self._note(node, value)
        with new.inserting_after(self.made.env[after].node):
            self.made.hole(node)
        return node

    def _note(self, node, value):
        node.meta["val"] = value
        if isinstance(value, Tensor):
            node.meta["val"] = snapshot(value)
            self.tracer.track(value, Proxy(node, self.tracer))

    def run(self, function, *args):
        """function(*args), noted."""
        with set_grad_enabled(self.grad), self.mode, self.proxies, ended_on_error():
            return function(*args)

    def alias(self, value):
        """The Alias of a tensor, or None for one that is no single value of the graph."""
        node = self.tracer.create_arg(value)
        self.advance()
        found = self.made.env[node]
        return found if isinstance(found, Alias) else None

    def advance(self):
        """Let the new graph have what the old one has gained."""
        with no_grad():
            self.made.advance()

    def node(self, alias):
        """The new graph's node of an Alias."""
        with no_grad():
            return self.made.current(alias)

    def tensor_of(self, storage):
        """The tensor that is a whole storage."""
        for tensor, proxy in self.tracer.tracked.values():
            found = self.made.env.get(proxy.node)
            if isinstance(found, Alias) and found.storage is storage and not found.chain:
                return tensor
        raise Unsupported("results that share the memory of a tensor which is not there any more")


def _edge(t):
    return get_gradient_edge(t) if isinstance(t, Tensor) and t.requires_grad else None


def _facts(t):
    """What of an input a function must leave as it is."""
    if not isinstance(t, Tensor):
        return None
    return tuple(t.shape), t.stride(), t.storage_offset(), t.dtype, t.requires_grad and t.is_leaf


class Outline:
    """What a traced function leaves behind: the values that its graph is to give, and a Plan of the rest."""

    def __init__(self, tracing, got):
        self.tracing, self.values, self.tensors = tracing, [], []  # nodes; the tensors that they stand for
        self.live = []
        tracing.advance()  # to the writes at the end, after which nothing may be given
        leaves, self.structure = pytree.tree_flatten(got)
        tracing.advance()  # also writes that no result asks for
        aliases = [tracing.alias(t) if isinstance(t, Tensor) else None for t in leaves]
        self.written = tuple(self._written())
        self.of_storage = {}
        self.results = tuple([self._result(leaf, alias, aliases) for leaf, alias in zip(leaves, aliases)])
        made = [isinstance(t, Tensor) and t.is_inference() for t in leaves]
        self.results = tuple([r._replace(inference=i and r.kind == "value") for r, i in zip(self.results, made)])

    def plan(self):
        """The Plan."""
        wants = self.tracing.wants
        return Plan(self.written, self.results, self.structure, wants, tuple(self.live) if any(wants) else ())

    def _add(self, node, tensor, live):
        self.values.append(node)
        self.tensors.append(tensor)
        self.live.append(bool(live))
        return len(self.values) - 1

    def _written(self):
        """A Write for each input that was written."""
        tracing = self.tracing
        for i, given in enumerate(tracing.given):
            if _facts(given) != tracing.before[i]:
                raise Unsupported("an input gets another shape or type, or asks for a gradient")
            alias = tracing.alias(given) if i in tracing.copied else tracing.made.env[tracing.holes[i]]
            if not alias.storage.version:
                continue
            before, now = tracing.began[i], _edge(given)
            recorded = now is not None and (
                before is None or (now.node, now.output_nr) != (before.node, before.output_nr)
            )
            self._add(tracing.node(alias), given, recorded)
            yield Write(i, recorded)

    def _result(self, leaf, alias, aliases):
        if not isinstance(leaf, Tensor):
            return Result("constant", constant=leaf)
        if alias is None:
            raise Unsupported("a result that is several tensors")
        tracing, storage, chain = self.tracing, alias.storage, alias.chain
        grad = "leaf" if leaf.requires_grad and leaf.is_leaf else leaf.requires_grad
        origin = storage.origin
        if origin is not None:
            place = tracing.holes.index(origin)
            if leaf is tracing.given[place]:
                return Result("input", place)
            if not self._is_custom(leaf, place):
                return Result("input", place, chain or _SAME, grad)
        shared = [a for a in aliases if a is not None and a.storage is storage]
        if len(shared) < 2 or origin is not None or all(a is alias and not a.chain for a in shared):
            key = id(leaf)
            if key not in self.of_storage:
                self.of_storage[key] = self._add(tracing.node(alias), leaf, grad is True)
            return Result("value", self.of_storage[key], (), grad)
        if storage not in self.of_storage:
            whole = tracing.tensor_of(storage)
            self.of_storage[storage] = self._add(storage.base, whole, whole.requires_grad and not whole.is_leaf)
        return Result("value", self.of_storage[storage], chain, grad)

    def _is_custom(self, leaf, place):
        """Is a view of an input one whose gradient is not that of the view: a Function's, or one with hooks?"""
        edge, node = self.tracing.began[place], leaf._node
        while node is not None:
            node = node.node if node.__class__ is Output else node
            if edge is not None and node is edge.node:
                return False
            if isinstance(node, FunctionNode) or node.tensor_hooks or node.hooks or node.prehooks:
                return True
            node = next((e for e in node.edges if e is not None), None)
        return False


_SAME = (View(aten("alias"), (), {}, None),)


def traced(function, inputs, decompositions=None, grad=True, loss=None):
    """Traced of function(*inputs), a list of leaves; grad: with gradients for the inputs that require one, of the
    result number `loss` where that is given."""
    named = "primals" if loss is None else "arg"
    tracing = Tracing(inputs, decompositions, grad, named=named)
    outline = Outline(tracing, tracing.run(function, *tracing.given))
    copied = {w.place for w in outline.written if tracing.wants[w.place]}
    if copied:
        tracing = Tracing(inputs, decompositions, grad, copied, named)
        outline = Outline(tracing, tracing.run(function, *tracing.given))
    plan, made = outline.plan(), tracing.made
    if not any(tracing.wants):
        if any(isinstance(t, Tensor) and t.requires_grad and not t.is_leaf for t in outline.tensors):
            raise Unsupported("a result whose gradient goes to a tensor that is no input")
        made.new.output(tuple(outline.values))
        return Traced(_module(tracing), plan, tracing.fakes, [])
    for node in made.new.nodes:
        node.meta["partitioner_tag"] = "is_forward"
    tangents, found = _backward(tracing, outline) if loss is None else ([], _of_loss(tracing, outline, loss))
    made.new.output([*outline.values, *found])
    plan = plan._replace(strides=tuple([t.stride() for t in tangents]))
    return Traced(_module(tracing), plan, tracing.fakes, tangents)


def _backward(tracing, outline):
    """(tangents, the nodes of the inputs' gradients or None)"""
    live = [t for t, one in zip(outline.tensors, outline.live) if one]
    tangents, after = [], tracing.holes[-1]
    for i, t in enumerate(live, 1):
        tangents.append(_tangent(tracing, t))
        after = tracing.hole(f"tangents_{i}", tangents[-1], after)
    return tangents, _gradients(tracing, live, tangents)


def _of_loss(tracing, outline, loss):
    """The nodes of the gradients of one result."""
    result = outline.results[loss]
    if result.kind != "value" or outline.tensors[result.index].dim() or sum(outline.live) != 1:
        raise RuntimeError(
            "Found an output of the forward that requires gradients, that was not the scalar loss. We require all "
            "outputs to the forward that are not the scalar loss to not require gradient, and the loss to be a scalar."
        )
    return _gradients(tracing, [outline.tensors[result.index]], None)


def _gradients(tracing, live, tangents):
    """The nodes of the inputs' gradients, or None."""
    edges = [e for e in tracing.edges if e is not None]
    before = local.autocast
    set_state(UNSET)
    try:
        got = tracing.run(lambda: gradients(live, edges, tangents, allow_unused=True)) if live else [None] * len(edges)
    finally:
        set_state(before)
    aliases = [None if g is None else tracing.alias(g) for g in got]
    found = iter([None if a is None else tracing.node(a) for a in aliases])
    return [next(found) if want else None for want in tracing.wants]


def _tangent(tracing, t):
    """What a gradient of t looks like: as t does, if t fills its memory."""
    with no_grad(), tracing.mode:
        return t.detach().clone()


def _draws(node):
    """Does a node draw random numbers?"""
    return isinstance(node.target, OpOverload) and "nondeterministic_seeded" in node.target._tags


def _module(tracing):
    """The new graph as a module, without what nobody needs."""
    graph, joint = tracing.made.new, any(tracing.wants)
    for node in graph.nodes:
        if _draws(node) and joint and "partitioner_tag" not in node.meta:
            raise Unsupported("random numbers that are drawn in backward")
    drawn = sum(map(_draws, graph.nodes))
    graph.eliminate_dead_code(lambda n: n.op in ("placeholder", "output"))
    if sum(map(_draws, graph.nodes)) < drawn:
        raise Unsupported("random numbers that nobody uses")
    return GraphModule(tracing.tracer.root, graph)
