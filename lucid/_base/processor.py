"""What the processor can."""

import functools


@functools.lru_cache(None)
def instructions():
    """What the processor says of itself, as Linux writes it: a set of names such as avx2; empty elsewhere."""
    try:
        with open("/proc/cpuinfo") as file:
            return frozenset(next((line.split() for line in file if line.startswith("flags")), ()))
    except OSError:
        return frozenset()
