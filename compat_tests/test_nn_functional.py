"""Layer functions beside torch: values, layout, graph, gradients of both orders, and torch's words for mistakes."""

import itertools
import random
import warnings

import numpy as np
import pytest
import torch
from both import agree, both, error, numbers, same, same_outcome, told

import lucid


def run(api, program, second):
    """(results, gradients, gradients of gradients) of program(api, functional, r) with r(*size) a new leaf."""
    leaves = []

    def r(*size, dtype=api.float64):
        leaves.append(api.randn(*size, dtype=dtype).requires_grad_())
        return leaves[-1]

    def derivatives(total, create_graph):
        """Zeros for an unconnected leaf: there torch gives those or None."""
        grads = api.autograd.grad(total, leaves, allow_unused=True, create_graph=create_graph)
        return [api.zeros_like(x) if g is None else g for g, x in zip(grads, leaves)]

    out = program(api, api.nn.functional, r)
    outs = out if isinstance(out, tuple) else (out,)
    ends = [o for o in outs if o.requires_grad]
    if not ends:
        return outs, [], []
    grads = derivatives(sum([(o * o).sum() for o in ends]), second)
    with_graph = [g for g in grads if g.requires_grad]
    twice = derivatives(sum([(g * g).sum() for g in with_graph]), False) if second and with_graph else []
    return outs, [numbers(g) for g in grads], [numbers(g) for g in twice]


def same_derivatives(program, second=True):
    """Values, layout and graph of the results, and gradients of both orders."""
    wanted, got = both(run, program, second)
    agree(got[0], wanted[0], "results", rtol=1e-5, atol=1e-6)
    agree(got[1:], wanted[1:], "gradients", rtol=2e-4, atol=2e-5)


