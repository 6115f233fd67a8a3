"""Attention: scaled dot products, and the multi-head layer made of them."""

import math

from ..._array.fallbacks import safe_softmax
from ..._backend.autocast import as_called
from ..._backend.core import func_op, unary_func_op
from ..._backend.families import Along, Layer
from ..._backend.registry import public
from ..._base.dtype import C_NAMES, FLOATING, SCALAR_NAMES, bfloat16, bool_, float16, float32, int64
from ..._base.shape import broadcast_pair
from ..._base.warn import warn
from ..creation.gfunc import ones, zeros_like
from ..linalg.linear import linear
from ..linalg.matmul import baddbmm, bmm, matmul
from ..pointwise.compare import logical_not
from ..pointwise.scalar import times
from ..reduction.softmax import softmax
from ..shape.join import cat
from .dropout import dropout
from .padding import pad


class _safe_softmax(Along):
    """_safe_softmax(input, dim) -> Tensor: softmax, with zeros where every element along dim is -inf."""

    node_name, method, has_out, gradient_kernel = "SafeSoftmaxBackward0", False, False, True

    @unary_func_op()
    def forward(xp, input, dim):
        return safe_softmax(xp, input, dim)

    def grad_input(xp, g, out, dim):
        return out * (g - xp.sum(g * out, (dim,), True))


class flash_attention(Layer):
    """flash_attention(query, key, value, attn_mask, is_causal, scale): (attention, its probabilities).

    query (N, H, L, E); key and value (N, Hk, S, E), Hk dividing H; attn_mask is added to the scores.
    """

    node_name = "ScaledDotProductFlashAttentionForCpuBackward0"
    compute_in_float32 = False  # one word does it, and knows what halves need
    namespace, differentiable, index_inputs = None, (0,), ("attn_mask",)

    @func_op(4, 2)
    def forward(xp, query, key, value, attn_mask=None, is_causal=False, scale=1.0):
        heads = query.shape[1]
        return xp.attention(query, _shared(xp, key, heads), _shared(xp, value, heads), attn_mask, is_causal, scale)

    def numpy(np, query, key, value, attn_mask, is_causal, scale):
        out, p = flash_attention.forward(np, query, key, value, attn_mask, is_causal, scale)
        if not query.flags.c_contiguous:
            out = np.with_strides(out, np.strides(np.empty_like(query)))
        return out, p

    def backward(xp, needs, g, query, key, value, attn_mask, outs, is_causal, scale):
        heads = query.shape[1]
        to_q, to_k, to_v = xp.attention_backward(
            g, query, _shared(xp, key, heads), _shared(xp, value, heads), attn_mask, outs[1], is_causal, scale
        )
        return (
            to_q if needs[0] else None,
            _unshared(xp, to_k, key.shape[1]) if needs[1] else None,
            _unshared(xp, to_v, value.shape[1]) if needs[2] else None,
            None,
        )


