"""torch.utils._import_utils: is a package there?"""

import functools
import importlib.util


def _check_module_exists(name):
    """_check_module_exists(name) -> bool: could `import name` find a module? The module itself is not imported."""
    try:
        return importlib.util.find_spec(name) is not None
    except ImportError:
        return False


@functools.lru_cache(None)
def dill_available():
    """dill_available() -> bool"""
    return _check_module_exists("dill")


@functools.lru_cache(None)
def import_dill():
    """import_dill() -> the module dill, or None"""
    if not dill_available():
        return None
    import dill

    return dill
