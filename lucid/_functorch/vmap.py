"""torch._functorch.vmap"""

from .._modes.vmap import (  # noqa: F401
    vmap,
)
