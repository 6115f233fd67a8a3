"""native_dropout: dropout that also gives its mask, as one node."""

from ..._backend.core import func_op
from ..._backend.dispatch import spelled_as
from ..._backend.families import Own
from ..._backend.registry import public
from ..._base.dtype import bool_
from ..creation.gfunc import empty_like, ones_like
from ..creation.random_inplace import bernoulli_, inside


class masked_and_scaled(Own):
    """input * mask * scale"""

    node_name, namespace, method, index_inputs = "NativeDropoutBackward0", None, False, ("mask",)

    @func_op(2)
    def forward(xp, input, mask, scale):
        return input * xp.cast(mask, xp.dtype) * scale

    def grad_input(xp, g, mask, scale):
        return g * (xp.cast(mask, xp.dtype) * scale)


class told_dropout(Own):
    """native_dropout for modes: they give both results, the mask too."""

    node_name, namespace, method, differentiable = "NativeDropoutBackward0", None, False, (0,)

    @func_op(1, 2)
    def forward(xp, input, p):
        raise AssertionError("nobody was told")

    def grad_input(xp, g, out1, p):
        return g * (xp.cast(out1, xp.dtype) * (1.0 / (1.0 - p)))


def as_modes_see_it(input, p):
    """dropout of input, told as one call."""
    return spelled_as("native_dropout", (input, p, True), told_dropout.fn, input, p)[0]


@public()
def native_dropout(input, p, train):
    """native_dropout(input, p, train) -> (Tensor, Tensor): input with elements set to 0 with probability p and the
    others divided by 1 - p, and where they stayed. train=False: input, and ones.
    """
    x = input.detach()
    if input._array.size == 0:
        return masked_and_scaled.fn(input, ones_like(x, dtype=bool_), 1.0), ones_like(x, dtype=bool_)
    if train is False:
        mask = ones_like(x, dtype=bool_)
        return masked_and_scaled.fn(input, mask, 1.0), mask
    mask = bernoulli_(inside(empty_like(x, dtype=bool_)), 1 - p)
    return masked_and_scaled.fn(input, mask, 0.0 if p == 1 else 1.0 / (1.0 - p)), mask
