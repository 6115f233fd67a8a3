"""torch._dynamo.backends.inductor: graphs as kernels."""

from ..._inductor import config
from ..._inductor.modes import chosen_options
from ..utils import counters
from . import register_backend
from .common import aot_autograd


@register_backend
def inductor(gm, inputs, **options):
    """The backend "inductor": what torch.compile does unless it is told otherwise."""
    return Inductor()(gm, inputs)


class Inductor:
    """The same with a mode or options of torch.compile. RuntimeError for what is unknown."""

    __name__ = compiler_name = "inductor"

    def __init__(self, mode=None, options=None):
        self.config = chosen_options(mode, options)

    def __eq__(self, other):
        return type(other) is Inductor and self.config == other.config

    def __hash__(self):
        return hash(repr(sorted(self.config)))

    def __call__(self, gm, inputs):
        from ..._inductor import aot_cache, graph_cache  # loaded when somebody compiles
        from ..._inductor import compile_fx as compiler

        graph_cache.listen(counters)
        with config.patch(self.config):
            how = compiler.autograd_options() | {"cache": aot_cache.AotCache(self.config)}
            return aot_autograd(**how)(compiler.before_autograd(gm), inputs)
