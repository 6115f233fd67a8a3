"""What a loop nest can be written as. A new target is one file: a class with two methods, and its name in the registry.

    class Mine(Target):
        name = "mine"

        def source(self, nest, name, kept): ...      # -> Text
        def load(self, texts): ...                   # -> a function for each: kernel(*arrays, [faults], work)

    register(Mine())

A function takes the arrays of Text.arrays in their order (inputs and results alike, in the layout that each LoopArray's
strides say), then an array of one int64 where `checks` is set, in which it puts 1 if an index was out of range, then
the amount of work. It writes into those arrays that the nest makes.
"""

from typing import NamedTuple

from . import extension, numpy_words
from .c_nest import c_source
from .metal import launcher, metal_source
from .numpy_nest import numpy_source
from .triton import triton_kernels, triton_source


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


class Target:
    """A way to write nests and to run what was written."""

    name = None

    def source(self, nest, name, kept) -> Text:
        """A nest as text. kept: arrays that others read, which are stored; the others are the nest's own."""
        raise NotImplementedError

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

    name = "c"

    def source(self, nest, name, kept):
        return self.text(nest, name, c_source(nest, name, kept))

    def load(self, texts):
        kernels = tuple([(t.name, len(t.arrays) + t.checks, 1) for t in texts])
        module = extension.load("".join([t.text for t in texts]), kernels)
        return [getattr(module, t.name) for t in texts]


class Numpy(Target):
    """Python over numpy, in blocks."""

    name = "numpy"

    def source(self, nest, name, kept):
        return self.text(nest, name, numpy_source(nest, name, kept))

    def load(self, texts):
        return numpy_words.load("\n\n".join([t.text for t in texts]), [t.name for t in texts])


class Triton(Target):
    """Triton kernels, for arrays that the triton package can launch them on."""

    name = "triton"

    def source(self, nest, name, kept):
        *found, grid = triton_source(nest, name, kept)
        return self.text(nest, name, found, grid)

    def load(self, texts):
        return triton_kernels([t.text for t in texts], [(t.name, t.extra) for t in texts])


class Metal(Target):
    """Bodies of mlx's metal kernels."""

    name = "metal"

    def source(self, nest, name, kept):
        *found, shape = metal_source(nest, name, kept)
        return self.text(nest, name, found, shape)

    def load(self, texts):
        return [launcher(t) for t in texts]


TARGETS: dict = {}


def register(target):
    """Make a target known by its name."""
    TARGETS[target.name] = target
    return target


def target(name) -> Target:
    """The target of a name."""
    if name not in TARGETS:
        raise NotImplementedError(f"loops are not written as {name}; there are {', '.join(sorted(TARGETS))}")
    return TARGETS[name]


for _target in (C(), Numpy(), Triton(), Metal()):
    register(_target)


__all__ = ["TARGETS", "C", "Metal", "Numpy", "Target", "Text", "Triton", "register", "target"]
