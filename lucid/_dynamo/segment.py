"""A segment: a stretch of a function that was read, as one Python function: conditions, graph, values, changes.

    def segment(L, S):           # the frame's locals and stack
        v0 = L['x']
        if not (type(v0) is Tensor and ...): return MISS
        graph_out = graph(v0)
        return graph_out[0]

Where sizes are symbolic it also asks whether it was seen to be right for these: `if key not in seen: return
Unproved(key)`. Then the stretch is read again; if the same is written, it holds for these sizes, and no size is ever
taken for granted.
"""

import itertools
import operator

from .. import fx
from .._base.device import device
from .._base.shape import Size
from .._base.state import local, set_grad_enabled
from .._base.symbolic import SymFloat
from .._modes.steps import BEGINNINGS
from .._tensor.tensor import Tensor
from ..autograd.grad_mode import _set_grad_enabled
from ..nn.modules.module import Module
from .contexts import KINDS, back, leave, reopen
from .drawing import tensor_of
from .exc import Again
from .guards import Guard
from .rebuild import Writer
from .recorder import drop_switches
from .source import Constants, Reader

MISS = object()


_numbers = itertools.count()
MOST_SIZES = 10_000


class Unproved:
    """What a segment gives for sizes that it was not read with."""

    __slots__ = ("key",)

    def __init__(self, key):
        self.key = key


class Draft:
    """What was written, before a backend has the graph. count: how many instructions were read; inputs: examples."""

    def __init__(self, text, constants, module, inputs, tracer):
        self.text, self.constants, self.module, self.inputs = text, constants, module, inputs
        self.guards, self.chosen = tracer.guards, tracer.recorder.symbols.chosen

    def same(self, other):
        """Do two drafts, of other sizes, say the same?"""
        if type(other) is not Draft or self.text != other.text or (self.module is None) != (other.module is None):
            return False
        mine, its = self.constants, other.constants
        if list(mine) != list(its) or not all(_alike(mine[name], its[name]) for name in mine):
            return False
        return self.module is None or _all_of(self.module) == _all_of(other.module)

    def segment(self, settings, at, done, reason):
        """The Segment, its graph compiled as it will run: in no context, gradients recorded as when the frame began."""
        graph = None
        if self.module is not None:
            began, grad, _, _ = leave(*self.outside)
            try:
                graph = settings.compile_graph(self.module, self.inputs)
            finally:
                reopen(began, grad)
        self.inputs = None  # which nobody is to keep alive
        return Segment(self, graph, at, done, reason)


def _all_of(module):
    """The graphs of a module and of all it holds, and which tensors it holds."""
    graphs = [(name, str(m.graph)) for name, m in module.named_modules() if isinstance(m, fx.GraphModule)]
    held = [*vars(module).items(), *module.named_parameters(), *module.named_buffers()]
    return graphs, [(name, id(t)) for name, t in held if isinstance(t, Tensor)]


def _alike(a, b):
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if type(a) in (list, tuple):
        return len(a) == len(b) and all(map(_alike, a, b))
    if isinstance(a, (float, complex)):
        return repr(a) == repr(b)  # 0.0 is no -0.0
    return isinstance(a, (int, str, bytes, Size, slice, range, device, frozenset)) and a == b


class Segment:
    """run(locals, stack) -> the result, (locals, stack) to go on with, MISS, or Unproved."""

    def __init__(self, draft, graph, at, done, reason):
        self.draft, self.at, self.done, self.reason = draft, at, done, reason
        self.stopped = draft.stopped  # what ended its reading
        self.rest = draft.rest  # does the rest of the function run as Python?
        self.seen, self.refused = set(), set()
        scope = {**draft.constants, "MISS": MISS, "Unproved": Unproved, "seen": self.seen, "graph": graph}
        exec(compile(draft.text, f"<segment {next(_numbers)}>", "exec"), scope)
        self.run = scope["segment"]

    def misfit(self, L, S):
        """Why it does not fit a frame's locals and stack."""
        found = (g.failure(L, S) for g in self.guards)
        return next((text for text in found if text), "sizes or numbers for which another program was read")

    @property
    def guards(self):
        """The conditions."""
        return self.draft.guards

    @property
    def text(self):
        """The Python that runs."""
        return self.draft.text

    def proved(self, key, draft):
        """Note whether the draft of a reading with other sizes is this segment's."""
        holds = self.draft.same(draft)
        known = self.seen if holds else self.refused
        if len(known) >= MOST_SIZES:
            known.clear()
        known.add(key)
        return holds


