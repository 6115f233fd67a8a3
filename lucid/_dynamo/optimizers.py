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
        self.rate, self.lr = tensor(0.0, dtype=float64), 0.0
        self.last = {}  # id of a group -> (its rows in the last step, their graph)

    def take(self, optimizer, group):
        """Do one step of a group of parameters by a graph; False where there is none for it."""
        if UNUSUAL or group.get("differentiable") or group.get("capturable"):
            return False
        found, graph = self.last.get(id(group), (None, None))
        if found is None or not found.renew(optimizer, group):
            found = _Rows(optimizer, group)
            graph = self._graph_of(optimizer, group, found) if found.are_plain else None
            self.last[id(group)] = (None, None) if graph is None else (found, graph)
        if graph is None:
            return False
        graph(self._rate(group["lr"]), *found.tensors)
        found.let_go()
        return True

    def _graph_of(self, optimizer, group, found):
        """The graph of a step of these rows; None where there is none."""
        key = found.key()
        if key not in self.graphs:
            if len(self.graphs) >= config.recompile_limit * len(optimizer.param_groups):
                return None
            self.graphs[key] = self._graph(optimizer, group, found)
        return self.graphs[key]

    def _rate(self, lr):
        if isinstance(lr, Tensor):
            return lr.detach().reshape(()).to("cpu", float64)
        if lr != self.lr:
            self.lr = lr
            self.rate.fill_(lr)
        return self.rate

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
        self.tensors, self.options = [], _options(group)
        self.are_plain, self.constants = self.options is not None, _constants(group)
        self.params, self.without = list(group["params"]), []  # without: those that have no gradient
        self.entries = []  # (parameter, place in tensors, state, names of tensors there, look of its gradient)
        for p in group["params"]:
            grad = p.grad
            if grad is None:
                self.without.append(p)
                continue
            if type(p) not in PLAIN or grad.is_sparse:
                self.are_plain = False
                return
            state = optimizer._state_of(p, group)
            if not state:
                optimizer._begin(p, state, group)
            names = tuple([name for name, t in state.items() if isinstance(t, Tensor)])
            self.entries.append((p, len(self.tensors), state, names, _look(grad)))
            self.tensors += [p, grad, *[state[name] for name in names]]
        if len(set(map(id, self.tensors))) < len(self.tensors):
            self.are_plain = False  # a gradient or state that two parameters share
        self.arrays = [t._array for t in self.tensors]

    def renew(self, optimizer, group):
        """Take this step's gradients where all else is as it was in the last step; False where it is not."""
        params = group["params"]
        if len(params) != len(self.params) or any([p is not q for p, q in zip(params, self.params)]):
            return False
        if _constants(group) != self.constants or any([p.grad is not None for p in self.without]):
            return False
        tensors, arrays, grads = self.tensors, self.arrays, set()
        for p, at, state, names, look in self.entries:
            grad = p.grad
            if grad is None or _look(grad) != look:
                return False
            if p._array is not arrays[at] or optimizer._state_of(p, group) is not state:
                return False
            for place, name in enumerate(names, at + 2):
                t = state.get(name)
                if t is not tensors[place] or t._array is not arrays[place]:
                    return False
            tensors[at + 1] = grad
            grads.add(id(grad))
        return len(grads) == len(self.entries)

    def let_go(self):
        """Forget the gradients, which a program may free before the next step."""
        for _, at, *_ in self.entries:
            self.tensors[at + 1] = self.arrays[at + 1] = None

    def key(self):
        """What a graph is made for."""
        return self.options, tuple([names for *_, names, _ in self.entries]), tuple(map(_look, self.tensors))

    def step(self, optimizer, group):
        """f(learning rate, *tensors): one step of all parameters."""

        def step(rate, *tensors):
            options, rest = {**group, "lr": rate.double()}, iter(tensors)
            for *_, names, _ in self.entries:
                p, grad = next(rest), next(rest)
                before = {name: next(rest) for name in names}
                state = dict(before)
                optimizer._slow(p, grad, state, options)
                if state.keys() != before.keys() or any(state[name] is not t for name, t in before.items()):
                    raise NewState("the first step")

        return step


def _look(t):
    """What a graph counts on of a tensor."""
    return t._array.shape, t._array.strides, t._table, type(t)


def _constants(group):
    """The options of a group that are constants of its graph."""
    return {name: value for name, value in group.items() if name not in ("params", "lr", "initial_lr")}


def _options(group):
    """The same as a text; None where some are tensors."""
    found = tuple(_constants(group).items())
    if any(isinstance(x, Tensor) for _, v in found for x in (v if isinstance(v, tuple) else (v,))):
        return None
    return repr(found)
