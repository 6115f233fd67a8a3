"""torch.compile when something is amiss: right numbers, one clear warning, and nothing broken afterwards."""

import inspect
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest
from native_processes import run
from test_native_cache import needs_compiler, running, script

# A training step, compiled and not, in a process of its own. What each case does before, between and after is put in.
PROGRAM = """
import os, sys, warnings
BEFORE
import lucid, numpy as np
warnings.simplefilter("always")
seen = []
warnings.showwarning = lambda message, *rest, **more: seen.append(str(message))
F = lucid.nn.functional
def step(x, w):
    y = F.layer_norm(F.gelu(x @ w), (8,))
    return F.softmax(y, -1).square().sum() + y.abs().max()
def other(x, w):
    return (x @ w).tanh().sum(0).cumsum(0)[-1]
def gradients(f, seed):
    lucid.manual_seed(seed)
    x, w = lucid.randn(16, 8, requires_grad=True), lucid.randn(8, 8, requires_grad=True)
    y = f(x, w)
    y.backward()
    return y, x.grad, w.grad
def right(f, seed=0):
    for got, wanted in zip(gradients(lucid.compile(f), seed), gradients(f, seed)):
        np.testing.assert_allclose(got.detach().numpy(), wanted.detach().numpy(), 1e-4, 1e-5)
right(step)
BETWEEN
right(other)
right(step, 1)
dynamic = lucid.compile(lambda x: (x * 2 + 1).sum(), dynamic=True)
assert [dynamic(lucid.ones(n)).item() for n in (3, 5, 7)] == [9, 15, 21]
AFTER
print(*[text for text in seen], sep="\\n")
"""


def faulty(before="", between="", after="", **environment):
    """The warnings of such a process, which must end well; the variables are set for it."""
    text = PROGRAM
    for name, part in (("BEFORE", before), ("BETWEEN", between), ("AFTER", after)):
        text = text.replace(name, textwrap.dedent(part))
    done = run(text, env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.strip().splitlines()


# ---- compilers


@pytest.mark.parametrize("where", ["PATH", "CC", "none"])
def test_no_compiler(tmp_path, where):
    environment = {"PATH": str(tmp_path), "LUCID_CACHE": str(tmp_path / "cache"), "CC": "/nowhere/cc"}
    if where == "none":
        environment["CC"] = "none"
    before = "import importlib.util; find = importlib.util.find_spec\n"
    before += "importlib.util.find_spec = lambda name, *rest: None if name == 'ziglang' else find(name, *rest)"
    if where == "CC":  # nowhere, but there are others: one of those serves
        environment["PATH"] = os.environ["PATH"]
    said = faulty(before, **environment)
    if where == "PATH":
        assert len(said) == 1
        assert "pip install ziglang" in said[0]
    elif where == "none" or shutil.which("gcc") or shutil.which("clang") or shutil.which("cc"):
        assert said == []


LONG = os.getpid() + 100_000  # seconds, by which a test knows the processes of its own
COMPILERS = {
    "fails": ("echo this compiler is broken; exit 1", "this compiler is broken"),
    "hangs": (f"case $1 in --version) exit;; esac\nsleep {LONG}1 & wait", "had not finished after 1 seconds"),
    "hangs at once": (f"sleep {LONG}2 & wait", "had not finished after 1 seconds"),
    "makes nothing": ("exit 0", "failed with code 0"),
    "makes junk": ('for x in "$@"; do case $x in *.so) echo hello > $x;; esac; done', "cannot be opened"),
}


@pytest.mark.parametrize("how", COMPILERS)
def test_compilers_that_fail(tmp_path, how):
    text, message = COMPILERS[how]
    start = time.monotonic()
    said = faulty(
        CC=script(tmp_path / "compiler", text), LUCID_CACHE=str(tmp_path / "cache"), LUCID_COMPILE_TIMEOUT="1"
    )
    assert len(said) == 1
    assert message in said[0]
    assert "doctor" in said[0]
    assert time.monotonic() - start < 60
    assert not running(f"sleep {LONG}1")
    assert not running(f"sleep {LONG}2")
    left = os.listdir(tmp_path / "cache")
    assert [name for name in left if name != "store"] == []


@needs_compiler
def test_a_compiler_that_refuses_one_graph(tmp_path):
    """That one runs without it; others are compiled."""
    from lucid._codegen import build

    real = " ".join(build.compiler())
    text = 'for x in "$@"; do case $x in *.c) if grep -q tanh $x; then echo I know no tanh; exit 1; fi;; esac; done\n'
    said = faulty(
        after="from lucid._codegen import build; assert build.usable()",
        CC=script(tmp_path / "compiler", text + f'exec {real} "$@"'),
        LUCID_CACHE=str(tmp_path / "cache"),
    )
    assert said
    assert all("I know no tanh" in line for line in said)


# ---- caches


@needs_compiler
@pytest.mark.parametrize("where", ["a file", "inside a file", "of all", "full at once", "full later"])
def test_caches_that_cannot_be_used(tmp_path, where):
    place, before, between = tmp_path / "cache", "", ""
    full = """
    import errno, tempfile
    def refuse(*a, dir=None, real=None, **k):
        if dir is not None and dir.startswith(PLACE):
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(*a, dir=dir, **k)
    import functools
    tempfile.mkdtemp, tempfile.mkstemp = [functools.partial(refuse, real=f) for f in (tempfile.mkdtemp, tempfile.mkstemp)]
    """.replace("PLACE", repr(str(place)))
    if where == "of all":
        place.mkdir()
        place.chmod(0o777)
    elif where == "full at once":
        before = full
    elif where == "full later":
        between = full
    else:
        place.write_text("")
        place = place / "below" if where == "inside a file" else place
    said = faulty(before, between, LUCID_CACHE=str(place), TMPDIR=str(tmp_path))
    assert len(said) == 1
    assert "set LUCID_CACHE" in said[0]
    assert [name for name in os.listdir(tmp_path) if name.startswith("lucid-")] == []


@needs_compiler
@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="a small file system needs Linux and root")
def test_a_disk_that_is_full(tmp_path):
    place = tmp_path / "small"
    place.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=40k,mode=700", "none", place], capture_output=True
    ).returncode:
        pytest.skip("nothing may be mounted here")
    try:
        said = faulty(LUCID_CACHE=str(place), TMPDIR=str(tmp_path))
    finally:
        subprocess.run(["umount", place], check=True)
    assert len(said) == 1
    assert "No space left" in said[0]


