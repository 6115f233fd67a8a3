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
import compile_numbers
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
    compile_tensors, compile_tensors_more, compile_corners, compile_corners_more, compile_short, compile_numbers,
]  # fmt: skip
NEAR = {"rtol": 1e-5, "atol": 1e-6}

logging.getLogger("torch._dynamo").setLevel(logging.CRITICAL)


@functools.cache
def ran(name):
    """(torch plainly, torch compiled, lucid plainly, lucid compiled, lucid compiled where torch does)"""
    maker, calls = PROGRAMS[name]
    found = [run(m, maker, calls, compiled) for m in (torch, lucid) for compiled in (False, True)]
    with lucid._dynamo.config.patch(stop_where_torch_does=True):
        return *found, run(lucid, maker, calls, True)


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_a_program_does(name):
    wanted, _, plain, *both = ran(name)
    agree(plain.outcome, wanted.outcome, f"{name}, not compiled", **NEAR)
    assert plain.printed == wanted.printed
    for compiled in both:
        agree(compiled.outcome, plain.outcome, name)
        assert compiled.printed == plain.printed


def measure(name):
    """(torch compiled, lucid compiled); the test ends where torch itself gives another thing compiled than plainly."""
    plain, wanted, _, _, got = ran(name)
    try:
        agree(wanted.outcome, plain.outcome, **NEAR)
        assert wanted.printed == plain.printed
    except AssertionError:
        pytest.xfail("torch's graphs are of another program: compiled it gives another thing than plainly")
    return wanted, got


@pytest.mark.parametrize("name", PROGRAMS)
def test_graphs(name):
    wanted, got = measure(name)

    def same_graphs():
        assert (got.counts, got.ops) == (wanted.counts, wanted.ops)

    expect("compile-graphs", name, same_graphs)


@pytest.mark.parametrize("name", [name for name in PROGRAMS if f"compile-graphs {name}" not in known()])
def test_text(name):
    wanted, got = measure(name)

    def same_text():
        assert [as_torch(text) for text in got.graphs] == wanted.graphs

    expect("compile-text", name, same_text)


def test_lucid_captures_more():
    """In loops, `with` and `try`: never fewer calls in graphs than where it stops as torch does."""
    more = [name for name in PROGRAMS if sum(ran(name)[3].ops) > sum(ran(name)[4].ops)]
    fewer = [name for name in PROGRAMS if sum(ran(name)[3].ops) < sum(ran(name)[4].ops)]
    fewer = [name for name in fewer if not name.startswith("random_")]  # read once for all numbers
    assert more and fewer == ["keyword_only", "python_random"]  # read in one piece, not function by function


def test_most_graphs_are_torchs():
    otherwise = {
        kind: sum(line.startswith(f"{kind} ") for line in known()) for kind in ("compile-graphs", "compile-text")
    }
    assert otherwise["compile-graphs"] <= 0.065 * len(PROGRAMS)
    assert sum(otherwise.values()) <= 0.15 * len(PROGRAMS)
