"""Programs for torch.compile (compile_programs.py): more of modules of torch.nn."""

from compile_programs import T, program

IMG = T(2, 3, 4, 4)
M = T(2, 3)


def _filled(torch, module):
    """The module with numbers that are the same everywhere."""
    with torch.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_(torch.linspace(-1, 1, p.numel()).reshape(p.shape) * (1 + i % 3))
    return module


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
