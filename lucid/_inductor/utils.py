"""torch._inductor.utils: the kinds of devices that torch's compiler makes kernels for; the cache of compiled graphs."""

import contextlib
import os
import shutil
import tempfile

GPU_TYPES = ["cuda", "mps", "xpu", "mtia"]


def is_gpu(device):
    """is_gpu(device) -> bool: is this the name of one?"""
    return device in GPU_TYPES


@contextlib.contextmanager
def fresh_cache(cache_entries=None, dir=None, delete=True):
    """with fresh_cache(): compiled graphs are kept in a folder of their own, which is removed afterwards (delete).

    cache_entries: a dictionary that gets {file: size} of what is there at the end; dir: where the folder is made.
    """
    path, before = tempfile.mkdtemp(prefix="lucid-", dir=dir), os.environ.get("LUCID_CACHE")
    os.environ["LUCID_CACHE"] = path
    try:
        yield
        if cache_entries is not None:
            found = [os.path.join(place, name) for place, _, names in os.walk(path) for name in names]
            cache_entries.update({os.path.relpath(name, path): os.path.getsize(name) for name in found})
    finally:
        if before is None:
            del os.environ["LUCID_CACHE"]
        else:
            os.environ["LUCID_CACHE"] = before
        if delete:
            shutil.rmtree(path, ignore_errors=True)


fresh_inductor_cache = fresh_cache
