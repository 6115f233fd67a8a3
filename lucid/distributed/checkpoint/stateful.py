"""torch.distributed.checkpoint.stateful"""

from typing import Protocol, runtime_checkable

__all__ = ["Stateful"]


@runtime_checkable
class Stateful(Protocol):
    """Stateful: what has state_dict and load_state_dict"""

    def state_dict(self):
        """state_dict() -> dict"""
        ...

    def load_state_dict(self, state_dict):
        """load_state_dict(dict)"""
        ...
