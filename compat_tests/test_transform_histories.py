"""Random histories of views, writes and ops inside transforms: results, what was written, and gradients, as torch's."""

import random

import pytest
from both import agree, both, same

VIEWS = {
    "select": lambda m, v: v[-1] if v.ndim else v,
    "slice": lambda m, v: v[..., ::2] if v.ndim else v,
    "transpose": lambda m, v: v.transpose(0, -1) if v.ndim else v,
    "unsqueeze": lambda m, v: v.unsqueeze(0),
    "diagonal": lambda m, v: v.diagonal() if v.ndim > 1 else v,
    "narrow": lambda m, v: v.narrow(0, 0, 1) if v.ndim else v,
    "split": lambda m, v: v.movedim(0, -1) if v.ndim else v,
    "alias": lambda m, v: v.view_as(v),
}
WRITES = {
    "mul_": lambda m, v, y: v.mul_(y),
    "add_": lambda m, v, y: v.add_(y, alpha=2),
    "copy_": lambda m, v, y: v.copy_(y),
    "sin_": lambda m, v, y: v.sin_(),
    "zero_": lambda m, v, y: v.zero_(),
    "set": lambda m, v, y: v.__setitem__(..., y * y),
    "set first": lambda m, v, y: v.__setitem__(0, y) if v.ndim else v.mul_(y),
    "masked_fill_": lambda m, v, y: v.masked_fill_(v > 0, 0.5),
    "fill_": lambda m, v, y: v.fill_(0.25),
    "clamp_": lambda m, v, y: v.clamp_(-0.5, 0.5),
    "addcmul_": lambda m, v, y: v.addcmul_(y, y),
}
OPS = {
    "mul": lambda m, v, y: v * y,
    "add": lambda m, v, y: v + 1,
    "tanh": lambda m, v, y: v.tanh(),
    "clone": lambda m, v, y: v.clone(),
    "where": lambda m, v, y: m.where(v > 0, v, y),
}


class History:
    """A seeded program of one member x and a number y."""

    def __init__(self, seed):
        rng = random.Random(seed)
        self.steps = []
        for _ in range(rng.randint(2, 7)):
            table = rng.choice((VIEWS, WRITES, WRITES, OPS))
            self.steps.append((table, rng.choice(sorted(table)), rng.randint(0, 5)))
        self.begins_with_copy = rng.random() < 0.6
        self.result = rng.randint(0, 5)
        self.shape = tuple([rng.choice((1, 2, 3)) for _ in range(rng.randint(0, 3))])
        self.in_dim = rng.randint(0, len(self.shape))
        self.y_dim, self.out_dim = rng.choice((None, 0)), rng.choice((0, 0, -1))

    def run(self, m, x, y):
        values = [x * 1 if self.begins_with_copy else x]
        for table, name, at in self.steps:
            v = values[at % len(values)]
            made = table[name](m, v) if table is VIEWS else table[name](m, v, y)
            if table is not WRITES:
                values.append(made)
        return values[self.result % len(values)]

    def given(self, m, size=3):
        """(a batch of members, numbers, tangents of both) of the library."""
        m.manual_seed(len(self.steps))
        x = m.randn((size, *self.shape)).movedim(0, self.in_dim)
        y = m.randn(size if self.y_dim == 0 else ())
        return x, y, m.randn(x.shape), m.randn(y.shape)


def vmap(m, h):
    x, y, *_ = h.given(m)
    r = m.func.vmap(lambda x, y: h.run(m, x, y), (h.in_dim, h.y_dim), h.out_dim)(x, y)
    return r, x


def vmap_with_graph(m, h):
    x, y, *_ = h.given(m)
    x, y = x.contiguous().requires_grad_(), y.requires_grad_()
    base = x * 1
    r = m.func.vmap(lambda x, y: h.run(m, x, y), (h.in_dim, h.y_dim), h.out_dim)(base, y)
    loss = (r * r).sum() + (base * base * base).sum()
    return r, base, m.autograd.grad(loss, (x, y), allow_unused=True)


