"""Triton texts run without Triton: the part of its language that they use, on numpy's arrays.

It is stricter than Triton: operands of different types are an error, and so is an element read outside of memory.
test_loop_texts.py holds it to Triton's own interpreter where that is installed.
"""

import functools
import math
import operator
import sys
import types
from unittest import mock

import numpy as np

from lucid._array.numpy.table import TABLES, table
from lucid._codegen.numpy_words import flat
from lucid._codegen.triton import T, triton_kernels

KINDS = {text.removeprefix("tl."): np.dtype(table(dtype).array_dtype) for dtype, text in T.items()}

# libdevice's names that numpy spells otherwise; words of the CPU's tables where numpy has no such function.
NAMES = dict(
    nearbyint="rint", pow="power", atan2="arctan2", asin="arcsin", acos="arccos", atan="arctan", asinh="arcsinh",
    acosh="arccosh", atanh="arctanh", j0="bessel_j0", j1="bessel_j1", y0="bessel_y0", y1="bessel_y1",
    cyl_bessel_i0="i0", cyl_bessel_i1="i1", normcdfinv="ndtri",
)  # fmt: skip


def libdevice(name, *arrays):
    """A function of libdevice on numpy's arrays of one type."""
    name, kind = NAMES.get(name, name), arrays[0].dtype
    arrays = [np.ascontiguousarray(a) for a in np.broadcast_arrays(*arrays)]
    function = getattr(np, name) if hasattr(np, name) and name != "i0" else getattr(TABLES[kind], name)
    return np.asarray(function(*arrays)).astype(kind)


class Block:
    """A tensor of Triton's."""

    def __init__(self, data):
        self.data = np.asarray(data)

    def __getitem__(self, index):
        return Block(self.data[index])

    def to(self, kind):
        return Block(self.data.astype(kind))

    def __neg__(self):
        return Block(-self.data)

    def __invert__(self):
        return Block(~self.data)


def operand(x, like):
    """An operand's array; a Python number is taken in the type of the other operand."""
    if not isinstance(x, Block):
        return np.asarray(x, like.dtype if not isinstance(x, float) or like.dtype.kind == "f" else np.float32)
    same = x.data.dtype == like.dtype or x.data.dtype.kind == like.dtype.kind == "i"
    assert same, f"operands of types {like.dtype} and {x.data.dtype}"
    return x.data


def operation(function):
    """An operator of blocks of one type and numbers."""

    def apply(a, b):
        if isinstance(b, Pointer):
            return NotImplemented
        return Block(function(a.data, operand(b, a.data)))

    return apply


def quotient(a, b):
    """Of whole numbers as in C, towards 0."""
    return (np.abs(a) // np.abs(b) * (np.sign(a) * np.sign(b))).astype(a.dtype)


for _name in "add sub mul and_ or_ xor lshift rshift eq ne lt le gt ge".split():
    setattr(Block, f"__{_name.strip('_')}__", operation(getattr(operator, _name)))
Block.__truediv__ = operation(lambda a, b: np.divide(a, b, dtype=a.dtype if a.dtype.kind == "f" else np.float32))
Block.__floordiv__, Block.__mod__ = operation(quotient), operation(lambda a, b: a - quotient(a, b) * b)
Block.__radd__, Block.__rmul__ = Block.__add__, Block.__mul__
Block.__rsub__ = lambda a, b: Block(operand(b, a.data) - a.data)
Block.__rtruediv__ = lambda a, b: Block(operand(b, a.data) / a.data)


class Pointer:
    """Places in an array's memory."""

    def __init__(self, memory, places=0):
        self.memory, self.places = memory, places

    def __add__(self, places):
        return Pointer(self.memory, places.data if isinstance(places, Block) else places)


def load(pointer, mask=None, other=None):
    places = np.asarray(pointer.places)
    if mask is None:
        return Block(pointer.memory[places])
    places, mask = np.broadcast_arrays(places, mask.data)
    found = np.full(places.shape, other, pointer.memory.dtype)
    found[mask] = pointer.memory[places[mask]]
    return Block(found)


def store(pointer, value, mask):
    data = value.data if isinstance(value, Block) else value
    places, mask, data = np.broadcast_arrays(pointer.places, mask.data, data)
    assert (places[mask] >= 0).all()
    pointer.memory[places[mask]] = data[mask].astype(pointer.memory.dtype)


def where(condition, a, b):
    like = next(
        (x.data for x in (a, b) if isinstance(x, Block)), np.float32(0) if float in (type(a), type(b)) else None
    )
    like = np.int32(0) if like is None else like
    condition = condition.data if isinstance(condition, Block) else condition
    return Block(np.where(condition, operand(a, like), operand(b, like)))


def extreme(with_nan, without):
    def apply(a, b, propagate_nan="none"):
        return Block((with_nan if propagate_nan == "all" else without)(a.data, operand(b, a.data)))

    return apply


def reduce(x, axis, combine):
    parts = [Block(x.data.take(i, axis)) for i in range(x.data.shape[axis])]
    return functools.reduce(combine, parts)


class Kernel:
    """What triton.jit gives: kernel[grid](*arrays, sizes), or a function that a kernel calls."""

    program = 0

    def __init__(self, function):
        self.function = function

    def __call__(self, *operands):
        return self.function(*operands)

    def __getitem__(self, grid):
        def launch(*arrays, **sizes):
            for Kernel.program in range(math.prod(grid)):
                with np.errstate(all="ignore"):
                    self.function(*map(Pointer, arrays), **sizes)

        return launch


def language():
    """tl."""
    one = lambda f: lambda x: Block(f(x.data).astype(x.data.dtype))  # noqa: E731
    tl = types.ModuleType("triton.language")
    tl.__dict__.update(KINDS, constexpr=None, load=load, store=store, where=where, reduce=reduce)
    tl.__dict__.update({name: one(getattr(np, name)) for name in ("exp", "log", "sin", "cos", "abs")})
    tl.sigmoid = one(lambda a: 1 / (1 + np.exp(-a)))
    tl.maximum, tl.minimum = extreme(np.maximum, np.fmax), extreme(np.minimum, np.fmin)
    tl.PropagateNan = types.SimpleNamespace(ALL="all", NONE="none")
    tl.program_id = lambda axis: Block(np.int32(Kernel.program))
    tl.arange = lambda start, end: Block(np.arange(start, end, dtype=np.int32))
    tl.full = lambda shape, value, kind: Block(np.full(shape, value, kind))
    tl.cast = lambda x, kind: x.to(kind) if isinstance(x, Block) else Block(np.asarray(x, kind))
    tl.sum = lambda x, axis: Block(x.data.sum(axis, dtype=x.data.dtype))
    return tl


class Libdevice:
    """triton.language.extra.libdevice."""

    def __getattr__(self, name):
        def call(*operands):
            like = next(x.data for x in operands if isinstance(x, Block))
            return Block(libdevice(name, *[operand(x, like) for x in operands]))

        return call


def loaded(texts):
    """A function for each Text, called as those of other targets."""
    triton, tl, extra = types.ModuleType("triton"), language(), types.ModuleType("triton.language.extra")
    triton.jit, triton.language, extra.libdevice = Kernel, tl, Libdevice()
    modules = {"triton": triton, "triton.language": tl, "triton.language.extra": extra}
    with mock.patch.dict(sys.modules, modules):
        kernels = triton_kernels([t.text for t in texts], [(t.name, t.extra) for t in texts])
    return [functools.partial(_run, kernel) for kernel in kernels]


def _run(kernel, *given):
    kernel(*[flat(a) for a in given[:-1]], 1)


__all__ = ["libdevice", "loaded"]
