"""Small programs of torch's whose results are known: functions of the library that yield tensors or numbers.

`scripts/golden.py` runs them on torch and writes golden.json; `python -m lucid selftest` compares lucid with it.
"""

import io

PROGRAMS = {}


def program(f):
    """Enter a program under its name."""
    PROGRAMS[f.__name__] = f
    return f


@program
def random_numbers(m):
    m.manual_seed(0)
    g = m.Generator().manual_seed(7)
    yield from (m.rand(5), m.randn(20), m.randint(100, (6,)), m.randperm(9), m.rand(3, generator=g))
    yield from (
        m.bernoulli(m.full((6,), 0.3)),
        m.multinomial(m.tensor([0.1, 0.2, 0.7]), 2),
        m.randn(3, dtype=m.float64),
    )
    yield m.nn.functional.dropout(m.ones(8), 0.5)


@program
def distributions(m):
    m.manual_seed(1)
    d = m.distributions
    yield from (d.Gamma(2.0, 3.0).sample((3,)), d.Poisson(4.0).sample((4,)), d.Beta(0.5, 0.5).sample((2,)))
    yield from (d.Normal(0.0, 2.0).log_prob(m.tensor(1.0)), d.kl_divergence(d.Normal(0.0, 1.0), d.Normal(1.0, 2.0)))


