"""torch's type promotion: which element type a mix of tensors and Python numbers gives.

The rule: find the highest category (bool < integral < floating < complex) among tensors with dimensions; 0-dim tensors
take part only if theirs is higher still, Python numbers only if theirs is higher than both.
"""

from .dtype import (
    BOOL,
    COMPLEX,
    COMPLEX_OF,
    FLOATING,
    INTEGRAL,
    SCALAR_NAMES,
    bool_,
    complex64,
    complex128,
    default_complex,
    dtype,
    float32,
    int16,
    int32,
    int64,
    uint8,
    uint64,
)
from .errors import BadArgument
from .state import defaults

_WIDER_SIGNED = {1: int16, 2: int32, 4: int64}


def _promote_integral(a: dtype, b: dtype) -> dtype:
    if a.is_signed == b.is_signed and (a.is_signed or a is b):
        return a if a.itemsize >= b.itemsize else b
    signed, unsigned = (a, b) if a.is_signed else (b, a)
    if unsigned is not uint8:  # torch has no promotion for the wide unsigned types
        raise RuntimeError(
            f"Promotion for uint16, uint32, uint64 types is not supported, attempted to promote "
            f"{_name(a)} and {_name(b)}"
        )
    return signed if signed.itemsize > unsigned.itemsize else _WIDER_SIGNED[unsigned.itemsize]


def _name(d):
    return SCALAR_NAMES[d]


def _promote_floating(a: dtype, b: dtype) -> dtype:
    if a.itemsize == b.itemsize:
        if a.itemsize == 1:
            raise RuntimeError(
                "Promotion for Float8 Types is not supported, attempted to promote "
                f"{a.name.capitalize()} and {b.name.capitalize()}"
            )
        return float32  # float16 with bfloat16
    if min(a.itemsize, b.itemsize) == 1:
        raise RuntimeError(
            "Promotion for Float8 Types is not supported, attempted to promote "
            f"{a.name.capitalize()} and {b.name.capitalize()}"
        )
    return a if a.itemsize > b.itemsize else b


def promote_types(type1: dtype, type2: dtype) -> dtype:
    """promote_types(type1, type2) -> dtype: the smallest type torch converts both to."""
    a, b = type1, type2
    for name, d in (("type1", a), ("type2", b)):
        if not isinstance(d, dtype):
            raise BadArgument(name, "torch.dtype", d).of("promote_types")
    if a is b:
        return a
    if a.category < b.category:
        a, b = b, a
    if a.category == INTEGRAL:
        return a if b is bool_ else _promote_integral(a, b)
    if a.category == FLOATING:
        return _promote_floating(a, b) if b.category == FLOATING else a
    if b.category == COMPLEX:
        return complex128 if complex128 in (a, b) else complex64
    if b.category == FLOATING:
        return promote_types(a, COMPLEX_OF.get(b, complex64))
    return a


def scalar_dtype(value) -> dtype:
    """The type a Python number stands for."""
    if isinstance(value, bool):
        return bool_
    if isinstance(value, int):
        if -1 << 63 <= value < 1 << 63:
            return int64
        if not -1 << 63 <= value < 1 << 64:
            raise OverflowError("int too big to convert")
        return uint64
    if isinstance(value, float):
        return defaults.dtype
    if isinstance(value, complex):
        return default_complex()
    return float32


def _join(a, b):
    return b if a is None else promote_types(a, b)


def result_dtype(with_dims, zero_dim, scalars) -> dtype:
    """The promoted type of three groups of types: tensors with dimensions, 0-dim tensors, Python numbers."""
    result, category = None, -1
    for group in (with_dims, zero_dim, scalars):
        best = None
        for d in group:
            best = _join(best, d)
        if best is not None and best.category > category:
            # A lower group lifts the category and keeps nothing of the higher group but its width for complex.
            if result is not None and best.category == COMPLEX and result.category == FLOATING:
                best = COMPLEX_OF.get(result, complex64)
            result, category = best, best.category
    return result


def can_cast(from_: dtype, to: dtype) -> bool:
    """can_cast(from_, to) -> bool: may a result of type `from_` be stored in type `to`?"""
    for name, d in (("from_", from_), ("to", to)):
        if not isinstance(d, dtype):
            raise BadArgument(name, "torch.dtype", d).of("can_cast")
    if from_.category == COMPLEX and to.category != COMPLEX:
        return False
    if from_.category == FLOATING and to.category in (BOOL, INTEGRAL):
        return False
    return not (from_.category == INTEGRAL and to.category == BOOL)
