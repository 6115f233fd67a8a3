"""torch._inductor.async_compile: a part of torch's compiler of kernels, which lucid does not have."""

from .._base.refused import refuse

globals().update(
    refuse(
        "torch._inductor.async_compile",
        """AsyncCompile shutdown_compile_workers""",
        "processes that compile",
    )
)
