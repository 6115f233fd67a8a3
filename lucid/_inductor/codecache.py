"""torch._inductor.codecache: the cache of compiled graphs (graph_cache.py), and what lucid does not have of torch's."""

from .._base.refused import refuse
from .._codegen import store
from .._codegen.cache import cache_directory


class FxGraphCache:
    """Compiled graphs on disk."""

    @staticmethod
    def clear():
        """clear(): forget all of them; libraries of kernels stay."""
        store.clear()


def cache_dir():
    """cache_dir() -> the folder in which compiled graphs and kernels are kept."""
    return cache_directory()


globals().update(
    refuse(
        "torch._inductor.codecache",
        """PyCodeCache AsyncCompile code_hash get_path""",
        "caches of compiled kernels",
    )
)
