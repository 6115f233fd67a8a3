"""The element types: `lucid.float32` and the others, and what may be asked of them."""

import math

from .errors import BadArgument
from .state import defaults

BOOL, INTEGRAL, FLOATING, COMPLEX = range(4)


class dtype:
    """An element type. Compared by identity; printed as torch prints it."""

    __slots__ = ("name", "itemsize", "category", "is_signed", "__weakref__")

    def __init__(self, name, itemsize=None, category=None, is_signed=None):
        if itemsize is None:
            raise TypeError("cannot create 'torch.dtype' instances")
        self.name, self.itemsize, self.category, self.is_signed = name, itemsize, category, is_signed

    is_floating_point = property(lambda self: self.category == FLOATING)
    is_complex = property(lambda self: self.category == COMPLEX)

    def to_real(self):
        """The real type of a complex type's parts; any other type itself."""
        return REAL_OF.get(self, self)

    def to_complex(self):
        """The complex type whose parts have this type; only floating types have one."""
        if self.category not in (FLOATING, COMPLEX) or self.itemsize == 1:
            raise RuntimeError(f"Unknown Complex ScalarType for {SCALAR_NAMES[self]}")
        return complex_of(self)

    def __repr__(self):
        return f"torch.{self.name}"

    def __reduce__(self):
        return self.name

    def __deepcopy__(self, memo):
        return self

    def __copy__(self):
        return self


def _declare(name, itemsize, category, is_signed=True):
    made = dtype(name, itemsize, category, is_signed)
    DTYPES[name] = made
    return made


DTYPES: dict[str, dtype] = {}
bool_ = _declare("bool", 1, BOOL, False)
uint8 = _declare("uint8", 1, INTEGRAL, False)
int8 = _declare("int8", 1, INTEGRAL)
int16 = _declare("int16", 2, INTEGRAL)
int32 = _declare("int32", 4, INTEGRAL)
int64 = _declare("int64", 8, INTEGRAL)
uint16 = _declare("uint16", 2, INTEGRAL, False)
uint32 = _declare("uint32", 4, INTEGRAL, False)
uint64 = _declare("uint64", 8, INTEGRAL, False)
float16 = _declare("float16", 2, FLOATING)
bfloat16 = _declare("bfloat16", 2, FLOATING)
float32 = _declare("float32", 4, FLOATING)
float64 = _declare("float64", 8, FLOATING)
float8_e4m3fn = _declare("float8_e4m3fn", 1, FLOATING)
float8_e5m2 = _declare("float8_e5m2", 1, FLOATING)
float8_e4m3fnuz = _declare("float8_e4m3fnuz", 1, FLOATING)
float8_e5m2fnuz = _declare("float8_e5m2fnuz", 1, FLOATING)
complex32 = _declare("complex32", 4, COMPLEX)
complex64 = _declare("complex64", 8, COMPLEX)
complex128 = _declare("complex128", 16, COMPLEX)

# Types that programs name in tables and comparisons, and of which lucid makes no tensors.
NAMED_ONLY = {
    name: dtype(name, itemsize, category, is_signed)
    for names, itemsize, category, is_signed in (
        ("int1 int2 int3 int4 int5 int6 int7", 1, INTEGRAL, True),
        ("uint1 uint2 uint3 uint4 uint5 uint6 uint7 bits8 bits1x8 bits2x4 bits4x2", 1, INTEGRAL, False),
        ("bits16", 2, INTEGRAL, False),
        ("float8_e8m0fnu float4_e2m1fn_x2", 1, FLOATING, False),
        ("qint8", 1, INTEGRAL, True),
        ("quint8 quint4x2 quint2x4", 1, INTEGRAL, False),
        ("qint32", 4, INTEGRAL, True),
    )
    for name in names.split()
}


def refuse_named_only(kind):
    """NotImplementedError for a type that is only a name."""
    if kind in NAMED_ONLY.values():
        raise NotImplementedError(f"lucid has no tensors of type {kind!r}; the name exists to be compared with")


ALIASES = {
    "float": float32,
    "double": float64,
    "half": float16,
    "short": int16,
    "int": int32,
    "long": int64,
    "chalf": complex32,
    "cfloat": complex64,
    "cdouble": complex128,
}
REAL_OF = {complex32: float16, complex64: float32, complex128: float64}
COMPLEX_OF = {float32: complex64, float64: complex128, bfloat16: complex64, float16: complex32}

