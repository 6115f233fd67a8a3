"""What a loop nest can be written as. A new target is one file: a class with two methods, and its name in the registry.

    class Mine(Target):
        name = "mine"

        handler = ...                                # of bodies, for `words`: which of them can be written at all
        def source(self, nest, name, kept, places): ...      # -> Text
        def load(self, texts): ...                   # -> a function for each: kernel(*arrays, [faults], work)

    register(Mine(), device="mine")                  # compiled graphs of tensors there are written by it

A function takes the arrays of Text.arrays in their order (inputs and results alike, in the layout that each LoopArray's
strides say), then an array of one int64 where `checks` is set, in which it puts 1 if an index was out of range, then
the amount of work. It writes into those arrays that the nest makes.
"""

from typing import NamedTuple

from .._base.dtype import float32, float64
from .._base.shape import is_contiguous
from . import build, extension, numpy_words
from .c_conv import conv_source, is_direct
from .c_nest import c_source, words_of_text
from .metal import MetalHandler, has_metal, launcher, metal_source
from .numpy_nest import numpy_source
from .numpy_words import NumpyHandler
from .text import Nowhere
from .triton import TritonHandler, triton_kernels, triton_source


class Text(NamedTuple):
    """One nest as a text. name: of its function; arrays: LoopArrays that it takes; made: those of them that it writes.

    extra: what else the target wants to know when the text is loaded.
    """

    name: str
    text: str
    arrays: list
    checks: bool
    made: frozenset
    extra: object = None


def conv_text(call, result, name):
    """A convolution as a Text of C; None where it is better left to the engine."""
    if call.function not in ("conv", "conv_input", "conv_weight") or call.dtype not in (float32, float64):
        return None
    a, b, *_, stride, padding, dilation, groups = call.args
    shapes = [tuple(map(int, x.shape)) for x in (a, b, result)]
    if not is_direct(call.function, *shapes, stride, groups):
        return None
    if any(not is_contiguous(x.shape, x.strides) for x in (a, b, result)):
        return None
    source, n = conv_source(call.function, name, *shapes, call.dtype, stride, padding, dilation, groups)
    scratch = result.k.new((n,))
    return Text(name, source, [a, b, result, scratch], False, frozenset([2, 3]))


class Target:
    """A way to write nests and to run what was written.

    handler: what answers bodies; writes_to_inputs: may a function be given one array both to read and to write?
    sums_across: may a nest have sums over its outer turns (nest.py)? groups: can several texts be `grouped`?
    """

    name = handler = None
    writes_to_inputs = sums_across = groups = False

    @property
    def is_usable(self):
        """Is there what it takes to run its texts?"""
        return True

    def words(self, dtype):
        """The words of an element type, written nowhere: to see whether a body can be written."""
        return self.handler(Nowhere()).sibling(dtype)

    def source(self, nest, name, kept, places=None) -> Text:
        """A nest, no loop of which is empty, as text; NotImplementedError for what the target cannot say.

        kept: arrays that others read, which are stored; the others are the nest's own. places: {array: the one whose
        memory it is written to}, of a target that writes_to_inputs.
        """
        raise NotImplementedError

    def word_source(self, call, result, name):
        """A Call of a word that has no loops (a convolution) as a Text, whose last array is memory that it works in;
        None for what is better left to the engine."""
        return None

    def grouped(self, name, texts, calls, given) -> Text:
        """Texts as one, which runs them in their order. calls: (names of arrays, work) of each; given: all names."""
        raise NotImplementedError(f"{self.name} texts are not grouped")

    def load(self, texts) -> list:
        """A function for each Text."""
        raise NotImplementedError(f"{self.name} texts are not run here")

    @staticmethod
    def text(nest, name, found, extra=None):
        """A Text of what a `*_source` function gave back."""
        text, arrays, checks = found
        made = frozenset(n for n, a in enumerate(arrays) if a in nest.written)
        return Text(name, text, arrays, checks, made, extra)


class C(Target):
    """Compiled; NoCompiler where there is no compiler."""

    name, writes_to_inputs, sums_across, groups = "c", True, True, True

    @property
    def is_usable(self):
        return build.promising()

    def words(self, dtype):
        return words_of_text(dtype)

    def source(self, nest, name, kept, places=None, form=None, sizes=(), fractions=()):
        """form: which of c_nest.forms(nest); None: the usual one. sizes, fractions: names of open
        numbers, which the function is told after the work."""
        return self.text(nest, name, c_source(nest, name, kept, places, form, sizes, fractions))

    def word_source(self, call, result, name):
        return conv_text(call, result, name)

    def grouped(self, name, texts, calls, given):
        pointers = {array: f"p{i}" for i, array in enumerate(given)}
        lines = [f"  {t.name}({', '.join([*[pointers[a] for a in names], str(work)])});\n"
                 for t, (names, work) in zip(texts, calls)]  # fmt: skip
        head = f"void {name}({', '.join(f'void *{p}' for p in pointers.values())}, long work)\n"
        source = "".join([t.text for t in texts]) + head + "{\n" + "".join(lines) + "}\n"
        return Text(name, source, [None] * len(given), False, frozenset())

    def load(self, texts):
        return extension.load_parts([(t.text, (t.name, len(t.arrays) + t.checks, 1)) for t in texts])


class Numpy(Target):
    """Python over numpy, in blocks."""

    name, handler = "numpy", NumpyHandler

    def source(self, nest, name, kept, places=None):
        return self.text(nest, name, numpy_source(nest, name, kept))

    def load(self, texts):
        return numpy_words.load("\n\n".join([t.text for t in texts]), [t.name for t in texts])


class Triton(Target):
    """Triton kernels, for arrays that the triton package can launch them on."""

    name, handler = "triton", TritonHandler

    def source(self, nest, name, kept, places=None):
        *found, grid = triton_source(nest, name, kept)
        return self.text(nest, name, found, grid)

    def load(self, texts):
        return triton_kernels([t.text for t in texts], [(t.name, t.extra) for t in texts])


class Metal(Target):
    """Bodies of mlx's metal kernels.

    mlx's arrays are never written: a function takes those that it reads, without faults and work, and gives those that
    it makes. So compiled graphs of lucid's device mlx do not use it by themselves.
    """

    name, handler = "metal", MetalHandler

    @property
    def is_usable(self):
        return has_metal()

    def source(self, nest, name, kept, places=None):
        *found, shape = metal_source(nest, name, kept)
        return self.text(nest, name, found, shape)

    def load(self, texts):
        return [launcher(t) for t in texts]


TARGETS: dict = {}
DEVICES = {}  # device type -> the target for graphs of tensors there


def register(target, device=None):
    """Make a target known by its name, and as that for graphs of tensors on a device."""
    TARGETS[target.name] = target
    if device is not None:
        DEVICES[device] = target
    return target


def target(name) -> Target:
    """The target of a name, which for C is also torch's, "cpp"."""
    name = "c" if name == "cpp" else name
    if name not in TARGETS:
        raise NotImplementedError(f"loops are not written as {name}; there are {', '.join(sorted(TARGETS))}")
    return TARGETS[name]


def usable(device, name="cpp"):
    """The target for graphs of tensors on a device type, or None; on the CPU that of a name, or numpy instead."""
    found = target(name) if device == "cpu" else DEVICES.get(device)
    if found is None or found.is_usable:
        return found
    return TARGETS["numpy"] if device == "cpu" else None


for _target in (C(), Numpy(), Triton(), Metal()):
    register(_target)


__all__ = ["DEVICES", "TARGETS", "C", "Metal", "Numpy", "Target", "Text", "Triton", "register", "target", "usable"]
