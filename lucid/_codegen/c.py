"""The vocabulary whose answers are C: an op's own rule, run on expressions, is the text of its kernel.

    pointwise_source(op)  ->  void NAME(long n, const float *restrict input, ..., float *restrict result)

The text needs no header: mathematics is spelled with the compilers' builtins, and the few functions C lacks are
written out before it. With a `Body` every word becomes one named value, equal ones once; without, expressions nest.
"""

import math
import re

from .._array.table import Table
from .._array.words import POINTWISE, WORDS
from .._base.dtype import BOOL, DTYPES, FLOATING, INTEGRAL, bool_, float32, float64
from .c_functions import FUNCTIONS
from .mathematics import text as mathematics
from .open_sizes import Fraction, Open

C_TYPES = {
    DTYPES[name]: text
    for name, text in {
        "float32": "float",
        "float64": "double",
        "bool": "unsigned char",
        "uint8": "unsigned char",
        "int8": "signed char",
        "int16": "short",
        "int32": "int",
        "int64": "long long",
        "uint16": "unsigned short",
        "uint32": "unsigned int",
        "uint64": "unsigned long long",
    }.items()
}

# Words that have no text here, and why; asking for one is a NotImplementedError that says so.
NOT_IN_C = {
    **dict.fromkeys(
        "i0 i0e i1 i1e ndtri log_ndtr erfcx zeta polygamma igamma igammac airy_ai modified_bessel_k0 "
        "modified_bessel_k1 scaled_modified_bessel_k0 scaled_modified_bessel_k1".split(),
        "C's library has no such function",
    ),
    "orthogonal_polynomial": "its length depends on an operand",
    **{word.name: "complex numbers are not written as C" for word in POINTWISE.values() if word.result == "complex"},
    **{word.name: "it has several results" for word in WORDS.values() if "," in word.result},
}


class Body:
    """The statements of one function: a constant for every distinct value."""

    def __init__(self):
        self.lines, self.names, self.functions = [], {}, {}

    def name(self, text, dtype):
        """The constant that holds this value."""
        key = (text, dtype)
        found = self.names.get(key)
        if found is None:
            found = self.names[key] = f"t{len(self.names)}"
            self.lines.append(f"const {C_TYPES[dtype]} {found} = {text};")
        return found


class Expr:
    """A C expression of one element type; arithmetic with it gives another."""

    __slots__ = ("text", "dtype", "words")
    shape, ndim, size = (), 0, 1  # one element: rules that ask see a 0-dim array

    def __init__(self, text, dtype=float32, words=None):
        self.text, self.dtype = text, dtype
        self.words = words or CWords(dtype if dtype.category != BOOL else float32)

    def __repr__(self):
        return f"Expr({self.text!r})"

    def __str__(self):
        return self.text

    def _binary(self, other, pattern, swap=False):
        words = self.words
        dtype = self.dtype
        if isinstance(other, Expr) and other.dtype.category > dtype.category:
            dtype = other.dtype
        elif (
            isinstance(other, float)
            and dtype.category < FLOATING
            or dtype.category == BOOL
            and not isinstance(other, Expr)
        ):
            dtype = words.dtype
        a, b = words.text(self, dtype), words.text(other, dtype)
        return words.make(pattern.format(*((b, a) if swap else (a, b))), dtype)

    def _compare(self, other, sign):
        return self.words.compare(self, other, sign)

    def _bits(self, other, sign):
        if self.dtype.category == BOOL and (not isinstance(other, Expr) or other.dtype.category == BOOL):
            return self.words.make(f"{self.text} {sign} {self.words.text(other, bool_)}", bool_)
        return self._binary(other, f"{{}} {sign} {{}}")

    def __add__(self, other):
        return self._binary(other, "{} + {}")

    def __radd__(self, other):
        return self._binary(other, "{} + {}", True)

    def __sub__(self, other):
        return self._binary(other, "{} - {}")

    def __rsub__(self, other):
        return self._binary(other, "{} - {}", True)

    def __mul__(self, other):
        return self._binary(other, "{} * {}")

    def __rmul__(self, other):
        return self._binary(other, "{} * {}", True)

    def __truediv__(self, other):
        return self._binary(other, "{} / {}")

    def __rtruediv__(self, other):
        return self._binary(other, "{} / {}", True)

    def __pow__(self, other):
        return self.words.pow(self, other)

    def __rpow__(self, other):
        return self.words.pow(self.words.scalar(other), self)

    def __neg__(self):
        return self.words.neg(self)

    def __abs__(self):
        return self.words.abs(self)

    def __invert__(self):
        return self.words.bitwise_not(self)

    def __and__(self, other):
        return self._bits(other, "&")

    def __or__(self, other):
        return self._bits(other, "|")

    def __xor__(self, other):
        return self._bits(other, "^")

    def __lt__(self, other):
        return self._compare(other, "<")

    def __le__(self, other):
        return self._compare(other, "<=")

    def __gt__(self, other):
        return self._compare(other, ">")

    def __ge__(self, other):
        return self._compare(other, ">=")

    def __eq__(self, other):
        return self._compare(other, "==")

    def __ne__(self, other):
        return self._compare(other, "!=")

    __hash__ = object.__hash__

    def __bool__(self):
        raise TypeError("a C expression has no truth before it runs: a rule may not branch on a value")


