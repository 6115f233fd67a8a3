"""Vector mathematics in plain C: functions without branches, which compilers turn into vector instructions.

    text(name, "float32" | "float64") -> C text of `lucid_NAMEf` (float) or `lucid_NAME` (double) and of all it needs,
                                         each part inside an include guard; None where the C library's function serves
    has(name, dtype_name)             -> whether there is such a text
    HALVES                            -> C text of lucid_bfloat16_to_float, lucid_float_to_bfloat16,
                                         lucid_float16_to_float, lucid_float_to_float16 (bits are unsigned short)
    FLOAT32, FLOAT64                  -> the names that exist

Every function is within 2 units in the last place of the exact value (1 where it is computed in double; erf of floats
within 4), and gives C99's results for infinities, NaN, zeros and denormals. None needs -ffast-math, which loses those.

Where the formulas come from: arguments of exp and log are reduced as Cody & Waite do, with constants in two parts; a
number is rounded to a whole one by adding and subtracting 1.5 * 2**52 (2**23), whose low bits then are that number.
log in double is the s = f / (2 + f) form of fdlibm; erfc is the polynomial in (x - 3.75) / (x + 3.75) of Shepherd and
Laframboise (1981); sin, cos and tan multiply the 24 bits of a float by the digits of 2 / pi that its exponent leaves
over (Payne & Hanek 1983, from a table).
The coefficients are our own: scripts/mathematics_coefficients.py.
"""

import functools

# ruff: noqa: E501  (the coefficients as the script prints them)

# fmt: off
COEFFICIENTS = {
    ("exp", "float32"): (0.5, 0.16666512, 0.041666187, 0.008369599, 0.001395172),  # -28.15 bits
    ("exp_wide", "float32"): (0.50000036, 0.1666661, 0.041661076, 0.008336224, 0.0014108401, 0.00019605541),  # -25.94 bits
    ("exp", "float64"): (0.5, 0.16666666666666685, 0.04166666666666673, 0.008333333333315379, 0.001388888888885624, 0.0001984126990045393, 2.48015873776394e-05, 2.7557230820813992e-06, 2.7557230281926987e-07, 2.511343723258252e-08, 2.092783810816897e-09),  # -63.83 bits
    ("exp2", "float32"): (0.6931472, 0.2402265, 0.05550328, 0.009618004, 0.0013400278, 0.00015476349),  # -28.98 bits
    ("log", "float32"): (0.33333224, -0.24999687, 0.20010039, -0.16685507, 0.14010975, -0.121146455, 0.13962269, -0.1319349),  # -27.57 bits
    ("log", "float64"): (0.666666666666674, 0.39999999999377966, 0.2857142875130422, 0.22222197587280804, 0.181836189891345, 0.15312569902049494, 0.14811539617243205),  # -58.38 bits
    ("erf", "float32"): (0.37210763, -0.18564129, 0.13773982, -0.11118244, 0.09082603, -0.07254546, 0.05510856, -0.038819805, 0.02650817, -0.018562319, 0.010276652, -0.0030922897, 0.0020869607, -0.0027670003, 0.0011146887),  # -23.88 bits
    ("erf_small", "float64"): (0.12837916709551256, -0.37612638903183526, 0.11283791670944268, -0.02686617064311112, 0.005223977606012945, -0.0008548325919725194, 0.00012055293165530918, -1.4924702197462516e-05, 1.6446981859030724e-06, -1.6204990116155246e-07, 1.3704545841681995e-08, -7.766228609218163e-10),  # -56.8 bits
    ("tanh", "float32"): (-0.33333316, 0.1333258, -0.053851355, 0.021066595, -0.006265578),  # -29.83 bits
    ("erfc", "float64"): (1.2375126308378275, -0.14024059858554563, 0.0035854154854858635, 0.08227673849002295, -0.1088039301427284, 0.09230432116366225, -0.058693398572078566, 0.028362277378388017, -0.009746579720867185, 0.0017556261303078528, 0.0002937145578953993, -0.00029015523615891334, 5.164599497126188e-05, 2.238732319486361e-05, -1.143702928484161e-05, -9.78943777452937e-07, 1.7407379734649907e-06, -5.110121145181238e-08, -2.476293674069829e-07, 1.8906236849421845e-08, 3.157691069078069e-08, -1.9773631564841506e-09, -2.548981496911347e-09),  # -53.16 bits
    ("sin", "float64"): (-0.16666666639584485, 0.008333329146143108, -0.00019839257175115007, 2.717568607028498e-06),  # -37.43 bits
    ("cos", "float64"): (-0.4999999999949861, 0.041666666553582844, -0.0013888880606320768, 2.4798939220632978e-05, -2.717263482369698e-07),  # -43.71 bits
    ("atan", "float64"): (-0.33333333130263537, 0.1999998533539922, -0.1428534337734931, 0.11106369893489636, -0.09054954002659724, 0.07515380462143026, -0.060686812314280136, 0.04436682992603145, -0.026745855868708014, 0.011910965679785526, -0.0033772064595311547, 0.00044919063547483223),  # -36.71 bits
    ("asin", "float64"): (0.1666666666969565, 0.07499999525612412, 0.04464311246217552, 0.030375233385081638, 0.02247130090974119, 0.016477809306964224, 0.01863003162257751, -0.002857359002148328, 0.03195840695631912),  # -43.9 bits
}
# fmt: on


