"""Modes and classes with __torch_dispatch__: which ATen calls they see, and what they make of them."""

import aten_calls
import numpy as np
import opdb
import pytest
import torch
from both import same

import lucid

OPS = aten_calls.ops()
KNOWN = aten_calls.table()
# results that have no values to compare
UNDEFINED = {"empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided"}


def modes(m):
    if m is torch:
        import torch.utils._python_dispatch as dispatch
    else:
        import lucid.utils._python_dispatch as dispatch
    return dispatch


@pytest.mark.parametrize("name", OPS)
def test_op_db_calls(name):
    """The calls are torch's, forward and backward, but for those of the table; a mode changes no number."""
    found = aten_calls.differences(OPS[name])
    for which in ("forward", "backward"):
        if (which, name) in KNOWN:
            assert which in found, f"{which} {name} is the same now: run `python compat_tests/aten_calls.py`"
        else:
            assert which not in found, f"{which}: {found[which]}"


@pytest.mark.parametrize("name", OPS)
def test_op_db_values(name):
    """What is computed by ATen calls under a mode is what is computed without."""
    f = opdb.counterpart(OPS[name])
    for sample in opdb.samples(OPS[name], 3):
        try:
            seen, plain = (opdb.carried(sample, "cpu", {}) for _ in range(2))
            want = aten_calls.run(lucid, NoMode, f, plain)
        except Exception:
            continue
        got = aten_calls.run(lucid, modes(lucid).TorchDispatchMode, f, seen)
        if name in UNDEFINED:
            continue
        pairs = zip(*(opdb.leaves((r[2], r[3] or ()), lucid.Tensor) for r in (want, got)))
        for a, b in pairs:
            np.testing.assert_allclose(
                b.detach().resolve_conj().numpy(),
                a.detach().resolve_conj().numpy(),
                rtol=1e-4,
                atol=1e-5,
                equal_nan=True,
                err_msg=name,
            )


class NoMode:
    """Stands for a mode that is not on."""

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        pass


def calls(m, program, *given):
    """The calls that a mode sees of program(m, *given)."""
    mode = aten_calls.recorder(modes(m).TorchDispatchMode)
    with mode:
        program(m, *given)
    return mode.calls


def things(m):
    return {
        "x": m.ones(3, 3),
        "y": m.ones(3, 3),
        "w": m.ones(3, 3, requires_grad=True),
        "i": m.tensor([0, 1]),
        "l": m.nn.Linear(3, 2),
        "F": m.nn.functional,
        "torch": m,
    }


