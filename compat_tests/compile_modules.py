"""Programs for torch.compile (compile_programs.py): modules of torch.nn."""

from compile_programs import T, program

IMG = T(2, 3, 4, 4)
M = T(2, 3)


def _filled(torch, module):
    """The module with numbers that are the same everywhere."""
    with torch.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_(torch.linspace(-1, 1, p.numel()).reshape(p.shape) * (1 + i % 3))
    return module


@program([M], [M])
def sequential(torch):
    net = _filled(torch, torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2)))

    def f(x):
        return net(x)

    return f


@program([M], [M])
def module_itself(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.a = torch.nn.Linear(3, 3)
            self.scale = 2

        def forward(self, x):
            return self.helper(self.a(x)) * self.scale

        def helper(self, x):
            return x.relu() + self.a.bias

    return _filled(torch, Net())


@program([M])
def module_list_and_dict(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.ModuleList([torch.nn.Linear(3, 3) for _ in range(3)])
            self.heads = torch.nn.ModuleDict({"a": torch.nn.Linear(3, 1), "b": torch.nn.ReLU()})
            self.ps = torch.nn.ParameterList([torch.nn.Parameter(torch.ones(3)) for _ in range(2)])
            self.pd = torch.nn.ParameterDict({"k": torch.nn.Parameter(torch.ones(3))})

        def forward(self, x):
            for i, layer in enumerate(self.layers):
                x = layer(x) * i
            for p in self.ps:
                x = x + p
            x = x * self.pd["k"] + self.ps[0]
            out = {k: h(x) for k, h in self.heads.items()}
            return out, len(self.layers), "a" in self.heads, self.layers[-1](x)

    net = _filled(torch, Net())

    def f(x):
        return net(x)

    return f


@program([M], [M], [M])
def forward_hooks(torch):
    log = []
    net = _filled(torch, torch.nn.Linear(3, 2))
    net.register_forward_pre_hook(lambda m, args: (args[0] + 1,))
    net.register_forward_hook(lambda m, args, out: log.append(out.shape) or out * 2)

    def f(x):
        return net(x) + 1

    f.extra = lambda: log
    return f


@program([M], [M])
def hook_added_between_calls(torch):
    net = _filled(torch, torch.nn.Linear(3, 2))

    def f(x):
        return net(x)

    def before(n):
        if n:
            net.register_forward_hook(lambda m, args, out: out * 100)

    f.before = before
    return f


@program([M])
def hook_with_kwargs(torch):
    class Net(torch.nn.Module):
        def forward(self, x, k=1):
            return x * k

    net = Net()
    net.register_forward_pre_hook(lambda m, args, kw: (args, {"k": kw["k"] + 1}), with_kwargs=True)

    def f(x):
        return net(x, k=3)

    return f


@program([M])
def hook_prints(torch):
    net = _filled(torch, torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.ReLU()))
    net[0].register_forward_hook(lambda m, a, o: print("hook", tuple(o.shape)))

    def f(x):
        return net(x * 2) + 1

    return f


@program([M], [M], [M])
def counter_buffer(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("n", torch.zeros(1))
            self.calls = 0

        def forward(self, x):
            self.n += 1
            self.calls += 1
            return x * self.n + self.calls

    net = Net()

    def f(x):
        return net(x)

    f.extra = lambda: (net.n, net.calls)
    return f


@program([M], [M])
def buffer_replaced(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("ema", torch.zeros(3))

        def forward(self, x):
            self.ema = self.ema * 0.5 + x.mean(0)
            return x - self.ema

    net = Net()

    def f(x):
        return net(x)

    f.extra = lambda: (net.ema, list(net._buffers))
    return f


@program([T(4, 3)], [T(4, 3)], [T(4, 3)])
def batch_norm(torch):
    bn = torch.nn.BatchNorm1d(3)

    def f(x):
        return bn(x)

    def before(n):
        bn.train(n < 2)

    f.before = before
    f.extra = lambda: (bn.running_mean, bn.running_var, bn.num_batches_tracked)
    return f


@program([T(4, 3)], [T(4, 3)])
def dropout_train_eval(torch):
    net = torch.nn.Sequential(torch.nn.Dropout(0.5), torch.nn.Identity())

    def f(x):
        return net(x) + torch.nn.functional.dropout(x, 0.5, training=net.training)

    f.before = lambda n: net.train(n == 0)
    return f


@program([IMG])
def convolutional(torch):
    net = _filled(
        torch,
        torch.nn.Sequential(
            torch.nn.Conv2d(3, 2, 3, padding=1),
            torch.nn.GELU(),
            torch.nn.MaxPool2d(2),
            torch.nn.Flatten(),
            torch.nn.Linear(8, 2),
        ),
    )

    def f(x):
        return net(x / 50)

    return f


@program([T(2, 3, 4)])
def lstm(torch):
    net = _filled(torch, torch.nn.LSTM(4, 3, batch_first=True))

    def f(x):
        out, (h, c) = net(x / 10)
        return out, h, c

    return f


@program([T(2, 3, 4)])
def gru_cell_loop(torch):
    cell = _filled(torch, torch.nn.GRUCell(4, 3))

    def f(x):
        h = torch.zeros(2, 3)
        for t in range(x.shape[1]):
            h = cell(x[:, t] / 10, h)
        return h

    return f


@program([T(2, 3, 4)])
def attention(torch):
    net = _filled(torch, torch.nn.MultiheadAttention(4, 2, batch_first=True))

    def f(x):
        x = x / 10
        y, w = net(x, x, x)
        return y, w

    return f


@program([T(2, 3, 4)])
def transformer_layer(torch):
    net = _filled(torch, torch.nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True))

    def f(x):
        return net(x / 10)

    return f


@program([T(2, 3, 4)])
def transformer_encoder(torch):
    layer = torch.nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True)
    net = _filled(torch, torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)).eval()

    def f(x):
        return net(x / 10)

    return f


@program([lambda torch: torch.tensor([[0, 2], [1, 1]])])
def embedding(torch):
    net = _filled(torch, torch.nn.Embedding(3, 4))

    def f(i):
        return net(i).sum(1)

    return f


@program([M])
def weight_tying(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.a = torch.nn.Linear(3, 3)
            self.b = torch.nn.Linear(3, 3)
            self.b.weight = self.a.weight

        def forward(self, x):
            return self.b(self.a(x))

    net = _filled(torch, Net())

    def f(x):
        return net(x)

    return f