def literal(value, dtype):
    """A Python number as C text of this type."""
    if isinstance(value, complex):
        raise NotImplementedError("complex numbers are not written as C")
    if isinstance(value, (Open, Fraction)):
        return f"(({C_TYPES[dtype]}){value})"
    if dtype.category == FLOATING:
        value, f = float(value), "f" if dtype is float32 else ""
        if math.isinf(value):
            return f"{'-' if value < 0 else ''}__builtin_inf{f}()"
        if math.isnan(value):
            return f'__builtin_nan{f}("")'
        text = repr(value) if len(repr(value)) < 8 and "e" not in repr(value) else value.hex()
        return f"({text}{f})" if text.startswith("-") else text + f
    if dtype.category == BOOL:
        return "1" if value else "0"
    value = int(value)
    if dtype.is_signed and value == -(1 << 8 * dtype.itemsize - 1):
        return f"(({C_TYPES[dtype]})({value + 1}{'LL' if dtype.itemsize == 8 else ''} - 1))"
    return f"(({C_TYPES[dtype]}){value}{('LL' if dtype.is_signed else 'ULL') if dtype.itemsize == 8 else ''})"


class CWords(Table):
    """The words of one element type; `body` names every value."""

    backend, array_type, has_data, is_text = "c", Expr, False, True
    is_half = is_complex = False
    array_dtype = device = device_group = None

    def __init__(self, dtype=float32, body=None):
        if dtype not in C_TYPES:
            raise NotImplementedError(f"elements of {dtype} are not written as C")
        self.dtype, self.body = dtype, body
        self.inexact = dtype.category == FLOATING

    @property
    def bool(self):
        return CWords(bool_, self.body)

    def sibling(self, dtype):
        return CWords(dtype, self.body)

    def of(self, x):
        return CWords(x.dtype, self.body)

    # ---- making expressions

    def text(self, x, dtype):
        """x (an expression or a Python number) as an operand of this type."""
        if not isinstance(x, Expr):
            return literal(x, dtype)
        if x.dtype is dtype:
            return x.text
        return f"(({C_TYPES[dtype]}){x.text})" if dtype.category != BOOL else f"({x.text} != 0)"

    def make(self, text, dtype=None):
        dtype = dtype or self.dtype
        if dtype.category == INTEGRAL and dtype.itemsize < 8:  # C computes these wider
            text = f"({C_TYPES[dtype]})({text})"
        if self.body is not None:
            return Expr(self.body.name(text, dtype), dtype, CWords(self.dtype, self.body))
        return Expr(f"({text})", dtype, self)

    def write(self, pattern, *operands, dtype=None):
        """Operands put into a pattern of C text."""
        return self.make(pattern.format(*[self.text(x, self.dtype) for x in operands]), dtype)

    def mask(self, pattern, *operands):
        return self.write(pattern, *operands, dtype=bool_)

    def compare(self, a, b, sign):
        inner = a.dtype if isinstance(a, Expr) else b.dtype
        for x in (a, b):
            if isinstance(x, Expr) and x.dtype.category > inner.category:
                inner = x.dtype
        if inner.category == BOOL and not (isinstance(a, Expr) and isinstance(b, Expr)):
            inner = self.dtype
        return self.make(f"{self.text(a, inner)} {sign} {self.text(b, inner)}", bool_)

    def libm(self, name, *operands):
        """A call of the C library's function, or of the one without branches (mathematics.py), of this type."""
        if not self.inexact:
            raise NotImplementedError(f"C's {name} of {self.dtype}")
        return self.write(f"{self.function(name)}({', '.join(['{}'] * len(operands))})", *operands)

    def function(self, name):
        """The C name of a function of mathematics; its text goes into the body if the C library's is not the one."""
        f = "f" if self.dtype is float32 else ""
        text = mathematics(name, self.dtype.name) if self.body is not None else None
        if text is None:
            return f"__builtin_{name}{f}"
        self.body.functions[f"{name}{f}"] = text
        return f"lucid_{name}{f}"

    def call(self, name, *operands):
        """A call of one of our own functions (c_functions.py), written in this type's precision."""
        f = "f" if self.dtype is float32 else "" if self.dtype is float64 else f"_{self.dtype.name}"
        if self.body is not None:
            self.body.functions[f"{name}{f}"] = FUNCTIONS[name](C_TYPES[self.dtype], f)
        return self.write(f"lucid_{name}{f}({', '.join(['{}'] * len(operands))})", *operands)

    def __getattr__(self, word):
        if word.startswith("__"):
            raise AttributeError(word)
        why = NOT_IN_C.get(word, "it is not an elementwise word")
        raise NotImplementedError(f"the word '{word}' cannot be written as C: {why}")

    # ---- constants and types

    def scalar(self, value):
        return value if isinstance(value, Expr) else Expr(literal(value, self.dtype), self.dtype, self)

    asarray = scalar

    def zeros(self, shape):
        return self.scalar(0)

    def ones(self, shape):
        return self.scalar(1)

    def full(self, shape, value):
        return self.scalar(value)

    def cast(self, x, dtype):
        return x if x.dtype is dtype else self.make(self.text(x, dtype), dtype)

    def copy(self, x):
        return x

    def expand(self, x, shape):
        return x

    def conj(self, x):
        return x

    real = contiguous = conj

    def imag(self, x):
        return self.scalar(0)

    # ---- what C does not have as one function

    def abs(self, x):
        return self.libm("fabs", x) if self.inexact else self.write("{0} < 0 ? -{0} : {0}", x)

    def sign(self, x):
        return self.write("{0} > 0" if not self.dtype.is_signed else "({0} > 0) - ({0} < 0)", x)

    sgn = sign

    def round(self, x):
        return self.libm("rint", x) if self.inexact else x

    def remainder(self, a, b):
        self._no_integers("remainder")
        return self.call("remainder", a, b)

    def floor_divide(self, a, b):
        self._no_integers("floor_divide")
        return self.call("floor_divide", a, b)

    def trunc_divide(self, a, b):
        self._no_integers("trunc_divide")
        return self.trunc(self.div(a, b))

    def fmod(self, a, b):
        self._no_integers("fmod")
        return self.libm("fmod", a, b)

    def pow(self, a, b):
        self._no_integers("pow")
        return self.libm("pow", a, b)

    def sigmoid(self, x):
        if self.inexact and self.body is not None:
            return self.libm("sigmoid", x)
        return self.write("1 / (1 + " + self.function("exp") + "(-{}))", x)

    def _no_integers(self, word):
        if not self.inexact:
            raise NotImplementedError(
                f"the word '{word}' of {self.dtype} cannot be written as C: it raises for some operands"
            )

    def where(self, condition, a, b):
        dtype = next((x.dtype for x in (a, b) if isinstance(x, Expr)), self.dtype)
        return self.make(f"{self.text(condition, bool_)} ? {self.text(a, dtype)} : {self.text(b, dtype)}", dtype)

    def masked_fill(self, x, mask, value):
        return self.where(mask, value, x)

    def lerp(self, a, b, weight):
        return self.write(
            "__builtin_fabs({2}) < 0.5 ? {0} + {2} * ({1} - {0}) : {1} - ({1} - {0}) * (1 - {2})", a, b, weight
        )

    def signbit(self, x):
        if not self.inexact:
            return self.mask("{} < 0" if self.dtype.is_signed else "({}, 0)", x)
        f = "f" if self.dtype is float32 else ""  # gcc 12 cannot vectorise its own signbit of a float made from a half
        return self.mask(f"__builtin_copysign{f}(1, {{}}) < 0", x)

    def bitwise_not(self, x):
        return self.make(f"!{x.text}", bool_) if x.dtype.category == BOOL else self.write("~{}", x)

    def _logic(self, a, b, sign):
        return self.make(f"{self.text(a, bool_)} {sign} {self.text(b, bool_)}", bool_)

    def logical_not(self, x):
        return self.make(f"!{self.text(x, bool_)}", bool_)

    def logical_and(self, a, b):
        return self._logic(a, b, "&")

    def logical_or(self, a, b):
        return self._logic(a, b, "|")

    def logical_xor(self, a, b):
        return self._logic(a, b, "^")


