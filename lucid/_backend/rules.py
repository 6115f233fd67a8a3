"""The nodes of declared ops: what their rules want saved, and how the rules run, on raw arrays or on Tensors."""

import gc

from .._base.dtype import float32
from .._base.state import DISPATCH, clock, grad_enabled
from .._tensor.tensor import Tensor
from .dispatch import Speller
from .graph import OUTPUTS, SECOND_BACKWARD, BackwardOperation, Output, Packed, alias_in_graph, verify
from .native import big, gradient, may_be
from .registry import FUNCTIONS
from .tensor_words import words_of

# what torch calls the saved results
_RESULTS = {"result": "out", "result1": "out1", "result2": "out2", "indices": "out1"}


class Rule:
    """One gradient rule and the names of what it wants saved."""

    __slots__ = ("call", "wants", "_native")

    def __init__(self, call, skip):
        self.call, self._native = call, None
        self.wants = call.__code__.co_varnames[skip : call.__code__.co_argcount]

    def native(self, op):
        """The rule as kernels."""
        if self._native is None:
            self._native = gradient(op, self, "backward" if self is op.joint else op.inputs[op.rules.index(self)])
        return self._native


class OpNode(BackwardOperation):
    """The node of a declared op."""

    __slots__ = ()

    def want(self, i, name, xp):
        """A value that a rule asked for by name, as a Tensor where it is an array."""
        op = self.op
        if name == "shape":
            return getattr(self, f"shape_{i}")
        if name == "shapes":
            return self.shape_0 if op.poly else tuple(getattr(self, f"shape_{j}") for j in range(len(op.inputs)))
        value = getattr(self, name, None)
        if value is None or name in op.options:
            return value
        if name == "out":
            if self.promoted and (kept := dict(self.promoted).get("out")) is not None:  # of the type that was written
                place = self.saved_tensor(kept, self if self.copy_slices is None else self.copy_slices().result())
                return FUNCTIONS["cast"](place, self.k.of(value).dtype)
            return self.saved_tensor(value, self if self.copy_slices is None else self.copy_slices().result())
        if name == "outs":
            return tuple([self.saved_tensor(v, self.result_edge(j)) for j, v in enumerate(value)])
        if name in OUTPUTS:
            return self.saved_tensor(value, self.result_edge(OUTPUTS[name]))
        if op.poly:
            return [self.saved_tensor(v, e) for v, e in zip(value, self.edges)]
        i = op.inputs.index(name)
        edge, narrow = self.edges[i], self.casts[i] if self.casts is not None else None
        if edge is None or narrow is None or isinstance(value, Packed) or narrow is self.k.of(value):
            return self.saved_tensor(value, edge)
        # the operand was promoted: the graph leads to it through a cast, which takes a gradient back to its own type
        original = self.saved_tensor(narrow.cast(value, narrow.dtype), edge)
        return FUNCTIONS["cast"](original, self.k.of(value).dtype)

    def result_edge(self, j):
        return self if j == 0 else Output(self, j) if self.n_out > 1 else None

    def saved_tensor(self, array, edge):
        if isinstance(array, Packed):
            return array.unpack(edge)
        k = self.k.of(array)
        return alias_in_graph(array, k, edge if k.inexact else None)

    def on_tensors(self, g, edges):
        if clock.last_write > self.seq:
            verify(self)
        op, xp = self.op, words_of(self.k)
        if DISPATCH and not grad_enabled() and (got := Speller.current.backward(self, g, edges)) is not None:
            return finish_grads(self, got, words=xp)
        if op.joint is not None:
            if op.n_ret is None and self.n_out == 1:
                g = (g,)
            needs = tuple([e is not None for e in edges])
            grads = op.joint.call(xp, needs, g, *[self.want(0, w, xp) for w in op.joint.wants])
        elif DISPATCH:
            grads = self._in_torchs_order(g, edges, xp)
        else:
            grads = [
                None if e is None or rule is None else rule.call(xp, g, *[self.want(i, w, xp) for w in rule.wants])
                for i, (e, rule) in enumerate(zip(edges, op.rules))
            ]
        return finish_grads(self, grads, words=xp)

    def _in_torchs_order(self, g, edges, xp):
        """Gradients by one rule after the other, where modes may see in which order: values first, then by name."""
        op, opened, grads = self.op, {}, [None] * len(edges)
        runs = [i for i, (e, rule) in enumerate(zip(edges, op.rules)) if e is not None and rule is not None]
        for i in runs:
            for w in op.rules[i].wants:
                key = (i, w) if w == "shape" else w
                if key not in opened:
                    opened[key] = self.want(i, w, xp)
        for i in sorted(runs, key=lambda i: "self" if i == 0 and op.inputs[0] == "input" else op.inputs[i]):
            rule = op.rules[i]
            wants = [opened[(i, w) if w == "shape" else w] for w in rule.wants]
            grads[i] = rule.call(xp, g, *wants)
        return grads