# The word torch uses for a type in its messages ("result type Float can't be cast ...").
SCALAR_NAMES = {
    bool_: "Bool",
    uint8: "Byte",
    int8: "Char",
    int16: "Short",
    int32: "Int",
    int64: "Long",
    uint16: "UInt16",
    uint32: "UInt32",
    uint64: "UInt64",
    float16: "Half",
    bfloat16: "BFloat16",
    float32: "Float",
    float64: "Double",
    complex32: "ComplexHalf",
    complex64: "ComplexFloat",
    complex128: "ComplexDouble",
    float8_e4m3fn: "Float8_e4m3fn",
    float8_e5m2: "Float8_e5m2",
    float8_e4m3fnuz: "Float8_e4m3fnuz",
    float8_e5m2fnuz: "Float8_e5m2fnuz",
}

# How printed graphs abbreviate types.
SHORT_NAMES = {
    bool_: "b8",
    uint8: "u8",
    int8: "i8",
    int16: "i16",
    int32: "i32",
    int64: "i64",
    uint16: "u16",
    uint32: "u32",
    uint64: "u64",
    float16: "f16",
    bfloat16: "bf16",
    float32: "f32",
    float64: "f64",
    complex32: "c32",
    complex64: "c64",
    complex128: "c128",
    float8_e4m3fn: "f8e4m3fn",
    float8_e5m2: "f8e5m2",
    float8_e4m3fnuz: "f8e4m3fnuz",
    float8_e5m2fnuz: "f8e5m2fnuz",
}

# What torch calls element types in messages of its C++ code.
C_NAMES = {
    DTYPES[a]: b
    for a, b in {
        "float32": "float",
        "float64": "double",
        "float16": "c10::Half",
        "bfloat16": "c10::BFloat16",
        "int64": "long int",
        "int32": "int",
        "int16": "short int",
        "int8": "signed char",
        "uint8": "unsigned char",
        "uint16": "short unsigned int",
        "uint32": "unsigned int",
        "uint64": "long unsigned int",
        "bool": "bool",
        "complex32": "c10::complex<c10::Half>",
        "complex64": "c10::complex<float>",
        "complex128": "c10::complex<double>",
        **{n: f"c10::{n.capitalize()}" for n in DTYPES if n.startswith("float8")},
    }.items()
}

_OVERFLOWN = {uint8: "uint8_t", int8: "int8_t", int16: "int16_t", int32: "int", int64: "int64_t"}


def fitted(value, d):
    """A number as the type d takes it: without a fraction in integers, an int -n wrapped round in unsigned ones.

    RuntimeError for what has no place in d, OverflowError for an int that none of torch's types holds.
    """
    if isinstance(value, int):
        if not -1 << 63 <= value < 1 << 64:
            raise OverflowError("int too big to convert")
    elif isinstance(value, complex):
        return _fitted_complex(value, d)
    if d.category == BOOL:
        return bool(value)
    if d.category != INTEGRAL:
        part = d if d.category == FLOATING else d.to_real()
        if d.itemsize > 1 and finfo._FACTS[part][2] < abs(value) < math.inf:
            raise RuntimeError(f"value cannot be converted to type {C_NAMES[d]} without overflow")
        return value
    bits = 8 * d.itemsize
    low, high = (-1 << bits - 1, 1 << bits - 1) if d.is_signed else (1 - (1 << bits), 1 << bits)
    low = 0 if isinstance(value, float) and not d.is_signed else low
    if not low <= value < high:  # NaN is not, either
        raise RuntimeError(f"value cannot be converted to type {_OVERFLOWN.get(d, d.name + '_t')} without overflow")
    value = int(value)
    return value if value >= 0 or d.is_signed else value + high


def fitted_as_element(value, d):
    """The same where the number becomes a tensor first: what is too large for a half is infinite in it."""
    if d.category == FLOATING and d.itemsize < 4 and not isinstance(value, complex):
        fitted(value, float64)
        return value
    return fitted(value, d)


