"""Batches as a vocabulary: every word applied to all members of a batch at once.

A `Batched` array holds its members along axis 0 of an ordinary array, and shows the shape of one member. A tensor inside
`vmap` is a plain Tensor whose table is a `BatchedWords`: the same kernels and the same gradient rules then mean "for each
member". How a word treats dimensions follows from its family in `_array.words`; a word of no known family is applied
member by member.
"""
import functools

from .._array import words as dictionary
from .._array.spelled import SPELLED
from .._backend.graph import BackwardOperation
from .._base.dtype import int64
from .._base.shape import Size
from .._base.state import local, tick
from .._tensor.tensor import Tensor, wrap
from .levels import Frame, LevelWords, base_of, below, level, lift_tensor, merge


class Batched:
    """An array of arrays: `value` has the members along axis 0 (`has_batch`), or is the same for all of them."""

    __slots__ = ("value", "has_batch", "__weakref__")

    def __init__(self, value, has_batch):
        self.value, self.has_batch = value, has_batch

    base = None
    __array_ufunc__ = None      # numpy scalars leave operators to us

    def reshape(self, *shape):
        shape = tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else shape
        return Batched(self.value.reshape((self.value.shape[0], *shape) if self.has_batch else shape), self.has_batch)

    under = property(lambda self: self.value)
    shape = property(lambda self: tuple(self.value.shape[1:]) if self.has_batch else tuple(self.value.shape))
    ndim = property(lambda self: self.value.ndim - self.has_batch)
    dtype = property(lambda self: self.value.dtype)
    strides = property(lambda self: self.value.strides[self.has_batch:])

    @property
    def size(self):
        return Size(self.shape).numel()

    def __bool__(self):
        raise RuntimeError(DATA_DEPENDENT)

    @property
    def plain(self):
        """What a write into a tensor from outside would keep: only a value that is the same for all members."""
        if self.has_batch:
            raise RuntimeError(INPLACE)
        return self.value

    def __repr__(self):
        return f"Batched({self.value!r}, {self.has_batch})"


INPLACE = (
    "vmap: inplace arithmetic(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args that has "
    "more elements than `self`. This happened due to `other` being vmapped over but `self` not being vmapped over in a vmap. Please "
    "try to use out-of-place operators instead of inplace arithmetic. If said operator is being called inside the PyTorch framework, "
    "please file a bug report instead.")
DATA_DEPENDENT = (
    "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't support that yet, "
    "please shout over at https://github.com/pytorch/functorch/issues/257 .")
ITEM = ("vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a Tensor, please "
        "try to rewrite what you're doing with other operations. If error is occurring somewhere inside PyTorch internals, please "
        "file a bug report.")


def _operators():
    import operator

    def infix(apply):
        def forward(self, other):
            a, b, batch = line_up([self, other])
            return Batched(apply(a, b), batch)

        def reflected(self, other):
            b, a, batch = line_up([self, other])
            return Batched(apply(a, b), batch)
        return forward, reflected
    for name in "add sub mul truediv floordiv mod pow and or xor matmul lshift rshift".split():
        apply = getattr(operator, name + "_" if name in ("and", "or") else name)
        f, r = infix(apply)
        setattr(Batched, f"__{name}__", f)
        setattr(Batched, f"__r{name}__", r)
    for name in "lt le gt ge eq ne".split():
        setattr(Batched, f"__{name}__", infix(getattr(operator, name))[0])
    for name in "neg pos invert abs".split():
        setattr(Batched, f"__{name}__", lambda self, apply=getattr(operator, name): Batched(apply(self.value), self.has_batch))
    Batched.__hash__ = object.__hash__


