"""Views: the same memory read in another way. view, reshape, transpose, expand, squeeze, diagonal and what is made of
them.
"""

import math
import warnings

from ..._backend.core import unary_func_op
from ..._backend.families import Own, View
from ..._backend.registry import FUNCTIONS, public, tensor_method
from ..._backend.rules import unbroadcast
from ..._base.dtype import COMPLEX, DTYPES, SCALAR_NAMES
from ..._base.dtype import dtype as dtype_type
from ..._base.errors import BadArgument
from ..._base.shape import Size, broadcast_pair, infer_size, wrap_dim, wrap_dims
from ..._base.state import NO_GRAD, UNUSUAL, local, tick
from ..._tensor.storage import link_alias, link_view
from ..._tensor.tensor import Tensor, contiguous_format, new_object, wrap


def sizes(size):
    """A shape as a user may give it (ints, numpy ints, 0-dim tensors, one sequence of them) as a tuple of ints."""
    if type(size) is not tuple:
        size = tuple(size) if hasattr(size, "__len__") and getattr(size, "ndim", 1) else (size,)
    for n in size:
        if type(n) is not int:
            return tuple([_as_int(n) for n in size])
    return size


def _as_int(n):
    if not hasattr(n, "__index__"):
        raise BadArgument("shape", "tuple of ints", n)
    return n.__index__()


# ---- other shapes


class view_as_shape(View):
    """view(*shape) -> Tensor: the same memory in another shape; an error where that needs a copy."""

    name, node_name, method, namespace, varargs = "_view", "ViewBackward0", False, None, "size"

    @unary_func_op()
    def forward(xp, input, size):
        return xp.reshape(input, size)

    def numpy(k, input, size):
        got = k.view(input, size)
        if got is None:
            raise RuntimeError(
                "view size is not compatible with input tensor's size and stride (at least one "
                "dimension spans across two contiguous subspaces). Use .reshape(...) instead."
            )
        return got

    mlx = meta = numpy

    def prepare(input, size):
        size = sizes(size)
        if -1 not in size and math.prod(size) == input.size and (not size or min(size) >= 0):
            return (size,)
        return (infer_size(size, input.size),)

    def grad_input(xp, g, shape):
        return xp.reshape(g, shape)


class unsafe_view(Own):
    """A copy's memory in another shape: what `reshape` records where it had to copy."""

    name, promote, linear, method, namespace = "_unsafe_view", "keep", True, False, None

    @unary_func_op()
    def forward(xp, input, size):
        return xp.reshape(input, size)

    def grad_input(xp, g, shape):
        return xp.reshape(g, shape)


_view, _unsafe_view = view_as_shape.fn, unsafe_view.fn


@tensor_method
def view(self, *size, dtype=None, **named):
    """view(*shape) -> Tensor: the same memory in another shape, or, view(dtype), as elements of another type.

    RuntimeError where the memory cannot be read in that shape.
    """
    if not size and dtype is None and not named:
        raise TypeError(
            "view() received an invalid combination of arguments - got (), but expected one of:\n"
            " * (torch.dtype dtype)\n * (tuple of ints size)"
        )
    if len(size) == 1:
        first = size[0]
        if type(first) is dtype_type:
            dtype = first
        elif type(first) is tuple or type(first) is Size or type(first) is list:
            size = tuple(first)
    if dtype is not None:
        return _view_as_type(self, dtype)
    if (
        not UNUSUAL
        and type(self) is Tensor
        and (shape := _filled(size, self._array.size)) is not None
        and (got := self._table.view(self._array, shape)) is not None
    ):
        return _seen(self, got, shape)
    return _view(self, *size, **named)


view_as_shape.fn = view


