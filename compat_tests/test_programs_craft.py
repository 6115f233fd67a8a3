"""Short programs about the craft around a model: derivatives, tools of training, checkpoints, data, odd code."""

import collections
import copy
import importlib
import io
import pickle

import numpy as np
import pytest
from both import error, same

PROGRAMS = []


def program(f):
    PROGRAMS.append(f)
    return f


# ---- derivatives


@program
def own_functions(t):
    class Reverse(t.autograd.Function):
        @staticmethod
        def forward(ctx, x, alpha):
            ctx.alpha = alpha
            return x.view_as(x)

        @staticmethod
        def backward(ctx, g):
            return g.neg() * ctx.alpha, None

    class Straight(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            out = t.sign(x)
            out[out == 0] = 1
            return out

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            kept = g.clone()
            kept[x.abs() > 1] = 0
            return kept

    w = t.randn(3, 4, requires_grad=True)
    out = Straight.apply(Reverse.apply(w, 0.5) * 2)
    (out * t.randn(3, 4)).sum().backward()
    yield out, w.grad, out.grad_fn.name(), repr(out.grad_fn)[:40]


@program
def maml_and_per_sample_gradients(t):
    nn, F, func = t.nn, t.nn.functional, t.func
    net = nn.Sequential(nn.Linear(1, 10), nn.Tanh(), nn.Linear(10, 1))
    optimizer = t.optim.Adam(net.parameters(), 1e-2)
    for _ in range(2):
        x, amplitude = t.rand(6, 1) * 4, t.rand(1) * 4
        fast = dict(net.named_parameters())
        for _ in range(2):
            loss = F.mse_loss(func.functional_call(net, fast, (x,)), amplitude * t.sin(x))
            grads = t.autograd.grad(loss, list(fast.values()), create_graph=True)
            fast = {n: p - 0.05 * g for (n, p), g in zip(fast.items(), grads)}
        meta = F.mse_loss(func.functional_call(net, fast, x + 1), amplitude * t.sin(x + 1))
        optimizer.zero_grad()
        meta.backward()
        optimizer.step()
        yield meta.item(), [p.grad.norm() for p in net.parameters()]
    params = {n: p.detach() for n, p in net.named_parameters()}
    each = func.vmap(func.grad(lambda p, x, y: F.mse_loss(func.functional_call(net, p, (x,)), y)), (None, 0, 0))
    yield each(params, t.randn(5, 1), t.randn(5, 1))
    stacked, _ = func.stack_module_state([nn.Linear(2, 1) for _ in range(3)])
    base = copy.deepcopy(nn.Linear(2, 1)).to("meta")
    yield func.vmap(lambda p, x: func.functional_call(base, (p,), (x,)), (0, None))(stacked, t.ones(4, 2))
    yield (
        func.hessian(lambda v: (v**3).prod())(t.tensor([1.0, 2.0])),
        error(lambda: func.functional_call(net, [params, params], t.ones(1, 1))),
    )


@program
def physics_informed(t):
    grad = t.autograd.grad
    net = t.nn.Sequential(t.nn.Linear(2, 8), t.nn.Tanh(), t.nn.Linear(8, 1)).double()
    x, s = (t.rand(12, 1, dtype=t.float64).requires_grad_() for _ in range(2))

    def residual():
        u = net(t.cat([x, s], dim=1))
        u_s = grad(u, s, grad_outputs=t.ones_like(u), create_graph=True)[0]
        u_x = grad(u, x, t.ones_like(u), create_graph=True)[0]
        u_xx = grad(u_x, x, t.ones_like(u_x), create_graph=True)[0]
        return (u_s + u * u_x - 0.1 * u_xx).pow(2).mean() + (net(t.cat([x, s * 0], 1)) - x.sin()).pow(2).mean()

    optimizer = t.optim.LBFGS(net.parameters(), max_iter=8, line_search_fn="strong_wolfe")

    def closure():
        optimizer.zero_grad()
        loss = residual()
        loss.backward()
        return loss

    for _ in range(2):
        yield optimizer.step(closure).item()
    z = t.tensor(0.7, requires_grad=True)
    y = z.sin() * z.exp()
    for _ in range(4):
        (y,) = grad(y, z, create_graph=True)
        yield y.item()


# ---- training's tools


@program
def averages_schedules_and_clipping(t):
    nn, optim = t.nn, t.optim
    model = nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), nn.Hardswish(), nn.Linear(6, 2))
    ema, lerped = copy.deepcopy(model).requires_grad_(False), copy.deepcopy(model)
    swa = optim.swa_utils.AveragedModel(model)
    optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    scheduler = optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.2, total_steps=6)
    x, y = t.randn(24, 4), t.randn(24, 2)
    for i in range(6):
        loss = nn.functional.mse_loss(model(x[4 * i : 4 * i + 4]), y[4 * i : 4 * i + 4]) / 2
        loss.backward()
        if i % 2:
            norm = nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            optimizer.step()
            optimizer.zero_grad()
            with t.no_grad():
                for a, b, c in zip(model.parameters(), ema.parameters(), lerped.parameters()):
                    b.data.mul_(0.9).add_(a.data, alpha=0.1)
                    c.lerp_(a, 0.3)
                for a, b in zip(model.buffers(), ema.buffers()):
                    b.copy_(a)
            swa.update_parameters(model)
            yield loss.item(), norm, scheduler.get_last_lr(), optimizer.param_groups[0]["momentum"]
            scheduler.step()
    yield [m.eval()(x[:2]) for m in (model, ema, lerped, swa)]


