"""Loop nests as numpy, Triton and Metal texts: the numbers are eager's, and every word has a text or a reason.

Metal runs through a C++ compiler (metal_shim), Triton in its interpreter where the package is installed (triton_shim).
"""

import ast
import importlib.util
import os
import pathlib
import subprocess
import sys

import loop_cases
import metal_shim
import numpy as np
import pytest
from loop_programs import Program, close, results

import lucid
from lucid._array.numpy.table import table as cpu_table
from lucid._array.words import POINTWISE
from lucid._codegen import loop_words, metal, targets
from lucid._codegen.loops import Input
from lucid._codegen.metal import MetalWords
from lucid._codegen.nest import Nest, Work
from lucid._codegen.numpy_words import NumpyWords
from lucid._codegen.triton import TritonWords

os.environ.setdefault("TRITON_INTERPRET", "1")
HAS_TRITON = importlib.util.find_spec("triton") is not None
CASES = loop_cases.CASES
EVERYWHERE = {**CASES, **loop_cases.DOUBLES, **loop_cases.RAISING}


def same(program, case):
    f, inputs, *tolerance = case
    tolerance = tolerance[0] if tolerance else loop_cases.FINE
    close(program(), results(f, inputs), tolerance, tolerance / 5)


@pytest.mark.parametrize("name", EVERYWHERE)
def test_numpy_has_eagers_numbers(name):
    same(Program(*EVERYWHERE[name][:2], "numpy").load(), EVERYWHERE[name])


@pytest.fixture(scope="module")
def metal_programs():
    """All cases as Metal, compiled at once."""
    if metal_shim.COMPILER is None:
        pytest.skip("there is no C++ compiler")
    programs = {name: Program(*case[:2], "metal") for name, case in CASES.items()}
    kernels = iter(metal_shim.load([t for p in programs.values() for t in p.texts.values()]))
    for p in programs.values():
        p.kernels = {n: next(kernels) for n in p.texts}
    return programs


@pytest.mark.parametrize("name", CASES)
def test_metal_has_eagers_numbers(name, metal_programs):
    same(metal_programs[name], CASES[name])


@pytest.mark.parametrize("name", {**CASES, **loop_cases.DOUBLES})
def test_triton_has_eagers_numbers(name):
    """Where Triton is missing, its text is at least Python."""
    case = EVERYWHERE[name]
    program = Program(*case[:2], "triton")
    for text in program.texts.values():
        ast.parse(text.text)
    if HAS_TRITON:
        import triton_shim

        program.kernels = dict(zip(program.texts, triton_shim.load(list(program.texts.values()))))
        same(program, case)


# ---- words

VOCABULARIES = {"numpy": NumpyWords, "triton": TritonWords, "metal": MetalWords}


@pytest.mark.parametrize("target", VOCABULARIES)
def test_every_word_has_a_text_or_a_reason(target):
    words = VOCABULARIES[target]
    assert [w for w in POINTWISE if words.has(w) == (w in words.NOT_HERE)] == []
    assert set(words.NOT_HERE) <= set(POINTWISE)
    for word, reason in words.NOT_HERE.items():
        with pytest.raises(NotImplementedError, match=f"'{word}' cannot be written as {words.target}: {reason}"):
            getattr(words(None, lucid.float32), word)


def word_nest(row, dtype, operands):
    """(the nest of one word, its inputs)"""
    k = loop_words.table(dtype, lucid.device("cpu"))
    arrays = []
    for n, a in enumerate(operands):
        arrays.append(k.sibling(lucid.bool if a.dtype == bool else dtype).new(a.shape))
        arrays[-1].source = Input(n)
    out = getattr(k, row.name)(*arrays)
    out.stored = True
    return Nest(Work(out)), out


def samples(row, dtype):
    """Operands on which a word is defined."""
    rng = np.random.default_rng(0)
    if dtype.is_floating_point:
        kind, values = np.float32, np.array([0.0, -0.0, 0.3, -0.7, 1.0, 2.5, -3.2, np.inf, -np.inf, np.nan])
        values = np.concatenate(
            [
                values,
                [1e-30, -1e-5, 89.0, -89.0, 300.0, -2e4, 5e4, 3e38],
                rng.uniform(-0.99, 0.99, 30),
                rng.uniform(-4, 4, 30),
                rng.uniform(1, 9, 22),
            ]
        )
    else:
        kind, values = np.int32, np.arange(-50, 50)
    made = []
    for n, name in enumerate(row.parameters):
        if name == "condition":
            made.append(np.arange(100) % 3 == 0)
        else:
            made.append(np.roll(values, 17 * n).astype(kind))
            if row.name in ("gcd", "lcm", "bitwise_left_shift", "bitwise_right_shift"):
                made[-1] = abs(made[-1]) % 31 if "shift" in row.name else made[-1]
    return made


RAISING = {
    "remainder",
    "floor_divide",
    "trunc_divide",
    "fmod",
    "pow",
    "div",
}  # for some whole numbers, or no words of them


def word_cases(target, dtype):
    """[(word, Text, operands, eager's result, the array of the result)] of the words that a target has."""
    found, refused = [], []
    for row in POINTWISE.values():
        skipped = row.name in ("conj", "real", "imag") or ("f" if dtype.is_floating_point else "i") not in row.types
        if skipped or row.name in VOCABULARIES[target].NOT_HERE:
            continue
        operands = samples(row, dtype)
        try:
            nest, out = word_nest(row, dtype, operands)
            text = targets.target(target).source(nest, f"word_{row.name}", [out])
        except NotImplementedError as why:
            assert not dtype.is_floating_point, (row.name, why)
            refused.append(row.name)
            continue
        try:
            wanted = getattr(cpu_table(dtype), row.name)(*operands)
        except RuntimeError:  # a division by 0
            continue
        found.append((row.name, text, operands, wanted, out))
    assert set(refused) <= RAISING, refused
    return found