def _define(names, method):
    for name in names:
        word = method(name)
        word.__name__ = name
        setattr(CWords, name, word)


# words that are one function of the C library; integers stay as they are under those that round
_LIBM = {
    n: n
    for n in """exp exp2 expm1 log log2 log10 log1p sqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf
    erfc atan2 hypot copysign nextafter""".split()
}
_LIBM.update(lgamma="lgamma", fmax="fmax", fmin="fmin")
_define(_LIBM, lambda name: lambda self, *x: self.libm(_LIBM[name], *x))
_define(("floor", "ceil", "trunc"), lambda name: lambda self, x: self.libm(name, x) if self.inexact else x)
_define(
    ("eq", "ne", "lt", "le", "gt", "ge"),
    lambda name: (
        lambda self, a, b: self.compare(
            a, b, {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}[name]
        )
    ),
)
_define(("bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1"), lambda name: lambda self, x: self.call(name, x))
_define(("digamma", "erfinv", "gcd", "lcm"), lambda name: lambda self, *x: self.call(name, *x))

# words that are a pattern of C text
_PATTERNS = {
    "neg": "-{}",
    "add": "{} + {}",
    "sub": "{} - {}",
    "mul": "{} * {}",
    "div": "{} / {}",
    "square": "{0} * {0}",
    "reciprocal": "1 / {}",
    "bitwise_and": "{} & {}",
    "bitwise_or": "{} | {}",
    "bitwise_xor": "{} ^ {}",
    "relu": "{0} < 0 ? 0 : {0}",
    "maximum": "({0} >= {1} || {0} != {0}) ? {0} : {1}",
    "minimum": "({0} <= {1} || {0} != {0}) ? {0} : {1}",
    "heaviside": "{0} == 0 ? {1} : {0} > 0",
    "addcmul": "{0} + {1} * {2}",
    "frac": "{0} - __builtin_trunc%({0})",
    "rsqrt": "1 / __builtin_sqrt%({0})",
    "sinc": "{0} == 0 ? 1 : __builtin_sin%({0} * PI) / ({0} * PI)",
    "angle": "{0} != {0} ? {0} : {0} < 0 ? PI : 0",
    "ldexp": "{0} * __builtin_exp2%({1})",
    "xlogy": "{1} != {1} ? {1} : {0} == 0 ? 0 : {0} * __builtin_log%({1})",
    "xlog1py": "{1} != {1} ? {1} : {0} == 0 ? 0 : {0} * __builtin_log1p%({1})",
    "logaddexp": "{0} == {1} ? {0} + LN2 : "
    "({0} > {1} ? {0} : {1}) + __builtin_log1p%(__builtin_exp%(-__builtin_fabs%({0} - {1})))",
    "logaddexp2": "{0} == {1} ? {0} + 1 : "
    "({0} > {1} ? {0} : {1}) + __builtin_log1p%(__builtin_exp2%(-__builtin_fabs%({0} - {1}))) / LN2",
    "spherical_bessel_j0": "{0} == 0 ? 1 : __builtin_isinf({0}) ? 0 : __builtin_sin%({0}) / {0}",
    "bitwise_left_shift": "({1} < 0 || {1} >= BITS) ? 0 : {0} << {1}",
    "bitwise_right_shift": "({1} < 0 || {1} >= BITS) ? ({0} < 0 ? -1 : 0) : {0} >> {1}",
}
_OF_BOOLS = {"add": "{} | {}", "addcmul": "{0} | {1} & {2}"}  # a bool is 0 or 1
_MASKS = {
    "isnan": "{0} != {0}",
    "isinf": "__builtin_fabs({0}) == __builtin_inf()",
    "isfinite": "__builtin_fabs({0}) < __builtin_inf()",
    "isposinf": "{0} == __builtin_inf()",
    "isneginf": "{0} == -__builtin_inf()",
}


