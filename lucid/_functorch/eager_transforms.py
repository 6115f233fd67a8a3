"""torch._functorch.eager_transforms."""

from .._modes.grad_transforms import (  # noqa: F401
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    vjp,
)
from .._modes.steps import (  # noqa: F401
    _autograd_grad,
    _set_tensor_requires_grad,
)
from ..func import (  # noqa: F401
    functionalize,
)
