"""vmap, jvp, vjp and their compositions of every delivered op, in patterns of batched and unbatched tensors, as torch's.

A seeded sample of the cases; all of them, with more patterns, with `--all`.
"""

import random
import warnings

import compositions
import pytest
import torch
from gaps import expect
from test_op_db import OPS
from test_transforms import NAMES, exact, near, opdb

FEW = 300


def applies(op, way):
    if "in place" in way:
        return op.inplace_variant is not None
    return op.supports_autograd or way in ("vmap", "vmap(vmap)")


CASES = [(name, way) for name in NAMES for way in compositions.COMPOSITIONS if applies(OPS[name], way)]


def cases(name, way, limit, seed=0):
    """(op, sample, a generator for its pattern) for some samples of an op."""
    op = OPS[name]
    torch.default_generator.manual_seed(0)
    for n, sample in enumerate(opdb.samples(op, limit, exact(op), largest=200)):
        for turn in range(limit):
            yield op, sample, random.Random(f"{seed} {name} {way} {n} {turn}")


def compare(way, op, sample, rng):
    """One case: is it one, and does lucid give what torch gives, in one way or the other?"""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            got, want, again = compositions.run(way, op, sample, rng)
        except (compositions.Refused, opdb.Unsupported):
            return False
        try:
            agree(got, want, way)
        except AssertionError:
            if again is None:
                raise
            try:
                want = again()
            except compositions.Refused:
                raise AssertionError(way) from None
            agree(got, want, way)
    return bool(want)


def agree(got, want, where):
    assert len(want) == len(got)
    for w, g in zip(want, got):
        near(g, w, where)


def pytest_generate_tests(metafunc):
    if "case" in metafunc.fixturenames:
        option = metafunc.config.getoption
        chosen = CASES if option("--all") else random.Random(option("--seed")).sample(CASES, FEW)
        metafunc.parametrize("case", chosen, ids=lambda case: f"{case[1]} {case[0]}")


def test_composition(case, examples):
    name, way = case

    def run():
        if not sum(compare(way, *one) for one in cases(name, way, 2, examples.seed)):
            pytest.skip("torch cannot do it")

    expect("composed", f"{name} {way}", run)
