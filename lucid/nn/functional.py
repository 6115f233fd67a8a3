"""torch.nn.functional: what layers do, as functions."""
from .._backend.core import HOMES

globals().update(HOMES["nn.functional"])
