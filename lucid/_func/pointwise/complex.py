"""Complex numbers: complex, polar, real, imag, angle, conj, and the views between complex and real memory."""

from ..._backend.core import binary_func_op, unary_func_op
from ..._backend.families import Pointwise, View, zeros_like
from ..._backend.registry import public
from ..._base.dtype import COMPLEX, SCALAR_NAMES
from ..._tensor.storage import link_mirror
from ..._tensor.tensor import Tensor

_PARTS = ("float16", "float32", "float64")


def _check_parts(tensors, options):
    a, b = tensors
    if not (a.dtype.name in _PARTS and b.dtype.name in _PARTS):
        raise RuntimeError(
            "Expected both inputs to be Half, Float or Double tensors but got "
            f"{SCALAR_NAMES[a.dtype]} and {SCALAR_NAMES[b.dtype]}"
        )
    if a.dtype is not b.dtype:
        raise RuntimeError(
            f"Expected object of scalar type {SCALAR_NAMES[a.dtype]} but got scalar type "
            f"{SCALAR_NAMES[b.dtype]} for second argument"
        )


class complex(Pointwise):
    """complex(real, imag) -> complex Tensor with these parts, of one floating type."""

    result, method, inplace, scalar_operands, out_takes = "of", False, False, "none", "scalar"
    compute_in_float32 = False  # the type of the parts decides that of the result

    @binary_func_op()
    def forward(xp, real, imag):
        _check_table(xp)
        return xp.complex(real, imag)

    check = _check_parts

    def grad_real(xp, g, real):  # torch keeps the parts though it needs none
        return xp.of(g).real(g)

    def grad_imag(xp, g, imag):
        return xp.of(g).imag(g)


class polar(Pointwise):
    """polar(abs, angle) -> complex Tensor: abs * exp(i * angle)."""

    result, method, inplace, scalar_operands, out_takes = "of", False, False, "none", "scalar"
    compute_in_float32 = False  # the type of the parts decides that of the result

    @binary_func_op()
    def forward(xp, abs, angle):
        _check_table(xp)
        return xp.polar(abs, angle)

    check = _check_parts

    def grad_abs(xp, g, out):
        z = xp.of(g)
        return z.real(z.conj(g) * z.sgn(out))

    def grad_angle(xp, g, out):
        z = xp.of(g)
        return z.real(z.conj(g) * out * 1j)


def _check_table(xp):
    if xp.dtype.name not in _PARTS:
        name = SCALAR_NAMES[xp.dtype]
        raise RuntimeError(f"Expected both inputs to be Half, Float or Double tensors but got {name} and {name}")


class angle(Pointwise):
    """angle(input) -> Tensor: the argument of a complex number, in radians; 0 or pi for a real one, NaN for NaN."""

    promote, result, inplace = "int_to_float", "of", False

    @unary_func_op()
    def forward(xp, input):
        return xp.angle(input)

    def grad_input(xp, g, input):
        if not xp.is_complex:
            return zeros_like(xp, g)
        size = xp.abs(input)
        return xp.where(xp.eq(input, 0), xp.scalar(0), g * (input / (size * size)) * 1j)


class conj_view(View):
    """conj of a complex tensor: its memory, conjugated when it is read."""

    name, node_name, namespace, method, mirrors = "_conj", "ConjBackward0", None, False, True

    @unary_func_op()
    def forward(xp, input):
        return xp.conj(input)

    def grad_input(xp, g):
        return xp.conj(g)


class neg_view(View):
    """A tensor's memory, negated when it is read."""

    name, node_name, namespace, method, mirrors = "_neg_view", "NegViewBackward0", None, False, True

    @unary_func_op()
    def forward(xp, input):
        return xp.neg(input)

    def grad_input(xp, g):
        return xp.neg(g)


_conj_call, _neg_call = conj_view.fn, neg_view.fn


@public(method=True)
def _conj(input):
    """conj of a complex tensor."""
    out = _conj_call(input)
    link_mirror(out, input, conj=True)
    return out


@public(method=True)
def _neg_view(input):
    """_neg_view(input) -> Tensor: the same memory, negated when it is read."""
    out = _neg_call(input)
    link_mirror(out, input, neg=True)
    return out


conj_view.fn, neg_view.fn = _conj, _neg_view


def turned_like(source, input):
    """input with what a view such as `source` does to elements when they are read done once more (twice is nothing)."""
    input = _conj(input) if source.is_conj() else input
    return _neg_view(input) if source.is_neg() else input


@public(method=True)
def conj(input):
    """conj(input) -> Tensor: the complex conjugate, a view (`is_conj`); a real tensor itself."""
    if input.dtype.category != COMPLEX:
        return input
    return conj_physical_op.fn(input) if input._table.is_sparse else _conj(input)


