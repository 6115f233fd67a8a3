"""What a compiled graph is made of, as data: texts, and the names of what they call."""

from typing import NamedTuple

from .._array.lookup import table
from .._aten.kernels import kernel_of
from .._base.device import device
from .._base.dtype import DTYPES
from .._codegen import targets
from .._tensor.storage import bump_all
from .._tensor.tensor import wrap
from . import plain


def refused(t, k):
    """AssertionError for an argument of another type than the graph was made for."""
    raise AssertionError(f"a graph made for {k.dtype} on {k.device} was given {t.dtype} on {t.device}")


def fitted(x, k, shape, strides):
    """x laid out with these strides: itself, where they differ in dimensions of size 1 only; AssertionError for another
    shape."""
    found = k.strides(x)
    if tuple(x.shape) != shape:
        raise AssertionError(f"a graph made for shape {list(shape)} was given {list(x.shape)}")
    if all(n < 2 or s == t for n, s, t in zip(shape, found, strides)):
        return x
    return k.with_strides(x, strides)


class Kept:
    """Memory inside a graph, from one call to the next. Calls at the same time have their own."""

    def __init__(self, slots):
        self.slots, self.waiting = slots, []

    def take(self):
        """Arrays for a call."""
        try:
            return self.waiting.pop()
        except IndexError:
            return [k.empty_strided(shape, strides) for k, shape, strides in self.slots]

    def give(self, memory):
        """The call is over."""
        self.waiting.append(memory)


class Made(NamedTuple):
    """A graph's Python text, the texts of its kernels, and what their names stand for."""

    source: str  # of call(args)
    target: str  # what writes and loads the kernels: the name of a Target
    device: str
    texts: tuple  # the target's Text for each kernel
    tables: tuple  # names of element types: k_float32 is the kernels' table of float32
    functions: dict  # name -> overload: its kernel
    attributes: dict  # name -> the graph's attribute whose array it is
    values: dict  # name -> number, element type ...
    slots: tuple = ()  # (element type, shape, strides) of memory that is kept between calls

    def load(self, attributes):
        """f([inputs]) -> list of outputs. attributes: of the graph's module; compiles the kernels where that is due."""
        where = device(self.device)
        scope = {
            "wrap": wrap,
            "bump_all": bump_all,
            "fitted": fitted,
            "refused": refused,
            "IndexError": IndexError,
            **self.values,
        }
        scope.update({f"k_{name}": table(DTYPES[name], where) for name in self.tables})
        scope.update({name: kernel_of(overload) for name, overload in self.functions.items()})
        scope.update({name: attributes(target)._array for name, target in self.attributes.items()})
        if self.slots:
            scope["kept"] = Kept([(table(DTYPES[name], where), shape, strides) for name, shape, strides in self.slots])
        if self.texts:
            scope.update(zip([t.name for t in self.texts], targets.target(self.target).load(self.texts)))
        exec(compile(self.source, "<inductor>", "exec"), scope)  # noqa: S102 - lucid's own text, from a private place
        run = scope["call"]
        run._boxed_call, run.made = True, self
        return run

    def data(self):
        """All of that as plain data; NotPlain where that cannot be."""
        if type(targets.target(self.target)) not in (targets.C, targets.Numpy):
            raise plain.NotPlain(f"kernels of the target {self.target}")
        return {
            **self._asdict(),
            "texts": [[t.name, t.text, len(t.arrays), t.checks] for t in self.texts],
            "functions": {name: plain.op_name(f) for name, f in self.functions.items()},
            "values": {name: plain.plain(x) for name, x in self.values.items()},
        }


def from_data(data):
    """The Made of such data."""
    texts = [targets.Text(name, text, [None] * n, checks, frozenset()) for name, text, n, checks in data["texts"]]
    functions = {name: plain.op(f) for name, f in data["functions"].items()}
    values = {name: plain.value(x) for name, x in data["values"].items()}
    slots = tuple([(dtype, tuple(shape), tuple(strides)) for dtype, shape, strides in data["slots"]])
    return Made(**{**data, "texts": tuple(texts), "functions": functions, "values": values, "slots": slots})


__all__ = ["Made", "fitted", "from_data", "refused"]
