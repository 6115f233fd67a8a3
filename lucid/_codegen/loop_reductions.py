"""Reductions as loops: their words, and how a long one is cut into pieces."""

import math

from .._array.meta.table import reduced
from .._base import dtype as dtypes
from .._base.dtype import bool_, float32, int64
from . import index as places
from .loop_places import real_only
from .loops import NotALoop, Reduction, counted
from .open_sizes import Open

# A reduction is done in pieces of about PIECE elements where so few results would leave threads with nothing to do, or
# where a plain sum of so many elements would lose digits.
PIECE, FEW, LONG = 4096, 32, 1 << 15


class Reductions:
    """The words of LoopWords that put elements together."""

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
        return self.div(total, _number(count)) if count else self.mul(total, math.nan)

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
        if isinstance(count, Open):
            return self.div(total, self.maximum(self.sub(self.scalar(count), correction), self.scalar(0)))
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
        real_only(x.dtype)
        if self.is_half:
            wide = self.sibling(float32)
            return self.cast(wide.reduction(kind, self.cast(x, float32), dim, keepdim), self.dtype)
        shape = reduced(x.shape, dim, keepdim)
        if not dim:
            return x
        count, left = math.prod([x.shape[d] for d in dim]), math.prod(shape)
        if count == 1:
            return self.reshape(x, shape)
        if not count:
            if kind in ("max", "min"):
                raise NotALoop("the greatest of nothing")
            return self.full(shape, kind == "prod")
        in_pieces = (
            not isinstance(count, Open) and count > PIECE and left * count > 8 * PIECE and (left <= FEW or count > LONG)
        )
        pieces = _pieces(count) if in_pieces else 1
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


def _pieces(count):
    """Into how many equal pieces so many elements are best cut."""
    for size in range(PIECE, PIECE // 8, -1):
        if count % size == 0:
            return count // size
    return 1


def _number(count):
    """How many there are, as a number to divide by."""
    return count if isinstance(count, Open) else float(count)
