"""The families: what all members of a kind of op derive from one rule.

Pointwise: element by element, operands broadcast together, one promoted type. Reduction: over some dimensions. View:
the same memory. Contraction, Indexing, Layer (joint rules of neural network layers), Own (anything else).
"""

from .._base.dtype import SCALAR_NAMES
from .._base.shape import is_contiguous, preserved_strides, wrap_dim, wrap_dims
from .._base.state import DISPATCH
from .core import Operation

ALL_DIMS = [tuple(range(n)) for n in range(65)]


def not_implemented_error(kernel, dtype):
    """torch's error for an element type that a kernel is not made for."""
    return NotImplementedError(f"\"{kernel}\" not implemented for '{SCALAR_NAMES[dtype]}'")


class Pointwise(Operation):
    """Element by element: shapes broadcast, types promote, the Jacobian is diagonal."""

    promote = "same"
    inplace = True
    has_out = True
    broadcasts = True
    scalar_operands = "second"
    out_takes, overlap = "castable", "partly"

    @classmethod
    def refusal(cls, k):
        """The error for an element type that the op is not defined for."""
        name = k.kernel_names.get(cls.label) or k.kernel_names.get(cls.name) or cls.kernel_name or cls.name + "_cpu"
        return not_implemented_error(name, k.dtype)


class Compare(Pointwise):
    """Pointwise with a bool result and no gradient."""

    promote, result, out_takes = "compare", "bool", "any"


class Reduction(Operation):
    """Over one, several or all dimensions. `prepare` makes dim a tuple counted from the front."""

    promote = "same"
    has_out = True
    result = "of"
    inplace = False

    def prepare(input, dim, keepdim, *rest):
        if dim is None or dim == () or dim == []:
            return (tuple(range(input.ndim)), keepdim, *rest)
        dims = wrap_dims(dim, input.ndim)
        return (dims if input.ndim else (), keepdim, *rest)


def restore(xp, g, dim, keepdim, shape):
    """A reduction's gradient with the reduced dimensions back at their places, as size 1."""
    if keepdim or len(dim) == len(shape):  # a 0-dim gradient expands as it is
        return g
    if DISPATCH and xp.records:  # in torch's steps, which modes see
        for d in dim:
            g = xp.unsqueeze(g, d)
        return g
    return xp.reshape(g, tuple([1 if i in dim else n for i, n in enumerate(shape)]))


def zeros_like(xp, g):
    """Zeros in g's memory order, as torch's zeros_like(g): the gradient where an operand does not matter."""
    shape = tuple(g.shape)
    k = xp.k if getattr(xp, "records", False) else xp
    if k.is_sparse:
        return xp.zeros_like(g)
    zeros = xp.zeros(shape)
    if len(shape) > 1 and getattr(k, "host", False) and not k.is_transform:
        stride = preserved_strides(shape, xp.strides(g))
        return zeros if is_contiguous(shape, stride) else xp.with_strides(zeros, stride)
    return zeros


class Along(Operation):
    """Along one dimension; the shape stays."""

    promote = "same"
    has_out = True

    def prepare(input, dim, *rest):
        return (wrap_dim(dim, input.ndim), *rest)


class View(Operation):
    """The same memory read in another way: linear, so a tangent goes through like a value."""

    view = True
    linear = True
    promote = "keep"


class Contraction(Operation):
    """Linear in each operand: matmul, convolution, and relatives."""

    linear = True
    has_out = True


class Indexing(Operation):
    """Elements picked or placed by index; the index tensors keep their own type."""

    promote, overlap = "keep", "any"


class Layer(Operation):
    """A neural network layer with a joint rule."""

    namespace = "nn.functional"
    method, gradient_kernel = False, True


class Own(Operation):
    """An op like no other."""
