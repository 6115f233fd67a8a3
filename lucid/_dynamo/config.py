"""torch._dynamo.config: settings that may be set and read, and `patch`."""

import contextlib
import sys
import types

recompile_limit = cache_size_limit = 8
accumulated_recompile_limit = accumulated_cache_size_limit = 256
suppress_errors = verbose = False
capture_scalar_outputs = capture_dynamic_output_shape_ops = False
optimize_ddp = True
specialize_int = False
assume_static_by_default = automatic_dynamic_shapes = True
dynamic_shapes = True
guard_nn_modules = inline_inbuilt_nn_modules = True
error_on_recompile = False
log_file_name = None
replay_record_enabled = False
compile_under_modes = False
raise_internal_errors = False  # else what the compiler cannot do for a fault of its own runs as Python, with a warning
stance = "default"  # torch.compiler.set_stance


class _Config(types.ModuleType):
    @contextlib.contextmanager
    def patch(self, arg1=None, arg2=None, **changes):
        """with patch(name=value), patch("name", value) or patch({...}): the settings hold inside the block."""
        if isinstance(arg1, dict):
            changes = {**arg1, **changes}
        elif isinstance(arg1, str):
            changes = {arg1: arg2, **changes}
        before = {name: getattr(self, name) for name in changes if hasattr(self, name)}
        vars(self).update(changes)
        try:
            yield
        finally:
            for name in changes:
                vars(self).pop(name)
            vars(self).update(before)


sys.modules[__name__].__class__ = _Config
