"""torch.nn.attention: which kernel attention runs on. lucid has one, so a choice is accepted and changes nothing."""

import contextlib
import enum
import importlib

from ..._base.refused import refuse as _refuse

__all__ = [
    "SDPBackend",
    "sdpa_kernel",
    "WARN_FOR_UNFUSED_KERNELS",
    "register_flash_attention_impl",
    "activate_flash_attention_impl",
    "list_flash_attention_impls",
    "current_flash_attention_impl",
    "restore_flash_attention_impl",
]
WARN_FOR_UNFUSED_KERNELS = False
globals().update(
    _refuse(
        "torch.nn.attention", "register_flash_attention_impl activate_flash_attention_impl", "kernels to choose from"
    )
)


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


def list_flash_attention_impls():
    """list_flash_attention_impls() -> []"""
    return []


def current_flash_attention_impl():
    """current_flash_attention_impl() -> None"""
    return None


def restore_flash_attention_impl(_raise_warn=True):
    """restore_flash_attention_impl(): none was activated."""


def __getattr__(name):
    if name in ("flex_attention", "bias", "varlen"):
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module 'torch.nn.attention' has no attribute {name!r}")
