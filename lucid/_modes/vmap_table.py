"""Batches as a vocabulary: every word applied to all members of a batch at once.

A `Batched` array holds its members along axis 0 of an ordinary array, and shows the shape of one member. A tensor
inside `vmap` is a plain Tensor whose table is a `BatchedWords`: the same kernels and the same gradient rules then mean
"for each member". How a word treats dimensions follows from its family in `_array.words`; a word of no known family is
applied member by member.
"""

import functools

from .._array import words as dictionary
from .._array.fallbacks import SPELLED
from .._backend.graph import BackwardOperation, record
from .._base.state import local
from .._tensor.tensor import Tensor, wrap
from .levels import Frame, LevelWords, base_of, below, level, lift_tensor, merge
from .vmap_array import ITEM, Batched, line_up
from .vmap_index import REFUSALS, BatchedIndexing


class BatchFrame(Frame):
    """One running vmap: also the size of its batch, and how random draws treat the members."""

    def __init__(self, level, size, randomness, is_function=True):
        super().__init__(level)
        self.size, self.randomness, self.is_function = size, randomness, is_function


class BatchedWords(BatchedIndexing, LevelWords):
    """The kernel table of tensors inside vmap, over an inner table."""

    backend, array_type = "batched", Batched
    is_batched = True

    # ---- tables and arrays

    def of(self, array):
        return self.frame.table(self.inner.of(array.value)) if isinstance(array, Batched) else self

    def constant(self, array):
        """The same array for every member."""
        return Batched(array, False)

    def constant_gradient(self, g):
        k, size = self.inner, self.frame.size
        return k.sum(g.value, (0,), False) if g.has_batch else g.value * size

    def through(self, array, f):
        return Batched(f(array.value), array.has_batch)

    def opened(self, arrays):
        """([inner arrays with or all without a batch], how to close one again)."""
        if any(a.has_batch for a in arrays):
            return [self.batch(a) for a in arrays], lambda inner: Batched(inner, True)
        return [a.value for a in arrays], lambda inner: Batched(inner, False)

    def drawn(self, shape, draw):
        """Random numbers: draw(table, shape) gives them."""
        if self.frame.randomness == "different":
            return Batched(draw(self.inner, (self.frame.size, *shape)), True)
        return Batched(draw(self.inner, shape), False)

    def drawn_like(self, x, draw):
        if x.has_batch and self.frame.randomness == "different":
            return Batched(draw(self.inner, x.value), True)
        return self.drawn(x.shape, lambda inner, shape: draw(inner, inner.empty(shape)))

    def drawn_by(self, arrays):
        """(arrays of the inner table that one draw by all members takes in place of these, how to close its result)"""
        if self.frame.randomness == "different":
            lined = line_up([Batched(self.batch(a), True) for a in arrays])[:-1]
            return lined, lambda inner: Batched(inner, True)
        if any(a.has_batch for a in arrays):
            raise RuntimeError(
                "Vmap does not currently support same randomness with a batched tensor input. "
                "Please file an issue with functorch"
            )
        return [a.value for a in arrays], lambda inner: Batched(inner, False)

    def to_numpy(self, array):
        if array.has_batch:
            raise RuntimeError(ITEM)
        return self.inner.to_numpy(array.value)

    def refuse_out(self, x, name):
        if x.has_batch:
            raise RuntimeError(
                f"Batching rule not implemented for aten::{name}.out; the fallback path doesn't work on out= or view "
                "ops."
            )
        super().refuse_out(x, name)

    def need_unbatched(self, x, name, how="dynamic"):
        if x.has_batch:
            raise RuntimeError(REFUSALS[how].format(name))
        super().need_unbatched(x, name, how)

    def batch(self, a):
        """The inner array with the batch at axis 0, stretched to the batch if it had none."""
        if not isinstance(a, Batched):
            a = self.asarray(a)
        if a.has_batch:
            return a.value
        return self.inner.expand(self.inner.unsqueeze(a.value, 0), (self.frame.size, *a.value.shape))

    def strides(self, x):
        return tuple(self.inner.strides(x.value)[x.has_batch :])

    def storage_offset(self, x, home=None):
        return self.inner.storage_offset(x.value, home)

    def data_ptr(self, x):
        raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")

    def import_from(self, array, k):
        raise RuntimeError("vmap: moving a batched tensor to another device is not supported")

    def cast(self, x, dtype):
        return Batched(self.inner.cast(x.value, dtype), x.has_batch)

    def by_member(self, op, args):
        """An op whose words give results of another shape for each member, though its own do not."""
        return _member_by_member(self, lambda *inner: op.kernel(self.inner)(self.inner, *inner), args)

    def __getattr__(self, word):
        if word.startswith("__"):
            raise AttributeError(word)
        made = _rule_for(self, word)
        setattr(self, word, made)
        return made

    # ---- views and moves with rules of their own

    def reshape(self, x, shape):
        return Batched(self.inner.reshape(x.value, (x.value.shape[0], *shape) if x.has_batch else shape), x.has_batch)

    view = reshape

    def permute(self, x, dims):
        return Batched(self.inner.permute(x.value, (0, *[d + 1 for d in dims]) if x.has_batch else dims), x.has_batch)

    def transpose(self, x, dim0, dim1):
        b = x.has_batch and x.ndim > 0
        return Batched(self.inner.transpose(x.value, dim0 + b, dim1 + b), x.has_batch)

    def expand(self, x, shape):
        v = x.value
        if not x.has_batch:
            return Batched(self.inner.expand(v, shape), False)
        if x.ndim < len(shape):
            v = self.inner.reshape(v, (v.shape[0],) + (1,) * (len(shape) - x.ndim) + tuple(v.shape[1:]))
        return Batched(self.inner.expand(v, (v.shape[0], *shape)), True)

    broadcast_to = expand

    def slice(self, x, dim, start, end, step):
        return Batched(self.inner.slice(x.value, dim + x.has_batch, start, end, step), x.has_batch)

    def unsqueeze(self, x, dim):
        return Batched(self.inner.unsqueeze(x.value, dim + x.has_batch), x.has_batch)

    def squeeze(self, x, dim):
        return Batched(self.inner.squeeze(x.value, tuple([d + x.has_batch for d in dim])), x.has_batch)

    def diagonal(self, x, offset, dim1, dim2):
        b = x.has_batch
        return Batched(self.inner.diagonal(x.value, offset, dim1 + b, dim2 + b), b)

    def unfold(self, x, dim, size, step):
        if x.has_batch and not x.ndim:
            return _member_by_member(self, self.inner.unfold, (x, dim, size, step))
        return Batched(self.inner.unfold(x.value, dim + x.has_batch, size, step), x.has_batch)

    def as_strided(self, x, size, stride, offset):
        if not x.has_batch:
            return Batched(self.inner.as_strided(x.value, size, stride, offset), False)
        step = self.inner.strides(x.value)[0]
        try:
            return Batched(self.inner.as_strided(x.value, (x.value.shape[0], *size), (step, *stride), offset), True)
        except ValueError:
            raise RuntimeError(
                f"result = tensor.as_strided({list(size)}, {list(stride)}, {offset}) can access memory outside of "
                "`tensor`. `result` can access some memory before or past the memory of a member of the batch. This is "
                "not supported inside of vmap."
            ) from None

    def view_dtype(self, x, dtype):
        return Batched(self.inner.view_dtype(x.value, dtype), x.has_batch)

    def cat(self, arrays, dim):
        if not any(a.has_batch for a in arrays):
            return Batched(self.inner.cat([a.value for a in arrays], dim), False)
        return Batched(self.inner.cat([self.batch(a) for a in arrays], dim + 1), True)

    def stack(self, arrays, dim):
        if not any(a.has_batch for a in arrays):
            return Batched(self.inner.stack([a.value for a in arrays], dim), False)
        return Batched(self.inner.stack([self.batch(a) for a in arrays], dim + 1), True)

    def flip(self, x, dims):
        return Batched(self.inner.flip(x.value, tuple([d + x.has_batch for d in dims])), x.has_batch)

    def roll(self, x, shifts, dims):
        return Batched(self.inner.roll(x.value, shifts, tuple([d + x.has_batch for d in dims])), x.has_batch)

    def fft_c2c(self, x, dims, normalization, forward):
        dims = tuple([d + x.has_batch for d in dims])
        return Batched(self.inner.fft_c2c(x.value, dims, normalization, forward), x.has_batch)

    def fft_r2c(self, x, dims, normalization, onesided):
        dims = tuple([d + x.has_batch for d in dims])
        return Batched(self.inner.fft_r2c(x.value, dims, normalization, onesided), x.has_batch)

    def fft_c2r(self, x, dims, normalization, last_count):
        dims = tuple([d + x.has_batch for d in dims])
        return Batched(self.inner.fft_c2r(x.value, dims, normalization, last_count), x.has_batch)

    def tril(self, x, diagonal=0):
        return Batched(self.inner.tril(x.value, diagonal), x.has_batch)

    def triu(self, x, diagonal=0):
        return Batched(self.inner.triu(x.value, diagonal), x.has_batch)

    def pad(self, x, widths, value=0):
        widths = ((0, 0), *widths) if x.has_batch else widths
        return Batched(self.inner.pad(x.value, widths, value), x.has_batch)

    def repeat(self, x, repeats):
        if not x.has_batch:
            return Batched(self.inner.repeat(x.value, repeats), False)
        v = x.value
        if x.ndim < len(repeats):
            v = self.inner.reshape(v, (v.shape[0],) + (1,) * (len(repeats) - x.ndim) + tuple(v.shape[1:]))
        return Batched(self.inner.repeat(v, (1, *repeats)), True)

    def copy(self, x):
        return Batched(self.inner.copy(x.value), x.has_batch)

    def contiguous(self, x):
        return Batched(self.inner.contiguous(x.value), x.has_batch)

    def with_strides(self, x, stride):
        if x.has_batch and stride is not None:
            stride = (extent(x.shape, stride), *stride)
        return Batched(self.inner.with_strides(x.value, stride), x.has_batch)

    def beside(self, x, like):
        x = super().beside(x, like)
        if x.has_batch or not like.has_batch:
            return x
        strides = self.inner.strides(x.value)
        return Batched(self.inner.with_strides(self.batch(x), (extent(x.shape, strides), *strides)), True)

    # ---- contraction

    def matmul(self, a, b):
        if not (a.has_batch or b.has_batch):
            return Batched(self.inner.matmul(a.value, b.value), False)
        k, row, column = self.inner, a.ndim == 1, b.ndim == 1
        x = k.unsqueeze(a.value, int(a.has_batch)) if row else a.value
        y = k.unsqueeze(b.value, b.value.ndim) if column else b.value
        nx, ny = x.ndim - a.has_batch, y.ndim - b.has_batch
        if a.has_batch and nx < ny:
            x = k.reshape(x, (x.shape[0],) + (1,) * (ny - nx) + tuple(x.shape[1:]))
        if b.has_batch and ny < nx:
            y = k.reshape(y, (y.shape[0],) + (1,) * (nx - ny) + tuple(y.shape[1:]))
        out = k.matmul(x, y)
        if row:
            out = k.select(out, out.ndim - 2, 0)
        if column:
            out = k.select(out, out.ndim - 1, 0)
        return Batched(k.contiguous(out), True)

    # ---- making

    def full(self, shape, value):
        if not isinstance(value, Batched) or not value.has_batch:
            return Batched(self.inner.full(shape, value.value if isinstance(value, Batched) else value), False)
        each = self.inner.reshape(value.value, (-1,) + (1,) * len(shape))
        return Batched(
            self.inner.copy(self.inner.expand(self.inner.cast(each, self.dtype), (self.frame.size, *shape))), True
        )

    def empty_like(self, x):
        return Batched(self.inner.empty_like(x.value), x.has_batch)

    # ---- writing

    def write_view(self, base, chain, value):
        if not chain:
            if not self.inner.is_transform or base.has_batch != value.has_batch:
                return value
            return Batched(self.inner.write_view(base.value, chain, value.value), value.has_batch)
        base = seen = Batched(self.batch(base), True)
        k = self
        for op, options in chain:
            seen = op.forward(k, seen, *options)
            k = k.of(seen)
        below = tuple([(Within(self.frame, op), options) for op, options in chain])
        return Batched(self.inner.write_view(base.value, below, line_up([seen, value])[1]), True)


