"""How Triton spells each word, as torch's own compiler does: `tl.` where that has it, else libdevice."""

_LIBDEVICE = {
    n: n
    for n in """expm1 log1p log10 floor ceil trunc tan asin acos atan sinh cosh tanh asinh acosh atanh erf erfc erfcx
    erfinv lgamma pow fmod atan2 hypot copysign nextafter""".split()
}
_LIBDEVICE.update(
    round="nearbyint", rsqrt="rsqrt", exp2="exp2", log2="log2", bessel_j0="j0", bessel_j1="j1", bessel_y0="y0",
    bessel_y1="y1", i0="cyl_bessel_i0", i1="cyl_bessel_i1", ndtri="normcdfinv",
)  # fmt: skip
_TWO = frozenset("pow fmod atan2 hypot copysign nextafter".split())

_BOTH = {
    "neg": "-{0}",
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "mul": "{0} * {1}",
    "square": "{0} * {0}",
    "abs": "tl.abs({0})",
    "addcmul": "{0} + {1} * {2}",
}

FLOATS = {
    **{word: f"libdevice.{f}({{0}}{', {1}' if word in _TWO else ''})" for word, f in _LIBDEVICE.items()},
    **_BOTH,
    **{word: f"tl.{word}({{0}})" for word in "exp log sin cos sigmoid".split()},
    "sqrt": "libdevice.sqrt({0})",
    "div": "{0} / {1}",
    "reciprocal": "1 / {0}",
    "relu": "tl.maximum({0}, 0, propagate_nan=tl.PropagateNan.ALL)",
    "maximum": "tl.maximum({0}, {1}, propagate_nan=tl.PropagateNan.ALL)",
    "minimum": "tl.minimum({0}, {1}, propagate_nan=tl.PropagateNan.ALL)",
    "fmax": "tl.maximum({0}, {1}, propagate_nan=tl.PropagateNan.NONE)",
    "fmin": "tl.minimum({0}, {1}, propagate_nan=tl.PropagateNan.NONE)",
    "sign": "({0} > 0).to({T}) - ({0} < 0).to({T})",
    "sgn": "({0} > 0).to({T}) - ({0} < 0).to({T})",
    "frac": "{0} - libdevice.trunc({0})",
    "sinc": "tl.where({0} == 0, {ONE}, tl.sin({0} * {PI}) / ({0} * {PI}))",
    "angle": "tl.where({0} != {0}, {0}, tl.where({0} < 0, {PI}, 0 * {PI}))",
    "ldexp": "{0} * libdevice.exp2({1})",
    "xlogy": "tl.where({1} != {1}, {1}, tl.where({0} == 0, 0 * {ONE}, {0} * tl.log({1})))",
    "xlog1py": "tl.where({1} != {1}, {1}, tl.where({0} == 0, 0 * {ONE}, {0} * libdevice.log1p({1})))",
    "logaddexp": "tl.where({0} == {1}, {0} + {LN2}, "
    "tl.where({0} > {1}, {0}, {1}) + libdevice.log1p(tl.exp(-tl.abs({0} - {1}))))",
    "logaddexp2": "tl.where({0} == {1}, {0} + 1, "
    "tl.where({0} > {1}, {0}, {1}) + libdevice.log1p(libdevice.exp2(-tl.abs({0} - {1}))) * {LOG2E})",
    "heaviside": "tl.where({0} == 0, {1}, ({0} > 0).to({T}))",
    "lerp": "tl.where(tl.abs({2}) < 0.5, {0} + {2} * ({1} - {0}), {1} - ({1} - {0}) * (1 - {2}))",
    "trunc_divide": "libdevice.trunc({0} / {1})",
    "remainder": "tl.where((libdevice.fmod({0}, {1}) != 0) & (({1} < 0) != (libdevice.fmod({0}, {1}) < 0)), "
    "libdevice.fmod({0}, {1}) + {1}, libdevice.fmod({0}, {1}))",
    "floor_divide": "tl.where({1} == 0, {0} / {1}, libdevice.floor(({0} - libdevice.fmod({0}, {1})) / {1} "
    "- ((libdevice.fmod({0}, {1}) != 0) & (({1} < 0) != (libdevice.fmod({0}, {1}) < 0))).to({T}) + 0.5))",
    "log_ndtr": "tl.where({0} < -1, tl.log(libdevice.erfcx({0} * -0.7071067811865476) / 2) - {0} * {0} / 2, "
    "libdevice.log1p(-libdevice.erfc({0} * 0.7071067811865476) / 2))",
    "spherical_bessel_j0": "tl.where({0} == 0, {ONE}, "
    "tl.where(tl.abs({0}) == float('inf'), 0 * {ONE}, tl.sin({0}) / {0}))",
}
INTEGERS = {
    **_BOTH,
    **dict.fromkeys(("floor", "ceil", "trunc", "round"), "{0}"),
    "relu": "tl.where({0} < 0, 0, {0}).to({T})",
    "maximum": "tl.maximum({0}, {1})",
    "minimum": "tl.minimum({0}, {1})",
    "fmax": "tl.maximum({0}, {1})",
    "fmin": "tl.minimum({0}, {1})",
    "sign": "({0} > 0).to({T}) - ({0} < 0).to({T})",
    "sgn": "({0} > 0).to({T}) - ({0} < 0).to({T})",
    "heaviside": "tl.where({0} == 0, {1}, ({0} > 0).to({T}))",
    "bitwise_and": "{0} & {1}",
    "bitwise_or": "{0} | {1}",
    "bitwise_xor": "{0} ^ {1}",
    "bitwise_left_shift": "tl.where(({1} < 0) | ({1} >= {BITS}), 0, {0} << {1}).to({T})",
    "bitwise_right_shift": "tl.where(({1} < 0) | ({1} >= {BITS}), "
    "tl.where({0} < 0, -1, 0).to({T}), {0} >> {1}).to({T})",
}
MASKS = {
    "isnan": "{0} != {0}",
    "isinf": "tl.abs({0}) == float('inf')",
    "isfinite": "tl.abs({0}) < float('inf')",
    "isposinf": "{0} == float('inf')",
    "isneginf": "{0} == float('-inf')",
    "signbit": "libdevice.signbit({0}) != 0",
}

_COMPLEX = "complex numbers have no loops"
NOT_IN_TRITON = {
    **dict.fromkeys(
        "igamma igammac zeta airy_ai digamma modified_bessel_k0 modified_bessel_k1 scaled_modified_bessel_k0 "
        "scaled_modified_bessel_k1".split(),
        "libdevice has no such function",
    ),
    **dict.fromkeys(("i0e", "i1e"), "libdevice has them unscaled only, which overflows"),
    **dict.fromkeys(("gcd", "lcm"), "the steps depend on the values"),
    "orthogonal_polynomial": "its degree and kind are no elements",
    "polygamma": "its order is no element",
    "complex": _COMPLEX,
    "polar": _COMPLEX,
}

__all__ = ["FLOATS", "INTEGERS", "MASKS", "NOT_IN_TRITON"]
