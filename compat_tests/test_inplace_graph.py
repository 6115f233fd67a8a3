"""What in-place writes do to graphs, saved values, hooks and detached views: the same with lucid and torch."""

import pytest
from both import graph, same, same_outcome
from situations import played, situations


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
    print(graph(b.grad_fn), graph(v.grad_fn))
    b.sum().backward()
    print(p.grad.tolist(), w.grad)


def two_leaves(torch, W, print):
    a = W(3)
    c = W(3)
    b = torch.zeros(2, 3)
    b[0] = a
    b[1] = c
    b[0].mul_(c)
    print(graph(b.grad_fn))
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


def inplace_saved_view(torch, W, print):
    w = W(3, 3)
    b = w * 1
    b[0].mul_(b[1])
    b[1].mul_(2)
    b.sum().backward()
    print(w.grad.tolist())


@pytest.mark.parametrize("situation", situations(globals()), ids=lambda f: f.__name__)
def test_situation(situation):
    same(played, situation, quiet=True)


@pytest.mark.parametrize("kind", ["float32", "bfloat16", "float16", "complex64"])
@pytest.mark.parametrize("name", "add_ sub_ mul_ div_ pow_ atan2_ addcmul_ addcdiv_ copy_ hypot_ remainder_".split())
def test_gradient_has_the_type_of_its_operand(name, kind):
    """What is written into another type; asked of the graph, where no leaf accumulates and casts it."""

    def program(m):
        a = m.ones(2, dtype=m.float64, requires_grad=True)
        x, b = m.ones(2, dtype=getattr(m, kind)), a * 2
        getattr(x, name)(*[b, b] if name.startswith("addc") else [b])
        return m.autograd.grad(x.sum().real if x.is_complex() else x.sum(), (a, b))

    same_outcome(program, looks="requires_grad", rtol=1e-2)
