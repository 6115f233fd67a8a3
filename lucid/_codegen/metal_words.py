"""How Metal spells each word, and the functions that its library lacks. Everything is computed in float32."""

_PRECISE = "exp exp2 log log2 log10 sqrt rsqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh".split()
_OWN = "expm1 log1p erf erfc erfinv lgamma digamma".split()

_BOTH = {
    "neg": "-{0}",
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "mul": "{0} * {1}",
    "square": "{0} * {0}",
    "addcmul": "{0} + {1} * {2}",
    "heaviside": "{0} == 0 ? {1} : {T}({0} > 0)",
}
FLOATS = {
    **_BOTH,
    **{word: f"metal::precise::{word}({{0}})" for word in _PRECISE},
    **{word: f"metal::{word}({{0}})" for word in ("ceil", "floor", "trunc", "abs")},
    **{word: f"metal::{word}({{0}}, {{1}})" for word in "fmod fmax fmin copysign nextafter".split()},
    **{word: f"metal::precise::{word}({{0}}, {{1}})" for word in ("pow", "atan2")},
    **{word: f"lucid_{word}({{0}})" for word in _OWN},
    "round": "metal::rint({0})",
    "div": "{0} / {1}",
    "reciprocal": "1.0f / {0}",
    "relu": "{0} < 0 ? 0.0f : {0}",
    "maximum": "({0} > {1} || {0} != {0}) ? {0} : {1}",
    "minimum": "({0} < {1} || {0} != {0}) ? {0} : {1}",
    "sign": "float({0} > 0) - float({0} < 0)",
    "sgn": "float({0} > 0) - float({0} < 0)",
    "frac": "{0} - metal::trunc({0})",
    "sigmoid": "1.0f / (1.0f + metal::precise::exp(-{0}))",
    "sinc": "{0} == 0 ? 1.0f : metal::precise::sin({0} * {PI}) / ({0} * {PI})",
    "angle": "{0} != {0} ? {0} : {0} < 0 ? {PI} : 0.0f",
    "hypot": "lucid_hypot({0}, {1})",
    "ldexp": "{0} * metal::precise::exp2({1})",
    "xlogy": "{1} != {1} ? {1} : {0} == 0 ? 0.0f : {0} * metal::precise::log({1})",
    "xlog1py": "{1} != {1} ? {1} : {0} == 0 ? 0.0f : {0} * lucid_log1p({1})",
    "logaddexp": "{0} == {1} ? {0} + {LN2} : "
    "({0} > {1} ? {0} : {1}) + lucid_log1p(metal::precise::exp(-metal::abs({0} - {1})))",
    "logaddexp2": "{0} == {1} ? {0} + 1.0f : "
    "({0} > {1} ? {0} : {1}) + lucid_log1p(metal::precise::exp2(-metal::abs({0} - {1}))) * {LOG2E}",
    "lerp": "metal::abs({2}) < 0.5f ? {0} + {2} * ({1} - {0}) : {1} - ({1} - {0}) * (1.0f - {2})",
    "remainder": "lucid_remainder({0}, {1})",
    "floor_divide": "lucid_floor_divide({0}, {1})",
    "trunc_divide": "metal::trunc({0} / {1})",
    "spherical_bessel_j0": "{0} == 0 ? 1.0f : metal::isinf({0}) ? 0.0f : metal::precise::sin({0}) / {0}",
}
INTEGERS = {
    **_BOTH,
    **dict.fromkeys(("floor", "ceil", "trunc", "round"), "{0}"),
    "abs": "{0} < 0 ? -{0} : {0}",
    "relu": "{0} < 0 ? {T}(0) : {0}",
    "maximum": "{0} > {1} ? {0} : {1}",
    "minimum": "{0} < {1} ? {0} : {1}",
    "fmax": "{0} > {1} ? {0} : {1}",
    "fmin": "{0} < {1} ? {0} : {1}",
    "sign": "({0} > 0) - ({0} < 0)",
    "sgn": "({0} > 0) - ({0} < 0)",
    "bitwise_and": "{0} & {1}",
    "bitwise_or": "{0} | {1}",
    "bitwise_xor": "{0} ^ {1}",
    "bitwise_left_shift": "({1} < 0 || {1} >= {BITS}) ? {T}(0) : {T}({0} << {1})",
    "bitwise_right_shift": "({1} < 0 || {1} >= {BITS}) ? {T}({0} < 0 ? -1 : 0) : {T}({0} >> {1})",
    "gcd": "lucid_gcd({0}, {1})",
    "lcm": "lucid_lcm({0}, {1})",
}
MASKS = {
    "isnan": "{0} != {0}",
    "isinf": "metal::abs({0}) == INFINITY",
    "isfinite": "metal::abs({0}) < INFINITY",
    "isposinf": "{0} == INFINITY",
    "isneginf": "{0} == -INFINITY",
    "signbit": "metal::signbit({0})",
}

