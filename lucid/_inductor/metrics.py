"""torch._inductor.metrics: numbers of what was compiled since `reset()`.

generated_kernel_count: kernels; ir_nodes_pre_fusion: loops before they were put together; num_bytes_accessed: bytes
that kernels and calls take and make.
"""

generated_kernel_count = generated_cpp_vec_kernel_count = ir_nodes_pre_fusion = num_bytes_accessed = 0
# Of things that lucid has not.
parallel_reduction_count = num_comprehensive_padding = num_loop_reordering = cpp_to_dtype_count = 0
num_matches_for_scatter_upon_const_tensor = num_auto_chunking = 0

_COUNTS = [name for name, value in globals().items() if value == 0 and not name.startswith("_")]


def reset():
    """reset(): all numbers are 0"""
    globals().update(dict.fromkeys(_COUNTS, 0))


def count(wrapper, works, moved):
    """A graph was compiled."""
    global generated_kernel_count, generated_cpp_vec_kernel_count, ir_nodes_pre_fusion, num_bytes_accessed
    generated_kernel_count += len(wrapper.parts)
    generated_cpp_vec_kernel_count += sum("#pragma omp simd" in part.text.text for part in wrapper.parts)
    ir_nodes_pre_fusion += works
    num_bytes_accessed += moved
