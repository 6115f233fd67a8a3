"""torch.nn.parallel.comm: moves between GPUs, of which there are none."""

from ..._base.refused import refuse

__all__ = ["broadcast", "broadcast_coalesced", "reduce_add", "reduce_add_coalesced", "scatter", "gather"]
globals().update(refuse("torch.nn.parallel.comm", " ".join(__all__), "GPUs to move tensors between"))