def _horner(variable, coefficients, suffix):
    """A polynomial, constant first, as nested multiply-adds."""
    *rest, text = [f"{c!r}{suffix}" for c in coefficients]
    for c in reversed(rest):
        text = f"LUCID_FMA{suffix.upper()}({text}, {variable}, {c})"
    return text


def _poly(name, variable, dtype="float64"):
    return _horner(variable, COEFFICIENTS[name, dtype], "f" if dtype == "float32" else "")


# name in C -> (names it needs, text)
_PARTS = {
    "base": (
        (),
        """
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA) || defined(__FP_FAST_FMA)
#define LUCID_FMA(a, b, c) __builtin_fma(a, b, c)
#define LUCID_FMAF(a, b, c) __builtin_fmaf(a, b, c)
#else /* twice rounded: the constants in parts have room for that */
#define LUCID_FMA(a, b, c) ((a) * (b) + (c))
#define LUCID_FMAF(a, b, c) ((a) * (b) + (c))
#endif
static inline float lucid_from_bitsf(unsigned i) { float x; __builtin_memcpy(&x, &i, 4); return x; }
static inline unsigned lucid_bitsf(float x) { unsigned i; __builtin_memcpy(&i, &x, 4); return i; }
static inline double lucid_from_bits(unsigned long long i) { double x; __builtin_memcpy(&x, &i, 8); return x; }
static inline unsigned long long lucid_bits(double x) { unsigned long long i; __builtin_memcpy(&i, &x, 8); return i; }
/* the nearer end of -limit..limit; two comparisons with constants would become branches or masks */
static inline float lucid_withinf(float x, float limit)
{
  float a = __builtin_fabsf(x);
  return __builtin_copysignf(a > limit ? limit : a, x);
}
static inline double lucid_within(double x, double limit)
{
  double a = __builtin_fabs(x);
  return __builtin_copysign(a > limit ? limit : a, x);
}
""",
    ),
    # n is even, and 2**n in two equal factors, so that the one rounding of a denormal result comes last
    "expf": (
        ("base",),
        f"""
static inline float lucid_expf(float x)
{{
  float c = 104.0f < x ? 104.0f : x;
  c = -104.0f > c ? -104.0f : c;
  float t = LUCID_FMAF(c, 0.72134752f, 12582912.0f), n = t - 12582912.0f;
  float r = LUCID_FMAF(n, 4.2438888e-4f, LUCID_FMAF(n, -1.38671875f, c));
  float s = lucid_from_bitsf((lucid_bitsf(t) << 23) + 0x3F800000u);
  return LUCID_FMAF(LUCID_FMAF({_poly("exp_wide", "r", "float32")}, r, 1.0f), r, 1.0f) * s * s;
}}""",
    ),
    "exp2f": (
        ("base",),
        f"""
static inline float lucid_exp2f(float x)
{{
  float c = lucid_withinf(x, 151), t = c + 12582912.0f, r = c - (t - 12582912.0f);
  float p = LUCID_FMAF({_poly("exp2", "r", "float32")}, r, 1.0f);
  int i = (int)lucid_bitsf(t) - 0x4B400000, h = i >> 1;
  return p * lucid_from_bitsf((unsigned)(h + 127) << 23) * lucid_from_bitsf((unsigned)(i - h + 127) << 23);
}}""",
    ),
    # half of 2**n * (exp(r) - 1) + 2**n - 1, which does not overflow before its double does
    "expm1f": (
        ("base",),
        f"""
static inline float lucid_expm1f(float x)
{{
  float c = lucid_withinf(x, 89);
  c = c < -18 ? -18 : c;
  float t = LUCID_FMAF(c, 1.44269504f, 12582912.0f), n = t - 12582912.0f;
  float r = LUCID_FMAF(n, 2.12194440e-4f, LUCID_FMAF(n, -0.693359375f, c));
  float p = LUCID_FMAF({_poly("exp", "r", "float32")}, r * r, r);
  float s = lucid_from_bitsf((lucid_bitsf(t) << 23) + 0x3F000000u);
  float y = LUCID_FMAF(s, p, s - 0.5f);
  return __builtin_fabsf(x) < 1e-20f ? x : y + y;
}}""",
    ),
    "tanhf": (
        ("expf",),
        f"""
static inline float lucid_tanhf(float x)
{{
  float a = __builtin_fabsf(x), c = a > 10 ? 10 : a, z = a * a, d = lucid_expf(c + c) + 1;
  float small = LUCID_FMAF({_poly("tanh", "z", "float32")}, z * a, a), large = 1 - 2 / d;
  return __builtin_copysignf(a < 0.55f ? small : large, x);
}}""",
    ),
    # exp(x) in two parts, its value and what its last addition lost, and 1 + exp(x), whose loss goes into the quotient
    "sigmoidf": (
        ("base",),
        f"""
static inline float lucid_sigmoidf(float x)
{{
  float a = -__builtin_fabsf(x), c = a < -104 ? -104 : a;
  float t = LUCID_FMAF(c, 1.44269504f, 12582912.0f), n = t - 12582912.0f;
  float r = LUCID_FMAF(n, 2.12194440e-4f, LUCID_FMAF(n, -0.693359375f, c));
  float u = LUCID_FMAF({_poly("exp", "r", "float32")}, r * r, r), p = u + 1, rest = u - (p - 1);
  int i = (int)lucid_bitsf(t) - 0x4B400000, h = i >> 1;
  float s = lucid_from_bitsf((unsigned)(h + 127) << 23), w = lucid_from_bitsf((unsigned)(i - h + 127) << 23);
  float e = p * s * w, d = 1 + e, v = 1 / d;
  v = LUCID_FMAF(v * (d - 1 - e), v, v);
  return x < 0 ? LUCID_FMAF(p, v, rest * v) * s * w : v;
}}""",
    ),
    "logf": (
        ("base",),
        f"""
static inline float lucid_logf(float x)
{{
  float small = x < 1.17549435e-38f ? 8388608.0f : 1.0f, e0 = x < 1.17549435e-38f ? -23.0f : 0.0f;
  unsigned b = lucid_bitsf(x * small), e = (b - 0x3F2AAAABu) & 0xFF800000u;
  float f = lucid_from_bitsf(b - e) - 1, n = LUCID_FMAF((float)(int)e, 1.1920929e-7f, e0), s = f * f;
  float r = LUCID_FMAF({_poly("log", "f", "float32")}, f, -0.5f);
  r = LUCID_FMAF(n, 0.693359375f, LUCID_FMAF(r, s, LUCID_FMAF(n, -2.12194440e-4f, f)));
  r = x == __builtin_inff() ? x : r;
  return x > 0 ? r : x == 0 ? -__builtin_inff() : __builtin_nanf("");
}}""",
    ),
    # log of the rounded sum, whose error is scaled as the sum was and added to the fraction
    "log1pf": (
        ("base",),
        f"""
static inline float lucid_log1pf(float x)
{{
  float u = 1 + x, w = u - 1, lost = (1 - (u - w)) + (x - w);
  unsigned b = lucid_bitsf(u), e = (b - 0x3F2AAAABu) & 0xFF800000u;
  float scale = u > 1e30f ? 0 : lucid_from_bitsf(0x3F800000u - e), f = lucid_from_bitsf(b - e) - 1 + lost * scale;
  float n = (float)(int)e * 1.1920929e-7f, s = f * f;
  float r = LUCID_FMAF({_poly("log", "f", "float32")}, f, -0.5f);
  r = LUCID_FMAF(n, 0.693359375f, LUCID_FMAF(r, s, LUCID_FMAF(n, -2.12194440e-4f, f)));
  r = x == __builtin_inff() ? x : r;
  r = x > -1 ? r : x == -1 ? -__builtin_inff() : __builtin_nanf("");
  return __builtin_fabsf(x) < 1e-20f ? x : r;
}}""",
    ),
    # one polynomial to 3.8, where erf has nearly become 1: within 4 units in the last place
    "erff": (
        ("base",),
        f"""
static inline float lucid_erff(float x)
{{
  float c = lucid_withinf(x, 3.8f), t = LUCID_FMAF(c * c, 0.13850415f, -1.0f);
  return c * ({_poly("erf", "t", "float32")});
}}""",
    ),
    # ---- double
    "exp": (
        ("base",),
        f"""
static inline double lucid_exp(double x)
{{
  double c = lucid_within(x, 746), t = LUCID_FMA(c, 1.4426950408889634, 6755399441055744.0), n = t - 6755399441055744.0;
  double r = LUCID_FMA(n, -1.90821492927058770002e-10, LUCID_FMA(n, -6.93147180369123816490e-01, c));
  double p = LUCID_FMA({_poly("exp", "r")}, r * r, r) + 1;
  unsigned long long u = lucid_bits(t) - 0x4338000000000000ull + 2048, h = u >> 1;
  return p * lucid_from_bits((h - 1) << 52) * lucid_from_bits((u - h - 1) << 52);
}}""",
    ),
    "expm1_part": (
        ("base",),
        f"""
static inline double lucid_expm1_part(double x)
{{
  double t = LUCID_FMA(x, 1.4426950408889634, 6755399441055744.0), n = t - 6755399441055744.0;
  double r = LUCID_FMA(n, -1.90821492927058770002e-10, LUCID_FMA(n, -6.93147180369123816490e-01, x));
  double p = LUCID_FMA({_poly("exp", "r")}, r * r, r);
  double s = lucid_from_bits((lucid_bits(t) << 52) + 0x3FF0000000000000ull);
  return LUCID_FMA(s, p, s - 1);
}}""",
    ),
    "tanh": (
        ("expm1_part",),
        """
static inline double lucid_tanh(double x)
{
  double a = __builtin_fabs(x), c = a > 20 ? 20 : a, e = lucid_expm1_part(c + c), d = e + 2, r = 1 / d, y = e * r;
  y = LUCID_FMA(LUCID_FMA(-y, d, e) - y * (e - (d - 2)), r, y); /* the sum's and the quotient's rounding */
  return __builtin_copysign(y, x);
}""",
    ),
    "sigmoid": (
        ("exp",),
        """
static inline double lucid_sigmoid(double x)
{
  double e = lucid_exp(-__builtin_fabs(x));
  return (x < 0 ? e : 1) / (1 + e);
}""",
    ),
    "log": (
        ("base",),
        f"""
static inline double lucid_log(double x)
{{
  double small = x < 2.2250738585072014e-308 ? 18014398509481984.0 : 1, e0 = x < 2.2250738585072014e-308 ? -54 : 0;
  unsigned long long b = lucid_bits(x * small), e = (b + (0x3FF0000000000000ull - 0x3FE6A09E667F3BCDull)) >> 52;
  double n = lucid_from_bits(0x4330000000000000ull | e) - 4503599627371519.0 + e0;
  double f = lucid_from_bits(b - (e << 52) + 0x3FF0000000000000ull) - 1, s = f / (2 + f), z = s * s, h = 0.5 * f * f;
  double r = z * ({_poly("log", "z")});
  r = n * 6.93147180369123816490e-01 - ((h - (s * (h + r) + n * 1.90821492927058770002e-10)) - f);
  r = x == __builtin_inf() ? x : r;
  return x > 0 ? r : x == 0 ? -__builtin_inf() : __builtin_nan("");
}}""",
    ),
    # erfc without its factor exp(-x * x), x >= 0
    "erfc_part": (
        ("base",),
        f"""
static inline double lucid_erfc_part(double x)
{{
  double t = (x - 3.75) / (x + 3.75);
  return ({_poly("erfc", "t")}) / (1 + 2 * x);
}}""",
    ),
    "erf": (
        ("erfc_part", "exp"),
        f"""
static inline double lucid_erf(double x)
{{
  double a = __builtin_fabs(x), t = a > 6 ? 6 : a, z = t * t;
  double small = LUCID_FMA({_poly("erf_small", "z")}, t, t);
  double large = 1 - lucid_exp(-z) * lucid_erfc_part(t);
  return __builtin_copysign(a < 1 ? small : large, x);
}}""",
    ),
    # ---- floats computed in double
    "log2f": (
        ("log",),
        "static inline float lucid_log2f(float x) { return (float)(lucid_log(x) * 1.4426950408889634); }",
    ),
    "log10f": (
        ("log",),
        "static inline float lucid_log10f(float x) { return (float)(lucid_log(x) * 0.43429448190325182765); }",
    ),
    "sinhf": (
        ("exp",),
        """
static inline float lucid_sinhf(float x)
{
  double a = __builtin_fabs((double)x), e = lucid_exp(a), y = 0.5 * (e - 1 / e);
  return (float)__builtin_copysign(a < 1e-4 ? a + a * a * a / 6 : y, (double)x);
}""",
    ),
    "coshf": (
        ("exp",),
        """
static inline float lucid_coshf(float x)
{
  double e = lucid_exp(__builtin_fabs((double)x));
  return (float)(0.5 * (e + 1 / e));
}""",
    ),
    "erfcf": (
        ("erfc_part", "exp"),
        """
static inline float lucid_erfcf(float x)
{
  double a = __builtin_fabs((double)x), c = a > 12 ? 12 : a, y = lucid_exp(-c * c) * lucid_erfc_part(c);
  return (float)(x < 0 ? 2 - y : y);
}""",
    ),
    "atanf": (
        ("base",),
        f"""
static inline float lucid_atanf(float x)
{{
  double a = __builtin_fabs((double)x), t = a > 1 ? 1 / a : a, z = t * t;
  double r = LUCID_FMA(t * z, {_poly("atan", "z")}, t);
  return (float)__builtin_copysign(a > 1 ? 1.57079632679489661923 - r : r, (double)x);
}}""",
    ),
    "asin_part": (
        ("base",),
        f"""
static inline double lucid_asin_part(double x)
{{
  double a = __builtin_fabs(x), z = a > 0.5 ? (1 - a) * 0.5 : a * a, s = a > 0.5 ? __builtin_sqrt(z) : a;
  double r = LUCID_FMA(s * z, {_poly("asin", "z")}, s);
  return __builtin_copysign(a > 0.5 ? 1.57079632679489661923 - 2 * r : r, x);
}}""",
    ),
    "asinf": (("asin_part",), "static inline float lucid_asinf(float x) { return (float)lucid_asin_part(x); }"),
    "acosf": (
        ("asin_part",),
        "static inline float lucid_acosf(float x) { return (float)(1.57079632679489661923 - lucid_asin_part(x)); }",
    ),
    # y is a whole odd number when it is whole and its half is not
    "powf": (
        ("exp", "log"),
        """
static inline float lucid_powf(float x, float y)
{
  double a = __builtin_fabs((double)x), b = y, half = b * 0.5;
  double p = lucid_exp(b * lucid_log(a));
  int whole = __builtin_trunc(b) == b, odd = whole & (__builtin_trunc(half) != half);
  p = (x < 0) & !whole & (a < __builtin_inf()) ? __builtin_nan("") : p;
  p = (a == 1) & (__builtin_fabs(b) == __builtin_inf()) ? 1 : p;
  p = odd ? __builtin_copysign(p, (double)x) : p;
  return (float)((b == 0) | (x == 1) ? 1 : p);
}""",
    ),
    "rsqrtf": (("base",), "static inline float lucid_rsqrtf(float x) { return 1 / __builtin_sqrtf(x); }"),
    "rsqrt": (("base",), "static inline double lucid_rsqrt(double x) { return 1 / __builtin_sqrt(x); }"),
    "sinf": (
        ("circle",),
        """
static inline float lucid_sinf(float x)
{
  double sine, cosine;
  unsigned q = lucid_circle(x, &sine, &cosine), sign = (lucid_bitsf(x) & 0x80000000u) ^ ((q & 2) << 30);
  return lucid_from_bitsf(lucid_bitsf((float)(q & 1 ? cosine : sine)) ^ sign);
}""",
    ),
    "cosf": (
        ("circle",),
        """
static inline float lucid_cosf(float x)
{
  double sine, cosine;
  unsigned q = lucid_circle(x, &sine, &cosine);
  return lucid_from_bitsf(lucid_bitsf((float)(q & 1 ? sine : cosine)) ^ (((q + 1) & 2) << 30));
}""",
    ),
    "tanf": (
        ("circle",),
        """
static inline float lucid_tanf(float x)
{
  double sine, cosine;
  unsigned q = lucid_circle(x, &sine, &cosine);
  float y = (float)((q & 1 ? cosine : sine) / (q & 1 ? -sine : cosine));
  return lucid_from_bitsf(lucid_bitsf(y) ^ (lucid_bitsf(x) & 0x80000000u));
}""",
    ),
}


