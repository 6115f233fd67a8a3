"""Whole training loops, compiled: the model's loss and the optimizer's step give eager's losses to five digits, and the
same bits on one and on two threads."""

import functools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import pytest

import lucid
from lucid import nn
from lucid._codegen import build
from lucid.nn import functional as F

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="no C compiler")
STEPS = 4
EXAMPLES = pathlib.Path(__file__).parent.parent / "examples"


def layers(*made):
    return nn.Sequential(*made)


def mlp():
    return layers(nn.Linear(20, 48), nn.ReLU(), nn.Linear(48, 10)), (16, 20)


def wide_mlp():
    return layers(nn.Linear(512, 256), nn.GELU(), nn.LayerNorm(256), nn.Dropout(0.1), nn.Linear(256, 10)), (64, 512)


def digits():
    return layers(
        nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Dropout(0.25), nn.Linear(128, 10),
    ), (32, 1, 8, 8)  # fmt: skip


class Residual(nn.Module):
    def __init__(self, i, o, stride):
        super().__init__()
        self.a, self.na = nn.Conv2d(i, o, 3, stride, 1, bias=False), nn.BatchNorm2d(o)
        self.b, self.nb = nn.Conv2d(o, o, 3, 1, 1, bias=False), nn.BatchNorm2d(o)
        self.short = layers(nn.Conv2d(i, o, 1, stride, bias=False), nn.BatchNorm2d(o)) if stride != 1 else nn.Identity()

    def forward(self, x):
        return F.relu(self.nb(self.b(F.relu(self.na(self.a(x))))) + self.short(x))