@program
def pointwise(m):
    x = m.linspace(-2, 2, 9)
    yield from (x.exp(), x.sin() * x.tanh(), x.sigmoid(), x.abs().log1p(), m.erf(x), m.special.i0(x), x.clamp(-1, 1))
    yield from (m.where(x > 0, x, -x), x.to(m.bfloat16).exp(), x.half() + 0.1, x.int() // 2, m.remainder(x, 0.7))


@program
def reductions(m):
    x = m.arange(24.0).reshape(2, 3, 4).sin()
    yield from (x.sum(), x.mean(1), x.std(-1), x.amax((0, 2)), x.logsumexp(1), x.cumsum(0), x.median(2).values)
    yield from (x.argsort(-1), x.topk(2).indices, x.norm(p=3), x.softmax(1), x.prod(2), x.var(unbiased=False))


@program
def linear_algebra(m):
    x = m.arange(9.0).reshape(3, 3).cos() + 2 * m.eye(3)
    yield from (x @ x, m.linalg.inv(x), m.linalg.det(x), m.linalg.svdvals(x), m.linalg.solve(x, m.ones(3)))
    yield from (m.einsum("ij,jk->ki", x, x), m.linalg.qr(x).R.abs(), m.linalg.eigvalsh(x @ x.mT), m.fft.fft(x).abs())


@program
def views_and_writes(m):
    x = m.zeros(3, 4)
    y = x.t()[1:]
    y += 1
    x[:, ::2] = m.arange(2.0)
    x.index_add_(0, m.tensor([0, 2]), m.ones(2, 4))
    yield from (
        x,
        y.stride(),
        x.unfold(1, 2, 1).shape,
        x.expand(2, 3, 4).sum(0),
        x[x > 0.5],
        x.scatter(1, m.tensor([[0]]), 9.0),
    )


@program
def gradients(m):
    x = m.linspace(0.1, 2, 6, dtype=m.float64, requires_grad=True)
    y = (x.log() * x.sin()).sum() + (x[1:] * x[:-1]).prod()
    (g,) = m.autograd.grad(y, x, create_graph=True)
    yield from (g, m.autograd.grad(g.square().sum(), x)[0], type(y.grad_fn).__name__)
    yield m.autograd.functional.hessian(lambda v: (v * v.exp()).sum(), x.detach()[:3])


@program
def transforms(m):
    x = m.linspace(-1, 1, 6).reshape(2, 3)
    f = lambda v: (v.sin() * v.sum()).sum()
    yield from (m.func.grad(f)(x[0]), m.vmap(m.func.grad(f))(x), m.func.jacrev(lambda v: v * v.sum())(x[0]))
    yield from (*m.func.jvp(m.tanh, (x,), (m.ones_like(x),)), m.func.hessian(f)(x[1]))


def _trained(m, net, make, x, y, steps=5):
    optimizer = make(net.parameters())
    for _ in range(steps):
        optimizer.zero_grad()
        loss = m.nn.functional.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        yield loss.detach()
    yield from net.state_dict().values()


@program
def training_a_perceptron(m):
    m.manual_seed(0)
    net = m.nn.Sequential(m.nn.Linear(6, 8), m.nn.GELU(), m.nn.LayerNorm(8), m.nn.Linear(8, 3))
    x, y = m.randn(10, 6), m.randint(3, (10,))
    yield from _trained(m, net, lambda p: m.optim.AdamW(p, 0.01), x, y)


@program
def training_a_convolution(m):
    m.manual_seed(0)
    nn = m.nn
    net = nn.Sequential(
        nn.Conv2d(2, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 3)
    )
    x, y = m.randn(5, 2, 6, 6), m.randint(3, (5,))
    yield from _trained(m, net, lambda p: m.optim.SGD(p, 0.1, momentum=0.9, nesterov=True), x, y)


@program
def training_a_transformer(m):
    m.manual_seed(0)
    layer = m.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
    net = m.nn.Sequential(m.nn.Embedding(11, 8), layer, m.nn.Flatten(), m.nn.Linear(40, 3))
    yield from _trained(m, net, lambda p: m.optim.SGD(p, 0.1), m.randint(11, (4, 5)), m.randint(3, (4,)), 3)


@program
def recurrent_layers(m):
    m.manual_seed(0)
    x = m.randn(2, 5, 3)
    for kind in ("LSTM", "GRU", "RNN"):
        yield getattr(m.nn, kind)(3, 4, num_layers=2, batch_first=True, bidirectional=True)(x)[0]


@program
def layers_and_losses(m):
    m.manual_seed(0)
    F, x = m.nn.functional, m.randn(2, 3, 6, 6)
    yield from (
        F.interpolate(x, scale_factor=2, mode="bilinear"),
        F.avg_pool2d(x, 2),
        F.group_norm(x, 3),
        F.unfold(x, 3),
    )
    yield from (
        F.conv_transpose2d(x, m.ones(3, 2, 2, 2)),
        F.pad(x, (1, 2), "constant", 0.5),
        F.scaled_dot_product_attention(x, x, x),
    )
    yield from (
        F.mse_loss(x, x.roll(1, 0)),
        F.smooth_l1_loss(x, -x),
        F.kl_div(x, x.exp(), reduction="batchmean"),
        F.one_hot(m.tensor([0, 2])),
    )


@program
def saving_and_loading(m):
    m.manual_seed(0)
    net, file = m.nn.Linear(3, 2), io.BytesIO()
    m.save({"net": net.state_dict(), "step": 3}, file)
    file.seek(0)
    found = m.load(file, weights_only=True)
    yield from (found["net"]["weight"], found["step"], sorted(found["net"]))


@program
def loading_data(m):
    m.manual_seed(0)
    data = m.utils.data.TensorDataset(m.arange(10.0), m.arange(10))
    for x, y in m.utils.data.DataLoader(data, batch_size=4, shuffle=True):
        yield from (x, y)


@program
def compiling(m):
    f = m.compile(lambda x, n: x.sin() + n if x.sum() > 0 else x * n, backend="eager")
    yield from (f(m.ones(3), 2), f(-m.ones(3), 2), f(m.ones(4), 3))


@program
def autocasting(m):
    m.manual_seed(0)
    with m.autocast("cpu", m.bfloat16):
        out = m.nn.Linear(4, 3)(m.randn(2, 4))
        yield from (out, out.softmax(-1), str(out.dtype))


@program
def printing(m):
    yield from (
        str(m.tensor([[1.5, -2e-5], [3e6, float("nan")]])),
        str(m.arange(3)),
        repr(m.zeros(0, 2, dtype=m.float64)),
    )
    yield repr(m.nn.Sequential(m.nn.Conv2d(1, 2, 3), m.nn.Dropout(0.1)))


@program
def errors(m):
    for wrong in (
        lambda: m.ones(2) + m.ones(3),
        lambda: m.zeros(2)[5],
        lambda: m.ones(2, 3) @ m.ones(2, 3),
        lambda: m.zeros(2, requires_grad=True).add_(1),
    ):
        try:
            wrong()
        except Exception as error:
            yield f"{type(error).__name__}: {error}"


def plain(value):
    """A result as JSON holds it: numbers (not-a-number and infinities as text), texts, lists of them."""
    if hasattr(value, "detach"):
        value = value.detach()
        value = value.double().tolist() if value.dtype.is_floating_point else value.tolist()
    if isinstance(value, (tuple, list)):
        return [plain(v) for v in value]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return repr(value)
    return value


def results(name, m):
    """What a program yields, as JSON holds it."""
    return [plain(v) for v in PROGRAMS[name](m)]
