"""The machine room of native kernels: vector mathematics, the pool of threads, extension modules, cache and store."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
import torch

from lucid._array.numpy.threads import cpus
from lucid._codegen import build, cache, extension, mathematics, pool, store

needs_compiler = pytest.mark.skipif(build.compiler() is None, reason="there is no C compiler here")
SPECIAL = [
    0.0,
    -0.0,
    np.inf,
    -np.inf,
    np.nan,
    1,
    -1,
    0.5,
    -0.5,
    2,
    8,
    10,
    1e-45,
    -1e-45,
    1e-39,
    1.1754944e-38,
    88.7,
    89,
]
SPECIAL += [-87.3, -88, -103, -104, 3e38, -3e38, 0.93, 0.55, 9.5, -18.5, 1e10, -1e10, 16777216.0, 1e-20, -1e-30]


# ---- mathematics


def kernels(dtype):
    """All functions of an element type as Python functions on arrays."""
    real, suffix = ("float", "f") if dtype == "float32" else ("double", "")
    text, names = "", []
    for name in mathematics.FLOAT32 if dtype == "float32" else mathematics.FLOAT64:
        second = (f"const {real} *restrict y, ", ", y[i]") if name == "pow" else ("", "")
        text += mathematics.text(name, dtype) + (
            f"void k_{name}(const {real} *restrict x, {second[0]}{real} *restrict o, long n)\n"
            f"{{ for (long i = 0; i < n; i++) o[i] = lucid_{name}{suffix}(x[i]{second[1]}); }}\n"
        )
        names.append((f"k_{name}", 3 if name == "pow" else 2, 1))
    return extension.load(text, names)


def by_torch(name, *arrays):
    return getattr(torch, name)(*map(torch.from_numpy, arrays)).numpy()


def exact(name, x):
    """In double precision; sigmoid by a form that has no overflow."""
    x = x.astype(np.float64)
    if name == "sigmoid":
        e = np.exp(-abs(x))
        return np.where(x < 0, e, 1) / (1 + e)
    return by_torch(name, x)


def misses(got, expected, dtype):
    """(largest distance in units of the last place, places where another kind of number came out)."""
    tiny = np.finfo(dtype).tiny
    with np.errstate(all="ignore"):
        rounded = expected.astype(dtype)
        unit = np.spacing(np.maximum(abs(rounded), tiny)).astype(np.float64)
        off = abs(got.astype(np.float64) - expected) / unit
    finite = np.isfinite(got) & np.isfinite(rounded)
    kinds = [np.isnan(got) != np.isnan(rounded), np.isinf(got) != np.isinf(rounded)]
    kinds.append(~np.isnan(got) & (np.signbit(got) != np.signbit(rounded)))
    return off[finite].max(), np.logical_or.reduce(kinds)


@needs_compiler
@pytest.mark.parametrize("name", [n for n in mathematics.FLOAT32 if n != "pow"])
def test_floats_are_right_to_two_units(name):
    """A sample of all floats by their bits, of every kind and exponent, with the special ones."""
    x = np.arange(0, 1 << 32, 20011, dtype=np.uint64).astype(np.uint32).view(np.float32)
    x = np.concatenate([x, np.array(SPECIAL, np.float32), np.linspace(-3, 3, 20000, dtype=np.float32)])
    got = np.empty_like(x)
    getattr(kernels("float32"), f"k_{name}")(x, got, x.size)
    with np.errstate(all="ignore"):
        off, wrong = misses(got, exact(name, x), np.float32)
    assert not wrong.any(), (x[wrong][:5], got[wrong][:5])
    assert off <= 2.0


@needs_compiler
@pytest.mark.parametrize("name", mathematics.FLOAT32)
def test_special_floats_are_torchs(name):
    """The same infinities, NaN, zeros with their signs, and denormals."""
    x = np.array(SPECIAL, np.float32)
    arrays = (x,) if name != "pow" else tuple(a.ravel() for a in np.meshgrid(x, np.append(x, [3, -3, 2.5])))
    arrays = [np.ascontiguousarray(a, np.float32) for a in arrays]
    got, theirs = np.empty_like(arrays[0]), by_torch(name, *arrays)
    getattr(kernels("float32"), f"k_{name}")(*arrays, got, got.size)
    if name == "sigmoid":  # torch's 1 / (1 + exp(-x)) loses what is below the smallest normal float
        theirs = exact(name, arrays[0]).astype(np.float32)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(got, theirs, rtol=1e-6, atol=2e-45)
    # torch's vector functions give +0 for tan(-0) in some builds and so on: zeros are held against C99 by `misses`
    nonzero = (theirs != 0) & ~np.isnan(theirs)
    assert (np.signbit(got) == np.signbit(theirs))[nonzero].all()


@needs_compiler
@pytest.mark.parametrize("name", mathematics.FLOAT64)
def test_doubles(name):
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.uniform(-750, 750, 20000), rng.uniform(-7, 7, 20000), rng.uniform(-1, 1, 20000)])
    x = np.concatenate([x, np.exp(rng.uniform(-740, 0, 5000)), SPECIAL, [5e-324, 1e308, -1e308, 709.7, -745.2]])
    got, long = np.empty_like(x), np.longdouble(x)
    getattr(kernels("float64"), f"k_{name}")(x, got, x.size)
    with np.errstate(all="ignore"):
        theirs = {
            "rsqrt": lambda: 1 / np.sqrt(long),
            "sigmoid": lambda: np.where(x < 0, np.exp(-abs(long)), 1) / (1 + np.exp(-abs(long))),
            "erf": lambda: by_torch("erf", x),
        }.get(name, lambda: getattr(np, name)(long))()
        off, wrong = misses(got, np.asarray(theirs, np.float64), np.float64)
    assert not wrong.any(), (x[wrong][:5], got[wrong][:5])
    assert off <= 2.5  # the reference is rounded as well


@needs_compiler
def test_powers():
    rng = np.random.default_rng(0)
    x = np.exp(rng.uniform(-80, 80, 50000)).astype(np.float32) * rng.choice([1, -1], 50000).astype(np.float32)
    y = np.where(rng.random(50000) < 0.5, rng.integers(-9, 9, 50000), rng.uniform(-2, 2, 50000)).astype(np.float32)
    got = np.empty_like(x)
    kernels("float32").k_pow(x, y, got, x.size)
    with np.errstate(all="ignore"):
        off, wrong = misses(got, np.power(x.astype(np.float64), y), np.float32)
    assert not wrong.any()
    assert off <= 1.0


@needs_compiler
@pytest.mark.parametrize("half", ["float16", "bfloat16"])
def test_halves(half):
    """Every number of 16 bits to float; floats back, with ties, neighbours of ties and everything out of range."""
    text, names = mathematics.HALVES, []
    for name, a, b in (
        (f"{half}_to_float", "unsigned short", "float"),
        (f"float_to_{half}", "float", "unsigned short"),
    ):
        text += f"void k_{name}(const {a} *restrict x, {b} *restrict o, long n)\n"
        text += f"{{ for (long i = 0; i < n; i++) o[i] = lucid_{name}(x[i]); }}\n"
        names.append((f"k_{name}", 2, 1))
    made, bits, dtype = extension.load(text, names), np.arange(65536, dtype=np.uint16), getattr(torch, half)
    wide = np.empty(65536, np.float32)
    getattr(made, f"k_{half}_to_float")(bits, wide, 65536)
    theirs = torch.from_numpy(bits.view(np.int16)).view(dtype).float().numpy()
    np.testing.assert_array_equal(wide, theirs)
    assert (np.signbit(wide) == np.signbit(theirs)).all()
    with np.errstate(all="ignore"):
        ties = np.float32((wide[:-1].astype(np.float64) + wide[1:]) / 2)
    x = np.arange(0, 1 << 32, 10007, dtype=np.uint64).astype(np.uint32).view(np.float32)
    x = np.concatenate([x, wide, ties, np.nextafter(ties, np.float32(9e38)), np.nextafter(ties, np.float32(-9e38))])
    x, back = np.ascontiguousarray(x, np.float32), np.empty(x.size, np.uint16)
    getattr(made, f"k_float_to_{half}")(x, back, x.size)
    theirs = torch.from_numpy(x).to(dtype).view(torch.int16).numpy().view(np.uint16)
    nan = np.isnan(x)
    np.testing.assert_array_equal(back[~nan], theirs[~nan])
    assert torch.from_numpy(back[nan].view(np.int16)).view(dtype).isnan().all()


@needs_compiler
def test_loops_become_vectors():
    """Each function costs a few nanoseconds at most: as scalar code all would take longer than their C functions."""
    x = np.random.default_rng(0).standard_normal(100000).astype(np.float32)
    out, made, slow = np.empty_like(x), kernels("float32"), []
    for name in ("exp", "tanh", "erf", "sigmoid", "log1p", "expm1"):
        kernel, library = getattr(made, f"k_{name}"), f"{'exp' if name == 'sigmoid' else name}f"
        scalar = extension.load(
            f"void k(const float *restrict x, float *restrict o, long n)\n"
            f"{{ for (long i = 0; i < n; i++) o[i] = __builtin_{library}(x[i]); }}\n",
            [("k", 2, 1)],
        ).k
        ours, theirs = (min(_seconds(k, x, out) for _ in range(7)) for k in (kernel, scalar))
        if ours > theirs:
            slow.append((name, ours, theirs))
    assert len(slow) <= 1, slow  # one may be disturbed by its neighbours


def _seconds(kernel, x, out):
    start = time.perf_counter()
    kernel(x, out, x.size)
    return time.perf_counter() - start


# ---- the pool

TASKS = """
struct part { const float *a; float *o; long n, size; };
static void some(void *context, long index)
{
  struct part *p = context;
  long from = index * p->size, to = from + p->size < p->n ? from + p->size : p->n;
  float sum = 0;
  for (long i = from; i < to; i++) { sum += p->a[i]; p->o[i] = sum; }
}
void sums(const float *a, float *o, long n, long size)
{
  struct part p = {a, o, n, size};
  lucid_parallel(some, &p, (n + size - 1) / size);
}
static void inner(void *context, long index) { __atomic_add_fetch((long *)context + index, 1, __ATOMIC_RELAXED); }
static void outer(void *context, long index) { lucid_parallel(inner, context, 5); }
void nested(long *counts, long n) { lucid_parallel(outer, counts, n); }
static void once(void *context, long index) { ((long *)context)[index] += 1; }
void each(long *counts, long n) { lucid_parallel(once, counts, n); }
"""


@pytest.fixture
def tasks():
    if not build.usable():
        pytest.skip("there is no working C compiler here")
    before = pool.threads()
    yield extension.load(TASKS, [("sums", 2, 2), ("nested", 1, 1), ("each", 1, 1)])
    pool.set_threads(before)


def _sums(tasks, x):
    out = np.empty_like(x)
    tasks.sums(x, out, x.size, 1000)
    return out


def test_results_do_not_depend_on_the_number_of_threads(tasks):
    x = np.random.default_rng(0).standard_normal(300_001).astype(np.float32)
    pool.set_threads(1)
    expected = _sums(tasks, x)
    for n in (2, 3, 7, 1, 2):
        pool.set_threads(n)
        assert pool.threads() == n
        for _ in range(20):
            assert (_sums(tasks, x) == expected).all()


def test_every_index_once_and_nested_calls(tasks):
    pool.set_threads(4)
    for n in (0, 1, 2, 3, 5, 64, 1000):
        counts = np.zeros(n + 1, np.int64)
        for _ in range(30):
            tasks.each(counts, n)
        assert (counts[:n] == 30).all()
        assert counts[n] == 0
    counts = np.zeros(5, np.int64)
    tasks.nested(counts, 100)
    assert (counts == 100).all()


def test_two_python_threads_at_once(tasks):
    pool.set_threads(2)
    x = np.random.default_rng(0).standard_normal(100_000).astype(np.float32)
    expected, wrong = _sums(tasks, x), []

    def many():
        for _ in range(100):
            if not (_sums(tasks, x) == expected).all():
                wrong.append(1)

    threads = [threading.Thread(target=many) for _ in range(3)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert not wrong


def in_child(function):
    """The exit code of a forked child that runs this; killed when it hangs."""
    pid = os.fork()
    if not pid:
        try:
            os._exit(0 if function() else 1)
        finally:
            os._exit(2)
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return "hung"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_has_a_pool_of_its_own(tasks):
    pool.set_threads(3)
    x = np.random.default_rng(0).standard_normal(100_000).astype(np.float32)
    expected, stop = _sums(tasks, x), threading.Event()
    busy = threading.Thread(target=lambda: [_sums(tasks, x) for _ in iter(stop.is_set, True)])
    busy.start()  # the child is made while another thread has the pool
    try:
        for _ in range(5):
            assert in_child(lambda: all((_sums(tasks, x) == expected).all() for _ in range(10))) == 0
    finally:
        stop.set()
        busy.join()
    assert (_sums(tasks, x) == expected).all()


def test_threads_follow_set_num_threads(tasks):
    import lucid

    before = lucid.get_num_threads()
    lucid.set_num_threads(3)
    assert pool.threads() == 3
    lucid.set_num_threads(before)
    assert pool.threads() == before


HOOKED = """
import numpy as np, threading, os
from lucid._codegen import extension, pool
import compat_tests.test_native as t
if not pool.hook_blas():
    raise SystemExit(77)
