"""Halves to the bit: results and gradients of ops that torch computes in several steps, each of which rounds."""

import numpy as np
import pytest
import torch
from both import DRAWN  # one thread, too: sums of halves depend on how many there are

import lucid


def functional(name, *args, **kwargs):
    return lambda m, *operands: getattr(m.nn.functional, name)(*operands, *args, **kwargs)


def function(name, *args, **kwargs):
    return lambda m, *operands: getattr(m, name)(*operands, *args, **kwargs)


def indexed(name, *rest, **kwargs):
    """A method that takes a dimension and an index, the last operand, between its operands."""
    return lambda m, x, *operands: getattr(x, name)(0, operands[-1], *operands[:-1], *rest, **kwargs)


IMAGE, VOLUME = (2, 6, 7, 9), (2, 3, 6, 7, 9)
LOSSES = {
    f"{name} {reduction}": (functional(name, reduction=reduction), [(37, 5), second])
    for name, second in {
        "mse_loss": (37, 5),
        "smooth_l1_loss": (37, 5),
        "l1_loss": (37, 5),
        "soft_margin_loss": "sign (37, 5)",
        "binary_cross_entropy_with_logits": "unit (37, 5)",
        "kl_div": None,
    }.items()
    if second
    for reduction in ("none", "mean", "sum")
}
FORMULAS = {
    name: (function(name), [(50, 7)])
    for name in "atan sinh tan sin cos cosh exp2 expm1 erf erfc log1p digamma reciprocal sinc sigmoid tanh".split()
}
OPS = LOSSES | {
    **FORMULAS,
    "mul": (function("mul"), [(40, 5), (40, 1)]),
    "div": (function("div"), [(40, 5), "away (40, 5)"]),
    "pow": (function("pow"), ["unit (40, 5)", (40, 5)]),
    "atan2": (function("atan2"), [(40, 5), "away (40, 5)"]),
    "hypot": (function("hypot"), [(40, 5), "away (40, 5)"]),
    "logaddexp": (function("logaddexp"), [(40, 5), (40, 5)]),
    "xlogy by a number": (function("xlogy", 0.3), [(40, 5)]),
    "xlogy of a number": (lambda m, x: m.xlogy(0.3, x), ["unit (40, 5)"]),
    "xlog1py by a number": (lambda m, x: m.special.xlog1py(x, 0.3), [(40, 5)]),
    "xlog1py of a number": (lambda m, x: m.special.xlog1py(0.3, x), ["unit (40, 5)"]),
    "xlogy": (function("xlogy"), [(40, 5), "unit (40, 5)"]),
    "ldexp": (function("ldexp"), [(40, 5), (40, 5)]),
    "logit": (function("logit"), ["unit (40, 5)"]),
    "entr": (lambda m, x: m.special.entr(x), ["unit (40, 5)"]),
    "lerp": (function("lerp"), [(40, 5), (40, 5), (40, 5)]),
    "cross": (lambda m, a, b: m.linalg.cross(a, b), [(40, 3), (40, 3)]),
    "addr": (function("addr", beta=0.6, alpha=0.3), [(5, 40), (5,), (40,)]),
    "renorm": (function("renorm", 2, 1, 0.5), [(5, 5, 5)]),
    "logsumexp": (function("logsumexp", 1), [(40, 5)]),
    "prod": (function("prod", 1), [(20, 8)]),
    "var": (function("var", 1), [(20, 8)]),
    "std": (function("std", 1), [(20, 8)]),
    "norm": (function("norm", 2, 1), [(20, 8)]),
    "glu": (functional("glu", 1), [(20, 8)]),
    "logsigmoid": (functional("logsigmoid"), [(20, 8)]),
    "softmax": (functional("softmax", 1), [(20, 8)]),
    "bilinear": (functional("bilinear"), [(5, 4), (5, 3), (6, 4, 3)]),
    "cosine_similarity": (functional("cosine_similarity"), [(20, 8), (20, 8)]),
    "binary_cross_entropy": (functional("binary_cross_entropy"), ["unit (37, 5)", "unit (37, 5)"]),
    "pos_weight": (
        lambda m, x, t, w: m.nn.functional.binary_cross_entropy_with_logits(x, t, pos_weight=w),
        [(37, 5), "unit (37, 5)", "fixed (5,)"],
    ),
    "cross_entropy smoothed": (
        lambda m, x, t: m.nn.functional.cross_entropy(x, t, label_smoothing=0.1),
        [(37, 5), "index (37,)"],
    ),
    "cross_entropy of probabilities": (
        functional("cross_entropy", reduction="sum"),
        [(37, 5), "unit (37, 5)"],
    ),
    "cross_entropy of samples, smoothed": (
        lambda m, x, t: m.nn.functional.cross_entropy(x, t, label_smoothing=0.1, reduction="none"),
        [(37, 5), "index (37,)"],
    ),
    "layer_norm": (lambda m, x, w, b: m.nn.functional.layer_norm(x, (64,), w, b), [(30, 64), (64,), (64,)]),
    "attention": (functional("scaled_dot_product_attention", is_causal=True), [(2, 2, 8, 16)] * 3),
    "avg_pool1d": (functional("avg_pool1d", 3, 1, 1), [IMAGE[1:]]),
    "avg_pool2d": (functional("avg_pool2d", 3, 2, 1), [IMAGE]),
    "max_pool2d": (functional("max_pool2d", 3, 1, 1), [IMAGE]),
    "adaptive_avg_pool3d": (functional("adaptive_avg_pool3d", (4, 5, 4)), [VOLUME]),
    "reflect": (functional("pad", (3, 2, 2, 2), mode="reflect"), [IMAGE]),
    "replicate": (functional("pad", (3, 2, 2, 2), mode="replicate"), [IMAGE]),
    "unfold": (functional("unfold", 3, padding=1), [IMAGE]),
    "fold": (functional("fold", (8, 8), 3, padding=1), [(2, 27, 64)]),
    "windows": (lambda m, x: x.unfold(1, 3, 1), [(5, 9)]),
    "bicubic": (functional("interpolate", scale_factor=1.5, mode="bicubic"), [IMAGE]),
    "grid_sample": (functional("grid_sample", align_corners=False), [IMAGE, "grid (2, 5, 6, 2)"]),
    "grid_sample 3-d": (functional("grid_sample", align_corners=True), [VOLUME, "grid (2, 5, 6, 4, 3)"]),
    "index": (lambda m, x, i: x[i], [(5, 4), "index (40,)"]),
    "embedding": (lambda m, x, i: m.nn.functional.embedding(i, x), [(5, 4), "index (40,)"]),
    "index_put": (lambda m, x, s, i: x.index_put((i,), s, accumulate=True), [(5, 4), (40, 4), "index (40,)"]),
    "index_select": (indexed("index_select"), [(5, 4), "index (40,)"]),
    "index_reduce mean": (indexed("index_reduce", "mean"), [(5, 4), (40, 4), "index (40,)"]),
    "gather": (indexed("gather"), [(5, 4), "index (40, 4)"]),
    "as_strided": (lambda m, x: x.as_strided((50, 5), (3, 1)), [(200,)]),
}


