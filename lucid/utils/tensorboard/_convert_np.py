"""torch.utils.tensorboard._convert_np"""

from .arrays import (  # noqa: F401
    make_np,
)
