"""torch._functorch.deprecated: the names of functorch."""

from ..func import (  # noqa: F401
    functionalize,
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    vjp,
    vmap,
)
from .make_functional import (  # noqa: F401
    combine_state_for_ensemble,
    make_functional,
    make_functional_with_buffers,
)
