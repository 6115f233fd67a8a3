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
            return out, len(self.layers), "a" in self.heads, self.layers[-1](x), self.layers[0:2][1](x)

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


@program([M])
def parametrized(torch):
    class Double(torch.nn.Module):
        def forward(self, w):
            return w * 2

    net = _filled(torch, torch.nn.Linear(3, 2))
    torch.nn.utils.parametrize.register_parametrization(net, "weight", Double())

    def f(x):
        return net(x)

    return f


@program([M])
def weight_norm(torch):
    net = torch.nn.utils.parametrizations.weight_norm(_filled(torch, torch.nn.Linear(3, 2)))

    def f(x):
        return net(x)

    return f


@program([M], [M])
def training_flag(torch):
    class Net(torch.nn.Module):
        def forward(self, x):
            return x * 2 if self.training else x * 3

    net = Net()

    def f(x):
        return net(x)

    f.before = lambda n: net.train(n == 0)
    return f


@program([M], [M])
def submodule_replaced(torch):
    net = _filled(torch, torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.ReLU()))

    def f(x):
        return net(x)

    def before(n):
        if n:
            net[1] = torch.nn.Tanh()

    f.before = before
    return f


@program([M], [M])
def parameter_replaced(torch):
    net = _filled(torch, torch.nn.Linear(3, 3))

    def f(x):
        return net(x)

    def before(n):
        if n:
            net.weight = torch.nn.Parameter(torch.ones(3, 3))

    f.before = before
    return f


@program([M], [M])
def parameter_written(torch):
    net = _filled(torch, torch.nn.Linear(3, 3))

    def f(x):
        return net(x)

    def before(n):
        if n:
            net.weight.data.fill_(2.0)

    f.before = before
    return f


@program([M])
def named_things(torch):
    net = _filled(torch, torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Linear(2, 2)))

    def f(x):
        total = sum(p.sum() for p in net.parameters())
        names = [n for n, _ in net.named_parameters()]
        return x * total, names, len(list(net.children())), [n for n, _ in net.named_modules()]

    return f


@program([M])
def module_attributes(torch):
    net = torch.nn.Linear(3, 2)

    def f(x):
        return (
            x * net.in_features + net.out_features,
            net.bias is not None,
            hasattr(net, "nothing"),
            isinstance(net, torch.nn.Linear),
        )

    return f


@program([M])
def module_with_break(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.a = torch.nn.Linear(3, 3)
            self.b = torch.nn.Linear(3, 2)

        def forward(self, x):
            y = self.a(x)
            print("middle")
            return self.b(y.relu())

    net = _filled(torch, Net())

    def f(x):
        return net(x) + 1

    return f


@program([M])
def loop_of_modules_with_break(torch):
    net = _filled(torch, torch.nn.ModuleList([torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)]))

    def f(x):
        for layer in net:
            x = layer(x)
            print("layer")
        return x

    return f


@program([M])
def module_call_overridden(torch):
    class Net(torch.nn.Module):
        def __call__(self, x):
            return super().__call__(x) + 100

        def forward(self, x):
            return x * 2

    net = Net()

    def f(x):
        return net(x)

    return f


@program([M])
def module_getattr(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = torch.nn.Linear(3, 3)

        def __getattr__(self, name):
            try:
                return super().__getattr__(name)
            except AttributeError:
                return getattr(self.inner, name)

        def forward(self, x):
            return x @ self.weight + self.in_features

    net = _filled(torch, Net())

    def f(x):
        return net(x)

    return f


@program([M])
def module_made_inside(torch):
    def f(x):
        net = torch.nn.Linear(3, 2, bias=False)
        return net(x).shape

    return f


@program([M])
def loss_functions(torch):
    ce, mse = torch.nn.CrossEntropyLoss(), torch.nn.MSELoss(reduction="sum")

    def f(x):
        return ce(x, torch.tensor([0, 2])), mse(x, torch.zeros_like(x))

    return f


@program([M])
def backward_through_module(torch):
    net = _filled(torch, torch.nn.Linear(3, 2))

    def f(x):
        return net(x).pow(2).sum()

    def post(r):
        r.backward()
        return [r, *[p.grad for p in net.parameters()]]

    f.post = post
    return f


@program([M], [M])
def training_step(torch):
    net = _filled(torch, torch.nn.Linear(3, 2))
    opt = torch.optim.SGD(net.parameters(), lr=0.01)

    def f(x):
        opt.zero_grad()
        loss = net(x / 10).pow(2).mean()
        loss.backward()
        opt.step()
        return loss.detach()

    f.extra = lambda: list(net.parameters())
    return f


@program([M])
def backward_hook(torch):
    log = []
    net = _filled(torch, torch.nn.Linear(3, 2))
    net.register_full_backward_hook(lambda m, gi, go: log.append(go[0].shape))

    def f(x):
        return net(x).sum()

    def post(r):
        r.backward()
        return r

    f.post, f.extra = post, lambda: log
    return f


@program([M])
def norms(torch):
    net = torch.nn.Sequential(torch.nn.LayerNorm(3), torch.nn.GroupNorm(1, 3))

    def f(x):
        return net(x)

    return f


@program([M])
def functional_call(torch):
    net = torch.nn.Linear(3, 2)

    def f(x):
        return torch.func.functional_call(net, {"weight": torch.ones(2, 3), "bias": torch.zeros(2)}, (x,))

    return f
