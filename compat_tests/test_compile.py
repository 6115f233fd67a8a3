"""torch.compile beside torch: what programs give, change and print, their graphs and the text of those.

What a program gives is always what it gives without being compiled, to the bit; it is no gap if torch gives another
thing. lucid captures behind breaks in loops, `with` and `try`, where torch leaves the rest to Python; graphs are compared
under config.stop_where_torch_does, which leaves it, too. Where graphs are not torch's there is a line in known_gaps.txt: `compile-graphs NAME` (another number of graphs or
of calls in them, after one of the program's calls) or `compile-text NAME` (the same, but written otherwise).
"""

import functools
import logging

import compile_basics
import compile_basics_more
import compile_containers
import compile_containers_more
import compile_control
import compile_control_more
import compile_corners
import compile_corners_more
import compile_modules
import compile_modules_more
import compile_objects
import compile_objects_more
import compile_short
import compile_tensors
import compile_tensors_more
import pytest
import torch
from both import agree, as_torch
from compile_programs import PROGRAMS, run
from gaps import expect, known

import lucid

THEMES = [
    compile_basics, compile_basics_more, compile_control, compile_control_more, compile_containers,
    compile_containers_more, compile_objects, compile_objects_more, compile_modules, compile_modules_more,
    compile_tensors, compile_tensors_more, compile_corners, compile_corners_more, compile_short,
]  # fmt: skip
NEAR = {"rtol": 1e-5, "atol": 1e-6}

logging.getLogger("torch._dynamo").setLevel(logging.CRITICAL)


@functools.cache
def ran(m, name, compiled=True, **config):
    """The program under torch or lucid, plainly or compiled."""
    maker, calls = PROGRAMS[name]
    with lucid._dynamo.config.patch(**config):
        return run(m, maker, calls, compiled)


def as_torch_stops(name):
    return ran(lucid, name, stop_where_torch_does=True)


@pytest.fixture(scope="module", params=PROGRAMS)
def name(request):
    """Of the module, so that the tests of one program follow each other and torch compiles it once."""
    yield request.param
    ran.cache_clear()


def test_what_a_program_does(name):
    wanted, plain, both = ran(torch, name, False), ran(lucid, name, False), (ran(lucid, name), as_torch_stops(name))
    agree(plain.outcome, wanted.outcome, f"{name}, not compiled", **NEAR)
    assert plain.printed == wanted.printed
    for compiled in both:
        agree(compiled.outcome, plain.outcome, name)
        assert compiled.printed == plain.printed


def test_graphs(name):
    plain, wanted, got = ran(torch, name, False), ran(torch, name), as_torch_stops(name)
    try:
        agree(wanted.outcome, plain.outcome, **NEAR)
        assert wanted.printed == plain.printed
    except AssertionError:
        pytest.xfail("torch's graphs are of another program: compiled it gives another thing than plainly")

    def same_graphs():
        assert (got.counts, got.ops) == (wanted.counts, wanted.ops)

    def same_text():
        assert [as_torch(text) for text in got.graphs] == wanted.graphs

    expect("compile-graphs", name, same_graphs)
    expect("compile-text", name, same_text)


def test_lucid_captures_more():
    """In loops, `with` and `try`: never fewer calls in graphs than where it stops as torch does."""
    more, fewer = [], []
    for name in PROGRAMS:
        calls, where_torch_stops = sum(ran(lucid, name).ops), sum(as_torch_stops(name).ops)
        more.extend([name] * (calls > where_torch_stops))
        fewer.extend([name] * (calls < where_torch_stops))
    assert more and fewer == ["keyword_only"]  # read in one piece, not function by function


def test_most_graphs_are_torchs():
    otherwise = {
        kind: sum(line.startswith(f"{kind} ") for line in known()) for kind in ("compile-graphs", "compile-text")
    }
    assert otherwise["compile-graphs"] <= 0.065 * len(PROGRAMS)
    assert sum(otherwise.values()) <= 0.15 * len(PROGRAMS)
