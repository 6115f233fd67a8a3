"""A list of passes over anything, in an order that constraints check."""

import functools
import inspect
import logging

logger = logging.getLogger(__name__)

__all__ = [
    "PassManager",
    "inplace_wrapper",
    "log_hook",
    "loop_pass",
    "this_before_that_pass_constraint",
    "these_before_those_pass_constraint",
]


def inplace_wrapper(fn):
    """inplace_wrapper(fn): fn, which changes its argument, returns that argument."""

    @functools.wraps(fn)
    def wrapped(gm, *args, **kwargs):
        fn(gm, *args, **kwargs)
        return gm

    return wrapped


def log_hook(fn, level=logging.INFO):
    """log_hook(fn, level=INFO): what fn returns is logged."""

    @functools.wraps(fn)
    def wrapped(*args, **kwargs):
        value = fn(*args, **kwargs)
        logger.log(level, "Ran pass %s\t Return value: %s", fn, value)
        return value

    return wrapped


def loop_pass(base_pass, n_iter=None, predicate=None):
    """loop_pass(pass, n_iter=None, predicate=None): the pass n_iter times, or as long as predicate(result) holds."""
    if (n_iter is None) is (predicate is None):
        raise AssertionError("Exactly one of `n_iter`or `predicate` must be specified.")

    @functools.wraps(base_pass)
    def looped(source):
        if predicate is not None:
            while predicate(source):
                source = base_pass(source)
            return source
        if n_iter <= 0:
            raise RuntimeError(
                f"loop_pass must be given positive int n_iter (given {n_iter}) xor predicate (given {predicate})"
            )
        for _ in range(n_iter):
            source = base_pass(source)
        return source

    return looped


def _validate_pass_schedule_constraint(constraint, passes):
    for i, a in enumerate(passes):
        for j, b in enumerate(passes[i + 1 :]):
            if not constraint(a, b):
                raise RuntimeError(
                    f"pass schedule constraint violated. Expected {a} before {b} but found {a} at index {i} and {b} at "
                    f"index{j} in pass list."
                )


def this_before_that_pass_constraint(this, that):
    """The constraint that pass `this` comes before pass `that`."""
    return lambda a, b: a != that or b != this


def these_before_those_pass_constraint(these, those):
    """The same for passes that are wrapped."""
    return lambda a, b: inspect.unwrap(a) != those or inspect.unwrap(b) != these


class PassManager:
    """PassManager(passes=None, constraints=None): a call runs all passes, one on what the other gave; before the first
    run constraint(a, b) must hold for every pass a and every b after it.
    """

    _validated = False

    def __init__(self, passes=None, constraints=None):
        self.passes, self.constraints = passes or [], constraints or []

    @classmethod
    def build_from_passlist(cls, passes):
        """build_from_passlist(passes) -> PassManager"""
        return PassManager(passes)

    def add_pass(self, _pass):
        """One more pass, at the end."""
        self._changed([*self.passes, _pass])

    def add_constraint(self, constraint):
        """One more constraint."""
        self.constraints.append(constraint)
        self._validated = False

    def remove_pass(self, _passes):
        """Take out the passes of these names."""
        if _passes is not None:
            self._changed([p for p in self.passes if p.__name__ not in _passes])

    def replace_pass(self, _target, _replacement):
        """Another pass in the place of those of the target's name."""
        self._changed([_replacement if p.__name__ == _target.__name__ else p for p in self.passes])

    def _changed(self, passes):
        self.passes[:] = passes
        self._validated = False

    def validate(self):
        """RuntimeError where a constraint does not hold."""
        if not self._validated:
            for constraint in self.constraints:
                _validate_pass_schedule_constraint(constraint, self.passes)
            self._validated = True

    def __call__(self, source):
        self.validate()
        for step in self.passes:
            source = step(source)
        return source
