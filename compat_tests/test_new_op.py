"""CONTRIBUTING.md keeps its word: its code runs as it stands, and one class gives an op with all its forms.

The page's Python blocks are executed in order; what they declare is taken back afterwards: other tests see none of it.
"""

import ctypes
import importlib.util
import pathlib
import re

import numpy as np
import pytest
import torch
from both import close
from declaring import declaring

import lucid
from lucid._backend import core
from lucid._codegen import build
from lucid._codegen.c import pointwise_source
from lucid._inductor.lowerings import LOWERINGS
from lucid.autograd import gradcheck, gradgradcheck

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "CONTRIBUTING.md"
OPS = ("bell", "sum_of_squares", "interior")

# the same functions of torch's
REFERENCE = {
    "bell": lambda x, w: torch.exp(-((x / w) ** 2) / 2),
    "sum_of_squares": lambda x, dim=None, keepdim=False: (x * x).sum(dim, keepdim),
    "interior": lambda x, dim=0: x.narrow(dim, 1, x.shape[dim] - 2),
}


def blocks():
    return re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.M | re.S)


@pytest.fixture(scope="module")
def declared():
    """The namespace after the page's blocks; the registries are restored at the end."""
    scope = {"__name__": "contributing"}
    with declaring():
        for block in blocks():
            exec(compile(block, str(PAGE), "exec"), scope)
        yield scope
    for name in (*OPS, "bell_"):
        assert not hasattr(lucid, name) and not hasattr(lucid.Tensor, name)


def pair(*shape, positive=False, grad=False, seed=0):
    """One array as a tensor of lucid and of torch."""
    a = np.random.default_rng(seed).standard_normal(shape)
    a = np.abs(a) + 0.5 if positive else a
    return lucid.tensor(a, requires_grad=grad), torch.tensor(a, requires_grad=grad)


def calls(grad=False):
    """(name, arguments of lucid, arguments of torch, options) of typical calls."""
    (x, tx), (w, tw) = pair(3, 4, grad=grad), pair(4, positive=True, grad=grad, seed=1)
    yield "bell", (x, w), (tx, tw), {}
    yield "bell", (x, 2), (tx, 2), {}
    for options in ({}, {"dim": 1}, {"dim": -2, "keepdim": True}, {"dim": (0, 1)}):
        yield "sum_of_squares", (x,), (tx,), options
    for options in ({}, {"dim": -1}):
        yield "interior", (x,), (tx,), options


def same(got, expected, rtol=1e-12, **near):
    close(got, expected, rtol=rtol, **near)


def test_function_and_method(declared):
    for name, ins, torch_ins, options in calls():
        expected = REFERENCE[name](*torch_ins, **options)
        same(getattr(lucid, name)(*ins, **options), expected)
        same(getattr(ins[0], name)(*ins[1:], **options), expected)
    same(lucid.bell(lucid.tensor([1, 2]), 2), REFERENCE["bell"](torch.tensor([1, 2]), 2))
    for name in OPS:
        assert getattr(lucid, name).__doc__.startswith(name + "(")


@pytest.mark.parametrize("kind", ["float16", "bfloat16", "int64", "uint8", "float64"])
@pytest.mark.parametrize("shape", [(3, 4), (), (0, 2), (1,)])
def test_halves_zero_dims_and_integers(declared, kind, shape):
    """Right without a further word in the declarations: halves are rounded once."""
    dtype, kind = getattr(torch, kind), getattr(lucid, kind)
    tx = (torch.arange(float(np.prod(shape, dtype=int))).reshape(shape) * 0.7 + 0.3).to(dtype)
    x = lucid.from_numpy(np.array(tx.double().numpy())).to(kind)
    floating = dtype if dtype.is_floating_point else torch.float32
    once = {"rtol": max(0.51 * torch.finfo(floating).eps, 3e-6), "atol": torch.finfo(floating).smallest_normal * 1e-3}
    bell, squares = lucid.bell(x, 1.7), lucid.sum_of_squares(x)
    same(bell.double(), REFERENCE["bell"](tx.double(), 1.7), **once)
    same(squares.double(), (tx.double() ** 2).sum(), **once)
    assert bell.dtype is getattr(lucid, str(floating)[6:]) and squares.dtype is (
        kind if x.is_floating_point() else lucid.int64
    )
    if len(shape) and shape[0] >= 2:
        same(lucid.interior(x), tx[1:-1])
    elif not shape or shape[0] < 2:
        with pytest.raises((IndexError, RuntimeError)):
            lucid.interior(x)
    if dtype.is_floating_point and tx.numel():
        x.requires_grad_()
        (got,) = lucid.autograd.grad(lucid.bell(x, 1.7).sum(), x)
        wide = tx.double().requires_grad_()
        (wanted,) = torch.autograd.grad(REFERENCE["bell"](wide, 1.7).sum(), wide)
        same(got, wanted.to(dtype), rtol=2 * torch.finfo(dtype).eps)  # the rule reads the rounded result


