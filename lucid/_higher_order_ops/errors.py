"""The error of a function that a higher-order operator cannot take."""


class UncapturedHigherOrderOpError(RuntimeError):
    """A function given to a higher-order operator does what no graph of it could do."""