LINES = """
x[0]=2; x[0]=y[1]; x[i]=1; x[i]=y[i]; x[x>0]=0; x[0,1:]=y[0,1:]; x[...]=1; x.copy_(y); x.fill_(1); x.zero_(); x.data
x.detach(); (w*w).sum().backward(); x.sum().item(); bool(x.sum()); x.to(torch.float64); x.to(torch.float32); x.double()
x.clone(); x.contiguous(); x.t().contiguous(); x.view(9); x.reshape(9); x.t().reshape(9); x.T; x.mT; x.new_zeros(3)
torch.tensor([1.]); torch.as_tensor([1.]); torch.zeros(2); torch.randn(2); torch.rand(2); torch.randint(3,(2,))
torch.randperm(3); torch.bernoulli(x); torch.multinomial(x,1); F.dropout(x); x.uniform_(); x.normal_(); F.relu(x)
F.softmax(x,0); x.softmax(0); F.gelu(x); l(x); x@y; torch.nn.init.xavier_uniform_(x); torch.stack([x,y])
torch.cat([x,y]); x.chunk(2); x.split(1); x.unbind(); x[None]; x[i]; x[:,0]; x[...,None]; x.expand(2,3,3)
x.repeat(2,2); x.mean(); x.std(); x.var(0); x.norm(); x.max(); x.max(0); x.argmax(); x==y; x+1; 1-x; x/2; 2/x; x**2; -x
~(x>0); x.add_(1); x.mul_(y); torch.add(x,y,out=x); torch.where(x>0,x,0.); torch.equal(x,y); torch.allclose(x,y)
x.is_contiguous(); x.resize_(3); x.cpu(); F.cross_entropy(x,i.new_zeros(3)); F.mse_loss(x,y); F.embedding(i,x)
torch.einsum('ij,jk->ik',x,y); torch.nn.BatchNorm1d(3)(x); torch.nn.Conv1d(3,2,1)(x); torch.linalg.inv(torch.eye(2))
x.masked_fill_(x>0,1); x.scatter_(0,i[None],1.); x.index_add_(0,i,y[i]); x.sort(); x.cumsum(0); x.sub(1)
torch.sub(x,1); torch.true_divide(x,2); x.floor_divide(2); x//2; x%2; x<1; x.clamp(0,1); x.clamp(min=0); F.pad(x,(1,1))
x.tril(); x.flatten(); x.squeeze(); x.unsqueeze(0); x.transpose(0,1); x.permute(1,0); x.sum(0); x.sum((0,1)); x.mean(0)
torch.arange(3); torch.arange(0,3); torch.linspace(0,1,3); torch.eye(3); torch.full((2,),1.); torch.empty(2)
torch.empty_like(x); torch.zeros_like(x); torch.ones_like(x); torch.full_like(x,2); torch.rand_like(x)
torch.randn_like(x)
"""
LINES = [line.strip() for part in LINES.strip().splitlines() for line in part.split("; ")]


@pytest.mark.parametrize("line", LINES)
def test_line(line):
    assert [calls(m, lambda m, names: exec(line, names), things(m)) for m in (lucid,)] == [
        calls(torch, lambda m, names: exec(line, names), things(torch))
    ]


def test_arguments_are_torchs():
    def run(m):
        seen = []

        class Mode(modes(m).TorchDispatchMode):
            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                named = {k: str(v).replace("lucid.", "torch.") for k, v in (kwargs or {}).items()}
                seen.append(
                    (str(func), types, [a if not isinstance(a, m.Tensor) else tuple(a.shape) for a in args], named)
                )
                return func(*args, **(kwargs or {}))

        x, y = m.ones(2, 3), m.ones(2, 3)
        with Mode():
            x.add(y, alpha=2), x + 1, x.sum(1, True), x.sum(dtype=m.float64), x.mean((0, 1)), m.zeros(2), x.to(m.int64)
            m.nn.functional.layer_norm(x, (3,)), x.softmax(-1), x[0], x.view(-1), m.zeros_like(x), x.max(1)
            m.nn.functional.conv1d(m.ones(1, 2, 3), m.ones(4, 2, 1)), x.var(0, correction=0), x.clamp(min=0)
        return seen

    same(run)


def test_nested_modes_and_results():
    def run(m):
        order = []

        def mode(name, factor):
            class Mode(modes(m).TorchDispatchMode):
                def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                    order.append(f"{name} {func}")
                    out = func(*args, **(kwargs or {}))
                    return out * factor if str(func) == "aten.exp.default" else out

            return Mode()

        x = m.ones(2, requires_grad=True)
        with mode("outer", 2), mode("inner", 3):
            y = x.exp()
        return order, y.detach(), type(y.grad_fn).__name__

    same(run, rtol=1e-6)


def test_refusals():
    def run(m, which):
        class Mode(modes(m).TorchDispatchMode):
            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                if which:
                    raise ValueError("no")
                return NotImplemented

        try:
            with Mode():
                m.ones(2)
        except Exception as trouble:
            return type(trouble).__name__, m.ones(2)
        return None

    same(lambda m: run(m, True))
    same(lambda m: run(m, False))


