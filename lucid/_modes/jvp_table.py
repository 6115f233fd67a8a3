"""Dual numbers as a vocabulary: every word carries a tangent along (forward-mode differentiation).

A tensor inside `jvp` is a plain Tensor whose table is a `DualWords`; its arrays are pairs (primal, tangent). A word's
tangent follows from the op of the same name: a linear word is applied to the tangents; a pointwise one uses its gradient
rules, for a diagonal Jacobian is its own transpose; any other is the transpose of its gradient, taken by differentiating the
gradient with respect to the incoming one (double backward: J v = d/du (J^T u) . v).
"""

import functools

from .._array import words as dictionary
from .._array.fallbacks import SPELLED
from .._backend.backward import run
from .._backend.graph import BackwardOperation, Output, leaf
from .._backend.registry import FUNCTIONS, OPS
from .._base.state import local, set_grad_enabled, tick
from .._tensor.storage import Detached
from .._tensor.tensor import Tensor, wrap
from .levels import Frame, LevelWords, level, lift_tensor, merge


class Dual:
    """primal + epsilon * tangent; tangent None means zero."""

    __slots__ = ("primal", "tangent", "__weakref__")

    def __init__(self, primal, tangent=None):
        self.primal, self.tangent = primal, tangent

    base = None
    __array_ufunc__ = None

    def reshape(self, *shape):
        return Dual(self.primal.reshape(*shape), None if self.tangent is None else self.tangent.reshape(*shape))

    under = property(lambda self: self.primal)

    @property
    def plain(self):
        """What a write into a tensor from outside would keep."""
        if self.tangent is not None:
            raise RuntimeError(CAPTURED)
        return self.primal

    shape = property(lambda self: tuple(self.primal.shape))
    ndim = property(lambda self: self.primal.ndim)
    size = property(lambda self: self.primal.size)
    dtype = property(lambda self: self.primal.dtype)
    strides = property(lambda self: self.primal.strides)

    def __repr__(self):
        return f"Dual({self.primal!r}, {self.tangent!r})"


CAPTURED = (
    "During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call in-place operation that would mutate "
    "a captured Tensor. This is not supported; please rewrite the function being transformed to explicitly accept the mutated "
    "Tensor(s) as inputs."
)

# Words that only move elements, or are linear in their first argument: the tangent takes the same way.
LINEAR = {
    *dictionary.VIEW,
    "flip",
    "roll",
    "tril",
    "triu",
    "repeat",
    "copy",
    "contiguous",
    "neg",
    "sum",
    "mean",
    "cumsum",
    "index",
    "index_select",
    "gather",
    "real",
    "imag",
    "conj",
    "broadcast_to",
    "with_strides",
    "im2col",
    "col2im",
    "window_sum",
    "window_spread",
    "view",
}
# Results that no tangent reaches.
CONSTANT = {
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "isnan",
    "isinf",
    "isfinite",
    "isposinf",
    "isneginf",
    "signbit",
    "logical_not",
    "logical_and",
    "logical_or",
    "logical_xor",
    "all",
    "any",
    "argmax",
    "argmin",
    "nonzero",
    "count_nonzero",
    "floor",
    "ceil",
    "round",
    "trunc",
    "sign",
    "searchsorted",
    "max_pool_indices",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "bitwise_not",
    "floor_divide",
    "trunc_divide",
    "sort_indices",
    "bitwise_left_shift",
    "bitwise_right_shift",
    "heaviside",
}
BILINEAR = {"matmul", "conv", "conv_input", "conv_weight"}


