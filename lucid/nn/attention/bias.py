"""torch.nn.attention.bias: causal masks as objects, which scaled_dot_product_attention takes as attn_mask."""

import enum

from ..._backend.registry import NAMESPACES
from ..._base.device import device as _device
from ..._base.dtype import DTYPES
from ..._tensor.tensor import Tensor
from .. import functional

__all__ = ["causal_upper_left", "causal_lower_right", "CausalVariant", "CausalBias"]
_torch = NAMESPACES["torch"]


class CausalVariant(enum.IntEnum):
    """Where the diagonal of the mask begins."""

    UPPER_LEFT, LOWER_RIGHT = 1, 2


class CausalBias(Tensor):
    """CausalBias(variant, seq_len_q, seq_len_kv): a mask that is only made where it is needed."""

    def __new__(cls, variant, seq_len_q, seq_len_kv):
        return _torch["empty"](0).as_subclass(cls)

    def __init__(self, variant, seq_len_q, seq_len_kv):
        if not isinstance(variant, CausalVariant):
            raise AssertionError(f"variant must be CausalVariant, got {type(variant)}")
        self.variant, self.seq_len_q, self.seq_len_kv = variant, seq_len_q, seq_len_kv

    def _materialize(self, device=None):
        ones = _torch["ones"](self.seq_len_q, self.seq_len_kv, device=device or _device("cpu"), dtype=DTYPES["bool"])
        lower = self.variant == CausalVariant.LOWER_RIGHT
        return ones.tril(self.seq_len_kv - self.seq_len_q if lower else 0)

    @staticmethod
    def _dispatch(query, key, value, attn_mask, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
        if is_causal:
            raise ValueError("CausalBias should not be used with causal=True")
        square = attn_mask.seq_len_q == attn_mask.seq_len_kv or attn_mask.variant == CausalVariant.UPPER_LEFT
        mask = None if square else attn_mask._materialize(query.device)
        return functional.scaled_dot_product_attention(
            query, key, value, mask, dropout_p, square, scale=scale, enable_gqa=enable_gqa
        )

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func is functional.scaled_dot_product_attention:
            return cls._dispatch(*args, **(kwargs or {}))
        return super().__torch_function__(func, types, args, kwargs or {})

    def __repr__(self):
        return repr(self._materialize())


def causal_upper_left(*size):
    """causal_upper_left(q_len, kv_len) -> CausalBias: tril of ones"""
    if len(size) != 2:
        raise AssertionError("causal_upper_left only supports 2D tensors")
    return CausalBias(CausalVariant.UPPER_LEFT, *size)


def causal_lower_right(*size):
    """causal_lower_right(q_len, kv_len) -> CausalBias: tril of ones, its corner at the lower right"""
    if len(size) != 2:
        raise AssertionError("causal_lower_right only supports 2D tensors")
    return CausalBias(CausalVariant.LOWER_RIGHT, *size)
