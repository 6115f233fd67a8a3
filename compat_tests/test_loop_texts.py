"""Loop nests as numpy, Triton and Metal texts: the numbers are eager's, and every word has a text or a reason.

Metal runs through a C++ compiler (metal_shim), Triton through numpy (triton_stand_in) and, where the package is
installed, in its own interpreter (triton_shim).
"""

import importlib.util
import os
import pathlib
import subprocess
import sys

import loop_cases
import metal_shim
import numpy as np
import pytest
import triton_stand_in
from loop_loads import LOADS, TARGETS
from loop_programs import Program, close, results

import lucid
from lucid._array.numpy.table import table as cpu_table
from lucid._codegen import metal, targets

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
def compiled():
    """compiled(target): {name: Program} of all cases that a compiled target has the types for, compiled at once."""
    known = {}

    def programs(target, cases):
        if target not in TARGETS:
            pytest.skip(f"{target} cannot be run here")
        if target not in known:
            made = {name: Program(*c[:2], target, prefix=f"p{n}_") for n, (name, c) in enumerate(cases.items())}
            kernels = iter(LOADS[target]([t for p in made.values() for t in p.texts.values()]))
            for p in made.values():
                p.kernels = {n: next(kernels) for n in p.texts}
            known[target] = made
        return known[target]

    return programs


@pytest.mark.parametrize("name", CASES)
def test_metal_has_eagers_numbers(name, compiled):
    same(compiled("metal", CASES)[name], CASES[name])


@pytest.mark.parametrize("name", {**CASES, **loop_cases.DOUBLES})
def test_c_has_eagers_numbers(name, compiled):
    same(compiled("c", {**CASES, **loop_cases.DOUBLES})[name], EVERYWHERE[name])


@pytest.mark.parametrize("name", {**CASES, **loop_cases.DOUBLES})
def test_triton_has_eagers_numbers(name):
    """Where Triton is installed, what stands in for it gives what its interpreter does."""
    case = EVERYWHERE[name]
    program = Program(*case[:2], "triton")
    texts = list(program.texts.values())
    program.kernels = dict(zip(program.texts, triton_stand_in.loaded(texts)))
    same(program, case)
    if HAS_TRITON:
        import triton_shim

        got, tolerance = program(), 1e-6 if len(case) < 3 else case[2]
        program.kernels = dict(zip(program.texts, triton_shim.load(texts)))
        close(got, program(), tolerance, tolerance)


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


@pytest.mark.skipif(not metal.has_metal(), reason="there is no Metal")
def test_kernels_of_mlx():
    import mlx.core as mx

    x = lucid.randn(5, 7)
    program = Program(lambda a: lucid.softmax(a, -1) + 1, (x,), "metal")
    (launch,) = targets.target("metal").load(list(program.texts.values()))
    (found,) = launch([mx.array(x.numpy())])
    np.testing.assert_allclose(np.array(found), (lucid.softmax(x, -1) + 1).numpy(), 1e-6)


# ---- the page


def test_the_page_is_current():
    script = pathlib.Path(__file__).parent.parent / "scripts" / "loop_page.py"
    done = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True)
    assert not done.returncode, done.stdout + done.stderr


def test_long_chains_are_cut():
    """Functions that wait for each other go into several loops; conversions are short, and stay in one."""
    from lucid._codegen import chains

    def chain(function):
        lines = [f"const float t{n + 1} = lucid_{function}(t{n});" for n in range(8)]
        return ["const float t0 = a0[i];", *lines, "a1[i] = t8;"]

    assert chains.loops("i", chain("round_bf16")) is None
    cut = "\n".join(chains.loops("i", chain("expf")))
    assert cut.count("#pragma omp simd") == 8 and cut.count("float k") == 2
