"""Texts in which each turn of a nest's outer loops is a program of its own: a thread's body, a Triton program.

A program has the values of its passes at hand. What a later pass reads of an earlier one's inner values is computed
anew: nothing is kept between passes but one value for each reduction.
"""

import math

from .parts import Arguments
from .text import Scope, held


class TurnKernel(Arguments):
    """One nest on its way to being text. A target gives `handler`, a class, and the methods at the end."""

    handler = None

    def __init__(self, nest, name, kept):
        nest.merge()
        self.nest, self.name, self.kept = nest, name, set(kept)
        super().__init__()
        self.names = [f"{'r' if r else 'i'}{d}" for d, (_, r) in enumerate(nest.dims)]
        sizes = [(name, n, r) for name, (n, r) in zip(self.names, nest.dims)]
        self.outer = [(name, n) for name, n, reduced in sizes if not reduced]
        self.inner = [(name, n) for name, n, reduced in sizes if reduced]
        self.turns, self.row = (math.prod([n for _, n in dims]) for dims in (self.outer, self.inner))
        self.values, self.pass_values = {}, {}
        self.ops = self.handler(self)

    def value_of(self, array):
        """The value of an array that this nest makes, at this turn."""
        for known in (self.values, self.pass_values):
            if array in known:
                return known[array]
        if array not in self.nest.written:
            return None
        found = self.pass_values[array] = self._computed(self.nest.written[array])
        return found

    def _computed(self, work):
        value = work.body(self.ops, self.nest.index_of(work))
        return self.ops.sibling(work.array.dtype).cast(value, work.array.dtype)

    # ---- passes

    def passes(self):
        """The lines of all passes."""
        top, lines = Scope(), []
        for inner, outer in self.nest.passes():
            if inner:
                lines += self._inner(inner, top)
            if outer:
                lines += self._outer(outer, top)
        return lines

    def _inner(self, works, top):
        """One run through the inner loops; where there are none, their one turn."""
        scope = Scope(top) if self.inner else top
        begin = len(scope.lines)
        self.ops.enter(scope)
        self.pass_values = {}
        reduced = []
        for work in works:
            value = self._computed(work)
            if work.kind and self.inner:
                reduced.append((work, self.reduce(work, value, f"acc{len(self.values) + len(reduced)}")))
                continue
            self.pass_values[work.array] = value
            if work.array in self.kept:
                self.store(work, value)
        lines = scope.lines[begin:] if scope is top else self.loop(scope.lines, [start for _, (start, _, _) in reduced])
        if not self.inner:
            self.values.update(self.pass_values)
        self.pass_values = {}
        after = Scope(top)
        self.ops.enter(after)
        for work, (_, end, value) in reduced:
            after.lines += end
            self.values[work.array] = value
            if work.array in self.kept:
                self.store(work, value)
        return [*lines, *after.lines]

    def _outer(self, works, top):
        begin = len(top.lines)
        self.ops.enter(top)
        for work in works:
            value = self.values[work.array] = self._computed(work)
            if work.array in self.kept:
                self.store(work, value)
        return top.lines[begin:]

    def place_of(self, work):
        """Where a work's value is stored."""
        return work.store_place(self.nest.index_of(work))

    @staticmethod
    def held(work):
        return held(work.array.dtype)

    # ---- a target's own

    def loop(self, lines, starts):
        """Lines inside the inner loops, after the lines that the reductions begin with."""
        raise NotImplementedError

    def reduce(self, work, value, acc):
        """Put a value into a running result: (lines before the loop, lines after it, the result)."""
        raise NotImplementedError

    def store(self, work, value):
        """Write into the current scope that a value is stored."""
        raise NotImplementedError


def unravelled_lines(running, dims, template, quotient="{} / {}"):
    """Lines that take a running number apart into the loops' own."""
    lines, rest = [], running
    for k, (name, n) in enumerate(reversed(dims)):
        last = k == len(dims) - 1
        lines.append(template.format(name, rest if last else f"{rest} % {n}"))
        rest = "(" + quotient.format(rest, n) + ")"
    return lines


def start_of(kind, dtype):
    """What a reduction begins with, as a Python number."""
    if kind in ("sum", "prod"):
        return int(kind == "prod")
    sign = -1 if kind == "max" else 1
    if dtype.category == 0:
        return kind == "min"
    if dtype.category > 1:
        return sign * math.inf
    bits = 8 * dtype.itemsize
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if dtype.is_signed else (0, (1 << bits) - 1)
    return low if kind == "max" else high


__all__ = ["TurnKernel", "start_of", "unravelled_lines"]