# A few of many elements differ where float32's last bit decides.
SOME = {("layer_norm", "float16"): 2, ("attention", "float16"): 40}


def made(spec, kind):
    """A torch tensor: (shape), or "how (shape)"."""
    how, shape = spec.split(" ", 1) if isinstance(spec, str) else ("normal", spec)
    shape = eval(shape) if isinstance(shape, str) else shape
    if how == "index":
        return torch.randint(0, 5, shape)
    x = torch.randn(shape) if how in ("normal", "sign", "away", "fixed") else torch.rand(shape) * 0.9 + 0.05
    x = {"sign": torch.sign, "away": lambda x: x + x.sign(), "grid": lambda x: x * 1.8 - 0.9}.get(how, lambda x: x)(x)
    return x.to(kind).requires_grad_(how not in ("sign", "fixed"))


def copied(t):
    values = t.detach().float().numpy() if t.is_floating_point() else t.numpy()
    x = lucid.tensor(values)
    return x.to(getattr(lucid, str(t.dtype).split(".")[1])).requires_grad_(t.requires_grad)


def bits(t):
    return t.detach().float().numpy()


@pytest.mark.filterwarnings("ignore:index_reduce")
@pytest.mark.skipif(DRAWN is not None, reason="torch's kernels of halves round otherwise on this processor")
@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", OPS)
def test_each_step_rounds(name, kind):
    run, specs = OPS[name]
    torch.manual_seed(5)
    wanted = [made(spec, getattr(torch, kind)) for spec in specs]
    got = [copied(t) for t in wanted]
    out, ours = run(torch, *wanted), run(lucid, *got)
    g = torch.randn(out.shape).to(out.dtype)
    out.backward(g)
    ours.backward(copied(g))
    pairs = [("result", out, ours)]
    pairs += [(f"gradient {i}", a.grad, b.grad) for i, (a, b) in enumerate(zip(wanted, got)) if a.grad is not None]
    for what, a, b in pairs:
        a, b = bits(a), bits(b)
        differ = int((~((a == b) | np.isnan(a) & np.isnan(b))).sum())
        assert differ <= SOME.get((name, kind), 0), f"{what}: {differ} of {a.size} differ"


# 70000 is infinite as a float16, and 70144 as a bfloat16
MEANS = {
    "mean": lambda m, x: x.mean(),
    "mean over dim": lambda m, x: x.mean(0),
    "var_mean": lambda m, x: m.var_mean(x)[1],
    "max of many": lambda m, x: (x * 0).max(),
    "cross_entropy": lambda m, x: m.nn.functional.cross_entropy(
        m.stack([x, -x], 1) / 128, m.full((x.numel(), 2), 0.5).to(x)
    ),
    "kl_div": lambda m, x: m.nn.functional.kl_div(x, m.full((x.numel(),), 0.5).to(x)),
    "poisson_nll_loss": lambda m, x: m.nn.functional.poisson_nll_loss(x, m.ones(x.numel()).to(x)),
    "binary_cross_entropy": lambda m, x: m.nn.functional.binary_cross_entropy(
        x.sigmoid(), m.full((x.numel(),), 0.5).to(x)
    ),
    "hinge": lambda m, x: m.nn.functional.hinge_embedding_loss(x, m.ones(x.numel()).to(x)),
    **{
        name: lambda m, x, name=name: getattr(m.nn.functional, name)(x, m.zeros(x.numel()).to(x))
        for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy_with_logits")
    },
}


@pytest.mark.filterwarnings("ignore:reduction")
@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", MEANS)
def test_means_of_many(name, kind):
    """What is divided by is no half: neither rounded nor infinite."""
    torch.manual_seed(5)
    x = torch.randn(70000).to(getattr(torch, kind)).requires_grad_()
    y = copied(x)
    out, ours = MEANS[name](torch, x), MEANS[name](lucid, y)
    assert abs(out.item() - ours.item()) <= abs(out.item()) * 2**-7
    (wanted,), (got,) = torch.autograd.grad(out * 64, x), lucid.autograd.grad(ours * 64, y)
    wanted, got = bits(wanted), bits(got)
    assert np.abs(wanted - got).max() <= 2**-7 * np.abs(wanted).max() and np.abs(got).max() > 0 or name == "max of many"
    assert (wanted != got).mean() < 0.02