PROGRAMS = {
    "conv1d": lambda m, F, r: F.conv1d(r(2, 3, 8), r(4, 3, 3), r(4)),
    "conv2d": lambda m, F, r: F.conv2d(
        r(2, 4, 7, 8), r(6, 2, 3, 2), r(6), stride=(1, 2), padding=(2, 1), dilation=(2, 1), groups=2
    ),
    "conv2d one image": lambda m, F, r: F.conv2d(r(3, 8, 8), r(4, 3, 3, 3)),
    "conv2d same": lambda m, F, r: F.conv2d(r(1, 3, 8, 8), r(4, 3, 2, 2), padding="same"),
    "conv2d valid": lambda m, F, r: F.conv2d(r(1, 3, 8, 8), r(4, 3, 2, 2), padding="valid"),
    "conv2d channels last": lambda m, F, r: F.conv2d(
        r(2, 3, 6, 6).contiguous(memory_format=m.channels_last), r(4, 3, 3, 3)
    ),
    "conv3d": lambda m, F, r: F.conv3d(r(1, 2, 4, 5, 4), r(3, 2, 2, 3, 2), r(3), padding=1),
    "depthwise": lambda m, F, r: F.conv2d(r(2, 4, 6, 6), r(4, 1, 3, 3), padding=1, groups=4),
    "conv_transpose1d": lambda m, F, r: F.conv_transpose1d(r(2, 3, 5), r(3, 2, 3), r(2), stride=2, output_padding=1),
    "conv_transpose2d": lambda m, F, r: F.conv_transpose2d(
        r(2, 4, 4, 5), r(4, 3, 3, 2), r(6), 2, 1, 1, groups=2, dilation=(1, 2)
    ),
    "conv_transpose3d": lambda m, F, r: F.conv_transpose3d(r(1, 2, 3, 3, 3), r(2, 2, 2, 2, 2), stride=2),
    "unfold": lambda m, F, r: F.unfold(r(2, 2, 5, 5), (2, 3), dilation=(2, 1), padding=1, stride=2),
    "fold": lambda m, F, r: F.fold(r(2, 12, 12), (4, 5), (2, 2)),
    "max_pool1d": lambda m, F, r: F.max_pool1d(r(1, 3, 8), 2),
    "max_pool2d": lambda m, F, r: F.max_pool2d(r(2, 3, 8, 7), 2),
    "max_pool2d overlapping": lambda m, F, r: F.max_pool2d(r(2, 3, 8, 7), 3, 2, 1, ceil_mode=True, return_indices=True),
    "max_pool2d dilated": lambda m, F, r: F.max_pool2d(r(3, 9, 9), (3, 2), 1, 1, dilation=2),
    "max_pool3d": lambda m, F, r: F.max_pool3d(r(1, 2, 4, 5, 4), 2, return_indices=True),
    "avg_pool1d": lambda m, F, r: F.avg_pool1d(r(1, 3, 8), 3, 2, 1),
    "avg_pool2d": lambda m, F, r: F.avg_pool2d(r(2, 3, 8, 7), 3, 2, 1, ceil_mode=True, count_include_pad=False),
    "avg_pool2d divisor": lambda m, F, r: F.avg_pool2d(r(2, 3, 8, 7), (2, 3), divisor_override=5),
    "avg_pool3d": lambda m, F, r: F.avg_pool3d(r(1, 2, 4, 4, 5), 2, ceil_mode=True),
    "adaptive_avg_pool1d": lambda m, F, r: F.adaptive_avg_pool1d(r(1, 3, 8), 3),
    "adaptive_avg_pool2d": lambda m, F, r: F.adaptive_avg_pool2d(r(1, 3, 8, 7), (3, None)),
    "adaptive_avg_pool2d to one": lambda m, F, r: F.adaptive_avg_pool2d(r(1, 3, 8, 8), 1),
    "adaptive_avg_pool3d": lambda m, F, r: F.adaptive_avg_pool3d(r(2, 4, 5, 4), 2),
    "adaptive_max_pool1d": lambda m, F, r: F.adaptive_max_pool1d(r(1, 3, 8), 3),
    "adaptive_max_pool2d": lambda m, F, r: F.adaptive_max_pool2d(r(1, 3, 8, 7), 3, return_indices=True),
    "adaptive_max_pool3d": lambda m, F, r: F.adaptive_max_pool3d(r(1, 2, 4, 4, 4), 2),
    "lp_pool2d": lambda m, F, r: F.lp_pool2d(r(1, 2, 4, 4).abs(), 3, 2),
    "max_unpool2d": lambda m, F, r: F.max_unpool2d(*F.max_pool2d(r(1, 2, 4, 4), 2, return_indices=True), 2),
    "batch_norm": lambda m, F, r: F.batch_norm(r(4, 3, 5), None, None, r(3), r(3), True),
    "batch_norm rows": lambda m, F, r: F.batch_norm(r(4, 3), None, None, r(3), r(3), True),
    "batch_norm running": lambda m, F, r: F.batch_norm(
        r(4, 3), m.zeros(3).double(), m.ones(3).double() * 2, r(3), r(3)
    ),
    "layer_norm": lambda m, F, r: F.layer_norm(r(4, 3, 5), (3, 5), r(3, 5), r(3, 5)),
    "layer_norm plain": lambda m, F, r: F.layer_norm(r(4, 5), (5,)),
    "group_norm": lambda m, F, r: F.group_norm(r(3, 4, 2, 3), 2, r(4), r(4)),
    "instance_norm": lambda m, F, r: F.instance_norm(r(2, 3, 5), weight=r(3), bias=r(3)),
    "rms_norm": lambda m, F, r: F.rms_norm(r(4, 3), (3,), r(3)),
    "local_response_norm": lambda m, F, r: F.local_response_norm(r(2, 4, 3, 3), 2, alpha=0.5),
    "nll_loss": lambda m, F, r: F.nll_loss(r(3, 4), m.tensor([1, 2, 0])),
    "nll_loss weights": lambda m, F, r: F.nll_loss(r(3, 4), m.tensor([1, -100, 0]), m.tensor([1.0, 2, 3, 4]).double()),
    "nll_loss images": lambda m, F, r: F.nll_loss(r(2, 4, 2, 2), m.ones(2, 2, 2, dtype=m.long), ignore_index=0),
    "nll_loss lines": lambda m, F, r: F.nll_loss(r(2, 4, 3), m.ones(2, 3, dtype=m.long), reduction="none"),
    "nll_loss one": lambda m, F, r: F.nll_loss(r(4), m.tensor(1)),
    "cross_entropy": lambda m, F, r: F.cross_entropy(r(3, 4), m.tensor([1, 2, 0])),
    "cross_entropy ignored": lambda m, F, r: F.cross_entropy(
        r(3, 4), m.tensor([1, 2, 0]), ignore_index=2, reduction="sum"
    ),
    "cross_entropy smooth": lambda m, F, r: F.cross_entropy(
        r(3, 4), m.tensor([1, 2, -100]), m.tensor([1.0, 2, 3, 4]).double(), label_smoothing=0.1
    ),
    "cross_entropy probabilities": lambda m, F, r: F.cross_entropy(r(3, 4), r(3, 4).softmax(1), label_smoothing=0.1),
    "binary_cross_entropy": lambda m, F, r: F.binary_cross_entropy(r(3).sigmoid(), r(3).sigmoid()),
    "bce logits": lambda m, F, r: F.binary_cross_entropy_with_logits(r(3), r(3).sigmoid()),
    "bce weights": lambda m, F, r: F.binary_cross_entropy_with_logits(
        r(2, 3), r(2, 3), m.ones(3).double() * 2, pos_weight=m.tensor([1.0, 2, 3]).double(), reduction="sum"
    ),
    "mse_loss": lambda m, F, r: F.mse_loss(r(3), r(3)),
    "mse_loss weights": lambda m, F, r: F.mse_loss(r(3), r(3), weight=m.tensor([1.0, 2, 3]).double()),
    "l1_loss": lambda m, F, r: F.l1_loss(r(3), r(3), reduction="none"),
    "smooth_l1_loss": lambda m, F, r: F.smooth_l1_loss(r(8) * 2, r(8), beta=0.7),
    "smooth_l1_loss at zero": lambda m, F, r: F.smooth_l1_loss(r(3), r(3), beta=0.0),
    "huber_loss": lambda m, F, r: F.huber_loss(r(8) * 2, r(8), delta=0.7, reduction="sum"),
    "kl_div": lambda m, F, r: F.kl_div(r(3, 2), r(3, 2).exp(), reduction="batchmean"),
    "kl_div logs": lambda m, F, r: F.kl_div(r(3, 2), r(3, 2), log_target=True, reduction="sum"),
    "poisson_nll_loss": lambda m, F, r: F.poisson_nll_loss(r(5), r(5).exp() * 2, full=True),
    "gaussian_nll_loss": lambda m, F, r: F.gaussian_nll_loss(r(5), r(5), r(5).exp()),
    "hinge_embedding_loss": lambda m, F, r: F.hinge_embedding_loss(r(4), m.tensor([1.0, -1, 1, -1])),
    "cosine_embedding_loss": lambda m, F, r: F.cosine_embedding_loss(r(3, 2), r(3, 2), m.tensor([1.0, -1, 1])),
    "margin_ranking_loss": lambda m, F, r: F.margin_ranking_loss(r(3), r(3), m.tensor([1.0, -1, 1]), margin=0.3),
    "soft_margin_loss": lambda m, F, r: F.soft_margin_loss(r(3), m.tensor([1.0, -1, 1])),
    "multi_margin_loss": lambda m, F, r: F.multi_margin_loss(r(3, 4), m.tensor([1, 0, 3]), p=2),
    "multi_margin_loss one": lambda m, F, r: F.multi_margin_loss(r(4), m.tensor(2), reduction="none"),
    "multilabel_margin_loss": lambda m, F, r: F.multilabel_margin_loss(
        r(3, 4), m.tensor([[1, 0, -1, 2], [3, -1, 0, 0], [-1, 0, 0, 0]])
    ),
    "multilabel_soft_margin_loss": lambda m, F, r: F.multilabel_soft_margin_loss(r(3, 2), m.ones(3, 2).double()),
    "nearest": lambda m, F, r: F.interpolate(r(1, 2, 4, 5), scale_factor=1.7),
    "nearest-exact": lambda m, F, r: F.interpolate(r(1, 2, 4), size=7, mode="nearest-exact"),
    "linear": lambda m, F, r: F.interpolate(r(1, 2, 4), size=7, mode="linear"),
    "bilinear": lambda m, F, r: F.interpolate(r(1, 2, 4, 5), scale_factor=(2, 0.6), mode="bilinear"),
    "bilinear corners": lambda m, F, r: F.interpolate(r(1, 2, 4, 5), size=(7, 3), mode="bilinear", align_corners=True),
    "bicubic": lambda m, F, r: F.interpolate(r(1, 2, 4, 5), size=(7, 3), mode="bicubic"),
    "trilinear": lambda m, F, r: F.interpolate(r(1, 2, 3, 4, 2), scale_factor=2, mode="trilinear"),
    "area": lambda m, F, r: F.interpolate(r(1, 2, 4, 5), size=3, mode="area"),
    "antialiased": lambda m, F, r: F.interpolate(r(1, 2, 9, 8), size=4, mode="bicubic", antialias=True),
    "pad": lambda m, F, r: F.pad(r(2, 3), (1, 2, -1, 1), value=2.5),
    "pad reflect": lambda m, F, r: F.pad(r(1, 3, 4, 5), (2, 1, -1, 3), mode="reflect"),
    "pad replicate": lambda m, F, r: F.pad(r(1, 2, 3, 4, 3), (1, 2, 0, 0, 3, 1), mode="replicate"),
    "pad circular": lambda m, F, r: F.pad(r(1, 3, 4), (1, 2), mode="circular"),
    "grid_sample": lambda m, F, r: F.grid_sample(r(1, 2, 4, 5), r(1, 3, 3, 2) * 0.7, align_corners=False),
    "grid_sample border": lambda m, F, r: F.grid_sample(
        r(1, 2, 4, 5), r(1, 3, 3, 2), padding_mode="border", align_corners=True
    ),
    "grid_sample reflection": lambda m, F, r: F.grid_sample(
        r(1, 2, 4, 5), r(1, 3, 3, 2) * 2, padding_mode="reflection", align_corners=False
    ),
    "grid_sample bicubic": lambda m, F, r: F.grid_sample(
        r(1, 2, 4, 5), r(1, 3, 3, 2), mode="bicubic", align_corners=False
    ),
    "grid_sample nearest": lambda m, F, r: F.grid_sample(
        r(1, 2, 4, 5), r(1, 3, 3, 2), mode="nearest", align_corners=False
    ),
    "grid_sample volumes": lambda m, F, r: F.grid_sample(r(1, 2, 3, 4, 3), r(1, 2, 2, 2, 3) * 0.5, align_corners=False),
    "affine_grid": lambda m, F, r: F.affine_grid(r(2, 2, 3), (2, 1, 4, 3), align_corners=False),
    "affine_grid corners": lambda m, F, r: F.affine_grid(r(1, 3, 4), (1, 1, 2, 4, 3), align_corners=True),
    "pixel_shuffle": lambda m, F, r: F.pixel_shuffle(r(1, 8, 2, 3), 2),
    "pixel_unshuffle": lambda m, F, r: F.pixel_unshuffle(r(2, 4, 6), 2),
    "channel_shuffle": lambda m, F, r: F.channel_shuffle(r(1, 6, 2, 2), 3),
    "attention": lambda m, F, r: F.scaled_dot_product_attention(*[r(2, 2, 3, 4) for _ in range(3)]),
    "attention causal": lambda m, F, r: F.scaled_dot_product_attention(
        *[r(2, 2, 3, 4) for _ in range(3)], is_causal=True, scale=0.3
    ),
    "attention mask": lambda m, F, r: F.scaled_dot_product_attention(
        *[r(2, 2, 3, 4) for _ in range(3)], attn_mask=m.tensor([[1, 0, 1], [0, 0, 0], [1, 1, 1]]).bool()
    ),
    "attention shared heads": lambda m, F, r: F.scaled_dot_product_attention(
        r(2, 4, 3, 4), r(2, 2, 5, 4), r(2, 2, 5, 4), enable_gqa=True
    ),
}
# torch has no second derivative for these, or another form of it
ONCE = {
    "max_unpool2d",
    "nearest-exact",
    "antialiased",
    "bicubic",
    "trilinear",
    "area",
    "soft_margin_loss",
    "multi_margin_loss",
    "multi_margin_loss one",
    "multilabel_margin_loss",
    "attention shared heads",
}
ONCE |= {n for n in PROGRAMS if n.startswith(("grid", "affine", "attention", "pad circular"))}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message="Using padding='same' with even kernel")
        same_derivatives(PROGRAMS[name], second=name not in ONCE)