class Within:
    """A step of a view chain of batches, as one of the arrays that hold the members."""

    __slots__ = ("frame", "op")

    def __init__(self, frame, op):
        self.frame, self.op = frame, op

    def forward(self, k, array, *options):
        return self.op.forward(self.frame.table(k), Batched(array, True), *options).value


def extent(shape, strides):
    """How many elements of memory one member needs."""
    return 0 if 0 in shape else 1 + sum([(n - 1) * s for n, s in zip(shape, strides)])


# ---- rules by family


def _rule_for(k, word):
    if word in SPELLED:
        return functools.partial(SPELLED[word], k)
    if word in dictionary.POINTWISE:
        return _pointwise(k, getattr(k.inner, word))
    if word in dictionary.REDUCTION:
        return _reduction(k.inner, getattr(k.inner, word))
    if word in dictionary.SCAN or word in dictionary.ALONG:
        return _along(k.inner, getattr(k.inner, word))
    getattr(k.inner, word)  # an unknown word is the inner table's error
    return lambda *args: _member_by_member(k, getattr(k.inner, word), args)


def _pointwise(k, inner_word):
    def call(*args):
        *lined, batch = line_up(args)
        got = inner_word(*lined)
        return Batched(got, batch)

    return call


def _reduction(k, inner_word):
    def call(x, dim, *more):
        if not x.has_batch:
            return Batched(inner_word(x.value, dim, *more), False)
        if not x.ndim:
            dim = ()
        return Batched(
            inner_word(x.value, tuple([d + 1 for d in dim]), *more) if dim else _nothing(k, inner_word, x.value, more),
            True,
        )

    return call