def resnet():
    blocks = [Residual(8, 8, 1), Residual(8, 16, 2), Residual(16, 16, 1)]
    stem = [nn.Conv2d(3, 8, 7, 2, 3, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    return layers(*stem, *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10)), (4, 3, 32, 32)


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.n1, self.n2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = (
            z.view(b, n, self.heads, c // self.heads).transpose(1, 2) for z in self.qkv(self.n1(x)).split(c, dim=2)
        )
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(y.transpose(1, 2).contiguous().view(b, n, c))
        return x + self.down(F.gelu(self.up(self.n2(x))))


class GPT(nn.Module):
    def __init__(self, vocabulary=65, width=32, depth=2, heads=2, length=16):
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
        self.blocks, self.norm = nn.Sequential(*[Block(width, heads) for _ in range(depth)]), nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)

    def forward(self, i):
        return self.head(self.norm(self.blocks(self.tok(i) + self.pos(lucid.arange(i.shape[1])))))


def gpt():
    return GPT(), (4, 16)


class Last(nn.Module):
    def __init__(self, cells):
        super().__init__()
        self.cells, self.head = cells, nn.Linear(24, 10)

    def forward(self, x):
        return self.head(self.cells(x)[0][:, -1])


def lstm():
    return Last(nn.LSTM(12, 24, batch_first=True)), (8, 6, 12)


def gru():
    return Last(nn.GRU(12, 24, batch_first=True)), (8, 6, 12)


def encoder():
    layer = nn.TransformerEncoderLayer(24, 4, 48, dropout=0.0, batch_first=True)
    return layers(layer, nn.Flatten(), nn.Linear(6 * 24, 10)), (8, 6, 24)


def autoencoder():
    return layers(
        nn.Conv2d(1, 4, 3, 2, 1), nn.GroupNorm(2, 4), nn.SiLU(), nn.ConvTranspose2d(4, 4, 4, 2, 1), nn.Tanh(),
        nn.Flatten(), nn.Linear(256, 10),
    ), (8, 1, 8, 8)  # fmt: skip


MODELS = (mlp, wide_mlp, digits, resnet, gpt, lstm, gru, encoder, autoencoder)
OPTIMIZERS = {
    "Adam": {}, "AdamW": {"weight_decay": 0.1}, "SGD": {"lr": 0.05, "momentum": 0.9, "nesterov": True}, "RMSprop": {},
    "Adagrad": {}, "NAdam": {}, "RAdam": {}, "Adamax": {}, "Adadelta": {}, "ASGD": {}, "Rprop": {},
}  # fmt: skip


def train(make, compile, optimizer="Adam"):
    """The losses of some steps and the parameters at their end. The random numbers of dropout are the same."""
    lucid.manual_seed(0)
    model, shape = make()
    i = lucid.arange(int(lucid.tensor(shape).prod()))
    x = (i * 7919 % 65).view(shape) if make is gpt else lucid.randn(shape)
    with lucid.no_grad():
        n = model.eval()(x).reshape(-1, 10 if make is not gpt else 65).shape[0]
    target = lucid.arange(n) % 10
    model.train()
    steps = getattr(lucid.optim, optimizer)(model.parameters(), **OPTIMIZERS[optimizer])

    def loss():
        out = model(x)
        return F.cross_entropy(out.reshape(-1, out.shape[-1]), target)

    step = steps.step
    if compile:
        lucid._dynamo.reset()
        loss, step = lucid.compile(loss), lucid.compile(step)
    losses = []
    for _ in range(STEPS):
        steps.zero_grad()
        value = loss()
        value.backward()
        step()
        losses.append(value.item())
    return losses, [p.detach().clone() for p in model.parameters()]


@functools.cache
def compiled(make, threads):
    before = lucid.get_num_threads()
    lucid.set_num_threads(threads)
    try:
        return train(make, True)
    finally:
        lucid.set_num_threads(before)


@pytest.mark.parametrize("make", MODELS)
def test_losses_are_eagers(make):
    losses, _ = train(make, False)
    assert compiled(make, 1)[0] == pytest.approx(losses, rel=1e-5)


@pytest.mark.parametrize("make", MODELS)
def test_bits_do_not_depend_on_threads(make):
    one, two = compiled(make, 1), compiled(make, 2)
    assert one[0] == two[0]
    assert all(lucid.equal(a, b) for a, b in zip(one[1], two[1]))


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_optimizers(optimizer):
    (losses, parameters), (eager, wanted) = train(mlp, True, optimizer), train(mlp, False, optimizer)
    assert losses == pytest.approx(eager, rel=1e-5)
    for mine, other in zip(parameters, wanted):
        lucid.testing.assert_close(mine, other, rtol=1e-4, atol=1e-5)


def printed(example, *options):
    """The losses that an example prints."""
    with tempfile.TemporaryDirectory() as out:
        command = [sys.executable, "-m", "lucid", str(EXAMPLES / example), *options]
        path = os.pathsep.join([str(EXAMPLES.parent), os.environ.get("PYTHONPATH", "")])
        done = subprocess.run(command, capture_output=True, text=True, cwd=out, env={**os.environ, "PYTHONPATH": path})
    assert not done.returncode, done.stderr
    return [float(n) for n in re.findall(r"loss +(\d+\.\d+)", done.stdout)]


@pytest.mark.parametrize(
    "example", [("digits.py", "--epochs", "1"), ("chars.py", "--steps", "20", "--every", "2")], ids=lambda e: e[0]
)
def test_examples(example):
    losses = printed(*example)
    assert losses and printed(*example, "--compile", "inductor") == pytest.approx(losses, rel=1e-5)


def _changes():
    """What a program may do to an optimizer between two steps, each a function of (model, optimizer)."""
    import copy

    def replace(model, opt):
        model[0].weight.data = model[0].weight.data * 0.5

    def in_another_order(model, opt):
        p = model[0].weight
        p.grad = p.grad.t().contiguous().t()

    def another_rate(model, opt):
        opt.param_groups[0]["lr"] *= 0.5

    def rate_as_tensor(model, opt):
        opt.param_groups[0]["lr"] = lucid.tensor(0.01)

    def another_option(model, opt):
        opt.param_groups[0]["weight_decay"] = 0.1

    def load(model, opt):
        opt.load_state_dict(copy.deepcopy(opt.state_dict()))

    def without_gradient(model, opt):
        model[2].bias.grad = None

    def state_anew(model, opt):
        opt.state[model[0].bias].clear()

    def one_more_group(model, opt):
        if len(opt.param_groups) == 1:
            opt.add_param_group({"params": [model.extra]})

    def frozen(model, opt):
        opt.param_groups[0]["params"].pop()

    def same_gradient(model, opt):
        model[0].bias.grad = model[1].bias.grad = lucid.ones(4)

    return [f for f in locals().values() if callable(f)]


@pytest.mark.parametrize("change", _changes(), ids=lambda f: f.__name__)
def test_steps_after_changes(change):
    """A compiled step sees what was done since the last one."""

    def run(compiled):
        lucid.manual_seed(0)
        nn = lucid.nn
        model = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 4), nn.Linear(4, 2))
        model.extra = nn.Parameter(lucid.ones(2))
        opt = lucid.optim.Adam(model.parameters(), lr=0.1)
        opt.param_groups[0]["params"] = [p for p in model.parameters() if p is not model.extra]
        step = lucid.compile(opt.step) if compiled else opt.step
        for n in range(7):
            opt.zero_grad()
            (model(lucid.ones(5, 3) * n) * model.extra).square().sum().backward()
            if n in (3, 5):
                change(model, opt)
            step()
        numbers = [p.detach() for p in model.parameters()]
        return numbers + [opt.state[p]["exp_avg"] for p in model.parameters() if p in opt.state]

    lucid._dynamo.reset()
    for a, b in zip(run(False), run(True), strict=True):
        lucid.testing.assert_close(b, a, rtol=1e-5, atol=1e-6)


def test_compiled_steps_let_gradients_go():
    import weakref

    lucid._dynamo.reset()
    model = lucid.nn.Linear(3, 4)
    opt = lucid.optim.Adam(model.parameters())
    step = lucid.compile(opt.step)
    for _ in range(4):
        model(lucid.ones(2, 3)).sum().backward()
        step()
        gone = weakref.ref(model.weight.grad)
        opt.zero_grad()
        assert gone() is None