def jvp(m, h):
    x, y, s, t = h.given(m)
    x, s = x.contiguous(), s.contiguous()
    return m.func.jvp(lambda x, y: h.run(m, x, y.sum()), (x, y), (s, t)), x


def vjp(m, h):
    x, y, s, t = h.given(m)
    r, pull = m.func.vjp(lambda x, y: h.run(m, x.clone(), y.sum()), x, y)
    return r, pull(m.ones_like(r))


def vmap_of_jvp(m, h):
    x, y, s, t = h.given(m)
    f = m.func.vmap(
        lambda x, y, s, t: m.func.jvp(lambda x, y: h.run(m, x.clone(), y), (x, y), (s, t)),
        (h.in_dim, h.y_dim, h.in_dim, h.y_dim),
    )
    return f(x, y, s, t)


def jvp_of_vjp(m, h):
    x, y, s, t = h.given(m)
    f = m.func.grad(lambda x, y: (h.run(m, x.clone(), y) ** 2).sum(), (0, 1))
    f = m.func.vmap(lambda x, y, s, t: m.func.jvp(f, (x, y), (s, t)), (h.in_dim, h.y_dim, h.in_dim, h.y_dim))
    return f(x, y, s, t)


def dual(m, h):
    x, y, s, t = h.given(m)
    A = m.autograd.forward_ad
    with A.dual_level():
        r = h.run(m, x, A.make_dual(y, t).sum())
        return A.unpack_dual(r), A.unpack_dual(x)


WAYS = {f.__name__: f for f in (vmap, vmap_with_graph, jvp, vjp, vmap_of_jvp, jvp_of_vjp, dual)}


@pytest.mark.parametrize("way", WAYS)
def test_histories(way, examples):
    for n in range(examples.some(40, 700)):
        h = History(f"{examples.seed} {way} {n}")
        wanted, got = both(WAYS[way], h, looks="requires_grad", may_raise=True, text=0, quiet=True)
        agree(got, wanted, f"{way} {n}", rtol=1e-4, atol=1e-5)


KEPT = {
    "x + 1": lambda m, x: x + 1,
    "x * 1": lambda m, x: x * 1,
    "x - 2, in a part": lambda m, x: (x - 2)[1:],
    "clone": lambda m, x: x.clone(),
    "a view of x": lambda m, x: x[1:],
    "reshape": lambda m, x: (x + 0).reshape(1, -1),
    "contiguous": lambda m, x: x.contiguous(),
    "cat": lambda m, x: m.cat([x]),
    "x": lambda m, x: x,
    "twice": lambda m, x: [x + 1, x + 2],
}


@pytest.mark.parametrize("write", ["mul_", "zero_", "copy_"])
@pytest.mark.parametrize("kept", KEPT)
def test_tangents_that_were_passed_on_are_kept(kept, write):
    """A result whose tangent is the argument's keeps it when the argument is written to afterwards."""

    def program(m):
        def f(x, y):
            r = KEPT[kept](m, x)
            getattr(x, write)(*[y] if write != "zero_" else [])
            return r, y * 2

        x, y = m.arange(1.0, 4.0), m.ones(3)
        s, t = m.arange(2.0, 5.0), m.ones(3) * 7
        return m.func.jvp(f, (x, y), (s, t)), x, s

    agree(*both(program)[::-1])


@pytest.mark.parametrize(
    "view", ["view(())", "reshape(())", "expand(1)", "permute(0)", "as_strided((), ())", "select(0, 0)"]
)
def test_views_of_the_only_element(view):
    """A write through the view of a tensor of one element, under vmap and recorded."""

    def run(m):
        x = m.ones(3, 1, requires_grad=True)

        def f(x):
            y = x * 3
            eval(f"y.{view}").mul_(2)
            return y

        y = m.vmap(f)(x)
        return y, m.autograd.grad((y * y).sum(), x)

    same(run, quiet=True, looks="requires_grad")
