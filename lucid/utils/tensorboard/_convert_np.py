"""torch.utils.tensorboard._convert_np"""

from .arrays import make_np