class Rest:
    """What is no segment: the rest of the function runs as Python."""

    done, at, rest, stopped = True, None, False, None

    def __init__(self, reason, native=False):
        self.reason, self.guards, self.text = reason, [], ""
        self.native = native  # is it not even worth to compile the functions that it calls?

    def run(self, L, S):
        """Nothing fits it."""
        return MISS


# ---- writing


def written(frame, work, tracer, reason, grad, place, watch):
    """The Draft of what a tracer has read. grad: is recording of gradients on at its end?"""
    constants = Constants()
    _guard_mutations(tracer)
    conditions = _conditions(tracer, constants)
    writer, calls = Writer(constants, tracer, conditions), tracer.recorder.calls()
    result = writer.value(work.result) if work.state == "returned" else _state(frame, work, writer)
    writer.effects()
    contexts = tracer.contexts
    if contexts.began or contexts.held:
        held = "".join([f"({writer.value(c)}, {on}), " for c, on in contexts.held])
        writer.lines.append(f"{constants.name(reopen)}(({held}), {grad})")
    elif grad != frame.grad or local.grad != frame.grad:
        writer.lines.append(f"{constants.name(set_grad_enabled)}({grad})")
    module, inputs, call = _graph(tracer.recorder, writer, Reader(constants, "i", conditions))
    begun = _begun(tracer, Reader(constants, "i", conditions))
    call = _with_mode(call, frame.grad, module, constants, begun, tracer.recorder.draws)
    lines = [*_asked(conditions, tracer, watch.seen()), *call, *writer.lines, f"return {result}"]
    text = "def segment(L, S):\n" + "\n".join(f"    {line}" for line in lines) + "\n"
    draft = Draft(text, constants.found, module, inputs, tracer)
    draft.outside = tuple(contexts.began), frame.grad
    draft.at, draft.done, draft.reason = work.at, work.state == "returned", reason
    draft.count, draft.line, draft.is_empty = place.count, work.line, not calls
    return draft


def _begun(tracer, reader):
    """(lines that fetch them, the text of a tuple of pairs): the contexts that are open where a segment begins."""
    pairs = [f"({reader.fetch(tracer.sources[id(c)])}, {on}), " for c, on in tracer.contexts.began]
    return reader.lines, f"({''.join(pairs)})"


def _with_mode(call, on, module, constants, begun, draws):
    """The graph's call where recording is as when the frame began, in no context; after an error in the graph, too."""
    if module is not None and not writes_in_place(module):
        # The graph has run before the effects: where it fails, all is done again as Python.
        again = f"raise {constants.name(Again)}(error) from None"
        again = f"{draws.undone(constants)}; {again}" if draws.calls else again
        call = ["try:", *[f"    {line}" for line in call], "except Exception as error:", f"    {again}"]
    lines, pairs = begun
    if pairs != "()" or module is not None and any(node.target in _ENTERS for node in module.graph.nodes):
        leaving, again = f"before = {constants.name(leave)}({pairs}, {on})", f"{constants.name(back)}(before, error)"
        call = [*lines, leaving, "try:", *[f"    {line}" for line in call or ["pass"]]]
        return [*call, "except BaseException as error:", f"    {again}", "    raise"]
    switch = f"{constants.name(set_grad_enabled)}({on})"
    if local.grad != on:
        call = [switch, *call]
    if module is not None and any(node.target is _set_grad_enabled for node in module.graph.nodes):
        return ["try:", *[f"    {line}" for line in call], "except BaseException:", f"    {switch}", "    raise"]
    return call


_ENTERS = {kind.enter for kind in KINDS.values()} | BEGINNINGS


def writes_in_place(module):
    """Does a graph, or one inside of it, change a tensor, or may it?"""
    graphs = [m.graph for m in module.modules() if isinstance(m, fx.GraphModule)]
    return any(_writes(node) for graph in graphs for node in graph.nodes)


def _writes(node):
    name = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")
    if node.op not in ("placeholder", "get_attr") and (name.endswith("_") or name in _WRITES or "out" in node.kwargs):
        return True
    return node.op.startswith("call_") and name[:1] == "i" and hasattr(operator, name) and hasattr(operator, name[1:])


_WRITES = ("setitem", "batch_norm", "instance_norm", "apply")


def _state(frame, work, writer):
    """The text of (locals, stack) with which the frame goes on."""
    code = frame.program.code
    alive = {*frame.program.alive[work.at], *code.co_freevars, "__class__", *code.co_varnames[:1]}
    stacked = [writer.value(v) for v in work.stack]
    kept = {n: writer.value(v) for n, v in work.locals.items() if n in alive}
    return f"({{{', '.join(f'{n!r}: {v}' for n, v in kept.items())}}}, [{', '.join(stacked)}])"


