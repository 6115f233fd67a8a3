"""The dictionary is true: every row is run, on every element type, and does what its columns say."""

import functools
import importlib.util

import numpy as np
import pytest
import torch
from word_samples import OF_COMPLEX, OF_REAL, arguments

import lucid
from lucid._array import lookup
from lucid._array.fallbacks import SPELLED
from lucid._array.numpy.table import HalfWords, apart
from lucid._array.words import FAMILIES, OPERANDS, PLACES, WORDS, has_word, letter
from lucid._backend.core import FUNCTIONS, words_of
from lucid._base import dtype as dtypes
from lucid._modes.jvp_array import Dual
from lucid._modes.jvp_frames import DualFrame
from lucid._modes.jvp_table import DualWords
from lucid._modes.levels import LevelWords

TYPES = "bool uint8 int8 int32 int64 float16 bfloat16 float32 float64 complex64 complex128".split()
ROWS = list(WORDS.values())
rows = pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
# what a forward saved cannot be moved alone; an order is a whole number
NOT_FREE = """max_pool_backward normalize_channels_backward normalize_rows_backward normalize_groups_backward
    attention_backward lstm_sequence_backward polygamma""".split()
NO_META = ("nonzero", "unique", "unique_runs", "bincount", "repeat_places")  # their shape depends on values


def table(name, device="cpu"):
    return lookup.table(getattr(lucid, name), device)


def every(value):
    return list(value) if isinstance(value, tuple) else [value]


def expected_types(row, k, given):
    """The element types that a row says the results have."""
    operands = [a.dtype for a, p in zip(given, row.parameters) if p in OPERANDS and isinstance(a, np.ndarray)]
    operands = operands or [a.dtype for a, p in zip(given, row.parameters) if p == "repeats"]
    same = k.of(np.empty(0, operands[0])).dtype if operands else k.dtype
    says = {
        "same": same,
        "own": k.dtype,
        "bool": dtypes.bool_,
        "int32": dtypes.int32,
        "int64": dtypes.int64,
        "real": same.to_real(),
        "complex": dtypes.complex_of(same),
        "float": same if same.category >= dtypes.FLOATING else "floating",
        "total": same if same.category >= dtypes.FLOATING or same is dtypes.uint64 else dtypes.int64,
        "given": next((a for a in given if isinstance(a, dtypes.dtype)), None),
    }
    return [says[one] for one in row.result.split(",")]


def agrees(found, said):
    return found.category == dtypes.FLOATING if said == "floating" else found is said


@rows
def test_element_types(row):
    """numpy computes the types that the row allows, with the result types it says, and refuses all others."""
    for name in TYPES:
        k = table(name)
        if not has_word(k.dtype, row):
            with pytest.raises(TypeError):
                getattr(k, row.name)(*arguments(k, row))
            continue
        given = arguments(k, row)
        got = every(getattr(k, row.name)(*given))
        assert all(isinstance(one, np.ndarray | np.generic) for one in got)
        found, said = [k.of(one).dtype for one in got], expected_types(row, k, given)
        assert len(found) == len(said) and all(map(agrees, found, said)), (name, found, said)


def widened(k, value):
    if isinstance(value, (list, tuple)):
        return type(value)([widened(k, v) for v in value])
    return value.astype(np.float32) if isinstance(value, np.ndarray) and value.dtype == k.array_dtype else value


LOOSE = {"rtol": 3e-2, "atol": 3e-2}  # a few units in the last place of bfloat16


