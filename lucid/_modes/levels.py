"""Levels: how tables of nested transforms (vmap in jvp in vmap ...) fit together.

Each running transform has a frame with a level; its tables wrap inner tables of lower levels. When an op meets tensors
of different tables, all are lifted to the merge of them, where a value from outside a transform is a constant to it.
Lifting is part of the graph; its transpose is lowering.
"""

import itertools

from .._array.table import Table
from .._backend.graph import BackwardOperation, record
from .._base.state import local
from .._tensor.tensor import Tensor, wrap

next_level = itertools.count(1).__next__


def level(k):
    return k.level


def base_of(k):
    """The table at the bottom, of a device."""
    while level(k):
        k = k.inner
    return k


def merge(a, b):
    """The table in which values of tables a and b can meet (of a's element type)."""
    if a is b or not (level(a) or level(b)):
        return a
    if level(a) < level(b):
        return b.frame.table(merge(a, b.inner))
    return a.frame.table(merge(a.inner, b if level(b) < level(a) else b.inner))


def lift(array, k, target):
    """An array of table k, as one of the deeper table target."""
    if k is target:
        return array
    if level(k) == level(target):
        return target.through(array, lambda inner: lift(inner, k.inner, target.inner))
    return target.constant(lift(array, k, target.inner))


def settle(array, k, target, t):
    """An array of table k as one of `target`, which has no more levels: the others may say nothing of it.

    It is to be written into t; a level of forward_ad takes t in instead.
    """
    if k is target or not level(target) and array.takes_in(t):
        return array
    if level(k) == level(target):
        return k.through(array, lambda inner: settle(inner, k.inner, target.inner, t))
    return settle(array.plain, k.inner, target, t)


def lower(g, gk, k, target):
    """(array, table): the gradient of a value that was lifted from k to target, from g, the gradient of its lifted
    form.

    g's table gk knows all levels of target, and perhaps more: those of transforms inside which the gradient is taken.
    """
    if level(gk) > level(target):
        return below(g, gk, lambda inner: lower(inner, gk.inner, k, target))
    if not level(target):
        return g, gk
    if level(k) != level(target) and gk.frame.keeps_gradients and local.walk and gk.frame in local.walk.frames:
        return below(g, gk, lambda inner: lower(inner, gk.inner, k, target.inner))
    if level(k) == level(target):
        return below(g, gk, lambda inner: lower(inner, gk.inner, k.inner, target.inner))
    return lower(gk.constant_gradient(g), gk.inner, k, target.inner)


def below(array, k, f):
    """f, giving (array, table), applied below the top level of an array of table k."""
    tables = []

    def apply(inner):
        made, table = f(inner)
        tables.append(table)
        return made

    return k.through(array, apply), k.frame.table(tables[0])


class Lifted(BackwardOperation):
    """A tensor entered deeper tables as a constant."""

    __slots__ = ("target",)

    def on_arrays(self, g, edges):
        return (lower(g, self.target, self.k, self.target)[0],)

    def on_tensors(self, g, edges):
        return (lower_tensor(g, self.k, self.target),)


class Lowered(BackwardOperation):
    """The gradient of a lifted tensor came back."""

    __slots__ = ("target",)

    def on_arrays(self, g, edges):
        return (lift(g, self.target, self.k),)

    def on_tensors(self, g, edges):
        return (lift_tensor(g, merge(g._table, self.k)),)


def lift_tensor(t, target) -> Tensor:
    """t in the deeper table target (of its own element type)."""
    k = t._table
    if k is target:
        return t
    if k.trace is not None and target.trace is None:
        raise NotImplementedError("a step of a transform that makes its own tables cannot be traced by lucid yet")
    if target.trace is not None and k.trace is None:
        return lift_tensor(target.trace.enter(t), target)
    out = wrap(lift(t._array, k, target), target)
    if t._node is not None and local.grad:
        out._node = record(Lifted, k, (t._node,), target=target)
    return out


def lower_tensor(g, k, target) -> Tensor:
    g = lift_tensor(g, merge(g._table, target))
    if g._table.trace is not None and k.trace is None:
        return g._table.trace.leave(lower_tensor(g, g._table.trace.table(k), target))
    out = wrap(*lower(g._array, g._table, k, target))
    if g._node is not None and local.grad:
        out._node = record(Lowered, g._table, (g._node,), target=k)
    return out


