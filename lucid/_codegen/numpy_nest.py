"""A loop nest as Python over numpy, for machines without a compiler.

    text, arrays, checks = numpy_source(nest, "kernel", kept)     # def kernel(a0, a1, ..., work)

Blocks of the outer loops are one turn of a Python loop; a value of a turn is an array, with an axis for each loop of
the nest (of size 1 where the value is the same along it). The words are those of eager's kernel tables, so the numbers
are eager's. Arrays are read through windows into their memory, and by computed places where they lie in no pattern.
"""

import math
from typing import NamedTuple

from .._base.dtype import BOOL
from .nest import Nest
from .numpy_words import NumpyHandler, kind_text
from .parts import Arguments
from .text import NOTHING

BLOCK = 32768  # elements of a block: several arrays of it stay in a core's cache
COLUMNS = 64  # of the quickest outer loop, at least, where rows are long

REDUCE = {"sum": "sum", "prod": "prod", "max": "amax", "min": "amin"}


class Line(NamedTuple):
    """One statement: `target = text`; reads: the names in it; made: how the value came about.

    made: "ufunc" (text is the call without its closing bracket), "call" (which may raise), "fresh" (new memory),
    "window" (memory of others), "store" or "fault"
    """

    target: str
    text: str
    reads: tuple
    made: str
    dtype: object
    varies: frozenset