def _two_over_pi(bits):
    """2 / pi in fixed point: floor(2**bits * 2 / pi), by Machin's formula in whole numbers."""
    one = 1 << bits + 32

    def arctan_of_inverse(n):
        total, term, k = 0, one // n, 0
        while term:
            total += (-1) ** k * term // (2 * k + 1)
            term, k = term // (n * n), k + 1
        return total

    pi = 4 * (4 * arctan_of_inverse(5) - arctan_of_inverse(239))
    return (one * 2 << bits) // pi


def _circle():
    """|x| in quarter turns, from a table by the float's exponent: what 2**(e - 150) * 2 / pi leaves over modulo 4.

    In two parts: the first has so few bits that its product with the 24 bits of a float is exact.
    """
    bits = 320
    digits, rows = _two_over_pi(bits), []
    for e in range(255):
        shift = max(e, 1) - 150
        value = (digits << shift if shift >= 0 else digits) & ((4 << bits) - 1) if shift >= 0 else digits
        scale = bits if shift >= 0 else bits - shift
        cut = max(value.bit_length() - 28, 0)
        high, low = value >> cut << cut, value & ((1 << cut) - 1)
        rows.append(f"{_double(high, scale)},{_double(low, scale)}")
    rows.append('__builtin_nan(""),0')
    return f"""
static const double lucid_turns[512] = {{{",".join(rows)}}};
static inline unsigned lucid_circle(float x, double *sine, double *cosine)
{{
  unsigned b = lucid_bitsf(x);
  int e = (int)(b >> 23 & 255);
  double m = (double)(int)((b & 0x7FFFFFu) | (e ? 0x800000u : 0));
  double high = m * lucid_turns[2 * e], low = m * lucid_turns[2 * e + 1];
  double t = high + low + 6755399441055744.0, r = ((high - (t - 6755399441055744.0)) + low) * 1.57079632679489661923;
  double z = r * r;
  *sine = LUCID_FMA(r * z, {_poly("sin", "z")}, r);
  *cosine = LUCID_FMA(z, {_poly("cos", "z")}, 1.0);
  return (unsigned)lucid_bits(t);
}}"""


