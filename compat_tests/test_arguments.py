"""What torch's functions take: every argument of every public signature with objects of every class, on both."""

import argument_calls
import pytest
import torch

import lucid
from lucid._backend import signatures

SAMPLE = 400  # calls per run; --all makes every one


@pytest.fixture
def count(request):
    return None if request.config.getoption("--all", default=False) else SAMPLE


def outcome(f):
    """ "fits", or torch's TypeError; other errors come after the arguments were taken."""
    try:
        f()
    except TypeError as e:
        return str(e).splitlines()[0].partition(" - got")[0]  # what follows is in the order of a hash
    except Exception:
        return "fits"
    return "fits"


# What torch refuses after it has taken the arguments, or in Python, in words of its own.
OWN_WORDS = set("as_tensor asarray new_tensor type new map_ numpy".split())


def test_signatures_say_what_torch_takes(count):
    """bind() refuses the calls that torch refuses, in torch's words."""
    faults, made = [], 0
    for call in argument_calls.sample(count, seed=0):
        if call.place == "F" or call.name in OWN_WORDS:
            continue
        made += 1
        wanted = outcome(lambda: call.of(torch))
        args, kwargs = call.given(lucid)
        got = outcome(lambda: signatures.bind(signatures.signatures(call.place, call.name), args, kwargs))
        if got != wanted:
            faults.append(f"{call}: torch: {wanted}; lucid: {got}")
    assert made > 250 and len(faults) <= made // 1000, "\n".join(faults)
