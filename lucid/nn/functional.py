"""torch.nn.functional: what layers do, as functions."""

from .._backend.core import NAMESPACES

globals().update(NAMESPACES["nn.functional"])
