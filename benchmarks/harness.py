"""Interleaved timing: A B A B ..., medians of per-call seconds, so that both sides see the same machine."""

import gc
import statistics
import time

clock = time.perf_counter


def repetitions(f, target):
    """How many calls of f take about `target` seconds."""
    n = 1
    while True:
        start = clock()
        for _ in range(n):
            f()
        took = clock() - start
        if took >= target or n > 1 << 22:
            return max(1, int(n * target / took))
        n = max(2 * n, int(1.1 * n * target / max(took, 1e-7)))


def interleaved(functions, seconds=0.03, rounds=9, pause=0.003):
    """{name: median seconds per call} for {name: function}."""
    return {name: statistics.median(times) for name, times in sampled(functions, seconds, rounds, pause).items()}


def sampled(functions, seconds=0.03, rounds=9, pause=0.003):
    """{name: [seconds per call in each round]} for {name: function}."""
    for f in functions.values():
        f(), f()
    counts = {name: repetitions(f, seconds) for name, f in functions.items()}
    samples = {name: [] for name in functions}
    gc.collect()
    for _ in range(rounds):
        for name, f in functions.items():
            time.sleep(pause)
            f()
            n = counts[name]
            start = clock()
            for _ in range(n):
                f()
            samples[name].append((clock() - start) / n)
    return samples


def median_ratio(above, below):
    """The median over rounds of one's seconds by another's."""
    return statistics.median([a / b for a, b in zip(above, below)])


def spelled(seconds):
    """A duration for people."""
    if seconds < 2e-6:
        return f"{seconds * 1e9:.0f} ns"
    return f"{seconds * 1e6:.2f} us" if seconds < 2e-3 else f"{seconds * 1e3:.2f} ms"
