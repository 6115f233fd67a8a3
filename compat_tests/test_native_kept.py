"""Native kernels between processes: compiled once, found again, done without where they cannot be had."""

import os
import shutil
import subprocess
import sys

import pytest

from lucid._codegen import build

if not build.usable():
    pytest.skip("there is no working C compiler here", allow_module_level=True)

PROGRAM = """
import lucid, sys
x = lucid.linspace(-3, 3, 20000).reshape(100, 200).requires_grad_()
y = lucid.softmax(lucid.nn.functional.gelu(x), -1)
(y * y).sum().backward()
print(f"{y.detach().square().sum().item():.5f} {x.grad.abs().sum().item():.5f}")
from lucid._backend import native
kernels = [k for p in native._all if p.kernels for k in p.kernels.kernels.values() if k]
print(len(kernels), "lucid._codegen.rule_kernels" in sys.modules)
"""


def lucid(cache, *arguments, **environment):
    """Run the program (or a command of lucid's); without the kernels of usual calls, which take some seconds."""
    env = {**os.environ, "LUCID_CACHE": str(cache), "LUCID_GATHERING": "1", **environment}
    command = [sys.executable, *(("-m", "lucid", *arguments) if arguments else ("-c", PROGRAM))]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """(a cache with the program's kernels, what it printed)"""
    cache = tmp_path_factory.mktemp("cache")
    return cache, lucid(cache).stdout


def libraries(cache):
    """{name: its number on the disk}, which another compilation would change."""
    return {path.name: path.stat().st_ino for path in cache.glob("*.so")}


def test_a_second_process_compiles_nothing(filled):
    cache, expected = filled
    before = libraries(cache)
    assert before and int(expected.split()[2]) >= 4
    assert lucid(cache).stdout == expected and libraries(cache) == before


def test_off(filled, tmp_path):
    numbers = filled[1].splitlines()[0]
    done = lucid(tmp_path, LUCID_NATIVE="0")
    assert done.stdout.splitlines() == [numbers, "0 False"] and not done.stderr and not libraries(tmp_path)


def test_without_a_compiler(filled, tmp_path):
    """None: in silence. One that fails: with one warning."""
    numbers = filled[1].splitlines()[0]
    done = lucid(tmp_path, CC="none")
    assert done.stdout.splitlines()[0] == numbers and not done.stderr
    done = lucid(tmp_path, CC="false")
    assert done.stdout.splitlines()[0] == numbers and done.stderr.count("UserWarning") == 1


def test_damaged_and_lost_files(filled, tmp_path):
    cache, expected = tmp_path / "copy", filled[1]
    shutil.copytree(filled[0], cache)
    os.chmod(cache, 0o700)
    for i, path in enumerate(sorted(cache.glob("*.so"))):
        path.unlink() if i % 2 else path.write_bytes(path.read_bytes()[:1000])
    for path in (cache / "store").iterdir():
        path.write_bytes(b"\0" + path.read_bytes()[:40])
        break
    assert lucid(cache).stdout == expected
    again = libraries(cache)
    assert lucid(cache).stdout == expected and libraries(cache) == again  # all is there again


def test_a_directory_that_cannot_be_written(filled, tmp_path):
    cache = tmp_path / "file"
    cache.write_text("no directory")
    done = lucid(cache)
    assert done.stdout == filled[1] and done.stderr.count("cannot be used") == 1


def test_the_command(filled, tmp_path):
    cache = tmp_path / "copy"
    shutil.copytree(filled[0], cache)
    os.chmod(cache, 0o700)
    n = len(libraries(cache))
    assert f"{cache}: {n} compiled libraries" in lucid(cache, "cache").stdout
    assert f"cleared {cache}: {n} compiled libraries" in lucid(cache, "cache", "clear").stdout
    assert not libraries(cache) and "0 compiled libraries, 0 other files" in lucid(cache, "cache").stdout


def test_kernels_of_usual_calls(tmp_path):
    """All at once where there are none yet; what the program calls is among them."""
    env = {k: v for k, v in os.environ.items() if k != "LUCID_GATHERING"} | {"LUCID_CACHE": str(tmp_path)}
    run = lambda: subprocess.run([sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True, timeout=300)  # noqa: E731
    first, made = run(), libraries(tmp_path)
    assert first.returncode == 0 and not first.stderr
    assert len(made) > 5 and len(list((tmp_path / "store").iterdir())) > 150
    again = run()
    assert again.stdout == first.stdout and not again.stderr and libraries(tmp_path) == made


THREADS = """
import os, threading, lucid
x = lucid.linspace(-3, 3, 20000).reshape(100, 200)
def work():
    y = x.clone().requires_grad_()
    z = lucid.softmax(lucid.nn.functional.gelu(y), -1) * lucid.sigmoid(y) + y.std(1, keepdim=True)
    z.square().sum().backward()
    with lucid.no_grad():
        z = z.clone().add_(y.grad, alpha=0.5).clamp_(-1, 1)
    return z.tolist()
found = []
threads = [threading.Thread(target=lambda: found.append(work())) for _ in range(6)]
[t.start() for t in threads], [t.join() for t in threads]
assert len(found) == 6 and all(f == found[0] for f in found)
child = os.fork()
if not child:
    os._exit(0 if work() == found[0] and (x.exp().log() - x).abs().max() < 1e-5 else 1)
assert os.waitpid(child, 0)[1] == 0 and work() == found[0]
"""


def test_threads_and_a_child(tmp_path):
    """Several threads ask for the same kernels at once, which nobody has compiled yet; a forked child has them, too."""
    env = {**os.environ, "LUCID_CACHE": str(tmp_path), "LUCID_GATHERING": "1", "OMP_NUM_THREADS": "2"}
    done = subprocess.run([sys.executable, "-c", THREADS], env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and not done.stderr, done.stderr
