"""What the processor can."""

import functools
import os


@functools.lru_cache(None)
def instructions():
    """What the processor says of itself, as Linux writes it: a set of names such as avx2; empty elsewhere."""
    try:
        with open("/proc/cpuinfo") as file:
            return frozenset(next((line.split() for line in file if line.startswith("flags")), ()))
    except OSError:
        return frozenset()


@functools.lru_cache(None)
def get_cpu_capability():
    """get_cpu_capability() -> "AVX512", "AVX2" or "DEFAULT": what torch would use on this processor, or what
    ATEN_CPU_CAPABILITY says. Libraries choose between ways to compute by it; lucid has no kernels that depend on it."""
    told = os.environ.get("ATEN_CPU_CAPABILITY")
    if told in ("avx512", "avx2", "default"):
        return told.upper()
    flags = instructions()
    if {"avx512f", "avx512vl", "avx512bw", "avx512dq", "fma"} <= flags:
        return "AVX512"
    return "AVX2" if {"avx2", "fma"} <= flags else "DEFAULT"
