"""Runs each example twice, under torch and under `python -m lucid`, and compares what the two print.

Losses agree to 5 significant digits in every line that has one; counts, accuracies and graph names are equal. The
examples are such that rounding does not grow into a difference: their default seeds were tried with noise of 2e-7 in
every product, many times, and the losses stayed within 7e-6 of each other.
"""

import os
import pathlib
import re
import struct
import subprocess
import sys
import zlib

import pytest

REPO = pathlib.Path(__file__).resolve().parent.parent
EXAMPLES = REPO / "examples"


def run(launcher, example, args, cwd):
    """The lines an example prints. One thread and no colour: the same conditions for both."""
    env = {**os.environ, "PYTHONPATH": str(REPO), "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    words = [sys.executable, *launcher, str(EXAMPLES / example), *args]
    done = subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-4000:]
    assert done.stderr == ""
    return done.stdout.splitlines()


def run_both(example, args, tmp_path):
    folders = {}
    for name, launcher in (("torch", []), ("lucid", ["-m", "lucid"])):
        (tmp_path / name).mkdir()
        folders[name] = run(launcher, example, args, tmp_path / name)
    return folders["torch"], folders["lucid"]


# A number after one of these words may differ in its last places; every other number must be equal.
MEASURED = re.compile(r"(?<=loss )[\d.e+-]+|(?<=gradient )[\d.e+-]+|(?<=pull )[\d.e+-]+")


def assert_same(expected, got, most=5):
    assert len(got) == len(expected), "\n".join(got)
    measured = 0
    for line, other in zip(expected, got, strict=True):
        assert MEASURED.sub("*", other) == MEASURED.sub("*", line)
        for number, mine in zip(MEASURED.findall(line), MEASURED.findall(other), strict=True):
            # What is printed with fewer digits can only be compared to that many.
            digits = min(len(number.split("e")[0].replace(".", "").lstrip("0")) - 1, most)
            assert float(mine) == pytest.approx(float(number), rel=10.0**-digits), f"{line}\n{other}"
            measured += 1
    return measured


def read_png(path):
    """Width, height and the bytes of a PNG of RGBA pixels; one more before each row says how it is stored."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", data[16:24])
    at, packed = 8, b""
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        if data[at + 4 : at + 8] == b"IDAT":
            packed += data[at + 8 : at + 8 + length]
        at += length + 12
    return width, height, zlib.decompress(packed)


@pytest.mark.slow
def test_digits(tmp_path):
    expected, got = run_both("digits.py", ["--out", "out"], tmp_path)
    assert assert_same(expected, got) == 2 * 8 + 1
    accuracy = float(re.search(r"test accuracy ([\d.]+)%", "\n".join(got)).group(1))
    assert accuracy >= 97.0
    width, height, pixels = read_png(tmp_path / "lucid" / "out" / "digits.png")
    assert len(pixels) == height * (4 * width + 1)  # red, green, blue, opacity
    assert len(set(pixels)) > 50  # greys and colours, not an empty page


def test_digits_for_one_epoch(tmp_path):
    """Quick enough to run each time; and each reads the checkpoint that the other wrote."""
    expected, got = run_both("digits.py", ["--epochs", "1", "--out", "out"], tmp_path)
    assert assert_same(expected, got) == 3
    show = (
        "import torch; c = torch.load('{}/out/digits.pt'); "
        "print(c['epoch'], sorted(c), list(c['model']), c['model']['norm1.running_mean'].shape, "
        "c['optimizer']['param_groups'][0]['lr'], c['optimizer']['state'][0]['step'])"
    )
    env = {**os.environ, "PYTHONPATH": str(REPO)}
    said = {
        subprocess.run(
            [sys.executable, *launcher, "-c", show.format(wrote)],
            cwd=tmp_path, env=env, capture_output=True, text=True, check=True,
        ).stdout
        for launcher in ([], ["-m", "lucid"])
        for wrote in ("torch", "lucid")
    }  # fmt: skip
    assert len(said) == 1


@pytest.mark.slow
def test_digits_on_mlx(tmp_path):
    """The same script on mlx's default device. Its rounding is its own, so only the outcome is compared."""
    pytest.importorskip("mlx.core")
    got = run(["-m", "lucid"], "digits.py", ["--device", "mlx", "--out", "out"], tmp_path)
    accuracy = float(re.search(r"test accuracy ([\d.]+)%", "\n".join(got)).group(1))
    assert accuracy >= 96.0


@pytest.mark.slow
def test_chars(tmp_path):
    expected, got = run_both("chars.py", ["--steps", "200", "--every", "20", "--letters", "100"], tmp_path)
    assert assert_same(expected, got) == 2 * 10


def test_chars_for_a_few_steps(tmp_path):
    expected, got = run_both("chars.py", ["--steps", "10", "--every", "2", "--letters", "20"], tmp_path)
    assert assert_same(expected, got) == 2 * 5


def test_straight_through(tmp_path):
    expected, got = run_both("straight_through.py", [], tmp_path)
    # Units of one bit make a step of a last digit: three digits are what two hundred steps leave.
    assert assert_same(expected, got, 3) == 2 * 10
    assert any("SignBackward" in line for line in got)


@pytest.mark.parametrize(
    "example, args",
    [
        ("chars.py", ["--steps", "10", "--every", "2", "--letters", "20"]),
        ("digits.py", ["--epochs", "1", "--out", "out"]),
        ("straight_through.py", ["--steps", "50"]),
    ],
)
def test_compiled(example, args, tmp_path):
    """torch.compile changes nothing that an example prints."""
    wanted = run(["-m", "lucid"], example, args, tmp_path)
    assert run(["-m", "lucid"], example, [*args, "--compile", "eager"], tmp_path) == wanted
    with pytest.raises(AssertionError, match="InvalidBackend"):  # so it was asked for
        run(["-m", "lucid"], example, [*args, "--compile", "no_such_backend"], tmp_path)
