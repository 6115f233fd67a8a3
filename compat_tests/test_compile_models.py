"""Whole models, compiled: the losses of training are eager's to the bit, and every layer of torch's module_db is right."""

import warnings

import opdb
import pytest
from gaps import expect
from test_compile_ops import gradients, graph_ends, told
from test_module_db import INFOS, built, cases, counterpart

import lucid
from lucid import nn
from lucid.nn import functional as F


class Block(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.ln1, self.attention = nn.LayerNorm(d), nn.MultiheadAttention(d, heads, batch_first=True)
        self.ln2, self.mlp = nn.LayerNorm(d), nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

    def forward(self, x):
        h = self.ln1(x)
        x = x + self.attention(h, h, h, need_weights=False)[0]
        return x + self.mlp(self.ln2(x))


class GPT(nn.Module):
    def __init__(self, words=20, d=16):
        super().__init__()
        self.embedding, self.place = nn.Embedding(words, d), nn.Parameter(lucid.zeros(1, 8, d))
        self.blocks, self.head = nn.ModuleList([Block(d, 2) for _ in range(2)]), nn.Linear(d, words)

    def forward(self, i, targets):
        x = self.embedding(i) + self.place[:, : i.shape[1]]
        for block in self.blocks:
            x = block(x)
        y = self.head(x)
        return F.cross_entropy(y.view(-1, y.size(-1)), targets.view(-1))


class Pictures(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Dropout(0.2), nn.Linear(4 * 16, 5),
        )  # fmt: skip

    def forward(self, x):
        return self.layers(x).pow(2).mean()


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.cell = nn.LSTM(4, 6, num_layers=2, batch_first=True), nn.GRUCell(6, 6)
        self.last = nn.Linear(6, 3)

    def forward(self, x):
        o, (h, _) = self.lstm(x)
        return self.last(self.cell(o[:, -1], h[-1])).sum()


class Translator(nn.Module):
    def __init__(self):
        super().__init__()
        self.transformer = nn.Transformer(8, 2, 1, 1, 16, batch_first=True)

    def forward(self, a, b):
        return self.transformer(a, b).pow(2).sum()


MODELS = {
    GPT: lambda: (lucid.randint(0, 20, (2, 8)), lucid.randint(0, 20, (2, 8))),
    Pictures: lambda: (lucid.rand(4, 1, 8, 8),),
    Recurrent: lambda: (lucid.rand(2, 5, 4),),
    Translator: lambda: (lucid.rand(2, 3, 8), lucid.rand(2, 4, 8)),
}


def losses(make, inputs, compiled):
    """The losses of four steps."""
    lucid.manual_seed(0)
    model = make()
    run = lucid.compile(model, backend="eager") if compiled else model
    optimizer = lucid.optim.AdamW(model.parameters(), 1e-2)
    for _ in range(4):
        optimizer.zero_grad()
        loss = run(*inputs)
        loss.backward()
        optimizer.step()
        yield loss.item()


@pytest.mark.parametrize("make", MODELS, ids=lambda c: c.__name__)
def test_training(make):
    inputs = MODELS[make]()
    lucid._dynamo.reset()
    assert list(losses(make, inputs, True)) == list(losses(make, inputs, False))
    assert not graph_ends()
    assert sum(len(c.by_place) for c in lucid._dynamo.compiled.CACHES.values() if any(c.by_place.values())) == 1


@pytest.mark.parametrize("name", INFOS)
def test_layer(name):
    info, ends = INFOS[name], []

    def run(case, training, compiled):
        args = opdb.carried((tuple(case.forward_input.args), dict(case.forward_input.kwargs)), "cpu", {})
        lucid.manual_seed(0)
        cls = counterpart(info.module_cls)
        module = built(cls, case.constructor_input, lambda x: opdb.carried(x, "cpu", {}), training)
        lucid.manual_seed(1)
        results = (lucid.compile(module, backend="eager") if compiled else module)(*args[0], **args[1])
        return told(results), told(gradients(results, (args, list(module.parameters())))), told(module.state_dict())

    def all_cases():
        done = 0
        for training in (True, False):
            for case in cases(info, training, 2):
                try:
                    wanted = run(case, training, False)
                except (opdb.Unsupported, NotImplementedError, AttributeError):
                    continue
                lucid._dynamo.reset()
                assert run(case, training, True) == wanted, case.desc
                ends.extend(graph_ends())
                done += 1
        if not done:
            pytest.skip("no case that lucid can be given")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expect("compiled-layer", name, all_cases)