def _filled(size, count):
    """size with its one -1 replaced, when it is a tuple of ints that fits; None for anything that needs a closer
    look.
    """
    try:
        total = math.prod(size)
    except TypeError:
        return None
    if type(total) is not int:  # one that is no int makes the product none
        return None
    if total == count:
        return size if not size or min(size) >= 0 else None
    if total < 0 and count % total == 0 and size.count(-1) == 1 and len([n for n in size if n < 0]) == 1:
        return tuple([count // -total if n < 0 else n for n in size])
    return None


def _seen(source, d, size):
    """d, source's array in another shape, as a view with its record."""
    out = new_object(Tensor)
    out._array, out._table = d, source._table
    edge = source._node
    if edge is None or NO_GRAD and not local.grad:
        out._node = None
    else:
        out._node = node = new_object(_ViewNode)
        node.k, node.seq, node.edges, node.shape_0 = source._table, tick(), (edge,), source._array.shape
    link_view(out, source, view_as_shape, (size,), not NO_GRAD or local.grad)
    return out


_ViewNode = view_as_shape.Node


def _view_as_type(self, dtype):
    """The same bytes as elements of another type; outside the graph, as torch has it."""
    k = self._table
    was, now = k.dtype.itemsize, dtype.itemsize
    was_name, now_name = SCALAR_NAMES[k.dtype], SCALAR_NAMES[dtype]
    if now != was:
        shape, strides = self._array.shape, self.stride()
        if not shape:
            raise RuntimeError(f"self.dim() cannot be 0 to view {was_name} as {now_name} (different element sizes)")
        if now > was:
            ratio = now // was
            if shape[-1] % ratio:
                raise RuntimeError(
                    f"self.size(-1) must be divisible by {ratio} to view {was_name} as {now_name} "
                    f"(different element sizes), but got {shape[-1]}"
                )
            if self.storage_offset() % ratio:
                raise RuntimeError(
                    f"self.storage_offset() must be divisible by {ratio} to view {was_name} as "
                    f"{now_name} (different element sizes), but got {self.storage_offset()}"
                )
            for i, s in enumerate(strides[:-1]):
                if s % ratio:
                    raise RuntimeError(
                        f"self.stride({i}) must be divisible by {ratio} to view {was_name} as "
                        f"{now_name} (different element sizes), but got {s}"
                    )
        if strides[-1] != 1:
            raise RuntimeError(
                f"self.stride(-1) must be 1 to view {was_name} as {now_name} (different element sizes), "
                f"but got {strides[-1]}"
            )
    wanted = k.sibling(dtype)
    out = wrap(k.view_dtype(self._array, dtype), wanted)
    link_alias(out, self)
    return out


@public(method=True)
def reshape(input, *shape, **kwargs):
    """reshape(input, shape) -> Tensor: a view where the memory allows it, else a copy."""
    size = kwargs["shape"] if kwargs else shape
    if len(size) == 1 and type(size[0]) is not int:
        size = size[0]
    try:
        size = sizes(size)
    except BadArgument as trouble:
        raise trouble.of("reshape") from None
    d = input._array
    if (
        not UNUSUAL
        and type(input) is Tensor
        and (full := _filled(size, d.size)) is not None
        and (got := input._table.view(d, full)) is not None
    ):
        return _seen(input, got, full)
    if -1 in size or math.prod(size) != d.size:
        size = infer_size(size, d.size)
    k = input._table
    if not k.aliases or (got := k.view(d, size)) is not None:
        return _view(input, *size)
    return _unsafe_view(FUNCTIONS["clone"](input, memory_format=contiguous_format), size)


@tensor_method
def view_as(self, other):
    """view_as(other) -> Tensor: view(other.size())."""
    return _view(self, *other._array.shape)


@tensor_method
def reshape_as(self, other):
    """reshape_as(other) -> Tensor: reshape(other.size())."""
    return reshape(self, other._array.shape)


@public(method=True)
def flatten(input, start_dim=0, end_dim=-1):
    """flatten(input, start_dim=0, end_dim=-1) -> Tensor: dimensions start_dim to end_dim become one."""
    shape = input._array.shape
    start, end = wrap_dim(start_dim, len(shape)), wrap_dim(end_dim, len(shape))
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if not shape:
        return reshape(input, (1,))
    if start == end:
        return input
    return reshape(input, (*shape[:start], math.prod(shape[start : end + 1]), *shape[end + 1 :]))


@public(method=True)
def unflatten(input, dim, sizes):
    """unflatten(input, dim, sizes) -> Tensor: one dimension becomes several (one of the sizes may be -1)."""
    shape = input._array.shape
    dim = wrap_dim(dim, len(shape))
    sizes = tuple([int(n) for n in sizes])
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    try:
        new = infer_size(sizes, shape[dim]) if shape else sizes
    except RuntimeError as wrong:
        if "only one" in str(wrong) or "ambiguous" in str(wrong) or "invalid shape" in str(wrong):
            raise
        raise RuntimeError(
            f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {dim} "
            f"({shape[dim]}) in the input tensor"
        ) from None
    return _view(input, *shape[:dim], *new, *shape[dim + 1 :])


@public(method=True)
def ravel(input):
    """ravel(input) -> 1-D Tensor: a view where input is contiguous, else a copy."""
    return _view(input.contiguous(), -1)


# ---- other orders of dimensions


class permute(View):
    """permute(input, dims) -> Tensor: the dimensions in another order, the same memory."""

    varargs, namespace, method = "dims", None, False  # `permuted` is the public function

    @unary_func_op()
    def forward(xp, input, dims):
        return xp.permute(input, dims)

    def prepare(input, dims):
        dims = sizes(dims)
        if len(dims) != input.ndim:
            raise RuntimeError(
                "permute(sparse_coo): number of dimensions in the tensor input does not match the "
                f"length of the desired ordering of dimensions i.e. input.dim() = {input.ndim} is not "
                f"equal to len(dims) = {len(dims)}"
            )
        try:
            return (wrap_dims(dims, input.ndim),)
        except RuntimeError:
            raise RuntimeError("permute(): duplicate dims are not allowed.") from None

    def grad_input(xp, g, dims):
        return xp.permute(g, tuple(sorted(range(len(dims)), key=dims.__getitem__)))


_permute = permute.fn


@public("permute", method=True)
def permuted(input, *dims, **named):
    """permute(input, dims) -> Tensor: the dimensions in another order, the same memory."""
    if not UNUSUAL and type(input) is Tensor and not named:
        order = dims[0] if len(dims) == 1 and type(dims[0]) in _SEQUENCES else dims
        n = input._array.ndim
        try:
            order = tuple([d + n if d < 0 else d for d in order])
            if sorted(order) == list(range(n)):
                return _in_order(input, order)
        except TypeError:
            pass
    return _permute(input, *dims, **named)


permuted.__name__ = permuted.__qualname__ = "permute"
permute.fn = permuted
_SEQUENCES = (tuple, list, Size)


def _in_order(source, dims):
    """source's dimensions in another order, with its record."""
    out, k = new_object(Tensor), source._table
    out._array, out._table = k.permute(source._array, dims), k
    edge = source._node
    if edge is None or NO_GRAD and not local.grad:
        out._node = None
    else:
        out._node = node = new_object(_PermuteNode)
        node.k, node.seq, node.edges, node.dims = k, tick(), (edge,), dims
    link_view(out, source, permute, (dims,), not NO_GRAD or local.grad)
    return out


_PermuteNode = permute.Node


class transpose(View):
    """transpose(input, dim0, dim1) -> Tensor: two dimensions change places."""

    aliases = ("swapaxes", "swapdims")

    @unary_func_op()
    def forward(xp, input, dim0, dim1):
        return xp.transpose(input, dim0, dim1)

    def prepare(input, dim0, dim1):
        return wrap_dim(dim0, input.ndim), wrap_dim(dim1, input.ndim)

    def grad_input(xp, g, dim0, dim1):
        return xp.transpose(g, dim0, dim1)


class t(View):
    """t(input) -> Tensor: a matrix transposed; tensors with fewer dimensions as they are."""

    node_name = "TBackward0"

    @unary_func_op()
    def forward(xp, input):
        return xp.permute(input, (1, 0) if len(input.shape) == 2 else tuple(range(len(input.shape))))

    def prepare(input):
        if input.ndim > 2:
            raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D")
        return ()

    def grad_input(xp, g):
        return xp.permute(g, (1, 0) if len(g.shape) == 2 else tuple(range(len(g.shape))))


@public(method=True)
def movedim(input, source, destination):
    """movedim(input, source, destination) -> Tensor: dimensions `source` move to the places `destination`."""
    source, destination = ((x,) if isinstance(x, int) else tuple(x) for x in (source, destination))
    ndim = input._array.ndim
    if len(source) != len(destination):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({list(source)} dims) should contain "
            f"the same number of dims as destination ({list(destination)} dims)"
        )
    for name, given in (("source", source), ("destination", destination)):
        if len({wrap_dim(d, ndim) for d in given}) != len(given):
            raise RuntimeError(f"movedim: repeated dim in `{name}` ({list(given)})")
    places = {wrap_dim(d, ndim): wrap_dim(s, ndim) for s, d in zip(source, destination)}
    if not ndim:
        return _alias(input)
    rest = iter([d for d in range(ndim) if d not in places.values()])
    return permute.fn(input, tuple([places[d] if d in places else next(rest) for d in range(ndim)]))


moveaxis = public("moveaxis", method=True)(movedim)


def _numpy_t(self):
    """The dimensions in reverse order."""
    n = self._array.ndim
    if n not in (0, 2):
        warnings.warn(
            "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and "
            "it will throw an error in a future release. Consider `x.mT` to transpose batches of matrices "
            "or `x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a "
            "tensor.",
            UserWarning,
            stacklevel=2,
        )
    dims = tuple(range(n - 1, -1, -1))
    return _in_order(self, dims) if not UNUSUAL and type(self) is Tensor else permute.fn(self, dims)


def _matrix_t(self):
    """The last two dimensions swapped."""
    n = self._array.ndim
    if n < 2:
        if n:
            raise RuntimeError(f"tensor.mT is only supported on matrices or batches of matrices. Got {n}-D tensor.")
        _warn_scalar("mT")
        return self
    return transpose.fn(self, -2, -1)


def _warn_scalar(name):
    warnings.warn(
        f"Tensor.{name} is deprecated on 0-D tensors. This function is the identity in these cases.",
        UserWarning,
        stacklevel=3,
    )


def _conj_t(self):
    n = self._array.ndim
    if n not in (0, 2):
        raise RuntimeError(
            f"tensor.H is only supported on matrices (2-D tensors). Got {n}-D tensor."
            + (" For batches of matrices, consider using tensor.mH" if n > 2 else "")
        )
    if not n:
        _warn_scalar("H")
        return self
    return adjoint(self)


def _conj_mt(self):
    n = self._array.ndim
    if n < 2:
        if n:
            raise RuntimeError(f"tensor.mH is only supported on matrices or batches of matrices. Got {n}-D tensor.")
        _warn_scalar("mH")
        return self
    return adjoint(self)


Tensor.T = property(_numpy_t)
Tensor.mT = property(_matrix_t)
Tensor.H = property(_conj_t, doc="A matrix transposed and conjugated.")
Tensor.mH = property(_conj_mt, doc="The last two dimensions swapped, the elements conjugated.")


@public(method=True)
def adjoint(input):
    """adjoint(input) -> Tensor: matrices transposed and conjugated."""
    if input._array.ndim == 1:
        raise RuntimeError("tensor.adjoint() is only supported on matrices or batches of matrices. Got 1-D tensor.")
    if not input._array.ndim:
        _warn_scalar("adjoint")
        return FUNCTIONS["conj"](input) if input._table.is_complex else input
    out = transpose.fn(input, -2, -1)
    return FUNCTIONS["conj"](out) if input._table.dtype.category == COMPLEX else out


# ---- dimensions of size 1, repeats


class expand(View):
    """expand(*sizes) -> Tensor: dimensions of size 1 repeated without a copy (-1: as it is); new ones in front."""

    varargs, namespace, linear = "size", None, True

    @unary_func_op()
    def forward(xp, input, size, *, implicit=False):
        return xp.expand(input, size)

    def prepare(input, size, implicit):
        size, shape = sizes(size), input.shape
        if size == shape:
            return size, implicit
        new = len(size) - len(shape)
        if new < 0:
            raise RuntimeError(
                f"expand(torch.{_type_name(input)}{{{list(shape)}}}, size={list(size)}): the number of "
                f"sizes provided ({len(size)}) must be greater or equal to the number of dimensions in "
                f"the tensor ({len(shape)})"
            )
        done = list(size)
        for i, n in enumerate(size):
            if n == -1:
                if i < new:
                    raise RuntimeError(
                        f"The expanded size of the tensor ({n}) isn't allowed in a leading, non-existing dimension {i}"
                    )
                done[i] = shape[i - new]
            elif n < 0:
                raise RuntimeError(
                    f"The expanded size of the tensor ({n}) isn't allowed in a leading, non-existing dimension {i}"
                    if i < new
                    else f"The expanded size of the tensor ({n}) must match the existing "
                    f"size ({shape[i - new]}) at non-singleton dimension {i}.  Target "
                    f"sizes: {list(size)}.  Tensor sizes: {list(shape)}"
                )
            elif i >= new and shape[i - new] not in (1, n):
                raise RuntimeError(
                    f"The expanded size of the tensor ({n}) must match the existing size "
                    f"({shape[i - new]}) at non-singleton dimension {i}.  Target sizes: {list(size)}.  "
                    f"Tensor sizes: {list(shape)}"
                )
        return tuple(done), implicit

    def grad_input(xp, g, shape):
        return unbroadcast(xp, g, shape)


def _type_name(array):
    found = DTYPES.get(array.dtype.name) if hasattr(array.dtype, "name") else None
    return f"{SCALAR_NAMES.get(found, 'Float')}Tensor"


@tensor_method
def expand_as(self, other):
    """expand_as(other) -> Tensor: expand(other.size())."""
    return expand.fn(self, other._array.shape)


@public(method=True)
def broadcast_to(input, size):
    """broadcast_to(input, size) -> Tensor: expand(size)."""
    return expand.fn(input, sizes(size))


@public()
def broadcast_tensors(*tensors):
    """broadcast_tensors(*tensors) -> tuple: each expanded to the shape they broadcast to."""
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tuple(tensors[0])
    shape = ()
    for x in tensors:
        shape = broadcast_pair(shape, x._array.shape)
    return tuple([x if x._array.shape == shape else expand.fn(x, shape) for x in tensors])


class unsqueeze(View):
    """unsqueeze(input, dim) -> Tensor: with a dimension of size 1 at dim."""

    @unary_func_op()
    def forward(xp, input, dim):
        return xp.unsqueeze(input, dim)

    def prepare(input, dim):
        return (wrap_dim(dim, input.ndim + 1),)

    def grad_input(xp, g, dim):
        return xp.squeeze(g, (dim,))


class squeeze_all(View):
    """squeeze(input): without any dimension of size 1."""

    name, node_name, method, namespace = "squeeze_all", "SqueezeBackward0", False, None

    @unary_func_op()
    def forward(xp, input):
        return xp.squeeze(input, tuple([i for i, n in enumerate(input.shape) if n == 1]))

    def grad_input(xp, g, shape):
        return xp.reshape(g, shape)


class squeeze_dim(View):
    """squeeze(input, dim): without dimension dim if its size is 1."""

    name, node_name, method, namespace = "squeeze_dim", "SqueezeBackward1", False, None

    @unary_func_op()
    def forward(xp, input, dim):
        return xp.squeeze(input, (dim,))

    def prepare(input, dim):
        return (wrap_dim(dim, input.ndim),)

    def grad_input(xp, g, shape):
        return xp.reshape(g, shape)


class squeeze_dims(View):
    """squeeze(input, dims): without those of the dimensions whose size is 1."""

    name, node_name, method, namespace = "squeeze_dims", "SqueezeBackward2", False, None

    @unary_func_op()
    def forward(xp, input, dim):
        return xp.squeeze(input, dim)

    def prepare(input, dim):
        return (wrap_dims(tuple(dim), input.ndim),)

    def grad_input(xp, g, shape):
        return xp.reshape(g, shape)


_squeeze_all, _squeeze_dim, _squeeze_dims = squeeze_all.fn, squeeze_dim.fn, squeeze_dims.fn


@public(method=True)
def squeeze(input, dim=None):
    """squeeze(input, dim=None) -> Tensor: without dimensions of size 1 (all, dim, or those in a tuple of dims)."""
    if dim is None:
        return _squeeze_all(input)
    return _squeeze_dims(input, dim) if isinstance(dim, (tuple, list)) else _squeeze_dim(input, dim)


squeeze_all.fn = squeeze_dim.fn = squeeze_dims.fn = squeeze


# ---- the same tensor again


class alias(View):
    """The same memory, a step of its own in the graph (what `x[...]` gives)."""

    method = namespace = None

    @unary_func_op()
    def forward(xp, input):
        return xp.expand(input, input.shape)

    def grad_input(xp, g):
        return g


_alias = alias.fn