def _double(value, scale):
    """value / 2**scale as C text, rounded to a double."""
    return repr(_ratio(value, scale))


def _ratio(value, scale):
    """value / 2**scale; whole numbers divide with one rounding."""
    return value / (1 << scale)


_PARTS["circle"] = (("base",), _circle)

FLOAT32 = (
    "exp exp2 expm1 log log2 log10 log1p tanh sigmoid erf erfc sin cos tan asin acos atan sinh cosh pow rsqrt".split()
)
FLOAT64 = "exp log tanh sigmoid erf rsqrt".split()


def has(name, dtype_name):
    """Whether there is our own text of this function for elements of this type ("float32", "float64")."""
    return name in {"float32": FLOAT32, "float64": FLOAT64}.get(dtype_name, ())


@functools.lru_cache(None)
def _part(c_name):
    """One part inside its guard, after those that it needs."""
    needs, text = _PARTS[c_name]
    text = (text if isinstance(text, str) else text()).strip()
    guard = f"LUCID_MATHEMATICS_{c_name}"
    before = "".join(_part(need) for need in needs)
    return f"{before}#ifndef {guard}\n#define {guard}\n{text}\n#endif\n"


def text(name, dtype_name):
    """The C text of lucid_NAMEf or lucid_NAME and of all that it needs; None where there is none."""
    return _part(name + ("f" if dtype_name == "float32" else "")) if has(name, dtype_name) else None


