"""A segment: a stretch of a function that was read, as one Python function: conditions, graph, values, changes.

def segment(L, S):           # the frame's locals and stack
    v0 = L['x']
    if not (type(v0) is Tensor and ...): return MISS
    graph_out = graph(v0)
    return graph_out[0]
"""

import itertools
import operator

from .. import fx
from .._base.state import local, set_grad_enabled
from ..nn.modules.module import Module
from . import config
from .exc import BackendCompilerFailed, Break, Unsupported
from .frame import Frame, Observed
from .guards import Guard
from .machine import Unsupported as NoInstruction
from .machine import step
from .outside import Unseen
from .rebuild import Writer
from .recorder import Recorder
from .source import Constants, Source, stack
from .source import local as local_source
from .tracer import Tracer
from .utils import counters

MISS = object()
_numbers = itertools.count()


class Segment:
    """run(locals, stack) -> the result, (locals, stack) to go on with, or MISS."""

    def __init__(self, run, text, tracer, done, at, reason, graph):
        self.run, self.text, self.done, self.at, self.reason, self.graph = run, text, done, at, reason, graph
        self.guards = tracer.guards if tracer is not None else []


class Rest:
    """What is no segment: the rest of the function runs as Python."""

    def __init__(self, reason):
        self.reason, self.guards, self.graph, self.text = reason, [], None, ""


def read(frame, settings):
    """The Segment (or Rest) that begins where a frame is."""
    stop, reason = None, None
    before = local.grad
    while True:
        try:
            found = _read_until(frame, settings, stop, reason)
            if found is not None:
                return found
        except _Stopped as stopped:
            if stop is not None:
                return Rest(stopped.reason)
            stop, reason = stopped.count, stopped.reason
            line = _line(frame, stopped)
            if settings.fullgraph:
                raise Unsupported(f"{reason}\n\nfrom user code:\n{line}") from None
            counters["graph_break"][reason] += 1
        finally:
            set_grad_enabled(before)


def _line(frame, stopped):
    code = frame.program.code
    return f'  File "{code.co_filename}", line {stopped.line}, in {code.co_name}'


class _Stopped(Exception):
    def __init__(self, reason, count, line):
        self.reason, self.count, self.line = reason, count, line


def _read_until(frame, settings, stop, reason):
    """Read at most `stop` instructions."""
    recorder = Recorder()
    tracer = Tracer(recorder, frame.globals)
    work = _readable(frame, tracer)
    count, line = 0, None
    try:
        with recorder, compiling():
            if local.grad != frame.grad:
                recorder.switch_grad(local.grad)
            work.stack = [tracer.see(v, s) for v, s in work.stack]
            while work.state == "running" and count != stop:
                line = work.program.insts[work.at].line or line
                step(tracer, work)
                count += 1
            grad = local.grad
            if grad != frame.grad:
                recorder.switch_grad(frame.grad)
    except Break as found:
        raise _Stopped(found.reason, count, line) from None
    except Observed as trouble:
        raise _Stopped(f"an exception: {trouble.error!r}", count, line) from None
    except NoInstruction as found:
        raise _Stopped(str(found), count, line) from None
    except RecursionError:
        raise _Stopped("calls too deep", count, line) from None
    try:
        return _written(frame, work, tracer, settings, reason, grad)
    except Break as found:
        if settings.fullgraph:
            raise Unsupported(found.reason) from None
        return Rest(found.reason)


def _readable(frame, tracer):
    """A copy of a frame whose values are read when they are used."""
    work = object.__new__(Frame)
    work.program, work.function, work.globals, work.at = frame.program, frame.function, frame.globals, frame.at
    work.state, work.result, work.handling, work.grad = "running", None, [], frame.grad
    alive = frame.program.alive[frame.at]
    free = set(frame.program.code.co_freevars)
    work.locals = {}
    for name, value in frame.locals.items():
        if name in alive or name in free or name == "__class__":
            work.locals[name] = Unseen(value, _cell_source(name) if name in free else local_source(name))
    first = frame.program.code.co_varnames[:1]
    for name in first:  # for super()
        if name in frame.locals and name not in work.locals:
            work.locals[name] = Unseen(frame.locals[name], local_source(name))
    work.stack = []
    counted = 0
    for place, value in enumerate(frame.stack):
        work.stack.append((value, stack(place, counted)))
        counted += 1
    if frame.handling:
        raise _Stopped("inside an except clause", 0, None)
    return work