class NumpyKernel(Arguments):
    """One nest on its way to being Python."""

    def __init__(self, nest, name, kept):
        nest.merge()
        self.nest, self.name, self.kept = nest, name, kept
        super().__init__()
        self.values = {}
        self.names = [f"{'r' if r else 'i'}{d}" for d, (_, r) in enumerate(nest.dims)]
        self.sizes = dict(zip(self.names, [n for n, _ in nest.dims]))
        self._choose_blocks()
        self.before, self.inside = [], []  # Lines that no turn changes, and those of a turn
        self.ops = NumpyHandler(self)

    def _choose_blocks(self):
        """blocks: {loop: how much of it one turn does}, of the outer loops that are cut."""
        inner = math.prod([n for n, reduced in self.nest.dims if reduced])
        plain = [name for name, (_, reduced) in zip(self.names, self.nest.dims) if not reduced]
        work = self.nest.work[-1]
        place = work.store_place(self.nest.index_of(work))
        plain.sort(key=lambda name: (place.step(name) or 0, -self.names.index(name)))
        room, self.blocks = max(1, BLOCK // inner), {}
        if plain and self.nest.is_reduced and self.nest.dims[-1][1] is False:
            room = max(room, COLUMNS)
        for name in plain:
            n = self.sizes[name]
            if n <= room:
                room //= n
                continue
            self.blocks[name] = max(room, 1)
            room = 1
        self.order = [name for name in reversed(plain) if name in self.blocks]

    # ---- what is read and written

    def value_of(self, array):
        """The value of an array that this nest makes."""
        return self.values.get(array)

    def axis(self, name):
        """The text of a loop's size in a turn."""
        n, block = self.sizes[name], self.blocks.get(name)
        return str(n) if block is None else str(block) if n % block == 0 else f"n{name[1:]}"

    def window(self, array, place):
        """The text of a window into an array's memory, where its place is a sum of loops."""
        size, steps = array.dtype.itemsize, [place.step(name) for name in self.names]
        shape = [self.axis(name) if step else "1" for name, step in zip(self.names, steps)]
        begin = [f"{step * size} * {name}" for name, step in zip(self.names, steps) if step and name in self.blocks]
        if place.constant or not begin:
            begin.append(str(place.constant * size))
        strides = _tuple([step * size for step in steps])
        memory = self.ops.memory(self.pointer(array), array.dtype)
        return f"np.ndarray({_tuple(shape)}, {kind_text(array.dtype)}, {memory}, {' + '.join(begin)}, {strides})"

    def is_window(self, place):
        return all(kind == "v" and name in self.sizes for kind, name, _ in place.terms)

    # ---- lines

    def add(self, line):
        """Put a line where it is done as seldom as may be."""
        changes = any(name in self.blocks for name in line.varies) or line.made in ("store", "fault")
        (self.inside if changes or not self.blocks else self.before).append(line)

    def line(self, *parts):
        return Line(*parts)

    def fault(self, text, reads):
        self.add(Line("", text, reads, "fault", None, NOTHING))

    def lines(self):
        for inner, outer in self.nest.passes():
            for work in inner:
                self._work(work)
            for work in outer:
                self._work(work)

    def _work(self, work):
        index = self.nest.index_of(work)
        value = work.body(self.ops, index)
        if work.kind and any(reduced for _, reduced in self.nest.dims):
            value = self._reduced(work, value)
        else:
            value = self.ops.sibling(work.array.dtype).cast(value, work.array.dtype)
        self.values[work.array] = value
        if work.array in self.kept:
            self._store(work, value, work.store_place(index))

    def _reduced(self, work, value):
        words = self.ops.sibling(work.array.dtype)
        value = words.cast(value, work.array.dtype)
        varies = value.varies
        reduced = [(d, name) for d, (name, (_, r)) in enumerate(zip(self.names, self.nest.dims)) if r]
        source, word = value.text, REDUCE[work.kind]
        if work.array.dtype.category == BOOL:
            word = {"max": "any", "min": "all"}[work.kind]
        if not varies.issuperset(name for _, name in reduced):
            shape = [self.axis(n) if n in varies or n[0] == "r" else "1" for n in self.names]
            source = f"np.broadcast_to({source}, {_tuple(shape)})"
        text = f"{work.array.dtype.name}.{word}({source}, {_tuple([d for d, _ in reduced])}, True)"
        return self.ops.put(text, (value.text,), "call", work.array.dtype, varies - {name for _, name in reduced})

    def _store(self, work, value, place):
        array = work.array
        half = self.ops.narrow.get(value.text)
        source = value.text if half is None or half.dtype is not array.dtype else half.text
        if self.is_window(place):
            target, made = f"{self.window(array, place)}", "store"
            self.add(Line(target, source, (source,), made, array.dtype, frozenset(place.variables())))
            return
        where = self.ops.index(place)
        line = f"{self.pointer(array)}[{where.text}] = {source}"
        self.add(Line("", line, (source, where.text), "fault", array.dtype, NOTHING))

    # ---- text

    def source(self):
        self.lines()
        arrays = [self._pointers[a] for a in self.arrays]
        head = [f"{n} = flat({n})" for n in arrays]
        head += [f"{b} = {n}.view(np.uint8)" for n, b in self.ops.bytes.items()]
        before = _written(self.before, (), {n for line in self.inside for n in line.reads})
        depth, loops = 1, []
        for name in self.order:
            n, block = self.sizes[name], self.blocks[name]
            loops.append("    " * depth + f"for {name} in range(0, {n}, {block}):")
            depth += 1
            if n % block:
                loops.append("    " * depth + f"{self.axis(name)} = min({block}, {n} - {name})")
        inside = _written(self.inside, {line.target for line in self.inside}, ())
        parameters = [*arrays, *["faults"] * self.ops.checks, "work"]
        text = [f"def {self.name}({', '.join(parameters)}):"]
        text += [f"    {line}" for line in [*head, *before]] + loops
        text += ["    " * depth + line for line in inside]
        return "\n".join(text) + "\n"


def _tuple(parts):
    return f"({', '.join(map(str, parts))}{',' if len(parts) == 1 else ''})"


def _written(lines, fresh, later):
    """Lines as text. What nobody reads is left out; results go into memory that is free, or to where they are stored.

    fresh: names whose memory is made anew in each turn; later: names that are read after these lines.
    """
    lines = _needed(lines, later)
    last, made = {name: n for n, line in enumerate(lines) for name in line.reads}, {x.target: x for x in lines}
    free = {
        name for name in fresh if name in made and made[name].made in ("ufunc", "call", "fresh") and made[name].varies
    }
    straight, out = _straight(lines), []
    for n, line in enumerate(lines):
        if n - 1 in straight:
            continue
        if line.made == "store":
            out.append(f"{line.target}[...] = {line.text}")
        elif line.made == "fault":
            out.append(line.text)
        elif line.made == "ufunc":
            target = straight.get(n) or _reusable(line, n, last, made, free, later)
            if n in straight:
                free.discard(line.target)
            out.append(f"{line.target} = {line.text}{f', {target}' if target else ''})")
        else:
            out.append(f"{line.target} = {line.text}")
    return out


def _needed(lines, later):
    """The lines that do something, and those that they read."""
    needed, kept = set(later), []
    for line in reversed(lines):
        if line.made in ("store", "fault", "call") or line.target in needed:
            kept.append(line)
            needed.update(line.reads)
    return kept[::-1]


def _straight(lines):
    """{number of a line: where the next line stores its value}, of values that can be computed there."""
    found = {}
    for n, (value, line) in enumerate(zip(lines, lines[1:])):
        if line.made == "store" and line.text == value.target and value.made == "ufunc":
            if (line.dtype, line.varies) == (value.dtype, value.varies):
                found[n] = line.target
    return found


def _reusable(line, n, last, made, free, later):
    """The name of an operand that nobody reads after this line and whose memory fits the result."""
    for name in line.reads:
        value = made.get(name)
        if name in free and last[name] == n and name not in later:
            if value.dtype is line.dtype and value.varies == line.varies:
                return name
    return None


def numpy_source(nest: Nest, name, kept):
    """(Python text of a nest, the arrays that its function takes, does it report faults?)"""
    kernel = NumpyKernel(nest, name, set(kept))
    text = kernel.source()
    return text, kernel.arrays, kernel.ops.checks


__all__ = ["Line", "NumpyKernel", "numpy_source"]
