"""Is there an Apple GPU that mlx can use? Asks without importing mlx where there cannot be one."""

import importlib.util
import sys


def has_metal() -> bool:
    if sys.platform != "darwin" or importlib.util.find_spec("mlx") is None:
        return False
    import mlx.core

    return mlx.core.metal.is_available()
