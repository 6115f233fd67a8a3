"""torch._inductor: the compiler of graphs of ATen calls; its settings, modes and options."""

from .._base.refused import refuse as _refuse
from . import config
from .modes import list_mode_options

__all__ = ["compile", "config", "list_mode_options", "list_options"]


def list_options():
    """list_options() -> names of the options of torch.compile"""
    return list(config.get_config_copy())


def compile(gm, example_inputs, options=None):
    """compile(graph module, inputs, options=None) -> f(*inputs): its kernels. RuntimeError for unknown options."""
    from .compile_fx import compile_fx  # loaded when somebody compiles

    return compile_fx(gm, example_inputs, config_patches=config.checked_options(options or {}))


def cudagraph_mark_step_begin():
    """cudagraph_mark_step_begin(): there are no CUDA graphs; memory kept between calls is never a result's."""


globals().update(
    _refuse(
        "torch._inductor",
        "aoti_compile_and_package aoti_load_package aot_compile compile_aot standalone_compile",
        "programs compiled ahead of time",
    )
)
