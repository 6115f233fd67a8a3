"""In-place writes to elements, parts and shapes in the situations programs get into: the same with lucid and torch."""

import warnings

import pytest
import torch
from both import attempt, graph, same
from situations import played, situations

import lucid
from lucid._backend.registry import OPS


def shape_inplace(torch, W, print):
    w = W(2, 3)
    b = w * 1
    b.t_()
    print(b.shape, b.stride(), graph(b.grad_fn), b._version)
    b.unsqueeze_(0)
    b.squeeze_(0)
    b.transpose_(0, 1)
    print(b.shape, graph(b.grad_fn), b._version)
    b[0].mul_(2)
    print(graph(b.grad_fn))
    b.sum().backward()
    print(w.grad.tolist())


def shape_inplace_leaf(torch, W, print):
    w = W(2, 3)
    w.t_()


def shape_inplace_view(torch, W, print):
    b = torch.zeros(2, 3)
    v = b[:, 1:]
    v.t_()
    v[0] = 7
    print(b.tolist(), v._base is b, v._version, b._version)


def shape_inplace_view_grad(torch, W, print):
    w = W(2, 3)
    b = w * 1
    v = b[:, 1:]
    v.t_()
    print(graph(v.grad_fn), graph(b.grad_fn))
    v.mul_(2)
    print(graph(v.grad_fn), graph(b.grad_fn))
    b.sum().backward()
    print(w.grad.tolist())


def inplace_on_nonleaf_self(torch, W, print):
    w = W(3)
    b = w * 2
    c = b.mul_(3)
    print(c is b, graph(b.grad_fn))
    b.sum().backward()
    print(w.grad.tolist())


def setitem_number(torch, W, print):
    w = W(3, 4)
    b = w * 1
    b[1] = 0.0
    b[:, 0] = 5
    b[0, 0] = 1
    print(b.tolist(), b._version)
    (b * b).sum().backward()
    print(w.grad.tolist())


def setitem_mask(torch, W, print):
    w = W(3, 4)
    b = w * 1
    b[b > 6] = 0.0
    b[[0, 0], [1, 1]] = torch.tensor([7.0, 8.0])
    print(b.tolist())
    (b * b).sum().backward()
    print(w.grad.tolist())


def setitem_self_overlap(torch, W, print):
    b = torch.arange(6.0)
    b[1:] = b[:-1]
    print(b.tolist())
    b[:] = b.flip(0)
    print(b.tolist())


def setitem_t(torch, W, print):
    b = torch.arange(9.0).view(3, 3)
    b[:] = b.t()
    print(b.tolist())


def aug(torch, W, print):
    w = W(3, 4)
    b = w * 1
    b[0] += 1
    b[0, 1] *= 3
    b[:, 2] /= 2
    print(b._version)
    b.sum().backward()
    print(w.grad.tolist())


def fill_zero(torch, W, print):
    w = W(2, 3)
    b = w * 1
    b[0].zero_()
    b[1].fill_(2.0)
    print(graph(b.grad_fn))
    (b * b).sum().backward()
    print(w.grad.tolist())


def squeeze_all_(torch, W, print):
    b = torch.zeros(1, 3, 1)
    b.squeeze_()
    print(b.shape)
    b.unsqueeze_(-1)
    b.squeeze_(1)
    print(b.shape, b._version)
    b.swapaxes_(0, 0)


def write_bool_int(torch, W, print):
    b = torch.zeros(3, dtype=torch.int64)
    b[0] = 2.7
    b[1] = True
    print(b.tolist())
    m = torch.zeros(3, dtype=torch.bool)
    m[0] = 5
    print(m.tolist())


def slice_assign_broadcast(torch, W, print):
    b = torch.zeros(2, 3)
    b[:, :2] = torch.tensor([[1.0], [2.0]])
    print(b.tolist())
    b[..., 2] = torch.ones(1, 2)
    print(b.tolist())


def inplace_other_is_view_of_self(torch, W, print):
    w = W(3, 3)
    b = w * 1
    b.mul_(b[0])
    print(graph(b.grad_fn))
    b.sum().backward()
    print(w.grad.tolist())


@pytest.mark.parametrize("situation", situations(globals()), ids=lambda f: f.__name__)
def test_situation(situation):
    same(played, situation, quiet=True)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
def test_short_and_long_way_write_the_same(dtype):
    """A whole plain tensor is written without a closer look; a view of one goes the long way."""
    kind, tried = getattr(lucid, dtype), 0
    for op in OPS.values():
        if not op.inplace or len(op.inputs) > 2 or op.prepare is not None:
            continue
        x, y = lucid.linspace(0.25, 0.75, 6).to(kind).reshape(2, 3), lucid.linspace(0.1, 0.9, 6).to(kind).reshape(2, 3)
        for others in (
            ((),) if len(op.inputs) == 1 else ((y,), (y.double() if dtype == "float32" else y,), (0.5,), (2,))
        ):
            short, long = x.clone(), x.clone()
            method = op.name + "_"
            got = attempt(getattr(short, method, None) or (lambda *a: None), *others)
            wanted = attempt(getattr(long[:], method, None) or (lambda *a: None), *others)
            assert type(got) is type(wanted), (op.name, got, wanted)
            assert short.equal(long) or short.isnan().any() and short.nan_to_num().equal(long.nan_to_num()), op.name
            assert short._version == long._version
            tried += got is short
    assert tried > 60


