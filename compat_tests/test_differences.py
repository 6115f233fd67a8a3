"""Small things that lucid does otherwise than torch; each is a line of known_gaps.txt until it does not."""

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
    "vmap of halves times a number": lambda m: m.vmap(lambda u: u * 1.7)(m.linspace(0.1, 3, 50).half()),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    expect("differs", name, lambda: same(PROGRAMS[name], looks="requires_grad stride"))
