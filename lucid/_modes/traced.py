"""Transforms in what a mode traces: a level below theirs, whose arrays are Tensors.

vmap and jvp compute on arrays, which a mode that notes ATen calls would not see. Where such a mode is on, the outermost
transform begins with a level of its own below it: a word said there is a call of the op of that name, on Tensors, and
so a node of the graph: a vmap of exp is one aten.exp of the whole batch, as in torch.
"""

import operator

from .._array.table import TransformArray
from .._backend.dispatch import known_as
from .._backend.graph import BackwardOperation, record
from .._backend.tensor_words import words_of
from .._base.dtype import bool_, int64
from .._base.shape import Size
from .._base.state import local
from .._tensor.tensor import Tensor, wrap
from .levels import Frame, LevelWords, without_transforms


class Traced(TransformArray):
    """A Tensor that modes know; or a number, a Tensor only where nothing else is among the operands of a word."""

    __slots__ = ("value", "k", "__weakref__")

    def __init__(self, value, k):
        self.value, self.k = value, k  # k: the table that a number's Tensor would have

    is_number = property(lambda self: not isinstance(self.value, Tensor))
    shape = property(lambda self: Size(()) if self.is_number else self.value.shape)
    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: Size(self.shape).numel())
    dtype = property(lambda self: self.k.dtype if self.is_number else self.value.dtype)
    strides = property(lambda self: () if self.is_number else self.value.stride())
    under = property(lambda self: self.tensor()._array)

    def tensor(self):
        """The Tensor; of a number, a new one."""
        if self.is_number:
            with without_transforms():
                return words_of(self.k).full((), self.value)
        return self.value

    def reshape(self, *shape):
        shape = tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else shape
        return said(words_of(self.k).reshape, (self, shape))

    def __bool__(self):
        return bool(self.value)

    @property
    def plain(self):
        raise NotImplementedError("a write into a tensor from outside of a transform cannot be traced by lucid yet")

    def __repr__(self):
        return f"Traced({self.value!r})"


def said(f, args):
    """f, a function of Tensors, of arrays of the level: a step of the program below all transforms."""
    k = next((a.k for a in args if isinstance(a, Traced)), None)
    beside = any(isinstance(a, Traced) and not a.is_number for a in args)
    spelling, local.spelling = local.spelling, None  # what modes were to be told was said of the members
    try:
        with without_transforms():
            return _wrapped(f(*[_opened(a, beside) for a in args]), k)
    finally:
        local.spelling = spelling


def _opened(a, beside):
    if isinstance(a, Traced):
        return a.value if beside else a.tensor()
    return type(a)([_opened(v, False) for v in a]) if type(a) in (list, tuple) else a


def _wrapped(got, k):
    if isinstance(got, Tensor):
        return Traced(got, got._table)
    if isinstance(got, (list, tuple)):
        return tuple([_wrapped(g, k) for g in got])
    return Traced(got, k) if type(got) in (int, float, complex) else got


def _operators():
    def infix(apply):
        return lambda self, other: said(apply, (self, other)), lambda self, other: said(apply, (other, self))

    def prefix(apply):
        return lambda self: said(apply, (self,))

    for name in "add sub mul truediv floordiv mod pow and or xor matmul lshift rshift".split():
        forward, reflected = infix(getattr(operator, name + "_" if name in ("and", "or") else name))
        setattr(Traced, f"__{name}__", forward)
        setattr(Traced, f"__r{name}__", reflected)
    for name in "lt le gt ge eq ne".split():
        setattr(Traced, f"__{name}__", infix(getattr(operator, name))[0])
    for name in "neg pos invert abs".split():
        setattr(Traced, f"__{name}__", prefix(getattr(operator, name)))
    Traced.__hash__ = object.__hash__


_operators()