@rows
def test_halves(row):
    """`exact`: nothing is rounded. `wide`: what float32 gives, rounded once. `steps`: near that (see test_half_steps.py)."""
    assert (row.halves == "-") == ("h" not in row.types)
    assert (row.name in vars(HalfWords)) == (row.halves in ("wide", "steps"))
    if row.halves == "-":
        return
    for name in ("float16", "bfloat16"):
        k = table(name)
        given = arguments(k, row)
        got = every(getattr(k, row.name)(*given))
        if row.name == "nextafter":  # the neighbour among halves
            if name == "bfloat16":
                a, b = (torch.from_numpy(v.astype(np.float32)).bfloat16() for v in given)
                np.testing.assert_array_equal(got[0].astype(np.float32), torch.nextafter(a, b).float().numpy())
            continue
        if row.name in ("cast", "view_dtype") or row.family == "factory":
            continue  # no float32 computation to compare with
        anew = "recomputing" in vars(HalfWords).get(row.name, np.add).__qualname__  # statistics, which were rounded
        anew = anew or row.name == "attention_backward"
        k32 = table("float32")
        wide = getattr(k32, row.name) if not anew else functools.partial(SPELLED[row.name], k32)
        wide = every(wide(*[widened(k, a) for a in given]))
        for a, b in zip(got, wide, strict=True):
            rounded = b.astype(k.array_dtype) if b.dtype == np.float32 else b
            a = apart(a) if a.dtype.names else a
            if row.exact and b.dtype == np.float32:
                np.testing.assert_array_equal(rounded.astype(np.float32), b, err_msg="float32 gave more digits")
            assert a.dtype == rounded.dtype
            a, rounded = (v.astype(np.complex128) for v in (a, rounded))
            if row.halves == "steps":
                np.testing.assert_allclose(a, rounded, **{"float16": {"rtol": 4e-3, "atol": 4e-3}}.get(name, LOOSE))
            else:
                np.testing.assert_array_equal(a, rounded)


def moved(k, row, given, scale, seed):
    """given with its operands (those that `row.tangent` names) scaled, plus others; and the others alone."""
    more = arguments(k, row, seed)
    which = {"linear": 1, "bilinear": 2, "joint": len(given)}[row.tangent]
    operands = [i for i, p in enumerate(row.parameters) if p in OPERANDS][:which]

    def mix(a, b):
        return [mix(x, y) for x, y in zip(a, b)] if isinstance(a, list) else a * scale + b

    for group in [[i] for i in operands] if row.tangent == "bilinear" else [operands]:
        together, other = list(given), list(given)
        for i in group:
            together[i], other[i] = mix(given[i], more[i]), more[i]
        yield together, other


@rows
def test_tangents(row):
    """linear, bilinear and joint words are linear; constant ones do not move; picked ones say where they picked."""
    if not set("fc") & set(row.types):
        assert row.tangent in ("constant", "rules")
        return
    k = table("float64" if "f" in row.types else "complex128")
    f, given = getattr(k, row.name), arguments(k, row)
    if row.tangent in ("linear", "bilinear", "joint"):
        for together, other in moved(k, row, given, 3.0, 100):
            for whole, a, b in zip(*(every(f(*args)) for args in (together, given, other)), strict=True):
                np.testing.assert_allclose(whole, 3.0 * a + b, 1e-12)
    elif row.tangent == "constant":
        nearby = [a + 1e-9 if isinstance(a, np.ndarray) and a.dtype == np.float64 else a for a in given]
        for a, b in zip(every(f(*given)), every(f(*nearby)), strict=True):
            assert (
                a.dtype != np.float64
                or row.name in ("unique", "unique_runs", "qr_raw", "ldl_factors", "ldl_solution")
                or np.array_equal(a, b)
            )
    elif row.tangent == "picked":
        values, where = f(*given)
        dim = given[row.parameters.index("dim")]
        if where.ndim < given[0].ndim:
            values, where = np.expand_dims(values, dim), np.expand_dims(where, dim)
        np.testing.assert_array_equal(np.take_along_axis(given[0], where, dim), values)
    elif row.tangent == "own":
        assert row.name in {**vars(LevelWords), **vars(DualWords)} or row.family == "factory"
    elif row.tangent == "none":
        assert not FUNCTIONS[row.name].op.has_gradient
    else:
        assert row.tangent == "rules" and callable(getattr(words_of(k), row.name))


