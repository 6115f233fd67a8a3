"""Compiles C text with the machine's own compiler, once per text: later processes find the library in a cache.

    compile_source(text) -> path of the shared library   (NoCompiler, CompileError)
    compile_many(texts)  -> [path or CompileError]: several compilers at once, answers in the order of the texts
    load(text)           -> ctypes.CDLL, one per text and process
    usable()             -> whether a compiler was found and its first library ran here; warns once when it fails
    promising()          -> the same, without trying as long as nothing has failed
    report(error)        -> of a caller that goes on without a library: whether others can be made; warns once if not

Without a compiler everything here answers None or raises NoCompiler; nothing else depends on one. The cache is
trusted with code that runs here, so it must be private, and what it holds is checked before it is opened: for each key
a note `KEY.sum` names a library `KEY-CHECKSUM.so`. Both are written aside and renamed, so they are whole or absent
whoever else compiles the same text at the time, and a library that was cut short or changed no longer fits its name.
"""

import contextlib
import ctypes
import errno
import functools
import hashlib
import os
import platform
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from .._base.state import warn_once
from .cache import cache_directory, fall_back, own_directory, read_file, trim, write_file

# No errno (its writes forbid vectors), signed overflow wraps, and a * b + c is two roundings, as in numpy and torch.
FLAGS = (
    "-O3",
    "-march=native",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fwrapv",
    "-ffp-contract=off",
    "-fopenmp-simd",  # heeds `#pragma omp simd`; needs no runtime library
    "-fPIC",
    "-shared",
    "-w",
) + (("-undefined", "dynamic_lookup") if sys.platform == "darwin" else ())
LIBRARIES = ("-lm", "-lpthread")
FIRST = "int lucid_answer(void) { return 42; }"  # the library that shows whether a compiler works
CACHE_VERSION = "2"  # another number leaves everything compiled before behind


class NoCompiler(RuntimeError):
    """No C compiler was found on this machine."""

    def __init__(self):
        super().__init__("no C compiler was found ($CC, gcc, clang, cc): install one, or `pip install ziglang`")


class CompileError(RuntimeError):
    """The compiler refused a text, or took too long; the message is the compiler's."""


class CompilerLost(CompileError):
    """The compiler hangs, cannot be started or makes nothing that can be used: no text is going to fare better."""


@functools.lru_cache(None)
def compiler():
    """The command of a C compiler as a tuple ($CC, gcc, clang, cc, or the ziglang package's), or None ($CC=none)."""
    chosen = shlex.split(os.environ.get("CC", ""))
    if chosen == ["none"]:
        return None
    for command in (chosen, ["gcc"], ["clang"], ["cc"]):
        if command and (found := shutil.which(command[0])):
            return (found, *command[1:])
    import importlib.util

    if importlib.util.find_spec("ziglang") is not None:
        return (sys.executable, "-m", "ziglang", "cc")
    return None


def _timeout():
    """Seconds that a compilation may take."""
    try:
        return float(os.environ.get("LUCID_COMPILE_TIMEOUT", 120))
    except ValueError:
        return 120.0


@contextlib.contextmanager
def _uninterrupted():
    """Ctrl-C waits until the block is done: a process that starts in it is known then, and can be ended."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    waiting = []
    signal.signal(signal.SIGINT, lambda *seen: waiting.append(seen))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if waiting:
            before(*waiting[0])


def _end(process):
    """End a process and what it started, where it still runs. It has a group of its own."""
    if process is not None and process.poll() is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except OSError:
            process.kill()
        process.wait()


def _output(command):
    """What a command prints; empty when it fails or hangs."""
    process = None
    with tempfile.TemporaryFile() as out:
        try:
            with _uninterrupted():
                process = subprocess.Popen(command, start_new_session=True, stdout=out, stderr=subprocess.DEVNULL)
            process.wait(min(5.0, _timeout()))
        except (OSError, subprocess.TimeoutExpired):
            return ""
        finally:
            _end(process)
        out.seek(0)
        return out.read().decode(errors="replace")


@functools.lru_cache(None)
def identity():
    """What a compiled library depends on besides its text: compiler, flags, processor, the layout of the cache."""
    command = compiler() or ("no compiler",)
    version = _output([*command, "--version"]) if compiler() else ""
    processor = platform.processor()
    if sys.platform == "darwin":
        processor += _output(["sysctl", "-n", "machdep.cpu.brand_string"])
    try:
        with open("/proc/cpuinfo") as f:
            processor += "".join(sorted({line for line in f if line.startswith(("flags", "Features", "model name"))}))
    except OSError:
        pass
    return "\0".join([CACHE_VERSION, *command, version, *FLAGS, *LIBRARIES, platform.machine(), processor])


def key_of(text):
    """The name of a text in the cache: another compiler, processor or set of flags gives another."""
    return hashlib.sha256(f"{identity()}\0{text}".encode()).hexdigest()[:32]


def _checksum(content):
    return hashlib.sha256(content).hexdigest()[:32]


def cached(directory, key):
    """The path of this key's library if it is there and whole, else None."""
    checksum = (read_file(os.path.join(directory, f"{key}.sum")) or b"").decode("ascii", "replace")
    if len(checksum) != 32 or not checksum.isalnum():  # nothing else may become part of a path
        return None
    path = os.path.join(directory, f"{key}-{checksum}.so")
    content = read_file(path)
    if content is None or _checksum(content) != checksum:
        return None
    for used in (path, os.path.join(directory, f"{key}.sum")):  # trimmed later than what nobody uses
        try:
            os.utime(used)
        except OSError:
            break
    return path


