"""torch._inductor.cpu_vec_isa: a part of torch's compiler of kernels, which lucid does not have."""

from .._base.refused import refuse

globals().update(
    refuse(
        "torch._inductor.cpu_vec_isa",
        """VecISA pick_vec_isa valid_vec_isa_list""",
        "kernels of the compiler that depend on the processor",
    )
)