@pytest.mark.parametrize("family", FAMILIES)
def test_forward_mode(family):
    """What forward mode makes of a word is the limit of differences."""
    checked = 0
    for row in FAMILIES[family].values():
        if "f" not in row.types or row.tangent in ("constant", "none", "own") or row.family == "linalg":
            continue
        inner = table("float64")
        k = DualFrame(1).table(inner)
        given, ahead = arguments(inner, row), arguments(inner, row, 100)

        def dual(p, x, t, k=k):
            if isinstance(x, list):
                return [dual(p, a, b) for a, b in zip(x, t)]
            is_operand = p in OPERANDS and isinstance(x, np.ndarray) and x.dtype.kind in "fc"
            return k.dual(x, t) if is_operand else x if not isinstance(x, np.ndarray) else k.constant(x)

        def at(h, given=given, ahead=ahead, row=row, inner=inner):
            step = [
                [a + h * b for a, b in zip(x, t)]
                if isinstance(x, list)
                else x + h * t
                if p in OPERANDS and isinstance(x, np.ndarray)
                else x
                for p, x, t in zip(row.parameters, given, ahead)
            ]
            return every(getattr(inner, row.name)(*step))

        if row.name in NOT_FREE:
            continue
        try:
            got = every(getattr(k, row.name)(*map(dual, row.parameters, given, ahead)))
        except RuntimeError as refusal:  # as torch: no derivative by its arguments' first
            assert "implemented" in str(refusal), (row.name, refusal)
            continue
        for one, up, down in zip(got, at(1e-6), at(-1e-6), strict=True):
            assert isinstance(one, Dual)
            if up.dtype.kind in "fc":
                slope = np.zeros(one.shape) if one.tangent is None else one.tangent
                np.testing.assert_allclose(slope, (up - down) / 2e-6, 1e-5, 1e-6, err_msg=row.name)
                checked += 1
    assert checked or family in ("counting", "linalg", "factory")


@pytest.mark.parametrize("device", ["meta", "mlx"])
@rows
def test_other_devices(row, device):
    """meta and mlx refuse what the CPU refuses, and give results of the same types and shapes."""
    if device == "mlx" and importlib.util.find_spec("mlx") is None:
        pytest.skip("mlx is not installed")
    for name in TYPES:
        here = table(name)
        if device == "mlx" and name in ("float64", "complex128"):
            continue  # of the GPU it has none
        k, given = table(name, device), None
        if has_word(here.dtype, row) and (name, device) != ("float16", "mlx") or letter(here.dtype) in row.types:
            given = arguments(here, row)
        elif row.name not in (*OF_REAL, *OF_COMPLEX):
            with pytest.raises(TypeError):
                getattr(k, row.name)(*[moved_to(k, here, a) for a in arguments(here, row)])
        if given is None or device == "meta" and row.name in NO_META:
            continue
        expected = every(getattr(here, row.name)(*given))
        if device == "mlx" and here.of(expected[0]).dtype is lucid.complex32:
            continue  # which it lacks
        got = every(getattr(k, row.name)(*[moved_to(k, here, a) for a in given]))
        for a, b in zip(got, expected, strict=True):
            assert tuple(a.shape) == b.shape, name
            found, said = k.of(a).dtype, here.of(b).dtype
            assert found is said or row.result == "float" and found.category == said.category, (name, found, said)


def moved_to(k, here, value):
    if isinstance(value, (list, tuple)):
        return type(value)([moved_to(k, here, v) for v in value])
    if isinstance(value, np.ndarray):
        there = here.of(value)
        return k.sibling(there.dtype).import_from(value, there)
    return value


def test_columns():
    """Each name of OPERANDS and PLACES is used; columns say what the dictionary's docstring explains."""
    used = {p for row in ROWS for p in row.parameters}
    assert OPERANDS | PLACES <= used and not OPERANDS & PLACES
    known = {"linear", "bilinear", "joint", "constant", "none", "picked", "rules", "own"}
    assert {row.tangent for row in ROWS} == known
    assert {row.halves for row in ROWS} == {"exact", "wide", "steps", "-"}