class conj_physical_op(Pointwise):
    """conj_physical of a complex tensor."""

    out_takes = "same"
    name, node_name, namespace, linear, inplace = "conj_physical", "ConjPhysicalBackward0", None, True, False

    @unary_func_op()
    def forward(xp, input):
        return xp.conj(input)

    def grad_input(xp, g):
        return xp.conj(g)


@public(method=True)
def conj_physical(input, *, out=None):
    """conj_physical(input) -> Tensor: the complex conjugate in memory of its own; a real tensor itself."""
    if input.dtype.category != COMPLEX and out is None:
        return input
    return conj_physical_op.fn(input, out=out)


@public(method=True)
def conj_physical_(input):
    """In-place form of conj_physical."""
    from_ = conj_physical_op.fn(input)
    return input.copy_(from_) if input.dtype.category == COMPLEX else input


conj_view.public_function, conj_physical_op.public_function = conj, conj_physical


@public(method=True)
def resolve_conj(input):
    """resolve_conj(input) -> Tensor: a copy of a view that is conjugated when read; any other tensor itself."""
    return input.clone() if input.is_conj() else input


@public(method=True)
def resolve_neg(input):
    """resolve_neg(input) -> Tensor: a copy of a view that is negated when read; any other tensor itself."""
    return input.clone() if input.is_neg() else input


class real_view(View):
    """A complex tensor's memory as real numbers, with a last dimension of 2: real and imaginary part."""

    name, node_name, namespace = "_view_as_real", "ViewAsRealBackward0", None
    method, result = False, "of"

    @unary_func_op()
    def forward(xp, input):
        if not xp.of(input).is_complex:
            raise RuntimeError("view_as_real is only supported for complex tensors")
        return xp.view_as_real(input)

    def grad_input(xp, g):
        return xp.of(g).view_as_complex(xp.contiguous(g))


@public()
def view_as_real(input):
    """view_as_real(input) -> real view of a complex tensor, with a last dimension of 2: real and imaginary part."""
    if input.is_conj():
        raise RuntimeError(
            "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate tensor so you can "
            "view it as real, use self.resolve_conj(); however, be warned that the resulting tensor will NOT alias the "
            "original."
        )
    return real_view.fn(input)


real_view.public_function = view_as_real


class view_as_complex(View):
    """view_as_complex(input) -> complex view of a real tensor whose last dimension, of size 2, holds the two parts."""

    method, result = False, "of"

    @unary_func_op()
    def forward(xp, input):
        if xp.dtype.name not in _PARTS:
            raise RuntimeError(
                "view_as_complex is only supported for half, float and double tensors, but got a tensor of "
                f"scalar type: {SCALAR_NAMES[xp.dtype]}"
            )
        if not input.ndim:
            raise RuntimeError("Input tensor must have one or more dimensions")
        if input.shape[-1] != 2:
            raise RuntimeError("Tensor must have a last dimension of size 2")
        steps = xp.strides(input)
        if steps[-1] != 1:
            raise RuntimeError("Tensor must have a last dimension with stride 1")
        if any(s % 2 for n, s in zip(input.shape[:-1], steps[:-1]) if n != 1):
            raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
        return xp.view_as_complex(input)

    def grad_input(xp, g):
        return xp.of(g).view_as_real(xp.contiguous(g))


def _parts(input, turned=False):
    """view_as_real; turned: with the sign that a conjugated view gives to imaginary parts."""
    if not input.is_conj():
        return real_view.fn(input)
    parts = real_view.fn(_conj(input))
    return _neg_view(parts) if turned else parts


@public()
def real(input):
    """real(input) -> Tensor: a view of the real parts; a real tensor itself."""
    if input.dtype.category != COMPLEX:
        return input
    return _parts(input).select(-1, 0)


@public()
def imag(input):
    """imag(input) -> Tensor: a view of the imaginary parts. RuntimeError for a real tensor."""
    if input.dtype.category != COMPLEX:
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    return _parts(input, turned=True).select(-1, 1)


def _set_real(self, value):
    real(self).copy_(value) if isinstance(value, Tensor) else real(self).fill_(value)


def _set_imag(self, value):
    imag(self).copy_(value) if isinstance(value, Tensor) else imag(self).fill_(value)


Tensor.real = property(real, _set_real, doc="The real parts, a view.")
Tensor.imag = property(imag, _set_imag, doc="The imaginary parts, a view.")


@public(namespace=None, word="contiguous")
def _contiguous(input):
    return input.contiguous()
