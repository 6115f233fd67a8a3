"""Functions that run inside of a context; the compiler reads them."""

import functools


def decorated(context, function):
    """The function, which enters the context whenever it is called."""

    @functools.wraps(function)
    def inside(*args, **kwargs):
        with context:
            return function(*args, **kwargs)

    return inside
