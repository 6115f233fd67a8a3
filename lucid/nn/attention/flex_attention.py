"""flex_attention: attention whose scores a function of yours changes, and whose mask is one.

The whole matrix of scores is computed, as torch does without torch.compile; the functions run under vmap, so they see
numbers. Gradients work, which torch lacks on the CPU.
"""

import inspect
import math
import warnings
from typing import NamedTuple

from ..._backend.registry import NAMESPACES
from ..._base.dtype import DTYPES
from ..._modes.vmap import vmap
from ..._tensor.tensor import Tensor
from .block_mask import _DEFAULT_SPARSE_BLOCK_SIZE, _LARGE_SPARSE_BLOCK_SIZE, BlockMask, _blocks_of, noop_mask
from .block_mask import _sliced_mask_mod_error as _sliced

__all__ = [
    "BlockMask",
    "flex_attention",
    "AuxOutput",
    "AuxRequest",
    "FlexKernelOptions",
    "create_block_mask",
    "create_mask",
    "or_masks",
    "and_masks",
    "noop_mask",
]
_torch = NAMESPACES["torch"]
_FLEX_ATTENTION_DISABLE_COMPILE_DEBUG = False
_told: set = set()


class AuxRequest(NamedTuple):
    """AuxRequest(lse=False, max_scores=False): what flex_attention shall return beside the output"""

    lse: bool = False
    max_scores: bool = False


class AuxOutput(NamedTuple):
    """AuxOutput(lse=None, max_scores=None): what was asked for"""

    lse: Tensor | None = None
    max_scores: Tensor | None = None


class FlexKernelOptions(dict):
    """FlexKernelOptions(**options): settings of torch's GPU kernels, without effect"""


def _identity(score, batch, head, token_q, token_kv):
    return score


def _over_scores(f, first):
    """f of numbers as a function of whole tensors: scores (B, H, Q, KV) if it takes them first, and four indices."""
    start = (0,) if first else ()
    for where in ((None, None, None, 0), (None, None, 0, None), (None, 0, None, None), (0, None, None, None)):
        f = vmap(f, in_dims=(*start, *where), out_dims=0)
    return f


def _indices(sizes, device):
    return [_torch["arange"](n, device=device) for n in sizes]


def _is_score_mod(f):
    """Does f take a score (five arguments), or indices alone (four)? AssertionError otherwise."""
    if hasattr(f, "__code__"):
        count = len([p for p in inspect.signature(f).parameters.values() if p.default is inspect.Parameter.empty])
    else:
        count = len(inspect.signature(f).parameters)
    if count not in (4, 5):
        raise AssertionError(f"a score_mod takes 5 arguments, a mask_mod 4; this takes {count}")
    return count == 5


def create_mask(mod_fn, B, H, Q_LEN, KV_LEN, device=None):
    """create_mask(mask_mod or score_mod, B, H, Q_LEN, KV_LEN) -> bool Tensor (B, H, Q_LEN, KV_LEN)"""
    sizes = (B or 1, H or 1, Q_LEN, KV_LEN)
    device = "cpu" if device is None else device
    places = _indices(sizes, device)
    if _is_score_mod(mod_fn):
        scores = _over_scores(mod_fn, True)(_torch["zeros"](sizes, device=device), *places)
        return _torch["logical_not"](_torch["isneginf"](scores))
    return _over_scores(mod_fn, False)(*places)


def create_block_mask(
    mask_mod,
    B,
    H,
    Q_LEN,
    KV_LEN,
    device=None,
    BLOCK_SIZE=_DEFAULT_SPARSE_BLOCK_SIZE,
    _compile=False,
    separate_full_blocks=True,
    compute_dq_write_order=False,
    dq_kv_order=True,
):
    """create_block_mask(mask_mod, B, H, Q_LEN, KV_LEN) -> BlockMask; B and H may be None: the same for all."""
    if _is_score_mod(mask_mod):
        raise AssertionError(f"create-block_mask requires a mask_mod function! Got {mask_mod}")
    if compute_dq_write_order:
        raise NotImplementedError("create_block_mask: lucid has no compute_dq_write_order=, an order of GPU kernels")
    sizes = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else BLOCK_SIZE
    mask = create_mask(mask_mod, B, H, Q_LEN, KV_LEN, device)
    return BlockMask.from_kv_blocks(
        *_blocks_of(mask, sizes, separate_full_blocks), sizes, mask_mod=mask_mod, seq_lengths=(Q_LEN, KV_LEN)
    )


def _checked(mask_mods):
    if not all(callable(f) for f in mask_mods):
        raise RuntimeError(f"All inputs should be callable mask_mods: {mask_mods}")


def or_masks(*mask_mods):
    """or_masks(*mask_mods) -> mask_mod, where any is"""
    _checked(mask_mods)

    def or_mask(b, h, q_idx, kv_idx):
        result = b.new_zeros((), dtype=DTYPES["bool"])
        for mask in mask_mods:
            result = result | mask(b, h, q_idx, kv_idx)
        return result

    return or_mask


def and_masks(*mask_mods):
    """and_masks(*mask_mods) -> mask_mod, where all are"""
    _checked(mask_mods)

    def and_mask(b, h, q_idx, kv_idx):
        result = b.new_ones((), dtype=DTYPES["bool"])
        for mask in mask_mods:
            result = result & mask(b, h, q_idx, kv_idx)
        return result

    return and_mask


