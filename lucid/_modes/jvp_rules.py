"""How words carry tangents: by the column `tangent` of the dictionary, and by the gradient rules of ops.

A linear word is applied to the tangents; a pointwise one uses its op's gradient rules, for a diagonal Jacobian is its
own transpose; any other is the transpose of its gradient, taken by differentiating the gradient with respect to the
incoming one (double backward: J v = d/du (J^T u) . v).
"""

import functools
import numbers
import operator

from .._array.fallbacks import SPELLED
from .._array.words import OPERANDS, POINTWISE, WORDS
from .._backend.backward import run
from .._backend.graph import leaf
from .._backend.registry import FUNCTIONS, OPS
from .._backend.rules import in_float32
from .._base.state import local, set_grad_enabled
from .._tensor.tensor import Tensor, wrap
from .jvp_array import Dual, leaves, moves, primal, primals
from .levels import level

LINEAR_SERVICES = ("with_strides", "broadcast_to", "transpose", "resized")  # see Table; linear in their first argument


NO_FORMULA = (
    "Trying to use forward AD with {} that does not support it because it has not been implemented yet.\nPlease file "
    "an issue to PyTorch at https://github.com/pytorch/pytorch/issues/new?template=feature-request.yml so that we can "
    "prioritize its implementation or submit a PR adding the implementation to derivatives.yaml"
)


def rule_for(k, word):
    """The word for table k of duals, made of the inner table's."""
    if word in SPELLED:
        return functools.partial(SPELLED[word], k)
    if word == "as_strided":
        return window(k, k.inner.as_strided)
    row, inner = WORDS.get(word), getattr(k.inner, word)
    make = _MAKERS.get("linear" if word in LINEAR_SERVICES else "rules" if row is None else row.tangent, by_op)
    return make(k, inner, row or word)


def dual_results(k, got):
    """Results without tangents."""
    return tuple([k.dual(g) for g in got]) if isinstance(got, tuple) else k.dual(got)


# ---- by the dictionary


def constant(k, inner, row):
    """No tangent reaches the result."""
    return lambda *args: dual_results(k, inner(*primals(args)))


def linear(k, inner, row):
    """Linear in the first argument."""

    def call(x, *more):
        more = primals(more)
        return k.dual(inner(primal(x), *more), inner(x.tangent, *more) if moves(x) else None)

    return call


def window(k, inner):
    """as_strided: of the tangent's memory, which lies as the primal's does in torch."""

    def call(x, *where):
        x, t, words = k.asarray(x), None, k.inner
        if x.tangent is not None:
            t, strides = x.tangent, words.strides(x.primal)
            t = inner(t if words.strides(t) == strides else words.with_strides(t, strides), *where)
        return k.dual(inner(x.primal, *where), t)

    return call


def bilinear(k, inner, row):
    """Linear in each of the first two arguments."""

    def call(a, b, *more):
        a, b = k.asarray(a), k.asarray(b)
        out, t = inner(a.primal, b.primal, *more), None
        if a.tangent is not None:
            t = inner(a.tangent, b.primal, *more)
        if b.tangent is not None:
            other = inner(a.primal, b.tangent, *more)
            t = other if t is None else t + other
        return k.dual(out, t)

    return call


def joint(k, inner, row):
    """Linear in all its arrays at once: applied to their tangents, zeros where one has none."""
    moving = [i for i, p in enumerate(row.parameters) if p in OPERANDS]

    def tangents(x):
        return [tangents(v) for v in x] if isinstance(x, (list, tuple)) else k.tangent(k.asarray(x))

    def call(*args):
        plain = [
            primals(k.asarray(a) if i in moving and not isinstance(a, (list, tuple)) else a) for i, a in enumerate(args)
        ]
        out = inner(*plain)
        if not any(moves(a) for a in leaves(args)):
            return k.dual(out)
        return k.dual(out, inner(*[tangents(a) if i in moving else p for i, (a, p) in enumerate(zip(args, plain))]))

    return call


def picked(k, inner, row):
    """(values, where along dim they were found): the tangent is gathered from the same places."""
    at = row.parameters.index("dim")

    def call(x, *more):
        values, indices = inner(x.primal, *more)
        t = None
        if x.tangent is not None:
            words, dim, gone = k.inner, more[at - 1], indices.ndim < x.ndim
            places = words.unsqueeze(indices, dim) if gone else indices
            t = words.gather(x.tangent, dim, places) if x.ndim else x.tangent
            t = words.select(t, dim, 0) if gone else t
        return k.dual(values, t), k.dual(indices)

    return call


# ---- by the op of the word's name


def by_op(k, inner, row):
    """By the gradient rules of the op of the word's name."""
    word = row if isinstance(row, str) else row.name
    real = word in POINTWISE and row.result != "complex" and not k.is_complex
    op = pointwise_op(word) if real else None

    def call(*args):
        if not any(map(moves, leaves(args))):
            return dual_results(k, inner(*primals(args)))
        return transposed(k, FUNCTIONS[word], args) if op is None else pointwise(k, op, inner, args)

    return call


@functools.cache
def pointwise_op(word):
    """The op that a pointwise word is the kernel of: of its name, with its operands, and a rule for each; or None."""
    row = POINTWISE[word]
    for op in OPS.values():
        n = len(op.inputs)
        if op.name == word and n == len(row.arrays) and op.broadcasts and op.joint is None:
            if set(op.options[len(row.parameters) - n :]) <= set(op.defaults):
                return op
    return None


