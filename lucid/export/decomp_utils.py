"""torch.export.decomp_utils: tables of decompositions for run_decompositions."""

from .._aten.overloads import OpOverload, aten
from .._decomp import core_aten_decompositions

__all__ = ["CustomDecompTable"]

# Composites that the core set keeps.
PRESERVED_ATEN_CIA_OPS = """upsample_bilinear2d.vec upsample_nearest2d.vec silu_backward mish_backward
_fused_rms_norm""".split()


class CustomDecompTable(dict):
    """CustomDecompTable(): {overload: function of other ops}, at first what leads to the core ATen ops; `pop(overload)`
    keeps an op as it is."""

    def __init__(self):
        super().__init__(core_aten_decompositions())
        for name in PRESERVED_ATEN_CIA_OPS:
            super().pop(aten(name), None)

    def pop(self, op, *default):
        """pop(overload): its decomposition, which the table has no more."""
        if op not in self and not default and isinstance(op, OpOverload) and op.namespace != "aten":
            return op.decompose  # an op of the program's, that is to be kept
        return super().pop(op, *default)

    def copy(self):
        """copy() -> CustomDecompTable"""
        made = CustomDecompTable.__new__(CustomDecompTable)
        dict.__init__(made, self)
        return made

    def materialize(self):
        """materialize() -> dict of all decompositions"""
        return dict(self)
