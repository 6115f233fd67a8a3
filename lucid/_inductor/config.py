"""torch._inductor.config: any setting may be set and read. What has an effect:

cpu_backend: what loops on the CPU are written as: "cpp" (compiled; numpy where there is no compiler) or "numpy".
fx_graph_cache: are compiled graphs kept on disk (graph_cache.py)? force_disable_caches: none of them.
"""

import contextlib
import os
import types

cpp, triton, cuda, aot_inductor = (types.SimpleNamespace() for _ in range(4))
max_autotune = coordinate_descent_tuning = coordinate_descent_check_all_directions = force_fuse_int_mm_with_mul = False
post_grad_custom_pre_pass = post_grad_custom_post_pass = joint_custom_pre_pass = joint_custom_post_pass = None
cpu_backend = "cpp"
epilogue_fusion, pattern_matcher = True, True
fx_graph_cache = os.environ.get("TORCHINDUCTOR_FX_GRAPH_CACHE", "1") == "1"
force_disable_caches = os.environ.get("TORCHINDUCTOR_FORCE_DISABLE_CACHES", "0") == "1"


@contextlib.contextmanager
def patch(*args, **changes):
    """with patch(name=value): the settings hold inside the block."""
    changes = dict(args[0]) if args and isinstance(args[0], dict) else {args[0]: args[1]} if args else changes
    before = {n: globals().get(n) for n in changes}
    globals().update(changes)
    try:
        yield
    finally:
        globals().update(before)
