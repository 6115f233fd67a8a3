"""Kernels that are compiled once per machine, alone or many together, and found by what they are.

    functions([(text, (name, n_arrays, n_longs, n_doubles))]) -> [function]      compiled where they are not there yet
    together(kernels)                                                            many, in modules of some size each

A kernel's name says its text (`name_of`), so that many can stand in one module; a note in the store says in which
module a kernel is. NoCompiler and CompileError come from `build`.
"""

import functools
import hashlib
import json
import os
import subprocess
import sys

from . import build, extension, store
from .cache import cache_directory, is_kept

PATIENCE = 120  # seconds that compiling the kernels of usual calls may take
gathering = "LUCID_GATHERING"  # set in the environment of the process that does


def name_of(text):
    """The name under which the kernel of a text is kept."""
    return "k" + hashlib.sha256(text.encode()).hexdigest()[:20]


def functions(kernels):
    """A Python function for each kernel."""
    found = [_find(spec) for _, spec in kernels]
    missing = {spec[0]: (text, spec) for (text, spec), f in zip(kernels, found) if f is None}
    if missing and not _looked and _first_time():
        return functions(kernels)
    if missing:
        made = dict(zip(missing, together(list(missing.values()))))
        found = [f or made[spec[0]] for f, (_, spec) in zip(found, kernels)]
    return found


_looked = []  # whether this process has seen to it


def _first_time():
    """Where no kernel was ever kept here, compile those of usual calls, in a process of their own; was it so?"""
    _looked.append(True)
    mark = "\0".join(["usual kernels", build.identity(), sys.version, _version()])
    if gathering in os.environ or store.get(mark) is not None or not is_kept():
        return False
    if sys.stderr.isatty():
        print("lucid: compiling native kernels, once on this machine ...", file=sys.stderr, flush=True)
    here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    program = f"import sys; sys.path.insert(0, {here!r}); from lucid._commands import usual_calls; usual_calls.build()"
    quiet = subprocess.DEVNULL
    try:
        subprocess.run([sys.executable, "-W", "ignore", "-c", program], env=dict(os.environ, **{gathering: "1"}),
                       stdin=quiet, stdout=quiet, stderr=quiet, timeout=PATIENCE)  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        pass  # each is compiled when it is called
    store.put(mark, b"")
    return True


def _version():
    """What the texts of kernels depend on, as a number: the files that write them."""
    folder = os.path.dirname(os.path.abspath(__file__))
    seen = [f"{name} {os.stat(os.path.join(folder, name)).st_size}" for name in sorted(os.listdir(folder))]
    return hashlib.sha256("\n".join(seen).encode()).hexdigest()


def together(kernels):
    """The functions of kernels that are compiled now, and noted."""
    made = extension.load_parts(kernels, groups := [])
    for text, specs in groups:
        whole, module = extension.whole_text(text, specs)
        if module is not None:
            note = json.dumps({"module": module, "key": build.key_of(whole)}).encode()
            for spec in specs:
                store.put(_key(spec), note)
    return made


def _key(spec):
    return "\0".join(["kernel", build.identity(), sys.version, *map(str, spec)])


def _find(spec):
    """The function of a kernel that was compiled before, or None."""
    note = store.get(_key(spec))
    if note is None:
        return None
    note = json.loads(note)
    module = _module(note["module"], note["key"], os.getpid())
    return None if module is None else getattr(module, spec[0], None)


@functools.lru_cache(None)
def _module(name, key, process):
    """The module of this key in the cache, opened and tried; None where it is gone."""
    path = build.cached(cache_directory(), key)
    if path is None:
        return None
    try:
        return extension.reopened(name, path)
    except (OSError, ImportError):
        build.forget(path)
        return None