def _conditions(tracer, constants):
    """The beginning of a segment: a Reader of what is asked, with the conditions among its lines."""
    reader = Reader(constants, "g")
    for guard in tracer.guards:
        text = guard.condition(reader)
        reader.lines.append(f"if not ({text}): return MISS")
    reader.lines += tracer.recorder.draws.lines(constants)
    for guard in tracer.guards:  # fetched here, for those who write after this
        if guard.kind == "tensor" and guard.other:
            reader.fetch(guard.source)
    for given in tracer.recorder.numbers.values():
        if given.dims != "size":
            reader.fetch(given.source)
    return reader


def _asked(reader, tracer, looked):
    """The conditions as statements. looked: did what was read look at the values of floats?"""
    draws, lines, key, constants = tracer.recorder.draws, reader.lines, [], reader.constants
    back = f"{draws.undone(constants)}; " if draws.calls else ""
    for guard in tracer.guards:
        if guard.kind == "tensor" and guard.other:
            v = reader.fetch(guard.source)
            key += [f"{v}._array.shape", f"{v}._array.strides"]
    for given in tracer.recorder.numbers.values():
        if given.dims != "size":  # of 0.0 and -0.0, which are equal, the texts
            v = reader.fetch(given.source)
            if type(given.given) is SymFloat and not looked:
                lines.append(f"if {v} != {v}: {back}return MISS")  # nan is read for itself, as in torch
            else:
                key.append(f"{v} or str({v})")
    if key:
        lines += [f"key = ({', '.join(key)},)", f"if key not in seen: {back}return Unproved(key)"]
    return ["try:", *[f"    {line}" for line in lines], f"except {constants.name(_GONE)}: return MISS"]


_GONE = (KeyError, IndexError, AttributeError, TypeError, ValueError)


def _graph(recorder, writer, reader):
    """(the graph's module or None, its inputs, the lines that call it). reader: fetches the inputs."""
    graph = recorder.graph
    if not recorder.ops and not writer.outputs and not any(n.op == "call_function" for n in graph.nodes):
        return None, [], []
    drop_switches(graph, recorder.began)
    graph.output(tuple([node for _, node in writer.outputs.values()]))
    for node in reversed(list(graph.nodes)):
        unused = node.target is operator.getitem or node in recorder.computed
        if unused and not node.users:
            graph.erase_node(node)
    given = _inputs(recorder, graph)
    root = Module()
    for name, tensor in recorder.constants.items():
        setattr(root, name, tensor)
    args = [_argument(g, reader) for g in given]
    call = [*reader.lines, f"graph_out = graph({', '.join(args)})"]
    return fx.GraphModule(root, graph), [_example(g) for g in given], call


def _inputs(recorder, graph):
    """The inputs that the graph uses; others go. A symbolic size stays with the tensors that have it."""
    given = recorder.given()
    used = [g for g in given if g.node.users]
    sizes = {repr(n.expression) for g in used if g.dims and type(g.dims) is not str for n in _sizes(g)}
    kept = [g for g in given if g.node.users or g.dims == "size" and g.node.target in sizes]
    for g in given:
        if g not in kept:
            graph.erase_node(g.node)
    return kept


def _argument(given, reader):
    """The text of an argument of the graph's."""
    text = reader.fetch(given.source)
    return f"{reader.constants.name(tensor_of)}({text})" if given.dims == "tensor" else text


def _example(given):
    """What a backend is shown of an input: the tensor itself, or the symbolic number."""
    return given.tensor if isinstance(given.tensor, Tensor) else given.fake


def _sizes(given):
    return [given.fake._array.shape[i] for i in given.dims]


def _guard_mutations(tracer):
    """What is changed must be no other thing that was read: two names of one thing are another program."""
    changed = [s for s in dict.fromkeys(tracer.shadows.values()) if not isinstance(s.original, tuple) and s.changed()]
    for one in changed:
        for other in dict.fromkeys(tracer.shadows.values()):
            if other is not one and type(other.original) is type(one.original):
                tracer.guard(Guard(one.source, "distinct", other=other.source))
    objects = {id(o): o for o, _, _ in tracer.overlay.values()}
    for obj in objects.values():
        for other in tracer.keep:
            if other is not obj and type(other) is type(obj) and id(other) in tracer.sources:
                tracer.guard(Guard(tracer.sources[id(obj)], "distinct", other=tracer.sources[id(other)]))


__all__ = ["MISS", "Draft", "Rest", "Segment", "Unproved", "written"]
