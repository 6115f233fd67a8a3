"""The words of loop bodies as Python over numpy: calls of the functions that the CPU's kernel tables hold."""

import math

import numpy as np

from .._array.numpy.table import converted
from .._array.numpy.table import table as numpy_table
from .._array.words import POINTWISE, has_word
from .._base.dtype import BOOL, DTYPES, FLOATING, bool_, float32, int64
from .index import Index
from .text import NOTHING, Scope, TextHandler, TextWords, Value, held

OWN_TYPES = frozenset("float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64".split())

# Words that no body says, since their operands are more than elements.
NOT_HERE = {
    "orthogonal_polynomial": "its degree and kind are no elements",
    "polygamma": "its order is no element",
    "complex": "complex numbers have no loops",
    "polar": "complex numbers have no loops",
}


def kind_text(dtype):
    """numpy's name for an element type."""
    return (
        f"np.{dtype.name}" if dtype.name in OWN_TYPES else "np.bool_" if dtype is bool_ else f"{dtype.name}.array_dtype"
    )


def number_text(value):
    """A Python number as Python."""
    if isinstance(value, float) and not math.isfinite(value):
        return "np.nan" if value != value else "np.inf" if value > 0 else "-np.inf"
    return repr(value)


class NumpyWords(TextWords):
    """The words of one element type."""

    target = "numpy"
    TYPES = {d: d.name for d in DTYPES.values() if d.category <= FLOATING}
    NOT_HERE = NOT_HERE
    TESTS = dict(eq=np.equal, ne=np.not_equal, lt=np.less, le=np.less_equal, gt=np.greater, ge=np.greater_equal)
    LOGIC = {word: getattr(np, word) for word in TextWords.LOGIC}
    NOT = np.invert

    @classmethod
    def has(cls, word):
        return word in POINTWISE and word not in NOT_HERE

    def scalar(self, value):
        if isinstance(value, Value):
            return value
        value = 0 if value is None else value  # of no account: no element is taken from here
        return self.handler.put(f"{self.dtype.name}.scalar({number_text(value)})", (), "window", self.dtype, NOTHING)

    def cast(self, x, dtype):
        if not isinstance(x, Value):
            return self.handler.sibling(dtype).scalar(x)
        if held(dtype) is not dtype:
            return self._rounded(self.cast(x, float32), dtype)
        if x.dtype is dtype:
            return x
        return self.handler.put(f"{x.text}.astype({kind_text(dtype)})", (x.text,), "fresh", dtype, x.varies)

    def _rounded(self, x, dtype):
        """A float32 that holds what a half would: the half itself is what is stored."""
        put, known = self.handler.put, self.handler.narrow.get(x.text)
        if known is not None and known.dtype is dtype:
            return x
        if dtype.itemsize == 2:
            half = put(f"{x.text}.astype({kind_text(dtype)})", (x.text,), "fresh", dtype, x.varies)
        else:
            half = put(f"converted({x.text}, {kind_text(dtype)})", (x.text,), "call", dtype, x.varies)
        wide = put(f"{half.text}.astype(np.float32)", (half.text,), "fresh", float32, x.varies)
        self.handler.narrow[wide.text] = half
        return wide

    def write(self, function, *operands, of=None, dtype=None):
        """The call of a function with operands of one type; a ufunc can be told where to put its results."""
        operands = [self.cast(x, of or self.dtype) for x in operands]
        return self.call(function, operands, dtype or self.dtype)

    def call(self, function, operands, dtype):
        texts = tuple([x.text for x in operands])
        varies = NOTHING.union(*[x.varies for x in operands])
        if isinstance(function, np.ufunc) and getattr(np, function.__name__, None) is function and function.nout == 1:
            return self.handler.put(f"np.{function.__name__}({', '.join(texts)}", texts, "ufunc", dtype, varies)
        return self.handler.put(f"{function}({', '.join(texts)})", texts, "call", dtype, varies)

    def _function(self, word):
        found = getattr(numpy_table(self.dtype), word)
        return found if isinstance(found, np.ufunc) else f"{self.dtype.name}.{word}"

    def __getattr__(self, word):
        row = POINTWISE.get(word)
        if word.startswith("__"):
            raise AttributeError(word)
        if row is None or word in NOT_HERE or not has_word(self.dtype, row):
            why = NOT_HERE.get(word, f"not of {self.dtype}" if row is not None else "it is not an elementwise word")
            raise NotImplementedError(f"the word '{word}' cannot be written as numpy: {why}")
        dtype = bool_ if row.result == "bool" else self.dtype
        return lambda *x: self.write(self._function(word), *x, dtype=dtype)

    def where(self, condition, a, b):
        dtype = next((x.dtype for x in (a, b) if isinstance(x, Value)), self.dtype)
        operands = [self.cast(condition, bool_), self.cast(a, dtype), self.cast(b, dtype)]
        return self.call(f"{dtype.name}.where", operands, dtype)


