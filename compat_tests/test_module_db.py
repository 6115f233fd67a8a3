"""Every layer of torch's module_db: same weights, same inputs, same outputs, state and gradients, in training and evaluation."""

import warnings

import opdb
import pytest
import torch
from gaps import expect
from test_op_db import near
from torch.testing._internal.common_modules import module_db

import lucid


def counterpart(cls):
    found = lucid.nn
    for part in f"{cls.__module__}.{cls.__qualname__}".removeprefix("torch.nn.").split("."):
        found = getattr(found, part, None)
    return found or getattr(lucid.nn, cls.__name__, None)


def named(info):
    return info.name.removeprefix("nn.")


INFOS = {named(info): info for info in module_db if counterpart(info.module_cls) is not None}
# drawn anew in each call
RANDOM = {
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Dropout3d",
    "AlphaDropout",
    "FeatureAlphaDropout",
    "RReLU",
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
}


def built(cls, inputs, carry, training):
    made = cls(*carry(tuple(inputs.args)), **carry(dict(inputs.kwargs)))
    return made.float().train(training)  # as torch's own tests do: some cases come with float64 buffers


def cases(info, training, limit=4):
    found = list(
        info.module_inputs_func(info, device="cpu", dtype=torch.float32, requires_grad=True, training=training)
    )
    return [c for c in found if c.forward_input is not None][:: max(1, len(found) // limit)]


def tensors(tree, kind):
    return [t for t in opdb.leaves(tree, kind)]


@pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])
@pytest.mark.parametrize("name", INFOS)
def test_module(name, training):
    info = INFOS[name]

    def run():
        done = 0
        for n, case in enumerate(cases(info, training)):
            try:
                one(info, case, training, f"case {n} {case.desc}", values=name not in RANDOM or not training)
                done += 1
            except opdb.Unsupported:
                continue
        if not done:
            pytest.skip("no case that lucid can be given")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expect("module", f"{name} {'train' if training else 'eval'}", run)


def one(info, case, training, where, values):
    memo = {}
    args = tuple(case.forward_input.args), dict(case.forward_input.kwargs)
    twins = opdb.carried(args, "cpu", memo)
    torch.manual_seed(0)
    theirs = built(info.module_cls, case.constructor_input, lambda x: x, training)
    lucid.manual_seed(0)
    mine = built(counterpart(info.module_cls), case.constructor_input, lambda x: opdb.carried(x, "cpu", {}), training)
    want, got = theirs(*args[0], **args[1]), mine(*twins[0], **twins[1])
    assert list(theirs.state_dict()) == list(mine.state_dict()), f"{where}: state_dict keys"
    if info.is_lazy_module if hasattr(info, "is_lazy_module") else False:
        mine.load_state_dict({k: opdb.tensor(v, "cpu") for k, v in theirs.state_dict().items()})
    wanted, found = tensors(want, torch.Tensor), tensors(got, lucid.Tensor)
    assert len(wanted) == len(found), f"{where}: {len(found)} results for {len(wanted)}"
    for w, g in zip(wanted, found):
        near(g, w, where, values)
    for key, w in theirs.state_dict().items():
        near(mine.state_dict()[key], w, f"{where}: state {key}", values)
    assert repr(theirs) == repr(mine), f"{where}: repr"
    if values:
        compare_gradients(
            wanted, found, theirs, mine, [p for p in memo.values() if isinstance(p[0], torch.Tensor)], where
        )


def compare_gradients(wanted, found, theirs, mine, inputs, where):
    live = [(w, g) for w, g in zip(wanted, found) if w.requires_grad]
    leaves = [(a, b) for a, b in inputs if a.requires_grad] + list(zip(theirs.parameters(), mine.parameters()))
    leaves = [(a, b) for a, b in leaves if a.requires_grad]
    if not live or not leaves:
        return
    weights = [torch.linspace(0.5, 1.5, w.numel()).reshape(w.shape) for w, _ in live]
    want = torch.autograd.grad([w for w, _ in live], [a for a, _ in leaves], weights, allow_unused=True)
    got = lucid.autograd.grad(
        [g for _, g in live], [b for _, b in leaves], [opdb.tensor(w, "cpu") for w in weights], allow_unused=True
    )
    for i, (w, g) in enumerate(zip(want, got)):
        assert (w is None) == (g is None), f"{where}: gradient {i} is {'missing' if g is None else 'there'}"
        if w is not None:
            near(g, w, f"{where}: gradient {i}")