a = np.random.default_rng(0).standard_normal((500, 500))
s = a @ a.T + 500 * np.eye(500)
def numbers():
    f, d = a.astype("f"), np.linalg
    return [a @ s, f @ f, d.inv(s), d.cholesky(s), d.qr(a)[1], d.svd(a)[1], d.eigh(s)[0], d.solve(s, a), a @ a[0]]
hooked = numbers()
workers = pool.core().lucid_workers()
assert workers == 1, workers
threads = [threading.Thread(target=lambda: hooked.extend(numbers())) for _ in range(3)]
[x.start() for x in threads], [x.join() for x in threads]
def right():
    return all(np.allclose(x, hooked[0]) for x in (a @ s,))
assert t.in_child(right) == 0
pool.unhook_blas()
for i, expected in enumerate(numbers() * 4):
    assert np.array_equal(expected, hooked[i]), i
"""


@needs_compiler
def test_openblas_on_the_pool():
    """Products and decompositions give the very same numbers on our threads, from several Python threads, and in a child."""
    environment = dict(os.environ, OPENBLAS_NUM_THREADS="2", OMP_NUM_THREADS="2")
    done = run(HOOKED, env=environment)
    if done.returncode == 77:
        pytest.skip("this numpy's BLAS has no hook for threads")
    assert done.returncode == 0, done.stderr


def run(text, **how):
    """A Python process that runs this text."""
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    how["env"] = dict(how.get("env", os.environ), PYTHONPATH=root)
    command = [sys.executable, "-c", textwrap.dedent(text)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=root, check=False, **how)


# ---- extension modules

ADD = """
void add(const float *restrict a, const float *restrict b, float *restrict o, long n)
{
  for (long i = 0; i < n; i++) o[i] = a[i] + b[i];
}
void scale(float *a, long n, double by, double more) { for (long i = 0; i < n; i++) a[i] = a[i] * by + more; }
void nothing(void) {}
"""
ADDS = [("add", 3, 1), ("scale", 1, 1, 2), ("nothing", 0, 0)]


@needs_compiler
@pytest.mark.parametrize("kind", ["extension", "ctypes", "slowest"])
def test_kernels_as_functions(kind, monkeypatch):
    if kind == "slowest":  # a Python whose arrays look different
        monkeypatch.setattr(extension, "head", lambda: None)
        extension._load.cache_clear()
    made = extension.load(ADD, ADDS) if kind != "ctypes" else extension.by_ctypes(ADD, ADDS)
    extension._load.cache_clear()
    assert made.kind == ("extension" if kind == "extension" and extension.head() else "ctypes")
    for n in (0, 7, 100_000):  # the last one lets other threads run
        a = np.arange(2 * n, dtype=np.float32)[n:]
        b, o = a + 1, np.zeros_like(a)
        assert made.add(a, b, o, np.int64(n)) is None
        assert (o == a + b).all()
        made.scale(o, n, 2, -1.0)
        np.testing.assert_array_equal(o, (a + b) * 2 - 1)
    assert made.nothing() is None

    class Mine(np.ndarray):
        pass

    made.scale(a[:3].view(Mine), 3, 0.0, 5.0)
    assert (a[:3] == 5).all()
    for wrong in ((a, b, o), (a, b, o, 1, 2), (a, [1.0], o, 1), (a, None, o, 1), (a, b, o, 1.5), (a, b, o, "1")):
        with pytest.raises(TypeError):
            made.add(*wrong)
    with pytest.raises(TypeError):
        made.scale(a, 1, "x", 0.0)


@needs_compiler
def test_a_module_that_does_not_read_arrays_rightly_is_refused(monkeypatch):
    monkeypatch.setattr(extension, "_checked", lambda module, text: False)
    extension._load.cache_clear()
    assert extension.load(ADD, ADDS).kind == "ctypes"
    extension._load.cache_clear()


@needs_compiler
def test_sources_compiled_ahead():
    texts = [f"int n{i}(void) {{ return {i}; }}\nvoid k{i}(int *a) {{ a[0] = {i}; }}\n" for i in range(4)]
    build.compile_many([extension.source(t, [(f"k{i}", 1, 0)]) for i, t in enumerate(texts)])
    for i, text in enumerate(texts):
        a = np.zeros(1, np.int32)
        getattr(extension.load(text, [(f"k{i}", 1, 0)]), f"k{i}")(a)
        assert a[0] == i


# ---- the cache


@pytest.fixture
def fresh(tmp_path, monkeypatch):
    """A cache of its own for one test."""
    monkeypatch.setenv("LUCID_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "_own", {})
    return tmp_path / "cache"


ANSWER = "int lucid_answer(void) { return 42; } /* %s */\n"


def answer(text):
    import ctypes

    return build.opened(text, ctypes.CDLL).lucid_answer()


def left(directory):
    return sorted(os.listdir(directory))


@needs_compiler
@pytest.mark.parametrize("damage", ["truncated", "empty", "foreign", "changed", "note", "note elsewhere", "removed"])
def test_damaged_entries_are_made_again(fresh, damage):
    text = ANSWER % damage
    path = build.compile_source(text)
    assert os.path.dirname(path) == str(fresh)
    content = open(path, "rb").read()
    damaged = {
        "truncated": content[:1000],
        "empty": b"",
        "foreign": b"\x7fELF hello",
        "changed": content[:-9] + b"x" * 9,
    }
    note = path.rpartition("-")[0] + ".sum"
    if damage in damaged:
        with open(path, "wb") as f:
            f.write(damaged[damage])
    elif damage == "removed":
        os.unlink(path)
    else:
        with open(note, "w") as f:
            f.write("no" if damage == "note" else "/../../somewhere/else-0123456789ab")
    code = f"from lucid._codegen import build; assert build.load({text!r}).lucid_answer() == 42"
    assert run(code).returncode == 0
    assert len(left(fresh)) == 2
    assert build.compile_source(text) == path


@needs_compiler
def test_a_library_that_cannot_be_opened(fresh):
    """Its checksum is right, as of one made on another machine with the same key."""
    text, junk = ANSWER % "unopenable", b"not a library at all"
    path = build.compile_source(text)
    other = os.path.join(fresh, f"{build.key_of(text)}-{build._checksum(junk)}.so")
    cache.write_file(other, junk)
    cache.write_file(path.rpartition("-")[0] + ".sum", build._checksum(junk).encode())
    assert build.compile_source(text) == other
    assert answer(text) == 42


def test_directories_of_others_are_not_used(fresh, monkeypatch, recwarn):
    fresh.mkdir(mode=0o700)
    assert cache.cache_directory() == str(fresh)
    fresh.chmod(0o777)
    other = cache.cache_directory()
    assert other != str(fresh)
    assert os.stat(other).st_mode & 0o777 == 0o700
    assert cache.cache_directory() == other
    said = [str(w.message) for w in recwarn if "LUCID_CACHE" in str(w.message)]
    assert len(said) == 1
    assert "chmod 700" in said[0]
    fresh.chmod(0o700)
    monkeypatch.setattr(cache, "_own", {})
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert cache._objection(fresh).startswith("it belongs to another user")


@needs_compiler
@pytest.mark.parametrize("where", ["a file", "inside a file", "no right", "full"])
def test_unusable_directories(tmp_path, where):
    """One warning that says what to do, and the kernels work for this process; nothing stays when it ends."""
    place = tmp_path / "cache"
    full = ""
    if where == "no right":
        place.mkdir()
        place.chmod(0o500)
        if os.access(place, os.W_OK):  # root may write anywhere
            full = "PermissionError(13, 'Permission denied')"
    elif where == "full":
        full = "OSError(28, 'No space left on device')"
    else:
        place.write_text("")
        place = place / "below" if where == "inside a file" else place
    done = run(
        f"""
        import warnings
        from lucid._codegen import build, cache, store
        real = build.tempfile.mkdtemp
        def refuse(*a, dir=None, **k):
            if dir == {str(place)!r}:
                raise {full or None}
            return real(*a, dir=dir, **k)
        if {bool(full)}:
            build.tempfile.mkdtemp = refuse
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            for i in range(3):
                assert build.load("int lucid_answer(void) {{ return %d; }}" % i).lucid_answer() == i
            assert store.put("a", b"b") and store.get("a") == b"b"
        assert len(seen) == 1 and "LUCID_CACHE" in str(seen[0].message), seen
        print(cache.cache_directory())
        """,
        env=dict(os.environ, LUCID_CACHE=str(place), TMPDIR=str(tmp_path)),
    )
    assert done.returncode == 0, done.stderr
    assert not os.path.exists(done.stdout.strip())


@needs_compiler
def test_a_full_disk_under_the_compiler(fresh, monkeypatch):
    """The compiler says that there is no room: the process goes on elsewhere."""
    real = build._Compilation.result

    def result(self):
        if self.directory == str(fresh):
            self.process.returncode = 1
            with open(self.complaints, "w") as f:
                f.write("/tmp/x.s: fatal error: error writing to kernel.s: No space left on device")
        return real(self)

    monkeypatch.setattr(build._Compilation, "result", result)
    with pytest.warns(UserWarning, match="LUCID_CACHE"):
        assert answer(ANSWER % "full disk") == 42
    assert left(fresh) == []


@needs_compiler
def test_processes_at_once(fresh):
    code = """
    from lucid._codegen import build
    for i in range(3):
        assert build.load("int lucid_answer(void) { return %d; }" % (i + 5)).lucid_answer() == i + 5
    """
    runs = []
    threads = [threading.Thread(target=lambda: runs.append(run(code))) for _ in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert [r.returncode for r in runs] == [0] * 4, runs
    assert len(left(fresh)) == 6


@needs_compiler
def test_many_texts(fresh):
    texts = [ANSWER % i for i in range(5)] + ["int wrong( {", ANSWER % 0]
    paths = build.compile_many(texts)
    assert isinstance(paths[5], build.CompileError)
    assert "error" in str(paths[5])
    assert paths[0] == paths[6]
    assert len(set(paths[:5])) == 5
    assert build.compile_many(texts[:5]) == paths[:5]
    assert len(left(fresh)) == 10


def script(path, text):
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return str(path)


def test_compilers_that_fail(tmp_path):
    """One warning and no kernels: for one that fails, one that hangs, one that cannot be started, one that makes nothing."""
    for name, text, said in (
        ("fails", "echo this compiler is broken; exit 1", "this compiler is broken"),
        ("hangs", "case $1 in --version) exit;; esac\nsleep 987654 & wait", "had not finished after 0.5 seconds"),
        ("empty", "exit 0", "failed with code 0"),
        ("liar", 'for x in "$@"; do case $x in *.so) echo hello > $x;; esac; done', "cannot be opened"),
    ):
        environment = dict(os.environ, CC=script(tmp_path / name, text), LUCID_COMPILE_TIMEOUT="0.5")
        environment["LUCID_CACHE"] = str(tmp_path / f"cache of {name}")
        done = run(
            """
            import warnings
            from lucid._codegen import build, extension, pool
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                assert not build.usable() and not build.usable()
                assert pool.core() is None and pool.address() == 0 and pool.threads() == 1 and not pool.hook_blas()
            print(*[str(w.message) for w in seen if "without native" in str(w.message)], sep="\\n")
            try:
                extension.load("void f(void) {}", [("f", 0, 0)])
            except build.CompileError as error:
                pass
            """,
            env=environment,
        )
        assert done.returncode == 0, (name, done.stderr)
        assert said in done.stdout, (name, done.stdout)
        assert done.stdout.count("\n") == 1
        assert left(tmp_path / f"cache of {name}") == []
    assert not running("987654")


def running(text):
    """Whether a process with this in its command line is there."""
    return text in subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=False).stdout


def test_an_interrupt_ends_the_compiler(tmp_path):
    environment = dict(os.environ, LUCID_CACHE=str(tmp_path / "cache"))
    environment["CC"] = script(
        tmp_path / "slow", "case $1 in --version) exit;; esac\necho > $0.on\nsleep 876543 & wait"
    )
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    code = "from lucid._codegen import build; build.compile_source('int f(void) { return 1; }')"
    child = subprocess.Popen(
        [sys.executable, "-c", code], env=dict(environment, PYTHONPATH=root), stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 30
    while not os.path.exists(tmp_path / "slow.on") and time.monotonic() < deadline:
        time.sleep(0.01)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=30)
    assert "KeyboardInterrupt" in said
    assert left(tmp_path / "cache") == []
    assert not running("876543")


@needs_compiler
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_fork_while_compiling(fresh):
    """The child can compile at once, and its end leaves the parent's compilation alone."""
    texts, paths = [ANSWER % f"fork {i}" for i in range(6)], []
    compiling = threading.Thread(target=lambda: paths.extend(build.compile_many(texts)))
    compiling.start()
    time.sleep(0.02)
    assert in_child(lambda: answer(ANSWER % "in the child") == 42) == 0
    compiling.join()
    assert all(os.path.exists(p) for p in paths)
    assert len(left(fresh)) == 14


