"""Shows that programs which use third-party libraries print under lucid what torch printed (compat_tests/libraries/).

`scripts/libs` runs more of them, with larger libraries, in an environment without torch.
"""

import collections
import os
import pathlib
import re
import subprocess
import sys

import pytest

import lucid
from lucid._commands.check import refusal

HERE = pathlib.Path(__file__).parent / "libraries"
NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?")


def results(text):
    """The lines that begin with RESULT, by their name."""
    found = collections.defaultdict(list)
    for line in text.splitlines():
        if line.startswith("RESULT"):
            found[(line.split() + [""])[1]].append(line.rstrip())
    return found


def close(want, got):
    """Are two lines the same text, their numbers within 2e-4?"""
    if NUMBER.sub("#", want) != NUMBER.sub("#", got):
        return False
    pairs = [(float(a), float(b)) for a, b in zip(NUMBER.findall(want), NUMBER.findall(got))]
    scale = max([abs(a) for a, _ in pairs] + [0])
    return all(abs(a - b) <= 2e-4 * abs(a) + 1e-6 * min(scale, 1e3) + 1e-7 for a, b in pairs)


NO_SPARSE = pytest.mark.xfail(refusal(lucid.sparse_coo_tensor) is not None, reason="needs sparse tensors")
PROGRAMS = [
    pytest.param(p.stem, marks=NO_SPARSE if p.stem == "torchmetrics_class" else ())
    for p in sorted(HERE.glob("*.expected"))
]


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(HERE.parent.parent), os.environ.get("PYTHONPATH", "")]),
        "PYTHONWARNINGS": "ignore",
        # The results were recorded where torchvision's compiled part did not load.
        "LUCID_WITHOUT_TORCHVISION_OPS": "1",
    }
    done = subprocess.run(
        [sys.executable, "-m", "lucid", f"{name}.py"],
        cwd=HERE,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    want, got, wrong, compared = results((HERE / f"{name}.expected").read_text()), results(done.stdout), [], 0
    for key, lines in want.items():
        for n, line in enumerate(lines):
            compared += 1
            ours = got[key][n] if n < len(got[key]) else "missing"
            if not close(line, ours):
                wrong.append(f"torch: {line}\nlucid: {ours}")
    assert compared and not wrong, "\n".join([*wrong[:5], done.stderr[-2000:]])
