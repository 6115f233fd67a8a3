"""torch._functorch.apis"""

from .._modes.grad_transforms import (  # noqa: F401
    grad,
    grad_and_value,
)
from .._modes.vmap import (  # noqa: F401
    vmap,
)
