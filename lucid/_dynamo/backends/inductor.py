"""torch._dynamo.backends.inductor: graphs as kernels."""

from ..._functorch.partitioners import min_cut_rematerialization_partition
from . import register_backend
from .common import aot_autograd


@register_backend
def inductor(gm, inputs, **options):
    """The backend "inductor": what torch.compile does unless it is told otherwise."""
    from ..._inductor.compile_fx import compile_fx_inner  # loaded when somebody compiles
    from ..._inductor.decomposition import select_decomp_table

    return aot_autograd(
        fw_compiler=compile_fx_inner,
        bw_compiler=compile_fx_inner,
        partition_fn=min_cut_rematerialization_partition,
        decompositions=select_decomp_table,
    )(gm, inputs)
