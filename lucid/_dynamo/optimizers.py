"""Optimizer steps as compiled graphs: `torch.compile(optimizer.step)`, and steps that compiled functions call.

A group of parameters is one graph, made by running the optimizer's own `_update` on what is known of the parameters,
their gradients and their state. The learning rate is an input of the graph, so that a scheduler may change it; other
options are constants, and a graph is made for each set of them.
"""

import weakref

from .._backend.overrides import PLAIN
from .._base.dtype import float64
from .._base.state import UNUSUAL
from .._func.creation.from_data import tensor
from .._tensor.tensor import Tensor
from ..fx.experimental.proxy_tensor import make_fx
from . import config
from .reading import compiling
from .utils import counters

_KNOWN = weakref.WeakKeyDictionary()  # optimizer -> {key of the compiler's settings: CompiledSteps}


def steps_of(settings, optimizer):
    """The CompiledSteps of an optimizer under the settings of a call of torch.compile."""
    known = _KNOWN.setdefault(optimizer, {})
    if settings.key not in known:
        known[settings.key] = CompiledSteps(settings)
    return known[settings.key]


class NewState(Exception):
    """A step that puts something new into the state, as first steps do, is no graph."""


class CompiledSteps:
    """The graphs of one optimizer's steps."""

    def __init__(self, settings):
        self.settings, self.graphs = settings, {}  # what a graph was made for -> its function; None: there is none
        self.rate = tensor(0.0, dtype=float64)

    def take(self, optimizer, group):
        """Do one step of a group of parameters by a graph; False where there is none for it."""
        found = None if UNUSUAL or group.get("differentiable") or group.get("capturable") else _Rows(optimizer, group)
        if found is None or not found.are_plain:
            return False
        key = found.key()
        if key not in self.graphs:
            if len(self.graphs) >= config.recompile_limit * len(optimizer.param_groups):
                return False
            self.graphs[key] = self._graph(optimizer, group, found)
        graph = self.graphs[key]
        if graph is None:
            return False
        graph(self._rate(group["lr"]), *found.tensors)
        return True

    def _rate(self, lr):
        return lr.detach().reshape(()) if isinstance(lr, Tensor) else self.rate.fill_(lr)

    def _graph(self, optimizer, group, rows):
        """The compiled graph of a step; None where the step asks for values or makes new state."""
        inputs = [self._rate(group["lr"]), *rows.tensors]
        try:
            with compiling():
                module = make_fx(rows.step(optimizer, group), tracing_mode="fake")(*inputs)
        except (NewState, RuntimeError, NotImplementedError) as why:
            counters["graph_break"][f"{type(optimizer).__name__}.step: {why}"] += 1
            return None
        return self.settings.compile_graph(module, inputs)


class _Rows:
    """The parameters of a group that have gradients, their gradients and state."""

    def __init__(self, optimizer, group):
        self.tensors, self.names, self.options = [], [], _options(group)
        self.are_plain = self.options is not None
        for p in group["params"]:
            grad = p.grad
            if grad is None:
                continue
            if type(p) not in PLAIN or grad.is_sparse:
                self.are_plain = False
                return
            state = optimizer._state_of(p, group)
            if not state:
                optimizer._begin(p, state, group)
            names = tuple([name for name, t in state.items() if isinstance(t, Tensor)])
            self.names.append(names)
            self.tensors += [p, grad, *[state[name] for name in names]]
        if len(set(map(id, self.tensors))) < len(self.tensors):
            self.are_plain = False  # a gradient or state that two parameters share

    def key(self):
        """What a graph is made for."""
        looks = [(t._array.shape, t._array.strides, t._table, type(t)) for t in self.tensors]
        return self.options, tuple(self.names), tuple(looks)

    def step(self, optimizer, group):
        """f(learning rate, *tensors): one step of all parameters."""

        def step(rate, *tensors):
            options, rest = {**group, "lr": rate.double()}, iter(tensors)
            for names in self.names:
                p, grad = next(rest), next(rest)
                before = {name: next(rest) for name in names}
                state = dict(before)
                optimizer._slow(p, grad, state, options)
                if state.keys() != before.keys() or any(state[name] is not t for name, t in before.items()):
                    raise NewState("the first step")

        return step


def _options(group):
    """The options of a group that are constants of its graph; None where some are tensors."""
    found = tuple([(name, value) for name, value in group.items() if name not in ("params", "lr", "initial_lr")])
    if any(isinstance(x, Tensor) for _, v in found for x in (v if isinstance(v, tuple) else (v,))):
        return None
    return repr(found)