def limits(d):
    """(low, high, wide low, wide high): between which numbers `fitted` has nothing to say; wide: halves as float32."""
    if d.category == INTEGRAL:
        bits = 8 * d.itemsize
        both = (-1 << bits - 1, (1 << bits - 1) - 1) if d.is_signed else (0, (1 << bits) - 1)
        return both + both
    if d.category == BOOL:
        return 0, 1, 0, 1
    high = finfo._FACTS[d.to_real()][2] if d.itemsize > 1 else math.inf
    wide = finfo._FACTS[float32][2] if d.itemsize < 4 else high
    return -high, high, -wide, wide


def _fitted_complex(value, d):
    if d.category == BOOL:
        return bool(value)
    if d.category == COMPLEX:
        for part in (value.real, value.imag):
            fitted(part, d)
        return value
    if value.imag != 0:
        raise RuntimeError(f"value cannot be converted to type {C_NAMES.get(d, d.name)} without overflow")
    return fitted(value.real, d)


_PYTHON_TYPES = {bool: bool_, int: int64, float: float64, complex: complex128}


def as_dtype(d) -> dtype:
    """What dtype=d means: a Python type stands for the widest of its kind."""
    if isinstance(d, dtype):
        return d
    if isinstance(d, type) and d in _PYTHON_TYPES:
        return _PYTHON_TYPES[d]
    raise BadArgument("dtype", "torch.dtype", d)


defaults.dtype = float32


def get_default_dtype() -> dtype:
    """The type of float literals and of results of integer division."""
    return defaults.dtype


def set_default_dtype(d: dtype) -> None:
    """Make `d`, a floating type, the default. Raises TypeError for any other type."""
    if not isinstance(d, dtype) or d.category != FLOATING:
        raise TypeError(
            f"{'' if isinstance(d, dtype) else 'invalid dtype object: '}only floating-point types are "
            "supported as the default type"
        )
    defaults.dtype = d


def default_complex() -> dtype:
    return COMPLEX_OF[defaults.dtype]


def complex_of(t: dtype) -> dtype:
    """The complex type in which a number of type `t` goes on; whole numbers take the default one."""
    return t if t.category == COMPLEX else COMPLEX_OF.get(t, default_complex())


def _need_dtype(function, x):
    if not isinstance(x, dtype):
        raise TypeError(f"{function}(): argument 'type' (position 1) must be torch.dtype, not {type(x).__name__}")
    return x


class finfo:
    """finfo(type=None): the numerical limits of a floating type (of a complex type's parts)."""

    # bits of mantissa, smallest normal exponent, largest finite value
    _FACTS = {
        float16: (10, -14, 65504.0),
        bfloat16: (7, -126, (2 - 2.0**-7) * 2.0**127),
        float32: (23, -126, (2 - 2.0**-23) * 2.0**127),
        float64: (52, -1022, (2 - 2.0**-52) * 2.0**1023),
        float8_e4m3fn: (3, -6, 448.0),
        float8_e5m2: (2, -14, 57344.0),
        float8_e4m3fnuz: (3, -7, 240.0),
        float8_e5m2fnuz: (2, -15, 57344.0),
    }

    def __init__(self, type=None):
        kind = (defaults.dtype if type is None else _need_dtype("finfo", type)).to_real()
        if kind not in self._FACTS:
            raise TypeError(
                "torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'"
            )
        digits, low, self.max = self._FACTS[kind]
        self.dtype, self.bits, self.min = kind.name, kind.itemsize * 8, -self.max
        self.eps, self.tiny = 2.0**-digits, 2.0**low
        if kind is float8_e5m2fnuz:
            self.eps = 0.125  # half of what lies between 1 and the next number, as torch has it
        self.smallest_normal, self.resolution = self.tiny, 10.0 ** -int(digits * 0.30103)
        self.smallest_subnormal = 2.0 ** (low - digits)

    def __repr__(self):
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
            f"smallest_normal={self.tiny:g}, tiny={self.tiny:g}, dtype={self.dtype})"
        )


class iinfo:
    """iinfo(type): the limits of an integer type."""

    def __init__(self, type):
        if _need_dtype("iinfo", type).category != INTEGRAL:
            raise TypeError("torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'")
        self.dtype, self.bits = type.name, type.itemsize * 8
        self.min = -(1 << self.bits - 1) if type.is_signed else 0
        self.max = (1 << self.bits - type.is_signed) - 1

    def __repr__(self):
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"
