"""Elements at other places, as loops: arrays put together, turned and padded, elements by index, gradients of views."""

from .._array.meta.strided import joint_shape
from .._base.dtype import int64
from .loop_places import guarded, within
from .loops import LoopArray, NotALoop, broadcast_index


class Moves:
    """The words of LoopWords that move elements."""

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
                    value = within(ops, out.dtype, index[dim], start, start + a.shape[dim], read, value)
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
                    read = guarded(ops, x.dtype, i, before, before + n, read, value)
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
            return within(ops, x.dtype, index[dim], position, position + 1, read, x.at(ops, index))

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
            return within(ops, x.dtype, index[dim], start, end, read, old) if end > start else old

        return x.k.made(x.shape, body, self.preserved(x))
