"""The vocabulary whose answers are loop bodies: an op's own rule, run on LoopArrays, says what its kernel does.

Shapes, strides and types are those of the meta device. What a word does with elements is said here; words that are no
loops (matrix products, convolutions, sorts) are Calls of the engine's kernels, and what depends on values raises NotALoop.
"""

import itertools
import math

from .._array.fallbacks import SPELLED
from .._array.meta.layers import MetaWords
from .._array.meta.strided import joint_shape
from .._array.meta.table import reduced
from .._array.words import OPERANDS, WORDS
from .._base import dtype as dtypes
from .._base.dtype import bool_, float32, int64
from .._base.promotion import promote_types
from .._base.shape import contiguous_strides
from . import index as places
from .loops import Call, LoopArray, NotALoop, Reduction, Result, broadcast_index, counted

# A reduction of more elements than this, where few results are to be computed, is done in pieces.
PIECE, FEW = 4096, 4096
WINDOW = 25  # elements of a window that are written out one by one


class LoopWords(MetaWords):
    """The words of one element type."""

    backend, array_type = "loops", LoopArray

    def __init__(self, dtype, place):
        super().__init__(dtype, place)
        self.device_group = LoopWords
        self.is_half = dtype.category == dtypes.FLOATING and dtype.itemsize < 4
        self.has_steps = False
        self.lowest = -math.inf if self.inexact else dtypes.limits(dtype)[0]
        self._numbers = {}

    def __repr__(self):
        return f"{self.device} loops of {self.dtype.name}"

    def __reduce__(self):
        return table, (self.dtype, self.device)

    def sibling(self, dtype):
        return self if dtype is getattr(self, "dtype", None) else table(dtype, self.device)

    def made(self, shape, body, strides=None):
        """A new array of this type with a body."""
        out = self.new(shape, strides)
        out.body = body
        return out

    # ---- numbers

    def scalar(self, value):
        key = (type(value), value if value == value else "nan", math.copysign(1, value) if isinstance(value, float) else 1)
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = self.made((), lambda ops, index: ops.sibling(self.dtype).scalar(value))
        return found

    def from_python(self, data):
        raise NotALoop("data from Python")

    def full(self, shape, value):
        if isinstance(value, LoopArray):
            return self.made(shape, lambda ops, index: ops.sibling(self.dtype).cast(value.at(ops, ()), self.dtype))
        return self.made(shape, lambda ops, index: ops.sibling(self.dtype).scalar(value))

    def zeros(self, shape):
        return self.full(shape, 0)

    def ones(self, shape):
        return self.full(shape, 1)

    def arange(self, n):
        return self.ramp(0, 1, n)

    def ramp(self, start, step, count):
        if self.inexact and not (float(start).is_integer() and float(step).is_integer()):
            raise NotALoop("a ramp of fractions")
        start, step = int(start), int(step)
        return self.made((count,), lambda ops, index: _number(ops, index[0] * step + start, self.dtype))

    def eye(self, n, m=None):
        def body(ops, index):
            same = ops.sibling(int64).eq(ops.number(index[0]), ops.number(index[1]))
            return ops.sibling(self.dtype).cast(same, self.dtype)

        return self.made((n, n if m is None else m), body)

    def linspace(self, start, end, steps):
        raise NotALoop("linspace")

    def cast(self, x, dtype):
        if x.dtype is dtype:
            return x
        _real_only(x.dtype, dtype)
        return self.sibling(dtype).made(
            x.shape, lambda ops, i: ops.sibling(dtype).cast(x.at(ops, i), dtype), self.preserved(x)
        )

    # ---- memory

    def with_strides(self, x, stride):
        out = super().empty_strided(x.shape, stride) if stride is not None else x.k.new(x.shape)
        out = x.k.new(x.shape, stride) if stride is not None else out
        out.body = x.at
        return out

    def write(self, x, value):
        """Fill new memory, as a whole and once; whoever has it reads what was written then."""
        if x.owner is not x or x.is_kept or x.body is not None:
            raise NotALoop("a write")
        dtype = x.dtype
        if isinstance(value, LoopArray):
            _real_only(dtype, value.dtype)
            x.body = lambda ops, i: ops.sibling(dtype).cast(value.at(ops, broadcast_index(i, value.shape)), dtype)
        else:
            x.body = lambda ops, index: ops.sibling(dtype).scalar(value)

    def write_view(self, base, chain, value):
        raise NotALoop("a write")

    def place(self, out, indices, values, add=False):
        raise NotALoop("a write")

    def view_dtype(self, *args):
        raise NotALoop("memory read as another type")

    view_as_real = view_as_complex = view_dtype

    def to_numpy(self, array):
        raise NotALoop("values")

    # ---- reductions

    def sum(self, x, dim, keepdim=False):
        k = x.k if x.k.inexact or x.dtype is dtypes.uint64 else x.k.sibling(int64)
        return k.reduction("sum", k.cast(x, k.dtype), dim, keepdim)

    def prod(self, x, dim, keepdim=False):
        k = x.k if x.k.inexact or x.dtype is dtypes.uint64 else x.k.sibling(int64)
        return k.reduction("prod", k.cast(x, k.dtype), dim, keepdim)

    def nansum(self, x, dim, keepdim=False):
        return self.sum(self.where(self.isnan(x), self.scalar(0), x) if x.k.inexact else x, dim, keepdim)

    def mean(self, x, dim, keepdim=False):
        count = math.prod([x.shape[d] for d in dim])
        total = self.reduction("sum", self.cast(x, self.dtype), dim, keepdim)
        return self.div(total, float(count)) if count else self.mul(total, math.nan)

    def amax(self, x, dim, keepdim=False):
        return x.k.reduction("max", x, dim, keepdim)

    def amin(self, x, dim, keepdim=False):
        return x.k.reduction("min", x, dim, keepdim)

    def any(self, x, dim, keepdim=False):
        return self.bool.reduction("max", self.cast(x, bool_), dim, keepdim)

    def all(self, x, dim, keepdim=False):
        return self.bool.reduction("min", self.cast(x, bool_), dim, keepdim)

    def count_nonzero(self, x, dim, keepdim=False):
        return self.sum(self.cast(self.cast(x, bool_), int64), dim, keepdim)

    def logsumexp(self, x, dim, keepdim=False):
        top = self.amax(x, dim, True)
        top = self.where(self.isfinite(top), top, self.scalar(0))
        found = self.add(self.log(self.sum(self.exp(self.sub(x, top)), dim, True)), top)
        return found if keepdim else self.reshape(found, reduced(x.shape, dim, False))

    def var_dim(self, x, dim, keepdim, correction):
        off = self.square(self.sub(x, self.mean(x, dim, True)))
        count = math.prod([x.shape[d] for d in dim])
        total = self.sum(off, dim, keepdim)
        left = max(count - correction, 0)
        return self.div(total, float(left)) if left else self.div(total, self.scalar(0))

    def std_dim(self, x, dim, keepdim, correction):
        return self.sqrt(self.var_dim(x, dim, keepdim, correction))

    def vector_norm(self, x, dim, keepdim, p):
        size = self.abs(x)
        if p == math.inf:
            return self.amax(size, dim, keepdim)
        if p == -math.inf:
            return self.amin(size, dim, keepdim)
        if p == 0:
            return self.sum(self.cast(self.ne(x, 0), self.dtype), dim, keepdim)
        if p == 1:
            return self.sum(size, dim, keepdim)
        if p == 2:
            return self.sqrt(self.sum(self.mul(x, x), dim, keepdim))
        return self.pow(self.sum(self.pow(size, p), dim, keepdim), 1.0 / p)

    def reduction(self, kind, x, dim, keepdim):
        """All elements along dimensions put together; in pieces where that gives several loops something to do."""
        _real_only(x.dtype)
        if self.is_half:
            wide = self.sibling(float32)
            return self.cast(wide.reduction(kind, self.cast(x, float32), dim, keepdim), self.dtype)
        shape = reduced(x.shape, dim, keepdim)
        if not dim:
            return x
        count, left = math.prod([x.shape[d] for d in dim]), math.prod(shape)
        if not count:
            if kind in ("max", "min"):
                raise NotALoop("the greatest of nothing")
            return self.full(shape, kind == "prod")
        pieces = _pieces(count) if left <= FEW and count > PIECE and left * count > 8 * PIECE else 1
        if pieces > 1:
            x = self._in_pieces(x, dim, pieces, count)
            x = self._reduced(kind, x, (len(x.shape) - 1,), x.shape[:-1])
            dim = (len(x.shape) - 1,)
        out = self._reduced(kind, x, dim, reduced(x.shape, dim, False))
        return out if out.shape == shape else self.reshape(out, shape)

    def _reduced(self, kind, x, dim, shape):
        if x.owner is x and not x.is_kept and x.size and counted(x).is_heavy:
            x.stored = True  # whoever else reads it should not have to compute it again
        out = self.new(shape)
        out.source = Reduction(kind, x.shape, tuple(sorted(dim)), x.at)
        return out

    def _in_pieces(self, x, dim, pieces, count):
        """x with its other dimensions first, then the reduced ones as (pieces, what is in each)."""
        rest = [d for d in range(len(x.shape)) if d not in dim]
        sizes = [x.shape[d] for d in sorted(dim)]
        shape = (*[x.shape[d] for d in rest], pieces, count // pieces)

        def body(ops, index):
            whole = list(index[:-2])
            found = dict(zip(rest, whole))
            found.update(zip(sorted(dim), places.split(index[-2] * shape[-1] + index[-1], sizes)))
            return x.at(ops, tuple([found[d] for d in range(len(x.shape))]))

        return self.made(shape, body)

    # ---- new arrays with old elements

    def cat(self, arrays, dim):
        out = super().cat(arrays, dim)
        starts, at = [], 0
        for a in arrays:
            starts.append(at)
            at += a.shape[dim]

        def body(ops, index):
            value = ops.sibling(out.dtype).scalar(0)
            for a, start in reversed([*zip(arrays, starts)]):
                if a.shape[dim]:
                    inner = (*index[:dim], index[dim] - start, *index[dim + 1 :])
                    read = lambda a=a, inner=inner: ops.sibling(out.dtype).cast(a.at(ops, inner), out.dtype)  # noqa: E731
                    value = _within(ops, out.dtype, index[dim], start, start + a.shape[dim], read, value)
            return value

        out.body = body
        return out

    def stack(self, arrays, dim):
        return self.cat([self.unsqueeze(a, dim) for a in arrays], dim)

    def flip(self, x, dims):
        flipped = lambda i: tuple([(x.shape[d] - 1) - v if d in dims else v for d, v in enumerate(i)])  # noqa: E731
        return x.k.made(x.shape, lambda ops, i: x.at(ops, flipped(i)), self.preserved(x))

    def roll(self, x, shifts, dims):
        def rolled(index):
            index = list(index)
            for s, d in zip(shifts, dims):
                n = x.shape[d]
                index[d] = (index[d] + (-s) % n) % n if n else index[d]
            return tuple(index)

        return x.k.made(x.shape, lambda ops, i: x.at(ops, rolled(i)))

    def _triangle(self, x, offset, lower):
        def body(ops, index):
            words = ops.sibling(int64)
            row, column = ops.number(index[-2] + offset), ops.number(index[-1])
            kept = words.le(column, row) if lower else words.ge(column, row)
            values = ops.sibling(x.dtype)
            return values.where(kept, x.at(ops, index), values.scalar(0))

        return x.k.made(x.shape, body)

    def tril(self, x, diagonal=0):
        return self._triangle(x, diagonal, True)

    def triu(self, x, diagonal=0):
        return self._triangle(x, diagonal, False)

    def pad(self, x, widths, value=0):
        out = super().pad(x, widths, value)

        def body(ops, index):
            inner = tuple([i - before for i, (before, _) in zip(index, widths)])
            read = lambda: x.at(ops, inner)  # noqa: E731
            for i, n, (before, after) in zip(index, x.shape, widths):
                if before > 0 or after > 0:
                    read = _guarded(ops, x.dtype, i, before, before + n, read, value)
            return read()

        out.body = body
        return out

    def repeat(self, x, repeats):
        out = super().repeat(x, repeats)

        def body(ops, index):
            inner = index[len(index) - len(x.shape) :]
            return x.at(ops, tuple([i % n if n else i for i, n in zip(inner, x.shape)]))

        out.body = body
        return out

    # ---- by index

    def index_select(self, x, dim, index):
        if not x.shape:
            return x
        out = super().index_select(x, dim, index)
        flat = self.reshape(index, (index.size,))

        def body(ops, i):
            row = ops.indirect(flat.at(ops, (i[dim],)), x.shape[dim], False)
            return x.at(ops, (*i[:dim], row, *i[dim + 1 :]))

        out.body = body
        return out

    def gather(self, x, dim, index):
        if not x.shape or not index.shape:
            raise NotALoop("a gather of one number")
        out = super().gather(x, dim, index)

        def body(ops, i):
            row = ops.indirect(index.at(ops, i), x.shape[dim], False)
            return x.at(ops, (*i[:dim], row, *i[dim + 1 :]))

        out.body = body
        return out

    def index(self, x, indices):
        out = super().index(x, indices)
        used = [d for d, i in enumerate(indices) if i is not None]
        together = used == list(range(used[0], used[-1] + 1))
        found = joint_shape([indices[d] for d in used])
        first = used[0] if together else 0

        def body(ops, index):
            picked, rest = index[first : first + len(found)], (*index[:first], *index[first + len(found) :])
            rest, whole = iter(rest), []
            for d in range(len(x.shape)):
                if d in used:
                    value = indices[d].at(ops, broadcast_index(picked, indices[d].shape))
                    whole.append(ops.indirect(value, x.shape[d], True))
                else:
                    whole.append(next(rest))
            return x.at(ops, tuple(whole))

        out.body = body
        return out

    def class_scatter(self, g, target, classes):
        shape = (g.shape[0], classes, *g.shape[1:])

        def body(ops, index):
            words, inner = ops.sibling(g.dtype), (index[0], *index[2:])
            here = ops.sibling(int64).eq(target.at(ops, inner), ops.number(index[1]))
            return words.where(here, g.at(ops, inner), words.scalar(0))

        return g.k.made(shape, body)

    def masked_fill(self, x, mask, value):
        return self.where(mask, value if isinstance(value, LoopArray) else x.k.scalar(value), x)

    # ---- pooling: windows of few elements, whose greatest is found again where it is needed

    def max_pool(self, x, kernel, stride, padding, dilation, out_size):
        if math.prod(kernel) > WINDOW:
            return _called("max_pool")(self, x, kernel, stride, padding, dilation, out_size)
        out = super().max_pool(x, kernel, stride, padding, dilation, out_size)
        out.body = lambda ops, i: _winner(ops, x.dtype, _window(ops, x, i, kernel, stride, padding, dilation))[0]
        return out

    def max_pool_indices(self, x, out, kernel, stride, padding, dilation):
        if math.prod(kernel) > WINDOW or any(padding):  # in a window of -inf padding must not win
            return _called("max_pool_indices")(self, x, out, kernel, stride, padding, dilation)
        places = super().max_pool_indices(x, out, kernel, stride, padding, dilation)
        places.body = lambda ops, i: _winner(ops, x.dtype, _window(ops, x, i, kernel, stride, padding, dilation))[1]
        return places

    def max_pool_backward(self, g, x, out, kernel, stride, padding, dilation):
        n = len(kernel)
        apart = all(k <= s and d == 1 and not p for k, s, d, p in zip(kernel, stride, dilation, padding))
        if math.prod(kernel) > WINDOW or not apart:
            return _called("max_pool_backward")(self, g, x, out, kernel, stride, padding, dilation)
        made = super().max_pool_backward(g, x, out, kernel, stride, padding, dilation)

        def body(ops, index):
            words = ops.sibling(x.dtype)
            window = (*index[:-n], *[i // s for i, s in zip(index[-n:], stride)])
            own = places.offset(index[-n:], contiguous_strides(x.shape[-n:]))

            def read():
                _, where = _winner(ops, x.dtype, _window(ops, x, window, kernel, stride, padding, dilation))
                here = ops.sibling(int64).eq(where, ops.number(own))
                return words.where(here, words.cast(g.at(ops, window), x.dtype), words.scalar(0))

            for i, many in zip(window[-n:], out.shape[-n:]):
                read = _guarded(ops, x.dtype, i, 0, many, read, 0)
            return read()

        made.body = body
        return made

    # ---- zeros with g where a view was, and copies of x with src there

    def select_backward(self, g, shape, dim, position):
        return self.select_scatter(g.k.zeros(shape), g, dim, position)

    def slice_backward(self, g, shape, dim, start, end, step):
        return self.slice_scatter(g.k.zeros(shape), g, dim, start, end, step)

    def diagonal_backward(self, *args):
        raise NotALoop("a window into memory that is written to")

    diagonal_scatter = as_strided_scatter = unfold_backward = as_strided_backward = diagonal_backward

    def select_scatter(self, x, src, dim, position):
        position = int(position) % x.shape[dim]

        def body(ops, index):
            read = lambda: ops.sibling(x.dtype).cast(src.at(ops, (*index[:dim], *index[dim + 1 :])), x.dtype)  # noqa: E731
            return _within(ops, x.dtype, index[dim], position, position + 1, read, x.at(ops, index))

        return x.k.made(x.shape, body, self.preserved(x))

    def slice_scatter(self, x, src, dim, start, end, step):
        start, end, step = slice(start, end, step).indices(x.shape[dim])
        end = min(end, start + src.shape[dim] * step)

        def body(ops, index):
            inner = (*index[:dim], (index[dim] - start) // step, *index[dim + 1 :])
            read = lambda: ops.sibling(x.dtype).cast(src.at(ops, inner), x.dtype)  # noqa: E731
            old = x.at(ops, index)
            if step > 1:
                raise NotALoop("a slice with steps")
            return _within(ops, x.dtype, index[dim], start, end, read, old) if end > start else old

        return x.k.made(x.shape, body, self.preserved(x))


# ---- pooling


def _window(ops, x, index, kernel, stride, padding, dilation):
    """[(value, place over the last dimensions)] of the elements of a window of max pooling, -inf beyond the edges."""
    n, found = len(kernel), []
    outer, inner, sizes = index[:-n], index[-n:], x.shape[-n:]
    least = x.k.lowest
    for taps in itertools.product(*[range(k) for k in kernel]):
        at = [i * s - p + t * d for i, s, p, t, d in zip(inner, stride, padding, taps, dilation)]
        read = lambda at=at: x.at(ops, (*outer, *at))  # noqa: E731
        for i, size in zip(at, sizes):
            if i.low < 0 or i.high >= size:
                read = _guarded(ops, x.dtype, i, 0, size, read, least)
        found.append((read(), places.offset(at, contiguous_strides(sizes))))
    return found


def _winner(ops, dtype, window):
    """(the greatest value, the place of the first such one); a NaN wins."""
    words, numbers = ops.sibling(dtype), ops.sibling(int64)
    (best, where), *rest = window
    where = ops.number(where)
    for value, place in rest:
        wins = words.gt(value, best)
        if dtype.category >= dtypes.FLOATING:
            wins = ops.sibling(bool_).logical_or(wins, words.isnan(value))
        best, where = words.where(wins, value, best), numbers.where(wins, ops.number(place), where)
    return best, where


def _real_only(*types):
    if any(t.category == dtypes.COMPLEX for t in types):
        raise NotALoop("complex numbers")


def _number(ops, place, dtype):
    """A place as a value of an element type."""
    return ops.sibling(dtype).cast(ops.number(place), dtype)


def _pieces(count):
    """Into how many equal pieces so many elements are best cut."""
    for size in range(PIECE, PIECE // 8, -1):
        if count % size == 0:
            return count // size
    return 1


def _condition(ops, i, start, end):
    """start <= i < end, as a value; None where that is always so."""
    words, tests = ops.sibling(int64), []
    if i.low < start:
        tests.append(words.ge(ops.number(i), words.scalar(start)))
    if i.high >= end:
        tests.append(words.lt(ops.number(i), words.scalar(end)))
    if not tests:
        return None
    return tests[0] if len(tests) == 1 else ops.sibling(bool_).logical_and(*tests)


def _within(ops, dtype, i, start, end, read, other):
    """read() where start <= i < end, else other."""
    condition = _condition(ops, i, start, end)
    return read() if condition is None else ops.sibling(dtype).where(condition, ops.masked(condition, read, dtype), other)


def _guarded(ops, dtype, i, start, end, read, value):
    return lambda: _within(ops, dtype, i, start, end, read, ops.sibling(dtype).scalar(value))


# ---- elementwise words


def _elementwise(row):
    shaped = getattr(MetaWords, row.name)
    count = len(row.parameters)

    def word(self, *args):
        given = args[:count]
        arrays = [a for a in given if isinstance(a, LoopArray)]
        out = shaped(self, *given)
        _real_only(out.dtype, *[a.dtype for a in arrays])
        dtype = out.dtype if row.result != "bool" else _joint_type(row, given, self.dtype)
        half = dtype.category == dtypes.FLOATING and dtype.itemsize < 4
        if half:
            dtype = float32  # computed there and rounded once

        def body(ops, index):
            words = ops.sibling(dtype)
            values = [
                _operand(ops, a, broadcast_index(index, a.shape), dtype, name) if isinstance(a, LoopArray) else a
                for a, name in zip(given, row.parameters)
            ]
            value = getattr(words, row.name)(*values)
            return ops.sibling(out.dtype).cast(value, out.dtype) if row.result != "bool" else value

        made = out.k.new(out.shape, out.strides)
        made.body = body
        return made

    word.__name__ = row.name
    return word


def _operand(ops, a, index, dtype, name):
    value = a.at(ops, index)
    return ops.sibling(dtype).cast(value, dtype) if name in OPERANDS else value


def _joint_type(row, given, own):
    """The type in which a test compares its operands."""
    types = [a.dtype for a, name in zip(given, row.parameters) if isinstance(a, LoopArray) and name in OPERANDS]
    dtype = types[0] if types else own
    for other in types[1:]:
        dtype = promote_types(dtype, other)
    for a in given:
        if isinstance(a, float) and dtype.category < dtypes.FLOATING:
            dtype = dtypes.float64
        elif isinstance(a, int) and not isinstance(a, bool) and dtype is bool_:
            dtype = int64
    return dtype


def _called(name):
    """A word that is no loop: a Call of the engine's kernel."""
    shaped = getattr(MetaWords, name)

    def word(self, *args):
        found = shaped(self, *args)
        call = Call(name, self.dtype, args, {})
        several = isinstance(found, tuple)
        for i, out in enumerate(found if several else (found,)):
            if out.owner is not out or out.is_kept:
                raise NotALoop(f"the word {name}, which gives back an operand")
            out.source = Result(call, i if several else None)
        return found

    word.__name__ = name
    return word


def _refused(name):
    def word(self, *args):
        raise NotALoop(f"the word {name}")

    word.__name__ = name
    return word


_CALLED = frozenset(
    """matmul conv conv_input conv_weight adaptive_max_indices cumsum cumprod
    logcumsumexp argmax argmin max_dim min_dim cummax cummin sort topk scatter scatter_add index_add index_backward
    im2col col2im resample resample_backward window_sum window_spread""".split()
)
_VIEWS = frozenset(
    "reshape permute expand slice select squeeze unsqueeze diagonal unfold as_strided copy contiguous asarray".split()
)

for _name, _row in WORDS.items():
    if _row.family == "pointwise" and _name not in ("conj", "real", "imag", "complex", "polar", "polygamma",
                                                    "orthogonal_polynomial"):  # fmt: skip
        setattr(LoopWords, _name, _elementwise(_row))
    elif _name in _CALLED:
        setattr(LoopWords, _name, _called(_name))
    elif _name not in vars(LoopWords) and _name not in _VIEWS and _name not in SPELLED:
        setattr(LoopWords, _name, _refused(_name))


def _parts_refused(self, x):
    return x if not x.k.is_complex else _refused("real")(self, x)


LoopWords.conj = LoopWords.real = _parts_refused
LoopWords.imag = lambda self, x: self.mul(x, 0) if not x.k.is_complex else _refused("imag")(self, x)

TABLES: dict = {}


def table(dtype, place) -> LoopWords:
    """The table of loops over elements of a type."""
    found = TABLES.get((dtype, place))
    if found is None:
        found = TABLES[dtype, place] = LoopWords(dtype, place)
    return found
