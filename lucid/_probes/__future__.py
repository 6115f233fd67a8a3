"""torch.__future__: switches of how modules convert their parameters."""

from ._base.state import switches


def set_overwrite_module_params_on_conversion(value):
    """set_overwrite_module_params_on_conversion(value): kept to be told back."""
    switches.overwrite_params = value


def get_overwrite_module_params_on_conversion():
    """get_overwrite_module_params_on_conversion() -> bool"""
    return switches.overwrite_params


def set_swap_module_params_on_conversion(value):
    """set_swap_module_params_on_conversion(value): do conversions and load_state_dict swap each parameter with the
    new one, so that it stays the same object?
    """
    switches.swap_params = value


def get_swap_module_params_on_conversion():
    """get_swap_module_params_on_conversion() -> bool"""
    return switches.swap_params
