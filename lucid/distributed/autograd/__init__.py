"""torch.distributed.autograd: graphs over several processes, which lucid does not have."""

from ..._base.refused import refuse, refused_class

globals().update(refuse("torch.distributed.autograd", "backward get_gradients", "graphs over several processes"))


def is_available():
    """is_available() -> False"""
    return False


context = refused_class("torch.distributed.autograd", "context", "graphs over several processes")
