"""Functions as loop nests in any target's text, and the results of running them."""

import math

import numpy as np

import lucid
from lucid._array.numpy.table import table
from lucid._codegen.loops import Input, LoopArray, Result
from lucid._codegen.nest import Nest
from lucid._codegen.scheduler import Schedule
from lucid._codegen.targets import target as target_of
from lucid._inductor.lowering import Lowered
from lucid._tensor import pytree
from lucid._tensor.tensor import Tensor, wrap
from lucid.fx.experimental.proxy_tensor import make_fx


class Program:
    """A function on example inputs, written as nests of a target. checked: what that cannot say is left to the engine
    (`why` says what); otherwise it is a NotImplementedError."""

    def __init__(self, f, inputs, target, checked=False, prefix=""):
        self.inputs, self.target = inputs, target_of(target)
        graph = make_fx(f, tracing_mode="fake")(*inputs)
        self.lowered = Lowered(graph, list(inputs), self.target.words if checked else None)
        self.schedule, self.why = Schedule(self.lowered), self.lowered.why
        self.texts = {}
        for n, step in enumerate(self.schedule.steps):
            if isinstance(step, Nest) and all(math.prod(w.shape) for w in step.work):
                kept = [w.array for w in step.work if not self.schedule.is_internal(w.array, step)]
                self.texts[n] = self.target.source(step, f"{prefix}kernel{n}", kept)

    @property
    def text(self):
        return "\n".join([t.text for t in self.texts.values()])

    def load(self):
        self.kernels = dict(zip(self.texts, self.target.load(list(self.texts.values()))))
        return self

    # ---- running

    def memory(self, x):
        """The numpy array of a LoopArray; that of an owner is made where it is first asked for."""
        owner = x.owner
        if id(owner) not in self.held:
            self.held[id(owner)] = table(owner.dtype).empty_strided(owner.shape, owner.strides)
        if x is owner:
            return self.held[id(owner)]
        return table(x.dtype).as_strided(self.held[id(owner)], x.shape, x.strides, x.offset)

    def real(self, x):
        if isinstance(x, Tensor):
            array = self.memory(x._array)
            return wrap(array, table(x.dtype))
        return self.memory(x) if isinstance(x, LoopArray) else x

    def call(self, call):
        args, kwargs = pytree.tree_map(self.real, (call.args, call.kwargs))
        word = getattr(table(call.dtype), call.function) if call.dtype is not None else call.function
        found = word(*args, **kwargs)
        self.results[id(call)] = found

    def note_results(self):
        """Put the results of calls where nests look for them."""
        for array in self.wanted:
            call, item = array.source
            if id(call) in self.results:
                found = self.results[id(call)]
                found = found if item is None else found[item]
                array_of = found._array if isinstance(found, Tensor) else np.asarray(found)
                out = table(array.dtype).empty_strided(array.shape, array.strides)
                out[...] = array_of
                self.held[id(array)] = out
        self.wanted = [a for a in self.wanted if id(a) not in self.held]

    def __call__(self, *inputs):
        self.held, self.results = {}, {}
        given = [*(inputs or self.inputs), *self.lowered.constants]
        for x, t in zip(self.lowered.inputs, given):
            if x is not None:
                self.held[id(x)] = t.detach()._array
        self.wanted = list(self._results())
        for array in self._constants():
            self.held[id(array)] = given[array.source.number].detach()._array
        for n, step in enumerate(self.schedule.steps):
            if not isinstance(step, Nest):
                self.call(step)
                self.note_results()
                continue
            if n not in self.texts:  # a nest of nothing
                continue
            text, faults = self.texts[n], np.zeros(1, np.int64)
            arrays = [self.memory(a) for a in text.arrays]
            self.kernels[n](*arrays, *[faults] * text.checks, 1)
            if faults[0]:
                raise IndexError("index out of range")
        return [self.result(x) for x in self.lowered.outputs]

    def result(self, x):
        return wrap(self.memory(x), table(x.dtype)) if isinstance(x, LoopArray) else x

    def _reads(self):
        for step in self.schedule.steps:
            if isinstance(step, Nest):
                yield from [a for w in step.work for a in w.reads]
            else:
                leaves = pytree.tree_leaves((step.args, step.kwargs))
                yield from [(x._array if isinstance(x, Tensor) else x).owner for x in leaves
                            if isinstance(x, (Tensor, LoopArray))]  # fmt: skip
        yield from [x.owner for x in self.schedule.outputs]

    def _results(self):
        return {id(a): a for a in self._reads() if isinstance(a.source, Result)}.values()

    def _constants(self):
        return [a for a in self._reads() if isinstance(a.source, Input) and id(a) not in self.held]


def results(f, inputs):
    """What eager gives, as a flat list."""
    return pytree.tree_leaves(f(*inputs), is_leaf=lambda x: x is None)


def close(got, wanted, rtol=1e-5, atol=1e-6):
    """Are two results the same but for rounding?"""
    assert len(got) == len(wanted)
    for a, b in zip(got, wanted):
        if not isinstance(b, Tensor):
            assert a == b
            continue
        assert a.dtype is b.dtype and tuple(a.shape) == tuple(b.shape), (a.dtype, b.dtype, a.shape, b.shape)
        wide = lucid.float64 if b.dtype.is_floating_point else b.dtype
        np.testing.assert_allclose(
            a.detach().to(wide).numpy(), b.detach().to(wide).numpy(), rtol=rtol, atol=atol, equal_nan=True
        )