# Half precision: bits to float and back, to the nearest, ties to even; NaN stays NaN.
HALVES = (
    _part("base")
    + """
#ifndef LUCID_HALVES
#define LUCID_HALVES
static inline float lucid_bfloat16_to_float(unsigned short h) { return lucid_from_bitsf((unsigned)h << 16); }
static inline unsigned short lucid_float_to_bfloat16(float x)
{
  unsigned u = lucid_bitsf(x), r = (u + 0x7FFFu + (u >> 16 & 1)) >> 16;
  return (unsigned short)(x != x ? 0x7FC0u : r);
}
static inline float lucid_float16_to_float(unsigned short h)
{
  unsigned a = h & 0x7FFFu, s = (h & 0x8000u) << 16;
  unsigned normal = (a << 13) + 0x38000000u + (a >= 0x7C00u ? 0x38000000u : 0);
  unsigned small = lucid_bitsf((float)(int)a * 5.9604644775390625e-8f);
  return lucid_from_bitsf((a < 0x400u ? small : normal) | s);
}
static inline unsigned short lucid_float_to_float16(float x)
{
  unsigned u = lucid_bitsf(x), a = u & 0x7FFFFFFFu, s = u >> 16 & 0x8000u;
  unsigned normal = (a - 0x38000000u + 0xFFFu + (a >> 13 & 1)) >> 13;
  unsigned small = lucid_bitsf(lucid_from_bitsf(a) + 0.5f) - 0x3F000000u; /* the sum's own rounding */
  unsigned r = a < 0x38800000u ? small : a >= 0x477FF000u ? 0x7C00u : normal;
  return (unsigned short)((a > 0x7F800000u ? 0x7E00u : r) | s);
}
#endif
"""
)
