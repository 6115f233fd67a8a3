"""torch._dynamo.config: settings that may be set and read, and `patch`. AttributeError for names that torch lacks.

The first ones say something to lucid. The others are taken, and change nothing: they are about torch's own compiler.
"""

import contextlib
import sys
import types

recompile_limit = 8  # variants of one place of a function; what comes then runs as Python
fail_on_recompile_limit_hit = error_on_recompile = False
automatic_dynamic_shapes = assume_static_by_default = True  # a size or number that differs becomes symbolic
specialize_int = specialize_float = False
disable = False

# lucid's own
stance = "default"  # torch.compiler.set_stance
compile_under_modes = False  # compile inside of modes, too, which the graph's calls then ask
stop_where_torch_does = False  # leave to Python what torch leaves to it: functions with a break in a loop or a try
raise_internal_errors = False  # else what the compiler cannot do for a fault of its own runs as Python, with a warning

_OTHERS = {
    **dict.fromkeys(
        """verbose verify_correctness suppress_errors replay_record_enabled cprofile capture_scalar_outputs
        capture_dynamic_output_shape_ops allow_unspec_int_on_nn_module do_not_emit_runtime_asserts dont_skip_tracing
        optimize_ddp_lazy_compile use_numpy_random_stream allow_ignore_mark_dynamic prepare_freezing allow_rnn
        raise_on_unsafe_aot_autograd use_graph_deduplication compiled_autograd capture_profiler_record_function
        prefer_deferred_runtime_asserts_over_guards only_allow_pt2_compliant_ops caching_precompile strict_precompile
        nested_graph_breaks install_free_tensors allow_empty_graphs wrap_top_frame enable_cpp_symbolic_shape_guards
        enable_compiler_collectives skip_guards_on_constant_func_defaults trace_autograd_ops enable_trace_unittest
        enable_trace_load_build_class log_graph_in_out_metadata generate_pycode force_compile_during_fx_trace
        skip_fwd_side_effects_in_bwd_under_checkpoint
        automatic_dynamic_exclusion_guard repro_forward_only repro_ignore_non_fp""".split(),
        False,
    ),
    **dict.fromkeys(
        """dynamic_shapes use_lazy_graph_module guard_nn_modules guard_nn_modules_using_dict_tags optimize_ddp
        force_parameter_static_shapes force_nn_module_property_static_shapes rewrite_assert_with_torch_assert
        trace_numpy
        inline_inbuilt_nn_modules skip_nnmodule_hook_guards skip_fsdp_guards skip_torchrec raise_on_ctx_manager_usage
        error_on_nested_fx_trace error_on_nested_jit_trace capture_sparse_compute report_guard_failures
        enable_cpp_guard_manager enable_trace_contextlib enable_faithful_generator_behavior capture_autograd_function
        capture_func_transforms log_compilation_metrics fake_tensor_cache_enabled automatic_dynamic_local_pgo
        skip_code_recursive_on_recompile_limit_hit enable_cpp_framelocals_guard_eval run_gc_after_compile
        replay_side_effects graph_break_on_nn_param_ctor record_runtime_overhead""".split(),
        True,
    ),
    **dict.fromkeys("log_file_name dead_code_elimination repro_after automatic_dynamic_remote_pgo".split()),
    "accumulated_recompile_limit": 256,
    "minimum_call_count": 1,
    "repro_level": 2,
    "repro_tolerance": 0.001,
    "numpy_default_float": "float64",
    "numpy_default_complex": "complex128",
    "numpy_default_int": "int64",
    "base_dir": "",
    "debug_dir_root": "",
    "automatic_dynamic_shapes_mark_as": "dynamic",
}
globals().update(_OTHERS)

_OLD_NAMES = {
    "cache_size_limit": "recompile_limit",
    "accumulated_cache_size_limit": "accumulated_recompile_limit",
    "skip_code_recursive_on_cache_limit_hit": "skip_code_recursive_on_recompile_limit_hit",
    "fail_on_cache_limit_hit": "fail_on_recompile_limit_hit",
}


class _Config(types.ModuleType):
    def __getattr__(self, name):
        if name in _OLD_NAMES:
            return getattr(self, _OLD_NAMES[name])
        raise AttributeError(f"torch._dynamo.config.{name} does not exist")

    def __setattr__(self, name, value):
        name = _OLD_NAMES.get(name, name)
        if name not in vars(self) and not name.startswith("__"):
            raise AttributeError(f"torch._dynamo.config.{name} does not exist")
        super().__setattr__(name, value)

    @contextlib.contextmanager
    def patch(self, arg1=None, arg2=None, **changes):
        """with patch(name=value), patch("name", value) or patch({...}): the settings hold inside the block."""
        if isinstance(arg1, dict):
            changes = {**arg1, **changes}
        elif isinstance(arg1, str):
            changes = {arg1: arg2, **changes}
        before = {name: getattr(self, name) for name in changes}
        try:
            for name, value in changes.items():
                setattr(self, name, value)
            yield
        finally:
            for name, value in before.items():
                setattr(self, name, value)


sys.modules[__name__].__class__ = _Config