def _shared(xp, x, heads):
    """Each head of x (N, Hk, S, E) for the heads / Hk query heads that share it."""
    n, own, s, e = x.shape
    if own == heads:
        return x
    return xp.reshape(xp.expand(xp.unsqueeze(x, 2), (n, own, heads // own, s, e)), (n, heads, s, e))


def _unshared(xp, g, own):
    n, heads, s, e = g.shape
    return g if own == heads else xp.sum(xp.reshape(g, (n, own, heads // own, s, e)), (2,), False)


def _c_name(t):
    return "long" if t.dtype is int64 else C_NAMES.get(t.dtype, t.dtype.name)


def _check_attention(query, key, value, attn_mask):
    if not query.dtype is key.dtype is value.dtype:
        raise RuntimeError(
            "Expected query, key, and value to have the same dtype, but got query.dtype: "
            f"{_c_name(query)} key.dtype: {_c_name(key)} and value.dtype: {_c_name(value)} instead."
        )
    if min(query.dim(), key.dim(), value.dim()) < 2:
        raise RuntimeError(
            "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: "
            f"{query.dim()} key.dim: {key.dim()} and value.dim: {value.dim()} instead."
        )
    if query._table.dtype.category < FLOATING:
        raise RuntimeError(f"expected scalar type Float but found {SCALAR_NAMES[query._table.dtype]}")
    if attn_mask is not None:
        if attn_mask.dtype not in (bool_, query.dtype, float32):
            raise RuntimeError(
                "Expected attn_mask dtype to be bool or float or to match query dtype, but got "
                f"attn_mask.dtype: {_c_name(attn_mask)} and  query.dtype: {_c_name(query)} instead."
            )
        if attn_mask.dim() < 2:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-max(attn_mask.dim(), 1)}, "
                f"{max(attn_mask.dim(), 1) - 1}], but got -2)"
            )


def _fuses(query, key, value, attn_mask, dropout_p, enable_gqa):
    """Would torch's CPU take its fused kernel?"""
    if dropout_p > 0 or not query.dim() == key.dim() == value.dim() == 4 or query._table.is_complex:
        return False
    if attn_mask is not None and (attn_mask.requires_grad or attn_mask.dim() not in (2, 4)):
        return False
    (n, h, length, e), (nk, hk, s, ek), (nv, hv, sv, ev) = query.shape, key.shape, value.shape
    heads = h % hk == 0 and hk == hv if enable_gqa and hk else h == hk == hv
    if attn_mask is not None and any(m not in (1, n) for m, n in zip(attn_mask.shape[::-1], (s, length, h, n))):
        return False
    return n == nk == nv and heads and e == ek == ev and s == sv and 0 not in (length, s, e)


@public(namespace="nn.functional")
def scaled_dot_product_attention(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False
):
    """scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, ...).

    softmax(query key^T scale + mask) value (Vaswani et al. 2017): query (..., L, E), key (..., S, E), value (..., S,
    Ev); scale is 1 / sqrt(E) when None. A bool mask keeps where it is true; rows where nothing is kept give zeros.
    """
    _check_attention(query, key, value, attn_mask)
    if attn_mask is not None and attn_mask.dtype is bool_:
        attn_mask = _to_add(attn_mask, query.dtype)
    if _fuses(query, key, value, attn_mask, dropout_p, enable_gqa):
        if dropout_p:
            raise RuntimeError("scaled_dot_product_attention_flash_attention: Currently do not support dropout > 0")
        scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
        return flash_attention.fn(query, key, value, attn_mask, bool(is_causal), float(scale))[0]
    return _attention(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa)


def _to_add(mask, dtype):
    """A bool mask as 0 where it is true and -inf elsewhere."""
    return zeros_like(mask, dtype=dtype).masked_fill_(logical_not.fn(mask), -math.inf)


def _attention(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa):
    """The same, one operation after another; halves in float32, as torch's are."""
    half = query.dtype if query.dtype in (float16, bfloat16) else None
    if half is not None:
        query, key, value = query.to(float32), key.to(float32), value.to(float32)
    if is_causal:
        if attn_mask is not None:
            raise RuntimeError(
                "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True"
            )
        shape = (query.shape[-2], key.shape[-2])
        attn_mask = _to_add(ones(shape, dtype=bool_, device=query.device).tril(), query.dtype)
    if enable_gqa:
        key, value = _for_each_head(query, key, value)
    if scale is None:
        scale = 1 / math.sqrt(query.shape[-1]) if query.shape[-1] else 0.0
    root = math.sqrt(abs(scale))
    scores = matmul(times(query, math.copysign(root, scale)), times(key.transpose(-2, -1), root))
    if attn_mask is not None:
        scores = _masked(scores, attn_mask)
    p = _safe_softmax.fn(scores, -1)
    if dropout_p > 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {dropout_p:g}")
    if dropout_p > 0:
        p = dropout(p, dropout_p)
    result = matmul(p, value)
    return result if half is None else result.to(half)


def _for_each_head(query, key, value):
    """Key and value with their heads repeated for the query heads that share them."""
    if min(query.dim(), key.dim(), value.dim()) < 3:
        raise IndexError("Dimension out of range (expected to be in range of [-2, 1], but got -3)")
    heads = [t.shape[-3] for t in (query, key, value)]
    if heads[0] == heads[1] == heads[2]:
        return key, value
    if any(heads[0] % n if n else True for n in heads[1:]):
        raise RuntimeError("Number of heads in key and value must divide the number of heads in ")
    return tuple(t.repeat_interleave(heads[0] // n, -3) for t, n in zip((key, value), heads[1:]))


def _masked(scores, mask):
    """scores + mask, which may not have more dimensions or sizes than they."""
    shape = broadcast_pair(tuple(scores.shape), tuple(mask.shape))
    if shape != tuple(scores.shape):
        raise RuntimeError(f"output with shape {list(scores.shape)} doesn't match the broadcast shape {list(shape)}")
    return scores + mask


# ---- the multi-head layer


def _is_batched(query, key, value, key_padding_mask, attn_mask, num_heads):
    if query.dim() not in (2, 3):
        raise AssertionError(
            f"query should be unbatched 2D or batched 3D tensor but received {query.dim()}-D query tensor"
        )
    n = query.dim()
    kind = "batched (3-D)" if n == 3 else "unbatched (2-D)"
    if key.dim() != n or value.dim() != n:
        raise AssertionError(
            f"For {kind} `query`, expected `key` and `value` to be {n}-D but found {key.dim()}-D and "
            f"{value.dim()}-D tensors respectively"
        )
    if key_padding_mask is not None and key_padding_mask.dim() != n - 1:
        raise AssertionError(
            f"For {kind} `query`, expected `key_padding_mask` to be `None` or {n - 1}-D but found "
            f"{key_padding_mask.dim()}-D tensor instead"
        )
    if attn_mask is not None:
        if attn_mask.dim() not in (2, 3):
            raise AssertionError(
                f"For {kind} `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found "
                f"{attn_mask.dim()}-D tensor instead"
            )
        wanted = (num_heads, query.shape[0], key.shape[0])
        if n == 2 and attn_mask.dim() == 3 and attn_mask.shape != wanted:
            raise AssertionError(f"Expected `attn_mask` shape to be {wanted} but got {attn_mask.shape}")
    return n == 3


@public(namespace="nn.functional")
def _canonical_mask(mask, mask_name, other_type, other_name, target_type, check_other=True):
    """A mask to be added to scores: bool ones hide where they are true. AssertionError for a mask of integers."""
    if mask is None:
        return None
    if mask.dtype is not bool_ and mask._table.dtype.category < FLOATING:
        raise AssertionError(f"only bool and floating types of {mask_name} are supported")
    if check_other and other_type is not None and mask.dtype is not other_type:
        warn(
            f"Support for mismatched {mask_name} and {other_name} is deprecated. Use same type for both instead.",
        )
    if mask.dtype is bool_:
        return zeros_like(mask, dtype=target_type).masked_fill_(mask, -math.inf)
    return mask


@public(namespace="nn.functional")
def _none_or_dtype(input):
    """The type of a tensor, None for None."""
    return None if input is None else input.dtype


def _halves(proj, n, size):
    """(..., n * size) as n tensors (..., size), each contiguous."""
    return proj.unflatten(-1, (n, size)).unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()


def _projected(query, key, value, weight, bias):
    """query, key and value through one packed projection."""
    if weight is None:
        raise AssertionError("use_separate_proj_weight is False but in_proj_weight is None")
    size = query.shape[-1]
    if key is value and query is key:
        proj = _halves(linear(query, weight, bias), 3, size)
        return proj[0], proj[1], proj[2]
    if key is value:
        w_q, w_kv = weight.split([size, 2 * size])
        b_q, b_kv = (None, None) if bias is None else bias.split([size, 2 * size])
        q, kv = linear(query, w_q, b_q), _halves(linear(key, w_kv, b_kv), 2, size)
        return q, kv[0], kv[1]
    biases = (None,) * 3 if bias is None else bias.chunk(3)
    return tuple([linear(x, w, b) for x, w, b in zip((query, key, value), weight.chunk(3), biases)])


def _projected_apart(query, key, value, weights, bias):
    """query, key and value each through a projection of its own."""
    size = query.shape[-1]
    biases = (None,) * 3 if bias is None else bias.chunk(3)
    for name, x, w in zip(("query", "key", "value"), (query, key, value), weights):
        if w is None:
            raise AssertionError(f"use_separate_proj_weight is True but {name[0]}_proj_weight is None")
        if w.shape != (size, x.shape[-1]):
            raise AssertionError(f"expecting {name} weights shape of {(size, x.shape[-1])}, but got {w.shape}")
    return tuple([linear(x, w, b) for x, w, b in zip((query, key, value), weights, biases)])


def _mask_of_heads(mask, length, source, batch, num_heads):
    """An attention mask as (1 or N * heads, L, S)."""
    if mask is None:
        return None
    if mask.dim() == 2:
        if mask.shape != (length, source):
            raise RuntimeError(f"The shape of the 2D attn_mask is {mask.shape}, but should be {(length, source)}.")
        return mask.unsqueeze(0)
    if mask.dim() == 3:
        if mask.shape != (batch * num_heads, length, source):
            raise RuntimeError(
                f"The shape of the 3D attn_mask is {mask.shape}, but should be {(batch * num_heads, length, source)}."
            )
        return mask
    raise RuntimeError(f"attn_mask's dimension {mask.dim()} is not supported")


def _longer(x, zeros):
    return cat.fn([x, zeros], 1)


def _wider(masks):
    """The masks with room for one key more, which nothing hides."""
    return [None if m is None else pad(m, (0, 1)) for m in masks]


def _as_batch(query, key, value, key_padding_mask):
    """Unbatched sequences as batches of one; what was one tensor stays one."""
    batch = query.unsqueeze(1)
    keys = batch if query is key else key.unsqueeze(1)
    values = keys if key is value else value.unsqueeze(1)
    return batch, keys, values, None if key_padding_mask is None else key_padding_mask.unsqueeze(0)


def _without_hint(attn_mask, padded, dtype, is_causal, need_weights):
    """(attn_mask to be added to scores, is_causal): at most one of the two is left where one will do."""
    if is_causal and attn_mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
            "`generate_square_subsequent_mask` to create this mask."
        )
    if is_causal and not padded and not need_weights:
        return None, True
    return _canonical_mask(attn_mask, "attn_mask", None, "", dtype, False), is_causal and not padded


def _with_biases(k, v, biases, static, masks):
    """Keys and values with a learned one more at the end, and masks to match."""
    bias_k, bias_v = biases
    if (bias_k is None) != (bias_v is None):
        raise AssertionError(
            "bias_k is set but bias_v is None" if bias_v is None else "bias_v is set but bias_k is None"
        )
    if bias_k is None:
        return k, v, masks
    if static[0] is not None or static[1] is not None:
        raise AssertionError(f"bias cannot be added to static {'key' if static[0] is not None else 'value'}.")
    batch = k.shape[1]
    return cat.fn([k, bias_k.repeat(1, batch, 1)]), cat.fn([v, bias_v.repeat(1, batch, 1)]), _wider(masks)


@public(namespace="nn.functional")
def multi_head_attention_forward(
    query,
    key,
    value,
    embed_dim_to_check,
    num_heads,
    in_proj_weight,
    in_proj_bias,
    bias_k,
    bias_v,
    add_zero_attn,
    dropout_p,
    out_proj_weight,
    out_proj_bias,
    training=True,
    key_padding_mask=None,
    need_weights=True,
    attn_mask=None,
    use_separate_proj_weight=False,
    q_proj_weight=None,
    k_proj_weight=None,
    v_proj_weight=None,
    static_k=None,
    static_v=None,
    average_attn_weights=True,
    is_causal=False,
):
    """multi_head_attention_forward(query, key, value, ...) -> (output, weights or None): nn.MultiheadAttention's.

    query (L, N, E) or (L, E), key and value (S, N, E) or (S, E); masks are bool (true hides) or added to the scores.
    The weights are (N, L, S), averaged over heads, or (N, heads, L, S).
    """
    batched = _is_batched(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not batched:
        query, key, value, key_padding_mask = _as_batch(query, key, value, key_padding_mask)
    length, batch, size = query.shape
    padding = _canonical_mask(key_padding_mask, "key_padding_mask", _none_or_dtype(attn_mask), "attn_mask", query.dtype)
    mask, is_causal = _without_hint(attn_mask, padding is not None, query.dtype, is_causal, need_weights)
    _check_sizes(query, key, value, embed_dim_to_check, num_heads, use_separate_proj_weight)
    if use_separate_proj_weight:
        q, k, v = _projected_apart(query, key, value, (q_proj_weight, k_proj_weight, v_proj_weight), in_proj_bias)
    else:
        q, k, v = _projected(query, key, value, in_proj_weight, in_proj_bias)
    masks = [_mask_of_heads(mask, length, key.shape[0], batch, num_heads), padding]
    k, v, masks = _with_biases(k, v, (bias_k, bias_v), (static_k, static_v), masks)
    heads, each = batch * num_heads, size // num_heads
    q, k, v = _by_heads(q, k, v, static_k, static_v, heads, each)
    if add_zero_attn:
        k, v = (_longer(x, x.new_zeros((heads, 1, each))) for x in (k, v))
        masks = _wider(masks)
    attend, p = _with_weights if need_weights else _without_weights, dropout_p if training else 0.0
    mask = _merged(*masks, batch, num_heads, k.shape[1])
    out, weights = attend(q, k, v, mask, p, is_causal, (batch, num_heads, length, size))
    out = linear(out, out_proj_weight, out_proj_bias)
    out = out.view(length, batch, out.shape[1])
    if weights is not None and average_attn_weights:
        weights = weights.mean(dim=1)
    if not batched:
        return out.squeeze(1), None if weights is None else weights.squeeze(0)
    return out, weights


def _check_sizes(query, key, value, embed_dim_to_check, num_heads, apart):
    size = query.shape[-1]
    if size != embed_dim_to_check:
        raise AssertionError(f"was expecting embedding dimension of {embed_dim_to_check}, but got {size}")
    if size // num_heads * num_heads != size:
        raise AssertionError(f"embed_dim {size} not divisible by num_heads {num_heads}")
    if apart and key.shape[:2] != value.shape[:2]:
        raise AssertionError(f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}")
    if not apart and key.shape != value.shape:
        raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")


def _by_head(x, heads, each):
    return x.view(x.shape[0], heads, each).transpose(0, 1)


def _by_heads(q, k, v, static_k, static_v, heads, each):
    """Queries, keys and values as (N * heads, length, size of a head); static ones come so."""
    k = _by_head(k, heads, each) if static_k is None else _static(static_k, "static_k", heads, each)
    v = _by_head(v, heads, each) if static_v is None else _static(static_v, "static_v", heads, each)
    return _by_head(q, heads, each), k, v


def _static(x, name, heads, each):
    if x.shape[0] != heads:
        raise AssertionError(f"expecting {name}.size(0) of {heads}, but got {x.shape[0]}")
    if x.shape[2] != each:
        raise AssertionError(f"expecting {name}.size(2) of {each}, but got {x.shape[2]}")
    return x


def _merged(attn_mask, key_padding_mask, batch, num_heads, source):
    """Both masks as one, (1 or N * heads, L or 1, S)."""
    if key_padding_mask is None:
        return attn_mask
    if key_padding_mask.shape[0] != batch:
        raise AssertionError(f"Expected key_padded_mask.shape[0] to be {batch}, but got {key_padding_mask.shape[0]}")
    if key_padding_mask.shape[1] != source:
        raise AssertionError(f"Expected key_padded_mask.shape[1] to be {source}, but got {key_padding_mask.shape[1]}")
    hidden = key_padding_mask.view(batch, 1, 1, source).expand(-1, num_heads, -1, -1)
    hidden = hidden.reshape(batch * num_heads, 1, source)
    return hidden if attn_mask is None else attn_mask + hidden


def _with_weights(q, k, v, mask, dropout_p, is_causal, sizes):
    """(output (L * N, E), weights (N, heads, L, S)), one operation after another."""
    if is_causal and mask is None:
        raise AssertionError("FIXME: is_causal not implemented for need_weights")
    batch, num_heads, length, size = sizes
    q = q * math.sqrt(1.0 / q.shape[-1])
    turned = k.transpose(-2, -1)
    scores = bmm.fn(q, turned) if mask is None else baddbmm.fn(mask, q, turned)
    p = softmax(scores, -1)
    if dropout_p > 0.0:
        p = dropout(p, p=dropout_p)
    out = bmm.fn(p, v).transpose(0, 1).reshape(length * batch, size)
    return out, p.view(batch, num_heads, length, k.shape[1])


def _without_weights(q, k, v, mask, dropout_p, is_causal, sizes):
    """(output (L * N, E), None), through scaled_dot_product_attention."""
    batch, num_heads, length, size = sizes
    if mask is not None:
        shared = mask.shape[0] == 1 and mask.dim() == 3
        mask = mask.unsqueeze(0) if shared else mask.view(batch, num_heads, -1, k.shape[1])
    q, k, v = (x.view(batch, num_heads, x.shape[1], x.shape[2]) for x in (q, k, v))
    out = as_called(scaled_dot_product_attention, q, k, v, mask, dropout_p, is_causal)
    return out.permute(2, 0, 1, 3).reshape(batch * length, size), None
