"""What the small programs of the tests are made of: leaves, their gradients, numbers in order."""

import numpy as np


def leaf(T, *values, dtype=None):
    return T.tensor(values if len(values) != 1 else values[0], dtype=dtype or T.float64, requires_grad=True)


def grads(y, *leaves):
    """The leaves' gradients of y.sum()."""
    y.sum().backward()
    return [x.grad for x in leaves]


def ramp(T, *shape, dtype=None):
    n = int(np.prod(shape))
    return T.arange(1, n + 1, dtype=dtype or T.float64).reshape(shape)
