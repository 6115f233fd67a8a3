"""Copies of a tensor with one part replaced: select_scatter, slice_scatter, diagonal_scatter, as_strided_scatter."""

from ..._backend.core import func_op
from ..._backend.families import Indexing
from ..._backend.registry import public
from .slicing import diagonal, select, slice_of, window_options


def _fits(src, part):
    if tuple(src.shape) != tuple(part):
        raise RuntimeError(
            f"expected src to have a size equal to the slice of self. src size = {list(src.shape)}, "
            f"slice size = {list(part)}"
        )


class select_scatter(Indexing):
    """select_scatter(input, src, dim, index) -> Tensor: a copy whose slice `index` of dim is src."""

    complex_gradient = False

    @func_op(2)
    def forward(xp, input, src, dim, index):
        return xp.select_scatter(input, src, dim, index)

    def prepare(input, src, dim, index):
        dim, index = select.prepare(input, dim, index)
        _fits(src, input.shape[:dim] + input.shape[dim + 1 :])
        return dim, index

    def grad_input(xp, g, dim, index):
        return xp.select_scatter(g, xp.zeros(tuple(g.shape[:dim]) + tuple(g.shape[dim + 1 :])), dim, index)

    def grad_src(xp, g, dim, index):
        return xp.select(g, dim, index)


class slice_scatter(Indexing):
    """slice_scatter(input, src, dim=0, start=None, end=None, step=1) -> Tensor:
    a copy whose slices start:end:step are src.
    """

    out_resized = True
    has_out = True

    @func_op(2)
    def forward(xp, input, src, dim=0, start=None, end=None, step=1):
        return xp.slice_scatter(input, src, dim, start, end, step)

    def prepare(input, src, dim, start, end, step):
        dim, start, end, step = slice_of.prepare(input, dim, start, end, step)
        _fits(src, (*input.shape[:dim], len(range(start, end, step)), *input.shape[dim + 1 :]))
        return dim, start, end, step

    def grad_input(xp, g, dim, start, end, step):
        return xp.slice_scatter(g, xp.zeros(tuple(xp.slice(g, dim, start, end, step).shape)), dim, start, end, step)

    def grad_src(xp, g, dim, start, end, step):
        return xp.slice(g, dim, start, end, step)


class diagonal_scatter(Indexing):
    """diagonal_scatter(input, src, offset=0, dim1=0, dim2=1) -> Tensor: a copy with src as its diagonal."""

    @func_op(2)
    def forward(xp, input, src, offset=0, dim1=0, dim2=1):
        return xp.diagonal_scatter(input, src, offset, dim1, dim2)

    def prepare(input, src, offset, dim1, dim2):
        offset, a, b = diagonal.prepare(input, offset, dim1, dim2)
        rows, columns = input.shape[a], input.shape[b]
        n = max(0, min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns))
        _fits(src, (*[m for d, m in enumerate(input.shape) if d not in (a, b)], n))
        return offset, a, b

    def grad_input(xp, g, offset, dim1, dim2):
        return xp.diagonal_scatter(g, xp.zeros(tuple(xp.diagonal(g, offset, dim1, dim2).shape)), offset, dim1, dim2)

    def grad_src(xp, g, offset, dim1, dim2):
        return xp.diagonal(g, offset, dim1, dim2)


class window_scatter(Indexing):
    """A copy of input in which the window (size, stride, offset) holds src: what rules say for a write into a view."""

    node_name, method, namespace = "AsStridedScatterBackward0", False, None

    @func_op(2)
    def forward(xp, input, src, size, stride, offset, input_stride):
        return xp.as_strided_scatter(input, src, size, stride, offset, input_stride)

    def grad_input(xp, g, size, stride, offset, input_stride):
        return xp.as_strided_scatter(g, xp.zeros(size), size, stride, offset, input_stride)

    def grad_src(xp, g, size, stride, offset, input_stride):
        return xp.as_strided(xp.with_strides(g, input_stride), size, stride, offset)


class torchs_window_scatter(Indexing):
    """The same as users call it, with the gradient of input that torch gives."""

    name, node_name = "as_strided_scatter", "AsStridedScatterBackward0"
    method, namespace = False, None

    @func_op(2)
    def forward(xp, input, src, size, stride, offset, input_stride):
        return xp.as_strided_scatter(input, src, size, stride, offset, input_stride)

    def grad_input(xp, g, size, stride, offset, input_stride):
        """The part that was overwritten, and not the rest: torch's gradient, which this follows."""
        window = xp.as_strided_scatter(xp.zeros(g.shape), xp.ones(size), size, stride, offset, input_stride)
        return xp.masked_fill(g, xp.eq(window, 0), xp.scalar(0))

    def grad_src(xp, g, size, stride, offset, input_stride):
        return xp.as_strided(xp.with_strides(g, input_stride), size, stride, offset)


@public(method=True)
def as_strided_scatter(input, src, size, stride, storage_offset=None):
    """as_strided_scatter(input, src, size, stride, storage_offset=None) -> Tensor:
    a copy whose as_strided part is src.
    """
    options = window_options(input, size, stride, storage_offset)
    if src._array.shape != options[0]:
        raise RuntimeError(
            f"expected src to have a size equal to the slice of self. src size = {list(src._array.shape)}, "
            f"slice size = {list(options[0])}"
        )
    return torchs_window_scatter.fn(input, src, *options)