def pointwise(k, op, compute, args):
    """compute(*args) with the sum of the op's gradient rules, applied to the tangents."""
    if any(rule is not None and hasattr(rule.call, "missing") for rule in op.rules):
        raise NotImplementedError(NO_FORMULA.format(op.name))
    inner, given = k.inner, primals(args)
    arrays, options = given[: len(op.inputs)], given[len(op.inputs) :]
    out = inner.asarray(compute(*given))
    arrays = [inner.scalar(x) if isinstance(x, numbers.Number) else x for x in arrays]
    known = {**op.defaults, **dict(zip(op.inputs, arrays)), **dict(zip(op.options, options)), "out": out}
    shapes = tuple([x.shape for x in arrays])
    total = None
    for i, (a, rule) in enumerate(zip(args, op.rules)):
        if not moves(a) or rule is None:
            continue
        t = a.tangent if a.tangent.shape == out.shape else inner.expand(a.tangent, out.shape)
        wants = [shapes[i] if w == "shape" else shapes if w == "shapes" else known[w] for w in rule.wants]
        wide = inner.is_half and op.narrows and (op.rules_in_float32 or not inner.has_steps)
        call = in_float32(rule.call) if wide else rule.call
        # a rule multiplies by the conjugate of the derivative
        t = inner.conj(call(inner, inner.conj(t), *wants)) if inner.is_complex else call(inner, t, *wants)
        total = t if total is None else total + t
    if total is not None and total.shape != out.shape:
        total = inner.expand(total, out.shape)
    return k.dual(out, total)


def _as_is(f, *args):
    return f(*args)


def _reduced(f, x, dim, index, src, reduce, include_self):
    return f(x, dim, index, src, reduce, include_self=include_self)


# Words whose function takes its options in another way.
_CALLS = {
    "scatter_reduce": _reduced,
    "index_reduce": _reduced,
    "var_dim": lambda f, x, dim, keepdim, correction: f(x, dim, correction, keepdim),
    "std_dim": lambda f, x, dim, keepdim, correction: f(x, dim, correction, keepdim),
}


def transposed(k, f, args):
    """A differentiable function of Tensors: the transpose of its gradient."""
    before, frames = local.grad, local.frames
    set_grad_enabled(True)
    local.frames = tuple([f for f in frames if f.level <= level(k.inner)])  # what rules make belongs to their table
    try:
        inputs, tangents = [], []

        def lift(a):
            if isinstance(a, Dual):
                t = wrap(a.primal, k.inner.of(a.primal))
                if a.tangent is not None:
                    leaf(t)
                    inputs.append(t)
                    tangents.append(wrap(a.tangent, k.inner.of(a.tangent)))
                return t
            return type(a)([lift(x) for x in a]) if isinstance(a, (list, tuple)) else a

        out = _CALLS.get(f.__name__, _as_is)(f, *lift(tuple(args)))
        single = isinstance(out, Tensor)
        results = []
        for o in (out,) if single else out:
            results.append(k.dual(o._array, _push(o, inputs, tangents)))
        return results[0] if single else tuple(results)
    finally:
        set_grad_enabled(before)
        local.frames = frames


def _push(o, leaves, tangents):
    """The tangent of o, a raw array, from those of the leaves it was computed from."""
    if o._node is None:
        return None
    k = o._table
    u = leaf(wrap(k.zeros(o._array.shape), k))
    pulled = run([o._node], [u], True, True, [x._node for x in leaves])
    pairs = [(g, t) for g, t in zip(pulled, tangents) if g is not None and g._node is not None]
    if not pairs:
        return None
    (pushed,) = run([g._node for g, _ in pairs], [t for _, t in pairs], True, False, [u._node])
    return None if pushed is None else pushed._array


_MAKERS = {
    "constant": constant,
    "none": constant,
    "linear": linear,
    "bilinear": bilinear,
    "joint": joint,
    "picked": picked,
}


# ---- operators on dual arrays, which rules use beside words


def _define_operators():
    words = dict(add="add", sub="sub", mul="mul", truediv="div", pow="pow")  # all holomorphic
    silent = [
        "mod",
        "floordiv",
        "and",
        "or",
        "xor",
        "lt",
        "le",
        "gt",
        "ge",
        "eq",
        "ne",
    ]  # integers and masks: no tangent

    def silently(apply, flip):
        def call(self, other):
            a, b = primal(self), primal(other)
            return Dual(apply(b, a) if flip else apply(a, b), None, self.words)

        return call

    def by_rules(word, apply, flip):
        def call(self, other):
            a, b = (other, self) if flip else (self, other)
            out = Dual(apply(primal(a), primal(b)), None, self.words)
            if not (moves(a) or moves(b)):
                return out
            return pointwise(self.words.of(out), pointwise_op(word), lambda *_: out.primal, (a, b))

        return call

    for name in [*words, *silent]:
        apply = getattr(operator, name + "_" if name in ("and", "or") else name)
        for flip in (False,) if name in ("lt", "le", "gt", "ge", "eq", "ne") else (False, True):
            f = by_rules(words[name], apply, flip) if name in words else silently(apply, flip)
            setattr(Dual, f"__{'r' if flip else ''}{name}__", f)
    Dual.__neg__ = lambda self: Dual(-self.primal, None if self.tangent is None else -self.tangent, self.words)
    Dual.__pos__ = lambda self: self
    Dual.__invert__ = lambda self: Dual(~self.primal, None, self.words)
    Dual.__hash__ = object.__hash__


_define_operators()