def test_in_place(declared):
    (x, tx), (w, tw) = pair(3, 4), pair(4, positive=True, seed=1)
    assert x.bell_(w) is x
    same(x, REFERENCE["bell"](tx, tw))
    leaf, torch_leaf = pair(3, 4, grad=True)
    y, ty = leaf * 2, torch_leaf * 2
    y.bell_(w)
    y.sum().backward()
    REFERENCE["bell"](ty, tw).sum().backward()
    assert type(y.grad_fn).__name__ == "BellBackward0"
    same(leaf.grad, torch_leaf.grad)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        leaf.bell_(w)


def test_writes_through_the_view(declared):
    (leaf, torch_leaf) = pair(3, 4, grad=True)
    base, torch_base = leaf * 2, torch_leaf * 2
    part = base.interior(1)
    assert part.data_ptr() == base.data_ptr() + 8 and part._base is base and part.stride() == (4, 1)
    part.mul_(3)
    REFERENCE["interior"](torch_base, 1).mul_(3)
    same(base, torch_base)
    (base * base).sum().backward()
    (torch_base * torch_base).sum().backward()
    same(leaf.grad, torch_leaf.grad)
    with pytest.raises(IndexError, match="Dimension out of range"):
        lucid.interior(leaf, 2)
    with pytest.raises(RuntimeError, match="needs at least 2 slices"):
        lucid.interior(lucid.ones(1))


def test_out(declared):
    for name, ins, torch_ins, options in calls():
        if name == "interior":  # a view has memory already
            with pytest.raises(TypeError):
                lucid.interior(ins[0], out=lucid.empty(0))
            continue
        expected = REFERENCE[name](*torch_ins, **options)
        out = lucid.empty(expected.shape, dtype=lucid.float64)
        assert getattr(lucid, name)(*ins, **options, out=out) is out
        same(out, expected)


def test_gradient(declared):
    names = {"bell": "BellBackward0", "sum_of_squares": "SumOfSquaresBackward0", "interior": "InteriorBackward0"}
    for name, ins, torch_ins, options in calls(grad=True):
        got, expected = getattr(lucid, name)(*ins, **options), REFERENCE[name](*torch_ins, **options)
        assert type(got.grad_fn).__name__ == names[name] and len(got.grad_fn.next_functions) == len(ins)
        seed = np.random.default_rng(7).standard_normal(expected.shape)
        found = lucid.autograd.grad(got, [t for t in ins if isinstance(t, lucid.Tensor)], lucid.tensor(seed))
        torch_tensors = [t for t in torch_ins if isinstance(t, torch.Tensor)]
        wanted = torch.autograd.grad(expected, torch_tensors, torch.tensor(seed))
        for a, b in zip(found, wanted, strict=True):
            same(a, b)


def test_first_and_second_derivatives(declared):
    for name, ins, _, options in calls(grad=True):
        inputs = tuple([t for t in ins if isinstance(t, lucid.Tensor)])
        rest = ins[len(inputs) :]

        def f(*tensors, name=name, rest=rest, options=options):
            return getattr(lucid, name)(*tensors, *rest, **options)

        assert gradcheck(f, inputs) and gradgradcheck(f, inputs)
    z = lucid.randn(5, dtype=lucid.complex128, requires_grad=True)
    assert gradcheck(lambda z: lucid.sum_of_squares(z).real, (z,))


