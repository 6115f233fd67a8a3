"""In-place writes and views in the situations programs get into: what each prints with lucid and with torch."""

import warnings

import numpy as np
import pytest
import torch

import lucid

torch.set_num_threads(1)


def chain(f, depth=0):
    """A graph as one line."""
    if f is None:
        return "None"
    name = type(f).__name__
    if name == "AccumulateGrad" or depth > 6:
        return name
    return name + "(" + ", ".join(chain(a, depth + 1) for a, _ in f.next_functions) + ")"


def nm(t):
    return None if t.grad_fn is None else type(t.grad_fn).__name__


def leaf_view(torch, W, print):
    w = W(3, 4)
    v = w[0]
    v.mul_(2)


def leaf_self(torch, W, print):
    w = W(3, 4)
    w.mul_(2)


def leaf_set(torch, W, print):
    w = W(3, 4)
    w[0] = 1


def leaf_nograd_view(torch, W, print):
    w = W(3, 4)
    with torch.no_grad():
        v = w[0]
    print(v.requires_grad, v._is_view(), v.is_leaf)
    v.mul_(2)
    print(w.tolist()[0], w._version)


def nograd_view_of_nonleaf(torch, W, print):
    w = W(3, 4)
    b = w * 1
    with torch.no_grad():
        v = b[0]
    print(v.requires_grad, nm(v))
    v.mul_(2)


def nograd_view_base_write(torch, W, print):
    w = W(3, 4)
    b = w * 1
    with torch.no_grad():
        v = b[0]
    b.mul_(2)
    print(v.requires_grad, nm(v), v.tolist())


def multi_output_write(torch, W, print):
    w = W(3, 4)
    b = w * 1
    v = b.unbind(0)[0]
    v.mul_(2)


def multi_output_split(torch, W, print):
    w = W(4, 4)
    b = w * 1
    v = b.split(2)[1]
    v.add_(1)


def multi_output_chunk_nograd(torch, W, print):
    b = torch.ones(4, 4)
    v = b.chunk(2)[1]
    v.add_(1)
    print(b.tolist(), b._version)


def multi_output_base_write(torch, W, print):
    w = W(3, 4)
    b = w * 1
    v = b.unbind(0)[0]
    b.mul_(2)
    print(chain(b.grad_fn))
    print(nm(v))
    v.sum().backward()
    print(w.grad)


def multi_output_view_of(torch, W, print):
    w = W(3, 4)
    b = w * 1
    v = b.unbind(0)[0][1:]
    v.mul_(2)


def multi_then_requires(torch, W, print):
    b = torch.ones(4, 4)
    v = b.unbind(0)[0]
    v.mul_(torch.ones(4, requires_grad=True))


def expanded(torch, W, print):
    x = torch.arange(3.0).expand(2, 3)
    x.add_(1)


def expanded_ok_write_base(torch, W, print):
    b = torch.arange(3.0)
    x = b.expand(2, 3)
    b.add_(1)
    print(x.tolist(), x._version)


def chain_views(torch, W, print):
    w = W(4, 6)
    b = w * 1
    v = b.t()[1:4].view(3, 4)[:, ::2]
    v.mul_(2)
    print(chain(b.grad_fn), chain(v.grad_fn))
    u = b[1]
    u.add_(v[0, 0])
    print(chain(b.grad_fn))
    (b * b).sum().backward()
    print(w.grad.tolist())


def views_of_views(torch, W, print):
    w = W(4, 6)
    b = w * 1
    a = b[1:3]
    c = a[:, 2:5]
    d = c.t()
    d.exp_()
    print(chain(a.grad_fn), chain(c.grad_fn), d._base is b, a._base is b)
    a.mul_(2)
    (c.sum() + b.sum()).backward()
    print([[round(q, 3) for q in r] for r in w.grad.tolist()])


def other_view_reads(torch, W, print):
    w = W(3, 4)
    b = w * 1
    v = b[0]
    u = b[:, 0]
    z = u * 2
    v.mul_(5)
    (u * 3).sum().backward(retain_graph=True)
    print(w.grad.tolist(), chain(u.grad_fn))
    z.sum().backward()
    print(w.grad.tolist())


def saved_modified(torch, W, print):
    w = W(3, 4)
    b = w * 1
    v = b[0]
    z = v * v
    b.add_(1)
    z.sum().backward()