class DualWords(LevelWords):
    """The kernel table of tensors inside jvp, over an inner table."""

    backend, array_type, is_half = "dual", Dual, False

    def of(self, array):
        return self.frame.table(self.inner.of(array.primal)) if isinstance(array, Dual) else self

    def constant(self, array):
        """No tangent."""
        return Dual(array)

    def constant_gradient(self, g):
        return self.inner.zeros(g.primal.shape) if g.tangent is None else g.tangent

    def opened(self, arrays):
        """([inner array that carries all levels below], how to put one back): here the epsilon parts travel as they are."""
        raise NotImplementedError(
            "a forward-mode level cannot be entered below another forward-mode level that began later"
        )

    def through(self, array, f):
        return Dual(f(array.primal), None if array.tangent is None else f(array.tangent))

    def drawn(self, shape, draw):
        return Dual(draw(self.inner, shape))

    def drawn_by(self, arrays):
        return [a.primal for a in arrays], Dual

    def to_numpy(self, array):
        return self.inner.to_numpy(array.primal)

    def strides(self, x):
        return self.inner.strides(x.primal)

    def data_ptr(self, x):
        return self.inner.data_ptr(x.primal)

    def import_from(self, array, k):
        return Dual(self.inner.import_from(array, k))

    def cast(self, x, dtype):
        wide = self.inner.sibling(dtype)
        keep = x.tangent is not None and wide.inexact
        return Dual(self.inner.cast(x.primal, dtype), self.inner.cast(x.tangent, dtype) if keep else None)

    def detached(self, x):
        """x without tangents."""
        below = getattr(self.inner, "detached", None)
        return Dual(x.primal if below is None else below(x.primal))

    def tangent(self, x):
        """x's tangent as an array, zeros if it has none."""
        k = self.inner.of(x.primal)
        return k.zeros(x.primal.shape) if x.tangent is None else x.tangent

    def __getattr__(self, word):
        if word.startswith("__"):
            raise AttributeError(word)
        made = _rule_for(self, word)
        setattr(self, word, made)
        return made

    def transposed(self, f, args):
        """f, a function of Tensors, of dual arrays: the transpose of its gradient."""
        return transposed(self, f, args)

    # ---- words with rules of their own

    def reshape(self, x, shape):
        return Dual(
            self.inner.reshape(x.primal, shape), None if x.tangent is None else self.inner.reshape(x.tangent, shape)
        )

    view = reshape

    def logcumsumexp(self, x, dim):
        """The tangents weighted with exp(x), summed as logarithms, positive and negative ones apart."""
        k, out = self.inner, self.inner.logcumsumexp(x.primal, dim)
        if x.tangent is None:
            return Dual(out)
        if k.is_complex:
            return Dual(out, k.exp(k.logcumsumexp(x.primal + k.log(x.tangent), dim) - out))
        parts = [k.exp(k.logcumsumexp(x.primal + k.log(k.relu(t)), dim) - out) for t in (x.tangent, -x.tangent)]
        return Dual(out, parts[0] - parts[1])

    def cat(self, arrays, dim):
        return self._joined("cat", arrays, dim)

    def stack(self, arrays, dim):
        return self._joined("stack", arrays, dim)

    def _joined(self, word, arrays, dim):
        join = getattr(self.inner, word)
        out = join([a.primal for a in arrays], dim)
        if all(a.tangent is None for a in arrays):
            return Dual(out)
        return Dual(out, join([self.tangent(a) for a in arrays], dim))

    def where(self, condition, a, b):
        a, b = self.asarray(a), self.asarray(b)
        c, where = primal(condition), self.inner.where
        out = where(c, a.primal, b.primal)
        if a.tangent is None and b.tangent is None:
            return Dual(out)
        return Dual(out, where(c, self.tangent(a), self.tangent(b)))

    def masked_fill(self, x, mask, value):
        k, m, value = self.inner, primal(mask), self.asarray(value)
        out = k.masked_fill(x.primal, m, value.primal)
        if x.tangent is None and value.tangent is None:
            return Dual(out)
        return Dual(out, k.where(m, self.tangent(value), self.tangent(x)))

    def pad(self, x, widths, value=0):
        t = None if x.tangent is None else self.inner.pad(x.tangent, widths, 0)
        return Dual(self.inner.pad(x.primal, widths, value), t)

    def complex(self, re, im):
        return self._both("complex", self.asarray(re), self.asarray(im))

    def as_strided_scatter(self, x, src, *how):
        return self._both("as_strided_scatter", x, self.asarray(src), *how)

    def _both(self, word, a, b, *more):
        """Words linear in two arrays at once."""
        apply = getattr(self.inner, word)
        out = apply(a.primal, b.primal, *more)
        if a.tangent is None and b.tangent is None:
            return Dual(out)
        return Dual(out, apply(self.tangent(a), self.tangent(b), *more))

    # words that pick elements along a dimension, and say which

    def sort(self, x, dim, *more):
        return self._picked(x, dim, self.inner.sort(x.primal, dim, *more))

    def cummax(self, x, dim):
        return self._picked(x, dim, self.inner.cummax(x.primal, dim))

    def cummin(self, x, dim):
        return self._picked(x, dim, self.inner.cummin(x.primal, dim))

    def topk(self, x, k, dim, *more):
        return self._picked(x, dim, self.inner.topk(x.primal, k, dim, *more))

    def kthvalue(self, x, k, dim, keepdim=False):
        return self._picked(x, dim, self.inner.kthvalue(x.primal, k, dim, keepdim))

    def median_dim(self, x, dim, *more):
        return self._picked(x, dim, self.inner.median_dim(x.primal, dim, *more))

    def mode_dim(self, x, dim, *more):
        return self._picked(x, dim, self.inner.mode_dim(x.primal, dim, *more))

    def max_dim(self, x, dim, *more):
        return self._picked(x, dim, self.inner.max_dim(x.primal, dim, *more))

    def min_dim(self, x, dim, *more):
        return self._picked(x, dim, self.inner.min_dim(x.primal, dim, *more))

    def _picked(self, x, dim, found):
        values, indices = found
        t = None
        if x.tangent is not None:
            k, gone = self.inner, indices.ndim < x.ndim
            at = k.unsqueeze(indices, dim) if gone else indices
            t = k.gather(x.tangent, dim, at) if x.ndim else x.tangent
            t = k.select(t, dim, 0) if gone else t
        return Dual(values, t), Dual(indices)

    def max_pool(self, x, kernel, stride, padding, dilation, out_size):
        k = self.inner
        out = k.max_pool(x.primal, kernel, stride, padding, dilation, out_size)
        if x.tangent is None:
            return Dual(out)
        where = k.max_pool_indices(x.primal, out, kernel, stride, padding, dilation)
        lead = tuple(x.shape[: x.ndim - len(kernel)])
        flat = k.reshape(where, (*lead, -1))
        t = k.gather(k.reshape(x.tangent, (*lead, -1)), len(lead), flat)
        return Dual(out, k.reshape(t, tuple(out.shape)))

    def _placed(self, word, x, dim, index, src, *more):
        """Words linear in both x and src."""
        place = getattr(self.inner, word)
        src = self.asarray(src)
        out = place(x.primal, dim, primal(index), src.primal, *more)
        if x.tangent is None and src.tangent is None:
            return Dual(out)
        return Dual(out, place(self.tangent(x), dim, primal(index), self.tangent(src), *more))

    def scatter(self, x, dim, index, src, *more):
        return self._placed("scatter", x, dim, index, src, *more)

    def scatter_add(self, x, dim, index, src, *more):
        return self._placed("scatter_add", x, dim, index, src, *more)

    def index_add(self, x, dim, index, source):
        return self._placed("index_add", x, dim, index, source)

    def index_put(self, x, indices, values, accumulate=False):
        where, values = tuple([None if i is None else primal(i) for i in indices]), self.asarray(values)
        out = self.inner.index_put(x.primal, where, values.primal, accumulate)
        if x.tangent is None and values.tangent is None:
            return Dual(out)
        return Dual(out, self.inner.index_put(self.tangent(x), where, self.tangent(values), accumulate))

    def full(self, shape, value):
        t = self.inner.full(shape, value.tangent) if isinstance(value, Dual) and value.tangent is not None else None
        return Dual(self.inner.full(shape, primal(value)), t)

    def empty_like(self, x):
        return Dual(self.inner.empty_like(x.primal))

    def write_view(self, base, chain, value):
        value = self.asarray(value)
        out = self.inner.write_view(base.primal, chain, value.primal)
        unseen = any(op is Detached for op, _ in chain)  # a write through .data leaves the tangent as it was
        if unseen or base.tangent is None and value.tangent is None:
            return Dual(out, base.tangent)
        return Dual(out, self.inner.write_view(self.tangent(base), chain, self.tangent(value)))


