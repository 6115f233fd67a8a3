"""Where an op's own rule is run, and where a kernel made of it: `NATIVE` in the generated functions.

    rule(k, *arrays, *options)        arrays of up to k.big elements
    Native(...)(k, *arrays, ...)      larger ones: the same numbers, from C (_codegen/rule_kernels.py)

What is to be done for arrays of some shapes, a plan, is looked up by them. A call that no kernel serves has the rule as
its plan.
"""

import os
import sys

from .._array.numpy.table import NumpyWords

# From how many elements on kernels are asked for: below, numpy's own calls cost less.
BIG = 4096 if os.environ.get("LUCID_NATIVE", "1") != "0" else sys.maxsize
PLANS = 2048  # of one rule; then they are made anew
_PLAIN = frozenset([int, float, bool, str, type(None)])
_array = NumpyWords.array_type


class Native:
    """A rule that may be run as kernels; see RuleKernels for the arguments."""

    __slots__ = ("rule_of", "about", "plans", "kernels")

    def __init__(self, rule_of, *about):
        self.rule_of, self.about = rule_of, about
        self.plans, self.kernels = {}, None

    def __call__(self, k, *args):
        if not k.host or k.is_half or k.is_complex:
            return self.rule_of(k)(k, *args)
        key = (k, *[(a.shape, a.strides, a.dtype) if a.__class__ is _array else (a, a.__class__) for a in args])
        try:
            plan = self.plans.get(key)
        except TypeError:  # a list among the options
            return self.rule_of(k)(k, *args)
        if plan is None:
            plan = self._plan(k, args, key)
        return plan(k, *args)

    def _plan(self, k, args, key):
        rule = self.rule_of(k)
        if not all(map(_is_plain, args)):  # which would be kept
            return rule
        if self.kernels is None:
            from .._codegen.rule_kernels import RuleKernels

            self.kernels = RuleKernels(self.rule_of, *self.about)
        if len(self.plans) >= PLANS:
            self.plans.clear()
        plan = self.plans[key] = self.kernels.plan(k, args) or rule
        return plan


def _is_plain(a):
    return a.__class__ is _array or type(a) in _PLAIN or isinstance(a, tuple) and all(type(i) in _PLAIN for i in a)


def native_forward(op):
    """An op's forward as a Native, one for each op."""
    found = op.__dict__.get("_native")
    if found is None:
        found = op._native = Native(op.kernel, op.broadcasts)
    return found


def may_be(op):
    """May an op's rules be kernels? Views compute nothing."""
    return not (op.view or op.poly)


def big(array):
    """Is an array large enough for kernels?"""
    return array.__class__ is _array and array.size >= BIG
