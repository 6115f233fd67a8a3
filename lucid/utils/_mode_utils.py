"""torch.utils._mode_utils: running below the dispatch modes, and whether some modes are one."""

from ._python_dispatch import _disable_current_modes as no_dispatch

__all__ = ["all_same_mode", "all_same_mode_scope", "no_dispatch"]


def all_same_mode(modes):
    """all_same_mode(modes) -> bool: is each of them the first?"""
    return all([mode is modes[0] for mode in modes])


def all_same_mode_scope(modes, cur_mode):
    """all_same_mode_scope(modes, cur_mode) -> bool: is each of them cur_mode?"""
    return all([mode is cur_mode for mode in modes])
