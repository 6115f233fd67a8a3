"""torch.nn.attention: which kernel attention runs on. lucid has one, so a choice is accepted and changes nothing."""

import contextlib
import enum

__all__ = ["SDPBackend", "sdpa_kernel"]


class SDPBackend(enum.Enum):
    """torch's kernels of scaled_dot_product_attention."""

    def __int__(self):
        return self.value

    __index__ = __int__

    ERROR, MATH, FLASH_ATTENTION, EFFICIENT_ATTENTION, CUDNN_ATTENTION, OVERRIDEABLE = -1, 0, 1, 2, 3, 4


@contextlib.contextmanager
def sdpa_kernel(backends, set_priority=False):
    """with sdpa_kernel(SDPBackend.MATH), or a list of them: checked, and without effect."""
    asked = [backends] if isinstance(backends, SDPBackend) else backends
    if not isinstance(asked, list) or not all(isinstance(b, SDPBackend) for b in asked):
        raise AssertionError(
            f"Backend must be an instance of SDPBackend or a list of SDPBackend instances, got {type(asked).__name__}"
        )
    yield {}
