"""Loop nests: which bodies run in one kernel, over which loops, in which order.

    Work(array)            one array to be computed: a body for each element, or a reduction
    Nest                   several of them in the same loops; `join` takes another in where that is right
    nest.passes()          what the loops do, one after the other

A nest has outer loops, whose turns are independent of each other, and inner ones, over what is reduced (none in a nest
without reductions). A value of one outer turn has the level "outer", one of each inner turn the level "inner". Sums
over outer turns, one for each inner turn, have the level "across" and grow in memory from turn to turn.
"""

import math

from . import index as places
from .index import Index
from .listing import listed
from .loops import Counting, Reduction, count_of


class Work:
    """One array to be computed: `shape` is what its loops run over, `dims` those of them that are reduced."""

    def __init__(self, array):
        self.array, source = array, array.source
        if isinstance(source, Reduction):
            self.kind, self.shape, self.dims, self.body = source.kind, source.shape, source.dims, source.body
        else:
            self.kind, self.shape, self.dims, self.body = None, array.shape, (), array.computed
        self.index = tuple([Index.variable(f"d{d}", n) for d, n in enumerate(self.shape)])
        counting = Counting()
        self.body(counting, self.index)
        self.reads = {array: None for array, _ in counting.loads}
        self.is_heavy = counting.is_heavy

    def store_place(self, index):
        """Where in its array's memory the value for an index of its loops lies."""
        kept = [i for d, i in enumerate(index) if d not in self.dims]
        return places.offset(kept, self.array.strides)


