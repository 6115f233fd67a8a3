"""torch._inductor: settings of torch's compiler backend, which may be set and read; there is no such backend yet."""

from . import config

__all__ = ["config"]


def list_mode_options(mode=None, dynamic=None):
    """list_mode_options() -> {}"""
    return {}


def cudagraph_mark_step_begin():
    """cudagraph_mark_step_begin(): there are no CUDA graphs."""