def _nothing(k, inner_word, value, more):
    """A reduction of 0-dim members: over an axis of size 1 made for it."""
    return inner_word(k.unsqueeze(value, 1), (1,), *([False] * bool(more)), *more[1:])


def _along(k, inner_word):
    def call(x, dim, *more):
        if not x.has_batch:
            got = inner_word(x.value, dim, *more)
        elif x.ndim:
            got = inner_word(x.value, dim + 1, *more)
        else:
            got = inner_word(k.unsqueeze(x.value, 1), 1, *more)
            got = tuple([g.reshape(g.shape[:1]) for g in got]) if isinstance(got, tuple) else got.reshape(got.shape[:1])
        return tuple([Batched(g, x.has_batch) for g in got]) if isinstance(got, tuple) else Batched(got, x.has_batch)

    return call


def _member_by_member(k, inner_word, args):
    """Any word: once per member, the results stacked."""

    def pick(a, i):
        if isinstance(a, Batched):
            return k.inner.select(a.value, 0, i) if a.has_batch else a.value
        return type(a)([pick(x, i) for x in a]) if isinstance(a, (list, tuple)) else a

    def batches(a):
        return (
            a.has_batch if isinstance(a, Batched) else any(map(batches, a)) if isinstance(a, (list, tuple)) else False
        )

    if not batches(args):
        return _wrapped(inner_word(*pick(args, 0)), False)
    rows = [inner_word(*pick(args, i)) for i in range(k.frame.size)]
    for i, r in enumerate(rows):
        if not isinstance(r, tuple) and r.shape != rows[0].shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(rows[0].shape)} at entry 0 and "
                f"{list(r.shape)} at entry {i}"
            )
    if isinstance(rows[0], tuple):
        return tuple([Batched(k.inner.of(c[0]).stack([k.inner.asarray(v) for v in c], 0), True) for c in zip(*rows)])
    return Batched(k.inner.of(rows[0]).stack([k.inner.asarray(r) for r in rows], 0), True)


