"""Backward steps in torch's own ATen calls: those that are one `..._backward` op, and formulas of several.

A node of a call that was seen keeps its arguments and results (`node.told`); here they are what a step reads. The
gradient rules of lucid's ops say the same in mathematics; where torch takes other steps, this says them, and tests
compare the values of both.
"""

from .._backend.dispatch import Held, Overwritten, asked
from .._base.state import local
from .._tensor.tensor import Tensor
from .calls import REDUCTIONS
from .overloads import aten, packet

_BY_NUMBER = {"add", "sub", "mul", "div", "add_", "sub_", "mul_", "div_"}


class _At:
    """at.mul(x, 2): the ATen call as torch's C++ code makes it, a number beside a tensor as a Scalar."""

    def __getattr__(self, name):
        def call(*args, **kwargs):
            if name in _BY_NUMBER and len(args) > 1 and not isinstance(args[1], Tensor):
                which = f"{name}.Scalar"
                return aten(which)(*args, **kwargs)
            return packet("aten", name)(*args, **kwargs)

        setattr(self, name, call)
        return call

    def __call__(self, name, *args, **kwargs):
        return aten(name)(*args, **kwargs)


at = _At()


class Values:
    """What a backward step reads: v.self, v.other (inputs), v.dim (options), v.result (unpacked once)."""

    def __init__(self, node):
        self.node, self.op, self.told, self.opened = node, node.op, node.told, {}

    def __getattr__(self, name):
        op, told = self.op, self.told
        if name in ("self", "input"):
            name = op.inputs[0]
        elif name == "result":
            name = "out0"
        if name not in self.opened:
            value = told[name]
            if isinstance(value, Overwritten):
                raise NotThis
            self.opened[name] = value.unpack() if isinstance(value, Held) else value
        return self.opened[name]

    def has(self, name):
        return name in self.told

    @property
    def sizes(self):
        """The shape of the first input, which may have been written to since."""
        first = self.told[self.op.inputs[0]]
        return tuple((first.value if isinstance(first, (Held, Overwritten)) else first).shape)


# op's class name -> Backward
BACKWARD: dict = {}


class Backward:
    """How torch goes back through an op: `step(v, g, needs)` gives a gradient per input; `saves`: results it keeps."""

    __slots__ = ("step", "saves")

    def __init__(self, step, saves=()):
        self.step, self.saves = step, saves


def formulas(*labels, saves=(), **by_input):
    """The gradient of each input as a function of (v, g), for real numbers; torch works them out in the order of its
    names."""

    def step(v, g, needs):
        need_real(g)
        grads = [None] * len(needs)
        names = sorted(by_input, key=lambda n: "self" if n in ("input", "self") else n)
        for name in names:
            i = 0 if name in ("input", "self") else v.op.inputs.index(name)
            if needs[i]:
                grads[i] = by_input[name](v, g)
        return grads

    for label in labels:
        BACKWARD[label] = Backward(step, saves)


def backward_of(*labels, saves=()):
    """A decorator: step(v, g, needs) -> gradients, for ops whose gradients share work."""

    def put(step):
        for label in labels:
            BACKWARD[label] = Backward(step, saves)
        return step

    return put


def reduction(v):
    return REDUCTIONS.index(v.reduction)


def saved_results(op):
    """Which results torch keeps of an op that it goes back through as BACKWARD says; None where lucid's rule says."""
    found = BACKWARD.get(op.label)
    return None if found is None else found.saves


def backward_call(node, g, edges):
    """The gradients of a node by torch's own steps; None where lucid's rules are as good."""
    found = BACKWARD.get(node.op.label) if hasattr(node, "told") else None
    if found is None or node.told is None:
        return None
    gs = list(g) if isinstance(g, (tuple, list)) else [g]
    if not asked([x for x in gs if x is not None]):
        return None
    v = Values(node)
    for i in found.saves:  # torch unpacks what it kept before it begins
        getattr(v, f"out{i}")
    before, local.in_formula = local.in_formula, True
    try:
        needs = tuple([e is not None for e in edges])
        grads = found.step(v, g, needs)
        return grads if node.shapes is not None else _summed(v, grads, needs)
    except NotThis:
        return None
    finally:
        local.in_formula = before


def _summed(v, grads, needs):
    """Gradients of operands that were broadcast, summed back: torch's engine does so after a step."""
    found = []
    for name, g, needed in zip(v.op.inputs, grads, needs):
        told = v.told.get(name)
        x = told.value if isinstance(told, (Held, Overwritten)) else told
        if needed and g is not None and isinstance(x, Tensor) and g.shape != x.shape:
            extra = g.dim() - x.dim()
            lost = [i for i in range(g.dim()) if i < extra or x.shape[i - extra] == 1 != g.shape[i]]
            if not x.dim():
                g = at.sum(g)
            else:
                g = at("sum.dim_IntList", g, lost, True) if lost else g
                g = at.view(g, list(x.shape)) if extra else g
        found.append(g)
    return [*found, *grads[len(found) :]]


class NotThis(Exception):
    """Raised by a step for a case that it does not know."""


def need_real(*values):
    """NotThis where one is complex: gradients of those are multiplied by conjugates, as lucid's own rules know."""
    if any(isinstance(t, Tensor) and t.is_complex() for t in values):
        raise NotThis


def one(overload, *names, saves=(), label=None, which=0, **fixed):
    """A step that is one call: `names` say its arguments after the gradient."""

    def argument(v, name):
        if name == "shape":
            return list(v.sizes)
        if name == "reduction":
            return reduction(v)
        value = getattr(v, name)
        return list(value) if isinstance(value, tuple) else value

    def step(v, g, needs):
        grads = [None] * len(needs)
        args = [argument(v, n) if isinstance(n, str) and not n.startswith("#") else n for n in names]
        grads[which] = aten(overload)(g, *args, **fixed)
        return grads

    return Backward(step, saves)
