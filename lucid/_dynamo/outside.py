"""What a program reads of the world outside of it, and what it would change there.

Whatever is read is guarded to be as it was. A list or dictionary is read as a copy; an attribute that is set, a
global or a closure's variable lies over what it hides. Nothing outside changes before the graph has run (rebuild.py).
"""

import collections
import operator
import sys
import types

from .._tensor.tensor import Tensor
from ..nn.modules.module import Module
from ..nn.parameter import Parameter
from .array import Array
from .contexts import Contexts
from .exc import Break
from .frame import NULL, Observed
from .guards import Guard, TensorFacts, modes
from .iterators import Combined, KeysIterator, SequenceIterator
from .objects import CONSTANTS, CONTAINERS, IDENTITIES, VALUES, is_bound, is_fixed, is_identity, tensors_in
from .source import module_global

DELETED = object()


class Shadow:
    """The copy in whose place a container from outside is read and changed."""

    __slots__ = ("original", "copy", "source", "before")

    def __init__(self, original, copy, source):
        self.original, self.copy, self.source = original, copy, source
        self.before = None

    def settle(self):
        """What it held at first; changes are seen by this."""
        self.before = list(self.copy.items()) if isinstance(self.copy, dict) else list(self.copy)

    def changed(self):
        """Is it any other than at first?"""
        if isinstance(self.copy, dict):
            now = list(self.copy.items())
            return len(now) != len(self.before) or any(
                a is not c or b is not d for (a, b), (c, d) in zip(now, self.before)
            )
        now = list(self.copy)
        if isinstance(self.copy, set):
            return set(map(id, now)) != set(map(id, self.before))
        return len(now) != len(self.before) or any(a is not b for a, b in zip(now, self.before))


class Unseen:
    """A local variable of the frame that nothing has read so far."""

    __slots__ = ("value", "source")

    def __init__(self, value, source):
        self.value, self.source = value, source


class Table:
    """A module's dictionary of parameters, buffers or modules of which only items were asked: the rest may change."""

    __slots__ = ("original", "source")

    def __init__(self, original, source):
        self.original, self.source = original, source


def _is_remade(value, source):
    """Is it a function that the program makes anew in every call, so that only what it does is the same?"""
    if type(value) is not types.FunctionType or value.__closure__ is None or value.__defaults__ or value.__kwdefaults__:
        return False
    while source.base is not None:
        source = source.base
    return source.kind in ("local", "stack") and not value.__dict__


