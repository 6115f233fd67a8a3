"""torch._dynamo.backends.debugging: backends that compile nothing, to see which step goes wrong."""

from ..._decomp import core_aten_decompositions
from ..._functorch.aot_autograd import boxed_nop
from ..._functorch.partitioners import min_cut_rematerialization_partition
from . import register_backend
from .common import aot_autograd

aot_eager = aot_autograd(
    fw_compiler=boxed_nop,
    partition_fn=min_cut_rematerialization_partition,
    keep_inference_input_mutations=True,
)
aot_eager_default_partitioner = aot_autograd(fw_compiler=boxed_nop, keep_inference_input_mutations=True)
aot_eager_decomp_partition = aot_autograd(
    fw_compiler=boxed_nop,
    partition_fn=min_cut_rematerialization_partition,
    decompositions=core_aten_decompositions,
)

register_backend(aot_eager, "aot_eager", ("debug",))
register_backend(aot_eager_default_partitioner, "aot_eager_default_partitioner", ("debug",))
register_backend(aot_eager_decomp_partition, "aot_eager_decomp_partition", ("debug",))
