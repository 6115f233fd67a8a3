"""A loop nest as the body of a Metal kernel, for mlx's `mx.fast.metal_kernel`.

    text, arrays, checks, turns = metal_source(nest, "kernel", kept)

A thread does one turn of the outer loops and runs through what is reduced. The text is the functions that the body
calls, a line of dashes, and the body: `parts(text)` takes it apart. Metal has no float64.
"""

import functools
import math

from .._base.dtype import BOOL, DTYPES, FLOATING, bool_, float32, int64
from .._base.shape import is_dense
from .metal_words import FLOATS, FUNCTIONS, INTEGERS, MASKS, NEEDS, NOT_IN_METAL
from .text import TextHandler, TextWords, Value
from .triton import wrapped
from .turns import TurnKernel, start_of, unravelled_lines

M = {
    DTYPES[name]: text
    for name, text in dict(
        bool="bool", uint8="uchar", int8="char", int16="short", int32="int", int64="long", uint16="ushort",
        uint32="uint", uint64="ulong", float32="float", float16="half", bfloat16="bfloat16_t",
    ).items()
}  # fmt: skip
RULE = "// " + "-" * 60
THREADS = 256  # of a group


class MetalWords(TextWords):
    """The words of one element type."""

    target = "Metal"
    TYPES, FLOATS, INTEGERS, MASKS, NOT_HERE = M, FLOATS, INTEGERS, MASKS, NOT_IN_METAL
    WHERE = "{0} ? {1} : {2}"

    def literal(self, value, dtype):
        if dtype.category == FLOATING:
            value = float(value)
            if math.isfinite(value):
                text = repr(value)
                return f"({text}f)" if text.startswith("-") else f"{text}f"
            return "NAN" if value != value else "INFINITY" if value > 0 else "(-INFINITY)"
        if dtype is bool_:
            return "true" if value else "false"
        value = wrapped(int(value), dtype)
        if value == -(1 << 63):
            return "(-9223372036854775807L - 1)"
        return f"{M[dtype]}({value}{'' if dtype.itemsize < 8 else 'L' if dtype.is_signed else 'UL'})"

    def convert(self, text, before, after):
        return f"({text} != 0)" if after is bool_ else f"{M[after]}({text})"

    def rounded(self, x, dtype):
        return self.make(f"float({M[dtype]}({self.text(x, float32)}))", [x], float32)

    def make(self, text, operands, dtype=None):
        for name in FUNCTIONS:
            if f"{name}(" in text:
                self.handler.kernel.use(name)
        if (
            dtype in (None, self.dtype)
            and self.dtype.category < FLOATING
            and self.dtype.itemsize < 4
            and self.dtype is not bool_
        ):
            text = f"{M[self.dtype]}({text})"  # computed as int
        return super().make(text, operands, dtype)


class MetalHandler(TextHandler):
    """What bodies ask for, as lines of a MetalKernel."""

    words = MetalWords

    def declare(self, name, text, dtype):
        return f"const {M[dtype]} {name} = {text};"

    def read(self, array, place):
        text = f"{self.kernel.pointer(array)}[{place.text()}]"
        words = self.sibling(array.dtype)
        if self.mask is not None:
            text = f"{self.mask.text} ? {text} : {M[array.dtype]}(0)"
        return self.named(text if words.dtype is array.dtype else f"float({text})", words.dtype)

    def fault(self, wrong):
        self.scope.lines.append(f"if ({wrong.text}) faults[0] = 1;")


