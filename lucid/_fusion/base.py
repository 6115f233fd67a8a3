"""What a fusion pattern is, the table of patterns, and how a walk finds them.

A pair is a node `op2` whose input was made by a node `op1` that nothing else in the walk reads. The gradient then goes from
op2's result to op1's input in one rule, and op1 is passed over. That must never be visible: hooks, captures, create_graph and
anomaly mode take another walk, and a rule that cannot vouch for the unfused value declines by returning None.
"""

import functools
from abc import ABC, abstractmethod

from .._backend import backward
from .._backend.graph import AccumulateGrad, Output

_NEVER = 1 << 62
_fusion_table: dict[tuple[str, str], type] = {}

# Ops that end a pattern, with the least threshold among theirs: one look-up here is all that a node without a match pays.
_seconds: dict[str, int] = {}


class FusedBackwardOp(ABC):
    """A pattern: subclass it, name `op1` and `op2` (op names or classes, or tuples of them), and write `__grad__`. Never instantiated.

    `__grad__` takes any of these, by name: g (the gradient of op2's result), ins (op1's node, with its saved values), rets
    (op2's node), lib_ (the kernel table); it returns the gradient of op1's input, or None to decline.
    heuristic_thresh: below this many elements of g the pair is left alone.
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
            _seconds[key[1]] = min(cls.heuristic_thresh, _seconds.get(key[1], cls.heuristic_thresh))

    @staticmethod
    @abstractmethod
    def __grad__(g, ins, rets, lib_):
        """The gradient of op1's input, or None to decline."""

    @classmethod
    def get_fused_grad_func(cls, ins, rets, lib_):
        """f(g) -> the gradient of op1's input: `__grad__` with what it asks for by name."""
        names = cls.__grad__.__code__.co_varnames[: cls.__grad__.__code__.co_argcount]
        unknown = set(names) - {"g", "ins", "rets", "lib_"}
        if unknown:
            raise TypeError(f"{cls.__name__}.__grad__ asks for {sorted(unknown)}; it can have g, ins, rets, lib_")
        known = {"ins": ins, "rets": rets, "lib_": lib_}
        bound = {n: known[n] for n in names if n != "g"}
        return functools.partial(cls.__grad__, **bound) if "g" in names else lambda g: cls.__grad__(**bound)


def _name(op):
    return op if isinstance(op, str) else op.name


def _names(ops):
    return [_name(op) for op in (ops if isinstance(ops, tuple) else (ops,))]


def match_fusion_table(op1, op2):
    """The pattern that fuses op1 followed by op2 (names or classes), or None."""
    return _fusion_table.get((_name(op1), _name(op2)))


class Planner:
    """Finds the pairs of one walk. The consumers are counted only once a pattern has met a large enough gradient."""

    def __init__(self, nodes):
        self.nodes, self.consumers, self.passed = nodes, None, set()

    def match(self, second, g):
        """(f, op1's node) if `second` and the node it reads are a pair worth fusing for gradient g, else None."""
        op = second.op
        if op is None or g.__class__ is list or g.size < _seconds.get(op.name, _NEVER) or len(second.edges) != 1:
            return None
        first = second.edges[0]
        if first.__class__ is Output or first.__class__ is AccumulateGrad or first is None or first.op is None:
            return None
        pattern = _fusion_table.get((first.op.name, op.name))
        if pattern is None or g.size < pattern.heuristic_thresh or len(first.edges) != 1 or first.n_out > 1:
            return None
        if self.consumers is None:
            self.consumers = _consumers(self.nodes)
        if self.consumers[first] != 1:
            return None
        return pattern.get_fused_grad_func(first, second, second.k), first


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
