"""torch._functorch.batch_norm_replacement"""

from ..func import (  # noqa: F401
    replace_all_batch_norm_modules_,
)