def test_disabled():
    def run(m):
        mode = aten_calls.recorder(modes(m).TorchDispatchMode)
        x = m.ones(2)
        with mode:
            with modes(m)._disable_current_modes() as off:
                x + 1
            x * 2
            inside = modes(m)._get_current_dispatch_mode() is mode, len(off)
        return mode.calls, inside, modes(m)._get_current_dispatch_mode()

    same(run)


def wrapper(m):
    """A class that wraps a tensor, and notes what it is asked."""
    asked = []
    tree_map = m.utils._pytree.tree_map

    class Wrapped(m.Tensor):
        @staticmethod
        def __new__(cls, inner):
            return m.Tensor._make_wrapper_subclass(
                cls, inner.shape, strides=inner.stride(), dtype=inner.dtype, requires_grad=inner.requires_grad
            )

        def __init__(self, inner):
            self.inner = inner

        __torch_function__ = m._C._disabled_torch_function_impl

        def __tensor_flatten__(self):
            return ["inner"], None

        @staticmethod
        def __tensor_unflatten__(inner, context, size, stride):
            return Wrapped(inner["inner"])

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            asked.append(str(func))
            inner = lambda t: t.inner if isinstance(t, Wrapped) else t  # noqa: E731
            out = func(*tree_map(inner, args), **tree_map(inner, kwargs or {}))
            out = tree_map(lambda t: Wrapped(t) if isinstance(t, m.Tensor) else t, out)
            return modes(m).return_and_correct_aliasing(func, args, kwargs or {}, out)

    return Wrapped, asked


WRAPPED = [
    lambda m, w, x: (w(x) + 1).inner,
    lambda m, w, x: (x * w(x)).inner,
    lambda m, w, x: (w(x) @ w(x).t()).inner,
    lambda m, w, x: w(x).sum().item(),
    lambda m, w, x: m.nn.functional.softmax(w(x), -1).inner,
    lambda m, w, x: m.cat([w(x), w(x)]).inner,
    lambda m, w, x: w(x)[0, 1:].inner,
    lambda m, w, x: w(x).split(1)[1].inner,
    lambda m, w, x: (w(x).shape, w(x).dtype == m.float32, w(x).device.type, w(x).stride(), w(x).requires_grad),
    lambda m, w, x: (t := w(x), t.add_(1) is t, t.inner)[1:],
    lambda m, w, x: modes(m).is_traceable_wrapper_subclass(w(x)),
    lambda m, w, x: modes(m).is_traceable_wrapper_subclass(x),
    lambda m, w, x: modes(m).transform_subclass(w(x), lambda name, t: t * 2).inner,
]


@pytest.mark.parametrize("n", range(len(WRAPPED)))
def test_wrapper(n):
    def run(m):
        cls, asked = wrapper(m)
        out = WRAPPED[n](m, cls, m.arange(6.0).reshape(2, 3))
        return out, asked

    same(run, rtol=1e-6)


def test_wrapper_backward():
    def run(m):
        cls, asked = wrapper(m)
        w = cls(m.arange(6.0).reshape(2, 3) / 10).requires_grad_()
        y = (w * w).tanh().sum()
        name = type(y.grad_fn).__name__
        y.backward()
        return name, type(w.grad).__name__, w.grad.inner, asked

    same(run, rtol=1e-5)


def test_wrapped_parameter():
    def run(m):
        cls, _ = wrapper(m)
        layer = m.nn.Linear(3, 2)
        with m.no_grad():
            layer.weight.fill_(0.5)
            layer.bias.fill_(1.0)
        layer.weight = m.nn.Parameter(cls(layer.weight.detach()))
        out = layer(m.ones(1, 3))
        return type(out).__name__, out.inner.detach(), isinstance(layer.weight, m.nn.Parameter)

    same(run)


def test_modes_leave_nothing_behind():
    with aten_calls.recorder(modes(lucid).TorchDispatchMode):
        lucid.ones(2).sum()
    assert lucid._base.state.local.dispatch_modes == ()
    assert not lucid._base.state.local.in_formula
    assert None not in lucid._base.state.DISPATCH