def _keep(directory, key, made):
    """The compiled file moved into the cache; its path there."""
    with open(made, "rb") as f:
        checksum = _checksum(f.read())
    path = os.path.join(directory, f"{key}-{checksum}.so")
    os.chmod(made, 0o700)
    os.replace(made, path)
    write_file(os.path.join(directory, f"{key}.sum"), checksum.encode())
    return path


class _Compilation:
    """One run of the compiler, in a process group and a scratch directory of its own."""

    def __init__(self, text, key, directory):
        self.key, self.directory, self.process = key, directory, None
        # not TemporaryDirectory: a process forked meanwhile would remove it at its own exit
        self.scratch = tempfile.mkdtemp(prefix=f"work-{os.getpid()}-", dir=directory)
        self.source, self.made = (os.path.join(self.scratch, name) for name in ("kernel.c", "kernel.so"))
        self.complaints = os.path.join(self.scratch, "complaints")
        self.text = text

    def start(self):
        """Start the compiler."""
        with open(self.source, "w") as f:
            f.write(self.text)
        self.deadline = time.monotonic() + _timeout()
        # a file and no pipe: a server that the compiler leaves behind could keep a pipe open for ever
        with open(self.complaints, "wb") as out:
            try:
                with _uninterrupted():
                    self.process = subprocess.Popen(
                        [*compiler(), *FLAGS, self.source, "-o", self.made, *LIBRARIES],
                        env=dict(os.environ, LC_ALL="C", TMPDIR=self.scratch),
                        stdin=subprocess.DEVNULL,
                        stdout=out,
                        stderr=out,
                        start_new_session=True,
                    )
            except OSError as error:
                raise CompilerLost(f"{compiler()[0]} cannot be started: {error}") from error

    def done(self):
        """Whether the compiler has ended; CompileError when its time is up."""
        if self.process.poll() is not None:
            return True
        if time.monotonic() > self.deadline:
            raise CompilerLost(
                f"{compiler()[0]} had not finished after {_timeout():g} seconds (LUCID_COMPILE_TIMEOUT) and was stopped"
            )
        return False

    def result(self):
        """The path of the finished library in the cache."""
        if self.process.returncode or not os.path.exists(self.made):
            said = (read_file(self.complaints) or b"").decode(errors="replace").strip()
            if "No space left on device" in said or not said and shutil.disk_usage(self.directory).free < 1 << 16:
                raise OSError(errno.ENOSPC, said or os.strerror(errno.ENOSPC))
            raise CompileError(said or f"{compiler()[0]} failed with code {self.process.returncode}")
        return _keep(self.directory, self.key, self.made)

    def end(self):
        """Nothing stays behind: neither processes nor files."""
        _end(self.process)
        shutil.rmtree(self.scratch, ignore_errors=True)


def _settled(running, answers):
    """Take the finished ones out of {place: compilation}; their paths or errors into answers."""
    for place, job in list(running.items()):
        try:
            if not job.done():
                continue
            answers[place] = job.result()
        except CompileError as error:
            answers[place] = error
        del running[place]
        job.end()