class Nest:
    """Work that is done in the same loops. dims: [(size, is it reduced?)], from the slowest to the quickest.

    sums_across: can the text that will be written do work of that level?
    """

    def __init__(self, work, sums_across=False):
        self.work, self.sums_across = [work], sums_across
        self.level = {work: "inner"}
        self.dims = [(n, d in work.dims) for d, n in enumerate(work.shape) if n > 1]
        self.written = {work.array: work}

    def __str__(self):
        return listed(self)

    @property
    def is_reduced(self):
        return any(w.kind for w in self.work)

    # ---- taking in more

    def join(self, work):
        """Take another work in, if its loops are these and it reads what is written here where it is written."""
        if any(a in self.written and self.level[self.written[a]] == "across" for a in work.reads):
            return False
        for level, dims in self._fits(work):
            before = self.dims
            self.dims = dims
            self.level[work] = level
            if self._agrees(work):
                self.work.append(work)
                self.written[work.array] = work
                return True
            self.dims = before
            del self.level[work]
        return False

    def _fits(self, work):
        """The ways in which a work's loops can be these: (level, the dims that both have)."""
        sizes = [n for n in work.shape if n > 1]
        whole = refined(sizes, [n for n, _ in self.dims])
        if whole is not None:
            flags = _spread(whole, self.dims)
            if work.kind:
                mine = _spread(whole, [(n, d in work.dims) for d, n in enumerate(work.shape) if n > 1])
                if not self.is_reduced and all(w.kind is None for w in self.work):
                    yield "inner", mine
                elif mine == flags:
                    yield "inner", flags
                elif work.kind == "sum" and self.sums_across and _is_across(flags, mine):
                    yield "across", flags
            else:
                yield "inner", flags
        if not work.kind and self.is_reduced:
            outer = [n for n, reduced in self.dims if not reduced]
            fine = refined(sizes, outer)
            if fine is not None:
                yield "outer", _replaced(self.dims, fine)

    def _agrees(self, work):
        """Is every element that a work reads of arrays written here the one that its turn writes?"""
        shared = [a for a in work.reads if a in self.written]
        if not shared:
            return True
        counting = Counting()
        work.body(counting, self.index_of(work))
        for array, place in counting.loads:
            writer = self.written.get(array)
            if writer is not None and place != writer.store_place(self.index_of(writer)):
                return False
        return True

    # ---- loops

    def variables(self):
        """The Index of each dim."""
        return [Index.variable(f"{'r' if reduced else 'i'}{d}", n) for d, (n, reduced) in enumerate(self.dims)]

    def index_of(self, work, variables=None):
        """The index into a work's own loops, in terms of these."""
        variables = self.variables() if variables is None else variables
        chosen = [(v, n) for v, (n, reduced) in zip(variables, self.dims) if self.level[work] != "outer" or not reduced]
        index, waiting = [], chosen
        for size in reversed(work.shape):
            total, factor = places.ZERO, 1
            while factor < size:
                v, n = waiting.pop()
                part = min(n, size // factor)
                total, factor = total + (v % part if part < n else v) * factor, factor * part
                if part < n:
                    waiting.append((v // part, n // part))
            index.append(total)
        return tuple(reversed(index))

    def accesses(self, variables=None):
        """Every place that is read or written, as [(array, place, level)], and the numbers that bodies make of them."""
        found, numbers = {}, {}
        for work in self.work:
            counting = Counting()
            index = self.index_of(work, variables)
            work.body(counting, index)
            for array, place in counting.loads:
                found[array, place, "inner" if self.level[work] == "across" else self.level[work]] = None
            level = "outer" if work.kind and self.level[work] == "inner" else self.level[work]
            found[work.array, work.store_place(index), "inner" if level == "across" else level] = None
            numbers.update(counting.numbers)
        return list(found), list(numbers)

    def merge(self):
        """Join neighbouring loops that all places run through as one."""
        d = 0
        while d + 1 < len(self.dims):
            (n, a), (m, b) = self.dims[d : d + 2]
            if a != b or not self._runs_on(d, m):
                d += 1
                continue
            before = self.dims
            self.dims = [*before[:d], (n * m, a), *before[d + 2 :]]
            if self._is_simple():
                continue
            self.dims = before
            d += 1

    def _runs_on(self, d, m):
        first, second = [f"{'r' if self.dims[k][1] else 'i'}{k}" for k in (d, d + 1)]
        found, numbers = self.accesses()
        steps = [(p.step(first), p.step(second)) for p in [*[p for _, p, _ in found], *numbers]]
        return all(s is not None and t is not None and s == t * m for s, t in steps)

    def _is_simple(self):
        try:
            found, numbers = self.accesses()
        except IndexError:
            return False
        return all(atom[0] == "v" for p in [*[p for _, p, _ in found], *numbers] for atom in p.terms)

    # ---- order

    def passes(self):
        """[(works of the inner level, works of the outer level that follow)]: a pass is a run through inner loops.

        Values of a pass may be used in it and, kept, in later ones; a reduction's result is there after its pass.
        """
        when = {}
        for work in self.work:
            first = 0
            for array in work.reads:
                writer = self.written.get(array)
                if writer is not None and writer is not work:
                    late = self.level[work] == "inner" and (writer.kind or self.level[writer] == "outer")
                    first = max(first, when[writer] + bool(late))
            when[work] = first
        found = [([], []) for _ in range(max(when.values()) + 1)]
        for work in self.work:
            found[when[work]][self.level[work] == "outer"].append(work)
        return found


def _is_across(dims, other):
    """Are the loops of a sum those of a nest, its results along the inner ones and its sum over the last outer ones?"""
    if any(reduced and mine for (_, reduced), (_, mine) in zip(dims, other)):
        return False
    outer = [mine for (_, reduced), (_, mine) in zip(dims, other) if not reduced]
    inner_last = [reduced for _, reduced in dims]
    return any(outer) and not all(outer) and outer == sorted(outer) and inner_last == sorted(inner_last)


def refined(a, b):
    """The coarsest sizes that both split into, or None where there are none."""
    if math.prod(a) != math.prod(b):
        return None
    a, b, fine = list(a), list(b), []
    while a and b:
        x, y = a[-1], b[-1]
        if x % y and y % x:
            return None
        least = min(x, y)
        fine.append(least)
        for sizes, n in ((a, x), (b, y)):
            if n == least:
                sizes.pop()
            else:
                sizes[-1] = n // least
    return fine[::-1]


def _spread(fine, dims):
    """[(size, flag)] of fine sizes, with the flags of the dims that they are parts of."""
    out, waiting, left = [], list(reversed(dims)), 1
    for n in reversed(fine):
        if left == 1:
            left, flag = waiting.pop(0)
        out.append((n, flag))
        left //= n
    return out[::-1]


def _replaced(dims, fine):
    """dims, in which those that are not reduced are split into fine sizes."""
    out, waiting = [], list(reversed(fine))
    for n, reduced in reversed(dims):
        if reduced:
            out.append((n, True))
            continue
        while n > 1:
            part = waiting.pop(0)
            out.append((part, False))
            n //= part
    return out[::-1]


__all__ = ["Nest", "Work", "count_of", "refined"]
