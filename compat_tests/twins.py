"""An engine of lucid's and a generator of torch's in the same state, which `Twins` keeps beside each other."""

import numpy as np
import pytest
import torch
from both import DRAWN, Seen, agree, numbers

from lucid._array.random import engine as core
from lucid._array.random.engine import Engine
from lucid._array.random.normal import fill_log_normal, fill_normal

SEEDS = (0, 1, 42, 2**32 - 1, 2**32 + 7, 2**63 + 5, 2**64 - 1, -1, -(2**63))
SIZES = (0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 127, 128, 255, 256, 257, 511, 512, 513, 1000)
LARGE = (core.CHUNK - 1, core.CHUNK, core.CHUNK + 17, 4 * core.CHUNK, 4 * core.CHUNK + 16, 8 * core.CHUNK + 7, 200003)
HALVES = ("float16", "bfloat16")
FLOATS = HALVES + ("float32", "float64")
INTEGERS = ("uint8", "int8", "int16", "int32", "int64")


def dtype_of(name):
    if name == "bfloat16":
        return np.dtype(pytest.importorskip("ml_dtypes").bfloat16)
    return np.dtype(name)


def bits_of_torch(tensor):
    tensor = tensor.detach().contiguous()
    return (tensor.view(torch.int16) if tensor.dtype == torch.bfloat16 else tensor).numpy().tobytes()


class Twins:
    """An engine and a torch generator in the same state; `check` compares one call on each."""

    def __init__(self, seed=0):
        self.engine, self.generator = Engine(seed), torch.Generator().manual_seed(seed)

    def check(self, ours, theirs, *what):
        if DRAWN is None:
            assert np.ascontiguousarray(ours).tobytes() == bits_of_torch(theirs), what
        else:
            got = np.asarray(ours, np.float32) if ours.dtype.name == "bfloat16" else ours
            facts = {"dtype": str(theirs.dtype).partition(".")[2]}
            agree(Seen(facts, got), Seen(facts, numbers(theirs)), str(what), rtol=DRAWN)
        self.check_state(*what)

    def check_state(self, *what):
        assert self.engine.get_state().tobytes() == self.generator.get_state().numpy().tobytes(), what

    def fill(self, name, shape, method, *args, sampler=None, strided=None):
        """`method` of torch and its twin on new arrays; strided makes a layout from a dense tensor or array."""
        dtype = dtype_of(name)
        ours, theirs = np.zeros(shape, dtype), torch.zeros(shape, dtype=getattr(torch, name))
        if strided is not None:
            ours, theirs = strided(ours), strided(theirs)
        sampler = sampler or SAMPLERS[method]
        assert sampler(self.engine, ours, *args) is ours
        getattr(theirs, method)(*args, generator=self.generator)
        self.check(ours, theirs, name, shape, method, args)


SAMPLERS = {
    "uniform_": core.fill_uniform,
    "normal_": fill_normal,
    "random_": None,
    "bernoulli_": core.fill_bernoulli,
    "exponential_": core.fill_exponential,
    "cauchy_": core.fill_cauchy,
    "log_normal_": fill_log_normal,
    "geometric_": core.fill_geometric,
}


def fill_random(engine, out, *bounds):
    return core.fill_random(engine, out, *((0,) + bounds if len(bounds) == 1 else bounds))


SAMPLERS["random_"] = fill_random

# The in-place samplers and arguments of each.
FILLS = [
    ("uniform_", ()),
    ("uniform_", (-0.3, 0.3)),
    ("uniform_", (-0.1, 0.7)),
    ("uniform_", (0.0, 3.0)),
    ("uniform_", (-1.0, 0.0)),
    ("normal_", ()),
    ("normal_", (0.0, 0.02)),
    ("normal_", (-1.5, 0.3)),
    ("bernoulli_", (0.3,)),
    ("exponential_", ()),
    ("exponential_", (0.7,)),
    ("cauchy_", ()),
    ("cauchy_", (0.4, 2.5)),
    ("log_normal_", ()),
    ("log_normal_", (0.3, 0.2)),
    ("geometric_", (0.1,)),
    ("random_", ()),
    ("random_", (100,)),
    ("random_", (-5, 120)),
]
