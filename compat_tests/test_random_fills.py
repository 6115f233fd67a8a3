"""The samplers that fill arrays against torch: every bit of the results and of the state, in all sizes, types and layouts."""

import math
import random as python_random

import numpy as np
import pytest
import torch
from twins import FILLS, FLOATS, INTEGERS, LARGE, SIZES, Twins, dtype_of

from lucid._array.random import engine as core
from lucid._array.random.engine import Engine
from lucid._array.random.normal import fill_normal
from lucid._base.shape import memory_order


# -------------------------------------------------------------------------------------------------------- sizes, dtypes
@pytest.mark.parametrize("method, args", FILLS, ids=str)
@pytest.mark.parametrize("dtype", FLOATS)
def test_sizes(method, args, dtype):
    twins = Twins(3)
    for n in SIZES:  # one chain: what a call leaves behind matters to the next
        twins.fill(dtype, (n,), method, *args)


@pytest.mark.parametrize("method, args", [fill for fill in FILLS if fill[0] != "random_"], ids=str)
@pytest.mark.parametrize("dtype", FLOATS)
def test_large_sizes(method, args, dtype):
    twins = Twins(4)
    for n in LARGE[:4] if method in ("log_normal_", "cauchy_", "exponential_", "geometric_") else LARGE:
        twins.fill(dtype, (n,), method, *args)


@pytest.mark.parametrize(
    "method, args", [("uniform_", ()), ("uniform_", (-0.2, 1.3)), ("normal_", ()), ("normal_", (0.5, 2.0))], ids=str
)
@pytest.mark.parametrize("dtype", ("complex64", "complex128"))
def test_complex(method, args, dtype):
    twins = Twins(5)
    for n in SIZES:
        twins.fill(dtype, (n,), method, *args)
    twins.fill(dtype, (), method, *args)
    twins.fill(dtype, (5, 6), method, *args, strided=lambda x: x.swapaxes(0, 1))
    twins.fill(dtype, (5, 6), method, *args, strided=lambda x: x[:, ::2])


@pytest.mark.parametrize(
    "args",
    [
        (0.0, 1e-40),
        (0.1, 0.0),
        (0.1, math.inf),
        (math.inf, 1.0),
        (math.nan, 1.0),
        (1e-120, 1e-3),
        (1e30, 1e30),
        (1e-3, 1e-38),
    ],
    ids=str,
)
@pytest.mark.parametrize("dtype", FLOATS)
def test_extreme_normals(args, dtype):
    twins = Twins(6)
    for n in (5, 40):
        if math.isfinite(args[0]) and math.isfinite(args[1]):
            twins.fill(dtype, (n,), "normal_", *args)
        else:  # the bits of a NaN are nobody's promise
            ours, theirs = np.zeros(n, dtype_of(dtype)), torch.zeros(n, dtype=getattr(torch, dtype))
            fill_normal(twins.engine, ours, *args)
            theirs.normal_(*args, generator=twins.generator)
            assert np.array_equal(ours.astype(np.float64), theirs.double().numpy(), equal_nan=True)
            twins.check_state()


@pytest.mark.parametrize(
    "args",
    [
        (-1e-35, 1e-35),
        (0.0, 1e-38),
        (-3e4, 3e4),
        (1.0, 1.0),
        (1.0, 1.0 + 2**-20),
        (-6e-8, 0.0),
        (1000.0, 1001.0),
        (-1.0, 1e-6),
    ],
    ids=str,
)
@pytest.mark.parametrize("dtype", FLOATS)
def test_extreme_uniforms(args, dtype):
    twins = Twins(7)
    for n in (5, 3000):
        twins.fill(dtype, (n,), "uniform_", *args)


# ------------------------------------------------------------------------------------------------------------- integers
BOUNDS = [(), (1,), (2,), (3,), (7,), (100,), (0, 127), (-100, 100), (-128, 128)]
WIDE_BOUNDS = [(2**28 - 1,), (2**28,), (2**28 + 1,), (-(2**31), 2**31 - 1), (5, None), (-17, None), (0, None)]
WIDEST_BOUNDS = [
    (2**32,),
    (2**40 + 3,),
    (-7, 2**40),
    (-(2**62), 2**62),
    (-(2**63), 2**63 - 1),
    (2**62, 2**63 - 1),
    (-(2**63), None),
    (2**24 + 1, 2**24 + 4),
    (2**53 + 1, 2**53 + 99),
]


@pytest.mark.filterwarnings("ignore:.*out of bounds:UserWarning")
@pytest.mark.parametrize("dtype", INTEGERS + FLOATS + ("bool", "uint16", "uint32", "uint64"))
def test_random(dtype):
    twins = Twins(8)
    tried = 0
    for bounds in BOUNDS + WIDE_BOUNDS + WIDEST_BOUNDS:
        for n in (1, 5, 600):
            try:
                torch.empty(0, dtype=getattr(torch, dtype)).random_(*bounds)
                torch.empty(1, dtype=getattr(torch, dtype)).random_(*bounds)
            except (RuntimeError, NotImplementedError):  # out of this dtype's bounds: the caller's check
                continue
            twins.fill(dtype, (n,), "random_", *bounds)
            tried += 1
    assert tried >= 6


