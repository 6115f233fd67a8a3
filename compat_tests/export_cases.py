"""Modules that test_export.py exports with torch and with lucid: each entry is f(torch) -> (module, args, kwargs,
dynamic_shapes), made of the library that it is given."""

CASES = {}


def case(f):
    CASES[f.__name__] = f
    return f


def _module(torch, forward, **parts):
    """A module with these parts (modules, parameters, tensors for buffers) and a forward."""

    class M(torch.nn.Module):
        def __init__(self):
            super().__init__()
            for name, value in parts.items():
                if isinstance(value, torch.Tensor) and not isinstance(value, torch.nn.Parameter):
                    self.register_buffer(name, value)
                else:
                    setattr(self, name, value)

    M.forward = forward
    return M()


@case
def mlp(torch):
    nn = torch.nn
    net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3), nn.Softmax(dim=-1))
    return net, (torch.randn(4, 6),), {}, None


@case
def mlp_dynamic(torch):
    nn = torch.nn
    net = nn.Sequential(nn.Linear(6, 8), nn.GELU(), nn.Dropout(0.25), nn.Linear(8, 3), nn.LogSoftmax(dim=1))
    return net, (torch.randn(4, 6),), {}, ({0: torch.export.Dim("batch", max=64)},)


@case
def cnn(torch):
    nn = torch.nn
    net = nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(inplace=True), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(4 * 4 * 4, 5)
    )  # fmt: skip
    return net, (torch.randn(2, 1, 8, 8),), {}, None


@case
def cnn_eval_dynamic(torch):
    nn = torch.nn
    net = nn.Sequential(
        nn.Conv2d(1, 4, 3, stride=2), nn.BatchNorm2d(4), nn.ReLU6(), nn.AdaptiveAvgPool2d(1), nn.Flatten()
    ).eval()
    return net, (torch.randn(2, 1, 9, 9),), {}, ({0: torch.export.Dim.AUTO},)


@case
def norms(torch):
    nn = torch.nn
    net = nn.Sequential(nn.LayerNorm(6), nn.GroupNorm(2, 4), nn.RMSNorm(6), nn.InstanceNorm1d(4, affine=True))
    return net, (torch.randn(3, 4, 6),), {}, None


@case
def activations(torch):
    nn = torch.nn
    net = nn.Sequential(
        nn.SiLU(), nn.ELU(), nn.LeakyReLU(0.1), nn.Hardswish(), nn.Hardtanh(-2, 2), nn.SELU(), nn.CELU(),
        nn.Softplus(), nn.Mish(), nn.Softsign(), nn.Tanhshrink(), nn.Sigmoid(), nn.Tanh(), nn.LogSigmoid(),
        nn.Softshrink(), nn.Threshold(0.1, 2.0), nn.GLU(), nn.PReLU()
    )  # fmt: skip
    return net, (torch.randn(3, 8),), {}, None


@case
def attention(torch):
    def forward(self, x):
        return self.mha(x, x, x, need_weights=False)[0]

    return (
        _module(torch, forward, mha=torch.nn.MultiheadAttention(8, 2, batch_first=True)),
        (torch.randn(2, 5, 8),),
        {},
        None,
    )


@case
def attention_weights(torch):
    def forward(self, q, kv):
        out, weights = self.mha(q, kv, kv)
        return out, weights

    mha = torch.nn.MultiheadAttention(8, 2)
    return _module(torch, forward, mha=mha), (torch.randn(5, 2, 8), torch.randn(3, 2, 8)), {}, None


@case
def scaled_dot_product(torch):
    def forward(self, q, k, v):
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)

    d = torch.export.Dim("tokens", max=32)
    made = [torch.randn(2, 2, 6, 4) for _ in range(3)]
    return _module(torch, forward), tuple(made), {}, ({2: d}, {2: d}, {2: d})


@case
def embedding_mean(torch):
    def forward(self, tokens):
        return self.head(self.emb(tokens).mean(dim=1))

    nn = torch.nn
    net = _module(torch, forward, emb=nn.Embedding(11, 4, padding_idx=0), head=nn.Linear(4, 2, bias=False))
    return net, (torch.tensor([[1, 2, 3], [4, 0, 10]]),), {}, ({0: torch.export.Dim("b"), 1: torch.export.Dim("t")},)


@case
def counter(torch):
    def forward(self, x):
        self.count.add_(1)
        return x * self.count

    return _module(torch, forward, count=torch.zeros(())), (torch.randn(3),), {}, None


