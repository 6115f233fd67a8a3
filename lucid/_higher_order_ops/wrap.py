"""wrap: a function called as it is, to be seen as one step by compilers."""

from .._backend.overrides import ask_overrides
from .._base.state import UNUSUAL, local
from .higher_order_operator import HigherOrderOperator


class Wrap(HigherOrderOperator):
    """wrap(func, *args, **kwargs): func(*args, **kwargs)"""

    def __init__(self):
        super().__init__("wrap")

    def __call__(self, func, *args, **kwargs):
        if UNUSUAL and local.interpreters:  # proxies are not asked: the function may take them
            handled, result = ask_overrides(self, args, (func, *args), kwargs)
            if handled:
                return result
        return func(*args, **kwargs)


wrap = Wrap()
