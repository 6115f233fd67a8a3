"""torch._foreach_*: each of torch's functions on lists of tensors, compared with torch."""

import pytest
import torch
from both import same, same_outcome
from torch.testing._internal.common_methods_invocations import foreach_other_op_db, foreach_unary_op_db

import lucid

UNARY = sorted({op.name.removeprefix("_foreach_") for op in foreach_unary_op_db} - {"zero", "clone", "max"})
BINARY = "add sub mul div pow maximum minimum clamp_min clamp_max".split()
SECOND = {
    "a number": lambda m: 1.5,
    "numbers": lambda m: [2.0, 0.5],
    "tensors": lambda m: [m.tensor([[0.5], [2.0]]), m.tensor(0.7)],
}


def lists(m, gradients=False):
    """Two tensors of different shapes and types."""
    return [
        m.tensor([[0.25, 0.5, 0.75], [0.125, 0.9, 0.3]], requires_grad=gradients),
        m.tensor([0.6, 0.2], dtype=m.float64, requires_grad=gradients),
    ]


def every(m, f, gradients=True):
    """f of lists: its results, the gradients of their sum, and what the in-place form leaves."""
    leaves = lists(m, True)
    results = f("", leaves)
    assert type(results) is tuple
    got = [*results]
    if gradients and any(r.requires_grad for r in results):
        got += m.autograd.grad([(r * r).sum() for r in results], leaves, allow_unused=True)
    mine = lists(m)
    if f("_", None) is not None:
        assert f("_", mine) is mine
        got += mine
    return got


def both_forms(m, name, *more, gradients=True):
    def run(ending, tensors):
        f = getattr(m, f"_foreach_{name}{ending}", None)
        return f if f is None or tensors is None else f(tensors, *more)

    return every(m, run, gradients)


@pytest.mark.parametrize("name", UNARY)
def test_one_operand(name):
    same(lambda m: both_forms(m, name), rtol=1e-5, looks="stride")


@pytest.mark.parametrize("second", SECOND)
@pytest.mark.parametrize("name", BINARY)
def test_two_operands(name, second):
    same(lambda m: both_forms(m, name, SECOND[second](m)), rtol=1e-5, looks="stride")


@pytest.mark.parametrize("value", ["one", "numbers", "tensor"])
@pytest.mark.parametrize("name", ["addcmul", "addcdiv"])
def test_products(name, value):
    values = {"one": lambda m: 3.0, "numbers": lambda m: [2.0, 0.5], "tensor": lambda m: m.tensor([2.0, 0.5])}
    same(
        lambda m: both_forms(m, name, lists(m), lists(m), values[value](m), gradients=value != "tensor"),
        rtol=1e-5,
        looks="stride",
    )


@pytest.mark.parametrize("weight", [0.25, [0.25, 0.75]])
def test_lerp(weight):
    same(lambda m: both_forms(m, "lerp", lists(m), weight), rtol=1e-5, looks="stride")


def test_the_others():
    same(lambda m: m._foreach_norm(lists(m)), rtol=1e-6)
    same(lambda m: m._foreach_norm(lists(m), 1), rtol=1e-6)
    same(lambda m: m._foreach_norm(lists(m), dtype=m.float64), rtol=1e-6)
    same(lambda m: m._foreach_powsum(lists(m), 3), rtol=1e-6)
    same(lambda m: m._foreach_max(lists(m)))
    same(lambda m: m._foreach_mm([m.ones(2, 3)], [m.ones(3, 2)]))
    same(lambda m: m._foreach_clone(lists(m)))
    same(lambda m: m._foreach_pow(2.0, lists(m)), rtol=1e-6)
    same(lambda m: m._foreach_zero_(lists(m)))
    same(lambda m: m._foreach_copy_(lists(m), [m.ones(2, 3), m.zeros(2)]))
    same(lambda m: m._foreach_add(lists(m), lists(m), alpha=2), rtol=1e-6)
    same(lambda m: m._foreach_mul(lists(m), m.tensor(2.0)), rtol=1e-6)


def test_torchs_errors():
    same_outcome(lambda m: m._foreach_exp([]))
    same_outcome(lambda m: m._foreach_add(lists(m), lists(m)[:1]))
    same_outcome(lambda m: m._foreach_add(lists(m), [1.0]))
    same_outcome(lambda m: m._foreach_mul(lists(m), m.ones(2)))
    same_outcome(lambda m: m._foreach_addcmul(lists(m), lists(m), lists(m), [1.0]))
    same_outcome(lambda m: m._foreach_addcmul(lists(m), lists(m), lists(m), m.ones(3)))
    same_outcome(lambda m: m._foreach_max([m.ones(0)]))
    same_outcome(lambda m: m._foreach_norm([m.ones(0)], float("inf")))
    same_outcome(lambda m: m._foreach_add_([m.tensor([1, 2])], 1.5))
    same_outcome(lambda m: m._foreach_powsum([m.tensor([1, 2])]))


def test_none_is_missing():
    missing = [n for n in dir(torch) if n.startswith("_foreach_") and not hasattr(lucid, n)]
    assert not missing
    assert {op.name for op in foreach_other_op_db} <= {*dir(torch)}