@case
def running_mean(torch):
    def forward(self, x):
        self.mean = self.mean * 0.9 + x.mean(0) * 0.1
        return x - self.mean

    return _module(torch, forward, mean=torch.zeros(4)), (torch.randn(3, 4),), {}, None


@case
def constants(torch):
    shift = torch.arange(3.0)

    def forward(self, x):
        return x * shift + torch.tensor([1.0, 2.0, 3.0]) + self.weight

    return _module(torch, forward, weight=torch.nn.Parameter(torch.ones(3))), (torch.randn(2, 3),), {}, None


@case
def keyword_inputs(torch):
    def forward(self, x, *, scale, bias=None):
        y = x * scale
        return y if bias is None else y + bias

    kwargs = {"scale": torch.tensor(2.0), "bias": torch.randn(3)}
    return _module(torch, forward), (torch.randn(2, 3),), kwargs, None


@case
def nested_inputs(torch):
    def forward(self, pair, table):
        a, b = pair
        return a @ b + table["bias"]

    args = ((torch.randn(2, 3), torch.randn(3, 4)), {"bias": torch.randn(4), "unused": torch.ones(1)})
    return _module(torch, forward), args, {}, None


@case
def nested_outputs(torch):
    def forward(self, x):
        return {"sum": x.sum(), "parts": [x.mean(dim=1), (x.std(), 3)], "none": None}

    return _module(torch, forward), (torch.randn(2, 3),), {}, None


@case
def shapes(torch):
    def forward(self, x):
        y = x.reshape(2, -1).transpose(0, 1).contiguous()
        z = y.unsqueeze(0).expand(3, -1, -1).permute(2, 0, 1)
        return z.flatten(1), y.chunk(2), torch.stack([x, x]).squeeze(0), x.T, x.movedim(0, 1)

    return _module(torch, forward), (torch.randn(4, 6),), {}, None


@case
def indexing(torch):
    def forward(self, x, i):
        return x[0], x[:, 1:3], x[..., None], x[i], x[:, -1], x.index_select(1, i), x.gather(0, i[:, None])

    return _module(torch, forward), (torch.randn(4, 6), torch.tensor([0, 2])), {}, None


@case
def writes(torch):
    def forward(self, x):
        y = torch.zeros_like(x)
        y[0] = x[1]
        y[1:, 2] = 5.0
        y.mul_(2).clamp_(max=7)
        return y

    return _module(torch, forward), (torch.randn(4, 6),), {}, None


@case
def dynamic_sizes(torch):
    def forward(self, x):
        n = x.shape[0]
        return x.view(n, -1), torch.ones(n + 1) * 2, x.reshape(x.shape[0] * x.shape[1], x.shape[2])

    return _module(torch, forward), (torch.randn(3, 4, 5),), {}, ({0: torch.export.Dim("n")},)


@case
def two_dynamic(torch):
    def forward(self, x, y):
        return x @ y, x.sum(0), torch.cat([x, x], 1)

    dims = torch.export.Dim("a"), torch.export.Dim("b"), torch.export.Dim("c", max=99)
    shapes = ({0: dims[0], 1: dims[1]}, {0: dims[1], 1: dims[2]})
    return _module(torch, forward), (torch.randn(3, 4), torch.randn(4, 5)), {}, shapes


@case
def automatic(torch):
    def forward(self, x, y):
        return (x + y).relu()

    auto = torch.export.Dim.AUTO
    return _module(torch, forward), (torch.randn(3, 4), torch.randn(3, 4)), {}, ((auto, auto), (auto, auto))


@case
def derived(torch):
    def forward(self, x, y):
        return torch.cat([x, y], 0) * 2

    n = torch.export.Dim("n", max=50)
    return _module(torch, forward), (torch.randn(4, 2), torch.randn(8, 2)), {}, ({0: n}, {0: 2 * n})


@case
def branch_on_size(torch):
    def forward(self, x):
        if x.shape[0] > 3:
            return x + 1
        return x - 1

    return _module(torch, forward), (torch.randn(5, 2),), {}, ({0: torch.export.Dim.AUTO},)


@case
def classifier_loss(torch):
    def forward(self, x, target):
        logits = self.net(x)
        return torch.nn.functional.cross_entropy(logits, target), logits.argmax(-1)

    return _module(torch, forward, net=torch.nn.Linear(5, 3)), (torch.randn(4, 5), torch.tensor([0, 2, 1, 1])), {}, None


