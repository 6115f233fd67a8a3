"""Loops for people to read: what a nest does, said in no language of a machine. `str(nest)` is this text.

listed(nest) -> str                   arrays are called a, b, c ... in the order in which they are met
listed(nest, {array: name}.get)       or as somebody says

for i0 in 512:
  for r1 in 4096:
    t0 = load(a, 4096*i0 + r1)
    b = max(t0)
"""

import string

from .._base.dtype import int64
from .index import Index

_INDENT = "  "


class Named:
    """A value that has a name in a listing, or is a number."""

    __slots__ = ("dtype", "text")

    def __init__(self, text, dtype):
        self.text, self.dtype = text, dtype

    def __bool__(self):
        raise TypeError("a value in a listing has no truth before it runs")


class _Words:
    """Any word of an element type, as a call."""

    def __init__(self, handler, dtype):
        self._handler, self.dtype = handler, dtype

    def scalar(self, value):
        return value if isinstance(value, Named) else Named(repr(value), self.dtype)

    def cast(self, x, dtype):
        if not isinstance(x, Named):
            return Named(repr(x), dtype)
        return x if x.dtype is dtype else self._handler.named(f"{dtype.name}({x.text})", dtype)

    def __getattr__(self, word):
        if word.startswith("__"):
            raise AttributeError(word)

        def say(*operands):
            texts = [x.text if isinstance(x, Named) else repr(x) for x in operands]
            return self._handler.named(f"{word}({', '.join(texts)})", self.dtype)

        return say


class _Lister:
    """The handler: it writes down what a body asks for."""

    def __init__(self, name_of):
        self.name_of, self.values, self.mask = name_of, {}, ""
        self.count = 0
        self.enter()

    def enter(self):
        """A new block: its lines."""
        self.lines, self.known, self._names = [], {}, {}

    def sibling(self, dtype):
        return _Words(self, dtype)

    def named(self, text, dtype):
        """The name of a value; equal ones once."""
        found = self._names.get((text, dtype))
        if found is None:
            found = self._names[text, dtype] = Named(f"t{self.count}", dtype)
            self.count += 1
            self.lines.append(f"{found.text} = {text}")
        return found

    def load(self, array, place):
        found = self.values.get(array)
        return (
            found
            if found is not None
            else self.named(f"load({self.name_of(array)}, {place_text(place)}){self.mask}", array.dtype)
        )

    def number(self, place):
        return self.named(f"index({place_text(place)})", int64)

    def indirect(self, value, size, wraps):
        return Index.variable(value.text, max(size, 2))

    def masked(self, condition, value, dtype):
        mask, known, names = self.mask, self.known, self._names
        self.mask, self.known, self._names = f"{mask} if {condition.text}", {}, {}
        try:
            return value()
        finally:
            self.mask, self.known, self._names = mask, known, names


def place_text(place):
    """A place as a person writes it."""
    return place.text().replace(" * ", "*")


def letters():
    """name_of that calls arrays a, b ... z, a1, b1 ... in the order in which it is asked."""
    known = {}

    def name_of(array):
        n = len(known)
        return known.setdefault(array, string.ascii_lowercase[n % 26] + (str(n // 26) if n > 25 else ""))

    return name_of


def listed(nest, name_of=None):
    """A nest as a listing."""
    ops = _Lister(name_of or letters())
    loops = [(f"{'r' if reduced else 'i'}{d}", n, reduced) for d, (n, reduced) in enumerate(nest.dims)]
    head = [f"for {name} in {n}:" for name, n, reduced in loops if not reduced]
    inside = [f"for {name} in {n}:" for name, n, reduced in loops if reduced]
    lines = []
    for inner, outer in nest.passes():
        if inner:
            lines += _nested(inside, _block(ops, nest, inner))
        if outer:
            lines += _block(ops, nest, outer)
    return "\n".join(_nested(head, lines))


def _nested(heads, lines):
    """Lines inside of loops."""
    out = [_INDENT * depth + head for depth, head in enumerate(heads)]
    return out + [_INDENT * len(heads) + line for line in lines]


def _block(ops, nest, works):
    """The lines of works that run in the same loops."""
    ops.enter()
    before, made = dict(ops.values), []
    for work in works:
        index = nest.index_of(work)
        value = ops.sibling(work.array.dtype).cast(work.body(ops, index), work.array.dtype)
        name = ops.name_of(work.array)
        if work.kind:
            ops.lines.append(f"{name}[{place_text(work.store_place(index))}] = {work.kind}({value.text})")
            made.append((work.array, Named(name, work.array.dtype)))
        else:
            ops.lines.append(f"{name}[{place_text(work.store_place(index))}] = {value.text}")
            ops.values[work.array] = value
    lines = ops.lines
    if any(not w.kind and nest.level[w] == "inner" for w in works):
        ops.values = before  # in another pass they are read again
    ops.values.update(made)
    return lines


def without_functions(text):
    """A C text without the functions that its kernels bring along (#ifndef LUCID_HAS_x ... #endif)."""
    lines, depth = [], 0
    for line in text.splitlines():
        if depth or line.startswith("#ifndef LUCID_HAS_"):
            if not depth:
                lines.append(f"/* {line.removeprefix('#ifndef LUCID_HAS_')}: see mathematics.py */")
            depth += line.startswith("#if") - line.startswith("#endif")
        else:
            lines.append(line)
    return "\n".join(lines)
