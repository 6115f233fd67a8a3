"""torch._dynamo.backends.inductor: graphs as kernels."""

from ..utils import counters
from . import register_backend
from .common import aot_autograd


@register_backend
def inductor(gm, inputs, options=None, **_):
    """The backend "inductor": what torch.compile does unless it is told otherwise. options: settings of its config."""
    from ..._inductor import aot_cache, compile_fx, config, graph_cache  # loaded when somebody compiles

    graph_cache.listen(counters)

    def inner(module, values, **more):
        with config.patch(options or {}):
            return compile_fx.compile_fx_inner(module, values, **more)

    return aot_autograd(fw_compiler=inner, bw_compiler=inner, cache=aot_cache.AotCache(options))(gm, inputs)
