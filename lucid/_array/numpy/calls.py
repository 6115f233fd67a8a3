"""NumPy's functions as torch.compile reads them: run dry on arrays of zeros, and for real."""

import numpy as np

ndarray = np.ndarray


def function(name):
    """NumPy's function of a name."""
    return getattr(np, name)


def zeros(dtype, shape):
    """An array of zeros that takes no memory; of no dimension a number."""
    made = np.broadcast_to(np.zeros((), np.dtype(dtype)), shape)
    return made if made.ndim else made[()]


def array(result):
    """What a function gave, as an array."""
    return np.asarray(result)


def dry(call, *args, **kwargs):
    """call(...) without numpy's warnings of what the numbers are."""
    with np.errstate(all="ignore"):
        return call(*args, **kwargs)
