"""MultiheadAttention (published by activation.py, where torch has it)."""

from ..._base.dtype import bool_
from ..._base.entering import found_in
from ..._base.state import grad_enabled
from ..._modes.autocast import is_autocast_enabled
from .. import functional as F
from ..init import constant_, xavier_normal_, xavier_uniform_
from ..parameter import hold
from .linear import NonDynamicallyQuantizableLinear
from .module import Module


@found_in("lucid.nn.modules.activation")
class MultiheadAttention(Module):
    """MultiheadAttention(embed_dim, num_heads, dropout=0.0, ...): attention in several subspaces (Vaswani et al. 2017).

    query (L, N, E), key (S, N, kdim), value (S, N, vdim); with batch_first N comes first, without a batch N is left
    out. Gives (output like query, weights): weights (N, L, S), per head (N, H, L, S) with average_attn_weights=False,
    None with need_weights=False. Masks: True (or -inf, when floating) is "do not look there".
    """

    def __init__(
        self,
        embed_dim,
        num_heads,
        dropout=0.0,
        bias=True,
        add_bias_kv=False,
        add_zero_attn=False,
        kdim=None,
        vdim=None,
        batch_first=False,
        device=None,
        dtype=None,
    ):
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and "
                f"num_heads={num_heads} instead"
            )
        super().__init__()
        self.embed_dim, self.num_heads, self.dropout, self.batch_first = embed_dim, num_heads, dropout, batch_first
        self.kdim = kdim if kdim is not None else embed_dim
        self.vdim = vdim if vdim is not None else embed_dim
        self._qkv_same_embed_dim = same = self.kdim == embed_dim and self.vdim == embed_dim
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")
        apart = {
            "q_proj_weight": None if same else (embed_dim, embed_dim),
            "k_proj_weight": None if same else (embed_dim, self.kdim),
            "v_proj_weight": None if same else (embed_dim, self.vdim),
        }
        together = {"in_proj_weight": (3 * embed_dim, embed_dim) if same else None}
        shapes = {**together, **apart} if same else {**apart, **together}
        hold(self, device, dtype, **shapes, in_proj_bias=(3 * embed_dim,) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, device=device, dtype=dtype)
        if add_bias_kv:
            hold(self, device, dtype, bias_k=(1, 1, embed_dim), bias_v=(1, 1, embed_dim))
        else:
            self.bias_k = self.bias_v = None
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self):
        for name in ("in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight"):
            if getattr(self, name) is not None:
                xavier_uniform_(getattr(self, name))
        if self.in_proj_bias is not None:
            constant_(self.in_proj_bias, 0.0)
            constant_(self.out_proj.bias, 0.0)
        for t in (self.bias_k, self.bias_v):
            if t is not None:
                xavier_normal_(t)

    def __setstate__(self, state):
        state.setdefault("_qkv_same_embed_dim", True)
        super().__setstate__(state)

    def forward(
        self,
        query,
        key,
        value,
        key_padding_mask=None,
        need_weights=True,
        attn_mask=None,
        average_attn_weights=True,
        is_causal=False,
    ):
        """(attention output, weights or None); see the class. is_causal: attn_mask is the causal mask, said as a
        hint."""
        batched = query.dim() == 3
        with_weights = need_weights or (
            self._is_plain_inference(query, key, value) and _hides_all_keys(attn_mask, key_padding_mask)
        )
        key_padding_mask, attn_mask = _canonical_masks(key_padding_mask, attn_mask, query.dtype)
        if self.batch_first and batched:
            if key is not value:
                query, key, value = query.transpose(1, 0), key.transpose(1, 0), value.transpose(1, 0)
            elif query is key:  # what was one tensor stays one: it is then projected in one product
                query = key = value = query.transpose(1, 0)
            else:
                query, key = query.transpose(1, 0), key.transpose(1, 0)
                value = key
        if batched and query is key is value:  # the order in which torch reads them, which its graphs show
            in_proj_bias, in_proj_weight = self.in_proj_bias, self.in_proj_weight
        else:
            in_proj_weight, in_proj_bias = self.in_proj_weight, self.in_proj_bias
        attn_output, attn_output_weights = F.multi_head_attention_forward(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            in_proj_weight,
            in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            training=self.training,
            key_padding_mask=key_padding_mask,
            need_weights=with_weights,
            attn_mask=attn_mask,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
            **self._separate_weights(),
        )
        if self.batch_first and batched:
            attn_output = attn_output.transpose(1, 0)
        return attn_output, attn_output_weights if need_weights else None

    def _is_plain_inference(self, query, key, value):
        """Does torch take its fused kernel? That one gives nan to a query whose keys are all masked, as the weights'
        softmax does; scaled_dot_product_attention gives it 0.
        """
        from ...backends import mha  # a module that answers questions: loaded when one is asked

        return (
            query is key is value
            and query.dim() == 3
            and self.batch_first
            and not self.training
            and self.num_heads % 2 == 0
            and self._qkv_same_embed_dim
            and self.bias_k is None
            and self.bias_v is None
            and not self.add_zero_attn
            and not is_autocast_enabled()
            and mha.get_fastpath_enabled()
            and not (grad_enabled() and (query.requires_grad or any(p.requires_grad for p in self.parameters())))
        )

    def _separate_weights(self):
        """The projections where query, key and value have sizes of their own."""
        if self._qkv_same_embed_dim:
            return {}
        weights = {name: getattr(self, name) for name in ("q_proj_weight", "k_proj_weight", "v_proj_weight")}
        return {"use_separate_proj_weight": True, **weights}

    def merge_masks(self, attn_mask, key_padding_mask, query):
        """(one mask of shape (N, H, L, S), 2), or (key_padding_mask, 1) where there is no attn_mask, or (None,
        None)."""
        if attn_mask is None:
            return (None, None) if key_padding_mask is None else (key_padding_mask, 1)
        batch, length, _ = query.shape
        if attn_mask.dim() == 3:
            merged = attn_mask.view(batch, -1, length, length)
        else:
            merged = attn_mask.view(1, 1, length, length).expand(batch, self.num_heads, -1, -1)
        if key_padding_mask is not None:
            merged = merged + key_padding_mask.view(batch, 1, 1, length).expand(-1, self.num_heads, -1, -1)
        return merged, 2


__all__ = ["MultiheadAttention"]


def _canonical_masks(key_padding_mask, attn_mask, dtype):
    """Both masks as numbers of the query's type to be added."""
    padding = F._canonical_mask(
        mask=key_padding_mask,
        mask_name="key_padding_mask",
        other_type=F._none_or_dtype(attn_mask),
        other_name="attn_mask",
        target_type=dtype,
    )
    attention = F._canonical_mask(
        mask=attn_mask,
        mask_name="attn_mask",
        other_type=None,
        other_name="",
        target_type=dtype,
        check_other=False,
    )
    return padding, attention


def _hides_all_keys(attn_mask, key_padding_mask):
    """Do these bool masks leave a query no key? Masks of numbers are no business of the fused kernel."""
    masks = [m for m in (attn_mask, key_padding_mask) if m is not None]
    if not masks or any(m.dtype is not bool_ for m in masks):
        return False
    hidden = masks[0]
    if len(masks) == 2:
        batch = len(key_padding_mask)
        of_heads = attn_mask.reshape(batch, -1, *attn_mask.shape[-2:]) if attn_mask.dim() == 3 else attn_mask
        hidden = of_heads | key_padding_mask[:, None, None]
    return bool(hidden.all(-1).any())