# ---- .data: the same memory, with a count of writes of its own

MADE = {
    "whole": lambda m: m.ones(4),
    "a part": lambda m: m.ones(6)[1:5],
    "turned": lambda m: m.ones(2, 4).t()[:, 0],
    "bfloat16": lambda m: m.ones(4).bfloat16(),
    "complex": lambda m: m.ones(4) * (1 + 1j),
    "data of data": lambda m: m.ones(4).data,
    "expanded": lambda m: m.ones(1).expand(4),
}
WRITTEN = {
    "the tensor": lambda x, d: x,
    "its data": lambda x, d: d,
    "a part of its data": lambda x, d: d[1:],
    "other data of it": lambda x, d: x.data,
    "data of its data": lambda x, d: d.data,
}
SAVED = {
    "the tensor": lambda x, d: x,
    "its data": lambda x, d: d,
    "a view of its data": lambda x, d: d[:],
    "detached data": lambda x, d: d.detach(),
}


@pytest.mark.parametrize("saved", SAVED)
@pytest.mark.parametrize("written", WRITTEN)
@pytest.mark.parametrize("made", MADE)
def test_writes_count_for_what_was_written(made, written, saved):
    """What a node saved of a tensor, or of its `.data`, is stale after writes to that one only; all see the values."""

    def program(m):
        x = MADE[made](m)
        d, w = x.data, m.ones(4).to(x.real.dtype).requires_grad_()
        z = SAVED[saved](x, d) * w
        conjugate, places = x.conj(), (d.storage_offset(), d.stride(), d.untyped_storage().nbytes())
        failed = attempt(lambda: WRITTEN[written](x, d).mul_(3))
        got = attempt(lambda: m.autograd.grad(z.abs().sum(), w))
        return got, failed is None, x, d, conjugate, x._version, d._version, places, d.data_ptr() == x.data_ptr()

    same(program)


# ---- which of several refusals comes first

METHODS = sorted(n for n in dir(torch.Tensor) if n.endswith("_") and not n.startswith(("_", "sparse_")))
NOT_CALLED = {"set_", "share_memory_", "record_stream_", "resize_as_sparse_", "apply_", "map_", "map2_", "resize_"}
NOT_CALLED |= {"mvlgamma_"}  # its message is of a kernel that torch calls on the way
REFUSING = {
    "plain": lambda b: b * 1,
    "expanded": lambda b: b.expand(3),
    "leaf": lambda b: (b * 1).requires_grad_(),
    "view of a leaf": lambda b: (b * 1).requires_grad_().view(1),
    "one of several": lambda b: (b.expand(2, 1) * 1).requires_grad_().mul(1).unbind(0)[0],
}


@pytest.mark.parametrize("name", [n for n in METHODS if n not in NOT_CALLED])
def test_what_of_complex_tensors_is_refused_first(name):
    """The class of the error where a method has several reasons to refuse, its type among them."""

    def program(m):
        b = m.ones(1, dtype=m.complex128)
        for situation, make in REFUSING.items():
            for args in ((), (2.0,), (b,), (m.ones(1),), (0.5, 0.75)):
                if name == "copy_" and situation == "expanded" and args == (2.0,):
                    continue  # as fill_ here
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    got = attempt(getattr(make(b), name), *args)
                yield situation, len(args), type(got).__name__ if isinstance(got, Exception) else "done"

    same(program)


@pytest.mark.parametrize("view", ["b.squeeze()", "b.view(-1)", "b[:]", "b.flatten()"])
@pytest.mark.parametrize("write", ["b.detach_()", "b.t_()", "b.mul_(2)"])
def test_view_without_graph_follows_its_base(view, write):
    def program(m):
        b = m.ones(4, requires_grad=True) * 1
        with m.no_grad():
            v = eval(view, {"b": b})
        eval(write, {"b": b})
        return attempt(lambda: (v.requires_grad, v.is_leaf, type(v.grad_fn).__name__))

    same(program)


PUTS = ["m.tensor([0]), m.ones(2)", "m.tensor([0.0]), m.ones(1)", "m.tensor([0]), m.ones(1).double()"]
PUTS += ["m.tensor([0]), m.ones(1)", "m.tensor([5]), m.ones(1)"]


@pytest.mark.parametrize("args", PUTS)
def test_put_into_shared_places(args):
    same(lambda m: str(attempt(eval, f"m.ones(()).expand(2).put_({args})", {"m": m})))