def test_meta(declared):
    for name, ins, torch_ins, options in calls():
        away = [t.to("meta") if isinstance(t, lucid.Tensor) else t for t in ins]
        got, expected = getattr(lucid, name)(*away, **options), getattr(lucid, name)(*ins, **options)
        assert got.device.type == "meta" and got.dtype is expected.dtype
        assert got.shape == expected.shape and got.stride() == expected.stride()


@pytest.mark.skipif(importlib.util.find_spec("mlx") is None, reason="mlx is not installed")
def test_mlx(declared):
    for name, ins, torch_ins, options in calls():
        here = [t.float().requires_grad_() if isinstance(t, lucid.Tensor) else t for t in ins]
        away = [t.detach().to("mlx").requires_grad_() if isinstance(t, lucid.Tensor) else t for t in here]
        got, expected = getattr(lucid, name)(*away, **options), getattr(lucid, name)(*here, **options)
        assert got.device.type == "mlx"
        close = dict(rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(got.detach().cpu().numpy(), expected.detach().numpy(), **close)
        got.sum().backward()
        expected.sum().backward()
        np.testing.assert_allclose(away[0].grad.cpu().numpy(), here[0].grad.numpy(), **close)
    base = lucid.zeros(4, device="mlx")
    base.interior().fill_(1)
    assert base.tolist() == [0, 1, 1, 0]


def test_jvp(declared):
    for name, ins, torch_ins, options in calls():
        n = sum(isinstance(t, lucid.Tensor) for t in ins)
        tangents = [pair(*t.shape, seed=3 + i) for i, t in enumerate(ins[:n])]
        got = lucid.func.jvp(
            lambda *t, name=name, rest=ins[n:], o=options: getattr(lucid, name)(*t, *rest, **o),
            ins[:n],
            tuple(t for t, _ in tangents),
        )
        expected = torch.func.jvp(
            lambda *t, name=name, rest=ins[n:], o=options: REFERENCE[name](*t, *rest, **o),
            torch_ins[:n],
            tuple(t for _, t in tangents),
        )
        for a, b in zip(got, expected, strict=True):
            same(a, b)


def test_vmap(declared):
    (x, tx), (w, tw) = pair(2, 3, 4), pair(4, 2, positive=True, seed=1)
    cases = [
        ("bell", (x, w), (tx, tw), (0, 1), {}),
        ("bell", (x, 2.0), (tx, 2.0), (1, None), {}),
        ("sum_of_squares", (x,), (tx,), (1,), {}),
        ("sum_of_squares", (x,), (tx,), (0,), {"dim": -1}),
        ("interior", (x,), (tx,), (0,), {"dim": 1}),
        ("interior", (x,), (tx,), (2,), {"dim": 1}),
    ]
    for name, ins, torch_ins, dims, options in cases:
        got = lucid.func.vmap(lambda *t, name=name, o=options: getattr(lucid, name)(*t, **o), dims)(*ins)
        expected = torch.func.vmap(lambda *t, name=name, o=options: REFERENCE[name](*t, **o), dims)(*torch_ins)
        same(got, expected)
    per_row = lucid.func.vmap(lucid.func.grad(lambda row: row.bell(w[:, 0]).sum()))(x[0])
    expected = torch.func.vmap(torch.func.grad(lambda row: REFERENCE["bell"](row, tw[:, 0]).sum()))(tx[0])
    same(per_row, expected)


@pytest.mark.skipif(build.compiler() is None, reason="there is no C compiler here")
def test_c_text(declared):
    library = build.load(pointwise_source(declared["bell"], lucid.float32, {}, "bell"))
    x, w = (np.random.default_rng(i).standard_normal(1000).astype(np.float32) + 3 * i for i in (0, 1))
    result = np.empty_like(x)
    library.bell(ctypes.c_long(x.size), *[a.ctypes.data_as(ctypes.c_void_p) for a in (x, w, result)])
    np.testing.assert_allclose(result, lucid.bell(lucid.tensor(x), lucid.tensor(w)).numpy(), rtol=1e-6, atol=1e-30)


def test_the_page_names_real_places():
    text = PAGE.read_text()
    table = re.findall(r"^\| `(lucid/\S+)` \|", text, re.M)
    assert len(table) >= 5
    for place in table:
        assert "hypot" in (ROOT / place).read_text(), place
    for place in re.findall(r"`((?:lucid|scripts|docs|compat_tests)/[\w/.]+)`", text):
        assert (ROOT / place).exists(), place


def test_layer(declared):
    lucid.manual_seed(0)
    layer = declared["Bell"](4)
    assert repr(layer) == "Bell(features=4)" and list(layer.state_dict()) == ["width"]
    x, tx = pair(3, 4)
    layer = layer.double()
    layer(x).sum().backward()
    width = torch.ones(4, dtype=torch.float64, requires_grad=True)
    REFERENCE["bell"](tx, width).sum().backward()
    same(layer.width.grad, width.grad)


def test_optimiser(declared):
    p = lucid.nn.Parameter(lucid.tensor([1.0, -2.0]))
    optimizer = declared["SignSGD"]([p], lr=0.5)
    for _ in range(2):
        optimizer.zero_grad()
        (p * p).sum().backward()
        optimizer.step()
    assert p.tolist() == [0.0, -1.0]
    with pytest.raises(ValueError, match="Invalid learning rate: -1"):
        declared["SignSGD"]([p], lr=-1)
    optimizer.load_state_dict(optimizer.state_dict())


def test_fusion_pattern(declared, monkeypatch):
    monkeypatch.setattr(lucid, "ENABLE_FUSION", True)
    walked = []
    rule = declared["DoubleFlip"].__grad__
    monkeypatch.setattr(
        declared["DoubleFlip"],
        "__grad__",
        staticmethod(lambda g, first, second: walked.append(1) or rule(g, first, second)),
    )
    seed = lucid.arange(6.0).reshape(2, 3)
    for dims, expected in (((1,), seed), ((0,), seed.flip(0, 1))):
        x = lucid.zeros(2, 3, requires_grad=True)
        x.flip(1).flip(dims).backward(seed)
        assert lucid.equal(x.grad, expected)
    assert len(walked) == 2


def test_a_name_has_one_declaration():
    def second(input):
        return input

    before = core.NAMESPACES["torch"]["exp"]
    with pytest.raises(ValueError, match="'exp' is declared twice"):
        core.public("exp")(second)
    assert core.NAMESPACES["torch"]["exp"] is before is lucid.exp
    core.public("exp")(before)  # the same function again is no second declaration
    assert core.NAMESPACES["torch"]["exp"] is before is before.__self__.exp


def test_a_lowering(declared, capsys):
    """With it a call becomes loops, in the kernel of what stands around; without, it is a call."""
    bumps = declared["bumps"]
    x = lucid.randn(4, 5)

    def f(x):
        return bumps(x, 3.0).sum(-1) + 1

    def steps():
        lucid._dynamo.reset()
        lucid._logging.set_logs(schedule=True)
        try:
            found = lucid.compile(f, fullgraph=True)(x)
        finally:
            lucid._logging.set_logs()
        np.testing.assert_allclose(found.numpy(), f(x).numpy(), 1e-6)
        return [line.rpartition(": ")[2].split(",")[0] for line in capsys.readouterr().err.splitlines()]

    if build.compiler() is None:
        pytest.skip("no C compiler")
    assert steps() == ["kernel"]
    formula = LOWERINGS.pop("bumps")
    try:
        assert steps() == ["call of contributing.bumps.default", "kernel"]
        LOWERINGS["bumps"] = lambda x, width: 1 / 0  # what raises leaves the call to the engine
        assert steps() == ["call of contributing.bumps.default", "kernel"]
    finally:
        LOWERINGS["bumps"] = formula


def test_a_decomposition(declared):
    """The graph that the compiler is given has what the table says, and the values are eager's."""
    x, y = (lucid.linspace(-2, 25, 9).requires_grad_() for _ in range(2))
    out, eager = declared["compiled_softplus"](x), lucid.nn.functional.softplus(y)
    out.sum().backward(), eager.sum().backward()
    np.testing.assert_allclose(out.detach().numpy(), eager.detach().numpy(), rtol=1e-5)
    np.testing.assert_allclose(x.grad.numpy(), y.grad.numpy(), rtol=1e-5)
    forward, backward = declared["seen"]
    assert lucid.ops.aten.log1p.default in forward and lucid.ops.aten.softplus.default not in forward + backward