@needs_compiler
def test_a_spoilt_cache(tmp_path):
    environment = {"LUCID_CACHE": str(tmp_path / "cache")}
    assert faulty(**environment) == []
    files = [os.path.join(place, name) for place, _, names in os.walk(tmp_path / "cache") for name in names]
    for i, path in enumerate(sorted(files)):
        with open(path, "r+b") as f:
            content = f.read()
            f.seek(0)
            f.truncate()
            f.write([b"", content[: len(content) // 2], content[::-1]][i % 3])
    assert faulty(**environment) == []
    assert (
        faulty(
            after="from lucid._dynamo.utils import counters; assert counters['aot_autograd']['autograd_cache_hit'] == 2",
            **environment,
        )
        == []
    )


@needs_compiler
def test_processes_at_once(tmp_path):
    said = []
    threads = [
        threading.Thread(target=lambda: said.append(faulty(LUCID_CACHE=str(tmp_path / "cache")))) for _ in range(3)
    ]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert said == [[]] * 3
    names = [name for _, _, names in os.walk(tmp_path / "cache") for name in names]
    assert not [name for name in names if name.startswith(("new-", "work-"))]


# ---- processes


@needs_compiler
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_forks_after_compiling(tmp_path):
    """A child runs what its parent compiled, with threads of its own, and compiles more; so do workers of a loader."""
    between = """
    lucid.set_num_threads(3)
    from native_processes import in_child
    big = lambda x: (x.sin() * 2 + x).sum(-1)
    compiled = lucid.compile(big)
    X = lucid.randn(300, 1000)
    wanted = compiled(X)
    assert lucid.allclose(wanted, big(X), rtol=1e-4, atol=1e-4)
    def child():
        assert lucid.equal(compiled(X), wanted)
        right(step, 3)
        right(other, 4)
        return True
    for _ in range(3):
        assert in_child(child) == 0
    class Rows(lucid.utils.data.Dataset):
        def __len__(self):
            return 12
        def __getitem__(self, i):
            return compiled(X[i : i + 1])
    loader = lucid.utils.data.DataLoader(Rows(), batch_size=4, num_workers=2)
    found = lucid.cat([b.flatten() for b in loader])
    assert lucid.allclose(found, wanted[:12], rtol=1e-4, atol=1e-3)
    assert lucid.equal(compiled(X), wanted)
    """
    assert faulty(between=between, LUCID_CACHE=str(tmp_path / "cache")) == []


@pytest.mark.parametrize("when", ["forward", "backward"])
def test_ctrl_c_in_a_compilation(tmp_path, when):
    """KeyboardInterrupt reaches the program, nothing half done stays, and the next call compiles."""
    from lucid._codegen import build

    real = " ".join(build.compiler() or ["false"])
    wait = "case $1 in --version) exit;; esac\n" + (
        f"if [ ! -e $0.done ]; then echo > $0.on; sleep {LONG}3 & wait; fi\nexec " + real + ' "$@"'
    )
    if when == "backward":
        wait = wait.replace("if [ ! -e $0.done ]", "if grep -q softmax_marker $0.stage 2>/dev/null && [ ! -e $0.done ]")
    path = tmp_path / "compiler"
    text = """
    import lucid, numpy as np, os, sys
    def f(x):
        return lucid.softmax(x * 3, -1).square().sum()
    x = lucid.randn(16, 8, requires_grad=True)
    compiled = lucid.compile(f)
    def step():
        x.grad = None
        y = compiled(x)
        open(PATH + ".stage", "w").write("softmax_marker")
        y.backward()
        return y
    try:
        step()
    except KeyboardInterrupt:
        print("interrupted")
    open(PATH + ".done", "w").close()
    names = [name for _, _, names in os.walk(os.environ["LUCID_CACHE"]) for name in names]
    print([name for name in names if name.startswith(("work-", "new-"))])
    y, g = step(), x.grad.clone()
    x.grad = None
    wanted = f(x)
    wanted.backward()
    assert lucid.allclose(y, wanted) and lucid.allclose(g, x.grad, rtol=1e-4, atol=1e-5)
    from lucid._base.state import local, UNUSUAL, NO_GRAD, FAKING, DISPATCH
    print(local.grad, len(NO_GRAD), len(FAKING), local.dispatch_modes, local.interpreters)
    from lucid._codegen import build
    print(build.usable(), build.promising())
    """.replace("PATH", repr(str(path)))
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(text)],
        env={**os.environ, "PYTHONPATH": root, "CC": script(path, wait), "LUCID_CACHE": str(tmp_path / "cache")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while not os.path.exists(f"{path}.on") and time.monotonic() < deadline and child.poll() is None:
        time.sleep(0.01)
    child.send_signal(signal.SIGINT)
    said, complaints = child.communicate(timeout=60)
    assert child.returncode == 0, complaints
    assert said.splitlines() == ["interrupted", "[]", "True 0 0 () ()", "True True"]
    assert not running(f"sleep {LONG}3")


def test_a_long_chain_far_down_the_stack():
    """Loops are read from a stack of their own where that of the program leaves no room."""
    import lucid

    def f(x):
        for i in range(60):
            x = x.sin() * 1.01 + i
        return x

    def below(depth):
        return below(depth - 1) if depth else lucid.compile(f)(X)

    X = lucid.ones(3)
    lucid._dynamo.reset()
    assert lucid.allclose(below(sys.getrecursionlimit() - len(inspect.stack()) - 250), f(X), rtol=1e-4)
    lucid._dynamo.reset()


def test_numpy_and_failed_traces_under_a_compiler():
    """A graph that cannot be traced below autograd runs as it is; no transform is left behind."""
    import numpy as np

    import lucid
    from lucid._base.state import local

    def with_numpy(x):
        return x + float((x * 2).numpy().sum())

    def with_transform(x):
        return lucid.func.grad(lambda y: (y * y).sum())(x) * 2

    X = lucid.arange(3.0)
    for f in (with_numpy, with_transform, lambda x: x.view(-1).add_(1).sum()):
        for backend in ("aot_eager", "inductor"):
            lucid._dynamo.reset()
            mine, other = X.clone(), X.clone()
            np.testing.assert_allclose(lucid.compile(f, backend=backend)(mine).numpy(), f(other).numpy(), 1e-6)
            assert lucid.equal(mine, other)
            assert not (local.transforms or local.frames or local.nesting)
    lucid._dynamo.reset()