def primal(x):
    return x.primal if isinstance(x, Dual) else x


def _primals(x):
    if isinstance(x, Dual):
        return x.primal
    return type(x)([_primals(v) for v in x]) if isinstance(x, (list, tuple)) else x


# ---- rules by family


def _rule_for(k, word):
    if word in SPELLED:
        return functools.partial(SPELLED[word], k)
    inner = getattr(k.inner, word)
    if word in CONSTANT:
        return lambda *args: _dual(inner(*_primals(args)))
    if word in LINEAR:
        return lambda x, *more: Dual(
            inner(primal(x), *_primals(more)),
            None if not isinstance(x, Dual) or x.tangent is None else inner(x.tangent, *_primals(more)),
        )
    if word in BILINEAR:
        return lambda a, b, *more: _bilinear(k, inner, a, b, more)

    def call(*args):
        if not any(isinstance(a, Dual) and a.tangent is not None for a in _leaves(args)):
            return _dual(inner(*_primals(args)))
        op = OPS.get(word)
        if (
            op is not None
            and len(op.inputs) == dictionary.POINTWISE.get(word)
            and word != "polar"
            and op.broadcasts
            and (op.joint is None and not k.is_complex)
        ):
            return _pointwise(k, op, inner, args)
        return transposed(k, FUNCTIONS[word], args)

    return call


