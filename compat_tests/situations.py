"""Small programs that print what they see, as those of the in-place tests: situation(torch, W, print), W for a leaf."""

import numpy as np
from both import seen, words


def nm(t):
    """The name of a tensor's gradient function."""
    return None if t.grad_fn is None else type(t.grad_fn).__name__


def situations(scope):
    """The functions of a module that are such programs."""
    return [
        f
        for f in scope.values()
        if getattr(f, "__code__", None) and f.__code__.co_varnames[:3] == ("torch", "W", "print")
    ]


def played(T, situation):
    """What a situation prints, and the error that ends it."""
    lines = []

    def W(*shape):
        return T.arange(1.0, 1 + int(np.prod(shape))).view(*shape).requires_grad_()

    try:
        situation(T, W, lambda *a: lines.append(seen(a)))
    except (RuntimeError, IndexError, ValueError, TypeError) as error:
        lines.append(words(error, text=90))
    return lines
