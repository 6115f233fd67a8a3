"""torch.compiler.config: settings of all parts of the compiler, kept to be told back."""

import os

job_id = pgo_extra_read_key = pgo_extra_write_key = log_file_name = None
cache_key_tag = dynamic_sources = dynamic_values = unbacked_sources = ""
force_disable_caches = os.environ.get("TORCHINDUCTOR_FORCE_DISABLE_CACHES", "0") == "1"
force_cudagraph_gc = verbose = capture_scalar_outputs = wrap_top_frame = False
capture_dynamic_output_shape_ops = fail_on_recompile_limit_hit = allow_unspec_int_on_nn_module = False
dynamic_shapes = assume_static_by_default = automatic_dynamic_shapes = True
recompile_limit, accumulated_recompile_limit = 8, 256
skip_tensor_guards_with_matching_dict_tags = enable_cpp_symbolic_shape_guards = True
reorderable_logging_functions: set = set()
