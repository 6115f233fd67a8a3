"""Reading: a frame's instructions are taken with the Tracer's meanings, to the end or to what no graph can say."""

from types import CellType

from .._base.state import local, set_grad_enabled
from .._base.warn import warn
from .._tensor.tensor import Tensor
from . import config
from .exc import Break, Failing, InternalTorchDynamoError, Unsupported
from .floats import watching
from .frame import NULL, Frame, Observed
from .machine import Unsupported as NoInstruction
from .machine import step
from .messages import unsupported
from .outside import Unseen
from .recorder import Recorder
from .resuming import Place
from .segment import Rest, written
from .source import Source, stack
from .source import local as local_source
from .tracer import Tracer
from .utils import counters


def read(frame, settings, dynamics):
    """The Draft of the segment that begins where a frame is, or Rest.

    The first reading ends at what cannot be read; a second one ends before it, and leaves out what only that wanted.
    """
    stop, reason, rest, first = None, None, False, None
    while True:
        try:
            draft = read_until(frame, settings, dynamics, stop, reason)
            draft.rest, draft.stopped = rest, first
            return draft
        except Stopped as stopped:
            if stop is not None:
                return _rest(stopped, frame)
            stop, reason, place, first = stopped.count, stopped.reason, stopped.place, stopped
            stopped.frames = stopped.frames or _frames(frame, stopped)
            if settings.fullgraph:
                raise Unsupported(unsupported(reason, stopped.told, stopped.frames)) from None
            counters["graph_break"][reason] += 1
            if place.handles:  # an exception that is being handled is no part of a segment: Python raises it, too
                stop = place.outside
            if config.stop_where_torch_does:
                if place.loops or place.fails or not place.goes_on and place.checkpoint is None:
                    return _rest(stopped, frame)
                if not place.goes_on:
                    stop, rest = place.checkpoint, True


def _rest(stopped, frame):
    made = Rest(stopped.reason)
    stopped.frames = stopped.frames or _frames(frame, stopped)
    made.stopped = stopped
    return made


def _frames(frame, stopped):
    code = frame.program.code
    return [(code.co_filename, stopped.line or code.co_firstlineno, code.co_name)]


class Stopped(Exception):
    """Reading cannot go on at instruction number `count`."""

    def __init__(self, reason, place, told=None, frames=None):
        self.reason, self.place, self.count, self.line = reason, place, place.count, place.line
        self.told, self.frames = told, frames  # parts of the message; (file, line, function), innermost last


def read_until(frame, settings, dynamics, stop=None, reason=None):
    """Read to the end, or `stop` instructions (where reading has to stop for a reason): a Draft."""
    recorder = Recorder(dynamics)
    tracer = Tracer(recorder, frame.globals)
    work = _readable(frame, tracer)
    before, place, watch = local.grad, Place(), watching()
    try:
        with recorder, compiling(), watch:
            grad = _walk(frame, work, tracer, stop, place)
    except Break as found:
        place.fails = isinstance(found, Failing)
        raise Stopped(found.reason, place, found.told, tracer.places(found)) from None
    except Observed as trouble:
        place.fails = True
        raise Stopped(f"an exception: {trouble.error!r}", place) from None
    except NoInstruction as found:
        raise Stopped(str(found), place) from None
    except RecursionError:
        raise Stopped("calls too deep", place) from None
    except Exception as error:
        raise _own_fault(error, place) from error
    finally:
        tracer.contexts.undo()
        set_grad_enabled(before)
        recorder.draws.finish()
    try:
        with watch:
            return written(frame, work, tracer, reason, grad, place, watch)
    except Break as found:
        if settings.fullgraph:
            raise Unsupported(unsupported(found.reason, found.told, _frames(frame, place))) from None
        return Rest(found.reason)
    except Exception as error:
        trouble = _own_fault(error, place)
        if isinstance(trouble, InternalTorchDynamoError) or settings.fullgraph:
            raise trouble from error
        return Rest(trouble.reason)


def _own_fault(error, place):
    """What to raise for an exception of the reader's own: the program still runs, and somebody is told."""
    told = f"a fault of the compiler's own: {type(error).__name__}: {error}"
    if config.raise_internal_errors:
        return InternalTorchDynamoError(told)
    warn(f"torch.compile met {told}. That part runs as Python; please report it.")
    return Stopped(told, place)


def _walk(frame, work, tracer, stop, place):
    """Read instructions; is recording of gradients on at the end?"""
    recorder = tracer.recorder
    recorder.began = frame.grad
    work.stack = [tracer.see(v, _better(work, v, s)) for v, s in work.stack]
    if local.grad != tracer.contexts.begin(work.stack, frame.grad):
        recorder.grad_node(local.grad)
    tracer.entered(work)
    while work.state == "running" and place.count != stop:
        place.at(work, recorder.ops)
        _one(tracer, work, place)
        place.count += 1
    grad = local.grad
    tracer.contexts.end()
    if local.grad != frame.grad and work.state == "running":
        recorder.switch_grad(frame.grad)
    return grad


def _better(work, value, source):
    """Where torch says that an element of the stack comes from: a variable that still holds it, if one does."""
    if isinstance(value, Tensor):
        for name in sorted(work.program.alive[work.at]):
            unseen = work.locals.get(name)
            if type(unseen) is Unseen and unseen.value is value:
                return unseen.source
    return source


def _one(tracer, work, place):
    at, before = work.at, work.stack[:]
    try:
        step(tracer, work)
    except Exception:
        work.stack[:] = before
        place.stopped(work, at)
        raise


def _readable(frame, tracer):
    """A copy of a frame whose values are read when they are used."""
    work = object.__new__(Frame)
    work.program, work.function, work.globals, work.at = frame.program, frame.function, frame.globals, frame.at
    work.state, work.result, work.handling, work.grad = "running", None, [], frame.grad
    alive = frame.program.alive[frame.at]
    free = set(frame.program.code.co_freevars)
    work.locals = {}
    for name, value in frame.locals.items():
        if frame.at == 0 and name in frame.program.code.co_cellvars:
            work.locals[name] = _own_cell(value, name)
        elif name in alive or name in free or name == "__class__":
            work.locals[name] = Unseen(value, _cell_source(name) if name in free else local_source(name))
    first = frame.program.code.co_varnames[:1]
    for name in first:  # for super()
        if name in frame.locals and name not in work.locals:
            work.locals[name] = Unseen(frame.locals[name], local_source(name))
    work.stack = []
    counted = 0
    for place, value in enumerate(frame.stack):
        work.stack.append((value, stack(place, counted)))
        counted += value is not NULL
    if frame.handling:
        raise Stopped("inside an except clause", Place())
    return work


def _own_cell(cell, name):
    """A variable of a call that begins, for inner functions: nobody else has it yet."""
    try:
        return CellType(Unseen(cell.cell_contents, local_source(name).cell(name)))
    except ValueError:
        return CellType()


def _cell_source(name):
    return Source(None, "local", name, f"L[{name!r}]")


class compiling:
    """with compiling(): torch.compiler.is_compiling() is true."""

    def __enter__(self):
        self._before = local.compiling
        local.compiling = True

    def __exit__(self, *trouble):
        local.compiling = self._before
