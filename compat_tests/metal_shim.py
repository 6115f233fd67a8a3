"""Metal texts run on the CPU: a C++ compiler takes the body for a function, and one thread is one call of it."""

import ctypes
import functools
import pathlib
import shutil
import subprocess
import tempfile

import numpy as np

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
  using std::signbit;
  namespace precise {
    using std::exp; using std::exp2; using std::log; using std::log2; using std::log10; using std::sqrt; using std::sin;
    using std::cos; using std::tan; using std::asin; using std::acos; using std::atan; using std::sinh; using std::cosh;
    using std::tanh; using std::asinh; using std::acosh; using std::atanh; using std::ceil; using std::floor;
    using std::trunc; using std::rint; using std::pow; using std::fmod; using std::atan2;
    inline float rsqrt(float x) { return 1.0f / std::sqrt(x); }
  }
}
struct place { uint x; };
"""


def source(text):
    """The C++ text of a Text of Metal."""
    functions, body = parts(text.text)
    arguments = [f"{M[a.dtype]} *a{n}" for n, a in enumerate(text.arrays)] + ["long *faults"] * text.checks
    return (
        f"{SHIM}\nnamespace {text.name}_functions {{\n{functions}\n"
        f"void one(place thread_position_in_grid, {', '.join(arguments)}) {{\n{body}}}\n}}\n"
        f'extern "C" void {text.name}(uint n, {", ".join(arguments)}) {{\n'
        f"  for (uint i = 0; i < n; i++) {text.name}_functions::one(place{{i}}, "
        f"{', '.join([*[f'a{n}' for n in range(len(text.arrays))], *['faults'] * text.checks])});\n}}\n"
    )


@functools.lru_cache(None)
def _library(text):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "kernel.cpp")
        path.write_text(text)
        made = path.with_suffix(".so")
        command = [COMPILER, "-O1", "-w", "-ffp-contract=off", "-shared", "-fPIC", str(path), "-o", str(made)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert not done.returncode, done.stderr[:2000] + text[-2000:]
        return ctypes.CDLL(str(made))


def load(texts):
    """A function for each Text, called as those of other targets: kernel(*arrays, [faults], work)."""
    return [functools.partial(_run, text) for text in texts]


def _run(text, *given):
    function = getattr(_library(source(text)), text.name)
    pointers = [ctypes.c_void_p(flat(a).ctypes.data if a.size else None) for a in given[:-1]]
    function(ctypes.c_uint(text.extra), *pointers)


__all__ = ["COMPILER", "load", "source"]
_ = np
