"""torch._decomp: ops as simpler ones, for compilers; lucid's rules are simple words as they are."""

from .._base.refused import refuse

decomposition_table: dict = {}
globals().update(
    refuse(
        "torch._decomp",
        "get_decompositions core_aten_decompositions register_decomposition remove_decompositions",
        "tables of decompositions; make_fx shows ATen's own ops",
    )
)
