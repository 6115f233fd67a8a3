"""examples/accelerator.py: a device and a target of one file run compiled graphs, and say what they cannot."""

import copy
import importlib.util
import pathlib

import loop_cases
import numpy as np
import pytest
from loop_programs import Program, close, results

import lucid
from lucid._array import lookup
from lucid._base import device
from lucid._codegen import targets

PATH = pathlib.Path(__file__).resolve().parent.parent / "examples" / "accelerator.py"
REGISTRIES = (targets.TARGETS, targets.DEVICES, lookup.MAKERS, lookup.LIBRARIES, device.RENAMED)
TYPES = (lucid.float32, lucid.int64, lucid.bool)


@pytest.fixture(scope="module")
def accelerator():
    """The example as a module; what it registers is taken back afterwards."""
    before = [copy.copy(r) for r in REGISTRIES]
    spec = importlib.util.spec_from_file_location("accelerator", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    for registry, had in zip(REGISTRIES, before):
        registry.clear()
        registry.update(had)


def test_a_network_learns_as_on_the_cpu(accelerator):
    before = accelerator.Machine.done
    np.testing.assert_allclose(accelerator.train("sixteen"), accelerator.train("cpu", compiled=False), 1e-5)
    assert accelerator.Machine.done > before + 50000


def test_the_example_prints_both(accelerator, capsys):
    accelerator.main()
    *losses, last = capsys.readouterr().out.splitlines()[1:]
    for line in losses:
        a, b = map(float, line.split())
        assert abs(a - b) < 1e-5 * a
    assert last.endswith("instructions of 16 lanes")


TEXT = """\
turns 33
turn = lane.i64
i0 = copy.i64 turn
t0 = load.f32 a0, i0
t1 = floor.f32 t0
t2 = const.f32 1.0
t3 = add.f32 t1, t2
store.f32 a1, i0, t3
"""


def test_the_text_of_a_body(accelerator):
    program = Program(lambda x: lucid.floor(x) + 1, (lucid.randn(3, 11) * 3,), "sixteen").load()
    assert program.text == TEXT
    close(program(), [lucid.floor(program.inputs[0]) + 1], 0, 0)


# What the machine has no word for, of the cases that it has the types for.
REFUSED = {"gelu": ["erf"], "special": ["erf", "lgamma", "expm1", "log1p", "erfc"], "floor divide": ["floor_divide"],
           "remainders": ["remainder", "fmod"], "chain": ["sin"]}  # fmt: skip


@pytest.mark.parametrize("name", loop_cases.CASES)
def test_programs_have_eagers_numbers(accelerator, name):
    f, inputs, *tolerance = loop_cases.CASES[name]
    tolerance = tolerance[0] if tolerance else loop_cases.FINE
    program = Program(f, inputs, "sixteen", checked=True)
    words = [why.split("'")[1] for why in program.why.values() if "cannot be written as assembly" in why]
    if all(t.dtype in TYPES for t in inputs):
        assert words == REFUSED.get(name, []), program.why
    close(program.load()(), results(f, inputs), tolerance, tolerance / 5)