def _leaves(args):
    for a in args:
        if isinstance(a, (list, tuple)):
            yield from _leaves(a)
        else:
            yield a


def _dual(got):
    return tuple([Dual(g) for g in got]) if isinstance(got, tuple) else Dual(got)


def _bilinear(k, word, a, b, more):
    a, b = k.asarray(a), k.asarray(b)
    out, t = word(a.primal, b.primal, *more), None
    if a.tangent is not None:
        t = word(a.tangent, b.primal, *more)
    if b.tangent is not None:
        other = word(a.primal, b.tangent, *more)
        t = other if t is None else t + other
    return Dual(out, t)


def _pointwise(k, op, word, args):
    """The sum of the gradient rules applied to the tangents."""
    inner = k.inner
    primals = _primals(args)
    arrays, options = primals[: len(op.inputs)], primals[len(op.inputs) :]
    out = inner.asarray(word(*primals))
    known = {**op.defaults, **dict(zip(op.inputs, arrays)), **dict(zip(op.options, options)), "out": out}
    total = None
    for i, (a, rule) in enumerate(zip(args, op.rules)):
        if not isinstance(a, Dual) or a.tangent is None or rule is None:
            continue
        t = a.tangent if a.tangent.shape == out.shape else inner.expand(a.tangent, out.shape)
        wants = [
            arrays[i].shape if w == "shape" else tuple([x.shape for x in arrays]) if w == "shapes" else known[w]
            for w in rule.wants
        ]
        t = rule.call(inner, t, *wants)
        total = t if total is None else total + t
    if total is not None and total.shape != out.shape:
        total = inner.expand(total, out.shape)
    return Dual(out, total)


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
        leaves, tangents = [], []

        def lift(a):
            if isinstance(a, Dual):
                t = wrap(a.primal, k.inner.of(a.primal))
                if a.tangent is not None:
                    leaf(t)
                    leaves.append(t)
                    tangents.append(wrap(a.tangent, k.inner.of(a.tangent)))
                return t
            return type(a)([lift(x) for x in a]) if isinstance(a, (list, tuple)) else a

        out = _CALLS.get(f.__name__, _as_is)(f, *lift(tuple(args)))
        single = isinstance(out, Tensor)
        results = []
        for o in (out,) if single else out:
            results.append(Dual(o._array, _push(o, leaves, tangents)))
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


# ---- in and out of a level, as parts of the graph
# The gradient of a dual value is a dual cotangent G with "loss = the epsilon part of <G, value>": so the primal result's gradient
# is the epsilon part of G, and the tangent result's gradient its plain part.


class EnterDual(BackwardOperation):
    """(primal, tangent) became one dual value."""

    __slots__ = ()

    def on_arrays(self, g, edges):
        plain, eps, _ = _leave(g, self.k, self.__dict__["frame"])
        return (eps, plain)

    def on_tensors(self, g, edges):
        p, t = leave(g, self.__dict__["frame"])
        return (t, p)


class LeaveDual(BackwardOperation):
    """One dual value became (primal, tangent)."""

    __slots__ = ()
    n_out = 2

    def on_arrays(self, g, edges):
        plain, eps, k = g[1], g[0], self.__dict__["without"]
        if plain is None:
            plain = k.zeros(eps.shape)
        return (_enter(plain, eps, k, self.__dict__["frame"])[0],)

    def on_tensors(self, g, edges):
        plain, eps = g[1], g[0]
        if plain is None:
            plain = eps * 0
        return (enter(plain, eps, self.__dict__["frame"]),)


def enter(p, t, frame) -> Tensor:
    """The dual value of primal p and tangent t (None: zero)."""
    if t is not None:
        k = merge(p._table, t._table)
        p, t = lift_tensor(p, k), lift_tensor(t, k.sibling(t._table.dtype))
    out = wrap(*_enter(p._array, None if t is None else t._array, p._table, frame))
    edges = (p._node, None if t is None else t._node)
    if local.grad and any(e is not None for e in edges):
        node = out._node = EnterDual.__new__(EnterDual)
        node.k, node.edges, node.seq = out._table, edges, tick()
        node.__dict__["frame"] = frame
    return out