@pytest.mark.parametrize("seed", range(24))
def test_any_convolution(seed):
    """Random sizes, strides, paddings, dilations and groups, plain and transposed, in one to three dimensions."""
    rnd = random.Random(seed)
    n, groups = 1 + seed % 3, rnd.choice([1, 1, 2, 3])
    cin, cout, batch = groups * rnd.choice([1, 2, 9]), groups * rnd.choice([1, 2]), rnd.choice([1, 3])
    kernel, size = [rnd.randint(1, 3) for _ in range(n)], [rnd.randint(6, 8) for _ in range(n)]
    stride = [1] * n if seed % 2 else [rnd.choice([1, 2, 3]) for _ in range(n)]
    padding, dilation = [rnd.choice([0, 1, 2, 4]) for _ in range(n)], [rnd.choice([1, 1, 2]) for _ in range(n)]
    extra = [rnd.randint(0, max(s, d) - 1) for s, d in zip(stride, dilation)]
    same_derivatives(
        lambda m, F, r: getattr(F, f"conv{n}d")(
            r(batch, cin, *size), r(cout, cin // groups, *kernel), r(cout), stride, padding, dilation, groups
        )
    )
    if all(
        (m - 1) * s - 2 * p + d * (k - 1) + 1 + e > 0
        for m, s, p, d, k, e in zip(size, stride, padding, dilation, kernel, extra)
    ):
        same_derivatives(
            lambda m, F, r: getattr(F, f"conv_transpose{n}d")(
                r(batch, cin, *size), r(cin, cout // groups, *kernel), r(cout), stride, padding, extra, groups, dilation
            )
        )


@pytest.mark.parametrize("mode", ["same values", "nan", "inf", "lowest"])
def test_max_pool_picks_as_torch(mode):
    """Ties go to the first, NaN wins (the last one), padding never does."""
    x = np.zeros((1, 1, 5, 5), np.float32)
    if mode == "nan":
        x[0, 0, 1, 1] = x[0, 0, 2, 2] = np.nan
    elif mode != "same values":
        x[...] = np.inf if mode == "inf" else -np.inf

    def program(api):
        t = api.from_numpy(x.copy()).requires_grad_()
        out, index = api.nn.functional.max_pool2d(t, 3, 2, 1, return_indices=True)
        out.backward(api.ones_like(out))
        return out, index, t.grad

    same(program)


def test_traps():
    """What other engines got wrong in these rooms."""
    F, t = lucid.nn.functional, lucid.tensor
    assert F.max_pool2d(-lucid.ones(1, 1, 4, 4), 2, padding=1).max().item() == -1  # padding is -inf, not 0
    assert F.max_pool2d(lucid.zeros(1, 1, 4, 4), 2).shape == (1, 1, 2, 2)  # stride is kernel_size
    weights = t([1.0, 3.0])
    assert F.cross_entropy(t([[0.0, 0.0], [0.0, 0.0]]), t([0, 1]), weights).item() == pytest.approx(0.6931472)
    assert F.cross_entropy(t([[0.0, 0.0], [5.0, 0.0]]), t([0, -100])).item() == pytest.approx(0.6931472)
    assert F.cross_entropy(lucid.zeros(2, 3), t([0, 1]), reduction="none").shape == (2,)
    assert F.binary_cross_entropy_with_logits(t(-2.0), t(0.0)).item() == pytest.approx(0.126928)
    x = t([-3.0, 0.2, 5.0]).requires_grad_()
    F.smooth_l1_loss(x, lucid.zeros(3), reduction="sum").backward()
    assert x.grad.tolist() == pytest.approx([-1, 0.2, 1])
    ramp = lucid.arange(4.0).reshape(1, 1, 2, 2)
    assert F.interpolate(ramp, scale_factor=2, mode="bilinear")[0, 0, 0].tolist() == [0, 0.25, 0.75, 1]
    assert F.interpolate(ramp, size=3, mode="bilinear", align_corners=True)[0, 0, 0].tolist() == [0, 0.5, 1]


def test_running_statistics():
    """Biased to normalise with, unbiased to keep; updated in place, and seen by the version counter."""

    def program(api):
        mean, var, x = api.zeros(3), api.ones(3), api.randn(4, 3, 2)
        before = mean._version
        for momentum in (0.1, 0.5):
            api.nn.functional.batch_norm(x, mean, var, training=True, momentum=momentum)
        api.nn.functional.instance_norm(x, mean, var, momentum=0.3)
        assert mean._version > before
        return mean, var

    same(program, rtol=1e-6)


MODES = list(itertools.product(("RNN", "GRU", "LSTM"), (1, 2), (False, True), (False, True), (False, True)))


@pytest.mark.parametrize("kind,layers,both_ways,packed,batch_first", MODES)
def test_recurrence(kind, layers, both_ways, packed, batch_first):
    """Recurrent layers as functions of everything they take, and the names their results show."""

    def program(m, F, r):
        layer = getattr(m.nn, kind)(3, 4, num_layers=layers, bidirectional=both_ways, batch_first=batch_first)
        x, h = r(4, 4, 3, dtype=m.float32), r(layers * (2 if both_ways else 1), 4, 4, dtype=m.float32)
        state = (h, r(*h.shape, dtype=m.float32)) if kind == "LSTM" else h
        given = m.nn.utils.rnn.pack_padded_sequence(x, [4, 3, 3, 1], batch_first=batch_first) if packed else x
        out, last = layer(given, state)
        return (out.data if packed else out, *(last if isinstance(last, tuple) else (last,)))

    same_derivatives(program, second=False)


def test_lstm_twice():
    """The gradient of an LSTM layer, which is one node, is itself differentiable: beside the same network cell by cell."""
    lucid.manual_seed(0)
    layer, x = lucid.nn.LSTM(3, 4), lucid.randn(5, 2, 3).requires_grad_()
    h = c = lucid.zeros(2, 4)
    outs = []
    for t in range(5):
        h, c = lucid.lstm_cell(x[t], (h, c), *layer._flat_weights)
        outs.append(h)
    found = []
    for out in (layer(x)[0], lucid.stack(outs)):
        (g,) = lucid.autograd.grad((out * out).sum(), x, create_graph=True)
        found.append(lucid.autograd.grad((g * g).sum(), [x, *layer.parameters()]))
    for a, b in zip(*found):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-4, atol=1e-6)


MISTAKES = {
    "channels": lambda m, F, r: F.conv2d(r(1, 4, 8, 8), r(8, 3, 3, 3)),
    "conv dimensions": lambda m, F, r: F.conv2d(r(4, 8), r(8, 4, 3, 3)),
    "conv bias": lambda m, F, r: F.conv2d(r(1, 4, 8, 8), r(8, 4, 3, 3), r(7)),
    "kernel too large": lambda m, F, r: F.conv2d(r(1, 4, 2, 2), r(8, 4, 3, 3)),
    "groups": lambda m, F, r: F.conv2d(r(1, 4, 8, 8), r(9, 2, 3, 3), groups=2),
    "stride": lambda m, F, r: F.conv2d(r(1, 4, 8, 8), r(8, 4, 3, 3), stride=0),
    "same and stride": lambda m, F, r: F.conv2d(r(1, 4, 8, 8), r(8, 4, 3, 3), padding="same", stride=2),
    "output padding": lambda m, F, r: F.conv_transpose2d(r(1, 4, 8, 8), r(4, 8, 3, 3), output_padding=1),
    "conv types": lambda m, F, r: F.conv2d(r(1, 4, 8, 8), r(8, 4, 3, 3), r(8).float()),
    "pool padding": lambda m, F, r: F.max_pool2d(r(1, 4, 8, 8), 2, padding=2),
    "pool size": lambda m, F, r: F.max_pool2d(r(1, 1, 4, 4), 5),
    "pool divisor": lambda m, F, r: F.avg_pool2d(r(1, 4, 8, 8), 2, divisor_override=0),
    "adaptive dimensions": lambda m, F, r: F.adaptive_avg_pool2d(r(8, 8), 2),
    "one value per channel": lambda m, F, r: F.batch_norm(r(1, 2), None, None, training=True),
    "running_mean": lambda m, F, r: F.batch_norm(r(4, 2), m.zeros(3), m.ones(3), training=True),
    "no statistics": lambda m, F, r: F.batch_norm(r(4, 2), None, None),
    "normalized_shape": lambda m, F, r: F.layer_norm(r(4, 2), (3,)),
    "group_norm": lambda m, F, r: F.group_norm(r(4, 5), 2),
    "instance_norm": lambda m, F, r: F.instance_norm(r(4, 6, 1)),
    "batch of targets": lambda m, F, r: F.nll_loss(r(3, 4), m.tensor([1, 2])),
    "target range": lambda m, F, r: F.cross_entropy(r(3, 4), m.tensor([1, 2, 4])),
    "target type": lambda m, F, r: F.nll_loss(r(3, 4), m.tensor([1.0, 2, 3])),
    "class weights": lambda m, F, r: F.nll_loss(r(3, 4), m.tensor([1, 2, 3]), r(3).detach()),
    "reduction": lambda m, F, r: F.nll_loss(r(3, 4), m.tensor([1, 2, 3]), reduction="foo"),
    "not probabilities": lambda m, F, r: F.binary_cross_entropy(r(9), m.ones(9).double()),
    "target size": lambda m, F, r: F.binary_cross_entropy_with_logits(r(3), r(2)),
    "negative variance": lambda m, F, r: F.gaussian_nll_loss(r(3), r(3), -m.ones(3)),
    "margin": lambda m, F, r: F.triplet_margin_loss(r(3, 2), r(3, 2), r(3, 2), margin=-1),
    "no size": lambda m, F, r: F.interpolate(r(1, 2, 4, 4)),
    "mode and dimensions": lambda m, F, r: F.interpolate(r(1, 2, 4, 4), size=2, mode="linear"),
    "corners of nearest": lambda m, F, r: F.interpolate(r(1, 2, 4, 4), size=2, align_corners=True),
    "odd padding": lambda m, F, r: F.pad(r(2, 3), (1,)),
    "reflect too far": lambda m, F, r: F.pad(r(2, 2, 3), (3, 1), mode="reflect"),
    "padding mode": lambda m, F, r: F.pad(r(2, 2, 3), (1, 1), mode="foo"),
    "grid dimensions": lambda m, F, r: F.grid_sample(r(1, 2, 4, 4), r(1, 3, 3, 3), align_corners=False),
    "theta": lambda m, F, r: F.affine_grid(r(1, 2, 4), (1, 1, 4, 4), align_corners=False),
    "pixel_shuffle": lambda m, F, r: F.pixel_shuffle(r(1, 3, 2, 2), 2),
    "attention types": lambda m, F, r: F.scaled_dot_product_attention(
        r(1, 2, 3, 4), r(1, 2, 3, 4), r(1, 2, 3, 4).float()
    ),
    "states": lambda m, F, r: m.nn.GRU(3, 4)(m.randn(2, 2, 3), m.randn(1, 3, 4)),
    "cell input": lambda m, F, r: m.nn.LSTMCell(3, 4)(m.randn(2, 5)),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake(name):
    """The same class of error with the same message."""
    same(lambda api: error(run, api, MISTAKES[name], False))


@pytest.mark.parametrize("length, source, heads", [(3, 0, ()), (0, 0, ()), (0, 3, (2,)), (0, 0, (2,)), (3, 0, (2,))])
def test_attention_to_nothing(length, source, heads):
    def program(m):
        q, k = (m.ones(2, *heads, n, 4, requires_grad=True) for n in (length, source))
        y = m.nn.functional.scaled_dot_product_attention(q, k, k)
        return y, m.autograd.grad(y.sum(), (q, k))

    same(program, looks="requires_grad")


MASKS = {
    "of another size": lambda m: m.zeros(3, 5),
    "of more heads": lambda m: m.zeros(2, 2, 3, 4),
    "of more heads, bool": lambda m: m.ones(2, 2, 3, 4).bool(),
    "of more dimensions": lambda m: m.zeros(1, 1, 1, 3, 4),
    "of another size with a gradient": lambda m: m.zeros(3, 5, requires_grad=True),
    "of one column": lambda m: m.zeros(3, 1),
    "of one head": lambda m: m.zeros(2, 1, 3, 4),
}


@pytest.mark.parametrize("shape", [(2, 1), (2,), ()])
@pytest.mark.parametrize("mask", MASKS)
def test_attention_under_a_mask(mask, shape):
    def program(m):
        q, k = m.ones(*shape, 3, 2, requires_grad=True), m.arange(8.0).view(4, 2).expand(*shape, 4, 2)
        return m.nn.functional.scaled_dot_product_attention(q, k, k, MASKS[mask](m))

    same_outcome(program, looks="requires_grad", rtol=1e-6)


@pytest.mark.parametrize("p", [1.5, 1.0, 0.0])
def test_attention_with_dropout(p):
    same_outcome(lambda m: m.nn.functional.scaled_dot_product_attention(*[m.ones(1, 2, 2)] * 3, dropout_p=p))


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("batch, groups", [(1, 1), (0, 1), (1, 2)])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_convolution_of_no_channels(n, batch, groups, bias):
    """torch's result has none, either."""

    def program(m):
        given = [m.ones(batch, 0, *[3] * n), m.ones(2, 0, *[2] * n), m.ones(2) if bias else None]
        given = [t if t is None else t.requires_grad_() for t in given]
        y = getattr(m.nn.functional, f"conv{n}d")(*given, padding=1, groups=groups)
        return y, m.autograd.grad(y.sum(), [t for t in given if t is not None])

    same(program, looks="requires_grad")


def test_warnings():
    """Sizes that broadcast, and arguments of old."""
    for program in (
        lambda m, F: F.mse_loss(m.ones(3), m.ones(3, 1)),
        lambda m, F: F.l1_loss(m.ones(3), m.ones(3), size_average=False),
        lambda m, F: F.kl_div(m.ones(3), m.ones(3)),
        lambda m, F: F.grid_sample(m.ones(1, 1, 2, 2), m.ones(1, 1, 1, 2)),
    ):
        same(lambda api, program=program: told(program, api, api.nn.functional)[1:])


@pytest.mark.parametrize("corners", [False, True])
@pytest.mark.parametrize("size", [(1, 1, 6, 7), (2, 1, 8, 8), (3, 1, 20, 31), (2, 1, 3, 4, 6), (1, 1, 5, 1)])
@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_affine_grid_to_the_last_bit(size, corners, kind):
    """Points of a grid may lie half way between pixels, where the last bit decides which one is nearest."""
    n = len(size) - 2
    corners = corners and 1 not in size[2:]
    one = np.tile(np.eye(n, n + 1), (size[0], 1, 1))
    for theta in (one, one * 0.9 + 0.1, np.random.default_rng(0).normal(size=one.shape)):
        found = [
            m.nn.functional.affine_grid(m.tensor(theta, dtype=getattr(m, kind)), size, align_corners=corners).numpy()
            for m in (torch, lucid)
        ]
        assert (found[0] == found[1]).all()
