"""Compiles C text with the machine's own compiler, once per text: later processes find the library in a cache.

Without a compiler everything here answers None or raises NoCompiler; nothing else depends on one.
"""

import ctypes
import functools
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile

# No errno (its writes forbid vectors), signed overflow wraps, and a * b + c is two roundings, as in numpy and torch.
FLAGS = (
    "-O3",
    "-march=native",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fwrapv",
    "-ffp-contract=off",
    "-fPIC",
    "-shared",
    "-w",
)


class NoCompiler(RuntimeError):
    """No C compiler was found on this machine."""


class CompileError(RuntimeError):
    """The compiler refused a text; the message is the compiler's."""


@functools.lru_cache(None)
def compiler():
    """The command of a C compiler as a tuple ($CC, gcc, clang, cc, or the ziglang package's), or None."""
    for name in (os.environ.get("CC"), "gcc", "clang", "cc"):
        if name and (found := shutil.which(name)):
            return (found,)
    import importlib.util

    if importlib.util.find_spec("ziglang") is not None:
        return (sys.executable, "-m", "ziglang", "cc")
    return None


@functools.lru_cache(None)
def _identity():
    """What a compiled library depends on besides its text: compiler, flags, processor."""
    command = compiler()
    version = subprocess.run([*command, "--version"], capture_output=True, text=True, check=False).stdout
    processor = platform.processor()
    try:
        with open("/proc/cpuinfo") as f:
            processor += "".join(line for line in f if line.startswith(("flags", "Features", "model name")))
    except OSError:
        pass
    return "\0".join([*command, version, *FLAGS, platform.machine(), processor])


def cache_directory():
    """Where compiled libraries are kept: $LUCID_CACHE, or the user's cache directory."""
    path = os.environ.get("LUCID_CACHE")
    if not path:
        home = os.path.expanduser("~")
        base = (
            os.path.join(home, "Library", "Caches")
            if sys.platform == "darwin"
            else os.environ.get("XDG_CACHE_HOME") or os.path.join(home, ".cache")
        )
        path = os.path.join(base, "lucid")
    os.makedirs(path, mode=0o700, exist_ok=True)
    return path


def compile_source(text):
    """The path of a shared library made of this C text. NoCompiler where there is none, CompileError if it refuses."""
    command = compiler()
    if command is None:
        raise NoCompiler("no C compiler was found ($CC, gcc, clang, cc): install one, or `pip install ziglang`")
    key = hashlib.sha256(f"{_identity()}\0{text}".encode()).hexdigest()[:32]
    directory = cache_directory()
    path = os.path.join(directory, f"{key}.so")
    if os.path.exists(path):
        return path
    with tempfile.TemporaryDirectory(dir=directory) as scratch:
        source, made = os.path.join(scratch, "kernel.c"), os.path.join(scratch, "kernel.so")
        with open(source, "w") as f:
            f.write(text)
        done = subprocess.run(
            [*command, *FLAGS, source, "-o", made, "-lm"], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise CompileError(done.stderr.strip() or f"{command[0]} failed with code {done.returncode}")
        os.replace(made, path)  # whole or not at all, whoever else compiles the same text now
    return path


@functools.lru_cache(None)
def load(text):
    """The compiled text as a ctypes library; its functions take addresses."""
    return ctypes.CDLL(compile_source(text))
