"""Views of another shape, the same memory: view, reshape, flatten, unflatten, ravel, view_as."""

import math

from ..._backend.calls import plain_ints
from ..._backend.core import unary_func_op
from ..._backend.dispatch import Speller, asked
from ..._backend.families import Own, View
from ..._backend.overrides import ask_overrides
from ..._backend.registry import public, tensor_method
from ..._backend.signatures import int_list
from ..._base.dtype import SCALAR_NAMES
from ..._base.dtype import dtype as dtype_type
from ..._base.errors import BadArgument
from ..._base.shape import Size, infer_size, wrap_dim
from ..._base.state import DISPATCH, NO_GRAD, UNUSUAL, local, tick
from ..._tensor.storage import link_alias, link_view, mark_inference
from ..._tensor.tensor import Tensor, contiguous_format, new_object, wrap
from ..methods.convert import clone


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


class reshape_alias(View):
    """reshape of memory with gaps, or in another order, that can be read in the new shape all the same."""

    name, node_name, method, namespace = "_reshape_alias", "ReshapeAliasBackward0", False, None

    @unary_func_op()
    def forward(xp, input, size):
        return xp.reshape(input, size)

    numpy = mlx = meta = view_as_shape.numpy

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


_view, _reshape_alias, _unsafe_view = view_as_shape.fn, reshape_alias.fn, unsafe_view.fn


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
    if "size" in named and not size:
        size = named.pop("size")
    if plain_ints(size):
        return _view(self, *size, **named)
    handled, result = ask_overrides(Tensor.view, size, (self, *size), named)
    return result if handled else _view(self, *int_list("view", "size", size), **named)


Tensor.view = view_as_shape.fn = view  # it looks at its arguments itself, being called so often


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


def _seen(source, d, size, op=view_as_shape):
    """d, source's array in another shape, as a view with its record."""
    out = new_object(Tensor)
    out._array, out._table = d, source._table
    edge, on = source._node, not NO_GRAD or local.grad
    if edge is None or not on:
        out._node = None
    else:
        out._node = node = new_object(op.Node)  # as `record` does where nothing is UNUSUAL
        node.k, node.edges, node.seq, node.shape_0 = source._table, (edge,), tick(), source._array.shape
    link_view(out, source, op, (size,), on)
    return out


def _view_as_type(self, dtype):
    """The same bytes as elements of another type; outside the graph, as torch has it."""
    k = self._table
    was, now = k.dtype.itemsize, dtype.itemsize
    was_name, now_name = SCALAR_NAMES[k.dtype], SCALAR_NAMES[dtype]
    if self.is_conj() or self.is_neg():
        which = "conjugate view tensors" if self.is_conj() else "tensors with negative bit set"
        raise RuntimeError(f"torch.Tensor.view is not supported for {which} when converting to a different dtype.")
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
    if DISPATCH and asked((self,)):
        return Speller.current.view_as_type(self, dtype)
    wanted = k.sibling(dtype)
    out = wrap(k.view_dtype(self._array, dtype), wanted)
    link_alias(out, self)
    if local.inference:
        mark_inference(out)
    elif out._extra.inference:  # as another type, an inference tensor is seen as a normal one
        out._extra.inference, out._extra.made_without_grad = False, None
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
        return _seen(input, got, full, view_as_shape if input.is_contiguous() else reshape_alias)
    if -1 in size or math.prod(size) != d.size:
        size = infer_size(size, d.size)
    k = input._table
    if not k.aliases or (got := k.view(d, size)) is not None:
        told = DISPATCH and asked((input,))  # modes are told of a view, whatever the memory's order
        return _view(input, *size) if told or input.is_contiguous() else _reshape_alias(input, size)
    return _unsafe_view(clone.fn(input, memory_format=contiguous_format), size)


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
    sizes = int_list("unflatten", "sizes", sizes)
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
