"""torch.backends.cpu: which vector instructions the processor has."""

from .._base.processor import get_cpu_capability

__all__ = ["get_cpu_capability"]
