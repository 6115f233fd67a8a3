"""In-place writes through views in the situations programs get into: the same with lucid and torch."""

import pytest
from both import graph, same
from situations import nm, played, situations


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
    print(graph(b.grad_fn))
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
    print(graph(b.grad_fn), graph(v.grad_fn))
    u = b[1]
    u.add_(v[0, 0])
    print(graph(b.grad_fn))
    (b * b).sum().backward()
    print(w.grad.tolist())


def views_of_views(torch, W, print):
    w = W(4, 6)
    b = w * 1
    a = b[1:3]
    c = a[:, 2:5]
    d = c.t()
    d.exp_()
    print(graph(a.grad_fn), graph(c.grad_fn), d._base is b, a._base is b)
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
    print(w.grad.tolist(), graph(u.grad_fn))
    z.sum().backward()
    print(w.grad.tolist())


def base_no_grad_view_requires(torch, W, print):
    b = torch.zeros(3, 4)
    p = W(4)
    b[1] = p * 2
    print(graph(b.grad_fn), b.requires_grad, b.is_leaf)
    v = b[1]
    print(graph(v.grad_fn))
    (b * b).sum().backward()
    print(p.grad.tolist())


def base_no_grad_old_view(torch, W, print):
    b = torch.zeros(3, 4)
    v = b[1]
    u = b[:, 0]
    p = W(4)
    v.copy_(p)
    print(v.requires_grad, u.requires_grad, b.requires_grad, graph(u.grad_fn))
    (u * 2).sum().backward()
    print(p.grad.tolist())


def asstrided_view(torch, W, print):
    w = W(6)
    b = w * 1
    v = b.as_strided((3, 2), (2, 1))
    v[1].mul_(3)
    u = b.as_strided((2, 2), (1, 1), 1)
    s = (u * torch.tensor([[1.0, 2.0], [3.0, 4.0]])).sum()
    s.backward()
    print(w.grad.tolist(), graph(u.grad_fn))


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
    print(graph(r.grad_fn))
    b.sum().backward()
    print(w.grad.tolist())


def complex_view(torch, W, print):
    w = torch.ones(3, dtype=torch.complex64, requires_grad=True)
    b = w * 1
    v = torch.view_as_real(b)
    v[:, 0].mul_(2)
    print(nm(b), nm(v))
    b.abs().sum().backward()
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
    print(graph(b.grad_fn), graph(v.grad_fn))
    b.sum().backward()
    print(w.grad.tolist())


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
    print(graph(v.grad_fn), b.requires_grad)


def cat_views(torch, W, print):
    w = W(4, 3)
    b = w * 1
    a, c = (b[:2], b[2:])
    a.mul_(2)
    z = torch.cat([a, c])
    z.sum().backward()
    print(w.grad.tolist())


@pytest.mark.parametrize("situation", situations(globals()), ids=lambda f: f.__name__)
def test_situation(situation):
    same(played, situation, quiet=True)