def _cell_source(name):
    return Source(None, "local", name, f"L[{name!r}]")


class compiling:
    """with compiling(): torch.compiler.is_compiling() is true."""

    def __enter__(self):
        self._before = getattr(local, "compiling", False)
        local.compiling = True

    def __exit__(self, *trouble):
        local.compiling = self._before


# ---- writing


def _written(frame, work, tracer, settings, reason, grad):
    done = work.state == "returned"
    constants = Constants()
    writer = Writer(constants, tracer)
    recorder = tracer.recorder
    if done:
        result = writer.value(work.result)
    else:
        alive = frame.program.alive[work.at] | set(frame.program.code.co_freevars)
        stacked = [writer.value(v) for v in work.stack]
        kept = {
            n: writer.value(v)
            for n, v in work.locals.items()
            if n in alive or n in ("__class__", *frame.program.code.co_varnames[:1])
        }
        items = ", ".join(f"{n!r}: {v}" for n, v in kept.items())
        result = f"({{{items}}}, [{', '.join(stacked)}])"
    writer.effects()
    if grad != frame.grad:
        writer.lines.append(f"{constants.name(set_grad_enabled)}({grad})")
    body, writer.lines = writer.lines, []
    names = dict(writer.names)
    _guard_mutations(tracer)
    conditions = _conditions(tracer, constants)
    graph, call = _graph(recorder, writer, settings, conditions)
    lines = [*conditions.lines, *call, *_missing(body, conditions)]
    del names
    text = "def segment(L, S):\n" + "\n".join(f"    {line}" for line in [*lines, f"return {result}"]) + "\n"
    scope = {**constants.found, "MISS": MISS, "graph": graph}
    exec(compile(text, f"<segment {next(_numbers)} of {frame.program.code.co_name}>", "exec"), scope)
    return Segment(scope["segment"], text, tracer, done, work.at, reason, recorder.graph if graph is not None else None)


class _Conditions(Writer):
    """The beginning of a segment: what is fetched, and the conditions on it."""


def _conditions(tracer, constants):
    reader = _Conditions(constants, tracer)
    reader.names = _Numbered("g")
    for guard in tracer.guards:
        text = guard.condition(reader)
        reader.lines.append(f"if not ({text}): return MISS")
    reader.lines = ["try:", *[f"    {line}" for line in reader.lines], f"except {constants.name(_GONE)}: return MISS"]
    return reader


_GONE = (KeyError, IndexError, AttributeError, TypeError, ValueError)


class _Numbered(dict):
    """Names of variables, unlike others'."""

    def __init__(self, prefix):
        self.prefix = prefix

    def __setitem__(self, key, value):
        super().__setitem__(key, f"{self.prefix}{len(self)}")


def _missing(body, conditions):
    return body


def _graph(recorder, writer, settings, conditions):
    """(the compiled graph or None, the lines that call it)."""
    nodes = {}
    for fake, place in writer.outputs.items():
        nodes[place] = recorder.node_of[fake]
    if not recorder.ops and not nodes and not any(n.op == "call_function" for n in recorder.graph.nodes):
        return None, []
    recorder.graph.output(tuple(nodes[i] for i in range(len(nodes))))
    for node in reversed(list(recorder.graph.nodes)):
        if node.op == "call_function" and node.target is operator.getitem and not node.users and node in recorder.parts:
            recorder.graph.erase_node(node)
    given = recorder.given()
    for g in given:
        if not g.node.users:
            recorder.graph.erase_node(g.node)
    given = [g for g in given if g.node.users]
    root = Module()
    for name, tensor in recorder.constants.items():
        setattr(root, name, tensor) if not isinstance(tensor, Module) else None
    module = fx.GraphModule(root, recorder.graph)
    compiled = settings.compile_graph(module, [g.fake for g in given])
    reader = _Conditions(writer.constants, writer.tracer)
    reader.names = _Numbered("i")
    args = [reader.fetch(g.source) for g in given]
    return compiled, [*reader.lines, f"graph_out = graph({', '.join(args)})"]


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


__all__ = ["MISS", "BackendCompilerFailed", "Rest", "Segment", "config", "read"]
