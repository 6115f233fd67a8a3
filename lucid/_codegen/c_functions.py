"""Small C functions for words that C's library lacks: each is written for a type, with the suffix of its functions."""


def _libm(text):
    """Text in which T is the element type and % the suffix of the library's functions of that type."""

    def write(c_type, suffix):
        return text.strip().replace("T ", c_type + " ").replace("(T)", f"({c_type})").replace("%", suffix)

    return write


def _guarded(write):
    """Inside an include guard, so that several kernels of one file may each bring it."""

    def once(c_type, suffix):
        text = write(c_type, suffix)
        name = text[text.index("lucid_") : text.index("(", text.index("lucid_"))].upper()
        return f"#ifndef {name}\n#define {name}\n{text}\n#endif"

    return once


FUNCTIONS = {
    name: _guarded(_libm(text))
    for name, text in {
        # the sign of b, as Python's %
        "remainder": """
static inline T lucid_remainder%(T a, T b)
{
  T r = __builtin_fmod%(a, b);
  return r != 0 && (b < 0) != (r < 0) ? r + b : r;
}""",
        # exact where a / b is not: the rest is taken away first
        "floor_divide": """
static inline T lucid_floor_divide%(T a, T b)
{
  T rest = __builtin_fmod%(a, b), q = (a - rest) / b;
  if (b == 0) return a / b;
  if (rest != 0 && (b < 0) != (rest < 0)) q -= 1;
  if (q == 0) return __builtin_copysign%(0, a / b);
  T whole = __builtin_floor%(q);
  return q - whole > (T)0.5 ? whole + 1 : whole;
}""",
        # reflection below 0, the recurrence up to 10, then the asymptotic series; in double, as torch's is nearly exact
        "digamma": """
static inline T lucid_digamma%(T value)
{
  double x = value, y = 0, z;
  if (x == 0) return __builtin_copysign(__builtin_inf(), -x);
  if (x < 0) {
    if (x == __builtin_floor(x)) return __builtin_nan("");
    y = -3.14159265358979323846 / __builtin_tan(3.14159265358979323846 * (x - __builtin_floor(x)));
    x = 1 - x;
  }
  for (; x < 10; x += 1) y -= 1 / x;
  z = 1 / (x * x);
  return y + __builtin_log(x) - 0.5 / x - z * (1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240
      - z * (1.0 / 132 - z * (691.0 / 32760 - z / 12))))));
}""",
        # a first guess (Winitzki 2008), then Newton's method on erf (on erfc near 1)
        "erfinv": """
static inline T lucid_erfinv%(T value)
{
  double y = value, a = __builtin_fabs(y), l, x, s;
  if (a >= 1) return a == 1 ? __builtin_copysign(__builtin_inf(), y) : __builtin_nan("");
  l = __builtin_log1p(-a * a);
  s = 4.3307467508 + l / 2;
  x = __builtin_sqrt(__builtin_sqrt(s * s - l / 0.147) - s);
  for (int k = 0; k < 4; k++) {
    double off = a < 0.5 ? __builtin_erf(x) - a : (1 - a) - __builtin_erfc(x);
    double step = off / (1.12837916709551257390 * __builtin_exp(-x * x));
    x -= step / (1 + x * step);
  }
  return __builtin_copysign(a == 0 ? 0 : x, y);
}""",
    }.items()
}


def _integer(text):
    """gcd and lcm use C's own % operator: only the suffix after their names is a placeholder."""

    def write(c_type, suffix):
        return text.strip().replace("T ", c_type + " ").replace("gcd%", "gcd" + suffix).replace("lcm%", "lcm" + suffix)

    return write


FUNCTIONS.update(
    {
        name: _guarded(_integer(text))
        for name, text in {
            "gcd": """
static inline T lucid_gcd%(T a, T b)
{
  const T minus = -1;
  while (b) { T c = minus < 0 && b == minus ? 0 : a % b; a = b; b = c; } /* the least number % -1 traps */
  return a < 0 ? -a : a;
}""",
            "lcm": """
static inline T lucid_lcm%(T a, T b)
{
  T x = a, y = b;
  const T minus = -1;
  while (y) { T c = minus < 0 && y == minus ? 0 : x % y; x = y; y = c; }
  if (!x) return 0;
  x = (minus < 0 && x == minus ? -a : a / x) * b;
  return x < 0 ? -x : x;
}""",
        }.items()
    }
)


def _bessel(c_name):
    def write(c_type, suffix):
        name = f"lucid_bessel_{c_name}{suffix}"
        return (
            f"double {c_name}(double);\nstatic inline {c_type} {name}({c_type} x)\n{{\n"
            f'  return __builtin_isinf(x) ? __builtin_nan("") : {c_name}(x);\n}}'
        )

    return write


FUNCTIONS.update({f"bessel_{n}": _guarded(_bessel(n)) for n in ("j0", "j1", "y0", "y1")})