class Outside:
    """The part of the Tracer that knows where values come from. home: the globals of the frame that is read."""

    def __init__(self, recorder, home):
        self.recorder, self.home = recorder, home
        self.guards, self._guarded = [], set()
        self.sources, self.keep = {}, []
        self.shadows = {}  # id of the original, and of the copy -> Shadow
        self.overlay = {}  # (id of an object from outside, attribute) -> (object, attribute, value or DELETED)
        self.renewed = set()  # keys of the overlay that were deleted first
        self.cells, self.written_globals = {}, {}
        self.iterators = {}  # id of an iterator from outside -> (its copy, its source)
        self.valued = set()  # ids of objects that are guarded by what is in them
        self.contexts = Contexts(self)
        self.depth, self.trouble = 0, None  # how deep in calls; the last exception and where it came
        self.born = set()  # ids of the objects that the program made while it is read
        self.made = set()  # ids of the functions that the program made while it is read
        self.guard(Guard(None, "modes", modes()))

    # ---- where reading is

    def entered(self, frame):
        """A frame is read from here on."""
        self.recorder.reading.append(frame)

    def left(self, frame):
        """It is no longer; by an exception's way, where the program was is kept for the message."""
        error = sys.exc_info()[1]
        if error is not None and (self.trouble is None or self.trouble[0] is not error):
            self.trouble = error, self.recorder.places()
        self.recorder.reading.pop()

    def places(self, error):
        """(file, line, function) of every frame that was read when an exception came, innermost last."""
        if self.trouble is not None and self.trouble[0] is error:
            return self.trouble[1]
        return self.recorder.places()

    # ---- what is read from outside

    def guard(self, guard):
        key = (
            repr(guard.source),
            guard.kind,
            repr(guard.value) if guard.kind in ("equal", "absent") else id(guard.value),
            repr(guard.other),
        )
        if key not in self._guarded:
            self._guarded.add(key)
            self.guards.append(guard)

    def see(self, value, source):
        """The value that the program works with, for one that source gives; guards that it is as it is."""
        kind = type(value)
        if value is NULL:
            return value
        if kind in CONSTANTS:
            return self._see_constant(value, source)
        known = self._known(value, source)
        if known is not NULL:
            return known
        if isinstance(value, Tensor):
            return self._see_tensor(value, source)
        if _is_remade(value, source):
            self._from(value, source)
            for part in ("__code__", "__globals__"):
                self.guard(Guard(source.attr(part), "is", getattr(value, part)))
            return value
        if is_identity(value):
            self._from(value, source)
            if not is_fixed(source, value):
                self.guard(Guard(source, "is", value))
            return value
        if kind in VALUES and not tensors_in(value):
            self.guard(Guard(source, "equal", value))
            return value
        if kind in CONTAINERS or isinstance(value, tuple) and hasattr(value, "_fields"):
            return self._see_container(value, source)
        if isinstance(value, (SequenceIterator, Combined)):
            return self._see_iterator(value, source)
        if isinstance(value, types.MethodType):
            self.guard(Guard(source, "type", kind))
            owner = self.see(value.__self__, source.attr("__self__"))
            self.guard(Guard(source.attr("__func__"), "is", value.__func__))
            self.sources.setdefault(id(value.__func__), source.attr("__func__"))
            return types.MethodType(value.__func__, owner)
        if is_bound(value):
            self.guard(Guard(source, "type", kind))
            owner = self.see(value.__self__, source.attr("__self__"))
            return getattr(owner, value.__name__)
        self._from(value, source)
        if not isinstance(value, types.CellType):
            self.guard(Guard(source, "type", kind))
        return value

    def _see_iterator(self, value, source):
        """An iterator in the middle of a loop: a copy of it, which reading moves on."""
        known = self.iterators.get(id(value))
        if known is not None:
            self.guard(Guard(source, "same", other=known[1]))
            return known[0]
        kind = type(value)
        self.guard(Guard(source, "type", kind))
        if isinstance(value, SequenceIterator):
            self.guard(Guard(source.attr("at"), "equal", value.at))
            parts = [self.see(value.sequence, source.attr("sequence")), value.at]
            if kind is KeysIterator:
                self.guard(Guard(source.attr("size"), "equal", value.size))
                parts += [self.see(value.owner, source.attr("owner")), value.size]
            made = kind(*parts)
        else:
            inner = source.attr("inner")
            self.guard(Guard(inner, "length", len(value.inner)))
            parts = [self.see(part, inner.item(i)) for i, part in enumerate(value.inner)]
            made = kind(parts, self.see(value.extra, source.attr("extra")))
        self.iterators[id(value)] = made, source
        self.keep.append(value)
        return made

    def _see_constant(self, value, source):
        number = None
        if type(value) in (int, float):
            number = self.recorder.number(value, source)
        if number is not None:
            self.guard(Guard(source, "type", type(value)))
            return number
        self.guard(Guard(source, "equal", value))
        return value

    def _from(self, value, source):
        source.fixed |= isinstance(value, Module)
        self.sources[id(value)] = source
        self.keep.append(value)

    def _known(self, value, source):
        """What was seen already under another name; NULL for what is new."""
        first = self.sources.get(id(value))
        if first is None:
            return NULL
        if repr(first) != repr(source) and not is_identity(value):
            self.guard(Guard(source, "same", other=first))
        elif _is_remade(value, source):
            if repr(first) != repr(source):
                self.guard(Guard(source, "same", other=first))
        elif is_identity(value) and not is_fixed(source, value):
            self.guard(Guard(source, "is", value))
        shadow = self.shadows.get(id(value))
        if shadow is not None:
            return shadow.copy
        return self.recorder.input(value, first) if isinstance(value, Tensor) else value

    def _see_tensor(self, value, source):
        if type(value) is not Tensor and type(value) is not Parameter:
            raise Break(f"a tensor of class {type(value).__name__}")
        self._from(value, source)
        fake = self.recorder.input(value, source)
        self.guard(Guard(source, "tensor", TensorFacts(value), self.recorder.inputs[id(fake)].dims))
        return fake

    def _see_container(self, value, source):
        kind = type(value)
        self._from(value, source)
        self.guard(Guard(source, "type", kind))
        if isinstance(value, dict):
            made = kind(value.default_factory) if kind is collections.defaultdict else kind()
            shadow = self._shadow(value, made, source)
            keys = list(value)
            if not all(isinstance(k, (*CONSTANTS, *IDENTITIES, tuple, frozenset)) for k in keys):
                raise Break("a dictionary whose keys are objects")
            self.guard(Guard(source, "keys", keys) if keys else Guard(source, "length", 0))
            for key in keys:
                made[key] = self.see(value[key], source.item(key))
        elif kind is set:
            if not all(isinstance(k, (*CONSTANTS, *IDENTITIES)) for k in value):
                raise Break("a set of objects")
            self.guard(Guard(source, "equal", set(value)))
            made = set(value)
            shadow = self._shadow(value, made, source)
        else:
            self.guard(Guard(source, "length", len(value)))
            if isinstance(value, tuple):
                fields = getattr(kind, "_fields", None)
                parts = [self.see(x, source.attr(fields[i]) if fields else source.item(i)) for i, x in enumerate(value)]
                made = kind(*parts) if hasattr(kind, "_fields") else tuple(parts)
                shadow = self._shadow(value, made, source)
            else:
                made = kind() if kind is not collections.deque else collections.deque(maxlen=value.maxlen)
                shadow = self._shadow(value, made, source)
                for i, x in enumerate(value):
                    made.append(self.see(x, source.item(i)))
        shadow.settle()
        return made

    def whole(self, value):
        """A Table as the dictionary that it stands for; anything else as it is."""
        return self.see(value.original, value.source) if type(value) is Table else value

    def item_of_table(self, table, key):
        """An item of a Table; of the dictionary itself once that was seen."""
        shadow = self.shadows.get(id(table.original))
        if shadow is not None or type(key) is not str or key not in table.original:
            return self.operate(None, operator.getitem, [self.whole(table), key])
        return self.used(self.see(table.original[key], table.source.item(key)))

    def used(self, value):
        """value, which is an input from now on if it is a tensor: as torch's reader has it for what modules hold."""
        if isinstance(value, Tensor):
            self.recorder.touched(value)
        return value

    def _shadow(self, value, made, source):
        shadow = Shadow(value, made, source)
        self.shadows[id(value)] = self.shadows[id(made)] = shadow
        self.keep.append(made)
        return shadow

    def source_of(self, value):
        """Where a value comes from, or None for what the program made."""
        shadow = self.shadows.get(id(value))
        return shadow.source if shadow is not None else self.sources.get(id(value))

    # ---- variables

    def named(self, value, name):
        self.recorder.name(value.tensor if type(value) is Array else value, name)

    def observed(self, error):
        return Observed(error)

    def made_function(self, function):
        self.keep.append(function)
        self.made.add(id(function))

    def made_object(self, made):
        self.keep.append(made)
        self.born.add(id(made))
        return made

    def load_local(self, frame, name):
        value = frame.locals[name]
        if type(value) is Unseen:
            value = frame.locals[name] = self.see(value.value, value.source)
        return value

    def load_cell(self, cell, name):
        if type(cell) is Unseen:
            cell = self.see(cell.value, cell.source)
        if id(cell) in self.cells:
            value = self.cells[id(cell)][1]
        else:
            source = self.sources.get(id(cell))
            try:
                value = cell.cell_contents
            except ValueError:
                value = NULL
            if type(value) is Unseen:
                value = cell.cell_contents = self.see(value.value, value.source)
                source = value
            if source is not None and value is not NULL:
                value = self.see(value, source.cell(name)) if source is not value else value
                if self.depth and isinstance(value, Tensor):
                    self.recorder.touched(value)  # as torch's reader does, which matters to the order of inputs
        if value is NULL:
            text = f"cannot access free variable '{name}' where it is not associated with a value in enclosing scope"
            raise Observed(NameError(text))
        return value

    def store_cell(self, cell, value):
        if type(cell) is Unseen:
            cell = self.see(cell.value, cell.source)
        if id(cell) in self.sources:
            if value is NULL:
                raise Break("deletion of a variable of an outer function")
            self.cells[id(cell)] = (cell, value)
        elif value is NULL:
            del cell.cell_contents
        else:
            cell.cell_contents = value

    def load_global(self, frame, name):
        where = frame.globals
        if (id(where), name) in self.written_globals:
            return self.written_globals[id(where), name][2]
        source = module_global(where, name, self.home)
        if name in where:
            return self.see(where[name], source)
        if name in frame.builtins:
            return frame.builtins[name]
        raise Observed(NameError(f"name '{name}' is not defined"))

    def store_global(self, frame, name, value):
        self.written_globals[id(frame.globals), name] = (frame.globals, name, value)