def check_words(target, dtype, load):
    cases = word_cases(target, dtype)
    assert len(cases) > (60 if dtype.is_floating_point else 25)
    for kernel, (word, text, operands, wanted, out) in zip(load([c[1] for c in cases]), cases):
        got = np.empty(out.shape, cpu_table(out.dtype).array_dtype)
        given = [got if a is out else operands[a.source.number] for a in text.arrays]
        kernel(*given, 1)
        wanted = np.asarray(wanted)
        close_enough = np.isclose(got, wanted, 2e-5, 2e-6, equal_nan=True) | (got == wanted)
        assert close_enough.all(), (
            word,
            [a[~close_enough] for a in operands],
            got[~close_enough],
            wanted[~close_enough],
        )


@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_words_of_numpy(dtype):
    check_words("numpy", getattr(lucid, dtype), targets.target("numpy").load)


@pytest.mark.skipif(metal_shim.COMPILER is None, reason="there is no C++ compiler")
@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_words_of_metal(dtype):
    check_words("metal", getattr(lucid, dtype), metal_shim.load)


@pytest.mark.skipif(not HAS_TRITON, reason="triton is not installed")
@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_words_of_triton(dtype):
    import triton_shim

    check_words("triton", getattr(lucid, dtype), triton_shim.load)


# ---- what cannot be


def test_refusals():
    x = lucid.ones(3, dtype=lucid.float64)
    with pytest.raises(NotImplementedError, match="elements of torch.float64 are not written as Metal"):
        Program(lambda a: a + 1, (x,), "metal")
    for name in ("triton", "metal"):
        with pytest.raises(NotImplementedError, match="'floor_divide' of 'torch.int64' cannot be written"):
            Program(*loop_cases.RAISING["int64"], name)
    with pytest.raises(NotImplementedError, match="not written as cobol; there are c, metal, numpy, triton"):
        targets.target("cobol")


def test_an_index_out_of_range_is_a_fault():
    f, x = (lambda a, i: a[i] + 1), lucid.ones(4, 3)
    for name in ("numpy", "metal"):
        program = Program(f, (x, lucid.tensor([1, 2])), name)
        load = targets.target(name).load if name == "numpy" else metal_shim.load
        if name == "metal" and metal_shim.COMPILER is None:
            continue
        program.kernels = dict(zip(program.texts, load(list(program.texts.values()))))
        program(x, lucid.tensor([-4, 3]))
        for wrong in (4, -5):
            with pytest.raises(IndexError):
                program(x, lucid.tensor([0, wrong]))


def test_a_wrong_whole_division_raises_as_eagers_does():
    program = Program(lambda a, b: a // b, (lucid.arange(4), lucid.arange(4) + 1), "numpy").load()
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        program(lucid.arange(4), lucid.arange(4))


# ---- mlx's kernels


class FakeKernel:
    """mx.fast.metal_kernel with numpy's arrays for mlx's."""

    def __init__(self, text):
        self.text = text

    def __call__(self, name, input_names, output_names, source, header):
        self.names, self.outputs = input_names, output_names
        assert (header, source) == metal.parts(self.text.text) and name == self.text.name
        return self.run

    def run(self, inputs, grid, threadgroup, output_shapes, output_dtypes, init_value):
        assert grid == (self.text.extra, 1, 1) and 1 <= threadgroup[0] <= 256
        assert all(a.ndim == 1 for a in inputs) and len(output_shapes) == len(self.outputs) == len(output_dtypes)
        made = [np.zeros(shape, kind) for shape, kind in zip(output_shapes, output_dtypes)]
        known = dict(zip([*self.names, *self.outputs], [*inputs, *made]))
        arrays = [known[f"a{n}"] for n in range(len(self.text.arrays))]
        (kernel,) = metal_shim.load([self.text])
        kernel(*arrays, *made[len(made) - self.text.checks :], 1)
        return made


@pytest.mark.skipif(metal_shim.COMPILER is None, reason="there is no C++ compiler")
def test_the_launch_of_a_metal_kernel():
    kind = lambda dtype: cpu_table(dtype).array_dtype  # noqa: E731
    x, rows = lucid.randn(5, 7), lucid.tensor([3, 0, -1])
    for f, inputs in (
        (lambda a: a.t().exp() + 1, (x,)),
        (lambda i, a: a[i] * 2, (rows, x)),
        (lambda a: a.sum(1), (x.t(),)),
    ):
        program = Program(f, inputs, "metal")
        (text,) = program.texts.values()
        launch = metal.launcher(text, FakeKernel(text), kind)
        reads = [a for n, a in enumerate(text.arrays) if n not in text.made]
        (found,) = launch([inputs[a.source.number].numpy() for a in reads])
        np.testing.assert_allclose(found, f(*inputs).numpy(), 1e-6)
    program = Program(lambda i, a: a[i] * 2, (rows, x), "metal")
    (text,) = program.texts.values()
    reads = [a for n, a in enumerate(text.arrays) if n not in text.made]
    given = {0: np.array([0, 9, 1]), 1: x.numpy()}
    with pytest.raises(IndexError):
        metal.launcher(text, FakeKernel(text), kind)([given[a.source.number] for a in reads])


# ---- the page


def test_the_page_is_current():
    script = pathlib.Path(__file__).parent.parent / "scripts" / "loop_page.py"
    done = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True)
    assert not done.returncode, done.stdout + done.stderr
