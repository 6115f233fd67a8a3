"""Types of elements and of numbers: which is higher, what is computed in which, what an op gives of its operands."""

import enum

from .._base import dtype as dtypes
from .._base.promotion import promote_types
from .._base.symbolic import SymBool, SymFloat, SymInt
from .._tensor.tensor import Tensor

Number = (bool, int, float, complex, SymInt, SymFloat, SymBool)
BoolLike, IntLike, FloatLike = (bool, SymBool), (int, SymInt), (float, SymFloat)
_ordered_types = (bool, int, float, complex)
_D = dtypes.DTYPES
_integer_dtypes = tuple(_D[n] for n in "uint8 uint16 uint32 uint64 int8 int16 int32 int64".split())
_low_precision_dtypes = (_D["float16"], _D["bfloat16"], dtypes.complex32)
_complex_dtypes = (dtypes.complex32, _D["complex64"], _D["complex128"])
_complex_to_real = dict(zip(_complex_dtypes, (_D["float16"], _D["float32"], _D["float64"])))
_real_to_complex = {real: made for made, real in _complex_to_real.items()} | {_D["bfloat16"]: _D["complex64"]}
_computed_in = {_D["float16"]: _D["float32"], _D["bfloat16"]: _D["float32"], _complex_dtypes[0]: _D["complex64"]}


class ELEMENTWISE_TYPE_PROMOTION_KIND(enum.Enum):
    """What the type of a result is, besides the promotion of the operands' types."""

    DEFAULT, NO_OPMATH, INT_TO_FLOAT, ALWAYS_BOOL, COMPLEX_TO_FLOAT, BOOL_TO_LONG = ((i,) for i in range(6))


class REDUCTION_OUTPUT_TYPE_KIND(enum.Enum):
    """What the type of a reduction's result is."""

    SAME, COMPLEX_TO_FLOAT, KEEP_PROMOTED_TYPE, ALWAYS_BOOL = ((i,) for i in range(4))


class RETURN_TYPE(enum.Enum):
    """What a function gives."""

    NEW, VIEW, INPLACE, NONE = ((i,) for i in range(4))


def is_boolean_dtype(dtype):
    """is_boolean_dtype(dtype) -> bool"""
    return dtype is dtypes.bool_


def is_integer_dtype(dtype):
    """is_integer_dtype(dtype) -> bool: integers, not bool"""
    return dtype in _integer_dtypes


def is_low_precision_dtype(dtype):
    """is_low_precision_dtype(dtype) -> bool: 16 bits for a number"""
    return dtype in _low_precision_dtypes


def is_float_dtype(dtype):
    """is_float_dtype(dtype) -> bool: real floating point"""
    return dtype.is_floating_point


def is_complex_dtype(dtype):
    """is_complex_dtype(dtype) -> bool"""
    return dtype in _complex_dtypes


def is_grad_dtype(dtype):
    """is_grad_dtype(dtype) -> bool: can tensors of it require gradients?"""
    return dtype.is_floating_point or is_complex_dtype(dtype)


def corresponding_real_dtype(dtype):
    """corresponding_real_dtype(complex dtype) -> dtype of its parts"""
    return _complex_to_real[dtype]


def corresponding_complex_dtype(dtype):
    """corresponding_complex_dtype(floating dtype) -> complex dtype of such parts"""
    return _real_to_complex[dtype]


def get_computation_dtype(dtype):
    """get_computation_dtype(dtype) -> dtype: float32 for halves, else itself"""
    return _computed_in.get(dtype, dtype)


def get_acc_type(dtype, device):
    """get_acc_type(dtype, device) -> dtype in which sums are accumulated"""
    if device.type == "cpu":
        wide = {_D["bfloat16"]: _D["float32"], _D["float16"]: _D["float32"], _D["float32"]: _D["float64"]}
        return wide.get(dtype, _D["complex128"] if dtype is _D["complex64"] else dtype)
    return get_computation_dtype(dtype)


def dtype_to_type(dtype):
    """dtype_to_type(dtype) -> bool, int, float or complex"""
    for kind, test in ((bool, is_boolean_dtype), (int, is_integer_dtype), (float, is_float_dtype)):
        if test(dtype):
            return kind
    if is_complex_dtype(dtype):
        return complex
    raise ValueError(f"Invalid dtype: {dtype}!")


def dtype_to_type_ctor(dtype):
    """dtype_to_type_ctor(dtype) -> what makes Python's number of an element"""
    return dtype_to_type(dtype)


def type_to_dtype(typ):
    """type_to_dtype(bool, int, float or complex) -> dtype of tensors made of such numbers"""
    default = dtypes.get_default_dtype()
    kinds = ((BoolLike, dtypes.bool_), (IntLike, _D["int64"]), (FloatLike, default))
    for python, dtype in kinds:
        if typ in python:
            return dtype
    if typ is complex:
        return corresponding_complex_dtype(default)
    raise ValueError(f"Invalid type {typ}!")


