"""An op's option dtype=, of whatever form it is given in."""

from .._base import dtype as dtypes
from .._base.errors import BadArgument


def refuse_whole_numbers(op, options):
    """RuntimeError where what wants a gradient is to be added up, or multiplied, in integers."""
    dtype = options[op.options.index("dtype")]
    if dtype is not None and dtype.category < dtypes.FLOATING:
        raise RuntimeError(f"Autograd not support dtype: {dtypes.SCALAR_NAMES[dtype]}")


def as_dtype(op, dtype):
    """What an op's option dtype= means."""
    try:
        return dtypes.as_dtype(dtype)
    except BadArgument as trouble:
        raise trouble.of(op.name) from None