class LevelWords(Table):
    """What tables of transforms have in common."""

    # not `aliases`: a write replaces the array, so a view made before its base had a batch, or a tangent, gets them too
    is_transform = True

    def __init__(self, inner, frame):
        self.inner, self.frame, self.level, self.trace = inner, frame, frame.level, inner.trace
        self.dtype, self.device, self.inexact = inner.dtype, inner.device, inner.inexact
        self.is_complex, self.has_data, self.bool = inner.is_complex, inner.has_data, self
        self.is_half, self.wide_type, self.array_dtype = inner.is_half, inner.wide_type, None
        self.only_ops, self.empty_ops, self.kernel_names = inner.only_ops, inner.empty_ops, inner.kernel_names
        self.device_group = frame.realms.setdefault(inner.device_group, object())

    def __repr__(self):
        return f"<{self.backend} table over {self.inner!r}>"

    def sibling(self, dtype):
        return self.frame.table(self.inner.sibling(dtype))

    def merged(self, tables):
        """The table where values of all these can meet."""
        k = self
        for other in tables:
            k = merge(k, other)
        return k

    def adopt(self, t, like=None):
        """t, of a shallower table, in this one (of its own element type); a member of the batches that `like` is."""
        t = lift_tensor(t, self.sibling(t._table.dtype))
        return t if like is None else wrap(t._table.beside(t._array, like._array), t._table)

    def settled(self, x, t):
        """x as an array that may be written into t, which perhaps knows fewer levels."""
        return settle(x, self, t._table.sibling(self.dtype), t)

    def beside(self, x, like):
        """x with the batches that the array `like` of this level has, each member in memory of its own."""
        if not self.inner.is_transform:
            return x
        return self.through(x, lambda inner: self.inner.beside(inner, like.under))

    def refuse_out(self, x, name):
        if self.inner.is_transform:
            self.inner.refuse_out(x.under, name)

    def need_unbatched(self, x, name, how="dynamic"):
        self.inner.need_unbatched(x.under, name, how)

    def scalar(self, value):
        return self.constant(self.inner.scalar(value))

    def wide_scalar(self, value):
        return self.constant(self.inner.wide_scalar(value))

    def asarray(self, value):
        return value if isinstance(value, self.array_type) else self.constant(self.inner.asarray(value))

    def from_python(self, data):
        return self.constant(self.inner.from_python(data))

    def detached(self, x, limit=None):
        """x without the tangents of levels up to `limit` (None: of any)."""
        return self.through(x, lambda inner: self.inner.detached(inner, limit)) if self.inner.is_transform else x

    def storage_offset(self, x, home=None):
        x = getattr(x, "under", x)
        return self.inner.of(x).storage_offset(x)

    def zeros(self, shape):
        return self.constant(self.inner.zeros(shape))

    def ones(self, shape):
        return self.constant(self.inner.ones(shape))

    def empty(self, shape):
        return self.constant(self.inner.empty(shape))

    def arange(self, n):
        return self.constant(self.inner.arange(n))

    def eye(self, n, m=None):
        return self.constant(self.inner.eye(n, n if m is None else m))

    def empty_strided(self, shape, stride):
        return self.constant(self.inner.empty_strided(shape, stride))


class Frame:
    """One running transform: its level, and its tables by the inner table."""

    words = randomness = None  # (of grad and vjp, whose values are those outside, there is no table)
    is_function = True  # one of torch.func, which has rules that autograd by hand has not
    keeps_gradients = False  # a walk that began inside gives gradients of this level for what lies outside
    variables = ()  # of grad and vjp: the nodes of what is differentiated in
    takes_new = False  # do tensors made inside belong to it?
    trace = None  # the TraceFrame below, where a mode notes what is done

    def __init__(self, level):
        self.level, self.tables, self.realms = level, {}, {}

    def table(self, inner):
        found = self.tables.get(inner)
        if found is None:
            found = self.tables[inner] = self.words(inner, self)
            found.bool = found if inner.bool is inner else self.table(inner.bool)
        return found


def running():
    """The frames of the transforms that run in this thread, outermost first."""
    return local.frames


class run_in:
    """A context in which one more transform runs; gives its frame, made by make(level)."""

    def __init__(self, make):
        self.make = make

    def __enter__(self):
        self.before = local.frames, local.transforms
        trace = self.trace()
        frame = self.make(next_level())  # higher than that of any transform that ever began
        frame.trace = trace
        if frame.words is not None:
            local.frames = (*running(), frame)
        if frame.is_function:
            local.transforms = (*local.transforms, frame)
        return frame

    @staticmethod
    def trace():
        """The level below all others in which modes note what is done; None where there is no such mode."""
        if not local.dispatch_modes:
            return None
        found = next((f.trace for f in running() if f.trace is not None), None)
        traces = next((m.traces for m in local.dispatch_modes if m.traces is not None), None)
        return traces(next_level()) if found is None and traces is not None else found

    def __exit__(self, *exc):
        local.frames, local.transforms = self.before


def innermost(t) -> Tensor:
    """t as a value of all transforms that run: a variable made of it has a gradient of its own in each member."""
    k = t._table
    for frame in running():
        if frame.trace is not None:
            t = frame.trace.enter(t)
            k = merge(k, t._table)
        k = merge(k, frame.table(base_of(k)))  # between the levels that it has, if need be
    return lift_tensor(t, k)


class without_transforms:
    """with without_transforms(): what runs inside is seen by no transform."""

    def __enter__(self):
        self.before = local.frames, local.transforms
        local.frames, local.transforms = (), ()

    def __exit__(self, *exc):
        local.frames, local.transforms = self.before