def _pattern(name):
    def word(self, *operands):
        pattern = _OF_BOOLS.get(name) if self.dtype is bool_ else None
        pattern = re.sub(r"__builtin_(\w+)%", lambda found: self.function(found[1]), pattern or _PATTERNS[name])
        for constant, value in (("PI", math.pi), ("LN2", math.log(2)), ("BITS", 8 * self.dtype.itemsize)):
            if constant in pattern:
                pattern = pattern.replace(constant, literal(value, self.dtype) if constant != "BITS" else str(value))
        return self.write(pattern, *operands)

    return word


_define(_PATTERNS, _pattern)
_define(_MASKS, lambda name: lambda self, x: self.mask(_MASKS[name], x))


# ---- whole functions


def _arrays(words, op, names, dtype):
    """(C parameters, expressions of their i-th elements) for inputs of an op and for g and out."""
    parameters, values = [], []
    for name in names:
        kind = bool_ if name in op.index_inputs else dtype
        parameters.append(f"const {C_TYPES[kind]} *restrict {name}_")
        values.append(Expr(f"{name}_[i]", kind, words))
    return parameters, values


def _function(name, parameters, result, body):
    lines = [f"    {line}" for line in (*body.lines, f"result[i] = {result.text};")]
    text = "\n".join(
        [
            f"void {name}(long n, {', '.join([*parameters, f'{C_TYPES[result.dtype]} *restrict result'])})",
            "{",
            "  for (long i = 0; i < n; i++) {",
            *lines,
            "  }",
            "}",
        ]
    )
    return "\n\n".join([*body.functions.values(), text]) + "\n"


