"""functorch.experimental"""

from ...func import (  # noqa: F401
    functionalize,
    hessian,
    jacfwd,
    jvp,
    replace_all_batch_norm_modules_,
    vmap,
)