def test_no_compiler():
    done = run(
        """
        import warnings
        warnings.simplefilter("error")
        from lucid._codegen import build, extension, pool
        assert build.compiler() is None and not build.usable() and pool.core() is None and not pool.hook_blas()
        pool.set_threads(2)
        for f in (lambda: build.compile_many(["int x;"]), lambda: extension.load("int x;", [])):
            try:
                f()
            except build.NoCompiler as error:
                assert "ziglang" in str(error)
            else:
                raise AssertionError
        """,
        env=dict(os.environ, CC="none"),
    )
    assert done.returncode == 0, done.stderr


# ---- the store


def test_store(fresh):
    assert store.get("graph") is None
    assert store.put("graph", b"first")
    assert store.put("graph", b"second" * 1000)
    assert store.put("other / ../ key", b"")
    assert store.get("graph") == b"second" * 1000
    assert store.get("other / ../ key") == b""
    path = store._path("graph")
    for damage in (
        b"",
        store.MAGIC,
        open(path, "rb").read()[:-1],
        b"x" * 500,
        open(store._path("other / ../ key"), "rb").read(),
    ):
        with open(path, "wb") as f:
            f.write(damage)
        assert store.get("graph") is None
    store.clear()
    assert store.get("other / ../ key") is None


def test_store_is_bounded(fresh, monkeypatch):
    monkeypatch.setattr(cache, "_scanned", {})
    monkeypatch.setattr(store, "LIMIT", 10_000)
    for i in range(20):
        assert store.put(f"key {i}", bytes(900))
        os.utime(store._path(f"key {i}"), (i, i))
    assert store.get("key 0") == bytes(900)  # used now
    cache._scanned.clear()
    store.put("last", b"")
    kept = [i for i in range(20) if store.get(f"key {i}") is not None]
    assert kept == [0, *range(14, 20)]


def test_leftovers_of_killed_processes_go(fresh):
    directory = cache.cache_directory()
    for name, age in (("work-1-a", 200_000), ("work-2-b", 10), ("new-c", 200_000)):
        path = os.path.join(directory, name)
        os.mkdir(path) if name.startswith("work") else open(path, "w").close()
        os.utime(path, (time.time() - age,) * 2)
    cache.trim(directory, every=-1.0)
    assert left(directory) == ["work-2-b"]


def test_processors():
    assert cpus() >= 1