def saved_modified2(torch, W, print):
    w = W(3, 4)
    b = w * 1
    z = b.exp()
    z[0] = 1
    z.sum().backward()


def saved_modified3(torch, W, print):
    w = W(3, 4)
    b = w * 1
    z = b * b
    b[0].add_(1)
    z.sum().backward()


def base_no_grad_view_requires(torch, W, print):
    b = torch.zeros(3, 4)
    p = W(4)
    b[1] = p * 2
    print(chain(b.grad_fn), b.requires_grad, b.is_leaf)
    v = b[1]
    print(chain(v.grad_fn))
    (b * b).sum().backward()
    print(p.grad.tolist())


def base_no_grad_old_view(torch, W, print):
    b = torch.zeros(3, 4)
    v = b[1]
    u = b[:, 0]
    p = W(4)
    v.copy_(p)
    print(v.requires_grad, u.requires_grad, b.requires_grad, chain(u.grad_fn))
    (u * 2).sum().backward()
    print(p.grad.tolist())


def double_backward(torch, W, print):
    w = W(2, 3)
    b = w**2
    v = b[0]
    v.mul_(w[1])
    (g,) = torch.autograd.grad((b**2).sum(), w, create_graph=True)
    print([[round(x, 2) for x in r] for r in g.tolist()])
    g.sum().backward()
    print([[round(x, 2) for x in r] for r in w.grad.tolist()])


def double_backward_t(torch, W, print):
    w = W(2, 3)
    b = w**2
    v = b.t()
    v[1].exp_()
    u = b.view(-1)[1:3]
    u.mul_(u.clone())
    (g,) = torch.autograd.grad((b * 0.001).sum(), w, create_graph=True)
    g.sum().backward()
    print([[round(x, 2) for x in r] for r in w.grad.tolist()])


def shape_inplace(torch, W, print):
    w = W(2, 3)
    b = w * 1
    b.t_()
    print(b.shape, b.stride(), chain(b.grad_fn), b._version)
    b.unsqueeze_(0)
    b.squeeze_(0)
    b.transpose_(0, 1)
    print(b.shape, chain(b.grad_fn), b._version)
    b[0].mul_(2)
    print(chain(b.grad_fn))
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
    print(chain(v.grad_fn), chain(b.grad_fn))
    v.mul_(2)
    print(chain(v.grad_fn), chain(b.grad_fn))
    b.sum().backward()
    print(w.grad.tolist())


def detach_shares(torch, W, print):
    w = W(3)
    b = w * 2
    z = b * b
    b.detach().zero_()
    print(b._version)
    z.sum().backward()


def data_does_not(torch, W, print):
    w = W(3)
    b = w * 2
    z = b * b
    b.data.zero_()
    print(b._version)
    z.sum().backward()
    print(w.grad.tolist())


def inplace_on_nonleaf_self(torch, W, print):
    w = W(3)
    b = w * 2
    c = b.mul_(3)
    print(c is b, chain(b.grad_fn))
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


def asstrided_view(torch, W, print):
    w = W(6)
    b = w * 1
    v = b.as_strided((3, 2), (2, 1))
    v[1].mul_(3)
    u = b.as_strided((2, 2), (1, 1), 1)
    s = (u * torch.tensor([[1.0, 2.0], [3.0, 4.0]])).sum()
    s.backward()
    print(w.grad.tolist(), chain(u.grad_fn))


def diag_view(torch, W, print):
    w = W(3, 3)
    b = w * 1
    b.diagonal().mul_(4)
    b.diagonal(1).copy_(torch.tensor([9.0, 9.0]))
    b.sum().backward()
    print(w.grad.tolist())


def unfold_view(torch, W, print):
    w = W(6)
    b = w * 1
    v = b.unfold(0, 2, 2)
    v[1].mul_(3)
    b.sum().backward()
    print(w.grad.tolist())


def view_then_reshape_copy(torch, W, print):
    w = W(2, 3)
    b = w * 1
    r = b.t().reshape(-1)
    r.mul_(2)
    print(chain(r.grad_fn))
    b.sum().backward()
    print(w.grad.tolist())


def hooks(torch, W, print):
    w = W(2, 3)
    b = w * 1
    seen = []
    b.register_hook(lambda g: seen.append(g.tolist()))
    b[0].mul_(2)
    b.register_hook(lambda g: seen.append(("after", g.tolist())))
    b.sum().backward()
    print(seen)


