"""The comparison of the other tests notices each kind of difference, and nothing that is none."""

import pytest
import torch
from both import Raised, as_torch, attempt, error, of_cpu_build, same, same_outcome, shown, told

import lucid


def differing(ours, theirs):
    """A program that differs between the libraries."""
    return lambda m: (ours if m is lucid else theirs)(m)


def warn(m, text):
    import warnings

    warnings.warn(text, UserWarning, stacklevel=2)


DIFFERENCES = {
    "a bit": (lambda m: m.tensor(1.0), lambda m: m.tensor(1.0 + 2.0**-23)),
    "zeros' signs": (lambda m: m.tensor(0.0), lambda m: m.tensor(-0.0)),
    "an integer": (lambda m: m.tensor([1, 2]), lambda m: m.tensor([1, 3])),
    "type": (lambda m: m.ones(2), lambda m: m.ones(2).double()),
    "shape": (lambda m: m.ones(1, 2), lambda m: m.ones(2)),
    "strides": (lambda m: m.ones(2, 2), lambda m: m.ones(2, 2).t().contiguous().t()),
    "requires_grad": (lambda m: m.ones(2, requires_grad=True), lambda m: m.ones(2)),
    "graph": (lambda m: m.ones(2, requires_grad=True) * 1, lambda m: m.ones(2, requires_grad=True) / 1),
    "sharing in the graph": (
        lambda m: (lambda y: y + y)(m.ones(2, requires_grad=True) * 1),
        lambda m: (lambda x: x * 1 + x * 1)(m.ones(2, requires_grad=True)),
    ),
    "number": (lambda m: 1, lambda m: 2),
    "a float": (lambda m: 1.0, lambda m: 1.0 + 1e-15),
    "type of a number": (lambda m: 1, lambda m: True),
    "container": (lambda m: [1], lambda m: (1,)),
    "length": (lambda m: [1], lambda m: [1, 1]),
    "order of keys": (lambda m: {"a": 1, "b": 1}, lambda m: {"b": 1, "a": 1}),
    "inside": (lambda m: {"a": [m.ones(1)]}, lambda m: {"a": [m.zeros(1)]}),
    "yielded": (lambda m: (v for v in [1, 2]), lambda m: (v for v in [1, 3])),
    "draws": (lambda m: None, lambda m: m.rand(1) is None or None),
    "class of an error": (lambda m: error(int, "a"), lambda m: error(lambda: {}[0])),
    "words of an error": (lambda m: error(int, "a"), lambda m: error(int, "b")),
    "no warning": (lambda m: told(lambda: 1), lambda m: told(lambda: warn(m, "a") or 1)),
}


@pytest.mark.parametrize("kind", DIFFERENCES)
def test_differences_are_noticed(kind):
    with pytest.raises(AssertionError):
        same(differing(*DIFFERENCES[kind]))
    for program in DIFFERENCES[kind]:
        same(program)


def test_an_error_is_an_outcome_where_that_is_said():
    def refuse(m):
        raise ValueError("no")

    with pytest.raises(ValueError):
        same(refuse)
    same_outcome(refuse)
    for other in (lambda m: 1, lambda m: int("a")):
        with pytest.raises(AssertionError):
            same_outcome(differing(refuse, other))
        with pytest.raises(AssertionError):
            same_outcome(differing(other, refuse))
    with pytest.raises(AssertionError, match="nothing was raised"):
        error(lambda: 1)
    assert isinstance(attempt(refuse, torch), ValueError) and attempt(int, "3") == 3


def test_nearness_is_what_was_asked_for():
    apart = differing(lambda m: m.tensor([1.0, 1e-3]), lambda m: m.tensor([1.0, 1.001e-3]))
    for near in ({"rtol": 2e-3}, {"rtol": 0, "atol": 2e-6}, {"rtol": 0, "of_largest": 2e-6}):
        same(apart, **near)
        with pytest.raises(AssertionError):
            same(apart, **{key: value / 10 for key, value in near.items()})
    same(lambda m: m.tensor([float("nan"), float("inf")]), rtol=0)
    with pytest.raises(AssertionError):
        same(differing(lambda m: m.tensor(float("nan")), lambda m: m.tensor(1.0)), rtol=1.0)


def test_a_yielded_tensor_is_seen_as_it_was():
    def program(m, last):
        x = m.ones(2)
        yield x
        x.fill_(2 if m is lucid else last)

    same(program, 3)
    with pytest.raises(AssertionError):
        same(shown, lambda m, show: show.tried(lambda: m.ones(2) if m is lucid else m.zeros(2)))


def test_the_record_of_the_cpu_build():
    name, recorded = 'api.ones(2, device="cuda")', ["AssertionError", "Torch not compiled with CUDA enabled"]
    assert of_cpu_build(name, lambda: recorded) == recorded
    with pytest.raises((AssertionError, KeyError)):
        of_cpu_build("no such name", lambda: recorded)
    assert as_torch("<class 'lucid.Tensor'>") == "<class 'torch.Tensor'>" and Raised("a", "b").text == "b"
