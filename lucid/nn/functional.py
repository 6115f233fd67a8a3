"""torch.nn.functional: what layers do, as functions."""

from .._backend.registry import NAMESPACES

globals().update(NAMESPACES["nn.functional"])