def line_up(arrays):
    """(*inner arrays that broadcast like the members do, does any have a batch)."""
    ndim = max([a.ndim for a in arrays if isinstance(a, Batched)], default=0)
    lined, batch = [], False
    for a in arrays:
        if isinstance(a, Batched):
            v = a.value
            if a.has_batch:
                batch = True
                if a.ndim < ndim:
                    v = v.reshape((v.shape[0],) + (1,) * (ndim - a.ndim) + tuple(v.shape[1:]))
            lined.append(v)
        else:
            lined.append(a)
    return (*lined, batch)


_operators()


class BatchFrame(Frame):
    """One running vmap: also the size of its batch, and how random draws treat the members."""

    def __init__(self, level, size, randomness):
        super().__init__(level)
        self.size, self.randomness = size, randomness


class BatchedWords(LevelWords):
    """The kernel table of tensors inside vmap, over an inner table."""

    lib, array_type = "batched", Batched

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

    def to_numpy(self, array):
        raise RuntimeError(ITEM)

    def batch(self, a):
        """The inner array with the batch at axis 0, stretched to the batch if it had none."""
        if not isinstance(a, Batched):
            a = self.asarray(a)
        if a.has_batch:
            return a.value
        return self.inner.expand(self.inner.unsqueeze(a.value, 0), (self.frame.size, *a.value.shape))

    def strides(self, x):
        return tuple(self.inner.strides(x.value)[x.has_batch:])

    def data_ptr(self, x):
        return self.inner.data_ptr(x.value)

    def import_from(self, array, k):
        raise RuntimeError("vmap: moving a batched tensor to another device is not supported")

    def cast(self, x, dtype):
        return Batched(self.inner.cast(x.value, dtype), x.has_batch)

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

    def select(self, x, dim, index):
        if isinstance(index, Batched):
            raise RuntimeError(DATA_DEPENDENT)
        return Batched(self.inner.select(x.value, dim + x.has_batch, index), x.has_batch)

    def unsqueeze(self, x, dim):
        return Batched(self.inner.unsqueeze(x.value, dim + x.has_batch), x.has_batch)

    def squeeze(self, x, dim):
        return Batched(self.inner.squeeze(x.value, tuple([d + x.has_batch for d in dim])), x.has_batch)

    def diagonal(self, x, offset, dim1, dim2):
        b = x.has_batch
        return Batched(self.inner.diagonal(x.value, offset, dim1 + b, dim2 + b), b)

    def unfold(self, x, dim, size, step):
        return Batched(self.inner.unfold(x.value, dim + x.has_batch, size, step), x.has_batch)

    def as_strided(self, x, size, stride, offset):
        if not x.has_batch:
            return Batched(self.inner.as_strided(x.value, size, stride, offset), False)
        step = self.inner.strides(x.value)[0]
        return Batched(self.inner.as_strided(x.value, (x.value.shape[0], *size), (step, *stride), offset), True)

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
        return Batched(self.inner.copy(x.value), x.has_batch)

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

    # ---- indexing

    def index(self, x, indices):
        k = self.inner
        found = [(i, ix) for i, ix in enumerate(indices) if ix is not None]
        if any(isinstance(ix, Batched) and k.of(ix.value).dtype.category == 0 for _, ix in found):
            raise RuntimeError("vmap: It looks like you're attempting to use a boolean mask as an index under vmap: its result "
                               "has another shape for each member. Use torch.where instead.")
        batched = any(isinstance(ix, Batched) and ix.has_batch for _, ix in found)
        plain = [ix.value if isinstance(ix, Batched) else ix for ix in indices]
        if not batched and not x.has_batch:
            return Batched(k.index(x.value, tuple(plain)), False)
        *lined, _ = line_up([ix for _, ix in found])
        n_index = max(ix.ndim if isinstance(ix, Batched) else len(ix.shape) for _, ix in found)
        where = [None] * len(indices)
        for (i, ix), v in zip(found, lined):
            if not (isinstance(ix, Batched) and ix.has_batch):
                v = k.reshape(v, (1,) * (n_index - v.ndim + 1) + tuple(v.shape))
            where[i] = v
        if x.has_batch:
            rows = k.sibling(_INT64).arange(x.value.shape[0])
            where.insert(0, k.reshape(rows, (-1,) + (1,) * n_index))
        out = k.index(x.value, tuple(where))
        # numpy puts the index dimensions first or, when the indices are neighbours, where they stood
        at = [i for i, ix in enumerate(where) if ix is not None]
        now = at[0] if at == list(range(at[0], at[-1] + 1)) else 0
        places = [i for i, _ in found]
        want = places[0] if places == list(range(places[0], places[-1] + 1)) else 0
        index_dims = list(range(now, now + n_index + 1))
        rest = [d for d in range(out.ndim) if d not in index_dims]
        order = [index_dims[0], *rest[:want], *index_dims[1:], *rest[want:]]
        return Batched(k.permute(out, tuple(order)), True)

    def gather(self, x, dim, index):
        if not (x.has_batch or index.has_batch):
            return Batched(self.inner.gather(x.value, dim, index.value), False)
        return Batched(self.inner.gather(self.batch(x), dim + 1, self.batch(index)), True)

    def _scatter(self, word, x, dim, index, src, *more):
        batch = [a for a in (x, index, src) if isinstance(a, Batched)]
        if not any(a.has_batch for a in batch):
            src = src.value if isinstance(src, Batched) else src
            return Batched(getattr(self.inner, word)(x.value, dim, index.value, src, *more), False)
        src = self.batch(src) if isinstance(src, Batched) and src.ndim else src.value if isinstance(src, Batched) else src
        return Batched(getattr(self.inner, word)(self.batch(x), dim + 1, self.batch(index), src, *more), True)

    def scatter(self, x, dim, index, src, *more):
        return self._scatter("scatter", x, dim, index, src, *more)

    def scatter_add(self, x, dim, index, src, *more):
        return self._scatter("scatter_add", x, dim, index, src, *more)

    def scatter_reduce(self, x, dim, index, src, *more):
        return self._scatter("scatter_reduce", x, dim, index, src, *more)

    def index_select(self, x, dim, index):
        if not index.has_batch:
            return Batched(self.inner.index_select(x.value, dim + x.has_batch, index.value), x.has_batch)
        return _member_by_member(self, "index_select", (x, dim, index))

    def topk(self, x, k, dim, *more):
        return self._kth("topk", x, k, dim, more)

    def kthvalue(self, x, k, dim, *more):
        return self._kth("kthvalue", x, k, dim, more)

    def _kth(self, word, x, k, dim, more):
        """Words along dim that say how many, or which, before the dimension."""
        if not x.ndim:
            return _member_by_member(self, word, (x, k, dim, *more))
        got = getattr(self.inner, word)(x.value, k, dim + x.has_batch, *more)
        return tuple([Batched(g, x.has_batch) for g in got])

    def nonzero(self, x):
        raise RuntimeError("vmap: It looks like you're calling nonzero on a batched tensor: its result has another shape for each "
                           "member.")

    # ---- making

    def full(self, shape, value):
        return Batched(self.inner.full(shape, value), False)

    def empty_like(self, x):
        return Batched(self.inner.empty_like(x.value), x.has_batch)

    # ---- writing

    def write_view(self, base, chain, value):
        out = Batched(self.inner.contiguous(self.inner.copy(self.batch(base))), True)
        seen = out
        for op, options in chain:
            seen = op.forward(self, seen, *options)
        self.inner.write(*line_up([seen, value])[:2])
        return out