@program
def resume_from_checkpoint(t):
    nn, optim = t.nn, t.optim

    def made():
        model = nn.Sequential(
            collections.OrderedDict(
                [
                    ("conv", nn.Conv2d(1, 3, 3)),
                    ("bn", nn.BatchNorm2d(3)),
                    ("flat", nn.Flatten()),
                    ("fc", nn.Linear(12, 2)),
                ]
            )
        )
        optimizer = optim.Adam(model.parameters(), 1e-2)
        return model, optimizer, optim.lr_scheduler.StepLR(optimizer, 2, 0.5)

    def train(model, optimizer, scheduler):
        losses = []
        for _ in range(3):
            loss = nn.functional.cross_entropy(model(t.randn(5, 1, 4, 4)), t.randint(2, (5,)))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step()
            losses.append(loss.item())
        return losses

    first = made()
    yield train(*first)
    file = io.BytesIO()
    t.save({"epoch": 3, "parts": [p.state_dict() for p in first], "rng": t.get_rng_state(), "args": {"lr": 0.01}}, file)
    went_on = train(*first)
    file.seek(0)
    saved = t.load(file, map_location="cpu", weights_only=True)
    again = made()
    for part, state in zip(again, saved["parts"]):
        part.load_state_dict(state)
    t.set_rng_state(saved["rng"])
    yield went_on, train(*again) == went_on, saved["args"]
    model = first[0]
    state = {"module." + k: v for k, v in model.state_dict().items()}
    state = {k[7:]: v for k, v in state.items() if "fc.bias" not in k} | {"extra": t.zeros(1)}
    yield str(model.load_state_dict(state, strict=False)), str(error(lambda: model.load_state_dict(state)))
    clone = pickle.loads(pickle.dumps(model))
    yield t.equal(clone.eval()(t.ones(1, 1, 4, 4)), copy.deepcopy(model).eval()(t.ones(1, 1, 4, 4)))
    for p in model.conv.parameters():
        p.requires_grad = False
    model.fc = nn.Sequential(nn.Linear(12, 4), nn.Dropout(0.5), nn.Linear(4, 2))
    yield [n for n, p in model.named_parameters() if p.requires_grad], str(model)


@program
def reparametrized_layers(t):
    nn = t.nn

    class Symmetric(nn.Module):
        def forward(self, X):
            return X.triu() + X.triu(1).transpose(-1, -2)

        def right_inverse(self, A):
            return A.triu()

    utils = nn.utils
    x = t.randn(2, 3)
    plain_linear = nn.Linear(3, 3)
    utils.parametrize.register_parametrization(plain_linear, "weight", Symmetric())
    layers = [
        plain_linear,
        utils.parametrizations.weight_norm(nn.Linear(3, 2)),
        utils.spectral_norm(nn.Linear(3, 2)),
        utils.parametrizations.spectral_norm(nn.Linear(3, 2)),
    ]
    for layer in layers:
        layer(x).pow(2).sum().backward()
        yield layer(x), list(layer.state_dict()), str(layer), {n: p.grad for n, p in layer.named_parameters()}
    utils.parametrize.remove_parametrizations(plain_linear, "weight")
    yield plain_linear.weight, utils.parameters_to_vector(plain_linear.parameters()).shape


