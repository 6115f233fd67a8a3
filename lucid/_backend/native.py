"""Where an op's own rule is run, and where a kernel made of it.

    rule(k, *arrays, *options)                  arrays of fewer than BIG elements
    native(rule_of, ...)(k, *arrays, ...)       others: the same numbers, from C (_codegen/rule_kernels.py)

What is to be done for arguments of some shapes, a plan, is looked up by them. A call that no kernel serves has the rule
as its plan.
"""

import functools
import os
import sys

from .._array.numpy import conv
from .._array.numpy.memory import may_share
from .._array.numpy.table import NumpyWords
from .graph import OUTPUTS
from .written import written_function

# From how many elements on kernels are asked for: below, numpy's own calls cost less.
BIG = 4096 if os.environ.get("LUCID_NATIVE", "1") != "0" else sys.maxsize
LARGE = max(BIG, 1 << 17)  # the same for words that numpy does as fast as memory goes, with one thread
_QUICK = frozenset("add sub mul div neg abs sqrt square reciprocal maximum minimum floor ceil trunc".split())
PLANS = 2048  # of one rule; then they are made anew
_PLAIN = frozenset([int, float, bool, str, type(None)])
_array = NumpyWords.array_type


def _direct(*call):
    """The first convolution: kernels are asked for from now on."""
    from .._codegen.convolutions import direct

    conv.direct[:] = [direct]
    return direct(*call)


conv.direct[:] = [_direct] if BIG < sys.maxsize else []


def may_be(op):
    """May an op's rules be kernels? Views compute nothing."""
    return not (op.view or op.poly)


def limit(op):
    """The name, in generated functions, of the number of elements from which an op is a kernel."""
    return "LARGE" if op.name in _QUICK else "BIG"


def big(array):
    """Is an array large enough for kernels?"""
    return array.__class__ is _array and array.size >= BIG


def forward(op):
    """An op's forward as kernels, one function for each op."""
    found = op.__dict__.get("native")
    if found is None:
        optional = [n for n in op.inputs if n in op.defaults]
        names = [n for n in op.inputs if n not in optional]
        found = op.native = native(f"{op.label}.forward", op.kernel, names, [*optional, *op.options], op.broadcasts)
    return found


def texts(op):
    """The C of the kernels that calls of an op have had made, each with the Python that calls it."""
    kernels = forward(op).__globals__["PLANS"].kernels
    return [k.trace.text for k in kernels.kernels.values() if k is not None] if kernels is not None else []


def into_first(op):
    """An elementwise op's forward, written into its first array where it says True."""
    found = op.__dict__.get("native_into")
    if found is None:
        names = [*op.inputs, *op.options]
        found = op.native_into = native(f"{op.label}.into", op.kernel, op.inputs, names, True, (), True)
    return found


def written_into_first(op, k, arrays, options):
    """Let an elementwise op's kernel write into its first array; False, and nothing done, where there is none."""
    x, *others = arrays
    if not op.broadcasts or any(a.size > 1 and may_share(a, x) for a in others):
        return False
    return into_first(op)(k, *arrays, *options)


def gradient(op, rule, name):
    """A gradient rule as kernels. Its first argument is the gradient, after `needs` where it is a joint one."""
    first = ["needs"] if rule is op.joint else []
    arrays = [w for w in rule.wants if (w in op.inputs or w in OUTPUTS) and w not in op.defaults and not op.joint]
    shapes = [len(first) + 1 + i for i, w in enumerate(rule.wants) if w == "shape" or w.startswith("shape_")]
    order = [*first, "g", *rule.wants]
    return native(f"{op.label}.{name}", lambda k: rule.call, ["g", *arrays], order, op.broadcasts, shapes)


def native(label, rule_of, arrays, others, *about):
    """f(k, *arguments): the rule as kernels. arrays: names of arguments that are nearly always arrays; others: of the
    rest, or of all in their order; about: what RuleKernels is told."""
    order = others if set(arrays) <= set(others) else [*arrays, *others]
    given = [f"a{i}" for i in range(len(order))]
    signs = [f"{a}.shape, {a}.strides, {a}.dtype" if n in arrays else f"*sign({a})" for a, n in zip(given, order)]
    if not any(n in arrays for n in order):
        return lambda k, *args: rule_of(k)(k, *args)
    text = (
        f"def native(k, {', '.join(given)}):\n"
        f"    try: plan = PLANS[k, {', '.join(signs)}]\n"
        f"    except MISSING: plan = make(k, ({', '.join(given)},))\n"
        f"    return plan({', '.join(given)})\n"
    )
    plans = Plans(rule_of, [n in arrays for n in order], about)
    scope = {"PLANS": plans, "make": plans.make, "sign": sign, "MISSING": MISSING}
    return written_function(f"{label}.native", lambda: text, scope)


# No plan yet; a list among the options; something else than an array; a sparse one.
MISSING = (KeyError, TypeError, AttributeError, NotImplementedError)


def sign(a):
    """What a plan depends on of an argument: of a fraction nothing but that it is one."""
    kind = a.__class__
    return (a.shape, a.strides, a.dtype) if kind is _array else (kind,) if kind is float else (kind, a)


class Plans(dict):
    """{signs of a call: f(*arguments)}"""

    def __init__(self, rule_of, is_array, about):
        self.rule_of, self.is_array, self.about = rule_of, is_array, about
        self.kernels = None
        _all.append(self)

    def make(self, k, args):
        """The plan for a call that there is none for yet."""
        plain = functools.partial(self.rule_of(k), k) if len(self.about) < 3 else _not_done
        if not k.host or k.is_half or k.is_complex or not all(map(_is_plain, args)):  # others would be kept
            return plain
        if any(of_array and a.__class__ is not _array for of_array, a in zip(self.is_array, args)):
            return plain
        if self.kernels is None:
            from .._codegen.rule_kernels import RuleKernels

            self.kernels = RuleKernels(self.rule_of, *self.about)
        if len(self) >= PLANS:
            self.clear()
        key = [k]
        for a in args:
            key += sign(a)
        plan = self[tuple(key)] = self.kernels.plan(k, args) or plain
        return plan


_all = []


def forget():
    """Look for kernels anew."""
    for plans in _all:
        plans.clear()
        plans.kernels = None


def _not_done(*args):
    return False


def _is_plain(a):
    return a.__class__ is _array or type(a) in _PLAIN or isinstance(a, tuple) and all(type(i) in _PLAIN for i in a)