def number_type(x):
    """number_type(number) -> bool, int, float or complex"""
    for kind, python in ((bool, BoolLike), (int, IntLike), (float, FloatLike)):
        if isinstance(x, python):
            return kind
    return type(x)


def get_dtype(x):
    """get_dtype(tensor or number) -> dtype"""
    return x.dtype if isinstance(x, Tensor) else type_to_dtype(type(x))


def get_higher_type(a, b):
    """get_higher_type(a, b) -> the later one of bool, int, float, complex"""
    for kind in (a, b):
        if kind not in _ordered_types:
            raise RuntimeError(f"Expected builtin numeric types, found {a}, {b}")
    return max(a, b, key=_ordered_types.index)


def is_weakly_lesser_type(a, b):
    """is_weakly_lesser_type(a, b) -> bool: is a not after b, in bool, int, float, complex?"""
    for kind in (a, b):
        if kind not in _ordered_types:
            raise RuntimeError(f"Expected builtin numeric types, found {a}, {b}")
    return _ordered_types.index(a) <= _ordered_types.index(b)


def can_safe_cast_to(*, cast_to, cast_from):
    """can_safe_cast_to(cast_to=, cast_from=) -> bool: does the cast keep the kind of number?"""
    for test in (is_complex_dtype, is_float_dtype, is_integer_dtype, is_boolean_dtype):
        if test(cast_to):
            return True
        if test(cast_from):
            return False
    raise ValueError(f"Received unknown dtypes {cast_to}, {cast_from}!")


def get_higher_dtype(a, b):
    """get_higher_dtype(a, b) -> dtype (of dtypes, tensors or numbers; None for None twice)"""
    found = [x if x is None or isinstance(x, dtypes.dtype) else get_dtype(x) for x in (a, b)]
    known = [x for x in found if x is not None]
    if len(known) < 2:
        return known[0] if known else None
    return promote_types(*known)


def _highest(args, test, real_as_complex=False):
    """The highest type of tensors that pass a test; of tensors with dimensions before those without."""
    found = {True: None, False: None}
    for x in args:
        if isinstance(x, Tensor) and test(x.dtype):
            dtype = x.dtype
            if real_as_complex and is_float_dtype(dtype):
                dtype = corresponding_complex_dtype(dtype)
            found[x.ndim > 0] = get_higher_dtype(found[x.ndim > 0], dtype)
    return found[False] if found[True] is None else found[True]


def elementwise_dtypes(*args, type_promotion_kind):
    """elementwise_dtypes(*operands, type_promotion_kind=) -> (type to compute in, type of the result)"""
    args = [x for x in args if x is not None]
    highest = bool
    for x in args:
        if not isinstance(x, (*Number, Tensor)):
            raise ValueError(f"Unexpected type {type(x)} when computing elementwise type promotion!")
        highest = get_higher_type(highest, dtype_to_type(x.dtype) if isinstance(x, Tensor) else number_type(x))
    default = dtypes.get_default_dtype()
    if highest is float:
        result = _highest(args, is_float_dtype) or default
    elif highest is complex:
        result = _highest(args, is_grad_dtype, True) or corresponding_complex_dtype(default)
    elif highest is int:
        result = _highest(args, is_integer_dtype) or _D["int64"]
    else:
        result = dtypes.bool_
    return _of_kind(result, type_promotion_kind, default)


def _of_kind(result, kind, default):
    kinds = ELEMENTWISE_TYPE_PROMOTION_KIND
    if kind is kinds.NO_OPMATH:
        return result, result
    if kind is kinds.INT_TO_FLOAT and not is_grad_dtype(result):
        result = default
    if kind is kinds.BOOL_TO_LONG and is_boolean_dtype(result):
        return _D["int64"], _D["int64"]
    computed = get_computation_dtype(result)
    if kind is kinds.COMPLEX_TO_FLOAT and is_complex_dtype(result):
        return computed, corresponding_real_dtype(result)
    return (computed, dtypes.bool_) if kind is kinds.ALWAYS_BOOL else (computed, result)


def reduction_dtypes(arg, output_dtype_kind, dtype=None):
    """reduction_dtypes(tensor, kind, dtype=None) -> (type to compute in, type of the result or None)"""
    kinds = REDUCTION_OUTPUT_TYPE_KIND
    computed = get_computation_dtype(arg.dtype if dtype is None else dtype)
    if output_dtype_kind is kinds.KEEP_PROMOTED_TYPE:
        return computed, None
    if output_dtype_kind is kinds.ALWAYS_BOOL:
        return computed, dtypes.bool_
    result = arg.dtype if dtype is None else dtype
    if output_dtype_kind is kinds.COMPLEX_TO_FLOAT and is_complex_dtype(result):
        result = corresponding_real_dtype(result)
    return computed, result


def dtype_or_default(dtype):
    """dtype_or_default(dtype or None) -> dtype"""
    return dtypes.get_default_dtype() if dtype is None else dtype


_computation_dtype_map = dict(_computed_in)
_complex_to_real_dtype_map, _real_to_complex_dtype_map = _complex_to_real, _real_to_complex