def _wrapped(got, batch):
    return tuple([Batched(g, batch) for g in got]) if isinstance(got, tuple) else Batched(got, batch)


# ---- in and out of a batch, as parts of the graph


class EnterBatch(BackwardOperation):
    """A tensor became a batch along one of its dimensions."""

    __slots__ = ("dim", "frame", "inside")

    def on_arrays(self, g, edges):
        return (_leave(g, self.inside, self.dim, self.frame)[0],)

    def on_tensors(self, g, edges):
        return (leave(g, self.dim, self.frame, self.k),)


class LeaveBatch(BackwardOperation):
    """A batch became a tensor with one more dimension."""

    __slots__ = ("dim", "frame", "without")

    def on_arrays(self, g, edges):
        return (_enter(g, self.without, self.dim, self.frame)[0],)

    def on_tensors(self, g, edges):
        return (enter(g, self.dim, self.frame),)


def from_dim(k, array, dim):
    """Dimension dim first."""
    if dim == 0:
        return array
    return k.permute(array, (dim, *[d for d in range(array.ndim) if d != dim]))


def to_dim(k, array, dim):
    """The first dimension at dim."""
    if dim == 0:
        return array
    order = list(range(1, array.ndim))
    order.insert(dim, 0)
    return k.permute(array, tuple(order))


