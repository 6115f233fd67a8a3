"""torch.linalg: norms, products, decompositions and solvers of (batches of) matrices."""
from ._backend.core import HOMES

# torch names these functions linalg_norm, linalg_svd ... and shows them here without the prefix.
globals().update({name.removeprefix("linalg_"): function for name, function in HOMES["linalg"].items()})
from ._func.solvers import LinAlgError  # noqa: E402, the name that torch.linalg shows it under
