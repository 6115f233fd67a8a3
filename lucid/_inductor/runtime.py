"""torch._inductor.runtime: a part of torch's compiler of kernels, which lucid does not have."""

from .._base.refused import refuse

globals().update(
    refuse(
        "torch._inductor.runtime",
        """triton_helpers hints coordinate_descent_tuner""",
        "kernels in Triton",
    )
)
