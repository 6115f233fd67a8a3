"""A device is added by CONTRIBUTING.md alone: numpy under another name, with kernels of its own.

The page's blocks are run (and taken back) by the fixture of test_new_op; here is what the device then does.
"""

import io

import numpy as np
import pytest
import torch
from test_new_op import declared  # noqa: F401  (a fixture)
from test_words import answers
from word_samples import arguments

import lucid
from lucid import nn
from lucid._array import lookup
from lucid._array.table import SERVICES
from lucid._array.words import WORDS
from lucid._codegen import targets

pytestmark = pytest.mark.usefixtures("declared")
FLOATS = ("float32", "float64", "float16", "bfloat16")


def values(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


def pair(*shape, dtype="float32", seed=0, grad=False):
    """The same numbers on the toy and in torch."""
    x = torch.tensor(values(*shape, seed=seed)).to(getattr(torch, dtype))
    mine = lucid.tensor(x.double().numpy()).to(getattr(lucid, dtype)).to("toy")
    return mine.requires_grad_(grad), x.requires_grad_(grad)


def agree(got, wanted, rtol=1e-6, atol=1e-6):
    assert got.device == lucid.device("toy") and str(got.dtype) == str(wanted.dtype)
    assert tuple(got.shape) == tuple(wanted.shape) and got.stride() == wanted.stride()
    np.testing.assert_allclose(got.detach().cpu().double().numpy(), wanted.detach().double().numpy(), rtol, atol)


def test_the_device_has_a_name():
    place = lucid.device("toy")
    assert place.type == "toy" and str(lucid.device("toy:0")) == "toy:0" and repr(place) == "device(type='toy')"
    x = lucid.ones(2, device="toy")
    assert x.device == place and not x.is_cpu and "device='toy'" in repr(x) and x.to("cpu").device.type == "cpu"
    with lucid.device("toy"):
        assert lucid.zeros(1).device == place
    with pytest.raises(RuntimeError, match="there is a device 'toy' already"):
        lookup.register_device("toy", None)
    with pytest.raises(RuntimeError, match="device type at start of device string: toi"):
        lucid.device("toi")
    with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
        x + lucid.ones(2)


def test_it_answers_every_word_and_service():
    for dtype in ("float32", "float16", "int64", "bool", "complex64"):
        k, cpu = (lookup.table(getattr(lucid, dtype), place) for place in ("toy", "cpu"))
        assert k.backend == "toy" and k.device_group == "toy" and k.host and k.aliases
        assert [w for w in WORDS if not answers(k, w)] == []
        owed = {"all", "arrays", "devices", "aliases"} | ({"halves"} if k.is_half else set())
        assert [s for s, what in SERVICES.items() if what.of in owed and not answers(k, s)] == []
        for row in WORDS.values():
            try:
                wanted = getattr(cpu, row.name)(*arguments(cpu, row))
            except TypeError:
                with pytest.raises(TypeError):
                    getattr(k, row.name)(*arguments(k, row))
                continue
            got = getattr(k, row.name)(*arguments(k, row))
            for a, b in zip(*(v if isinstance(v, tuple) else (v,) for v in (got, wanted)), strict=True):
                assert k.of(a).dtype is cpu.of(b).dtype and k.of(a).device.type == "toy" and a.shape == b.shape


@pytest.mark.parametrize("dtype", FLOATS)
def test_an_op_a_reduction_and_their_gradients(dtype):
    (x, tx), (w, tw) = pair(3, 4, dtype=dtype, grad=True), pair(4, dtype=dtype, seed=1, grad=True)
    close = dict(rtol=1e-6, atol=1e-6) if dtype[-2:] in ("32", "64") else dict(rtol=2e-2, atol=2e-2)
    y, ty = ((a * b).exp() + a.sigmoid() for a, b in ((x, w), (tx, tw)))
    agree(y, ty, **close)
    for got, wanted in ((y.sum(1), ty.sum(1)), (y.mean(), ty.mean()), (y.amax(0), ty.amax(0))):
        agree(got, wanted, **close)
    y.sum(1).mean().backward()
    ty.sum(1).mean().backward()
    agree(x.grad, tx.grad, **close)
    agree(w.grad, tw.grad, **close)


def test_second_derivatives_vmap_and_jvp():
    (x, tx) = pair(5, dtype="float64", grad=True)
    (g,) = lucid.autograd.grad((x.sigmoid() ** 2).sum(), x, create_graph=True)
    (tg,) = torch.autograd.grad((tx.sigmoid() ** 2).sum(), tx, create_graph=True)
    agree(lucid.autograd.grad(g.sum(), x)[0], torch.autograd.grad(tg.sum(), tx)[0])
    x, tx = x.detach(), tx.detach()
    agree(lucid.func.vmap(lambda v: v.exp())(x), torch.func.vmap(lambda v: v.exp())(tx))
    got = lucid.func.jvp(lucid.sin, (x,), (x,))
    for a, b in zip(got, torch.func.jvp(torch.sin, (tx,), (tx,)), strict=True):
        agree(a, b)


def test_views_and_writes():
    (x, tx) = pair(3, 4, grad=True)
    y, ty = x * 2, tx * 2
    part, torch_part = y[1:, ::2], ty[1:, ::2]
    assert part._base is y and part.data_ptr() == y.data_ptr() + 16 and part.stride() == torch_part.stride()
    part.mul_(3)
    torch_part.mul_(3)
    y.t()[0] = 7
    ty.t()[0] = 7
    agree(y, ty)
    (y * y).sum().backward()
    (ty * ty).sum().backward()
    agree(x.grad, tx.grad)
    away = x.detach().cpu()
    away.zero_()
    assert x.abs().sum() > 0  # another device is another memory
    with pytest.raises(TypeError, match="can't convert toy"):
        x.detach().numpy()


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "int64"])
def test_integers(dtype):
    data = (np.arange(6).reshape(2, 3) % 4).astype(dtype)
    x, tx = lucid.tensor(data, device="toy"), torch.tensor(data)
    for f in (
        lambda m, v: v + 1,
        lambda m, v: v / 2,
        lambda m, v: m.sigmoid(v),
        lambda m, v: v.sum(),
        lambda m, v: v.sum(0, keepdim=True),
        lambda m, v: v == 1,
        lambda m, v: v[:, 1],
        lambda m, v: v * 1.5,
        lambda m, v: m.where(v > 0, v, 0),
    ):
        agree(f(lucid, x), f(torch, tx))


