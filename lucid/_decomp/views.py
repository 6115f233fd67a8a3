"""Views, their copies, and what comes back through them."""

from .registry import decomposes
from .words import cast, full, masked, ops, placed, tt, wrapped


def _copied(x):
    return x.clone(memory_format=tt.contiguous_format)


def _copies(name, view):
    """Register the copy of a view."""

    def function(self, *args, **kwargs):
        return _copied(view(self, *args, **kwargs))

    function.__name__ = function.__qualname__ = name.partition(".")[0]
    return decomposes(name, core=name not in _NOT_CORE)(function)


_NOT_CORE = set("narrow_copy permute_copy view_copy view_copy.dtype as_strided_copy".split())
for _name, _view in {
    "alias_copy": ops.alias.default,
    "diagonal_copy": ops.diagonal.default,
    "expand_copy": ops.expand.default,
    "squeeze_copy": ops.squeeze.default,
    "squeeze_copy.dim": ops.squeeze.dim,
    "squeeze_copy.dims": ops.squeeze.dims,
    "t_copy": ops.t.default,
    "transpose_copy.int": ops.transpose.int,
    "unsqueeze_copy": ops.unsqueeze.default,
    "unfold_copy": ops.unfold.default,
    "narrow_copy": lambda self, dim, start, length: self.narrow(dim, start, length),
    "permute_copy": ops.permute.default,
    "view_copy": ops.view.default,
    "view_copy.dtype": ops.view.dtype,
    "as_strided_copy": ops.as_strided.default,
}.items():
    _copies(_name, _view)


@decomposes("split_with_sizes_copy", out=True)
def split_with_sizes_copy(self, split_sizes, dim=0):
    return [_copied(part) for part in ops.split_with_sizes.default(self, split_sizes, dim)]


@decomposes("unbind_copy.int", core=False, out=False)
def unbind_copy(self, dim=0):
    return [_copied(part) for part in ops.unbind.int(self, dim)]


@decomposes("detach", in_place=False)
def detach(self):
    return ops.alias.default(self)


@decomposes("_reshape_alias", in_place=False)
def _reshape_alias(self, size, stride):
    return ops.view.default(self, size)


@decomposes("_unsafe_view")
def _unsafe_view(self, size):
    return ops.view.default(self, size)


@decomposes("t", in_place=False)
def t(self):
    if self.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
    return ops.alias.default(self) if self.ndim < 2 else self.transpose(0, 1)


@decomposes("transpose.int", in_place=False)
def transpose(self, dim0, dim1):
    dim0, dim1 = (wrapped(d, self.ndim) for d in (dim0, dim1))
    if self.ndim < 2 or dim0 == dim1:
        return ops.alias.default(self)
    order = list(range(self.ndim))
    order[dim0], order[dim1] = dim1, dim0
    return self.permute(order)


@decomposes("squeeze", in_place=False)
def squeeze(self):
    return ops.squeeze.dims(self, list(range(self.ndim)))


@decomposes("squeeze.dim", in_place=False)
def squeeze_dim(self, dim):
    return ops.squeeze.dims(self, [dim])


@decomposes("unbind.int", in_place=False)
def unbind(self, dim=0):
    dim = wrapped(dim, self.ndim)
    parts = [self.narrow(dim, i, 1) for i in range(self.shape[dim])]
    return [part.squeeze(dim) for part in parts]


