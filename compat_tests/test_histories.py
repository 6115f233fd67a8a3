"""Random histories of views, in-place writes and ops with gradients (histories.py), against torch.

A seeded few hundred run here, and must all agree; `--all` runs five thousand, LUCID_HISTORIES=20000 that many, of which
99.9 % must.
"""

import os

import histories
import history_play
import pytest
import torch

import lucid

WANTED = int(os.environ.get("LUCID_HISTORIES", "300"))
AT_ONCE = 50
KNOWN = {  # seed: how it differs
    167: "an expanded tensor written with itself: torch reads the view anew at the wrong base",
    323: "numbers that cancel but for the last bit of a hyperbolic tangent",
    376: "the same refusal; torch does not say which view it was that was written",
    487: "the gradient of a singular det whose matrix was written through .data: torch saves its factors, lucid the matrix",
    585: "torch keeps the shape that a tensor had before swapaxes_ in no_grad mode, and refuses its gradient",
    1017: "a tensor copied into itself turned: torch's gradient is zeros, laid out row by row, plus what comes",
    1547: "the second gradient of a half's logcumsumexp, which is nearer to float64's here",
    1691: "torch fails with an internal assertion: index_reduce's product of halves in a single row",
    2722: "where a matrix lies column by column, so does torch's gradient of a product; lucid's lies row by row",
    2986: "tril into its own memory turned: torch's result depends on which element it writes first",
    3133: "torch takes a view for a leaf after another view of its base was written, until it is asked for its node",
    3415: "layer_norm of halves in rows of one element: torch's last bit times 1 / sqrt(eps), where the result is 0",
    3736: "the same",
}


def differ(lines):
    return history_play.difference(history_play.play(torch, lines), history_play.play(lucid, lines))


def explained(lines, found):
    """A difference with the lines that it takes."""
    fact = found.partition(": ")[2].split()[:1]

    def same_kind(fewer):
        again = differ(fewer)
        return again is not None and again.partition(": ")[2].split()[:1] == fact

    short = history_play.shortened(lines, same_kind)
    return "\n    ".join([str(differ(short)), *short])


def pytest_generate_tests(metafunc):
    if metafunc.function is test_histories:
        wanted = max(WANTED, 5000) if metafunc.config.getoption("all") else WANTED
        count = AT_ONCE if wanted <= 1000 else wanted
        metafunc.parametrize("first, count", [(first, count) for first in range(0, wanted, count)])


@pytest.mark.filterwarnings("ignore")
def test_histories(first, count):
    wrong = []
    for seed in range(first, first + count):
        if seed not in KNOWN:
            lines = histories.invent(seed)
            if (found := differ(lines)) is not None:
                wrong.append(f"history {seed}: {explained(lines, found)}")
    assert len(wrong) * 1000 <= count, "\n".join(wrong)


@pytest.mark.parametrize("other", ["t2[0].mul_(t1[0])", "t2[0].mul_(t1[1]); t2.add_(0)", "t2[0].mul_(t1)"])
def test_a_difference_is_found(other):
    """The comparison can fail: over another value, another version, another error."""
    lines = ["t1 = made((2, 3), 'float64', True)", "t2 = t1 * 1", "t2[0].mul_(t1[1])"]
    there, here = history_play.play(torch, lines), history_play.play(lucid, [*lines[:2], other])
    here = [(line if line != other else lines[2], *rest) for line, *rest in here]
    assert history_play.difference(there, here) is not None
