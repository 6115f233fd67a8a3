"""A loop nest as a Triton kernel.

    text, arrays, checks, turns = triton_source(nest, "kernel", kept)

    @triton.jit
    def kernel(a0, a1, ..., XBLOCK: tl.constexpr, RBLOCK: tl.constexpr):      # RBLOCK where something is reduced

A program does XBLOCK turns of the outer loops, side by side, and runs through what is reduced in steps of RBLOCK; the
grid has `turns / XBLOCK` programs. Nothing here imports triton; `triton_kernels` does where such texts are to run.
"""

import math

from .._base.dtype import BOOL, DTYPES, FLOATING, bool_, float32, int32
from .text import NOTHING, TextHandler, TextWords, Value
from .triton_words import FLOATS, INTEGERS, MASKS, NOT_IN_TRITON
from .turns import TurnKernel, start_of, unravelled_lines

T = {
    DTYPES[n]: f"tl.{n}"
    for n in "uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 bfloat16 float32 float64".split()
}
T[bool_] = "tl.int1"
HEAD = """import triton
import triton.language as tl
from triton.language.extra import libdevice
"""
# How two running results become one.
COMBINE = {
    "sum": "",
    "prod": "@triton.jit\ndef times(a, b):\n    return a * b\n",
    "max": "@triton.jit\ndef greater(a, b):\n    return tl.where((a > b) | (a != a), a, b)\n",
    "min": "@triton.jit\ndef smaller(a, b):\n    return tl.where((a < b) | (a != a), a, b)\n",
    "any": "@triton.jit\ndef either(a, b):\n    return a | b\n",
    "all": "@triton.jit\ndef both(a, b):\n    return a & b\n",
}
CALLED = {"prod": "times", "max": "greater", "min": "smaller", "any": "either", "all": "both"}


def literal(value, dtype):
    """A Python number as Triton."""
    if dtype.category == FLOATING:
        value = float(value)
        text = repr(value) if math.isfinite(value) else f'float("{value}")'
        return text if dtype is float32 else f"tl.full([], {text}, {T[dtype]})"
    value = bool(value) if dtype is bool_ else wrapped(int(value), dtype)
    return repr(value) if dtype is int32 else f"tl.full([], {value!r}, {T[dtype]})"


def wrapped(value, dtype):
    """A whole number as its type holds it."""
    bits = 8 * dtype.itemsize
    value &= (1 << bits) - 1
    return value - (1 << bits) if dtype.is_signed and value >> bits - 1 else value


class TritonWords(TextWords):
    """The words of one element type."""

    target = "Triton"
    TYPES, FLOATS, INTEGERS, MASKS, NOT_HERE = T, FLOATS, INTEGERS, MASKS, NOT_IN_TRITON
    WHERE, LOGIC = "tl.where({0}, {1}, {2})", {**TextWords.LOGIC, "logical_not": "{0} == 0"}

    def literal(self, value, dtype):
        return literal(value, dtype)

    def write(self, pattern, *operands, of=None, dtype=None):
        """As everywhere; numbers among themselves are tensors, so that what they make is one."""
        if not any(isinstance(x, Value) and x.text.isidentifier() for x in operands):
            of = of or self.dtype
            operands = [self._tensor(x, of) for x in operands]
        return super().write(pattern, *operands, of=of, dtype=dtype)

    def _tensor(self, x, dtype):
        text = self.text(x, dtype)
        return self.make(text if text.startswith("tl.full") else f"tl.full([], {text}, {T[dtype]})", (), dtype)

    def convert(self, text, before, after):
        if after is bool_:
            return f"({text} != 0)"
        return f"{text}.to({T[after]})" if text.isidentifier() else f"tl.cast({text}, {T[after]})"

    def rounded(self, x, dtype):
        return self.make(f"{self.convert(self.text(x, float32), float32, dtype)}.to(tl.float32)", [x], float32)


class TritonHandler(TextHandler):
    """What bodies ask for, as lines of a TritonKernel."""

    words = TritonWords

    def declare(self, name, text, dtype):
        return f"{name} = {text}"

    def place_text(self, place):
        return place.text("({} // {})", "({} % {})")

    def varies(self, place):
        found = NOTHING
        for name in place.variables():
            found |= self.places.get(name, frozenset([name]))
        return found

    places = {}  # what computed places vary with

    def masks(self, varies):
        """The conditions under which a lane that varies with these loops is one of the nest's."""
        names = [n for n in ("x", "r") if any((v[0] == "r") == (n == "r") for v in varies)]
        return [f"{n}mask" for n in names]

    def read(self, array, place):
        varies = self.varies(place)
        masks = self.masks(varies)
        if self.mask is not None:
            masks.append(self.mask.text)
            varies |= self.mask.varies
        where = self.block(place) if masks else f"({self.place_text(place)})"
        masks = f", {' & '.join(masks)}, other=0" if masks else ""
        text = f"tl.load({self.kernel.pointer(array)} + {where}{masks})"
        if array.dtype is bool_:
            text += ".to(tl.int1)"
        value = self.named(text, array.dtype, varies)
        words = self.sibling(array.dtype)
        return value if words.dtype is array.dtype else words.cast(value, words.dtype)

    def block(self, place):
        """The text of places, one for each lane."""
        text = self.place_text(place)
        return f"({text})" if self.varies(place) else f"(tl.full({self.kernel.shape('x')}, 0, tl.int32) + {text})"

    def indirect(self, value, size, wraps):
        place = super().indirect(value, size, wraps)
        ((_, name, _),) = place.terms
        self.places = {**self.places, name: value.varies}
        return place

    def fault(self, wrong):
        lanes = " & ".join([wrong.text, *self.masks(wrong.varies)])
        self.scope.lines.append(f"tl.store(faults + tl.where({lanes}, 0, 0), 1, {lanes})")


