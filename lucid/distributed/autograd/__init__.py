"""torch.distributed.autograd: graphs over several processes, which lucid does not have."""

from ..._base.refused import refuse

globals().update(
    refuse("torch.distributed.autograd", "context backward get_gradients", "graphs over several processes")
)


def is_available():
    """is_available() -> False"""
    return False
