"""nn.attention: flex_attention and its masks as torch has them in eager, with gradients (which torch lacks on the CPU)."""

import pytest
import torch
import torch.nn.attention.bias
import torch.nn.attention.flex_attention
from both import attempt, same

import lucid
import lucid.nn.attention.bias
import lucid.nn.attention.flex_attention


def attention(m):
    return m.nn.attention.flex_attention


def data(m):
    m.manual_seed(0)
    return {
        **{name: m.randn(2, 4, 40, 8) for name in "qkv"},
        "bias": m.randn(4, 80),
        "table": m.randn(2, 4, 40, 40),
        "off": m.tensor([3, 5]),
    }


SCORES = {
    "none": "None",
    "relative": "lambda s, b, h, q, kv: s + (q - kv)",
    "bias of heads": "lambda s, b, h, q, kv: s + bias[h, q - kv + 40]",
    "bias of heads twice": "lambda s, b, h, q, kv: s + bias[h][q - kv + 40]",
    "table": "lambda s, b, h, q, kv: s + table[b, h, q, kv]",
    "alibi": "lambda s, b, h, q, kv: s + m.exp2(-(h + 1) * 8.0 / 4) * (kv - q)",
    "soft cap": "lambda s, b, h, q, kv: m.tanh(s / 20) * 20",
    "where": "lambda s, b, h, q, kv: m.where(q >= kv, s, -float('inf'))",
}
MASKS = {
    "causal": "lambda b, h, q, kv: q >= kv",
    "window": "lambda b, h, q, kv: q - kv <= 7",
    "documents": "lambda b, h, q, kv: kv >= off[b]",
    "of heads": "lambda b, h, q, kv: (q >= kv) | (h == 1)",
    "nothing in rows": "lambda b, h, q, kv: q < 3",
    "and": "f.and_masks(lambda b, h, q, kv: q >= kv, lambda b, h, q, kv: q - kv <= 7)",
    "or": "f.or_masks(lambda b, h, q, kv: q == kv, lambda b, h, q, kv: kv >= off[b])",
}


def function(m, text, given):
    return eval(text, {"m": m, "f": attention(m), **given})


@pytest.mark.parametrize("name", SCORES)
def test_scores(name):
    def program(m):
        given = data(m)
        score_mod = function(m, SCORES[name], given)
        yield attention(m).flex_attention(given["q"], given["k"], given["v"], score_mod=score_mod)

    same(program, rtol=1e-4, atol=1e-5, looks="", quiet=True)


