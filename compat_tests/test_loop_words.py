"""Words of loop bodies in every target's text: the numbers are those of the kernel tables, for each type that a target has.

What a target lacks is refused, for a reason, when a body is looked at and when it is written: never nearly said.
"""

import numpy as np
import pytest
from loop_loads import LACKS, LOADS, TARGETS

import lucid
from lucid._array.numpy.table import table as cpu_table
from lucid._array.words import POINTWISE, has_word
from lucid._codegen import loop_words, targets
from lucid._codegen.loops import Input, NotALoop, counted
from lucid._codegen.metal import MetalWords
from lucid._codegen.nest import Nest, Work
from lucid._codegen.numpy_words import NumpyWords
from lucid._codegen.triton import TritonWords

VOCABULARIES = {"numpy": NumpyWords, "triton": TritonWords, "metal": MetalWords}
TYPES = "float32 float64 bfloat16 float16 int64 int32 uint8 bool".split()
EXACT, HALF = (2e-5, 2e-6), (1e-2, 1e-3)
# Of whole numbers: what raises for some operands, and what gives no whole number.
RAISING = set("remainder floor_divide trunc_divide fmod pow div ldexp".split())


@pytest.mark.parametrize("target", VOCABULARIES)
def test_every_word_has_a_text_or_a_reason(target):
    words = VOCABULARIES[target]
    assert [w for w in POINTWISE if words.has(w) == (w in words.NOT_HERE)] == []
    assert set(words.NOT_HERE) <= set(POINTWISE)
    for word, reason in words.NOT_HERE.items():
        with pytest.raises(NotImplementedError, match=f"'{word}' cannot be written as {words.target}: {reason}"):
            getattr(words(None, lucid.float32), word)


def samples(row, dtype):
    """Operands on which a word is defined, with what is far out: large, tiny, not finite."""
    rng, kind = np.random.default_rng(0), cpu_table(dtype).array_dtype
    if dtype.is_floating_point:
        values = [0.0, -0.0, 0.3, -0.7, 1.0, 2.5, -3.2, np.inf, -np.inf, np.nan]
        values += [1e-30, -1e-5, 89.0, -89.0, 300.0, -2e4, 5e4, 3e38]
        values = np.concatenate(
            [values, rng.uniform(-0.99, 0.99, 30), rng.uniform(-4, 4, 30), rng.uniform(1, 9, 22)]
        )  # fmt: skip
    else:
        values = np.arange(-50, 50) if dtype.is_signed else np.arange(100)
    made = []
    for n, name in enumerate(row.parameters):
        if name == "condition":
            made.append(np.arange(100) % 3 == 0)
            continue
        made.append((np.roll(values, 17 * n) if dtype is not lucid.bool else np.arange(100) >> n & 1).astype(kind))
        if row.name in ("gcd", "lcm") or "shift" in row.name and n:
            made[-1] = (abs(np.roll(values, 17 * n)) % (31 if dtype.itemsize > 1 else 7)).astype(kind)
    return made


def body(row, dtype, operands):
    """A LoopArray of one word."""
    k = loop_words.table(dtype, lucid.device("cpu"))
    arrays = []
    for n, a in enumerate(operands):
        arrays.append((k.bool if a.dtype == bool else k).new(a.shape))
        arrays[-1].source = Input(n)
    return getattr(k, row.name)(*arrays)


def said(target, row, dtype, operands):
    """(the array of a word, its Text), or None of what the target refuses, which it does in both places."""
    try:
        out = body(row, dtype, operands)
    except NotALoop:
        return None
    try:
        counted(out, targets.target(target).words)
    except NotImplementedError:
        out.stored = True
        with pytest.raises(NotImplementedError):
            targets.target(target).source(Nest(Work(out)), "refused", [out])
        return None
    out.stored = True
    return out, targets.target(target).source(Nest(Work(out)), f"word_{row.name}_{dtype.name}", [out])


def cases(target):
    """[(word, type, operands, the array, its Text)] of all that a target says, and {type: words that it refuses}."""
    found, refused = [], {name: set() for name in TYPES}
    for dtype in [getattr(lucid, name) for name in TYPES]:
        for row in POINTWISE.values():
            if row.name in ("conj", "real", "imag") or not has_word(dtype, row) or row.result == "complex":
                continue
            operands = samples(row, dtype)
            one = said(target, row, dtype, operands)
            if one is None:
                refused[dtype.name].add(row.name)
            else:
                found.append((row.name, dtype, operands, *one))
    return found, refused


@pytest.mark.parametrize("target", TARGETS)
def test_words_have_the_tables_numbers(target):
    found, refused = cases(target)
    wrong = []
    for kernel, (word, dtype, operands, out, text) in zip(LOADS[target]([c[4] for c in found]), found):
        try:
            wanted = np.asarray(getattr(cpu_table(dtype), word)(*operands))
        except RuntimeError:  # a division by 0
            continue
        got = np.empty(out.shape, cpu_table(out.dtype).array_dtype)
        kernel(*[got if a is out else operands[a.source.number] for a in text.arrays], 1)
        a, b = (x.astype(np.float64) if x.dtype.kind in "fV" else x for x in (got, wanted))
        rtol, atol = HALF if dtype.itemsize == 2 and dtype.is_floating_point else EXACT
        close = np.isclose(a, b, rtol, atol, equal_nan=True) | (a == b)
        if not close.all():
            wrong.append((word, dtype.name, [x[~close][:3] for x in operands], got[~close][:3], wanted[~close][:3]))
    assert not wrong, "\n".join(map(str, wrong))
    assert {c[1].name for c in found} == set(TYPES) - LACKS.get(target, set())
    if target in VOCABULARIES:
        known = set(VOCABULARIES[target].NOT_HERE)
        assert refused["float32"] <= known and refused["bfloat16"] <= known | {"nextafter"}
        assert refused["int64"] <= known | RAISING and refused["bool"] <= {"div"}