class TritonKernel(TurnKernel):
    """One nest on its way to being a Triton kernel."""

    handler = TritonHandler

    def shape(self, names="xr"):
        return "[XBLOCK, RBLOCK]" if self.inner and "r" in names else "[XBLOCK, 1]" if self.inner else "[XBLOCK]"

    def loop(self, lines, starts):
        out = [line for start in starts for line in start]
        out.append(f"for roffset in range(0, {self.row}, RBLOCK):")
        head = ["rindex = roffset + rbase", f"rmask = rindex < {self.row}"]
        head += unravelled_lines("rindex", self.inner, "{} = {}", "{} // {}")
        return out + [f"    {line}" for line in [*head, *lines]]

    def reduce(self, work, value, acc):
        dtype = work.array.dtype
        kind = {"max": "any", "min": "all"}[work.kind] if dtype.category == BOOL else work.kind
        start = f"{acc} = tl.full({self.shape()}, {_plain(start_of(work.kind, dtype))}, {T[dtype]})"
        combined = f"{acc} + {value.text}" if kind == "sum" else f"{CALLED[kind]}({acc}, {value.text})"
        self.ops.scope.lines.append(f"{acc} = tl.where(xmask & rmask, {combined}, {acc})")
        if kind == "sum":
            end = f"{acc} = tl.sum({acc}, 1)[:, None]"
        else:
            self.helpers[kind] = COMBINE[kind]
            end = f"{acc} = tl.reduce({acc}, 1, {CALLED[kind]})[:, None]"
        outer = frozenset([name for name, _ in self.outer]) or frozenset("x")
        return [start], [end], Value(acc, dtype, outer)

    def store(self, work, value):
        place = self.place_of(work)
        masks = " & ".join(self.ops.masks(value.varies | place.variables()) or ["xmask"])
        target = f"{self.pointer(work.array)} + {self.ops.block(place)}"
        self.ops.scope.lines.append(f"tl.store({target}, {value.text}, {masks})")

    helpers = {}

    def source(self):
        self.helpers = {}
        lines = self._whole()
        given = [*[self._pointers[a] for a in self.arrays], *["faults"] * self.ops.checks, "XBLOCK: tl.constexpr"]
        given += ["RBLOCK: tl.constexpr"] * bool(self.inner)
        text = f"@triton.jit\ndef {self.name}({', '.join(given)}):\n"
        text += "".join(f"    {line}\n" for line in lines)
        return "\n\n".join([HEAD, *self.helpers.values(), text])

    def _whole(self):
        lines = self.passes()
        column = "[:, None]" if self.inner else ""
        wide = ".to(tl.int64)" if any(a.size >= 1 << 31 for a in self.arrays) else ""
        head = [
            f"xindex = tl.program_id(0){wide} * XBLOCK + tl.arange(0, XBLOCK){column}",
            f"xmask = xindex < {self.turns}",
        ]
        head += unravelled_lines("xindex", self.outer, "{} = {}", "{} // {}")
        head += [f"rbase = tl.arange(0, RBLOCK)[None, :]{wide}"] * bool(self.inner)
        return head + lines


def _plain(value):
    return f'float("{value}")' if isinstance(value, float) else repr(value)


def triton_source(nest, name, kept):
    """(Triton text of a nest, the arrays that its function takes, does it report faults?, (turns, inner turns))"""
    kernel = TritonKernel(nest, name, kept)
    text = kernel.source()
    return text, kernel.arrays, kernel.ops.checks, (kernel.turns, kernel.row if kernel.inner else None)


def blocks(turns, row):
    """{"XBLOCK": ..., "RBLOCK": ...} for a kernel with so many turns."""
    power = lambda n, most: min(most, 1 << max(n - 1, 0).bit_length())  # noqa: E731
    if row is None:
        return {"XBLOCK": power(turns, 1024)}
    inner = power(row, 1024)
    return {"XBLOCK": power(turns, max(1, 1024 // inner)), "RBLOCK": inner}


def triton_kernels(texts, shapes, more=None):
    """A function for each text: kernel(*arrays, [faults], work). shapes: [(name, (turns, inner turns))].

    more: what names in the texts are to mean, beside what they import.
    """
    import linecache

    found = []
    for n, (text, (name, (turns, row))) in enumerate(zip(texts, shapes)):
        file = f"<triton kernel {name} {n} {hash(text)}>"  # triton reads a function's lines from its file
        linecache.cache[file] = len(text), None, text.splitlines(True), file
        scope = {"__name__": f"triton_{name}"}
        exec(compile(text, file, "exec"), scope)
        scope.update(more or {})
        sizes = blocks(turns, row)
        grid = (-(-turns // sizes["XBLOCK"]),)
        found.append(lambda *given, _k=scope[name], _g=grid, _s=sizes: _k[_g](*given[:-1], **_s) and None)
    return found


__all__ = [
    "TritonHandler",
    "TritonKernel",
    "TritonWords",
    "blocks",
    "literal",
    "triton_kernels",
    "triton_source",
    "wrapped",
]