def _compile_all(texts, keys, places, directory, answers):
    """Compile the texts at these places, a few at a time; OSError when the directory cannot be written."""
    width = max(1, min(len(places), len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2))
    waiting, running, pause = list(places), {}, 0.001
    try:
        while waiting or running:
            while waiting and len(running) < width:
                place = waiting.pop(0)
                job = running[place] = _Compilation(texts[place], keys[place], directory)
                try:
                    job.start()
                except CompileError as error:
                    answers[place] = error
                    running.pop(place).end()
            time.sleep(pause)
            pause = min(0.005, pause * 1.5)
            _settled(running, answers)
            lost = next((a for a in answers if isinstance(a, CompilerLost)), None)
            if lost is not None:
                answers[:] = [lost if a is None else a for a in answers]
                break
    finally:
        for job in running.values():
            job.end()


def _compile_missing(texts, keys, directory):
    """The answers of compile_many, with this directory as the cache."""
    answers = [cached(directory, key) for key in keys]
    first = {}
    for place, key in enumerate(keys):
        if answers[place] is None:
            first.setdefault(key, place)
    if first:
        _compile_all(texts, keys, list(first.values()), directory, answers)
        trim(directory)
    return [answers[first.get(key, place)] for place, key in enumerate(keys)]


def compile_many(texts):
    """The paths of shared libraries made of these C texts, in order; a CompileError stands for a text it refuses.

    As many compilers run at once as there are processors. NoCompiler where there is none.
    """
    if compiler() is None:
        raise NoCompiler()
    keys = [key_of(text) for text in texts]
    try:
        directory = cache_directory()
        try:
            return _compile_missing(texts, keys, directory)
        except OSError as error:
            fall_back(directory, error)
            return _compile_missing(texts, keys, cache_directory())
    except OSError as error:
        raise CompileError(f"nothing could be written for the compiler: {error}") from error


def compile_source(text):
    """The path of a shared library made of this C text. NoCompiler where there is none, CompileError if it refuses."""
    answer = compile_many([text])[0]
    if isinstance(answer, CompileError):
        raise answer
    return answer


def forget(path):
    """Take a library out of the cache (one that cannot be opened), so that it is made anew."""
    for name in (path, path.rpartition("-")[0] + ".sum"):
        try:
            os.unlink(name)
        except OSError:
            pass


def warn(error):
    """Say once that native kernels are done without, and why."""
    lines = str(error).splitlines() or [type(error).__name__]
    warn_once(f"lucid goes on without native kernels: {lines[0]} (python -m lucid doctor says more; CC=none is silent)")


def opened(text, open_library):
    """open_library(path of the compiled text); one that cannot be opened is made again, at last in another place."""
    for _ in range(2):
        path = compile_source(text)
        try:
            return open_library(path)
        except (OSError, ImportError) as caught:
            error, place = caught, os.path.dirname(path)
            forget(path)
    try:  # a file system from which nothing may be run?
        path = _compile_missing([text], [key_of(text)], own_directory())[0]
        found = None if isinstance(path, CompileError) else open_library(path)
    except (OSError, ImportError):
        found = None
    if found is None:
        raise CompilerLost(f"what {compiler()[0]} made cannot be opened: {error}") from error
    fall_back(place, error)
    return found


@functools.lru_cache(None)
def load(text):
    """The compiled text as a ctypes library; its functions take addresses."""
    return opened(text, ctypes.CDLL)


@functools.lru_cache(None)
def usable():
    """Whether native kernels can be made here: a compiler was found, and a first library of its making ran.

    A compiler that is there and fails gives one warning that says so; none at all gives no warning.
    """
    if compiler() is None:
        return False
    try:
        if lost() is None and load(FIRST).lucid_answer() == 42:
            return True
        error = lost() or CompileError(f"what {compiler()[0]} compiles gives wrong answers")
    except CompileError as caught:
        error = caught
    warn(error)
    return False


_failures = []  # CompileErrors of this process that somebody reported


def lost():
    """The error after which no other text need be tried, or None."""
    return next((error for error in _failures if isinstance(error, CompilerLost)), None)


def promising():
    """Is there a compiler that has not failed yet, or that can compile something at least?"""
    return compiler() is not None and (not _failures or usable())


def report(error):
    """Note that a text could not be compiled. Whether others can be: if not, says once why, and what to do."""
    if compiler() is None:
        if os.environ.get("CC", "").strip() != "none":
            warn(error)
        return False
    if not _failures or isinstance(error, CompilerLost) and lost() is None:
        usable.cache_clear()
    _failures.append(error)
    return usable()