_INT64 = int64


# ---- rules by family

def _rule_for(k, word):
    if word in SPELLED:
        return functools.partial(SPELLED[word], k)
    if word in dictionary.POINTWISE:
        return _pointwise(k, getattr(k.inner, word))
    if word in dictionary.REDUCTION:
        return _reduction(getattr(k.inner, word))
    if word in dictionary.SCAN or word in dictionary.ALONG:
        return _along(getattr(k.inner, word))
    getattr(k.inner, word)      # an unknown word is the inner table's error
    return lambda *args: _member_by_member(k, word, args)


def _pointwise(k, inner_word):
    def call(*args):
        *lined, batch = line_up(args)
        got = inner_word(*lined)
        return Batched(got, batch)
    return call


def _reduction(inner_word):
    def call(x, dim, *more):
        if not x.has_batch:
            return Batched(inner_word(x.value, dim, *more), False)
        if not x.ndim:
            dim = ()
        return Batched(inner_word(x.value, tuple([d + 1 for d in dim]), *more) if dim else _nothing(inner_word, x.value, more), True)
    return call


def _nothing(inner_word, value, more):
    """A reduction of 0-dim members: over an axis of size 1 made for it."""
    return inner_word(value[:, None], (1,), *([False] * bool(more)), *more[1:])


