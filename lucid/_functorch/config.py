"""torch._functorch.config: settings of a compiler's passes, which change nothing here, except for the last one."""

import os

functionalize_rng_ops = False
fake_tensor_allow_meta = True
debug_assert = False
use_fake_tensor = True
donated_buffer = False
activation_memory_budget = 1.0
recompute_views = False
enable_autograd_cache = os.environ.get("TORCHINDUCTOR_AUTOGRAD_CACHE", "1") == "1"  # traced graphs kept on disk
