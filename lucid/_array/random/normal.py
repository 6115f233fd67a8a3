"""Normal and log-normal numbers, torch's to the bit: `fill_normal`, `fill_log_normal` and the pairs beneath them.

Sources: the float32 kernel follows Cephes' logf, sinf and cosf (S. Moshier) in the form of avx_mathfun (J. Pommier), as
torch's vector code does; the transform is Box and Muller's.
"""

import math

import numpy as np

from .engine import CHUNK, ULP24, draws, is_half, real_view, store, walk
from .exact import FLOAT32, FLOAT64, fma32, fma64, libm


# -------------------------------------------------------------------------------------------------------------- normal
def _as_float64(*constants):
    return [float(np.float32(constant)) for constant in constants]


_LOG = _as_float64(
    7.0376836292e-2,
    -1.1514610310e-1,
    1.1676998740e-1,
    -1.2420140846e-1,
    1.4249322787e-1,
    -1.6668057665e-1,
    2.0000714765e-1,
    -2.4999993993e-1,
    3.3333331174e-1,
)
_SIN = _as_float64(-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
_COS = _as_float64(2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
_PI_4_PARTS = _as_float64(-0.78515625, -2.4187564849853515625e-4, -3.77489497744594108e-8)
_LN2_LOW, _LN2_HIGH = np.float32(-2.12194440e-4), 0.693359375
_SQRT_HALF_BITS = int(np.float32(math.sqrt(0.5)).view(np.int32))
_FOUR_OVER_PI = np.float32(1.27323954473516)
_TWO_PI_24 = np.float32(2 * math.pi) * ULP24  # 2 pi * 2**-24: the scaling is exact
_SIGN_BIT = -0x80000000


class _BoxMuller32:
    """float32 normals as torch's vector kernel makes them, from `pairs` pairs of 24-bit integers.

    The kernel's fused operations are done in float64 and rounded to float32: over all 2**24 values of each uniform
    that gives the same bits. Every rounding kept below is needed; scratch arrays are kept between calls.
    """

    def __init__(self, pairs):
        self.integer, self.flags = np.empty(pairs, np.int32), np.empty(pairs, np.int32)
        self.x, self.y, self.z, self.w, self.radius = (np.empty(pairs, FLOAT32) for _ in range(5))
        self.wide_x, self.wide_z, self.fused = (np.empty(pairs, FLOAT64) for _ in range(3))

    def __call__(self, bits, out):
        """bits: int32 (2 * pairs,) in draw order, overwritten; out: float32 (2 * pairs,)."""
        # In a block of 16 the first 8 uniforms are radii, the last 8 angles: moved as items of 32 bytes.
        blocks, out_blocks = bits.view("V32").reshape(-1, 2), out.view("V32").reshape(-1, 2)
        np.copyto(self.integer.view("V32"), blocks[:, 0])
        self._set_radius()
        np.copyto(self.integer.view("V32"), blocks[:, 1])
        self._set_angle()
        self.y *= self.radius
        self.w *= self.radius
        np.copyto(out_blocks[:, 0], self.y.view("V32"))
        np.copyto(out_blocks[:, 1], self.w.view("V32"))

    def _polynomial(self, coefficients, wide_argument, result):
        """result (float32) = Horner's rule, each step fused."""
        fused = self.fused
        np.multiply(wide_argument, coefficients[0], out=fused)
        fused += coefficients[1]
        for coefficient in coefficients[2:]:
            np.copyto(result, fused, casting="same_kind")
            np.copyto(fused, result)
            fused *= wide_argument
            fused += coefficient
        np.copyto(result, fused, casting="same_kind")

    def _set_radius(self):
        """radius = sqrt(-2 ln u), u = 1 - k * 2**-24, with Cephes' logf."""
        k, x, y, z, exponent, fused = self.integer, self.x, self.y, self.z, self.w, self.fused
        np.subtract(1 << 24, k, out=k)
        np.copyto(x, k, casting="unsafe")
        bits = x.view(np.int32)
        np.subtract(bits, _SQRT_HALF_BITS + (24 << 23), out=k)
        k >>= 23  # exponent of u relative to sqrt(1/2)
        np.copyto(exponent, k, casting="unsafe")
        k += 24
        k <<= 23
        bits -= k  # x is now the mantissa, in [sqrt(1/2), sqrt(2))
        x -= np.float32(1)
        np.multiply(x, x, out=z)
        np.copyto(self.wide_x, x)
        self._polynomial(_LOG, self.wide_x, y)
        y *= x
        np.copyto(fused, y)
        fused *= z
        np.multiply(exponent, _LN2_LOW, out=y)
        fused += y
        np.copyto(y, fused, casting="same_kind")
        z *= np.float32(0.5)
        y -= z
        x += y
        np.multiply(exponent, _LN2_HIGH, out=fused, dtype=FLOAT64)
        fused += x
        np.copyto(self.radius, fused, casting="same_kind")
        self.radius *= np.float32(-2)
        np.sqrt(self.radius, out=self.radius)

    def _set_angle(self):
        """y, w = cosine, sine of 2 pi k * 2**-24, with Cephes' sinf and cosf."""
        octant, x, z, cosine, sine = self.integer, self.x, self.z, self.y, self.w
        wide_x, wide_z, fused = self.wide_x, self.wide_z, self.fused
        np.copyto(x, octant, casting="unsafe")
        x *= _TWO_PI_24
        np.multiply(x, _FOUR_OVER_PI, out=cosine)
        np.copyto(octant, cosine, casting="unsafe")
        octant += 1
        octant &= ~1
        np.copyto(fused, octant)
        np.copyto(wide_x, x)
        for quarter_pi in _PI_4_PARTS:  # no rounding between these steps changes the result
            np.multiply(fused, quarter_pi, out=wide_z)
            wide_x += wide_z
        np.copyto(x, wide_x, casting="same_kind")
        np.copyto(wide_x, x)
        np.multiply(x, x, out=z)
        np.copyto(wide_z, z)
        self._polynomial(_COS, wide_z, cosine)
        cosine *= z
        np.copyto(fused, cosine)
        fused *= wide_z
        np.multiply(z, np.float32(0.5), out=sine)
        fused -= sine
        np.copyto(cosine, fused, casting="same_kind")
        cosine += np.float32(1)
        self._polynomial(_SIN, wide_z, sine)
        sine *= z
        np.copyto(fused, sine)
        fused *= wide_x
        fused += wide_x
        np.copyto(sine, fused, casting="same_kind")
        self._place_octants()

    def _place_octants(self):
        """Swap and negate cosine and sine by octant, on their bit patterns."""
        octant, flags = self.integer, self.flags
        cosine, sine, difference = self.y.view(np.int32), self.w.view(np.int32), self.z.view(np.int32)
        np.bitwise_and(octant, 2, out=flags)
        flags >>= 1
        np.negative(flags, out=flags)  # all ones where the two change places
        np.bitwise_xor(cosine, sine, out=difference)
        difference &= flags
        cosine ^= difference
        sine ^= difference
        np.left_shift(octant, 29, out=flags)
        flags &= _SIGN_BIT
        sine ^= flags
        octant -= 2
        np.invert(octant, out=octant)
        octant <<= 29
        octant &= _SIGN_BIT
        cosine ^= octant


def _normal_blocks32(engine, out, mean, std):
    """out: float32 (a multiple of 16)."""
    mean, std, box_muller = np.float32(mean), np.float32(std), None
    for start in range(0, out.size, 4 * CHUNK):
        part = out[start : start + 4 * CHUNK]
        if box_muller is None or box_muller.x.size * 2 != part.size:
            box_muller = _BoxMuller32(part.size // 2)
        box_muller(engine.bits24(part.size), part)
        fma32(part, std, mean, out=part)


def _normal_blocks_half(engine, out, mean, std):
    wide = np.empty(out.size, FLOAT32)
    _normal_blocks32(engine, wide, mean, std)
    out[...] = wide


def _normal_blocks64(engine, out, mean, std):
    for start in range(0, out.size, CHUNK):
        part = out[start : start + CHUNK].reshape(-1, 2, 8)
        uniform = engine.uniform(part.size).reshape(-1, 2, 8)
        radius = np.sqrt(-2.0 * libm("log", 1.0 - uniform[:, 0]))
        angle = (2.0 * math.pi) * uniform[:, 1]
        part[:, 0] = fma64(radius * libm("cos", angle), std, mean)
        part[:, 1] = fma64(radius * libm("sin", angle), std, mean)


def _fill_normal_blocks(engine, flat, mean, std):
    """16 or more contiguous elements; an incomplete block at the end is replaced by 16 new numbers."""
    half = is_half(flat.dtype)
    fill = _normal_blocks_half if half else _normal_blocks64 if flat.dtype == FLOAT64 else _normal_blocks32
    rest = flat.size % 16
    fill(engine, flat[: flat.size - rest], mean, std)
    if rest:
        if not half:  # torch draws a uniform for every element beforehand
            engine.skip(rest * flat.itemsize // 4)
        fill(engine, flat[flat.size - 16 :], mean, std)


def normal_pair(uniform_angle, uniform_radius):
    """Two standard normals of floats in [0, 1), as torch's normal_distribution<double> makes them."""
    radius = math.sqrt(-2.0 * math.log1p(-uniform_radius))
    angle = (2.0 * math.pi) * uniform_angle
    return radius * math.cos(angle), radius * math.sin(angle)


def serial_normals(engine, n):
    """n standard normals, float64, in pairs: an odd one is kept for the next call. 4 words a pair."""
    kept = [] if engine.cached_normal is None else [engine.cached_normal]
    engine.cached_normal = None
    pairs = (n - len(kept) + 1) // 2
    if n < 16:
        uniform = iter(engine.uniform_list(2 * pairs))
        normals = np.array(kept + [z for pair in zip(uniform, uniform) for z in normal_pair(*pair)], FLOAT64)
    else:
        normals = np.empty(len(kept) + 2 * pairs, FLOAT64)
        normals[: len(kept)] = kept
        both = normals[len(kept) :].reshape(-1, 2)
        angle, from_radius = engine.uniform(2 * pairs).reshape(-1, 2).T
        radius = np.sqrt(-2.0 * libm("log1p", -from_radius))
        angle = (2.0 * math.pi) * angle
        np.multiply(radius, libm("cos", angle), out=both[:, 0])
        np.multiply(radius, libm("sin", angle), out=both[:, 1])
    if normals.size > n:
        engine.cached_normal = float(normals[n])
    return normals[:n]


@draws
def fill_normal(engine, out, mean=0.0, std=1.0):
    """out.normal_(mean, std).

    From 16 contiguous elements on, Box-Muller by blocks: a word an element (two in float64), and 16 elements more if
    the size is no multiple of 16. Otherwise in pairs of float64 normals, the odd one being kept by the engine.
    """
    mean, std, out_real = float(mean), float(std), real_view(out)
    if out_real is not out:
        std /= math.sqrt(2.0)
    if out_real.size >= 16 and out_real.flags.c_contiguous:
        _fill_normal_blocks(engine, out_real.reshape(-1), mean, std)
    else:
        walk(out_real, lambda part: store(part, fma64(serial_normals(engine, part.size), std, mean)))
    return out


@draws
def fill_log_normal(engine, out, mean=1.0, std=2.0):
    """out.log_normal_(mean, std): exp of normals in pairs, whatever the size and layout."""
    mean, std = float(mean), float(std)
    return walk(out, lambda part: store(part, libm("exp", fma64(serial_normals(engine, part.size), std, mean))))