class TracedWords(LevelWords):
    """The words as ops of Tensors of an inner table."""

    backend, array_type = "traced", Traced

    def __init__(self, inner, frame):
        super().__init__(inner, frame)
        self.trace = frame

    def of(self, array):
        return self.frame.table(array.k)

    def constant(self, array):
        return Traced(wrap(array, self.inner), self.inner)

    constant_gradient = constant

    def scalar(self, value):
        return Traced(value, self.inner)

    wide_scalar = scalar

    def asarray(self, value):
        return value if isinstance(value, Traced) else self.scalar(value)

    def through(self, array, f):
        raise NotImplementedError(
            "a step that no ATen call is made for, inside of a transform, cannot be traced by lucid"
        )

    def detached(self, x, limit=None):
        return x

    def strides(self, x):
        return tuple(x.strides)

    def storage_offset(self, x, home=None):
        return x.tensor().storage_offset()

    def to_numpy(self, array):
        return array.tensor().numpy()

    def conj(self, x):
        return said(words_of(self.inner).conj, (x,)) if self.is_complex else x

    def need_unbatched(self, x, name, how="dynamic"):
        """Nothing is known of a batch here."""

    def refuse_out(self, x, name):
        """Nothing is refused here."""

    def beside(self, x, like):
        return x

    def write_view(self, base, chain, value):
        if not chain:
            return value
        out = seen = said(lambda t: t.clone(), (base,))
        for op, options in chain:
            seen = op.forward(self.of(seen), seen, *options)
        said(lambda x, v: x.copy_(v), (seen, Traced(value.tensor(), value.k)))
        return out

    def resample(self, x, dim, taps):
        return said(_resampled, (x, dim, taps))

    def resample_backward(self, g, dim, taps):
        return said(_resampled_backward, (g, dim, taps))

    def _refuse_draws(self, *ignored):
        raise NotImplementedError("random numbers inside of vmap and jvp cannot be traced by lucid yet")

    drawn = drawn_like = drawn_by = _refuse_draws

    def __getattr__(self, word):
        if word.startswith("__"):
            raise AttributeError(word)
        f = getattr(words_of(self.inner), word)
        made = lambda *args: said(f, args)  # noqa: E731
        setattr(self, word, made)
        return made

    def full(self, shape, value):
        if isinstance(value, Traced) and not value.is_number:
            return said(lambda v: v.to(self.dtype).expand(shape).clone(), (value,))
        return said(words_of(self.inner).full, (shape, value.value if isinstance(value, Traced) else value))


def _made_here(name):
    return lambda self, *args: said(getattr(words_of(self.inner), name), args)


for _name in ("zeros", "ones", "empty", "arange", "eye"):
    setattr(TracedWords, _name, _made_here(_name))


def _steps(x, dim, taps):
    """(places, weights, which are real) of each tap as tensors that lie along dim of x; None for what there is not."""

    def tensor(values, dtype):
        return Tensor._from_numpy(values).to(dtype=dtype, device=x.device)

    def along(values, t, dtype):
        return None if values is None else tensor(values[t], dtype).reshape(-1, *[1] * (x.ndim - 1 - dim))

    for t, places in enumerate(taps.indices):
        yield tensor(places, int64), along(taps.weights, t, x.dtype), along(taps.real, t, bool_)


def _resampled(x, dim, taps):
    """See the word `resample`."""
    total = None
    for places, weights, real in _steps(x, dim, taps):
        part = x.index_select(dim, places)
        part = part if weights is None else part * weights
        part = part if real is None else part.where(real, 0)
        total = part if total is None else total + part
    return total


def _resampled_backward(g, dim, taps):
    """Its transpose."""
    total = g.new_zeros((*g.shape[:dim], taps.n_in, *g.shape[dim + 1 :]))
    for places, weights, real in _steps(g, dim, taps):
        part = g if weights is None else g * weights
        total = total.index_add(dim, places, part if real is None else part.where(real, 0))
    return total


class TraceFrame(Frame):
    """The level below the outermost of the transforms that run."""

    words, is_function = TracedWords, False

    def enter(self, t):
        """t in the level; t itself where it is."""
        k = t._table
        if k.trace is not None:
            return t
        out = wrap(Traced(known_as(t), k), self.table(k))
        if t._node is not None and local.grad:
            out._node = record(EnterTrace, k, (t._node,), frame=self)
        return out

    def leave(self, t):
        """t out of the level; t itself where another level lies above, and where it was not inside."""
        k = t._table
        if k.frame is not self:
            return t
        out = known_as(t._array.tensor())
        if t._node is not None and local.grad:
            out._node = record(LeaveTrace, k, (t._node,), frame=self)
        return out


class EnterTrace(BackwardOperation):
    """A tensor became an array of the level."""

    __slots__ = ("frame",)

    def on_arrays(self, g, edges):
        return (g.tensor()._array,)

    def on_tensors(self, g, edges):
        return (self.frame.leave(g),)


class LeaveTrace(BackwardOperation):
    """An array of the level became a tensor again."""

    __slots__ = ("frame",)

    def on_arrays(self, g, edges):
        return (self.k.constant(g),)

    def on_tensors(self, g, edges):
        return (self.frame.enter(g),)
