"""Shows that `python -m lucid check`, `doctor` and `selftest` say what they should, and that programs of these names run."""

import ast
import os
import pathlib
import subprocess
import sys
import textwrap

import pytest
import torch

from lucid._commands.check import trouble
from lucid._commands.golden_programs import PROGRAMS, results
from lucid._commands.names_used import Reader
from lucid._commands.selftest import difference

REPO = pathlib.Path(__file__).resolve().parent.parent


def lucid(*words, cwd):
    env = {**os.environ, "PYTHONPATH": str(REPO), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, "-m", "lucid", *words], cwd=cwd, env=env, capture_output=True, text=True, timeout=120
    )


def used(text):
    """The names that a text uses, those that count."""
    reader = Reader(ast.parse(textwrap.dedent(text)))
    return [u.name for u in reader.uses if not u.guarded and not u.method]


@pytest.mark.parametrize(
    "text, names",
    {
        "import torch; torch.a.b(torch.c)": ["torch", "torch.a.b", "torch.c"],
        "import torch.nn as nn; nn.X": ["torch.nn", "torch.nn.X"],
        "import torch.nn; torch.nn.X": ["torch.nn", "torch.nn.X"],
        "from torch import nn as n; n.X().y": ["torch.nn", "torch.nn.X"],
        "from torch.nn.functional import silu; silu(1)": ["torch.nn.functional.silu"],
        "import torch\nL = torch.linalg\nL.x": ["torch", "torch.linalg", "torch.linalg.x"],
        "import torch\ndef f(torch): return torch.x": ["torch"],
        "import torch\ndef f():\n    global torch\n    return torch.x": ["torch", "torch.x"],
        "import torch\nf = lambda torch, y: torch.x": ["torch"],
        "def f(): return torch.x\nimport torch": ["torch.x", "torch"],
        "from torch import device\ndevice = device(1)\ndevice.x": ["torch.device"],
        "import torch\ntry: torch.x\nexcept AttributeError: torch.y": ["torch", "torch.y"],
        "try: import torch.x\nexcept (OSError, ImportError): pass": [],
        "try: import torch.x\nexcept OSError: pass": ["torch.x"],
        "import torch\nif hasattr(torch, 'x'): torch.x()": ["torch"],
        "import torch\nhasattr(torch.nn, 'x') and torch.nn.x": ["torch", "torch.nn"],
        "import torch\ngetattr(torch, 'x'); getattr(torch, 'y', None)": ["torch", "torch.x", "torch", "torch"],
        "import importlib; importlib.import_module('torch.x')": ["torch.x"],
        "import torch\ntorch.x = 1": ["torch"],
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING: import torch.x": [],
        "from torch.x import *": ["torch.x"],
        "import numpy as torch; torch.x": [],
        "@torch.a\ndef f(x: torch.b = torch.c) -> torch.d: pass\nimport torch": [
            "torch.a",
            "torch.b",
            "torch.c",
            "torch.d",
            "torch",
        ],
        "import lucid as torch; torch.x": ["lucid", "lucid.x"],
    }.items(),
)
def test_names_are_read_from_the_text(text, names):
    found = used(text)
    assert [n for n in found if n not in names] == [] and [n for n in names if n not in found] == []


@pytest.mark.parametrize(
    "name, what",
    {
        "torch.add": None,
        "torch.nn.functional.silu": None,
        "torch.utils.data.DataLoader": None,
        "torch.float32.whatever": None,
        "torch.Tensor.add": None,
        "torch.nothing": "missing",
        "torch.nothing.at.all": "missing (torch.nothing)",
        "torch.nn.Nothing": "missing",
        "torch.optim.SGD.nothing": "missing",
        "torch.ops.aten.add.Tensor": None,
        "torch.quantize_per_tensor": "refused: lucid has no quantized tensors",
    }.items(),
)
def test_what_is_wrong_with_a_name(name, what):
    assert trouble(name) == what


def test_check_follows_local_imports(tmp_path):
    (tmp_path / "pkg").mkdir()
    for name, text in {
        "train.py": "import torch\nimport local\nfrom pkg import model\ntorch.ones(2)\nx.to_mkldnn()\n",
        "local.py": "import torch.nowhere\n",
        "unrelated.py": "import torch.unrelated\n",
        "pkg/__init__.py": "",
        "pkg/model.py": "from .deep import f\nimport json\n",
        "pkg/deep.py": "from torch import nn\n\nnn.Nothing()\n",
    }.items():
        (tmp_path / name).write_text(text)
    done = lucid("check", "train.py", cwd=tmp_path)
    lines = done.stdout.splitlines()
    assert done.returncode == 1 and lines[:3] == [
        "train.py:5: torch.Tensor.to_mkldnn: refused: lucid has no mkldnn tensors (if it is a tensor's)",
        "local.py:1: torch.nowhere: missing",
        "pkg/deep.py:3: torch.nn.Nothing: missing",
    ]
    assert lines[3].startswith("5 files read: 2 of "), lines
    assert lucid("check", str(REPO / "examples"), cwd=tmp_path).returncode == 0
    assert lucid("check", "absent.py", cwd=tmp_path).returncode == 2
    assert lucid("check", cwd=tmp_path).returncode == 2
    (tmp_path / "broken.py").write_text("if x\n")
    assert lucid("check", "broken.py", cwd=tmp_path).returncode == 2


def test_a_missing_name_suggests_check(tmp_path):
    (tmp_path / "train.py").write_text("import torch\ntorch.nothing\n")
    done = lucid("train.py", cwd=tmp_path)
    assert done.returncode == 1 and "`python -m lucid check train.py` lists" in done.stderr


def test_a_program_of_a_command_s_name_runs(tmp_path):
    (tmp_path / "check").write_text("print('mine')\n")
    (tmp_path / "doctor").mkdir()
    (tmp_path / "doctor" / "__main__.py").write_text("print('mine, too')\n")
    assert lucid("check", cwd=tmp_path).stdout == "mine\n"
    assert lucid("doctor", cwd=tmp_path).stdout == "mine, too\n"
    (tmp_path / "selftest").mkdir()  # nothing to run in it
    assert "19 of" in lucid("selftest", cwd=tmp_path).stdout


def test_doctor_and_selftest(tmp_path):
    done = lucid("doctor", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    for word in ("python", "numpy", "cpu          works", "threads", "C compiler", "nothing amiss"):
        assert word in done.stdout
    done = lucid("selftest", cwd=tmp_path)
    assert done.returncode == 0 and f"{len(PROGRAMS)} of {len(PROGRAMS)}" in done.stdout, done.stdout


@pytest.mark.parametrize("name", PROGRAMS)
def test_golden_values_are_torch_s(name):
    import json

    golden = json.loads((REPO / "lucid" / "_commands" / "golden.json").read_text())
    assert difference(results(name, torch), golden[name], name) is None
    assert difference(results(name, torch)[1:], golden[name], name) is not None
