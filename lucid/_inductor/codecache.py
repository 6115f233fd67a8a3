"""torch._inductor.codecache: where compiled kernels are kept between processes (lucid/_codegen/cache.py)."""

import hashlib

from .._base.refused import refuse
from .._codegen import cache, store

__all__ = ["FxGraphCache", "cache_dir", "code_hash"]


def cache_dir():
    """cache_dir() -> the directory"""
    return cache.cache_directory()


def code_hash(code, extra=""):
    """code_hash(text) -> a name for it"""
    return "c" + hashlib.sha256(f"{code}{extra}".encode()).hexdigest()[:51]


class FxGraphCache:
    """What was found out about graphs."""

    @staticmethod
    def clear():
        """clear(): forget it"""
        store.clear()


globals().update(refuse("torch._inductor.codecache", "PyCodeCache AsyncCompile get_path", "texts as modules in files"))
