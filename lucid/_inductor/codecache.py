"""torch._inductor.codecache: a part of torch's compiler of kernels, which lucid does not have."""

from .._base.refused import refuse

globals().update(
    refuse(
        "torch._inductor.codecache",
        """FxGraphCache PyCodeCache AsyncCompile code_hash get_path cache_dir""",
        "caches of compiled kernels",
    )
)
