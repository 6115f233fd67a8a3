"""Python's random numbers: a segment draws them before its graph, which takes them as tensors.

While a program is read they are drawn for real, in the program's order, and the generator is set back afterwards: so
the segment draws the very same. What it drew is set back, too, where it turns out that the segment does not fit.
"""

import operator
import random

from .._backend.registry import NAMESPACES
from .._base.dtype import int64
from .._modes.fake import faking
from .._tensor.tensor import Tensor
from . import config
from .builtins import BUILTINS
from .exc import Break
from .floats import as_tensor
from .guards import Guard
from .source import Source

GENERATOR = random.random.__self__
_GET, _SET = GENERATOR.getstate, GENERATOR.setstate  # the same objects whenever they are named
_DIRECT = {operator.add, operator.sub, operator.mul, operator.truediv}


class Draws:
    """The random numbers of one reading."""

    def __init__(self):
        self.calls, self.before = [], None  # (function, args), in order; the generator's state at first
        self.inputs = {}  # id of a number -> its Input

    def draw(self, m, function, args):
        """One number more."""
        if self.before is None:
            self.before = _GET()
        value = m.native(function, args)
        if type(value) not in (int, float):
            raise Break("a random number that is none of Python's own")
        source = Source(None, "drawn", len(self.calls), f"random_value_{len(self.calls)}")
        self.calls.append((function, args))
        made = m.recorder.drawn_number(value, source)
        return made

    def finish(self):
        """The reading ends: the generator is as it was."""
        if self.before is not None:
            _SET(self.before)

    def lines(self, constants):
        """The statements that draw."""
        if not self.calls:
            return []
        found = [f"drawn = {constants.name(_GET)}()"]
        for n, (function, args) in enumerate(self.calls):
            found.append(f"r{n} = {constants.name(function)}({', '.join(map(constants.literal, args))})")
        return found

    def undone(self, constants):
        """The statement that sets the generator back."""
        return f"{constants.name(_SET)}(drawn)"


def tensor_of(number):
    """The tensor that a random number is for a graph."""
    if type(number) is not int:
        return as_tensor(number)
    return NAMESPACES["torch"]["tensor"](number, dtype=int64, device="cpu")


def fake_of_number(number):
    """A fake of such a tensor."""
    with faking():
        return tensor_of(number)


def is_direct(function, args):
    """Does an operator give the same with a random number as a tensor? Else it is given the number."""
    if function not in _DIRECT:
        return False
    others = [a for a in args if isinstance(a, Tensor)]
    return len(others) == 1 and others[0].dim() > 0 and others[0].dtype.is_floating_point


def _enter(function, called):
    bound = getattr(GENERATOR, function.__name__)

    def read(m, frame, *args, **kwargs):
        owner, args = called(list(args))
        if owner is not GENERATOR or kwargs or any(type(a) not in (int, float) for a in args):
            raise Break(f"call of random.{function.__name__}")
        if config.stop_where_torch_does and function.__name__ == "random":
            raise Break("call of random.random")
        source = m.sources.get(id(owner))
        if source is not None:
            m.guard(Guard(source, "is", owner))
        return m.recorder.draws.draw(m, bound, args)

    BUILTINS[function] = read


_enter(random.random, lambda args: (GENERATOR, args))
for _name in ("randint", "randrange", "uniform"):
    _enter(getattr(random.Random, _name), lambda args: (args[0], args[1:]))
