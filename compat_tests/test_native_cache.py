"""The compiler behind native kernels: its cache under every kind of damage and accident, and the store of bytes."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from native_processes import in_child, run

from lucid._array.numpy.threads import cpus
from lucid._codegen import build, cache, store

needs_compiler = pytest.mark.skipif(build.compiler() is None, reason="there is no C compiler here")


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


def damage(kind, path):
    """Spoil a library, or the note that names it."""
    content, note = cache.read_file(path), path.rpartition("-")[0] + ".sum"
    if kind == "removed":
        os.unlink(path)
        return
    spoilt = {
        "truncated": content[:1000],
        "empty": b"",
        "foreign": b"\x7fELF hello",
        "changed": content[:-9] + b"x" * 9,
        "note": b"no",
        "note elsewhere": b"/../../somewhere/else-0123456789ab",
    }
    with open(note if kind.startswith("note") else path, "wb") as f:
        f.write(spoilt[kind])


@needs_compiler
def test_damaged_entries_are_made_again(fresh):
    kinds = ["truncated", "empty", "foreign", "changed", "note", "note elsewhere", "removed"]
    texts = [ANSWER % kind for kind in kinds]
    paths = build.compile_many(texts)
    assert {os.path.dirname(path) for path in paths} == {str(fresh)}
    for kind, path in zip(kinds, paths):
        damage(kind, path)
    code = f"""
    from lucid._codegen import build
    for text in {texts!r}:
        assert build.load(text).lucid_answer() == 42, text
    """
    done = run(code)
    assert done.returncode == 0, done.stderr
    assert len(left(fresh)) == 2 * len(kinds)
    assert build.compile_many(texts) == paths


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


@needs_compiler
def test_a_directory_from_which_nothing_may_be_run(fresh):
    """The process goes on with one of its own, and says so once."""
    import ctypes

    def open_library(path):
        if path.startswith(str(fresh)):
            raise OSError("failed to map segment from shared object")
        return ctypes.CDLL(path)

    with pytest.warns(UserWarning, match="set LUCID_CACHE") as said:
        for i in range(3):
            assert build.opened(ANSWER % i, open_library).lucid_answer() == 42
    assert len(said) == 1
    assert left(fresh) == []


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
    assert cache.objection(fresh).startswith("it belongs to another user")


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
    threads = [threading.Thread(target=lambda: runs.append(run(code))) for _ in range(3)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert [r.returncode for r in runs] == [0] * 3, runs
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


LONG = os.getpid() + 100_000  # seconds, by which a test knows the processes of its own


def script(path, text):
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return str(path)


def test_compilers_that_fail(tmp_path):
    """One warning and no kernels: for one that fails, one that hangs, one that cannot be started, one that makes nothing."""
    for name, text, said in (
        ("fails", "echo this compiler is broken; exit 1", "this compiler is broken"),
        ("hangs", f"case $1 in --version) exit;; esac\nsleep {LONG}1 & wait", "had not finished after 0.5 seconds"),
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
                assert pool.core() is None and pool.address() == 0 and pool.threads() == 1
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
    assert not running(f"sleep {LONG}1")


def running(text):
    """Whether a process with this in its command line is there."""
    return text in subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=False).stdout


def test_an_interrupt_ends_the_compiler(tmp_path):
    environment = dict(os.environ, LUCID_CACHE=str(tmp_path / "cache"))
    environment["CC"] = script(
        tmp_path / "slow", f"case $1 in --version) exit;; esac\necho > $0.on\nsleep {LONG}2 & wait"
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
    assert not running(f"sleep {LONG}2")


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
        assert build.compiler() is None and not build.usable() and pool.core() is None
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
        cache.read_file(path)[:-1],
        b"x" * 500,
        cache.read_file(store._path("other / ../ key")),
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