# Own functions: {name: text}, and which others each calls.
FUNCTIONS = {
    "lucid_expm1": """inline float lucid_expm1(float x)
{
  float u = metal::precise::exp(x);
  if (u == 1.0f) return x;
  if (u - 1.0f == -1.0f) return -1.0f;
  return metal::isinf(u) ? u : (u - 1.0f) * (x / metal::precise::log(u));
}""",
    "lucid_log1p": """inline float lucid_log1p(float x)
{
  float u = 1.0f + x;
  return u == 1.0f ? x : u == INFINITY ? u : metal::precise::log(u) * (x / (u - 1.0f));
}""",
    # a series all of whose terms have one sign; from 2 on a continued fraction
    "lucid_erf": """inline float lucid_erf(float x)
{
  if (metal::abs(x) > 2.0f) return x < 0 ? lucid_erfc(-x) - 1.0f : 1.0f - lucid_erfc(x);
  float term = x, sum = x;
  for (int n = 1; n < 40; n++) {
    term *= 2.0f * x * x / (2.0f * float(n) + 1.0f);
    sum += term;
  }
  return x != x ? x : 1.1283791670955126f * metal::precise::exp(-x * x) * sum;
}""",
    "lucid_erfc": """inline float lucid_erfc(float x)
{
  if (x != x) return x;
  float z = metal::abs(x), value;
  if (z < 2.0f) {
    float term = z, sum = z;
    for (int n = 1; n < 40; n++) {
      term *= 2.0f * z * z / (2.0f * float(n) + 1.0f);
      sum += term;
    }
    value = 1.0f - 1.1283791670955126f * metal::precise::exp(-z * z) * sum;
  } else {
    float f = z;
    for (int n = 40; n > 0; n--) f = z + 0.5f * float(n) / f;
    value = 0.5641895835477563f * metal::precise::exp(-z * z) / f;
  }
  return x < 0 ? 2.0f - value : value;
}""",
    # a first guess, made exact by Newton's steps
    "lucid_erfinv": """inline float lucid_erfinv(float y)
{
  if (!(metal::abs(y) < 1.0f)) return metal::abs(y) == 1.0f ? y * INFINITY : NAN;
  float l = lucid_log1p(-y * y), a = 4.3307467508f + 0.5f * l;
  float x = metal::precise::sqrt(metal::precise::sqrt(a * a - l * 6.8026875f) - a);
  x = y < 0 ? -x : x;
  for (int n = 0; n < 3; n++) {
    float off = metal::abs(y) < 0.5f ? lucid_erf(x) - y
        : y > 0 ? (1.0f - y) - lucid_erfc(x) : lucid_erfc(-x) - (1.0f + y);
    x -= off * 0.886226925452758f * metal::precise::exp(x * x);
  }
  return x;
}""",
    # zeta(k) / k and its powers around 1 and 2; else the recurrence up to 8, then Stirling's series; reflection below 0
    "lucid_lgamma": """inline float lucid_lgamma(float x)
{
  if (x != x) return x;
  if (metal::isinf(x)) return INFINITY;
  if (x <= 0) {
    if (x == metal::floor(x)) return INFINITY;
    float s = metal::abs(metal::precise::sin(3.14159265358979f * (x - metal::rint(x))));
    return 1.1447298858494002f - metal::precise::log(s) - lucid_lgamma_positive(1.0f - x);
  }
  return lucid_lgamma_positive(x);
}""",
    "lucid_lgamma_positive": """inline float lucid_lgamma_positive(float x)
{
  float product = 1.0f, y = x < 1.5f ? x - 1.0f : x - 2.0f;
  if (metal::abs(y) < 0.3f) {
    const float zeta[14] = {-0.0666687059f, 0.0714329463f, -0.0769325164f, 0.0833538405f, -0.0909540171f,
      0.100099458f, -0.111334266f, 0.12550967f, -0.144049897f, 0.169557177f,
      -0.207385551f, 0.270580808f, -0.400685634f, 0.822467033f};
    float sum = 0;
    for (int n = 0; n < 14; n++) sum = (sum + zeta[n]) * y;
    sum = (sum - 0.577215665f) * y;
    return x < 1.5f ? sum : sum + lucid_log1p(y);
  }
  for (; x < 8.0f; x += 1.0f) product *= x;
  float z = 1.0f / (x * x);
  float series = (0.0833333333f - z * (0.0027777778f - z * (0.00079365079f - z * 0.000595238f))) / x;
  return (x - 0.5f) * metal::precise::log(x) - x + 0.918938533204673f + series - metal::precise::log(product);
}""",
    "lucid_digamma": """inline float lucid_digamma(float x)
{
  if (x == 0) return metal::copysign(INFINITY, -x);
  float y = 0;
  if (x < 0) {
    if (x == metal::floor(x)) return NAN;
    y = -3.14159265358979f / metal::precise::tan(3.14159265358979f * (x - metal::rint(x)));
    x = 1.0f - x;
  }
  for (; x < 10.0f; x += 1.0f) y -= 1.0f / x;
  float z = 1.0f / (x * x);
  return y + metal::precise::log(x) - 0.5f / x - z * (0.0833333333f - z * (0.00833333333f - z * 0.00396825397f));
}""",
    "lucid_hypot": """inline float lucid_hypot(float a, float b)
{
  a = metal::abs(a), b = metal::abs(b);
  if (metal::isinf(a) || metal::isinf(b)) return INFINITY;
  float large = a > b || a != a ? a : b, small = a > b || a != a ? b : a;
  return large == 0 ? large : large * metal::precise::sqrt(1.0f + (small / large) * (small / large));
}""",
    "lucid_remainder": """inline float lucid_remainder(float a, float b)
{
  float r = metal::fmod(a, b);
  return r != 0 && (b < 0) != (r < 0) ? r + b : r;
}""",
    "lucid_floor_divide": """inline float lucid_floor_divide(float a, float b)
{
  float rest = metal::fmod(a, b), q = (a - rest) / b;
  if (b == 0) return a / b;
  if (rest != 0 && (b < 0) != (rest < 0)) q -= 1.0f;
  if (q == 0) return metal::copysign(0.0f, a / b);
  float whole = metal::floor(q);
  return q - whole > 0.5f ? whole + 1.0f : whole;
}""",
    "lucid_gcd": """template <typename T> inline T lucid_gcd(T a, T b)
{
  while (b != 0) { T rest = a % b; a = b; b = rest; }
  return a < 0 ? -a : a;
}""",
    "lucid_lcm": """template <typename T> inline T lucid_lcm(T a, T b)
{
  T g = lucid_gcd(a, b);
  T m = g == 0 ? T(0) : a / g * b;
  return m < 0 ? -m : m;
}""",
}
NEEDS = {
    "lucid_erf": ("lucid_erfc",),
    "lucid_erfinv": ("lucid_log1p", "lucid_erf"),
    "lucid_lgamma": ("lucid_lgamma_positive",),
    "lucid_lgamma_positive": ("lucid_log1p",),
    "lucid_lcm": ("lucid_gcd",),
}

_NONE = "Metal's library has no such function"
NOT_IN_METAL = {
    **dict.fromkeys(
        """erfcx ndtri log_ndtr zeta igamma igammac i0 i0e i1 i1e bessel_j0 bessel_j1 bessel_y0 bessel_y1 airy_ai
        modified_bessel_k0 modified_bessel_k1 scaled_modified_bessel_k0 scaled_modified_bessel_k1""".split(),
        _NONE,
    ),
    "orthogonal_polynomial": "its degree and kind are no elements",
    "polygamma": "its order is no element",
    "complex": "complex numbers have no loops",
    "polar": "complex numbers have no loops",
}

__all__ = ["FLOATS", "FUNCTIONS", "INTEGERS", "MASKS", "NEEDS", "NOT_IN_METAL"]
