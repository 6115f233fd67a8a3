"""torch.backends.cuda: switches of CUDA kernels, which are not here; set them as you like."""

import contextlib


class _Matmul:
    allow_tf32 = False
    allow_fp16_reduced_precision_reduction = allow_bf16_reduced_precision_reduction = True
    allow_fp16_accumulation = False
    fp32_precision = "none"


class _PlanCache:
    size, max_size = 0, 4096

    def clear(self):
        """clear(): nothing to forget."""

    def __getitem__(self, device):
        return self


matmul = _Matmul()
cufft_plan_cache = _PlanCache()
_sdp = {"flash": True, "mem_efficient": True, "math": True, "cudnn": True}


def is_built():
    """is_built() -> False"""
    return False


def _switch(name):
    def enabled():
        return _sdp[name]

    def enable(enabled):
        _sdp[name] = bool(enabled)

    enabled.__name__, enable.__name__ = f"{name}_sdp_enabled", f"enable_{name}_sdp"
    enabled.__doc__ = f"{name}_sdp_enabled() -> bool"
    enable.__doc__ = f"enable_{name}_sdp(enabled): kept to be told back."
    return enabled, enable


flash_sdp_enabled, enable_flash_sdp = _switch("flash")
mem_efficient_sdp_enabled, enable_mem_efficient_sdp = _switch("mem_efficient")
math_sdp_enabled, enable_math_sdp = _switch("math")
cudnn_sdp_enabled, enable_cudnn_sdp = _switch("cudnn")


@contextlib.contextmanager
def sdp_kernel(enable_flash=True, enable_math=True, enable_mem_efficient=True, enable_cudnn=True):
    """with sdp_kernel(...): the switches hold inside the block; there is one kernel here."""
    before = dict(_sdp)
    _sdp.update(flash=enable_flash, math=enable_math, mem_efficient=enable_mem_efficient, cudnn=enable_cudnn)
    try:
        yield {}
    finally:
        _sdp.update(before)


def preferred_linalg_library(backend=None):
    """preferred_linalg_library(backend=None) -> "default" """
    return "default"


preferred_blas_library = preferred_linalg_library


class SDPAParams:
    """SDPAParams(query, key, value, attn_mask, dropout, is_causal, enable_gqa): the arguments of attention, together"""

    def __init__(self, query, key, value, attn_mask, dropout, is_causal, enable_gqa):
        self.query, self.key, self.value, self.attn_mask = query, key, value, attn_mask
        self.dropout, self.is_causal, self.enable_gqa = dropout, is_causal, enable_gqa


def can_use_flash_attention(params, debug=False):
    """can_use_flash_attention(params) -> False: it is a kernel of CUDA's."""
    return False


can_use_efficient_attention = can_use_cudnn_attention = can_use_flash_attention


def is_flash_attention_available():
    """is_flash_attention_available() -> False"""
    return False
