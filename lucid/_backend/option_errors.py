"""An op's option dtype=, of whatever form it is given in."""

from .._base import dtype as dtypes
from .._base.errors import BadArgument


def as_dtype(op, dtype):
    """What an op's option dtype= means."""
    try:
        return dtypes.as_dtype(dtype)
    except BadArgument as trouble:
        raise trouble.of(op.name) from None
