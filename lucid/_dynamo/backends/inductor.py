"""torch._dynamo.backends.inductor: graphs as kernels."""

from . import register_backend
from .common import aot_autograd


@register_backend
def inductor(gm, inputs, **options):
    """The backend "inductor": what torch.compile does unless it is told otherwise."""
    from ..._inductor.compile_fx import compile_fx_inner  # loaded when somebody compiles

    return aot_autograd(fw_compiler=compile_fx_inner, bw_compiler=compile_fx_inner)(gm, inputs)
