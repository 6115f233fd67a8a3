"""What a fusion pattern is, the table of patterns, and how a walk finds them.

A pair is a node of `op2` whose input was made by a node of `op1` that nothing else in the walk reads. The gradient then
goes from op2's result to op1's input in one rule, and op1 is passed over. That must never be visible: hooks, captures,
create_graph and anomaly mode take another walk, and a rule that cannot vouch for the unfused value declines by
returning None.
"""

import functools
import inspect
from abc import ABC, abstractmethod

from .._array.lookup import table
from .._backend import backward
from .._backend.closure_ops import ClosureNode
from .._backend.families import Along, Pointwise
from .._backend.graph import OUTPUTS, AccumulateGrad, Output, Packed
from .._backend.publish import NODE_NAMES
from .._backend.registry import OPS, PAIR_ENDS
from .._tensor.tensor import Tensor

_fusion_table: dict[tuple[str, str], type] = {}


class FusedBackwardOp(ABC):
    """A pattern: subclass it, name `op1` and `op2`, and write `__grad__`. Never instantiated.

    op1, op2: op classes or their names, or tuples of them.
    heuristic_thresh: below this many elements of the gradient the pair is left alone.
    """

    op1 = op2 = None
    heuristic_thresh = 0

    def __new__(cls, *args, **kwargs):
        raise TypeError(f"{cls.__name__} is a pattern and is not to be instantiated")

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if cls.op1 is None or cls.op2 is None:
            raise TypeError(f"{cls.__name__} must name op1 and op2")
        pairs = [(a, b) for a in _names(cls.op1) for b in _names(cls.op2)]
        for key in pairs:
            if key in _fusion_table:
                raise ValueError(f"the pair {key} is fused by {_fusion_table[key].__name__} already")
        for key in pairs:
            _fusion_table[key] = cls
        for op in cls.op2 if isinstance(cls.op2, tuple) else (cls.op2,):
            _note_end(op, cls.heuristic_thresh)

    @classmethod
    @abstractmethod
    def __grad__(cls, *, ins, rets, lib_, g, first, second):
        """The gradient of op1's input, an array or a Tensor; None to decline.

        It may ask for any of these, by name. ins: a tuple of op1's inputs; rets: of op2's result. Of each it can have
        `.shape`, `.grad`, and `.data` where a node saved the values. lib_: the kernel table. g: the gradient of op2's
        result as a raw array; first, second: the nodes of op1 and op2, with what they saved.
        """

    @classmethod
    def get_fused_grad_func(cls, inputs, results, lib_="cpu", **known):
        """f() -> what `__grad__` returns for these inputs and results (one or several Tensors); lib_: a kernel table or
        a device. TypeError where `__grad__` asks for what is not there.
        """
        ins, rets = (tuple(x) if isinstance(x, (tuple, list)) else (x,) for x in (inputs, results))
        if isinstance(lib_, str):
            lib_ = table(rets[0].dtype, lib_)
        known.update(ins=ins, rets=rets, lib_=lib_)
        names, takes_all = _asked(getattr(cls.__grad__, "__func__", cls.__grad__))
        missing = [n for n, required in names.items() if required and n not in known]
        if missing:
            raise TypeError(f"{cls.__name__}.__grad__ asks for {', '.join(missing)}; it can have {', '.join(known)}")
        return functools.partial(cls.__grad__, **(known if takes_all else {n: known[n] for n in names if n in known}))


