"""torch.utils.tensorboard._utils"""

from .arrays import make_grid, convert_to_HWC, figure_to_image
