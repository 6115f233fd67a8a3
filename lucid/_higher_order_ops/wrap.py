"""wrap: a function called as it is, to be seen as one step by compilers."""

from .higher_order_operator import HigherOrderOperator


class Wrap(HigherOrderOperator):
    """wrap(func, *args, **kwargs): func(*args, **kwargs)"""

    def __init__(self):
        super().__init__("wrap")


wrap = Wrap()


@wrap.py_impl("CompositeExplicitAutograd")
def wrap_dense(func, *args, **kwargs):
    """The function's result."""
    return func(*args, **kwargs)
