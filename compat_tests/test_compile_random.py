"""Programs at random give and change the same compiled as they do plainly: results, arguments, outside, prints.

LUCID_COMPILED=5000 tries so many programs; a few are tried otherwise.
"""

import contextlib
import io
import os
import types
import warnings

from both import agree, attempt, seen
from compile_writer import Writer
from hypothesis import given, seed, settings
from hypothesis import strategies as st

import lucid
import lucid._dynamo

COUNT = int(os.environ.get("LUCID_COMPILED", 40))
# size of x, first number of x, does it require a gradient, n
CALLS = [
    (3, 1.0, False, 2),
    (3, 1.0, False, 2),
    (3, -4.0, False, 2),
    (4, 1.0, False, 3),
    (5, 2.0, False, 0),
    (3, 1.0, True, 2),
]


def played(text, compiled):
    """What every call gives, with what else it changed, and what was printed."""
    lucid._dynamo.reset()
    lucid.manual_seed(0)
    module = types.ModuleType("random_program")
    module.torch = lucid
    exec(compile(text, "<random program>", "exec"), vars(module))
    f = lucid.compile(module.f, backend="eager") if compiled else module.f
    box, log, found, printed = module.Box(1), [], [], io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for size, first, wants, n in CALLS:
            x = lucid.arange(first, first + size).requires_grad_(wants)
            x = x * 1 if wants else x  # leaves that want gradients cannot be written to
            y = x if n == 0 else x.detach() * 0.5
            result = attempt(f, x, y, n, box, log)
            found.append(seen((result, x, y, vars(box), log, module.COUNT, lucid.is_grad_enabled()), "requires_grad"))
            del log[6:]
            lucid.set_grad_enabled(True)
    return found, printed.getvalue()


def check(text):
    """Compiled as plainly."""
    wanted, got = played(text, False), played(text, True)
    assert got[1] == wanted[1], f"printed {got[1]!r}, not {wanted[1]!r}\n{text}"
    try:
        agree(got[0], wanted[0], "compiled")
    except AssertionError as unequal:
        raise AssertionError(f"{unequal}\n{text}") from None


@seed(0)
@settings(max_examples=COUNT, deadline=None, database=None)
@given(st.randoms(use_true_random=False))
def test_random_programs(random):
    check(Writer(random).text())
