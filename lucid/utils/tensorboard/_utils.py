"""torch.utils.tensorboard._utils"""

from .arrays import (  # noqa: F401
    convert_to_HWC,
    figure_to_image,
    make_grid,
)