def _options(op, given):
    given = dict(given or {})
    missing = [o for o in op.options if o not in op.defaults and o not in given]
    if missing:
        raise TypeError(f"{op.name}: option {missing[0]} has no default and must be given")
    return {o: given.get(o, op.defaults.get(o)) for o in op.options}


def pointwise_source(op, dtype=float32, options=None, name=None):
    """The C function of an elementwise op, after the helper functions that it calls.

    It reads n elements of each input, in the op's order, and writes n elements of the result's own type.
    NotImplementedError for an op that uses a word without C text, or an element type without.
    """
    body = Body()
    words = CWords(dtype, body)
    parameters, values = _arrays(words, op, op.inputs, dtype)
    result = op.forward(words, *values, *_options(op, options).values())
    return _function(name or op.__name__, parameters, words.scalar(result), body)


def gradient_source(op, which, dtype=float32, options=None, name=None):
    """The C function of an elementwise op's gradient rule for input `which`: g first, then what the rule asked for."""
    rule = op.rules[op.inputs.index(which)]
    if op.name in NOT_IN_C:
        raise NotImplementedError(f"the op '{op.name}' cannot be written as C: {NOT_IN_C[op.name]}")
    body, chosen = Body(), _options(op, options)
    words = CWords(dtype, body)
    arrays = [w for w in rule.wants if w not in chosen and w not in ("shape", "shapes")]
    parameters, values = _arrays(words, op, ["g", *arrays], dtype)
    known = dict(zip(arrays, values[1:]), **chosen, shape=(), shapes=((),) * len(op.inputs))
    result = rule.call(words, values[0], *[known[w] for w in rule.wants])
    return _function(name or f"{op.__name__}_{which}", parameters, words.scalar(result), body)


__all__ = ["Body", "CWords", "C_TYPES", "Expr", "NOT_IN_C", "gradient_source", "literal", "pointwise_source"]