@pytest.mark.parametrize("dtype, bounds", [("int64", (5, 2)), ("int64", (3, 3)), ("float32", (0, 0))])
def test_random_refuses(dtype, bounds):
    with pytest.raises(RuntimeError) as theirs:
        torch.empty(3, dtype=getattr(torch, dtype)).random_(*bounds)
    with pytest.raises(RuntimeError) as ours:
        core.fill_random(Engine(), np.empty(3, dtype), *bounds)
    assert str(ours.value) == str(theirs.value)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_dtypes_of_the_others(dtype):
    twins = Twins(9)
    for n in (1, 15, 700):
        twins.fill(dtype, (n,), "bernoulli_", 0.4)
        twins.fill(dtype, (n,), "geometric_", 0.2)
    twins.fill("bool", (100,), "bernoulli_", 0.4)


@pytest.mark.parametrize("seed", (0, 11))
def test_randperm(seed):
    twins = Twins(seed)
    for n in (0, 1, 2, 3, 10, 399, 400, 401, 511, 512, 1000, 65535, 65536, 65537, 150001):
        twins.check(core.randperm(twins.engine, n), torch.randperm(n, generator=twins.generator), n)


@pytest.mark.parametrize("n", (1, 2, 3, 10, 57, 1000))
def test_swaps_without_the_loop(n):
    generator = np.random.default_rng(n)
    for _ in range(20):
        ahead, behind = (
            np.array([f(i) for i in range(n)])
            for f in (lambda i: generator.integers(i, n), lambda i: generator.integers(0, i + 1))
        )
        for targets, function in ((ahead, core.swap_forward), (behind, core.swap_backward)):
            expected = list(range(n))
            for i, j in enumerate(targets):
                expected[i], expected[j] = expected[j], expected[i]
            assert function(targets).tolist() == expected


# -------------------------------------------------------------------------------------------------------------- layouts
LAYOUTS = {
    "transposed": ((7, 9), lambda x: x.swapaxes(0, 1)),
    "sliced": ((8, 10), lambda x: x[1::2, ::3]),
    "channels last": ((2, 4, 5, 3), lambda x: x.swapaxes(1, 3)),
    "column": ((40, 2), lambda x: x[:, :1]),
    "three": ((3, 4, 5), lambda x: x.swapaxes(0, 2)),
    "rolled": ((3, 4, 5), lambda x: x.swapaxes(0, 1)[:, 1:]),
    "size one": ((4, 1, 6), lambda x: x.swapaxes(0, 2)),
    "scalar": ((), None),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_layouts(layout, dtype):
    twins = Twins(12)
    shape, strided = LAYOUTS[layout]
    for method, args in FILLS:
        twins.fill(dtype, shape, method, *args, strided=strided)


def random_layout(choose):
    """A shape and a function that permutes and slices a tensor or an array of that shape."""
    ndim = choose.randint(1, 5)
    shape = [choose.choice((1, 2, 3, 4, 6)) for _ in range(ndim)]
    swaps = [(choose.randrange(ndim), choose.randrange(ndim)) for _ in range(3)]
    steps = tuple(slice(choose.choice((0, 0, 1)), None, choose.choice((1, 1, 2))) for _ in range(ndim))

    def strided(x):
        for pair in swaps:
            x = x.swapaxes(*pair)
        return x[steps]

    return shape, strided


def test_random_layouts():
    choose, twins = python_random.Random(0), Twins(13)
    for _ in range(400):
        shape, strided = random_layout(choose)
        twins.fill("float32", shape, "uniform_", strided=strided)
        theirs = torch.empty_like(strided(torch.empty(shape)))
        ours = strided(np.empty(shape))
        order = memory_order(ours.shape, ours.strides)
        dense = np.empty([ours.shape[d] for d in order], np.float32).transpose(np.argsort(order))
        for our_stride, their_stride, size in zip(dense.strides, theirs.stride(), ours.shape):
            assert our_stride == 4 * their_stride or size <= 1 or not ours.size


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("probabilities", FLOATS)
def test_bernoulli_of_probabilities(layout, probabilities):
    twins = Twins(14)
    shape, strided = LAYOUTS[layout]
    for flipped in (False, True):
        theirs_p = torch.rand(shape, dtype=getattr(torch, probabilities))
        ours_p = (theirs_p.float() if probabilities == "bfloat16" else theirs_p).numpy().astype(dtype_of(probabilities))
        if strided is not None:
            theirs_p, ours_p = strided(theirs_p), strided(ours_p)
        if flipped:  # a dense output, in another order than the probabilities
            ours, theirs = np.empty(ours_p.shape, ours_p.dtype), torch.bernoulli(theirs_p, generator=twins.generator)
        else:
            ours, theirs = np.zeros(shape, np.int32), torch.zeros(shape, dtype=torch.int32)
            if strided is not None:
                ours, theirs = strided(ours), strided(theirs)
            theirs.bernoulli_(theirs_p, generator=twins.generator)
        twins.check(core.fill_bernoulli(twins.engine, ours, ours_p), theirs)
    row = torch.rand(6)
    theirs = torch.zeros(5, 6).bernoulli_(row, generator=twins.generator)
    twins.check(core.fill_bernoulli(twins.engine, np.zeros((5, 6), np.float32), row.numpy()), theirs)
    theirs = torch.zeros(core.CHUNK, 3).bernoulli_(row[:3], generator=twins.generator)
    twins.check(core.fill_bernoulli(twins.engine, np.zeros((core.CHUNK, 3), np.float32), row[:3].numpy()), theirs)