@functools.cache
def _asked(grad):
    """({parameter of a `__grad__`: must it be given?}, does it take any keyword?)"""
    parameters = [p for p in inspect.signature(grad).parameters.values() if p.name != "cls"]
    named = {p.name: p.default is p.empty for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    return named, any(p.kind is p.VAR_KEYWORD for p in parameters)


def _name(op):
    return op if isinstance(op, str) else op.name


def _names(ops):
    return [_name(op) for op in (ops if isinstance(ops, tuple) else (ops,))]


def _note_end(end, threshold):
    """Nodes of this op (a class or a name), declared now or later, are looked at from so many elements on."""
    name = _name(end)
    PAIR_ENDS[name] = least = min(threshold, PAIR_ENDS.get(name, threshold))
    for op in (end, *OPS.values()):
        if not isinstance(op, str) and op.name == name:
            for node in map(op.__dict__.get, NODE_NAMES):
                if isinstance(node, type):
                    node.ends_pair_from(least)


def match_fusion_table(op1, op2):
    """The pattern that fuses op1 followed by op2 (classes, instances or names of ops), or None."""
    return _fusion_table.get((_name(op1), _name(op2)))


class Seen:
    """A tensor of the graph as a pattern sees it, through the node that it went into or came from."""

    __slots__ = ("_shape", "grad", "_node", "_saved")

    def __init__(self, shape, grad, node, saved):
        self._shape, self.grad, self._node, self._saved = shape, grad, node, saved

    @property
    def shape(self):
        """Its shape, a tuple; RuntimeError where neither of the nodes tells."""
        if self._shape is None:
            raise RuntimeError(f"{self._node.name()} did not save the shape of its input")
        return self._shape

    @property
    def data(self):
        """Its values, a raw array; RuntimeError where the op had no need to save them."""
        found = [getattr(self._node, n, None) for n in self._saved]
        found = [array for array in found if array is not None]
        if not found:
            raise RuntimeError(f"{self._node.name()} did not save the values: only .shape is known")
        return found[0]


# Ops outside the families of one shape whose result has their input's, and those whose input's follows from it.
_KEEP_SHAPE = {"alias", "cast", "clone", "conj_view", "flip", "neg_view", "roll", "transfer", "tril", "triu"}


def _swapped(shape, a, b):
    shape[a], shape[b] = shape[b], shape[a]
    return shape


_TURN = {
    "t": lambda node, out: out[::-1],
    "transpose": lambda node, out: _swapped(out, node.dim0, node.dim1),
    "permute": lambda node, out: [out[node.dims.index(i)] for i in range(len(out))],
    "unsqueeze": lambda node, out: out[: node.dim] + out[node.dim + 1 :],
}


def _shape_into(node, out):
    """The shape of a node's first input, None if unknown; `out`: the shape of its result, None if unknown."""
    if isinstance(node, ClosureNode):
        return tuple(node.inputs[0][0])
    saved, array = getattr(node, "shape_0", None), getattr(node, node.op.inputs[0], None)
    if saved is not None:
        return tuple(saved)
    if array is not None and not isinstance(array, Packed):
        return tuple(array.shape)
    if out is None or issubclass(node.op, (Pointwise, Along)) or node.op.name in _KEEP_SHAPE:
        return out
    turned = _TURN.get(node.op.name)
    return None if turned is None else tuple(turned(node, list(out)))


def fused(pattern, first, second, g):
    """The gradient of first's input by the pattern, a raw array; None if it declines."""
    shape = _shape_into(first, _shape_into(second, tuple(g.shape)))
    before = Seen(shape, None, first, () if isinstance(first, ClosureNode) else (first.op.inputs[0],))
    result = Seen(tuple(g.shape), g, second, tuple(OUTPUTS))
    names = {"g": g, "first": first, "second": second}
    got = pattern.get_fused_grad_func(before, result, second.k, **names)()
    got = got._array if isinstance(got, Tensor) else got
    if got is not None and shape is not None and tuple(getattr(got, "shape", ())) != shape:
        raise RuntimeError(
            f"{pattern.__name__}.__grad__ returned a gradient of shape {list(getattr(got, 'shape', ()))} for an input "
            f"of shape {list(shape)}"
        )
    return got


class Planner:
    """Finds the pairs of one walk. The consumers are counted only once a pattern has met a large enough gradient."""

    def __init__(self, nodes):
        self.nodes, self.consumers, self.passed = nodes, None, set()

    def match(self, second, g):
        """(f, op1's node) if `second` and the node it reads are a pair worth fusing for gradient g, else None."""
        if len(second.edges) != 1:
            return None
        first = second.edges[0]
        if first.__class__ is Output or first.__class__ is AccumulateGrad or first is None or first.op is None:
            return None
        pattern = _fusion_table.get((first.op.name, second.op.name))
        if pattern is None or g.size < pattern.heuristic_thresh or len(first.edges) != 1 or first.n_out > 1:
            return None
        if self.consumers is None:
            self.consumers = _consumers(self.nodes)
        if self.consumers[first] != 1:
            return None
        return functools.partial(fused, pattern, first, second), first


def _consumers(nodes):
    """How many edges of the walk lead to each node."""
    count = {}
    for node in nodes:
        for e in node.edges:
            if e is not None:
                e = e.node if e.__class__ is Output else e
                count[e] = count.get(e, 0) + 1
    return count


backward.fusion = Planner
