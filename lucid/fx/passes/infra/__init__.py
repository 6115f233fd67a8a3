"""What passes are built of: PassBase, PassManager, the partitioner."""

from ..._later import later

__getattr__ = later(__name__, "partitioner pass_base pass_manager")