@program
def pruning(t):
    nn, prune = t.nn, importlib.import_module(t.__name__ + ".nn.utils.prune")
    net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8, 3))
    prune.global_unstructured([(net[0], "weight"), (net[3], "weight")], prune.L1Unstructured, amount=0.4)
    prune.ln_structured(net[3], "weight", amount=1, n=2, dim=0)
    prune.random_unstructured(net[0], "bias", amount=0.5)
    optimizer = t.optim.SGD(net.parameters(), 0.1)
    for _ in range(2):
        optimizer.zero_grad()
        net(t.randn(2, 1, 4, 4)).square().mean().backward()
        optimizer.step()
    yield net.state_dict(), [type(h).__name__ for h in net[3]._forward_pre_hooks.values()], prune.is_pruned(net)
    yield prune.remove(net[3], "weight").weight, error(lambda: prune.remove(net[3], "weight"))


@program
def loaders_and_samplers(t):
    data = t.utils.data

    class Texts(data.Dataset):
        def __init__(self):
            self.items = [(t.arange(1, n + 2), n % 3) for n in (4, 2, 5, 1, 3)]

        def __len__(self):
            return len(self.items)

        def __getitem__(self, i):
            return self.items[i]

    class Stream(data.IterableDataset):
        def __iter__(self):
            return iter(range(5))

    def collate(batch):
        xs, ys = zip(*sorted(batch, key=lambda item: -len(item[0])))
        return t.nn.utils.rnn.pad_sequence(xs, batch_first=True), t.tensor(ys)

    texts = Texts()
    yield list(data.DataLoader(texts, 2, shuffle=True, collate_fn=collate))
    yield list(data.DataLoader(Stream(), 2, drop_last=True))
    parts = data.random_split(texts, [3, 2], generator=t.Generator().manual_seed(3))
    yield [p.indices for p in parts], list(data.WeightedRandomSampler([1.0, 2, 3], 6))
    yield list(data.SubsetRandomSampler([3, 1, 4]))
    yield (
        list(data.BatchSampler(data.RandomSampler(range(7)), 3, False)),
        data.default_collate([{"a": 1, "b": np.ones(2), "c": "x"}, {"a": 2, "b": np.zeros(2), "c": "y"}]),
    )
    yield error(lambda: data.DataLoader(texts, shuffle=True, sampler=[0]))


# ---- the old and the odd


@program
def old_style(t):
    Variable = t.autograd.Variable
    x, y = Variable(t.randn(6, 5).type(t.FloatTensor)), Variable(t.LongTensor([0, 1, 2, 0, 1, 2]), requires_grad=False)
    w = Variable(t.Tensor(5, 3).fill_(0.1), requires_grad=True)
    for _ in range(3):
        loss = t.nn.functional.cross_entropy(x.mm(w).clamp(min=0), y)
        loss.backward()
        w.data -= 0.5 * w.grad.data
        w.grad.data.zero_()
        yield loss.data, loss.item()
    yield w.data.cpu().numpy().sum().item(), isinstance(w, Variable), type(w).__name__, w.type(), x.new(2, 2).zero_()
    yield x.max(1)[1], x.data.max(1, keepdim=True)[0], x.size(), x.topk(2)[1], x.sub(1).abs_().sum()
    yield error(lambda: loss.data[0]), t.is_tensor(x), t.ByteTensor([1, 0]), y.type("torch.FloatTensor")


