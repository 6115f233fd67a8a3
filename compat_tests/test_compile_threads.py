"""Compiled functions give the same bits on any number of threads, forward and backward."""

import numpy as np
import pytest

import lucid
from lucid._codegen import build, extension, pool

if not build.usable():
    pytest.skip("there is no working C compiler here", allow_module_level=True)

F = lucid.nn.functional
lucid.manual_seed(0)


def rand(*shape, dtype=lucid.float32):
    return lucid.randn(*shape).to(dtype).requires_grad_()


def numbers(n, *shape):
    return lucid.randint(0, n, shape)


def weights(*shapes):
    return tuple([rand(*shape) for shape in shapes])


# name -> (function of tensors, its inputs): reductions of every strategy, and what is made of them
CASES = {
    "all": (lambda x: x.sum(), (rand(700, 301),)),
    "mean of doubles": (lambda x: x.mean(), (rand(500, 300, dtype=lucid.float64),)),
    "inner": (lambda x: (x.sin() * x).sum(-1), (rand(300, 1037),)),
    "inner, few rows": (lambda x: (x * x).sum(-1), (rand(3, 100_003),)),
    "one row": (lambda x: x.exp().sum(1), (rand(1, 300_007),)),
    "outer": (lambda x: (x * 2).sum(0), (rand(1037, 300),)),
    "outer, few columns": (lambda x: (x + 1).square().sum(0), (rand(100_003, 3),)),
    "middle": (lambda x: x.tanh().sum(1), (rand(7, 301, 50),)),
    "several": (lambda x: x.sum((0, 2)), (rand(30, 40, 301),)),
    "largest and places": (lambda x: (x.amax(0), x.max(1)[0], x.argmax(1)), (rand(301, 1000),)),
    "variance": (lambda x: (x.var(0), x.std(1), x.var()), (rand(301, 1000),)),
    "product and norm": (lambda x: ((1 + x / 1000).prod(1), x.norm()), (rand(100, 501),)),
    "logsumexp": (lambda x: x.logsumexp(0) + x.logsumexp(0).mean(), (rand(501, 300),)),
    "cumulative": (lambda x: x.cumsum(1).tanh(), (rand(100, 1001),)),
    "bfloat16": (lambda x: (x.float() * 2).sum(0), (rand(700, 301, dtype=lucid.bfloat16),)),
    "pointwise": (lambda x, w, b: F.gelu(x * w + b), (rand(512, 1023), rand(1023), rand(1023))),
    "softmax": (lambda x: F.softmax(x * 3, -1), (rand(301, 1023),)),
    "softmax over rows": (lambda x: F.log_softmax(x, 0), (rand(301, 1023),)),
    "layer norm": (lambda x, w, b: F.layer_norm(x, (511,), w, b), (rand(300, 511), rand(511), rand(511))),
    "rms norm": (lambda x, w: F.rms_norm(x, (511,), w), (rand(300, 511), rand(511))),
    "batch norm": (lambda x, w, b: F.batch_norm(x, None, None, w, b, True), (rand(16, 20, 17, 19), rand(20), rand(20))),
    "group norm": (lambda x, w, b: F.group_norm(x, 5, w, b), (rand(16, 20, 17, 19), rand(20), rand(20))),
    "cross entropy": (lambda x, t: F.cross_entropy(x, t), (rand(512, 1001), numbers(1001, 512))),
    "smoothed, weighted": (
        lambda x, t, w: F.cross_entropy(x, t, w.abs(), label_smoothing=0.1),
        (rand(512, 301), numbers(301, 512), rand(301)),
    ),
    "embedding": (lambda i, w: F.embedding(i, w).square(), (numbers(50, 100, 70), rand(50, 64))),
    "gather": (lambda x, i: x.gather(1, i) * 2, (rand(100, 301), numbers(301, 100, 500))),
    "index": (lambda x, i: x[i].sin(), (rand(300, 301), numbers(300, 1000))),
    "scatter": (lambda x, i, y: x.index_add(0, i, y) * x, (rand(50, 301), numbers(50, 900), rand(900, 301))),
    "pools": (
        lambda x: (F.max_pool2d(x, 2), F.avg_pool2d(x, 3, 2), F.adaptive_avg_pool2d(x, 5)),
        (rand(8, 16, 33, 35),),
    ),
    "MLP": (
        lambda x, a, b, c, d, t: F.cross_entropy(F.linear(F.relu(F.linear(x, a, b)), c, d), t),
        (rand(512, 784), *weights((256, 784), (256,), (10, 256), (10,)), numbers(10, 512)),
    ),
    "attention": (
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
        weights((4, 4, 65, 32), (4, 4, 65, 32), (4, 4, 65, 32)),
    ),
}  # fmt: skip


def step(f, inputs):
    """(values, gradients) as bytes."""
    values = f(*inputs)
    values = values if isinstance(values, tuple) else (values,)
    wanted = [x for x in inputs if x.requires_grad]
    live = [y for y in values if y.requires_grad]
    found = lucid.autograd.grad(live, wanted, [lucid.cos(y.detach() * 1.7) for y in live], allow_unused=True)
    return [
        None if x is None else x.detach().reshape(-1).contiguous().view(lucid.uint8).numpy().tobytes()
        for x in (*values, *found)
    ]


@pytest.fixture
def threads():
    before = lucid.get_num_threads()
    yield lucid.set_num_threads
    lucid.set_num_threads(before)


@pytest.mark.parametrize("name", CASES)
def test_bits_on_any_number_of_threads(name, threads, monkeypatch):
    f, inputs = CASES[name]
    texts, load = [], extension._load
    monkeypatch.setattr(extension, "_load", lambda text, *rest: texts.append(text) or load(text, *rest))
    lucid._dynamo.reset()
    compiled = lucid.compile(f)
    threads(1)
    one = step(compiled, inputs)
    for n in (2, 3, 1, 2):
        threads(n)
        assert pool.threads() == n
        for _ in range(3):
            again = step(compiled, inputs) == one  # a name: nobody wants to see how they differ
            assert again, n
    assert any("lucid_parallel(" in text for text in texts)  # else this shows nothing


def test_training_on_any_number_of_threads(threads):
    """Losses and weights after some steps of a whole step, with its optimizer."""

    def trained(n):
        threads(n)
        lucid._dynamo.reset()
        lucid.manual_seed(0)
        model = lucid.nn.Sequential(
            lucid.nn.Linear(64, 300),
            lucid.nn.LayerNorm(300),
            lucid.nn.GELU(),
            lucid.nn.Dropout(0.1),
            lucid.nn.Linear(300, 10),
        )
        optimizer = lucid.optim.Adam(model.parameters(), lr=1e-3)
        compiled, update = lucid.compile(model), lucid.compile(optimizer.step)
        x, y, losses = lucid.randn(256, 64), lucid.randint(0, 10, (256,)), []
        for _ in range(4):
            optimizer.zero_grad()
            loss = F.cross_entropy(compiled(x), y)
            loss.backward()
            update()
            losses.append(loss.item())
        return losses, [p.detach().numpy() for p in model.parameters()]

    one = trained(1)
    for n in (2, 3):
        losses, parameters = trained(n)
        assert losses == one[0]
        assert all(np.array_equal(a, b) for a, b in zip(parameters, one[1]))
