"""torch._inductor: settings of torch's compiler backend, which may be set and read; there is no such backend yet."""

from .._base.refused import refuse as _refuse
from . import config

__all__ = ["config"]


def list_mode_options(mode=None, dynamic=None):
    """list_mode_options() -> {}"""
    return {}


def cudagraph_mark_step_begin():
    """cudagraph_mark_step_begin(): there are no CUDA graphs."""


globals().update(
    _refuse(
        "torch._inductor",
        "aoti_compile_and_package aoti_load_package aot_compile compile_aot standalone_compile",
        "programs compiled ahead of time",
    )
)