def _along(inner_word):
    def call(x, dim, *more):
        if not x.has_batch:
            got = inner_word(x.value, dim, *more)
        elif x.ndim:
            got = inner_word(x.value, dim + 1, *more)
        else:
            got = inner_word(x.value[:, None], 1, *more)
            got = tuple([g.reshape(g.shape[:1]) for g in got]) if isinstance(got, tuple) else got.reshape(got.shape[:1])
        return tuple([Batched(g, x.has_batch) for g in got]) if isinstance(got, tuple) else Batched(got, x.has_batch)
    return call


def _member_by_member(k, word, args):
    """Any word: once per member, the results stacked."""
    inner_word = getattr(k.inner, word)

    def pick(a, i):
        if isinstance(a, Batched):
            return k.inner.select(a.value, 0, i) if a.has_batch else a.value
        return type(a)([pick(x, i) for x in a]) if isinstance(a, (list, tuple)) else a

    def batches(a):
        return a.has_batch if isinstance(a, Batched) else any(map(batches, a)) if isinstance(a, (list, tuple)) else False
    if not batches(args):
        return _wrapped(inner_word(*pick(args, 0)), False)
    rows = [inner_word(*pick(args, i)) for i in range(k.frame.size)]
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
    k = t._k
    out = wrap(*_enter(t._d, k, dim, frame))
    if t._n is not None and local.grad:
        out._n = node = EnterBatch.__new__(EnterBatch)
        node.k, node.edges, node.seq, node.dim, node.frame, node.inside = k, (t._n,), tick(), dim, frame, out._k
    return out


def _enter(array, k, dim, frame):
    """(array, table) with the frame's batch along dim; below the levels of transforms that began later (a gradient may come
    back to a transform that has ended, from inside another)."""
    if level(k) < frame.level:
        return Batched(from_dim(k, array, dim), True), frame.table(k)
    shift = array.has_batch if isinstance(array, Batched) else 0
    return below(array, k, lambda inner: _enter(inner, k.inner, dim + shift, frame))


def leave(t, dim, frame, inner=None) -> Tensor:
    """A batch as an ordinary tensor with the members along dim."""
    t = lift_tensor(t, merge(t._k, frame.table(base_of(t._k))))      # made inside, but the same for all members
    k = t._k
    out = wrap(*_leave(t._d, k, dim, frame))
    if t._n is not None and local.grad:
        out._n = node = LeaveBatch.__new__(LeaveBatch)
        node.k, node.edges, node.seq, node.dim, node.frame, node.without = k, (t._n,), tick(), dim, frame, out._k
    return out


def _leave(array, k, dim, frame):
    """(array, table) without the frame's batch, which lies along dim instead."""
    if k.frame is frame:
        return k.inner.asarray(to_dim(k.inner, k.batch(array), dim)), k.inner
    shift = array.has_batch if isinstance(array, Batched) else 0
    return below(array, k, lambda inner: _leave(inner, k.inner, dim + shift, frame))


BatchFrame.words = BatchedWords