@program
def writes_in_place(t):
    a = t.randn(3, 4, requires_grad=True)
    b = a.clone()
    b[b < 0] *= 0.1
    b[[0, 2]] = b[[2, 0]]
    b[1, 1:3] = t.tensor([2.0, 3.0])
    b.masked_fill_(t.eye(3, 4).bool(), 0.5).index_put_((t.tensor([2, 2]), t.tensor([0, 0])), t.ones(2), accumulate=True)
    (b**2).sum().backward()
    yield a.grad, b, b.grad_fn.name()
    norm, pool = t.nn.BatchNorm1d(4), t.nn.MaxPool1d(2)
    x = t.randn(3, 4, requires_grad=True)
    values, order = x.sort(1)
    values.mul_(2)  # results that no gradient needs may be written over
    top = x.topk(2)[0].add_(1)
    out = pool(norm(x).relu_()[:, None]).mul_(3)
    (values.sum() + top.prod() + out.square().sum() + t.nn.functional.layer_norm(x, (4,)).tanh_().sum()).backward()
    yield x.grad, order, error(lambda: x.exp().add_(1).sum().backward()), error(lambda: x.add_(1))
    n = np.arange(6).reshape(2, 3)
    shared = t.from_numpy(n)
    shared[0, 0] = 99
    yield n.tolist(), t.zeros(7, 3).fill_diagonal_(2, wrap=True), t.arange(12.0).view(3, 4)[:, ::2].t().contiguous()


@program
def numbers_of_all_types(t):
    for dtype in (t.float64, t.bfloat16):
        t.manual_seed(1)
        model = t.nn.Sequential(t.nn.Linear(4, 4), t.nn.ReLU(), t.nn.Linear(4, 2)).to(dtype)
        x = t.randn(3, 4).to(dtype)
        loss = model(x).float().square().mean()
        loss.backward()
        yield round(loss.item(), 2), model[0].weight.grad.dtype, model(x).dtype
    i, u = t.tensor([7, -7, 3], dtype=t.int32), t.tensor([250, 3], dtype=t.uint8)
    b, f = t.tensor([True, False]), t.tensor(0.5)
    yield i // 2, i % 3, i / 2, i**2, i + f, u + 10, u + b, b * 3, ~b, b & True, i >> 1
    yield i.sum(), i.float().mean(), -i, 2 ** i.abs()
    z = t.tensor([1 + 2j, 3 - 1j], requires_grad=True)
    (z * z.conj() + z.abs() * 1j).abs().sum().backward()
    yield z.grad, t.view_as_real(z.detach()), z.dtype, t.result_type(i, 1.0), t.promote_types(t.int8, t.uint8)
    yield str(t.tensor([1e-8, 1.0])), str(t.randn(2, 3)), str(t.tensor([1 + 2j])), str(t.empty(0, 3))
    yield repr(t.ones(2, requires_grad=True))
    yield t.gradient(t.arange(5.0) ** 2)[0], t.vander(t.tensor([1, 2, 3])), t.ones(2, 3).sum_to_size(1, 3)


@program
def subclasses_and_own_optimizers(t):
    class Sign(t.optim.Optimizer):
        def __init__(self, params, lr):
            super().__init__(params, dict(lr=lr))

        @t.no_grad()
        def step(self, closure=None):
            for group in self.param_groups:
                for p in group["params"]:
                    state = self.state[p]
                    if not state:
                        state["avg"] = t.zeros_like(p)
                    p.add_(state["avg"].mul_(0.9).add_(p.grad, alpha=0.1).sign(), alpha=-group["lr"])

    class Standardized(t.nn.Conv2d):
        def forward(self, x):
            var, mean = t.var_mean(self.weight, dim=[1, 2, 3], keepdim=True)
            return self._conv_forward(x, (self.weight - mean) * t.rsqrt(var + 1e-4), self.bias)

    class Named(t.Tensor):
        @staticmethod
        def __new__(cls, data, name):
            return t.Tensor._make_subclass(cls, t.as_tensor(data))

        def __init__(self, data, name):
            self.name_ = name

    model = t.nn.Sequential(Standardized(1, 3, 3), t.nn.Mish(), t.nn.Flatten(), t.nn.LazyLinear(2))
    x = t.randn(2, 1, 4, 4)
    model(x)
    optimizer = Sign(model.parameters(), 1e-2)
    for _ in range(3):
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        yield loss.item()
    q = Named([1.0, 2.0], "q")
    yield type(q + 1).__name__, q.name_, (q * 2).sum().item(), str(optimizer.state_dict()["param_groups"]), str(model)
    layer = t.nn.Linear(2, 2)
    for mistake in (
        lambda: setattr(layer, "weight", t.ones(2, 2)),
        lambda: layer.foo,
        lambda: layer(t.ones(3)),
        lambda: layer.register_buffer("a.b", None),
    ):
        yield error(mistake)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_program(program):
    same(program, looks="requires_grad", rtol=5e-6, of_largest=5e-6, quiet=True)
