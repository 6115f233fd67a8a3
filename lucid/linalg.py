"""torch.linalg: norms, products, decompositions and solvers of (batches of) matrices."""

from ._backend.registry import NAMESPACES
from ._base.errors import LinAlgError as LinAlgError

# torch names these functions linalg_norm, linalg_svd ... and shows them here without the prefix.
globals().update({name.removeprefix("linalg_"): function for name, function in NAMESPACES["linalg"].items()})