@pytest.mark.parametrize("name", ["causal", "documents", "or"])
@pytest.mark.parametrize("score", ["relative", "bias of heads twice", "soft cap"])
def test_compiled(score, name):
    """The functions become part of the graph, in both directions; nothing runs as it is."""
    given = data(lucid)
    q, k, v = [given[n].requires_grad_() for n in "qkv"]
    score_mod, mask_mod = function(lucid, SCORES[score], given), function(lucid, MASKS[name], given)
    mask = attention(lucid).create_block_mask(mask_mod, 2, 4, 40, 40, device="cpu")
    lucid._dynamo.reset()
    lucid._dynamo.utils.counters.clear()
    both = [f(q, k, v, score_mod=score_mod, block_mask=mask) for f in
            (attention(lucid).flex_attention, lucid.compile(attention(lucid).flex_attention))]  # fmt: skip
    grads = [lucid.autograd.grad(out.square().sum(), (q, k, v)) for out in both]
    assert not lucid._dynamo.utils.counters["aot_autograd"]["run_as_it_is"]
    for a, b in zip((both[0], *grads[0]), (both[1], *grads[1])):
        lucid.testing.assert_close(b, a, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("size", [16, (8, 32), 128])
@pytest.mark.parametrize("name", MASKS)
def test_masks(name, size):
    def program(m):
        given = data(m)
        mask_mod = function(m, MASKS[name], given)
        mask = attention(m).create_block_mask(mask_mod, 2, 4, 40, 40, device="cpu", BLOCK_SIZE=size)
        yield attention(m).flex_attention(given["q"], given["k"], given["v"], block_mask=mask)
        yield [t for t in mask.as_tuple()[:-1]]
        yield [
            str(mask),
            repr(mask).rpartition("mask_mod=")[0],
            mask.sparsity(),
            mask.shape,
            mask.numel(),
            mask.to_dense(),
        ]
        part = mask[0:1, 1]
        yield [*part.as_tuple()[:-1], str(part)]
        yield [*mask._adjust(32, 32).as_tuple()[:-1]]
        yield attention(m).create_mask(mask_mod, 2, 4, 10, 12, device="cpu")
        whole = attention(m).create_block_mask(mask_mod, 2, 4, 40, 40, "cpu", size, separate_full_blocks=False)
        yield [*whole.as_tuple()[:-1]]

    same(program, rtol=1e-4, atol=1e-5, looks="", quiet=True)


CALLS = {
    "grouped heads": "f.flex_attention(q, k[:, :2], v[:, :2], enable_gqa=True)",
    "scale": "f.flex_attention(q, k, v, scale=0.3)",
    "double": "f.flex_attention(q.double(), k.double(), v.double())",
    "bfloat16": "f.flex_attention(q.bfloat16(), k.bfloat16(), v.bfloat16()).float()",
    "both": "f.flex_attention(q, k, v, score_mod=lambda s, b, h, i, j: s * 2, block_mask=causal)",
    "mask for all": "f.flex_attention(q, k, v, block_mask=causal)",
    "other heads": "f.flex_attention(q, k[:, :2], v[:, :2])",
    "other size": "f.flex_attention(q[..., :3], k, v)",
    "3-d": "f.flex_attention(q[0], k[0], v[0])",
    "short": "f.flex_attention(q[:, :, :8], k, v, block_mask=causal)",
    "long": "f.flex_attention(m.cat([q, q], 2), k, v, block_mask=causal)",
    "sliced": "f.flex_attention(q, k, v, block_mask=causal[0])",
    "heads that do not divide": "f.flex_attention(q, k[:, :3], v[:, :3], enable_gqa=True)",
    "no mask": "f.create_block_mask(lambda s, b, h, i, j: s, 1, 1, 8, 8, device='cpu')",
    "not callable": "f.or_masks(3)",
    "mask of scores": "f.create_mask(lambda s, b, h, i, j: m.where(i >= j, s, -float('inf')), 1, 1, 3, 3, device='cpu')",
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_calls(name):
    def program(m):
        f, given = attention(m), data(m)
        causal = f.create_block_mask(lambda b, h, i, j: i >= j, None, None, 40, 40, device="cpu", BLOCK_SIZE=16)
        result = attempt(lambda: function(m, CALLS[name], {**given, "causal": causal}))
        if isinstance(result, Exception):
            return [type(result).__name__, str(result).partition("<function")[0]]
        return result

    same(
        program,
        rtol=2e-2 if name == "bfloat16" else 1e-4,
        atol=1e-2 if name == "bfloat16" else 1e-5,
        looks="",
        quiet=True,
    )


def test_gradients():
    """Those of the same attention written with plain ops, by torch."""
    given = data(torch)
    names = ("q", "k", "v", "bias")
    theirs = [given[n].double().requires_grad_() for n in names]
    q, k, v, bias = theirs
    places = torch.arange(40)
    scores = q @ k.transpose(-2, -1) / 8**0.5 + bias[:, places[:, None] - places + 40]
    scores = scores.masked_fill(places[:, None] < places, -torch.inf)
    (scores.softmax(-1) @ v).square().sum().backward()
    ours = [lucid.tensor(t.detach().numpy()).requires_grad_() for t in theirs]
    q, k, v, b = ours
    f = attention(lucid)
    mask = f.create_block_mask(lambda b, h, i, j: i >= j, None, None, 40, 40, BLOCK_SIZE=16)
    out = f.flex_attention(q, k, v, score_mod=lambda s, _, h, i, j: s + b[h, i - j + 40], block_mask=mask)
    out.square().sum().backward()
    for mine, wanted in zip(ours, theirs, strict=True):
        torch.testing.assert_close(torch.tensor(mine.grad.numpy()), wanted.grad, rtol=1e-9, atol=1e-12)


def test_a_row_without_places_gives_zeros_and_no_nan():
    q = lucid.randn(1, 1, 4, 2, requires_grad=True)
    f = attention(lucid)
    mask = f.create_block_mask(lambda b, h, i, j: i < 2, None, None, 4, 4)
    out, aux = f.flex_attention(q, q, q, block_mask=mask, return_aux=f.AuxRequest(lse=True, max_scores=True))
    out.sum().backward()
    assert out[0, 0, 2:].abs().sum() == 0 and q.grad.isfinite().all()
    assert aux.lse[0, 0, 3] == -lucid.inf and aux.max_scores.shape == (1, 1, 4)


@pytest.mark.parametrize("name", ["causal_upper_left", "causal_lower_right"])
def test_causal_bias(name):
    def program(m):
        m.manual_seed(0)
        q, k = m.randn(1, 2, 3, 4), m.randn(1, 2, 5, 4)
        bias = getattr(m.nn.attention.bias, name)(3, 5)
        yield [m.nn.functional.scaled_dot_product_attention(q, k, k, attn_mask=bias), repr(bias), int(bias.variant)]
        yield attempt(m.nn.functional.scaled_dot_product_attention, q, k, k, attn_mask=bias, is_causal=True)

    same(program, rtol=1e-5, atol=1e-6, looks="", quiet=True)
