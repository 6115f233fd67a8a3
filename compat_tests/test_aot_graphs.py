"""Graphs below autograd are torch's, forward and backward, on the functions of aot_graph_functions.py; where one is
not, data/aot_graph_gaps.txt says why, and its results are eager's all the same."""

import aot_graph_functions as own
import numpy as np
import pytest

import lucid

RECORDED = own.recorded()
GAPS = own.gaps()
LEAST = {"forward": 0.8, "backward": 0.5}


def difference(want, got):
    """The first lines that differ."""
    pairs = zip(want.split("\n"), (got or "nothing").split("\n"))
    return next((f"{a!r} | {b!r}" for a, b in pairs if a != b), "one is longer")


def close(want, got):
    for w, g in zip(want, got, strict=True):
        assert (w is None) == (g is None)
        if w is not None:
            w, g = (t.detach().float().numpy() for t in (w, g))
            np.testing.assert_allclose(g, w, 2e-5, 2e-6)


@pytest.mark.parametrize("decomposed", [False, True])
@pytest.mark.parametrize("name", own.FUNCTIONS)
def test_graphs_and_results(name, decomposed):
    texts, results, gradients = own.told(lucid, name, decomposed)
    close(*[side[0] for side in (own.ran(lucid, *own.made(lucid, name)), (results,))])
    close(own.ran(lucid, *own.made(lucid, name))[1], gradients)
    for which in LEAST:
        want, entry = RECORDED.get((which, name, decomposed)), own.key(which, name, decomposed)
        if texts.get(which) == want:
            assert entry not in GAPS, f"{entry} is torch's now: take it out of {own.GAPS.name}"
        else:
            assert entry in GAPS, f"{entry}: {difference(want or 'nothing', texts.get(which))}"


def test_share():
    for which, least in LEAST.items():
        for decomposed in (False, True):
            all_ = [own.key(w, n, d) for w, n, d in RECORDED if (w, d) == (which, decomposed)]
            same = [entry for entry in all_ if entry not in GAPS]
            assert len(all_) >= 100 and len(same) >= least * len(all_)


def test_gaps_are_functions():
    known = {own.key(*entry) for entry in RECORDED}
    assert set(GAPS) <= known
    assert all(reason.strip() for reason in GAPS.values())
