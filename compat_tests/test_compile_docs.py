"""docs/compiler.md is current, and programs become as few kernels as its table says."""

import pathlib
import subprocess
import sys

import pytest

SCRIPTS = pathlib.Path(__file__).parent.parent / "scripts"
sys.path.insert(0, str(SCRIPTS))
import kernel_table  # noqa: E402

sys.path.remove(str(SCRIPTS))

# The most kernels, forward and backward, and calls of the engine; the least ratio of bytes.
MOST = {
    "softmax 512x4096": ((1, 1), (0, 0), 2.0),
    "layer norm 512x4096": ((1, 2), (0, 0), 2.4),
    "gelu(x*w+b)+r 512x1024": ((1, 1), (0, 0), 3.5),
    "batch norm 32x64x32x32": ((2, 1), (0, 0), 1.1),
    "cross entropy 512x4096": ((3, 2), (0, 0), 2.2),
    "attention 8x8x128x32": ((2, 1), (2, 4), 1.9),
    "MLP 784-256-10, batch 64, with its loss": ((4, 4), (2, 3), 1.0),
    "GPT block, 8x128x256": ((7, 11), (6, 16), 1.6),
    "20 x log(exp(x))": ((1,), (0,), 39),
    "Adam's step, 784x256": ((1,), (0,), 2.2),
}


def test_the_page_is_current():
    done = subprocess.run(
        [sys.executable, str(SCRIPTS / "compiler_page.py"), "--check"], capture_output=True, text=True
    )
    assert not done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("name", kernel_table.PROGRAMS)
def test_numbers_of_kernels(name):
    found = kernel_table.counts(kernel_table.PROGRAMS[name])
    kernels, calls, ratio = MOST[name]
    assert len(found) == len(kernels)
    for count, most, left in zip(found, kernels, calls):
        assert 1 <= count.fused <= most and count.calls <= left, (count.fused, count.calls)
        assert count.fused <= count.apart
    assert sum(c.apart_bytes for c in found) >= ratio * sum(c.fused_bytes for c in found)


def test_bytes_are_what_a_kernel_takes_and_makes():
    (forward, backward) = kernel_table.counts(kernel_table.PROGRAMS["gelu(x*w+b)+r 512x1024"])
    whole, row = 4 * 512 * 1024, 4 * 1024
    assert forward.fused_bytes == 3 * whole + 2 * row  # x, r, the result; w, b
    assert backward.aten == backward.apart == 7


def test_the_table_is_markdown():
    lines = kernel_table.table().splitlines()
    assert len(lines) == 2 + len(kernel_table.PROGRAMS) and len({line.count("|") for line in lines}) == 1