def enter(t, dim, frame) -> Tensor:
    """t as a batch along dim."""
    t = t if frame.trace is None else frame.trace.enter(t)
    k = t._table
    out = wrap(*_enter(t._array, k, dim, frame))
    if t._node is not None and local.grad:
        out._node = record(EnterBatch, k, (t._node,), dim=dim, frame=frame, inside=out._table)
    return out


def _enter(array, k, dim, frame):
    """(array, table) with the frame's batch along dim; below the levels of transforms that began later (a gradient may
    come back to a transform that has ended, from inside another)."""
    if level(k) < frame.level:
        return Batched(from_dim(k, array, dim), True), frame.table(k)
    shift = array.has_batch if isinstance(array, Batched) else 0
    return below(array, k, lambda inner: _enter(inner, k.inner, dim + shift, frame))


def leave(t, dim, frame, inner=None) -> Tensor:
    """A batch as an ordinary tensor with the members along dim."""
    t = t if frame.trace is None else frame.trace.enter(t)
    t = lift_tensor(t, merge(t._table, frame.table(base_of(t._table))))  # made inside, but the same for all members
    k = t._table
    out = wrap(*_leave(t._array, k, dim, frame))
    if t._node is not None and local.grad:
        out._node = record(LeaveBatch, k, (t._node,), dim=dim, frame=frame, without=out._table)
    return out if frame.trace is None else frame.trace.leave(out)


def _leave(array, k, dim, frame):
    """(array, table) without the frame's batch, which lies along dim instead."""
    if k.frame is frame:
        return k.inner.asarray(to_dim(k.inner, k.batch(array), dim)), k.inner
    shift = array.has_batch if isinstance(array, Batched) else 0
    return below(array, k, lambda inner: _leave(inner, k.inner, dim + shift, frame))


BatchFrame.words = BatchedWords
