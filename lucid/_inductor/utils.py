"""torch._inductor.utils: what programs and tests ask of the compiler: texts, a cache of their own, kinds of devices."""

import contextlib
import os
import tempfile

from .._codegen import extension
from .._functorch import told

GPU_TYPES = ["cuda", "mps", "xpu", "mtia"]


def is_gpu(device):
    """is_gpu(device) -> bool: is this the name of one?"""
    return device in GPU_TYPES


@contextlib.contextmanager
def fresh_cache(cache_entries=None, dir=None, delete=True):
    """with fresh_cache(): what is compiled inside is not known from before, and not known afterwards.

    cache_entries: a dictionary that is told {file: size} of what was kept. dir: where; delete: and not for long.
    """
    before, folder = os.environ.get("LUCID_CACHE"), tempfile.mkdtemp(prefix="lucid-", dir=dir)
    os.environ["LUCID_CACHE"] = folder
    extension.forget()
    try:
        yield
        if cache_entries is not None:
            found = [os.path.join(place, name) for place, _, names in os.walk(folder) for name in names]
            cache_entries.update({os.path.relpath(name, folder): os.path.getsize(name) for name in found})
    finally:
        os.environ.pop("LUCID_CACHE") if before is None else os.environ.update(LUCID_CACHE=before)
        extension.forget()
        if delete:
            _remove(folder)


fresh_inductor_cache = fresh_cache


def _remove(folder):
    for place, _, files in os.walk(folder, topdown=False):
        with contextlib.suppress(OSError):
            for name in files:
                os.unlink(os.path.join(place, name))
            os.rmdir(place)


@contextlib.contextmanager
def _compiled():
    """The Stages of all that is compiled inside."""
    found = []

    def note(stage, thing):
        if stage == "compiled":
            found.append(thing)

    told.WATCHERS.append(note)
    try:
        yield found
    finally:
        told.WATCHERS.remove(note)


def run_and_get_code(fn, *args, **kwargs):
    """run_and_get_code(f, *args) -> (f(*args), [the text of each graph that was compiled meanwhile])"""
    with _compiled() as found:
        result = fn(*args, **kwargs)
    return result, list(dict.fromkeys([stages.output_code() for stages in found]))


def run_and_get_kernels(fn, *args, **kwargs):
    """run_and_get_kernels(f, *args) -> (f(*args), [the text of each kernel that was compiled meanwhile])"""
    with _compiled() as found:
        result = fn(*args, **kwargs)
    return result, [text.text for stages in found for text in stages.wrapper.texts()]


def run_and_get_cpp_code(fn, *args, **kwargs):
    """run_and_get_cpp_code(f, *args) -> (f(*args), the texts of the graphs that were compiled meanwhile)"""
    result, texts = run_and_get_code(fn, *args, **kwargs)
    return result, "\n".join(texts)


def run_fw_bw_and_get_code(fn):
    """run_fw_bw_and_get_code(f) -> (f(), texts) with the backward pass of its result, too"""

    def run():
        result = fn()
        result.sum().backward()
        return result

    return run_and_get_code(run)


def run_and_get_graph_lowering(fn, *args, **kwargs):
    """run_and_get_graph_lowering(f, *args) -> (f(*args), [the lucid._inductor.debug.Stages of each graph])"""
    with _compiled() as found:
        result = fn(*args, **kwargs)
    return result, found
