"""Programs drawn at random, and reductions over all dimensions, as every target's text: eager's numbers.

What a target cannot say is left to the engine's kernels; nothing may come out different.
"""

import itertools

import pytest
from loop_generator import drawn
from loop_loads import LOADS, TARGETS
from loop_programs import Program, close, results

import lucid
from lucid._base.dtype import FLOATING

TYPES = "float32 float64 int64 int32 bool bfloat16".split()
DIMS = [(0,), (1,), (2,), (0, 2), (1, 2), (0, 1, 2)]
SEEDS, LARGE = range(20), {"rows": 301, "columns": 130}  # several blocks, and a part of one
TOLERANCE = {"bfloat16": 3e-2, "float64": 1e-9}
REDUCTIONS = """sum prod amax amin mean var std logsumexp nansum any all count_nonzero norm""".split()


def together(programs, target):
    """Programs whose kernels are loaded at once."""
    kernels = iter(LOADS[target]([t for p in programs for t in p.texts.values()]))
    for p in programs:
        p.kernels = {n: next(kernels) for n in p.texts}
    return programs


def told(program, f, inputs, rtol):
    """None, or how a program's results differ from eager's."""
    try:
        close(program(), results(f, inputs), rtol, rtol)
    except AssertionError as wrong:
        return f"{getattr(f, 'text', f)}{program.text}{wrong}"


@pytest.mark.parametrize("target", TARGETS)
def test_programs_drawn_at_random(target):
    found = [(*drawn(seed, t, **(LARGE if seed % 4 == 0 else {})), t) for seed, t in itertools.product(SEEDS, TYPES)]
    programs = together([Program(f, i, target, True, f"p{n}_") for n, (f, i, _) in enumerate(found)], target)
    wrong = [told(p, f, i, TOLERANCE.get(t, 2e-5)) for p, (f, i, t) in zip(programs, found)]
    assert not any(wrong), "\n\n".join(filter(None, wrong))[:6000]
    whys = {why for p in programs for why in p.why.values()}
    assert all(why.startswith("NotALoop: ") for why in whys), whys


def reduction(name, dtype):
    """A function that reduces over several dims, and its input; None where eager has no such reduction."""

    def f(x):
        found = []
        for dim in DIMS:
            over = lucid.linalg.vector_norm if name == "norm" else getattr(lucid, name)
            if name in ("prod", "any", "all") and len(dim) > 1:
                x, over, dim = x.reshape(x.shape[0], -1), over, 1
            found.append(over(x, dim=dim[0] if name in ("prod",) and dim != 1 else dim))
        return found

    f.text = f"{name} of {dtype}\n"
    lucid.manual_seed(0)
    kind = getattr(lucid, dtype)
    x = lucid.randn(5, 7, 3) * 2 if kind.category == FLOATING else lucid.randint(-3, 4, (5, 7, 3))
    x = x.to(kind) if name != "nansum" or kind.category < FLOATING else x.masked_fill(x > 1, float("nan")).to(kind)
    try:
        f(x)
    except (RuntimeError, NotImplementedError, TypeError):
        return None
    return f, (x,), dtype


@pytest.mark.parametrize("target", TARGETS)
def test_reductions(target):
    found = [r for name, dtype in itertools.product(REDUCTIONS, TYPES) if (r := reduction(name, dtype))]
    assert len(found) > 55
    programs = together([Program(f, i, target, True, f"p{n}_") for n, (f, i, _) in enumerate(found)], target)
    wrong = [told(p, f, i, TOLERANCE.get(t, 2e-5)) for p, (f, i, t) in zip(programs, found)]
    assert not any(wrong), "\n\n".join(filter(None, wrong))[:6000]
    assert all(p.texts for p, (*_, t) in zip(programs, found) if (target, t) != ("metal", "float64"))
