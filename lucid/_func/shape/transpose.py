"""Dimensions in another order, the same memory: permute, transpose, t, movedim, adjoint, T, mT, H, mH."""

import functools

from ..._backend.core import unary_func_op
from ..._backend.families import View
from ..._backend.graph import record
from ..._backend.registry import public
from ..._base.dtype import COMPLEX
from ..._base.shape import Size, wrap_dim, wrap_dims
from ..._base.state import NO_GRAD, UNUSUAL, local, note_turned
from ..._base.warn import warn
from ..._tensor.storage import link_view
from ..._tensor.tensor import Tensor, new_object
from ..pointwise.complex import conj
from .view import _alias, sizes


class permute(View):
    """permute(input, dims) -> Tensor: the dimensions in another order, the same memory."""

    varargs, namespace, method = "dims", None, False

    @unary_func_op()
    def forward(xp, input, dims):
        note_turned()
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
    return _permute(input, *dims, **named)


def _permuted_quickly(input, dims):
    order = dims[0] if len(dims) == 1 and type(dims[0]) in _SEQUENCES else dims
    if not _INT.issuperset(map(type, order)):
        return None
    order = _counted(tuple(order))
    return _in_order(input, order) if order is not None and len(order) == input._array.ndim else None


@functools.lru_cache(4096)
def _counted(order):
    """An order of dimensions, each counted from the first; None where one is missing."""
    n = len(order)
    order = tuple([d + n if d < 0 else d for d in order])
    return order if sorted(order) == list(range(n)) else None


permuted.quickly = _permuted_quickly
_INT = frozenset((int,))
permuted.__name__ = permuted.__qualname__ = "permute"
permute.fn = permuted
_SEQUENCES = (tuple, list, Size)


def _in_order(source, dims):
    """source's dimensions in another order, with its record."""
    note_turned()
    out, k = new_object(Tensor), source._table
    out._array, out._table = k.permute(source._array, dims), k
    edge = source._node
    if edge is None or NO_GRAD and not local.grad:
        out._node = None
    else:
        out._node = node = record(permute.Node, k, (edge,))
        node.dims = dims
    link_view(out, source, permute, (dims,), not NO_GRAD or local.grad)
    return out


class transpose(View):
    """transpose(input, dim0, dim1) -> Tensor: two dimensions change places."""

    aliases = ("swapaxes", "swapdims")

    @unary_func_op()
    def forward(xp, input, dim0, dim1):
        note_turned()
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
        note_turned()
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
    if isinstance(source, int) is not isinstance(destination, int):
        raise TypeError("movedim() received an invalid combination of arguments - got an int and a tuple of ints")
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
        warn(
            "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will "
            "throw an error in a future release. Consider `x.mT` to transpose batches of matrices or "
            "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor.",
            UserWarning,
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
    warn(
        f"Tensor.{name} is deprecated on 0-D tensors. This function is the identity in these cases.",
        UserWarning,
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
        return conj(input) if input._table.is_complex else input
    out = transpose.fn(input, -2, -1)
    return conj(out) if input._table.dtype.category == COMPLEX else out
