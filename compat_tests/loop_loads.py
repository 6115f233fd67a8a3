"""How the texts of each target are run in tests: functions of the Texts, all of them loaded at once."""

import metal_shim
import triton_stand_in

from lucid._codegen import build, targets

LOADS = {
    "numpy": targets.target("numpy").load,
    "triton": triton_stand_in.loaded,
    "metal": metal_shim.load,
    "c": targets.target("c").load,
}
# The targets that can be run here, and the types that each lacks.
TARGETS = [t for t in LOADS if t in ("numpy", "triton") or (metal_shim.COMPILER if t == "metal" else build.compiler())]
LACKS = {"metal": {"float64"}}

__all__ = ["LACKS", "LOADS", "TARGETS"]
