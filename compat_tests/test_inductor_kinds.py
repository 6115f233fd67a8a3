"""Kinds of programs that compilers get wrong, by inductor: views and writes, results that share memory, layouts, types, empty
and 0-dim tensors, random numbers, NaN. Values, types, layouts, random state and gradients are eager's."""

import random
import warnings

import pytest

import lucid as L
from lucid._codegen import build
from lucid.nn import functional as F
from lucid.utils._pytree import tree_leaves, tree_map

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="no C compiler")
NAN = float("nan")
WRITES = ("view write", "write + return", "copy other", "swap")

CASES = {
    "view write": (lambda x: (x.view(-1)[::2].mul_(2), x)[1], lambda: [L.randn(4, 6)]),
    "alias out": (lambda x: (x, x.t(), x[1:], x * 1), lambda: [L.randn(4, 6)]),
    "same out twice": (lambda x: (lambda y: (y, y, y.t()))(x + 1), lambda: [L.randn(4, 6)]),
    "write + return": (lambda x, b: (b.add_(x), b * 2, x + b), lambda: [L.randn(3), L.randn(3)]),
    "copy other": (lambda a, b: (a.copy_(b), b.mul_(2), a + b)[2], lambda: [L.randn(3), L.randn(3)]),
    "swap": (lambda a, b: (lambda t: (a.copy_(b), b.copy_(t)))(a.clone()), lambda: [L.randn(3), L.randn(3)]),
    "noncontig": (lambda x: x.t().softmax(0) + x.t().cumsum(1), lambda: [L.randn(5, 7)]),
    "expand": (lambda x: x.expand(4, 5) * 2 + x.expand(4, 5).sum(0), lambda: [L.randn(5)]),
    "int div": (lambda x: (x // 3, x % 3, x / 3, x << 1, ~x), lambda: [L.arange(-10, 10)]),
    "bool": (lambda x: (x & ~x, x | True, x.any(), x.sum()), lambda: [L.rand(10) > 0.5]),
    "nan max": (lambda x: (x.max(), x.amax(0), x.argmax(), x.max(0)), lambda: [L.tensor([[1.0, NAN], [2.0, 3.0]])]),
    "empty": (lambda x: (x.sum(), x * 2, x.sum(0)), lambda: [L.zeros(0, 3)]),
    "scalar": (lambda x: (x * 2, x.sum(), x.exp()), lambda: [L.tensor(2.0)]),
    "big red": (lambda x: (x.sum(), x.mean(), x.std(), x.norm(), x.logsumexp((0, 1))), lambda: [L.randn(300, 500)]),
    "cat pad": (
        lambda x, y: F.pad(L.cat([x, y], 1), (1, 2, 0, 3), value=7).roll(2, 1).flip(0),
        lambda: [L.randn(3, 4), L.randn(3, 5)],
    ),
    "where idx": (lambda x, i: L.where(x > 0, x, x[i]), lambda: [L.randn(6, 4), L.tensor([5, -1, 0, 2, 3, 1])]),
    "gather": (
        lambda x, i: (x.gather(1, i), x.index_select(0, i[0]), L.take(x, i)),
        lambda: [L.randn(4, 4), L.randint(0, 4, (4, 3))],
    ),
    "tri": (lambda x: (x.tril(-1) + x.triu(1), L.diag(x), x.diagonal(1)), lambda: [L.randn(5, 5)]),
    "complex": (
        lambda x: (x.abs(), x * 2j, x.real + x.imag, x.conj().angle()),
        lambda: [L.randn(4, dtype=L.complex64)],
    ),
    "bf16": (lambda x: (F.gelu(x) + x.softmax(-1), F.layer_norm(x, (8,)), x.sum()), lambda: [L.randn(4, 8).bfloat16()]),
    "f16": (lambda x: (x.exp().clamp(max=60000), x.mean(0)), lambda: [L.randn(4, 8).half()]),
    "f64": (lambda x: (x.sin() + x.erf(), x.lgamma()), lambda: [L.rand(9, dtype=L.float64) + 0.1]),
    "dropout": (lambda x: F.dropout(x, 0.4) + L.rand(5) + F.dropout(x * 2, 0.1), lambda: [L.randn(3, 5)]),
    "randperm": (lambda x: x[L.randperm(6)] + L.randn(6), lambda: [L.randn(6)]),
    "einsum": (lambda a, b: L.einsum("bij,bjk->ik", a, b), lambda: [L.randn(2, 3, 4), L.randn(2, 4, 5)]),
    "conv": (
        lambda x, w: F.relu(F.conv2d(x, w, stride=2, padding=1)).max(1)[0],
        lambda: [L.randn(2, 3, 9, 9), L.randn(4, 3, 3, 3)],
    ),
    "convt": (lambda x, w: F.conv_transpose2d(x, w, stride=2), lambda: [L.randn(2, 3, 5, 5), L.randn(3, 4, 3, 3)]),
    "pool": (
        lambda x: (F.max_pool2d(x, 3, 2, 1), F.avg_pool2d(x, 2), F.adaptive_avg_pool2d(x, 3)),
        lambda: [L.randn(2, 3, 8, 8)],
    ),
    "interp": (lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), lambda: [L.randn(1, 2, 4, 4)]),
    "sort": (lambda x: (x.sort(1), x.topk(2, 1), x.argsort(0)), lambda: [L.randn(4, 5)]),
    "cum": (lambda x: (x.cumsum(0).cumprod(1), x.cummax(0), x.logcumsumexp(1)), lambda: [L.randn(4, 5)]),
    "emb": (lambda w, i: F.embedding(i, w, padding_idx=1).sum(1), lambda: [L.randn(6, 4), L.randint(0, 6, (3, 5))]),
    "ce": (
        lambda x, t: (F.cross_entropy(x, t, ignore_index=2, label_smoothing=0.1), F.nll_loss(x.log_softmax(1), t)),
        lambda: [L.randn(7, 4), L.randint(0, 4, (7,))],
    ),
    "bce": (
        lambda x, t: (F.binary_cross_entropy_with_logits(x, t), F.smooth_l1_loss(x, t), F.kl_div(x, t.softmax(0))),
        lambda: [L.randn(5), L.rand(5)],
    ),
    "inplace relu": (lambda x: F.relu_(x * 2) + 1, lambda: [L.randn(5)]),
    "setitem": (
        lambda x: (lambda y: (y.__setitem__((slice(None), 1), 0.0), y.__setitem__(0, y[1]), y)[2])(x * 1),
        lambda: [L.randn(3, 4)],
    ),
    "scatter": (
        lambda x, i: x.scatter_add(1, i, x * 2).scatter(0, i, 1.0),
        lambda: [L.randn(4, 4), L.randint(0, 4, (4, 4))],
    ),
    "stride out": (lambda x: x.permute(2, 0, 1) * 2, lambda: [L.randn(2, 3, 4)]),
    "channels last": (
        lambda x: F.batch_norm(x, None, None, training=True) + x,
        lambda: [L.randn(2, 3, 4, 4).to(memory_format=L.channels_last)],
    ),
    "attn": (
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
        lambda: [L.randn(2, 2, 5, 4) for _ in range(3)],
    ),
    "norms": (
        lambda x: (F.group_norm(x, 2), F.instance_norm(x), F.rms_norm(x, (5,)), F.normalize(x), x.renorm(2, 0, 1.0)),
        lambda: [L.randn(2, 4, 5)],
    ),
    "long chain red": (
        lambda x: ((x - x.mean(0)) / x.std(0)).softmax(1).sum(0).log().cumsum(0),
        lambda: [L.rand(50, 30)],
    ),
    "linspace": (lambda x: x + L.linspace(0, 1, 5) + L.arange(5) * 0.5, lambda: [L.randn(5)]),
    "nested": (lambda d: {"a": d["x"] * 2, "b": [d["x"].sum(), None, 3]}, lambda: [{"x": L.randn(3)}]),
}


def inputs(make, grad):
    """The inputs of a case twice."""
    L.manual_seed(0)
    first = make()
    second = tree_map(lambda t: t.clone() if isinstance(t, L.Tensor) else t, first)
    for t in [*tree_leaves(first), *tree_leaves(second)] if grad else ():
        if t.is_floating_point() or t.is_complex():
            t.requires_grad_()
    return first, second


def ran(f, given):
    """(what it gives, the state of the random numbers afterwards)"""
    L.manual_seed(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = f(*given)
    return tree_leaves(found), L.get_rng_state()


def close(got, want, tolerance):
    if want.dtype in (L.bfloat16, L.float16):
        tolerance = 2e-2
    L.testing.assert_close(got.detach(), want.detach(), rtol=tolerance, atol=tolerance, equal_nan=True)


def total(results):
    """A number that gradients flow from."""
    live = [t for t in results if isinstance(t, L.Tensor) and t.requires_grad]
    return sum((t * t.detach().conj()).real.sum() if t.is_complex() else (t.float() * 1.3).sum() for t in live)


@pytest.mark.parametrize("grad", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_kind(name, grad):
    if grad and name in WRITES:
        grad = False  # leaves that want a gradient may not be written
    f, make = CASES[name]
    first, second = inputs(make, grad)
    L._dynamo.reset()
    (want, state), (got, after) = ran(f, first), ran(L.compile(f), second)
    assert L.equal(state, after)
    for w, g in zip(want + tree_leaves(first), got + tree_leaves(second), strict=True):
        if not isinstance(w, L.Tensor):
            assert w == g
            continue
        assert (w.dtype, w.shape, w.requires_grad) == (g.dtype, g.shape, g.requires_grad)
        assert not w.numel() or w.stride() == g.stride()
        close(g, w, 1e-5)
    loss = total(want)
    if isinstance(loss, L.Tensor):
        loss.backward(), total(got).backward()
        for p, q in zip(tree_leaves(first), tree_leaves(second)):
            assert (p.grad is None) == (q.grad is None)
            if p.grad is not None:
                close(q.grad, p.grad, 1e-4)


def test_sums_over_rows_beside_others():
    """Sums over pieces of the rows, and over all of them, in loops that read the rows anyway."""

    def f(x, w, b, m):
        return F.layer_norm(x, (256,), w, b).matmul(m) + x

    first = [L.randn(8, 128, 256), L.randn(256), L.randn(256), L.randn(256, 256)]
    second = [t.clone().requires_grad_() for t in first]
    first = [t.requires_grad_() for t in first]
    for p, given in ((f, first), (L.compile(lambda *a: f(*a)), second)):
        bias = L.zeros(256, requires_grad=True)
        given.append(bias)
        p(given[0] * 2 + bias, *given[1:4]).pow(2).mean().backward()
    for a, b in zip(first, second):
        L.testing.assert_close(b.grad, a.grad, rtol=1e-4, atol=1e-6)


MOVES = """
x.roll(a, d)
x.flip(d)
F.pad(x, (abs(a) % 3, 1))
x[1:] if len(x) > 1 else x
x.transpose(0, -1)
L.cat([x, x.flip(d)], d)
x.reshape(-1).roll(a).reshape(x.shape)
x.repeat_interleave(2, d)
""".strip().splitlines()


@pytest.mark.parametrize("seed", range(40))
def test_moves_of_moves(seed):
    """Places of places: shifts, turns and pads one after the other, whose indices are taken modulo sizes."""
    chance = random.Random(seed)
    shape = [chance.randint(1, 7) for _ in range(chance.randint(1, 3))]
    steps = [(chance.choice(MOVES), chance.randrange(len(shape)), chance.randint(-4, 4)) for _ in range(4)]

    def f(x):
        for move, d, a in steps:
            x = eval(move, {"x": x, "d": d, "a": a, "F": F, "L": L})
        return x * 2 + 1

    x = L.randn(shape)
    for options in ({}, {"cpu_backend": "numpy"}):
        L._dynamo.reset()
        assert L.equal(L.compile(f, options=options)(x), f(x)), steps


@pytest.mark.parametrize("last", ["x", "w", "xw"])
@pytest.mark.parametrize("name", ["conv2d", "conv_transpose2d"])
def test_layouts_of_convolutions(name, last):
    """A result is laid out as the input or the weights are."""
    x, w = L.randn(2, 16, 8, 9), L.randn(16, 16, 3, 3)
    x, w = [t.contiguous(memory_format=L.channels_last) if n in last else t for n, t in (("x", x), ("w", w))]
    f = lambda x, w: (getattr(F, name)(x, w), getattr(F, name)(x, w).relu() * 2)  # noqa: E731
    L._dynamo.reset()
    for a, b in zip(f(x, w), L.compile(f)(x, w)):
        assert a.stride() == b.stride()
        close(b, a, 1e-4)
