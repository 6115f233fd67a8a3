"""Which arrays of a lowered graph are computed, in which order, and which of them in one kernel."""

from .loops import Input, LoopArray, Result
from .nest import Nest, Work


class Schedule:
    """steps: Nests and Calls in the order in which they run; readers: {array: steps that read it}."""

    def __init__(self, lowered, sums_across=False):
        self.results = [x for x in lowered.outputs if isinstance(x, LoopArray)]
        self.outputs = [*self.results, *[x for _, x in lowered.writes]]
        self.order, self._seen, self.sums_across = [], set(), sums_across
        for x in [*lowered.draws, *self.outputs]:
            self._visit(x.owner)
        self.steps, self.readers = [], {}
        self._fuse()
        self._note_readers()

    # ---- what is to be done, each thing after what it reads

    def _visit(self, array):
        waiting = [(array, None)]
        while waiting:
            array, thing = waiting.pop()
            if thing is not None:
                self.order.append(thing)
                continue
            key = id(array.source.call) if isinstance(array.source, Result) else id(array)
            if key in self._seen or isinstance(array.source, Input):
                continue
            self._seen.add(key)
            thing = array.source.call if isinstance(array.source, Result) else Work(array)
            waiting.append((array, thing))
            waiting.extend((a.owner, None) for a in reads_of(thing))

    def _fuse(self):
        """Put each work into the earliest kernel that it fits: one that makes what it reads, or reads the same."""
        place = {}  # owner -> the number of the step that makes it
        for thing in self.order:
            if not isinstance(thing, Work):
                self.steps.append(thing)
                place[id(thing)] = len(self.steps) - 1
                continue
            after = [place[_key(a)] for a in thing.reads if _key(a) in place]
            for i in range(max(after, default=0), len(self.steps)):
                nest = self.steps[i]
                if isinstance(nest, Nest) and self._is_worth(nest, thing, place) and nest.join(thing):
                    break
            else:
                i = len(self.steps)
                self.steps.append(Nest(thing, self.sums_across))
            place[id(thing.array)] = i

    def _is_worth(self, nest, work, place):
        """Do they have data in common, or data from one and the same kernel?"""
        if any(a in nest.written for a in work.reads):
            return True
        read = {a for w in nest.work for a in w.reads}
        made = {place[_key(a)] for a in read if _key(a) in place}
        return any(a in read or place.get(_key(a)) in made for a in work.reads)

    def _note_readers(self):
        for step in self.steps:
            for a in {id(a.owner): a.owner for a in step_reads(step)}.values():
                self.readers.setdefault(_key(a), []).append(step)

    def may_write_to(self, target, array, nest):
        """May a kernel put an array into the memory of an argument: has everybody read by then what was there?"""
        if any(x.owner is target or x.owner is array for x in self.results):
            return False
        for step in self.readers.get(id(target), ()):
            if self.steps.index(step) > self.steps.index(nest):
                return False
        place = nest.written[array].store_place(nest.index_of(nest.written[array]))
        found, _ = nest.accesses()
        return all(p == place for a, p, _ in found if a is target)

    def is_internal(self, array, nest):
        """Does nobody but a kernel itself read an array that it makes?"""
        if any(x.owner is array for x in self.outputs):
            return False
        return all(step is nest for step in self.readers.get(id(array), ()))


def _key(array):
    return id(array.source.call) if isinstance(array.source, Result) else id(array)


def reads_of(thing):
    """The LoopArrays that a Work or a Call reads."""
    return list(thing.reads) if isinstance(thing, Work) else list(_arrays((thing.args, thing.kwargs)))


def _arrays(x):
    if isinstance(x, (tuple, list, dict)):
        for inner in x.values() if isinstance(x, dict) else x:
            yield from _arrays(inner)
    elif isinstance(array := getattr(x, "_array", x), LoopArray):  # of a Tensor
        yield array


def step_reads(step):
    """The LoopArrays that a step reads."""
    return [a for w in step.work for a in reads_of(w)] if isinstance(step, Nest) else reads_of(step)
