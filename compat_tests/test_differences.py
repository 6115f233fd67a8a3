"""Small things that lucid does otherwise than torch; each is a line of known_gaps.txt until it does not."""

import contextlib

import pytest
import torch
from both import same
from gaps import expect


def gradient(m, f, *shape, layout=None):
    """The gradient of f(x).sum() for numbers in order, with what it looks like in memory."""
    x = m.arange(1.0, 1 + float(torch.Size(shape).numel())).reshape(shape)
    x = (x.contiguous(memory_format=layout) if layout is not None else x).requires_grad_()
    f(x).sum().backward()
    return x.grad


def put_then_write(m):
    w = m.ones(4, requires_grad=True)
    base = w * 1
    x = base[::2].cumsum(0)
    x.put_(m.tensor([1, 0]), base[::2])
    with m.no_grad():
        base.fill_(0.5)
    return m.autograd.grad(x.sum(), w)


def write_to_dual(m):
    x, t = m.ones(2), m.ones(2)
    with m.autograd.forward_ad.dual_level():
        m.autograd.forward_ad.make_dual(x, t).mul_(2)
    return x, t


def product_of_turned(m):
    x = m.arange(6.0).reshape(2, 3).requires_grad_().t() * 1
    return m.autograd.grad((x @ m.ones(2, 2)).sum(), x)


def turn_under_its_real_part(m):
    w = m.ones(2, 3, dtype=m.complex64, requires_grad=True)
    x = w * 1
    part = x.imag
    x.t_()
    return m.autograd.grad(part.sum(), w)


def tangent_of_view(m):
    class Same(m.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.view_as(x)

        @staticmethod
        def jvp(ctx, g):
            return g.view_as(g)

    forward_ad, t = m.autograd.forward_ad, m.ones(2)
    with forward_ad.dual_level():
        return forward_ad.unpack_dual(Same.apply(forward_ad.make_dual(m.ones(2), t))).tangent._base is t


def refused_out(m):
    out = m.zeros(0, dtype=m.bool)
    with contextlib.suppress(NotImplementedError):
        m.cumsum(m.ones(3), 0, out=out)
    return out.shape


def sparse_gradient(m, f):
    """The gradient, dense, of a sparse matrix of which f is weighted and summed."""
    x = (m.arange(6.0).reshape(2, 3) - 1).to_sparse().requires_grad_()
    (f(x).to_dense() * m.arange(1.0, 7).reshape(2, 3)).sum().backward()
    return x.grad.to_dense()


def second_of_values(m):
    """Whether the gradient of a product with a sparse matrix may be differentiated in its values."""
    x = m.ones(3).requires_grad_()
    made = m.sparse.mm(
        m.sparse_coo_tensor(m.tensor([[0, 1, 1], [0, 1, 2]]), x, (2, 3), check_invariants=True), m.ones(3, 2)
    )
    (g,) = m.autograd.grad((made**2).sum(), x, create_graph=True)
    return g.requires_grad


def fused_step_of_halves(m):
    w = m.ones(64, dtype=m.float16).requires_grad_()
    optimizer = m.optim.SGD([w], lr=0.05, momentum=0.9, fused=True)
    for _ in range(3):
        w.grad = m.ones(64, dtype=m.float16)
        optimizer.step()
    return w.detach().float()


PROGRAMS = {
    "number % tensor": lambda m: gradient(m, lambda x: 5.0 % x, 3),
    "number % tensor, value": lambda m: 5.0 % m.arange(1.0, 4.0),
    "gradient of a transposed view": lambda m: gradient(m, lambda x: x.t() * 2, 2, 3),
    "gradient of a transposed product": lambda m: m.autograd.grad(
        (x := m.ones(2, 3, requires_grad=True)).t().mul(2).sum(), x
    ),
    "gradient of a broadcast sum": lambda m: gradient(m, lambda x: x + m.ones(4, 3, 2), 3, 2),
    "gradient of a broadcast column": lambda m: gradient(m, lambda x: x * m.ones(2, 3, 4).transpose(0, 1), 3, 1, 4),
    "channels-last nearest": lambda m: gradient(
        m, lambda x: m.nn.functional.interpolate(x, scale_factor=2), 1, 2, 3, 3, layout=m.channels_last
    ),
    "channels-last bilinear": lambda m: gradient(
        m,
        lambda x: m.nn.functional.interpolate(x, scale_factor=2, mode="bilinear"),
        1,
        2,
        3,
        3,
        layout=m.channels_last,
    ),
    "scatter_add of a source larger than its index": lambda m: gradient(
        m, lambda x: (x * 1).scatter_add(0, m.tensor([0, 2]), x), 4
    ),
    "put_ of a source that is written later": put_then_write,
    "layout of a sum of two layouts": lambda m: m.ones(2, 3).t() + m.ones(3, 2),
    "layout of the gradient of a product": product_of_turned,
    "offset of a view of nothing": lambda m: m.ones(2, 3)[1:1].storage_offset(),
    "writes to a dual value": write_to_dual,
    "gradient through view_as_real of nothing": lambda m: gradient(m, lambda x: m.view_as_real(x * 1j), 0),
    "real part of what changes its dimensions": turn_under_its_real_part,
    "tangent of a Function that returns a view": tangent_of_view,
    "shape of a refused out=": refused_out,
    "fft.ihfftn out= along one dimension": lambda m: m.fft.ihfftn(
        m.arange(6.0).view(2, 3), dim=(1,), out=m.zeros(2, 2, dtype=m.complex64)
    ),
    "window of a dual view": lambda m: m.func.jvp(
        lambda x: (x * x)[1:].as_strided((2,), (1,), 1), (m.arange(4.0),), (m.ones(4),)
    ),
    "sparse complex32": lambda m: m.ones(2).chalf().to_sparse().values().cfloat(),
    "vmap beside a sparse tensor": lambda m: m.vmap(lambda x: m.eye(3).to_sparse() @ x)(m.ones(2, 3)),
    "gradient of sparse.softmax along a negative dimension": lambda m: sparse_gradient(
        m, lambda x: m.sparse.softmax(x, -1)
    ),
    "transpose of a sparse leaf under no_grad": lambda m: m.no_grad()(
        lambda: m.eye(3).to_sparse().requires_grad_().t().requires_grad
    )(),
    "second derivative of the values of a sparse tensor": second_of_values,
    "TorchDispatchMode": lambda m: m.utils._python_dispatch.TorchDispatchMode().__class__.__name__,
    "lstsq by gels of dependent columns": lambda m: (
        m.linalg.lstsq(
            m.tensor([[1.0, 2], [2, 4], [3, 6]], dtype=m.float64), m.ones(3, 1, dtype=m.float64), driver="gels"
        ).residuals
    ),
    "embedding_bag's scale_grad_by_freq": lambda m: gradient(
        m,
        lambda w: m.nn.functional.embedding_bag(
            m.tensor([[0, 1, 2], [1, 1, 1]]), w, mode="sum", scale_grad_by_freq=True
        ),
        *(3, 2),
    ),
    "fused SGD of halves": fused_step_of_halves,
    "gradient of segment_reduce's extremes that several elements share": lambda m: gradient(
        m, lambda x: -m.segment_reduce(x - x.detach(), "max", lengths=m.tensor([2, 1])), 3
    ),
    "vmap of halves times a number": lambda m: m.vmap(lambda u: u * 1.7)(m.linspace(0.1, 3, 50).half()),
}


REFUSED = ("scatter_add of a source larger than its index", "put_ of a source that is written later")  # by both


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    expect("differs", name, lambda: same(PROGRAMS[name], looks="requires_grad stride", may_raise=name in REFUSED))