def _create_empty_block_mask(query, key):
    ones = _torch["ones"]((1, 1, 1), dtype=DTYPES["int32"], device=query.device)
    zeros = _torch["zeros"]((1, 1, 1, 1), dtype=DTYPES["int32"], device=query.device)
    large = (_LARGE_SPARSE_BLOCK_SIZE,) * 2
    return BlockMask.from_kv_blocks(ones, zeros, BLOCK_SIZE=large, seq_lengths=(1, 1))


def _check_inputs(query, key, value, enable_gqa, block_mask):
    if query.size(-1) != key.size(-1):
        raise ValueError(
            "Expect query and key/value to have the same embedding dimension "
            f"but got E={query.size(-1)} and E={key.size(-1)}."
        )
    if query.dim() != 4 or key.dim() != 4 or value.dim() != 4:
        raise NotImplementedError("NYI: query, key, and value must be 4D tensors")
    heads, kv_heads = query.size(1), key.size(1)
    if not enable_gqa and heads != kv_heads:
        raise ValueError(
            "Expect query and key/value to have the same number of heads "
            f"but got Hq={heads} and Hkv={kv_heads}. Try setting enable_gqa=True for GQA."
        )
    if enable_gqa and heads % kv_heads != 0:
        raise ValueError(
            f"Expect number of query heads to be a multiple of kv heads for GQA but got Hq={heads} and Hkv={kv_heads}."
        )
    if query.size(0) != key.size(0) and block_mask is None:
        raise ValueError(
            "Expect query and key/value to have the same batch size, or non-none block_mask, "
            f"but got block_mask=None, Bq={query.size(0)}, and Bkv={key.size(0)}."
        )


def _check_lengths(query, key, block_mask):
    if getattr(block_mask, "mask_mod", None) is _sliced:
        raise RuntimeError("Cannot use mask_mod from a sliced BlockMask")
    if block_mask.BLOCK_SIZE[0] == block_mask.BLOCK_SIZE[1] == _LARGE_SPARSE_BLOCK_SIZE:
        return
    made = tuple(block_mask.shape[-2:])
    wanted = (query.size(-2), key.size(-2))
    start = (
        f"block_mask was created for block_mask.shape={block_mask.shape} but got q_len={wanted[0]} and "
        f"kv_len={wanted[1]}. As the block mask was created for a "
    )
    if wanted[0] > made[0] or wanted[1] > made[1]:
        raise ValueError(f"{start}smaller length than you're using it for, you likely need to create a new block mask.")
    if wanted != made:
        raise ValueError(
            f"{start}larger length than you're using it for, you can either 1. create a new block mask with the "
            "correct length, or 2. 'adjust' the existing block mask to the correct length by calling "
            "block_mask._adjust(q_len, kv_len). This essentially 'crops' the block mask to the upper left corner, "
            "which does not work for all mask_mods!"
        )


def _scores(query, key, score_mod, mask_mod, scale):
    """The scores after both functions, in the precision in which torch computes them."""
    working = DTYPES["float64"] if query.dtype == DTYPES["float64"] else DTYPES["float32"]
    scores = (query.to(working) @ key.to(working).transpose(-2, -1)) * scale
    places = _indices(scores.shape, query.device)
    mask = None if mask_mod is noop_mask else _over_scores(mask_mod, False)(*places)
    if score_mod is not _identity:
        scores = _over_scores(score_mod, True)(scores, *places)
        scores = scores.to(working)
    return scores if mask is None else _torch["where"](mask, scores, -math.inf)


def flex_attention(
    query,
    key,
    value,
    score_mod=None,
    block_mask=None,
    scale=None,
    enable_gqa=False,
    return_lse=False,
    kernel_options=None,
    *,
    return_aux=None,
):
    """flex_attention(query, key, value, score_mod=None, block_mask=None) -> Tensor (B, H, L, Ev), and with return_aux
    an AuxOutput.

    score_mod(score, b, h, q_idx, kv_idx) gives the new score; block_mask comes of create_block_mask.
    """
    _check_inputs(query, key, value, enable_gqa, block_mask)
    block_mask = _create_empty_block_mask(query, key) if block_mask is None else block_mask
    _check_lengths(query, key, block_mask)
    if return_lse and return_aux is not None:
        raise ValueError(
            "Cannot specify both return_lse and return_aux. "
            "return_lse is deprecated, please use return_aux=AuxRequest(lse=True) instead."
        )
    if return_lse and "return_lse" not in _told:
        _told.add("return_lse")
        warnings.warn(
            "return_lse is deprecated and will be removed in v2.10. "
            "Please use return_aux=AuxRequest(lse=True) instead.",
            FutureWarning,
            stacklevel=2,
        )
    scale = 1.0 / math.sqrt(query.size(-1)) if scale is None else scale
    groups = query.size(1) // key.size(1)
    if groups != 1:
        key, value = key.repeat_interleave(groups, 1), value.repeat_interleave(groups, 1)
    key, value = key.expand(query.size(0), -1, -1, -1), value.expand(query.size(0), -1, -1, -1)
    scores = _scores(query, key, score_mod or _identity, block_mask.mask_mod, scale)
    nothing = (scores == -math.inf).all(-1, keepdim=True)
    # A row without any place to look at gives zeros, and no gradient.
    weights = _torch["where"](nothing, 0.0, scores.masked_fill(nothing, 0.0).softmax(-1))
    out = weights.to(query.dtype) @ value.to(query.dtype)
    want_lse = return_lse or (return_aux is not None and return_aux.lse)
    lse = scores.logsumexp(-1) if want_lse else None
    if return_aux is not None:
        return out, AuxOutput(lse, scores.amax(-1) if return_aux.max_scores else None)
    return (out, lse) if return_lse else out
