"""Dual numbers as a vocabulary: every word carries a tangent along (forward-mode differentiation).

A tensor inside `jvp` is a plain Tensor whose table is a `DualWords`; its arrays are pairs (primal, tangent). Here are
the words with rules of their own; how all others carry tangents is in `jvp_rules.py`.
"""

from .._tensor.storage import Detached
from .jvp_array import Dual, primal
from .jvp_rules import rule_for, transposed
from .levels import LevelWords


class DualWords(LevelWords):
    """The kernel table of tensors inside jvp, over an inner table."""

    backend, array_type = "dual", Dual

    def dual(self, primal, tangent=None):
        """An array of this level."""
        return Dual(primal, tangent, self)

    def of(self, array):
        return self.frame.table(self.inner.of(array.primal)) if isinstance(array, Dual) else self

    def constant(self, array):
        """No tangent."""
        return self.dual(array)

    def constant_gradient(self, g):
        return self.inner.zeros(g.primal.shape) if g.tangent is None else g.tangent

    def opened(self, arrays):
        """See Table. Epsilon parts would have to travel as they are."""
        raise NotImplementedError(
            "a forward-mode level cannot be entered below another forward-mode level that began later"
        )

    def through(self, array, f):
        return self.dual(f(array.primal), None if array.tangent is None else f(array.tangent))

    def drawn(self, shape, draw):
        return self.dual(draw(self.inner, shape))

    def drawn_like(self, x, draw):
        return self.dual(draw(self.inner, x.primal))

    def refuse_out(self, x, name):
        if x.tangent is not None:
            raise NotImplementedError(
                f"Trying to use forward AD with {name}_out that does not support it because it is an out= function"
            )
        super().refuse_out(x, name)

    def drawn_by(self, arrays):
        return [a.primal for a in arrays], self.dual

    def to_numpy(self, array):
        return self.inner.to_numpy(array.primal)

    def strides(self, x):
        return self.inner.strides(x.primal)

    def data_ptr(self, x):
        return self.inner.data_ptr(x.primal)

    def import_from(self, array, k):
        return self.dual(self.inner.import_from(array, k))

    def cast(self, x, dtype):
        wide = self.inner.sibling(dtype)
        keep = x.tangent is not None and wide.inexact
        return self.dual(self.inner.cast(x.primal, dtype), self.inner.cast(x.tangent, dtype) if keep else None)

    def detached(self, x, limit=None):
        """x without the tangents of levels up to `limit` (None: of any)."""
        if limit is not None and self.level > limit:
            return super().detached(x, limit)
        return self.dual(self.inner.detached(x.primal, limit) if self.inner.is_transform else x.primal)

    def tangent(self, x):
        """x's tangent as an array, zeros if it has none."""
        k = self.inner.of(x.primal)
        return k.zeros(x.primal.shape) if x.tangent is None else x.tangent

    def __getattr__(self, word):
        if word.startswith("__"):
            raise AttributeError(word)
        made = rule_for(self, word)
        setattr(self, word, made)
        return made

    def transposed(self, f, args):
        """f, a function of Tensors, of dual arrays: the transpose of its gradient."""
        return transposed(self, f, args)

    # ---- words with rules of their own

    def reshape(self, x, shape):
        return self.dual(
            self.inner.reshape(x.primal, shape), None if x.tangent is None else self.inner.reshape(x.tangent, shape)
        )

    view = reshape

    def logcumsumexp(self, x, dim):
        """The tangents weighted with exp(x), summed as logarithms, positive and negative ones apart."""
        k, out = self.inner, self.inner.logcumsumexp(x.primal, dim)
        if x.tangent is None:
            return self.dual(out)
        if k.is_complex:
            return self.dual(out, k.exp(k.logcumsumexp(x.primal + k.log(x.tangent), dim) - out))
        parts = [k.exp(k.logcumsumexp(x.primal + k.log(k.relu(t)), dim) - out) for t in (x.tangent, -x.tangent)]
        return self.dual(out, parts[0] - parts[1])

    def where(self, condition, a, b):
        a, b = self.asarray(a), self.asarray(b)
        c, where = primal(condition), self.inner.where
        out = where(c, a.primal, b.primal)
        if a.tangent is None and b.tangent is None:
            return self.dual(out)
        return self.dual(out, where(c, self.tangent(a), self.tangent(b)))

    def masked_fill(self, x, mask, value):
        k, m, value = self.inner, primal(mask), self.asarray(value)
        out = k.masked_fill(x.primal, m, value.primal)
        if x.tangent is None and value.tangent is None:
            return self.dual(out)
        return self.dual(out, k.where(m, self.tangent(value), self.tangent(x)))

    def pad(self, x, widths, value=0):
        t = None if x.tangent is None else self.inner.pad(x.tangent, widths, 0)
        return self.dual(self.inner.pad(x.primal, widths, value), t)

    def max_pool(self, x, kernel, stride, padding, dilation, out_size):
        k = self.inner
        out = k.max_pool(x.primal, kernel, stride, padding, dilation, out_size)
        if x.tangent is None:
            return self.dual(out)
        where = k.max_pool_indices(x.primal, out, kernel, stride, padding, dilation)
        lead = tuple(x.shape[: x.ndim - len(kernel)])
        flat = k.reshape(where, (*lead, -1))
        t = k.gather(k.reshape(x.tangent, (*lead, -1)), len(lead), flat)
        return self.dual(out, k.reshape(t, tuple(out.shape)))

    def full(self, shape, value):
        t = self.inner.full(shape, value.tangent) if isinstance(value, Dual) and value.tangent is not None else None
        return self.dual(self.inner.full(shape, primal(value)), t)

    def empty_like(self, x):
        return self.dual(self.inner.empty_like(x.primal))

    def write_view(self, base, chain, value):
        value = self.asarray(value)
        if not chain:  # all of it; what had a tangent has one still
            return (
                value
                if value.tangent is not None or base.tangent is None
                else self.dual(value.primal, self.tangent(value))
            )
        out = self.inner.write_view(base.primal, chain, value.primal)
        unseen = any(op is Detached for op, _ in chain)  # a write through .data leaves the tangent as it was
        if unseen or base.tangent is None and value.tangent is None:
            return self.dual(out, base.tangent)
        return self.dual(out, self.inner.write_view(self.tangent(base), chain, self.tangent(value)))