class SavedValue:
    """torch's `_saved_self`, `_saved_result`, `_saved_dim` ... of a node: what it keeps in a slot, arrays as Tensors.

    An attribute of the class, since a `__getattr__` would slow every look at a node.
    """

    __slots__ = ("slot",)

    def __init__(self, slot):
        self.slot = slot

    def __get__(self, node, cls):
        if node is None:
            return self
        if node.seq == -1 and self.slot in node.saved_names:
            raise RuntimeError(SECOND_BACKWARD)
        value = getattr(node, self.slot, None)
        if value is None or self.slot not in node.saved_names:
            return value
        if clock.last_write > node.seq:
            verify(node, self.slot)
        got = node.want(0, self.slot, None)
        return _holder(value, got) if isinstance(got, Tensor) else got


def _holder(array, found):
    """The program's own tensor of this array and this place in the graph, if it still lives; else the one just found.

    Nodes keep arrays, which are lighter than tensors; so the tensor is looked for among those that refer to the array.
    """
    for t in gc.get_referrers(array):
        if isinstance(t, Tensor) and t._array is array and t is not found and _same_place(t._node, found._node):
            return t
    return found


def _same_place(a, b):
    return a is b or type(a) is type(b) is Output and a.node is b.node and a.nr == b.nr


def saved_values(op, slots):
    """{torch's name: SavedValue} for the slots of an op's node that hold inputs, results and options."""
    found = {}
    for slot in slots:
        names = [slot, *[name for name, own in _RESULTS.items() if own == slot]]
        for name in (*names, "self") if slot == op.inputs[0] else names:
            found[f"_saved_{name}"] = SavedValue(slot)
    return found


# ---- rules on raw arrays


def shapes(node):
    """The shapes of all inputs."""
    return tuple([getattr(node, f"shape_{i}") for i in range(len(node.op.inputs))])


def raw(value):
    """A saved value as a raw array."""
    return value.unpack()._array if isinstance(value, Packed) else value


def _raw_wants(node, i, rule):
    """What the rule of input i asked for."""
    for w in rule.wants:
        if w == "shape":
            yield getattr(node, f"shape_{i}")
        elif w == "shapes":
            yield node.shape_0 if node.op.poly else shapes(node)
        else:
            yield getattr(node, w, None)


def joint_on_arrays(node, g, edges):
    """Raw gradients by a joint rule."""
    if clock.last_write > node.seq:
        verify(node)
    op = node.op
    if op.n_ret is None and node.n_out == 1:  # as many results as came back, and one came
        g = (g,)
    needs = tuple([e is not None for e in edges])
    xp, g, plain = _as_computed(node, g)
    call = op.joint.native(op) if big(g) and may_be(op) else op.joint.call
    return finish_grads(node, call(xp, needs, g, *map(plain, _raw_wants(node, 0, op.joint))), words=xp)


