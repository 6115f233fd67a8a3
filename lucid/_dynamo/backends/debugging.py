"""torch._dynamo.backends.debugging: backends that compile nothing, to see which step goes wrong."""

from ..._functorch import partitioners
from ..._functorch.aot_autograd import boxed_nop
from . import register_backend
from .common import aot_autograd


def _cheapest(joint_module, inputs, **how):
    """What is cheapest to keep is kept."""
    cut = getattr(partitioners, "min_cut_rematerialization_partition", partitioners.default_partition)
    return cut(joint_module, inputs, **how)


def _decompositions():
    from ... import _decomp

    try:
        return _decomp.core_aten_decompositions()
    except NotImplementedError:
        return {}


aot_eager = aot_autograd(fw_compiler=boxed_nop, partition_fn=_cheapest)
aot_eager_default_partitioner = aot_autograd(fw_compiler=boxed_nop)
aot_eager_decomp_partition = aot_autograd(fw_compiler=boxed_nop, partition_fn=_cheapest, decompositions=_decompositions)

register_backend(aot_eager, "aot_eager", ("debug",))
register_backend(aot_eager_default_partitioner, "aot_eager_default_partitioner", ("debug",))
register_backend(aot_eager_decomp_partition, "aot_eager_decomp_partition", ("debug",))