class NumpyHandler(TextHandler):
    """What bodies ask for, as lines of a NumpyKernel.

    narrow: {name of a float32: the half that it was made from}; bytes: {argument: name of its memory as bytes}
    """

    words = NumpyWords

    def __init__(self, kernel):
        super().__init__(kernel)
        self.narrow, self.bytes, self._index_values, self._named = {}, {}, {}, {}
        self.enter(Scope())

    def put(self, text, reads, made, dtype, varies):
        """The name of a value; equal values once."""
        found = self._named.get((text, dtype))
        if found is None:
            found = self._named[text, dtype] = Value(f"t{self.count}", dtype, varies)
            self.count += 1
            self.kernel.add(self.kernel.line(found.text, text, reads, made, dtype, varies))
        return found

    # ---- places as arrays

    def number(self, place):
        return self.index(place)

    def index(self, place):
        """A place as an array of whole numbers."""
        reads, varies = [], set()
        text = self._index_text(place, reads, varies)
        if reads == [text]:
            return Value(text, int64, frozenset(varies))
        made = "fresh" if reads else "window"
        return self.put(text if reads else f"int64.scalar({text})", tuple(reads), made, int64, frozenset(varies))

    def _index_text(self, place, reads, varies):
        parts = []
        for (kind, x, n), c in place.terms.items():
            if kind == "v":
                value = self._index_values[x] if x in self._index_values else self._variable(x)
                reads.append(value.text)
                varies |= value.varies
                atom = value.text
            else:
                inner = self._index_text(x, reads, varies)
                atom = f"({inner}) {'//' if kind == '/' else '%'} {n}"
                atom = f"({atom})"
            parts.append(atom if c == 1 else f"{atom} * {c}")
        if place.constant or not parts:
            parts.append(str(place.constant))
        return " + ".join(parts).replace("+ -", "- ")

    def _variable(self, name):
        kernel = self.kernel
        n, start = kernel.axis(name), name if name in kernel.blocks else None
        shape = ", ".join(["-1" if other == name else "1" for other in kernel.names])
        span = f"{start}, {start} + {n}" if start else n
        text = f"np.arange({span}).reshape({shape})"
        return self.put(text, (), "window", int64, frozenset([name]))

    def indirect(self, value, size, wraps):
        words = self.sibling(int64)
        v = words.cast(value, int64)
        if wraps:
            v = words.where(words.lt(v, 0), words.add(v, size), v)
        outside = self.put(f"{v.text}.view(np.uint64) >= {size}", (v.text,), "fresh", bool_, v.varies)
        wrong = outside if self.mask is None else self.sibling(bool_).logical_and(outside, self.mask)
        self.checks = True
        self.kernel.fault(f"if {wrong.text}.any(): faults[0] = 1", (wrong.text,))
        place = words.where(outside, 0, v)
        self._index_values[place.text] = place
        return Index({("v", place.text, max(size, 2)): 1})

    # ---- loads

    def memory(self, name, dtype):
        """An argument as something np.ndarray takes for memory: types that are not numpy's own have no buffers."""
        if dtype.name in OWN_TYPES or dtype.category == BOOL:
            return name
        return self.bytes.setdefault(name, f"b{name[1:]}")

    def read(self, array, place):
        if not array.size:
            return self.sibling(array.dtype).scalar(0)
        extent = 1 + sum([(n - 1) * s for n, s in zip(array.shape, array.strides)])
        safe = place.low >= 0 and place.high < extent
        name = self.kernel.pointer(array)
        if safe and self.kernel.is_window(place):
            text, reads, made = self.kernel.window(array, place), (), "window"
            varies = frozenset(place.variables())
        elif safe and (rows := self._rows(array, place)):
            text, reads, varies, made = *rows, "fresh"
        else:
            where = self.index(place)
            if not safe and self.mask is not None:
                words = self.sibling(int64)
                where = words.where(self.mask, where, 0)
            text, reads, varies, made = f"{name}.take({where.text})", (where.text,), where.varies, "fresh"
        return self._widened(self.put(text, reads, made, array.dtype, varies))

    def _widened(self, value):
        if held(value.dtype) is value.dtype:
            return value
        wide = self.put(f"{value.text}.astype(np.float32)", (value.text,), "fresh", float32, value.varies)
        self.narrow[wide.text] = value
        return wide

    def _rows(self, array, place):
        """(text, reads, varies) where whole rows of an array are picked by number; else None."""
        kernel = self.kernel
        picked = [(x, n, c) for (kind, x, n), c in place.terms.items() if kind == "v" and x in self._index_values]
        if len(picked) != 1 or any(kind != "v" for kind, _, _ in place.terms):
            return None
        (name, n, step), *_ = picked
        value, rest = (
            self._index_values[name],
            Index({a: c for a, c in place.terms.items() if a[1] != name}, place.constant),
        )
        inner = [x for x in kernel.names if rest.step(x)]
        if (
            not inner
            or not value.varies
            or not all(kernel.names.index(a) < kernel.names.index(inner[0]) for a in value.varies)
        ):
            return None
        size = array.dtype.itemsize
        begin = [f"{rest.step(x) * size} * {x}" for x in inner if x in kernel.blocks]
        shape = ", ".join([str(n), *[kernel.axis(x) for x in inner]])
        strides = ", ".join(str(s * size) for s in [step, *[rest.step(x) for x in inner]])
        whole = ", ".join(kernel.axis(x) if x in value.varies or x in inner else "1" for x in kernel.names)
        memory = self.memory(kernel.pointer(array), array.dtype)
        window = f"np.ndarray(({shape}), {kind_text(array.dtype)}, {memory}, "
        window += f"{' + '.join([*begin, str(rest.constant * size)])}, ({strides}))"
        text = f"{window}.take({name}.reshape(-1), 0).reshape({whole})"
        return text, (name,), value.varies | set(inner)


def flat(a):
    """An array's memory, from its first element to its last, as one row."""
    if a.flags.c_contiguous:
        return a.reshape(-1)
    extent = 1 + sum([(n - 1) * s for n, s in zip(a.shape, a.strides)]) // a.itemsize if a.size else 0
    return np.lib.stride_tricks.as_strided(a, (extent,), (a.itemsize,))


def load(text, names):
    """The functions of a text, by name."""
    known = {d.name: numpy_table(d) for d in NumpyWords.TYPES if d.name in text}
    known.update(np=np, flat=flat, converted=converted)
    exec(compile(text, "<numpy kernels>", "exec"), known)
    return [known[name] for name in names]


__all__ = ["NOT_HERE", "NumpyHandler", "NumpyWords", "flat", "kind_text", "load", "number_text"]