def loop_on_arrays(node, g, edges):
    """Raw gradients by one rule after the other."""
    if clock.last_write > node.seq:
        verify(node)
    xp, g, plain = _as_computed(node, g)
    grads = [
        None if e is None or rule is None else rule.call(xp, g, *map(plain, _raw_wants(node, i, rule)))
        for i, (e, rule) in enumerate(zip(edges, node.op.rules))
    ]
    return finish_grads(node, grads, words=xp)


def _as_computed(node, g):
    """(vocabulary, gradient, what to do with saved values): those of float32 where torch has one kernel for halves."""
    k = node.k
    if not k.is_half or not node.op.narrows or k.has_steps and not node.op.rules_in_float32:
        return k, g, _as_it_is
    return k.sibling(k.wide_type), k.widen(g), k.widen


def _as_it_is(value):
    return value


# ---- gradients in their inputs' shapes and types


def finish_grads(node, grads, words=None):
    """Undo broadcasting, widening and promotion: each gradient gets its input's shape and type."""
    xp, k = words or node.k, node.k
    if k.is_half and node.op is not None and node.op.promote != "keep":
        grads, xp = _narrowed(node, grads, xp)
    if node.shapes is not None:
        grads = [
            g if g is None or g.shape == shape else unbroadcast(xp, g, shape) for g, shape in zip(grads, node.shapes)
        ]
    if node.casts is not None:
        grads = [g if g is None or k is None else cast_gradient(xp, g, k) for g, k in zip(grads, node.casts)]
    return grads


def _narrowed(node, grads, xp):
    """(gradients of halves, rounded before they are summed or cast; vocabulary)"""
    k = node.k
    if xp.records:  # a saved number, which keeps its precision, widens a 0-dim half
        return [xp.cast(g, k.dtype) if g is not None and g.dtype is float32 else g for g in grads], xp
    return ([g if g is None else k.narrow(g) for g in grads], k) if node.op.narrows else (grads, xp)


def unbroadcast(xp, g, shape):
    """The gradient of a broadcast operand: summed over the axes that the operand was stretched along."""
    shape = tuple(shape)
    extra = len(g.shape) - len(shape)
    if DISPATCH and xp.records and not grad_enabled():  # in torch's steps, which modes see
        if not shape:
            return xp.sum(g, None, False)
        lost = [i for i in range(len(g.shape)) if i < extra or shape[i - extra] == 1 and g.shape[i] != 1]
        g = xp.sum(g, tuple(lost), True) if lost else g
        return xp.reshape(g, shape) if extra > 0 else g
    if extra > 0:
        g = xp.sum(g, tuple(range(extra)), False)
    axes = tuple([i for i, n in enumerate(shape) if n == 1 and g.shape[i] != 1])
    if axes:
        g = xp.sum(g, axes, True)
    if tuple(g.shape) != shape:
        g = xp.expand(g, shape)
    return g


def cast_gradient(xp, g, k):
    """A gradient in the type of the input whose table is k (the real part of a complex one for a real input)."""
    if not k.is_complex and xp.of(g).is_complex:
        g = xp.of(g).real(g) if not xp.records else xp.real(g)
    return xp.cast(g, k.dtype)


# ---- halves


def in_float32(call):
    """A kernel or rule for a table of halves: it computes in float32, and what it returns is rounded once."""

    def computed(xp, *args):
        return xp.narrow(call(xp.sibling(xp.wide_type), *[xp.widen(a) for a in args]))

    computed.__name__, computed.__doc__ = call.__name__, call.__doc__
    return computed


def wide_times(xp, x, number):
    """x * number, which keeps float32's precision beside halves."""
    return xp.mul(x, xp.wide_scalar(number))


def wide_over(xp, x, number):
    """x / number: a count beside halves, which is rounded, or even infinite, as one of them."""
    return xp.div(x, xp.wide_scalar(number)) if xp.is_half and not xp.records else x / number


def in_one_step(xp, call, *args):
    """call(xp, *args), as a step that rounds once where steps of halves do."""
    return in_float32(call)(xp, *args) if xp.is_half else call(xp, *args)