def _enter(p, t, k, frame):
    """(dual array, table), below the levels of transforms that began later."""
    if level(k) < frame.level:
        return Dual(p, t), frame.table(k)
    parts, rejoin = k.opened([p] if t is None else [p, t])
    made, table = _enter(parts[0], parts[1] if t is not None else None, k.inner, frame)
    return rejoin(made), k.frame.table(table)


def leave(x, frame):
    """(primal, tangent) of a dual value; the tangent is None when it is zero for sure."""
    k = x._table
    if not _knows(k, frame):
        return x, None
    p, t, inner = _leave(x._array, k, frame)
    p, t = wrap(inner.asarray(p), inner), None if t is None else wrap(inner.asarray(t), inner)
    if x._node is not None and local.grad:
        node = LeaveDual.__new__(LeaveDual)
        node.k, node.edges, node.seq = k, (x._node,), tick()
        node.__dict__["frame"], node.__dict__["without"] = frame, inner
        p._node = node
        if t is not None:
            t._node = Output(node, 1)
    return p, t


def _knows(k, frame):
    """Is frame among the levels of table k?"""
    while level(k):
        if k.frame is frame:
            return True
        k = k.inner
    return False


def _leave(array, k, frame):
    """(primal array, tangent array or None, table without the frame)"""
    if k.frame is frame:
        return array.primal, array.tangent, k.inner
    (inner,), rejoin = k.opened([array])
    p, t, table = _leave(inner, k.inner, frame)
    return rejoin(p), None if t is None else rejoin(t), k.frame.table(table)


def _operators():
    """Operators on dual arrays are the words of that name."""
    words = {
        "add": "add",
        "sub": "sub",
        "mul": "mul",
        "truediv": "div",
        "pow": "pow",
        "mod": "remainder",
        "floordiv": "floor_divide",
        "and": "bitwise_and",
        "or": "bitwise_or",
        "xor": "bitwise_xor",
    }
    import operator

    def constant(apply, flip=False):
        def call(self, other):
            a, b = primal(self), primal(other)
            return Dual(apply(b, a) if flip else apply(a, b))

        return call

    def carry(name, apply, flip):
        def call(self, other):
            a, b = (other, self) if flip else (self, other)
            out = apply(primal(a), primal(b))
            ta, tb = (x.tangent if isinstance(x, Dual) else None for x in (a, b))
            return Dual(out, _TANGENTS[name](primal(a), primal(b), ta, tb, out))

        return call

    for name in words:
        apply = getattr(operator, name + "_" if name in ("and", "or") else name)
        for flip in (False, True):
            f = carry(name, apply, flip) if name in _TANGENTS else constant(apply, flip)
            setattr(Dual, f"__{'r' if flip else ''}{name}__", f)
    for name in "lt le gt ge eq ne".split():
        setattr(Dual, f"__{name}__", constant(getattr(operator, name)))
    Dual.__neg__ = lambda self: Dual(-self.primal, None if self.tangent is None else -self.tangent)
    Dual.__pos__ = lambda self: self
    Dual.__invert__ = lambda self: Dual(~self.primal)
    Dual.__hash__ = object.__hash__


def _sum_of(*terms):
    total = None
    for t in terms:
        if t is not None:
            total = t if total is None else total + t
    return total


def _stretched(t, out):
    """t (of a smaller operand) in the shape of the result."""
    return t if t is None or t.shape == out.shape else t + out * 0


def _power_tangent(a, b, ta, tb, out):
    if tb is not None:
        raise NotImplementedError("forward mode through the ** operator with a dual exponent inside a gradient rule")
    return None if ta is None else ta * (b * a ** (b - 1))


_TANGENTS = {
    "add": lambda a, b, ta, tb, out: _stretched(_sum_of(ta, tb), out),
    "sub": lambda a, b, ta, tb, out: _stretched(_sum_of(ta, None if tb is None else -tb), out),
    "mul": lambda a, b, ta, tb, out: _sum_of(None if ta is None else ta * b, None if tb is None else a * tb),
    "truediv": lambda a, b, ta, tb, out: _sum_of(
        None if ta is None else ta / b, None if tb is None else -(out / b) * tb
    ),
    "pow": _power_tangent,
}
_operators()


class DualFrame(Frame):
    """One running jvp."""

    words, takes_new = DualWords, True

    def receive(self, t):
        """A tensor made inside: writes into it may bring tangents."""
        return t if level(t._table) >= self.level else lift_tensor(t, self.table(t._table))


class OpenFrame(DualFrame):
    """A level of forward_ad: tensors made inside outlive it."""

    takes_new = False