@decomposes("split.Tensor unsafe_split.Tensor", in_place=False, out=False)
def split(self, split_size, dim=0):
    n = self.shape[dim]
    if split_size == 0:
        if n:
            raise RuntimeError("split_size is 0 but the dimension is not")
        return [ops.alias.default(self)]
    count = max((n + split_size - 1) // split_size, 1)
    sizes = [split_size] * (count - 1) + [split_size - (split_size * count - n)]
    return list(ops.split_with_sizes.default(self, sizes, dim))


@decomposes("unsafe_split_with_sizes", out=False)
def unsafe_split_with_sizes(self, split_sizes, dim=0):
    return list(ops.split_with_sizes.default(self, split_sizes, dim))


@decomposes("stack")
def stack(tensors, dim=0):
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    shape = list(tensors[0].shape)
    for i, x in enumerate(tensors):
        if list(x.shape) != shape:
            sizes = f"{shape} at entry 0 and {list(x.shape)} at entry {i}"
            raise RuntimeError(f"stack expects each tensor to be equal size, but got {sizes}")
    dim = wrapped(dim, len(shape) + 1)
    if dim < len(shape):
        return tt.cat(list(tensors), dim).view([*shape[:dim], len(tensors), *shape[dim:]])
    return tt.cat([x.unsqueeze(dim) for x in tensors], dim)


@decomposes("_chunk_cat")
def _chunk_cat(tensors, dim, num_chunks):
    dim = wrapped(dim, tensors[0].ndim)
    rows = []
    for x in tensors:
        short = -x.shape[dim] % num_chunks
        if short:
            x = ops.constant_pad_nd.default(x, [0, 0] * (x.ndim - dim - 1) + [0, short])
        rows.append(ops.view.default(x.contiguous(), [*x.shape[:dim], num_chunks, -1]))
    return tt.cat(rows, dim + 1)


@decomposes("slice_backward")
def slice_backward(grad_output, input_sizes, dim, start, end, step):
    return ops.slice_scatter.default(full(input_sizes, 0, grad_output), grad_output, dim, start, end, step)


@decomposes("select_backward")
def select_backward(grad_output, input_sizes, dim, index):
    return ops.select_scatter.default(full(input_sizes, 0, grad_output), grad_output, dim, index)


@decomposes("diagonal_backward")
def diagonal_backward(grad_output, input_sizes, offset, dim1, dim2):
    return ops.diagonal_scatter.default(full(input_sizes, 0, grad_output), grad_output, offset, dim1, dim2)


@decomposes("unfold_backward")
def unfold_backward(grad_in, input_sizes, dim, size, step):
    if not input_sizes:
        return grad_in.squeeze(0)
    dim = wrapped(dim, len(input_sizes))
    out = full(input_sizes, 0, grad_in)
    places = tt.arange(input_sizes[dim], device=grad_in.device, dtype=tt.int32).unfold(0, size, step).flatten()
    windows = grad_in.movedim(-1, dim + 1).flatten(dim, dim + 1)
    index = [None] * dim + [places]
    return ops._unsafe_index_put.default(out, index, windows, True)


@decomposes("select_scatter")
def select_scatter(self, src, dim, index):
    dim = wrapped(dim, self.ndim)
    places = placed(tt.arange(self.shape[dim], device=self.device), self.ndim, dim)
    index = index + self.shape[dim] if index < 0 else index
    return tt.where(places == index, src.unsqueeze(dim).expand(self.shape), self)


@decomposes("slice_scatter", core=False)
def slice_scatter(self, src, dim=0, start=None, end=None, step=1):
    dim = wrapped(dim, self.ndim)
    size = self.shape[dim]
    start, end, step = slice(start, end, step).indices(size)
    end = max(end, start)
    taken = list(self.shape)
    taken[dim] = -(-(end - start) // step)
    src = src.expand(taken)
    if (start, end, step) == (0, size, 1):
        return src.clone()
    places = tt.arange(size, device=self.device)
    of_src = tt.div(places - start, step, rounding_mode="floor")
    mask = full((size,), True, self, tt.bool)
    if start:
        mask = tt.logical_and(mask, places >= start)
    if end != size:
        mask = tt.logical_and(mask, places < end)
    if step != 1:
        mask = tt.logical_and(mask, (places - start) % step == 0)
    mask = placed(mask, self.ndim, dim)
    index = [of_src if d == dim else None for d in range(self.ndim)]
    return tt.where(mask, ops._unsafe_masked_index.default(src, mask, index, 0), self)


@decomposes("roll")
def roll(self, shifts, dims=()):
    shifts, dims = ([x] if isinstance(x, int) else list(x) for x in (shifts, dims))
    if not self.numel():
        return self.clone()
    if not dims and len(shifts) == 1:
        return ops.roll.default(self.flatten(), shifts, [0]).view(self.shape)
    if len(shifts) != len(dims) or not dims:
        if not shifts:
            raise RuntimeError("`shifts` required")
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims: {len(dims)}")
    for shift, dim in zip(shifts, dims):
        size = self.shape[dim]
        places = tt.arange(size, device=self.device)
        self = self.index_select(dim, tt.fmod((size - shift) % size + places, size))
    return self


@decomposes("rot90")
def rot90(self, k=1, dims=(0, 1)):
    first, second = (wrapped(d, self.ndim) for d in dims)
    if len(dims) != 2 or first == second or self.ndim < 2:
        raise RuntimeError(
            f"expected total rotation dims == 2 and different, of {self.ndim} dimensions; got {list(dims)}"
        )
    k %= 4
    if k == 1:
        return self.flip(second).transpose(first, second)
    if k == 2:
        return self.flip([first, second])
    return self.flip(first).transpose(first, second) if k == 3 else self.clone(memory_format=tt.contiguous_format)


@decomposes("pixel_shuffle")
def pixel_shuffle(self, upscale_factor):
    r = upscale_factor
    *batch, c, h, w = self.shape
    c, n = c // (r * r), len(batch)
    apart = self.view([*batch, c, r, r, h, w])
    order = [*range(n), n, n + 3, n + 1, n + 4, n + 2]
    return _copied(apart.permute(order).reshape([*batch, c, h * r, w * r]))


@decomposes("pixel_unshuffle")
def pixel_unshuffle(self, downscale_factor):
    r = downscale_factor
    *batch, c, h, w = self.shape
    n = len(batch)
    apart = self.view([*batch, c, h // r, r, w // r, r])
    order = [*range(n), n, n + 2, n + 4, n + 1, n + 3]
    return _copied(apart.permute(order).reshape([*batch, c * r * r, h // r, w // r]))


@decomposes("channel_shuffle")
def channel_shuffle(self, groups):
    if self.ndim <= 2:
        raise RuntimeError(f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(self.shape)}")
    n, c, *rest = self.shape
    if groups <= 0 or c % groups:
        raise RuntimeError(f"number of channels must be divisible by groups, got {c} channels and {groups} groups")
    apart = self.reshape([n, groups, c // groups, *rest])
    order = [0, 2, 1, *range(3, 3 + len(rest))]
    return apart.permute(order).reshape(self.shape)


@decomposes("native_channel_shuffle")
def native_channel_shuffle(self, groups):
    return ops.channel_shuffle.default(self, groups)


@decomposes("diag_embed")
def diag_embed(self, offset=0, dim1=-2, dim2=-1):
    ndim = self.ndim + 1
    dim1, dim2 = (wrapped(d, ndim) for d in (dim1, dim2))
    if dim1 == dim2:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    last = self.shape[-1]
    if offset < 0:
        offset, dim1, dim2 = -offset, dim2, dim1
    if offset:
        self = tt.cat([full([*self.shape[:-1], offset], 0, self), self], -1)
        last += offset
    self = self.unsqueeze(dim1).movedim(-1, dim2)
    columns = tt.arange(last, device=self.device, dtype=tt.int64)
    rows = tt.arange(offset, offset + last, device=self.device, dtype=tt.int64)
    on = (columns == rows.unsqueeze(-1)).view([last if d in (dim1, dim2) else 1 for d in range(ndim)])
    return masked(self, on)


@decomposes("lift lift_fresh", core=False, in_place=False)
def lift(self):
    return ops.alias.default(self)


@decomposes("resize_as", in_place=False)
def resize_as(self, the_template, *, memory_format=None):
    return ops.resize.default(self, list(the_template.shape), memory_format=memory_format or tt.contiguous_format)


@decomposes("diagonal_scatter", core=False)
def diagonal_scatter(self, src, offset=0, dim1=0, dim2=1):
    out = self.clone()
    diagonal = ops.diagonal.default(out, offset, dim1, dim2)
    if diagonal.shape != src.shape:
        raise RuntimeError(
            f"expected src to have a size equal to the diagonal of the input.Got {src.shape} for a diagonal of shape "
            f"{diagonal.shape}"
        )
    diagonal.copy_(cast(src, self.dtype))
    return out
