"""wrap_with_set_grad_enabled: a part of a graph in which gradients are on or off."""

from ..autograd.grad_mode import set_grad_enabled
from .higher_order_operator import HigherOrderOperator


class WrapWithSetGradEnabled(HigherOrderOperator):
    """wrap_with_set_grad_enabled(enable_grad, function, *args): function(*args), with gradients on or off."""

    def __init__(self):
        super().__init__("wrap_with_set_grad_enabled")


wrap_with_set_grad_enabled = WrapWithSetGradEnabled()


@wrap_with_set_grad_enabled.py_impl("CompositeExplicitAutograd")
def in_mode(enable_grad, wrapped_func, *args, **kwargs):
    """The function's result."""
    with set_grad_enabled(enable_grad):
        return wrapped_func(*args, **kwargs)
