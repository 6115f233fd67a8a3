"""In and out of a level of forward mode, as parts of the graph; and the frames of running jvps."""

from .._backend.graph import BackwardOperation, Output, record
from .._backend.registry import FUNCTIONS
from .._base.shape import is_dense
from .._base.state import local
from .._tensor.storage import seen_through, storage_of
from .._tensor.tensor import Tensor, wrap
from .jvp_table import DualWords
from .levels import Frame, level, lift_tensor, merge

# The gradient of a dual value is a dual cotangent G with "loss = the epsilon part of <G, value>": so the primal
# result's gradient is the epsilon part of G, and the tangent result's gradient its plain part.


#
# A walk that began inside the level, at a dual result, gives dual gradients of what lies outside of it. They are then
# carried outside as they are: there the plain part of a gradient is that of the result's primal, the epsilon part that
# of its tangent.


class EnterDual(BackwardOperation):
    """(primal, tangent) became one dual value."""

    __slots__ = ("frame",)

    def on_arrays(self, g, edges):
        plain, eps, _ = _leave(g, self.k, self.frame)
        return (eps, plain)

    def on_tensors(self, g, edges):
        plain, eps = leave(g, self.frame)
        if self.frame in local.walk.frames:
            return (g, None if edges[1] is None else enter(plain * 0, plain, self.frame))
        return (eps, plain)


class LeaveDual(BackwardOperation):
    """One dual value became (primal, tangent)."""

    __slots__ = ("frame", "without")
    n_out = 2

    def on_arrays(self, g, edges):
        plain, eps, k = g[1], g[0], self.without
        if plain is None:
            plain = k.zeros(eps.shape)
        return (_enter(plain, eps, k, self.frame)[0],)

    def on_tensors(self, g, edges):
        plain, eps = g[1], g[0]
        if self.frame in local.walk.frames:
            plain, eps = [None if x is None else leave(x, self.frame)[1] for x in (plain, eps)]
            if eps is None and plain is None:
                return (None,)
            eps = plain * 0 if eps is None else eps
        if plain is None:
            plain = eps * 0
        return (enter(plain, eps, self.frame),)


NESTED = "Nested forward mode AD is not supported at the moment"


def need_inexact(p, t):
    """ValueError unless a primal and its tangent have types that can have derivatives; RuntimeError for two shapes."""
    for what, x in (("primal", p), ("tangent", t)):
        if not x._table.inexact:
            raise ValueError(f"Expected {what} to be floating point or complex, but got: {x.dtype}")
    if p._array.shape != t._array.shape:
        raise RuntimeError(
            f"Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
            f"supported. Tensor is of size {list(p._array.shape)} while the given forward gradient is of size "
            f"{list(t._array.shape)}."
        )


def enter(p, t, frame) -> Tensor:
    """The dual value of primal p and tangent t (None: zero)."""
    if frame.trace is not None:
        p, t = frame.trace.enter(p), None if t is None else frame.trace.enter(t)
    if t is not None:
        k = merge(p._table, t._table)
        p, t = lift_tensor(p, k), _laid_out(lift_tensor(t, k.sibling(t._table.dtype)), p)
    out = wrap(*_enter(p._array, None if t is None else t._array, p._table, frame))
    edges = (p._node, None if t is None else t._node)
    if local.grad and any(e is not None for e in edges):
        out._node = record(EnterDual, out._table, edges, frame=frame)
    return out


def _laid_out(t, p):
    """The tangent t in p's order in memory, which as_strided counts on."""
    shape, strides = p._array.shape, p._table.strides(p._array)
    found = t._table.strides(t._array)
    if all(n == 1 or a == b for n, a, b in zip(shape, found, strides)) or not is_dense(shape, strides):
        return t
    return FUNCTIONS["with_strides"](t, strides)


def _enter(p, t, k, frame):
    """(dual array, table), below the levels of transforms that began later."""
    if level(k) < frame.level:
        made = frame.table(k)
        return made.dual(p, t), made
    parts, rejoin = k.opened([p] if t is None else [p, t])
    made, table = _enter(parts[0], parts[1] if t is not None else None, k.inner, frame)
    return rejoin(made), k.frame.table(table)


def leave(x, frame):
    """(primal, tangent) of a dual value; the tangent is None when it is zero for sure."""
    k = x._table
    if not knows(k, frame):
        return x, None
    p, t, inner = _leave(x._array, k, frame)
    p, t = wrap(inner.asarray(p), inner), None if t is None else wrap(inner.asarray(t), inner)
    if x._node is not None and local.grad:
        p._node = node = record(LeaveDual, k, (x._node,), frame=frame, without=inner)
        if t is not None:
            t._node = Output(node, 1)
    if frame.trace is not None:
        return frame.trace.leave(p), None if t is None else frame.trace.leave(t)
    return p, t


def knows(k, frame):
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


class DualFrame(Frame):
    """One running jvp."""

    words, takes_new, keeps_gradients = DualWords, True, True

    def receive(self, t):
        """A tensor made inside: writes into it may bring tangents."""
        t = t if self.trace is None else self.trace.enter(t)
        return t if level(t._table) >= self.level else lift_tensor(t, self.table(t._table))


class OpenFrame(DualFrame):
    """A level of forward_ad: tensors made inside outlive it, and a write may bring tangents to those from outside."""

    takes_new = is_function = False

    def __init__(self, level):
        super().__init__(level)
        self.taken = []  # (storage, the array that has its memory) of tensors from outside

    def take_in(self, t):
        """Make t, and what shares its memory, tensors of this level until it ends."""
        storage = storage_of(t)
        root = next((s for s in storage.tensors() if not s._extra.chain), t._extra.base)
        self.taken.append((storage, root._array, root._table))
        storage.root = self.table(root._table).constant(root._array)
        for s in storage.tensors():
            k = s._table = self.table(s._table)
            s._array = seen_through(storage.root, k, s._extra.chain)

    def give_back(self):
        """The level ends: memory outside gets the values that were written inside."""
        for storage, home, k in self.taken:
            k.write(home, storage.root.primal)
            storage.root = None
            for s in storage.tensors():
                s._table = s._table.inner
                s._array = seen_through(home, s._table, s._extra.chain)
        self.taken = []
