"""The programs of test_compile.py, compiled by inductor (as numpy, which needs no compiler): what they give, change and
print is what they do without being compiled."""

import functools

import pytest
from both import agree
from compile_programs import run
from test_compile import PROGRAMS

import lucid

# torch refuses the second too; a write to `p.data` is one to p for AOTAutograd, so its version grows.
ELSEWHERE = {
    "checkpoint_twice_differentiated": "double backward through AOTAutograd is refused, as by torch",
    "function_twice_differentiated": "double backward through AOTAutograd is refused, as by torch",
    "data_changed_in_place": "p._version counts a write to p.data",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_a_program_does(name, monkeypatch):
    maker, calls = PROGRAMS[name]
    plain, compile = run(lucid, maker, calls, False), lucid.compile
    options = {"backend": "inductor", "options": {"cpu_backend": "numpy"}}
    monkeypatch.setattr(lucid, "compile", lambda f, backend=None, **how: compile(f, **{**how, **options}))
    compiled = run(lucid, maker, calls, True)
    same = functools.partial(agree, compiled.outcome, plain.outcome, name, rtol=1e-4, atol=1e-5)
    if name in ELSEWHERE:
        with pytest.raises(AssertionError):
            same()
        return
    same()
    assert compiled.printed == plain.printed
