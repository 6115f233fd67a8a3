"""torch._functorch.aot_autograd: graphs of forward and backward for compilers, which lucid has no such form of."""

from .._base.refused import refuse

globals().update(
    refuse(
        "torch._functorch.aot_autograd",
        """aot_function aot_module aot_module_simplified aot_export_module aot_export_joint_simple
        make_boxed_func make_boxed_compiler""",
        "graphs of forward and backward for other compilers",
    )
)
