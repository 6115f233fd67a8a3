"""functorch.compile: graphs for compilers, which lucid has no such form of."""

from ..._base.refused import refuse

globals().update(
    refuse(
        "functorch.compile",
        """aot_function aot_module aot_module_simplified compiled_function compiled_module memory_efficient_fusion
        min_cut_rematerialization_partition default_partition make_boxed_func make_boxed_compiler nop ts_compile
        get_decompositions draw_graph minifier""",
        "graphs of forward and backward for other compilers",
    )
)
