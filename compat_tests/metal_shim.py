"""Metal texts run on the CPU: a C++ compiler takes the body for a function, and one thread is one call of it."""

import ctypes
import functools
import pathlib
import shutil
import subprocess
import tempfile

from lucid._codegen.metal import M, parts
from lucid._codegen.numpy_words import flat

COMPILER = shutil.which("g++") or shutil.which("clang++")
SHIM = """
#include <cmath>
#include <cstdint>
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef _Float16 half;
struct bfloat16_t {
  ushort bits;
  bfloat16_t() {}
  explicit bfloat16_t(float x) {
    union { float f; uint i; } u = { x };
    bits = x != x ? 0x7fc0 : (u.i + 0x7fff + (u.i >> 16 & 1)) >> 16;
  }
  operator float() const { union { uint i; float f; } u = { uint(bits) << 16 }; return u.f; }
};
namespace metal {
  using std::abs; using std::fmax; using std::fmin; using std::copysign; using std::nextafter; using std::isinf;
  using std::signbit; using std::ceil; using std::floor; using std::trunc; using std::rint; using std::fmod;
  namespace precise {
    using std::exp; using std::exp2; using std::log; using std::log2; using std::log10; using std::sqrt; using std::sin;
    using std::cos; using std::tan; using std::asin; using std::acos; using std::atan; using std::sinh; using std::cosh;
    using std::tanh; using std::asinh; using std::acosh; using std::atanh; using std::pow; using std::atan2;
    inline float rsqrt(float x) { return 1.0f / std::sqrt(x); }
  }
}
struct place { uint x; };
"""


def _function(text, name):
    """The C++ text of a Text of Metal, as a function that does all its turns."""
    functions, body = parts(text.text)
    arguments = [f"{M[a.dtype]} *a{n}" for n, a in enumerate(text.arrays)] + ["long *faults"] * text.checks
    given = [*[f"a{n}" for n in range(len(text.arrays))], *["faults"] * text.checks]
    one = ", ".join(["place thread_position_in_grid", *arguments])
    return (
        f"namespace of_{name} {{\n{functions}\nvoid one({one}) {{\n{body}}}\n}}\n"
        f'extern "C" void {name}({", ".join(["uint n", *arguments])}) {{\n'
        f"  for (uint i = 0; i < n; i++) of_{name}::one({', '.join(['place{i}', *given])});\n}}\n"
    )


def load(texts):
    """A function for each Text, called as those of other targets: kernel(*arrays, [faults], work). One compilation."""
    whole = SHIM + "\n".join([_function(text, f"kernel_{n}") for n, text in enumerate(texts)])
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "kernels.cpp")
        path.write_text(whole)
        made = path.with_suffix(".so")
        command = [COMPILER, "-O1", "-w", "-ffp-contract=off", "-shared", "-fPIC", str(path), "-o", str(made)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert not done.returncode, done.stderr[:2000]
        library = ctypes.CDLL(str(made))
    return [functools.partial(_run, text, getattr(library, f"kernel_{n}")) for n, text in enumerate(texts)]


def _run(text, function, *given):
    pointers = [ctypes.c_void_p(flat(a).ctypes.data if a.size else None) for a in given[:-1]]
    function(ctypes.c_uint(text.extra), *pointers)


__all__ = ["COMPILER", "load"]
