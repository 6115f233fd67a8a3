"""The programs of benchmarks/compile.py give compiled what they give eager; its table has a line for each."""

import importlib.util
import math
import pathlib
import sys

import pytest

import lucid

FOLDER = pathlib.Path(__file__).parent.parent / "benchmarks"


@pytest.fixture(scope="module")
def benchmark():
    sys.path.insert(0, str(FOLDER))
    spec = importlib.util.spec_from_file_location("compile_benchmark", FOLDER / "compile.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    sys.path.remove(str(FOLDER))


STEPS = ["MLP 784-256-10 b64, step with Adam compiled", "GPT block B8 T128 D256, step", "digits CNN b32, step"]


@pytest.mark.parametrize("name", STEPS)
def test_training_compiled_has_eagers_losses(benchmark, name):
    make = benchmark.WORKLOADS[name][0]
    losses = []
    for compile in (lambda f: f, lucid.compile):
        lucid._dynamo.reset()
        lucid.manual_seed(0)
        run = make(lucid, compile)
        losses.append([run() for _ in range(3)])
    assert all(math.isclose(a, b, rel_tol=1e-5) for a, b in zip(*losses)), losses


def test_a_table(benchmark, capsys):
    args = benchmark.parser.parse_args(
        ["--only", "gelu", "--threads", "1", "--no-torch-compile", "--rounds", "2", "--seconds", "0.001"]
    )
    before = lucid.get_num_threads()
    try:
        benchmark.measure(args)
    finally:
        lucid.set_num_threads(before)
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    assert len(lines) == 4 and len({line.count("|") for line in lines}) == 1
    assert "(>= 2.5)" in lines[2] and "(>= 2.0)" in lines[3]