class MetalKernel(TurnKernel):
    """One nest on its way to being Metal."""

    handler = MetalHandler

    def __init__(self, nest, name, kept):
        super().__init__(nest, name, kept)
        self.functions = {}

    def pointer(self, array):
        if array.size >= 1 << 31:
            raise NotImplementedError("places beyond 31 bits are not written as Metal")
        return super().pointer(array)

    def use(self, name):
        """Bring one of our own functions, after those that it calls."""
        if name not in self.functions:
            for other in NEEDS.get(name, ()):
                self.use(other)
            self.functions[name] = FUNCTIONS[name]

    def loop(self, lines, starts):
        heads = [f"for (int {name} = 0; {name} < {n}; {name}++) {{" for name, n in self.inner]
        out = [line for start in starts for line in start]
        out += ["  " * k + head for k, head in enumerate(heads)]
        out += ["  " * len(heads) + line for line in lines]
        return out + ["  " * k + "}" for k in reversed(range(len(heads)))]

    def reduce(self, work, value, acc):
        dtype = work.array.dtype
        words, v = self.ops.sibling(dtype), value.text
        start = f"{M[dtype]} {acc} = {words.literal(start_of(work.kind, dtype), dtype)};"
        if dtype.category == BOOL:
            line = f"{acc} = {acc} {'|' if work.kind == 'max' else '&'} {v};"
        elif work.kind in ("sum", "prod"):
            line = f"{acc} = {acc} {'+' if work.kind == 'sum' else '*'} {v};"
        else:
            test = f"{v} {'>' if work.kind == 'max' else '<'} {acc}"
            line = f"{acc} = {test}{f' || {v} != {v}' if dtype.category == FLOATING else ''} ? {v} : {acc};"
        self.ops.scope.lines.append(line)
        return [start], [], Value(acc, dtype)

    def store(self, work, value):
        text = value.text if value.dtype is work.array.dtype else f"{M[work.array.dtype]}({value.text})"
        self.ops.scope.lines.append(f"{self.pointer(work.array)}[{self.place_of(work).text()}] = {text};")

    def source(self):
        lines = self.passes()
        head = ["const int turn = thread_position_in_grid.x;", f"if (turn >= {self.turns}) return;"]
        head += unravelled_lines("turn", self.outer, "const int {} = {};")
        return "\n".join([*self.functions.values(), RULE, *head, *lines]) + "\n"


def metal_source(nest, name, kept):
    """(Metal text of a nest, the arrays that its kernel takes, does it report faults?, outer turns)"""
    kernel = MetalKernel(nest, name, kept)
    text = kernel.source()
    return text, kernel.arrays, kernel.ops.checks, kernel.turns


def parts(text):
    """(the functions, the body) of a Metal text."""
    functions, body = text.split(RULE + "\n")
    return functions, body


# ---- running them with mlx


def memory_order(array):
    """The dimensions of a LoopArray from the slowest to the quickest in memory."""
    return sorted(range(len(array.shape)), key=lambda d: -array.strides[d])


def launcher(text, metal_kernel=None, kind=None):
    """A function for a Text of Metal: launch(inputs) -> results, mlx arrays for those of text.arrays that are read and
    written. Inputs are laid out as their LoopArrays, results likewise.

    metal_kernel: what stands in for mx.fast.metal_kernel; kind(dtype): the library's element type.
    """
    if not all(is_dense(a.shape, a.strides) for a in text.arrays):
        raise NotImplementedError("arrays with gaps in their memory are no operands of a Metal kernel")
    reads = [(f"a{n}", a) for n, a in enumerate(text.arrays) if n not in text.made]
    writes = [(f"a{n}", a) for n, a in enumerate(text.arrays) if n in text.made]
    functions, body = parts(text.text)
    outputs = [name for name, _ in writes] + ["faults"] * text.checks

    @functools.lru_cache(None)
    def kernel():
        make = metal_kernel
        if make is None:
            import mlx.core as mx

            make = mx.fast.metal_kernel
        return make(
            name=text.name, input_names=[n for n, _ in reads], output_names=outputs, source=body, header=functions
        )

    def launch(inputs):
        given = [_flat(x, a) for x, (_, a) in zip(inputs, reads)]
        turns, kind_of = text.extra, kind or _mlx_kind
        found = kernel()(
            inputs=given,
            grid=(turns, 1, 1),
            threadgroup=(min(turns, THREADS), 1, 1),
            output_shapes=[*[(max(a.size, 1),) for _, a in writes], *[(1,)] * text.checks],
            output_dtypes=[kind_of(d) for d in [*[a.dtype for _, a in writes], *[int64] * text.checks]],
            init_value=0 if text.checks else None,
        )
        if text.checks and int(found[-1][0]):
            raise IndexError("index out of range in self")
        return [_shaped(x, a) for x, (_, a) in zip(found, writes)]

    return launch


def _mlx_kind(dtype):
    import mlx.core as mx

    return getattr(mx, "bool_" if dtype is bool_ else dtype.name)


def _flat(x, array):
    """An array's elements in the order of its memory, as one row (so that one number is a row as well)."""
    order = memory_order(array)
    return (x if order == sorted(order) else x.transpose(order)).reshape((-1,))


def _shaped(x, array):
    order = memory_order(array)
    x = x.reshape(tuple([array.shape[d] for d in order]))
    return x if order == sorted(order) else x.transpose([order.index(d) for d in range(len(order))])


__all__ = ["MetalHandler", "MetalKernel", "MetalWords", "launcher", "memory_order", "metal_source", "parts"]
