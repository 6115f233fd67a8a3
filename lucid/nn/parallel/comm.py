"""torch.nn.parallel.comm: moves between GPUs, of which there are none."""

from ..._base.refused import refuse

globals().update(
    refuse(
        "torch.nn.parallel.comm",
        "broadcast broadcast_coalesced reduce_add reduce_add_coalesced scatter gather",
        "GPUs to move tensors between",
    )
)
