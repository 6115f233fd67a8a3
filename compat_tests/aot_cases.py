"""Programs whose meaning below autograd is easily lost: writes, aliases, gradients that are cut, random numbers.

Each is (function, how to make its inputs): a function of a library `m`. `inputs` makes leaves; a case that needs other
inputs (views of each other, tensors with a history) makes them of leaves.
"""

import lucid


def _functions(m):
    """Functions with gradients of their own."""

    class Twice(m.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * x * 7

    class Reversed(m.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.view_as(x)

        @staticmethod
        def backward(ctx, g):
            return -g

    return Twice.apply, Reversed.apply


def _unrecorded(m, x, w):
    with m.no_grad():
        y = x * w
    return y + w


def _unrecorded_write(m, x, w):
    y = x * w
    with m.no_grad():
        y[0] = 5.0
    return y * x


def _unrecorded_write_to_input(m, w, x):
    with m.no_grad():
        w.mul_(2)
    return w * x


def _hooked(m, x, w):
    y = x * w
    y.register_hook(lambda g: g * 3)
    return y.sum()


def _hooked_view(m, x):
    y = x.view(-1)
    y.register_hook(lambda g: g * 3)
    return y


def _recorded_inside(m, x, w):
    with m.no_grad():
        a = x * w
        with m.enable_grad():
            b = a * w
    return a, b


def _in_place(m, x):
    y = x.clone()
    y.add_(1).mul_(x).clamp_(max=2.0)
    return y


def _through_views(m, x):
    y = x * 2
    y[0].mul_(3)
    y[:, 1] = y[:, 0] * 2
    y.t()[2].add_(1)
    y.view(-1)[1:3] = 0.5
    y.diagonal().neg_()
    y.narrow(1, 2, 2).fill_(0.25)
    return y, y[:2]


def _reshaped_in_place(m, x):
    y = x * 1
    y.t_()
    y.unsqueeze_(0)
    y.mul_(2)
    return y.squeeze_(0) * 3, y


def _typed(m, x):
    y = x.to(m.float64)
    z = x.detach().to(m.int64)
    z.add_(1)
    y.copy_(z)
    return y, z


def _lists(m, x, w):
    a, b = x * 1, w * 2
    m._foreach_add_([a, b], 1.0)
    return a * b


def _outs(m, x):
    y = m.empty_like(x)
    m.mul(x.detach(), 2, out=y)
    v, i = m.empty(0), m.empty(0, dtype=m.int64)
    m.max(y, 1, out=(v, i))
    return y, v, i


def _norm(m, x, mean, var):
    return m.nn.functional.batch_norm(x, mean, var, training=True)


def _loop(m, x):
    for i in range(3):
        x = (x * (i + 1)).sin()
    return x


def _checkpointed(m, x, w):
    from importlib import import_module

    checkpoint = import_module(f"{m.__name__}.utils.checkpoint").checkpoint
    return checkpoint(lambda a: (a * w).sin().exp(), x, use_reentrant=False)


def _cast(m, x, w):
    with m.autocast("cpu", dtype=m.bfloat16):
        return m.mm(x, w.t()).float()


def _custom(m, x):
    twice, turned = _functions(m)
    return twice(x), turned(x)


def _custom_written(m, x):
    twice, _ = _functions(m)
    y = twice(x)
    y.mul_(2)
    return y + 1


def _detached(m, x):
    y = x.sin()
    return y, y.detach(), x.detach(), x


def _factory(m, x):
    y = m.arange(3.0) + m.tensor([1.0, 2.0, 3.0])
    y[0] = 7
    return x * y, m.zeros(2), m.ones(2, requires_grad=True)


def _nested(m, x, w):
    return {"a": x + w, "b": [w * 2, None, 3, "text"], "c": (x.sum(),)}


def _dropped(m, x):
    return m.nn.functional.dropout(x, 0.5), m.rand(2), m.randn_like(x)


def _attention(m, x):
    return m.nn.functional.scaled_dot_product_attention(x[None], x[None], x[None], is_causal=False)


def _row(m, x):
    return x[0] + x[m.tensor([1, 0])] + x[x.detach().gt(100).logical_not().any(1)].sum() * 0 if False else x[0] * 2


# name -> (function, leaves it takes: shapes, or ("n", shape) for one without a gradient)
CASES = {
    "plain": (lambda m, x, w: (x * w).sin().sum(), [(3, 4), (3, 4)]),
    "one gradient": (lambda m, x, w: x * w, [(3, 4), "n"]),
    "no gradients": (lambda m, x, w: x * w, ["n", "n"]),
    "unused": (lambda m, x, w: x * 2, [(3, 4), (3, 4)]),
    "unrecorded": (_unrecorded, [(3, 4), (3, 4)]),
    "unrecorded write": (_unrecorded_write, ["n", (3, 4)]),
    "unrecorded write to input": (_unrecorded_write_to_input, [(3, 4), "n"]),
    "recorded inside": (_recorded_inside, [(3, 4), (3, 4)]),
    "hooked": (_hooked, [(3, 4), (3, 4)]),
    "hooked view": (_hooked_view, [(3, 4)]),
    "in place": (_in_place, [(3, 4)]),
    "through views": (_through_views, [(4, 4)]),
    "reshaped in place": (_reshaped_in_place, [(3, 3)]),
    "types": (_typed, [(3, 4)]),
    "lists": (_lists, [(3, 4), (3, 4)]),
    "outs": (_outs, [(3, 4)]),
    "input written": (lambda m, x, w: x.mul_(w).sin(), ["n", (3, 4)]),
    "input written, no gradients": (lambda m, x, w: (x.mul_(2), w.t().add_(x.t())), ["n", "n"]),
    "input's view written": (lambda m, x, w: x[0].copy_(w[1]) + 1, ["n", (3, 4)]),
    "input written, nothing given": (lambda m, x, w: (x.mul_(w), None)[1], ["n", "n"]),
    "input with a history written, nothing given": (lambda m, x, w: (x.mul_(w), None)[1], ["h", (3, 4)]),
    "input's view written, nothing given": (lambda m, x, w: (x.t()[1].add_(1), 3)[1], ["n", "n"]),
    "inputs with a history written": (lambda m, x, w: x.mul_(w), ["h", (3, 4)]),
    "input with a history zeroed": (lambda m, x, w: (x.zero_(), x * w), ["h", (3, 4)]),
    "input is an output": (lambda m, x, w: (x, x * w, w), [(3, 4), "n"]),
    "output is a view of an input": (lambda m, x: (x.view(2, 6), x.t(), x[1], x.sum()), [(3, 4)]),
    "outputs are views of each other": (lambda m, x: (lambda y: (y, y[0], y.t()))(x * 2), [(3, 4)]),
    "outputs are views of none": (lambda m, x: (lambda y: (y[0], y[1]))(x * 2), [(3, 4)]),
    "output twice": (lambda m, x: (lambda y: (y, y))(x * 2), [(3, 4)]),
    "split": (lambda m, x: (x * 2).split(1), [(3, 4)]),
    "detached": (_detached, [(3, 4)]),
    "nested": (_nested, [(3, 4), (3, 4)]),
    "factory": (_factory, [(3, 3)]),
    "custom function": (_custom, [(3, 4)]),
    "custom function written": (_custom_written, [(3, 4)]),
    "batch norm": (_norm, [(3, 4), ("n", (4,)), ("p", (4,))]),
    "random": (_dropped, [(3, 4)]),
    "loop": (_loop, [(3, 4)]),
    "checkpoint": (_checkpointed, [(3, 4), (3, 4)]),
    "autocast": (_cast, [(3, 4), (3, 4)]),
    "attention": (_attention, [(3, 4)]),
    "row": (_row, [(3, 4)]),
    "transposed input": (lambda m, x: (x * 2).view(-1) if x.is_contiguous() else x.t() * 2, ["t"]),
    "expanded input": (lambda m, x: x * 2 + x.sum(), ["e"]),
    "whole numbers": (lambda m, x: (x.argmax(1), (x > 0).sum(), x.sum()), [(3, 4)]),
    "empty": (lambda m, x: (x * 2).sum(), [(0, 4)]),
    "complex": (lambda m, x: m.view_as_real(m.fft.fft(x)).sum(-1), [(3, 4)]),
    "constant": (lambda m, x: x * 2 + 1.5 - 1, [(3, 4)]),
    "where": (lambda m, x: m.where(x > 0, x, x.exp()), [(3, 4)]),
    "max": (lambda m, x: x.max(1), [(3, 4)]),
    "cumulative": (lambda m, x: x.cumsum(0).logsumexp(1), [(3, 4)]),
    "index put": (lambda m, x, w: x.clone().index_put_((m.tensor([0, 2]),), w[:2], accumulate=True), [(3, 4), (3, 4)]),
    "scatter": (lambda m, x: m.zeros(3, 4).scatter_add_(0, m.tensor([[0, 1, 2, 0]] * 3), x), [(3, 4)]),
    "norm of rows": (lambda m, x: m.nn.functional.normalize(x, dim=1), [(3, 4)]),
    "cosine": (lambda m, x, w: m.nn.functional.cosine_similarity(x, w), [(3, 4), (3, 4)]),
}


def inputs(m, specs, seed=0):
    """(leaves, the inputs made of them): the same numbers in any library."""
    import numpy as np

    drawn = np.random.default_rng(seed)
    leaves, given = [], []
    for spec in specs:
        kind, shape = spec if type(spec) is tuple and type(spec[0]) is str else (spec, (3, 4))
        if type(spec) is tuple and type(spec[0]) is int:
            kind, shape = "leaf", spec
        t = m.tensor(drawn.standard_normal(shape).tolist(), dtype=m.float32).reshape(shape)
        if kind == "p":
            t = t.abs()
        if kind not in ("n", "p"):
            t.requires_grad_()
        leaves.append(t)
        given.append(
            {"h": lambda t: t * 1, "t": lambda t: t.t(), "e": lambda t: t[:, :1].expand(3, 5)}.get(kind, lambda t: t)(t)
        )
    return leaves, given


assert lucid
