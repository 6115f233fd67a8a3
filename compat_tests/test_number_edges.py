"""Numbers at edges: ranges of integers, condition numbers, mixed types, sizes of zero, numpy beside tensors."""

import operator
import random

import numpy as np
import pytest
from both import BOTH, agree, outcome

INTEGERS = "int8 int16 int32 int64".split()


def compare(program, where, near=1e-5):
    """Both give the same, or raise errors of one class."""
    wanted, got = (outcome(program, m, looks="", may_raise=True, text=0, quiet=True) for m in BOTH)
    if not hasattr(wanted, "kind") and not hasattr(got, "kind"):
        wanted, got = wanted[0], got[0]
    agree(got, wanted, str(where), rtol=near, atol=near)


def ends(draw):
    return [draw.choice([draw.randint(-20, 30), draw.uniform(-20, 30)]) for _ in range(2)]


def test_ranges(examples):
    draw = random.Random(examples.seed)
    for _ in range(examples.some(150, 2000)):
        dtype = draw.choice([*INTEGERS, "uint8", "float32", "float64"])
        (a, b), n = ends(draw), draw.choice([0, 1, 2, 3, 5, 7, 16, 17, 33, 50])
        step = draw.choice([1, 2, 3, 0.5, 0.1, 1 / 3, 2.5, 0.9999])
        if dtype == "uint8":
            a, b = abs(a), abs(b)
        compare(lambda m: m.linspace(a, b, n, dtype=getattr(m, dtype)), ("linspace", a, b, n, dtype))
        if dtype not in ("int8", "uint8"):  # too small for powers
            low, high = abs(a) / 10, abs(b) / 10
            compare(lambda m: m.logspace(low, high, n, 3.0, dtype=getattr(m, dtype)), ("logspace", low, high, n, dtype))
        step = step if b >= a else -step
        compare(lambda m: m.arange(a, b, step), ("arange", a, b, step))
        if dtype != "uint8":
            compare(lambda m: m.arange(a, b, step, dtype=getattr(m, dtype)), ("arange", a, b, step, dtype))
    for a, b, step in [(0, 2**53 + 2, 2**52), (2**60, 2**60 + 10, 3), (-(2**63), -(2**63) + 3, 1), (0, 0.3, 0.1)]:
        compare(lambda m: m.arange(a, b, step), ("arange", a, b, step))


@pytest.mark.parametrize("p", [1, -1, float("inf"), -float("inf"), "fro", None])
def test_condition_numbers(p):
    """Singular matrices are infinitely ill-conditioned; singular values of matrices with noughts are LAPACK's."""
    for A in ([[0.0, 0.0], [0.0, 0.0]], [[1.0, 2.0], [3.0, 4.0]], [[1.0, 0.0], [0.0, 0.0]]):
        for dtype in ("float32", "float64", "complex64"):
            compare(lambda m: m.linalg.cond(m.tensor(A, dtype=getattr(m, dtype)), p), (p, A, dtype))
    compare(lambda m: m.linalg.cond(m.zeros(2, 0, 0), p), p)
    compare(lambda m: m.linalg.cond(m.zeros(0, 2, 2), p), p)


TYPES = [*INTEGERS, "uint8", "float32", "float64", "float16"]


@pytest.mark.parametrize("a", TYPES)
def test_mixed_types(a):
    for b in TYPES:
        compare(lambda m: m.bucketize(m.tensor([1, 2, 3]).to(getattr(m, a)), m.tensor([1, 2, 5]).to(getattr(m, b))), b)
        compare(lambda m: m.searchsorted(m.tensor([1, 2, 5]).to(getattr(m, a)), m.tensor([1, 9]).to(getattr(m, b))), b)
        for reduction in ("none", "mean", "sum"):
            compare(
                lambda m: m.nn.functional.huber_loss(
                    m.arange(3.0), m.ones(3).to(getattr(m, b)), reduction=reduction, weight=m.tensor([1.0, 2.0, 0.5])
                ),
                ("huber_loss", b, reduction),
            )
        for weight in ("m.tensor(1)", "m.tensor(0.5)", "m.tensor(2, dtype=m.int32)", "m.tensor(0.5, dtype=m.float64)"):
            if "float" in a:
                compare(
                    lambda m: m.lerp(m.zeros(2).to(getattr(m, a)), m.ones(2).to(getattr(m, a)), eval(weight, {"m": m})),
                    ("lerp", a, weight),
                )


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("kind", ["avg", "max"])
def test_adaptive_pools_down_to_nothing(kind, n):
    def pooled(m, size, backward):
        x = m.ones((1, 2) + (3,) * n, requires_grad=True)
        y = getattr(m.nn.functional, f"adaptive_{kind}_pool{n}d")(x, size)
        if backward:
            y.sum().backward()
        return y

    for size in (0, (0,) * n, (0, *(2,) * (n - 1))):
        for backward in (False, True):
            compare(lambda m: pooled(m, size, backward), (size, backward))


@pytest.mark.parametrize("pivots", [[0, 2, 3], [99, 2, 3], [1, 2, 3], [-1, 2, 3], [4, 2, 3]], ids=str)
def test_pivots(pivots):
    for how in ({}, {"adjoint": True}, {"left": False}):
        compare(
            lambda m: m.linalg.lu_solve(m.eye(3) + 1, m.tensor(pivots, dtype=m.int32), m.ones(3, 3), **how),
            (pivots, how),
        )


ARRAYS = [np.array(1.5), np.array(2), np.array([1, 2, 3]), np.ones(3), np.ones((2, 3), "f4"), np.array(True)]


@pytest.mark.parametrize("dtype", "uint8 int64 float16 float32 complex64".split())
def test_numpy_beside_tensors(dtype):
    """An operator with an array is numpy's, in numpy's types; numpy's scalars are numbers."""
    for op in ("__add__", "__sub__", "__mul__", "__truediv__"):
        for array in ARRAYS:
            if op == "__sub__" and array.dtype == bool:
                continue

            def program(m):
                return getattr(operator, op)(m.tensor([1, 0, 1], dtype=getattr(m, dtype)), array)

            compare(program, (op, dtype, array))
        for number in (
            np.bool_(True),
            np.float32(1.5),
            np.int8(3),
            np.complex64(2 + 1j),
            np.complex128(1j),
            np.uint8(200),
        ):
            compare(lambda m: getattr(m.tensor([1, 0, 1], dtype=getattr(m, dtype)), op)(number), (op, dtype, number))