def test_zero_dimensions():
    x, tx = lucid.tensor(0.5, device="toy", requires_grad=True), torch.tensor(0.5, requires_grad=True)
    for f in (lambda v: v.sigmoid(), lambda v: v * 2, lambda v: v.sum(), lambda v: v.expand(2, 2), lambda v: v.exp()):
        y, ty = f(x), f(tx)
        agree(y, ty)
        agree(*(t_.grad(out.sum(), v)[0] for t_, out, v in ((lucid.autograd, y, x), (torch.autograd, ty, tx))))
    agree(lucid.ones(3, device="toy") * lucid.tensor(2.0), torch.ones(3) * torch.tensor(2.0))  # a CPU number joins in
    assert x.item() == 0.5 and float(x.detach()) == 0.5


def test_kernels_of_its_own(declared, monkeypatch):  # noqa: F811
    called = []
    for name, words in (("sigmoid", declared["ToyWords"]), ("tanh", declared["np"])):
        had = getattr(words, name)
        monkeypatch.setattr(words, name, lambda *a, had=had, name=name: called.append(name) or had(*a))
    lucid.ones(2, device="toy").sigmoid()
    lucid.ones(2, device="toy", dtype=lucid.float16).sigmoid()
    assert called == ["sigmoid", "tanh"] * 2
    called.clear()
    for dtype in ("float32", "float16"):
        x, tx = pair(3, dtype=dtype)
        agree(lucid.swish(x), torch.nn.functional.silu(tx), 1e-3, 1e-6)
    assert called == ["tanh"] * 2 and lucid.swish(lucid.ones(2)).device.type == "cpu" and called == ["tanh"] * 2
    agree(lucid.swish(lucid.tensor([1, 2], device="toy")), torch.nn.functional.silu(torch.tensor([1.0, 2.0])))


def test_a_layer_learns_and_is_saved():
    def run(m, place):
        m.manual_seed(0)
        model = m.nn.Sequential(
            m.nn.Linear(3, 4), m.nn.GELU(), m.nn.LayerNorm(4), m.nn.Dropout(0.25), m.nn.Linear(4, 2)
        )
        model = model.to(place)
        step = m.optim.Adam(model.parameters(), lr=0.1)
        x, target = m.randn(8, 3, device=place), m.tensor([0, 1] * 4, device=place)
        for _ in range(3):
            step.zero_grad()
            loss = m.nn.functional.cross_entropy(model(x), target)
            loss.backward()
            step.step()
        return model, loss

    (model, loss), (torch_model, torch_loss) = run(lucid, "toy"), run(torch, "cpu")
    agree(loss, torch_loss, 1e-5)
    for a, b in zip(model.state_dict().values(), torch_model.state_dict().values(), strict=True):
        agree(a, b, 1e-4, 1e-5)
    file = io.BytesIO()
    lucid.save(model.state_dict(), file)
    file.seek(0)
    again = lucid.load(file)
    assert all(v.device.type == "toy" for v in again.values())
    assert isinstance(model[0], nn.Linear) and model.cpu()[0].weight.device.type == "cpu"


def test_a_loader_of_tensors_stays_there():
    rows = lucid.utils.data.TensorDataset(lucid.ones(4, 2, device="toy"), lucid.arange(4))
    for x, n in lucid.utils.data.DataLoader(rows, batch_size=3):
        assert x.device == lucid.device("toy") and n.device.type == "cpu" and len(x) == len(n)


def test_torchs_name_for_it(declared):  # noqa: F811
    lookup.register_device("privateuseone", lambda dtype, place: declared["table"](dtype, place), "toy")
    lucid.utils.rename_privateuse1_backend("npu")
    assert lucid.device("npu") == lucid.device("privateuseone") and lucid.device("npu:1").type == "npu"
    assert lucid.ones(2, device="npu").exp().device.type == "npu"
    assert lucid._C._get_privateuse1_backend_name() == "npu"
    lucid.utils.rename_privateuse1_backend("npu")
    with pytest.raises(RuntimeError, match="has already been set! Current backend: npu"):
        lucid.utils.rename_privateuse1_backend("other")


@pytest.mark.parametrize("dtype", FLOATS)
def test_compiled_graphs_run_by_its_target(dtype, monkeypatch):
    loaded = []
    target = targets.target("toy")
    monkeypatch.setattr(target, "load", lambda texts: loaded.extend(texts) or type(target).load(target, texts))
    f = lucid.compile(lambda x: lucid.softmax(x * 2, -1).square(), fullgraph=True)
    (x, tx), tolerance = pair(5, 7, dtype=dtype, grad=True), 1e-2 if "16" in dtype else 1e-6
    y, ty = f(x), torch.softmax(tx * 2, -1).square()
    agree(y, ty, tolerance, tolerance)
    agree(*[m.autograd.grad(a.sum(), b)[0] for m, a, b in ((lucid, y, x), (torch, ty, tx))], tolerance, tolerance)
    assert len(loaded) == 2