def retain(torch, W, print):
    w = W(2, 3)
    b = w * 1
    b.retain_grad()
    b[0].mul_(2)
    b.sum().backward()
    print(b.grad.tolist())


def requires_grad_after(torch, W, print):
    b = torch.zeros(2, 3)
    v = b[0]
    b.requires_grad_()
    print(v.requires_grad, b.is_leaf)
    v2 = b[0]
    print(v2.requires_grad)


def view_of_detached(torch, W, print):
    w = W(2, 3)
    b = (w * 1).detach()
    v = b[0]
    p = W(3)
    v.mul_(p)
    print(chain(b.grad_fn), chain(v.grad_fn))
    b.sum().backward()
    print(p.grad.tolist(), w.grad)


def complex_view(torch, W, print):
    w = torch.ones(3, dtype=torch.complex64, requires_grad=True)
    b = w * 1
    v = torch.view_as_real(b)
    v[:, 0].mul_(2)
    print(nm(b), nm(v))
    b.abs().sum().backward()
    print(w.grad.tolist())


def fill_zero(torch, W, print):
    w = W(2, 3)
    b = w * 1
    b[0].zero_()
    b[1].fill_(2.0)
    print(chain(b.grad_fn))
    (b * b).sum().backward()
    print(w.grad.tolist())


def base_of(torch, W, print):
    b = torch.zeros(4, 4)
    v = b[0][1:]
    d = v.detach()
    print(v._base is b, d._base, d._is_view(), b._base)
    v2 = v.detach()[1:]
    print(v2._base is None, v2._base.shape)


def alias_base(torch, W, print):
    w = W(3)
    b = w * 1
    v = b[...]
    v.mul_(2)
    print(chain(b.grad_fn), chain(v.grad_fn))
    b.sum().backward()
    print(w.grad.tolist())


def two_leaves(torch, W, print):
    a = W(3)
    c = W(3)
    b = torch.zeros(2, 3)
    b[0] = a
    b[1] = c
    b[0].mul_(c)
    print(chain(b.grad_fn))
    b.prod().backward()
    print(a.grad.tolist(), c.grad.tolist())


def rnn_buffer(torch, W, print):
    w = W(3)
    h = torch.zeros(5, 3)
    x = torch.ones(3)
    for t in range(5):
        x = x * w
        h[t] = x
    h.sum().backward()
    print(w.grad.tolist(), h._version)


def inference(torch, W, print):
    with torch.inference_mode():
        x = torch.ones(3)
        x.add_(1)
    x.add_(1)


def view_no_grad_of_view(torch, W, print):
    w = W(3, 4)
    b = w * 1
    v = b[0]
    with torch.no_grad():
        u = v[1:]
    u.mul_(2)


def nograd_view_copy_grad(torch, W, print):
    b = torch.zeros(3, 4)
    with torch.no_grad():
        v = b[0]
    p = W(4)
    v.copy_(p)


def detach_view_write_grad(torch, W, print):
    b = torch.zeros(3, 4)
    v = b.detach()
    p = W(4)
    v[0] = p
    print(chain(v.grad_fn), b.requires_grad)


def cat_views(torch, W, print):
    w = W(4, 3)
    b = w * 1
    a, c = (b[:2], b[2:])
    a.mul_(2)
    z = torch.cat([a, c])
    z.sum().backward()
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
    print(chain(b.grad_fn))
    b.sum().backward()
    print(w.grad.tolist())


def inplace_saved_view(torch, W, print):
    w = W(3, 3)
    b = w * 1
    b[0].mul_(b[1])
    b[1].mul_(2)
    b.sum().backward()
    print(w.grad.tolist())


SITUATIONS = [
    f
    for name, f in list(globals().items())
    if getattr(f, "__code__", None) and f.__code__.co_varnames[:3] == ("torch", "W", "print")
]


def played(T, situation):
    lines = []

    def W(*shape):
        return T.arange(1.0, 1 + int(np.prod(shape))).view(*shape).requires_grad_()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            situation(T, W, lambda *a: lines.append(a))
        except (RuntimeError, IndexError, ValueError, TypeError) as error:
            lines.append((type(error).__name__, str(error)[:90]))
    return [repr(line) for line in lines]


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda f: f.__name__)
def test_situation(situation):
    assert played(lucid, situation) == played(torch, situation)
