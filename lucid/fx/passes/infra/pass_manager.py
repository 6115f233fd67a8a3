"""Passes over a GraphModule: in an order that constraints give, until nothing changes."""

import collections
import functools
import inspect

from ....nn.modules.module import Module
from ...graph_module import GraphModule
from .pass_base import PassResult

__all__ = ["pass_result_wrapper", "this_before_that_pass_constraint", "PassManager"]


def pass_result_wrapper(fn):
    """pass_result_wrapper(fn): fn, which returns a module or nothing, returns a PassResult that says it was changed."""
    if fn is None:
        return None

    @functools.wraps(fn)
    def wrapped(gm):
        result = fn(gm)
        if isinstance(result, PassResult):
            return result
        return PassResult(gm if result is None else result, True) if result is None or _is_module(result) else None

    if not inspect.isfunction(fn):
        wrapped.__name__ = type(fn).__name__
    return wrapped


def _is_module(x):
    return isinstance(x, Module)


def _validate_pass_schedule_constraint(constraint, passes):
    for i, a in enumerate(passes):
        for j, b in enumerate(passes[i + 1 :]):
            if not constraint(a, b):
                raise RuntimeError(
                    f"pass schedule constraint violated. Expected {a} before {b} but found {a} at index {i} and {b} at "
                    f"index {j} in pass list."
                )


def _topological_sort_passes(passes, constraints):
    if not constraints:
        return passes
    after = {p: [] for p in passes}
    waits = dict.fromkeys(passes, 0)
    for a in passes:
        for b in passes:
            count = 0 if a == b else sum(not holds(a, b) for holds in constraints)
            after[b] += [a] * count
            waits[a] += count
    ready, order = collections.deque(p for p in passes if not waits[p]), []
    while ready:
        order.append(ready.popleft())
        for p in after[order[-1]]:
            waits[p] -= 1
            if not waits[p]:
                ready.append(p)
    if circle := [p for p in waits if waits[p]]:
        raise RuntimeError(f"Circular dependency detected within the following passes: {circle}")
    return order


def this_before_that_pass_constraint(this, that):
    """The constraint that pass `this` comes before pass `that`."""
    return lambda a, b: a != that or b != this


class PassManager:
    """PassManager(passes=None, constraints=None, steps=None, run_checks_after_each_pass=False): a call puts the
    passes in order, runs all of them, at most `steps` times, until none changes the module, and gives a PassResult.
    """

    _validated, steps = False, 1

    def __init__(
        self,
        passes=None,
        constraints=None,
        steps=None,
        run_checks_after_each_pass=False,
        suppress_check_failures=False,
    ):
        self.passes, self.constraints = passes or [], constraints or []
        if steps:
            self.steps = steps
        self.run_checks_after_each_pass = run_checks_after_each_pass
        self.suppress_check_failures = suppress_check_failures

    def add_pass(self, _pass):
        """One more pass."""
        self.passes.append(_pass)
        self._validated = False

    def add_constraint(self, constraint):
        """One more constraint."""
        self.constraints.append(constraint)
        self._validated = False

    def validate_constraints(self):
        """RuntimeError where the passes, in their order, break a constraint."""
        if not self._validated:
            for constraint in self.constraints:
                _validate_pass_schedule_constraint(constraint, self.passes)
            self._validated = True

    def solve_constraints(self):
        """Put the passes in an order that the constraints allow; RuntimeError where there is none."""
        self.passes = _topological_sort_passes(self.passes, self.constraints)
        self._validated = True

    def add_checks(self, check):
        """check(module) is called before the passes, and after each of them if that was asked for."""
        if len(inspect.signature(check).parameters) != 1:
            raise TypeError("PassManager check function should only take in one variable, a module")
        self.check = check

    def check(self, module):
        """Raise an error where the module is not as it should be."""

    def __call__(self, module):
        if not self._validated:
            self.solve_constraints()
        self.check(module)
        changed = False
        for _ in range(self.steps):
            now = False
            for i in range(len(self.passes)):
                module, modified = self._run(i, module)
                now = now or modified
            changed = changed or now
            if not now:
                break
        return PassResult(module, changed)

    def _run(self, i, module):
        name = _name(self.passes[i])
        try:
            result = self.passes[i](module)
            if not isinstance(result, PassResult) and not hasattr(result, "graph_module"):
                raise TypeError(
                    f"The result of the pass {name} should be type PassResult.Please wrap it with pass_result_wrapper()"
                )
            if isinstance(result.graph_module, GraphModule):
                result.graph_module.recompile()
            if self.run_checks_after_each_pass:
                self.check(result.graph_module)
        except Exception as trouble:
            before = [_name(p) for p in self.passes[:i]]
            raise Exception(
                f"An error occurred when running the '{name}' pass after the following passes: {before}"
            ) from trouble
        return result.graph_module, result.modified


def _name(step):
    return step.__name__ if inspect.isfunction(step) else type(step).__name__
