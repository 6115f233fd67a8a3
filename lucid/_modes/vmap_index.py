"""Words that pick or place elements, for batches: which ones may be another choice for each member."""

from .._base.dtype import int64
from .vmap_array import DATA_DEPENDENT, Batched, line_up

MASK = (
    "vmap: We do not support batching operators that can support dynamic shape. Attempting to batch over indexing with "
    "a boolean mask."
)
ISSUE = "Please file an issue at https://github.com/pytorch/pytorch/issues if you need this feature."
REFUSALS = {
    "dynamic": "vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over "
    f"aten::{{}}. {ISSUE}",
    "fallback": "Batching rule not implemented for aten::{}. We could not generate a fallback.",
    "unsupported": f"vmap over torch.{{}} isn't supported yet. {ISSUE}",
    "mask": "vmap: Attempted to vmap over `mask` in torch.{}(self, mask) We cannot support this because for each batch "
    f"this would return a differently shaped Tensor. {ISSUE}",
}


class BatchedIndexing:
    """Part of the table of batches."""

    def index(self, x, indices):
        x, indices = self._without_points(x, indices)
        indices = [i if isinstance(i, Batched) or i is None else self.constant(i) for i in self._places(indices)]
        found = [(i, ix) for i, ix in enumerate(indices) if ix is not None]
        if not x.has_batch and not any(ix.has_batch for _, ix in found):
            return Batched(self.inner.index(x.value, tuple([None if i is None else i.value for i in indices])), False)
        k = self.inner
        *lined, _ = line_up([ix for _, ix in found])
        n_index = max(ix.ndim for _, ix in found)
        where = [None] * len(indices)
        for (i, ix), v in zip(found, lined):
            where[i] = v if ix.has_batch else k.reshape(v, (1,) * (n_index - v.ndim + 1) + tuple(v.shape))
        if x.has_batch:
            rows = k.sibling(int64).arange(x.value.shape[0])
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

    def _without_points(self, x, indices):
        """x and indices with a choice along a new dimension in place of each mask without dimensions."""
        at, kept = 0, []
        for ix in indices:
            plain = ix.value if isinstance(ix, Batched) else ix
            if ix is not None and not ix.ndim and not self.inner.of(plain).dtype.category:
                if isinstance(ix, Batched) and ix.has_batch:
                    raise RuntimeError(MASK)
                x, ix = self.unsqueeze(x, at), self.constant(self.inner.sibling(int64).arange(int(bool(plain))))
            is_mask = ix is not None and not self.inner.of(ix.value if isinstance(ix, Batched) else ix).dtype.category
            at += ix.ndim if is_mask else 1
            kept.append(ix)
        return x, kept

    def _places(self, indices):
        """indices, with masks that are the same for all members as lists of places."""
        for ix in indices:
            if ix is None or self.inner.of(ix.value if isinstance(ix, Batched) else ix).dtype.category:
                yield ix
                continue
            if isinstance(ix, Batched) and ix.has_batch:
                raise RuntimeError(MASK)
            mask = ix.value if isinstance(ix, Batched) else ix
            rows = self.inner.of(mask).nonzero(mask)
            for d in range(mask.ndim):
                yield self.constant(self.inner.of(rows).select(rows, 1, d))

    # 0-dim members take part as lines of one element

    def _line(self, a):
        v = self.batch(a)
        return v if v.ndim > 1 else self.inner.of(v).unsqueeze(v, 1)

    def _shaped(self, v, shape):
        return Batched(self.inner.of(v).reshape(v, (v.shape[0], *shape)), True)

    def gather(self, x, dim, index):
        if not (x.has_batch or index.has_batch):
            return Batched(self.inner.gather(x.value, dim, index.value), False)
        return self._shaped(self.inner.gather(self._line(x), dim + 1, self._line(index)), index.shape)

    def _place(word):
        def place(self, x, dim, index, src, *more):
            apply = getattr(self.inner, word)
            if not any(a.has_batch for a in (x, index, src) if isinstance(a, Batched)):
                return Batched(
                    apply(x.value, dim, index.value, src.value if isinstance(src, Batched) else src, *more), False
                )
            if isinstance(src, Batched):
                src = self._line(src) if src.ndim or src.has_batch or not index.ndim else src.value
            if getattr(src, "ndim", 0) == 2 and index.ndim > 1:  # one number for each member
                src = self.inner.reshape(src, (-1,) + (1,) * index.ndim)
                src = self.inner.expand(src, (self.frame.size, *index.shape))
            return self._shaped(apply(self._line(x), dim + 1, self._line(index), src, *more), x.shape)

        return place

    scatter, scatter_add, scatter_reduce = _place("scatter"), _place("scatter_add"), _place("scatter_reduce")

    def index_select(self, x, dim, index):
        index = index if isinstance(index, Batched) else self.constant(index)
        if not (x.has_batch or index.has_batch):
            return Batched(self.inner.index_select(x.value, dim, index.value), False)
        shape = (*x.shape[:dim], *index.shape, *x.shape[dim + 1 :]) if x.ndim else ()
        if not index.has_batch:
            return self._shaped(self.inner.index_select(self._line(x), dim + 1, index.value), shape)
        at, n = self._line(index), max(x.ndim, 1)
        at = self.inner.of(at).reshape(at, (at.shape[0], *(1,) * dim, -1, *(1,) * (n - dim - 1)))
        at = self.inner.of(at).expand(at, (at.shape[0], *x.shape[:dim], at.shape[dim + 1], *x.shape[dim + 1 :]))
        return self._shaped(self.inner.gather(self._line(x), dim + 1, at), shape)

    def _kth(word):
        """Words along dim that say how many, or which, before the dimension."""

        def kth(self, x, k, dim, *more):
            if not x.has_batch:
                return tuple([Batched(g, False) for g in getattr(self.inner, word)(x.value, k, dim, *more)])
            got = getattr(self.inner, word)(self._line(x), k, dim + 1, *more)
            return tuple([self._shaped(g, g.shape[1:] if x.ndim else ()) for g in got])

        return kth

    topk, kthvalue = _kth("topk"), _kth("kthvalue")

    def searchsorted(self, sequence, values, *more):
        if not sequence.has_batch and sequence.ndim == 1 or not values.has_batch and not sequence.has_batch:
            return Batched(self.inner.searchsorted(sequence.value, values.value, *more), values.has_batch)
        rows, asked = self.batch(sequence), self.batch(values)
        if sequence.ndim == 1:  # every member's values are one row
            asked = self.inner.reshape(asked, (asked.shape[0], -1))
        return self._shaped(self.inner.searchsorted(rows, asked, *more), values.shape)

    def nonzero(self, x):
        if not x.has_batch:
            return Batched(self.inner.nonzero(x.value), False)
        raise RuntimeError(REFUSALS["dynamic"].format("nonzero"))

    def _dynamic(word, name):
        def refuse(self, x, *more):
            if not x.has_batch:
                return tuple([Batched(g, False) for g in getattr(self.inner, word)(x.value, *more)])
            raise RuntimeError(REFUSALS["dynamic"].format(name))

        return refuse

    unique, unique_runs = _dynamic("unique", "_unique2"), _dynamic("unique_runs", "unique_consecutive")

    def select(self, x, dim, index):
        if isinstance(index, Batched):
            raise RuntimeError(DATA_DEPENDENT)
        return Batched(self.inner.select(x.value, dim + x.has_batch, index), x.has_batch)