@case
def losses(torch):
    def forward(self, x, y):
        F = torch.nn.functional  # noqa: N806
        kl = F.kl_div(x.log_softmax(-1), y.softmax(-1), reduction="batchmean")
        return F.mse_loss(x, y), F.l1_loss(x, y), F.smooth_l1_loss(x, y), F.binary_cross_entropy_with_logits(x, y), kl

    return _module(torch, forward), (torch.randn(4, 5), torch.rand(4, 5)), {}, None


@case
def types(torch):
    def forward(self, x):
        return x.to(torch.float64), x.half().float(), x.long(), x > 0, x.bool(), x.to(torch.bfloat16) * 2

    return _module(torch, forward), (torch.randn(4),), {}, None


@case
def factories(torch):
    def forward(self, x):
        mask = torch.ones(4, 4, dtype=torch.bool).tril()
        at = torch.arange(4, device=x.device)
        return (
            x.masked_fill(mask, 0.0),
            at,
            torch.full((2,), 3.0),
            x.new_zeros(2),
            torch.eye(3),
            torch.linspace(0, 1, 5),
        )

    return _module(torch, forward), (torch.randn(4, 4),), {}, None


@case
def reductions(torch):
    def forward(self, x):
        values, places = x.max(dim=1)
        top = x.topk(2)
        return (
            x.sum(-1),
            x.mean(),
            values,
            places,
            top.values,
            x.cumsum(0),
            x.var(1),
            x.amax((0, 1)),
            x.norm(),
            x.sort().indices,
        )

    return _module(torch, forward), (torch.randn(4, 6),), {}, None


@case
def einsums(torch):
    def forward(self, x, y):
        return torch.einsum("bij,bjk->bik", x, y), torch.matmul(x, y), torch.bmm(x, y), x @ y[0]

    return _module(torch, forward), (torch.randn(2, 3, 4), torch.randn(2, 4, 5)), {}, None


@case
def resizing(torch):
    def forward(self, x):
        F = torch.nn.functional  # noqa: N806
        return (
            F.pad(x, (1, 1)),
            F.interpolate(x, scale_factor=2.0),
            F.avg_pool2d(x, 2),
            F.unfold(x, 2),
            F.pixel_shuffle(x, 2),
        )

    return _module(torch, forward), (torch.randn(1, 4, 4, 4),), {}, None


@case
def recurrent(torch):
    def forward(self, x):
        out, (h, c) = self.lstm(x)
        return out, h, c

    return _module(torch, forward, lstm=torch.nn.LSTM(4, 3, batch_first=True)), (torch.randn(2, 5, 4),), {}, None


@case
def gated(torch):
    return torch.nn.GRU(4, 3), (torch.randn(5, 2, 4),), {}, None


@case
def transformer_layer(torch):
    layer = torch.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
    return layer, (torch.randn(2, 5, 8),), {}, None


@case
def tied_weights(torch):
    def forward(self, tokens):
        return self.out(self.emb(tokens))

    net = _module(torch, forward, emb=torch.nn.Embedding(7, 4), out=torch.nn.Linear(4, 7, bias=False))
    net.out.weight = net.emb.weight
    return net, (torch.tensor([1, 2, 3]),), {}, None


@case
def without_gradients(torch):
    def forward(self, x):
        with torch.no_grad():
            scale = x.abs().max()
        return self.lin(x / scale)

    return _module(torch, forward, lin=torch.nn.Linear(3, 3)), (torch.randn(2, 3),), {}, None


@case
def choice(torch):
    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: x.sin() + 1, lambda x: x.cos() - 1, (x,))

    return _module(torch, forward), (torch.randn(2, 3),), {}, None


@case
def input_written(torch):
    def forward(self, x, y):
        x.add_(y)
        return x * 2

    return _module(torch, forward), (torch.randn(3), torch.randn(3)), {}, None


@case
def shared_module(torch):
    def forward(self, x):
        return self.lin(self.lin(x)) + self.scale * self.lin.weight.sum()

    return (
        _module(torch, forward, lin=torch.nn.Linear(3, 3), scale=torch.nn.Parameter(torch.ones(3))),
        (torch.randn(2, 3),),
        {},
        None,
    )


@case
def random_numbers(torch):
    def forward(self, x):
        noise = torch.randn_like(x)
        return x + noise * torch.rand(3), torch.bernoulli(x.sigmoid())

    return _module(torch, forward), (torch.randn(2, 3),), {}, None


@case
def operators(torch):
    def forward(self, x, y):
        return -x, x - 1, 2 / y, x**2, x // 1.5, x % 2, 1 - x, abs(x), (x > y) & (x < 1), ~(x > 0), x.pow(y), x.rsqrt()

    return _module(torch, forward), (torch.randn(3), torch.rand(3) + 1), {}, None
