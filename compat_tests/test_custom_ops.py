"""torch.library: ops by annotated functions and by schemas, called by name, with gradients, fakes and vmap rules."""

from typing import List, Optional, Sequence, Tuple

import numpy as np
import pytest
import torch
from both import told

import lucid

SITUATIONS = {}


def situation(f):
    SITUATIONS[f.__name__] = f
    return f


def ops_of(m):
    """The ops that situations call, defined anew for a library."""
    T, op = m.Tensor, m.library.custom_op

    @op("own::sin", mutates_args=())
    def sin(x: T) -> T:
        return m.tensor(x.detach().numpy()).sin()

    @op("own::scaled", mutates_args=())
    def scaled(x: T, s: float, k: int = 2) -> T:
        return x.clone() * s * k

    @op("own::raised", mutates_args={"x"})
    def raised(x: T) -> None:
        x.numpy()[:] += 1

    @op("own::raised_twice", mutates_args={"x"})
    def raised_twice(x: T, n: int) -> None:
        x.add_(n)
        x.mul_(2)

    @op("own::two", mutates_args=())
    def two(x: T) -> Tuple[T, T]:
        return x.clone(), x * 2

    @op("own::copies", mutates_args=())
    def copies(xs: Sequence[T], other: Optional[T] = None) -> List[T]:
        return [x.clone() for x in xs]

    @op("own::itself", mutates_args=())
    def itself(x: T) -> T:
        return x

    @op("own::on_cpu", mutates_args=(), device_types="cpu")
    def on_cpu(device: m.device) -> T:
        return m.ones(3)

    return locals()


OPS = {"torch": ops_of(torch), "lucid": ops_of(lucid)}


def grad_of(m, f):
    x = m.ones(2, requires_grad=True)
    y = f(x)
    y.sum().backward()
    return x.grad, y, type(y.grad_fn).__name__


@situation
def called(m, o):
    return o["sin"](m.ones(2)), m.ops.own.sin(m.ones(2)), m.ops.own.sin.default(m.ones(2))


@situation
def shown(m, o):
    default = m.ops.own.scaled.default
    return repr(o["scaled"]), repr(m.ops.own.scaled), repr(default), str(default._schema), default.name()


@situation
def schemas(m, o):
    return [m.library.infer_schema(o[n]._init_fn, mutates_args=a) for n, a in (("copies", ()), ("raised_twice", {"x"}))]


@situation
def without_gradient(m, o):
    grad_of(m, o["sin"])


@situation
def with_gradient(m, o):
    op = o["scaled"]
    op.register_autograd(
        lambda ctx, g: (g * ctx.s, None, None), setup_context=lambda ctx, inputs, output: setattr(ctx, "s", inputs[1])
    )
    return grad_of(m, lambda x: op(x, 3.0)), grad_of(m, lambda x: m.ops.own.scaled(x, s=4.0, k=3))


@situation
def mutated(m, o):
    found = []
    for f in (o["raised"], m.ops.own.raised, lambda x: o["raised_twice"](x, 1)):
        x = m.zeros(2)
        before = x._version
        found += [f(x), x, x._version - before]
    return found


@situation
def mutated_with_gradient(m, o):
    o["raised"].register_autograd(lambda ctx, g: g)


@situation
def several(m, o):
    return o["two"](m.ones(1)), o["copies"]([m.ones(1), m.zeros(2)])


@situation
def on_meta(m, o):
    refused = told(o["two"], m.ones(1, device="meta"))[0]
    o["copies"].register_fake(lambda xs, other=None: [m.empty_like(x) for x in xs])
    return refused, o["copies"]([m.ones(1, device="meta")])[0].shape


@situation
def other_device(m, o):
    return o["on_cpu"]("cpu"), told(o["on_cpu"], "cuda")


@situation
def batched(m, o):
    @m.library.custom_op("own::batched", mutates_args=())
    def twice(x: m.Tensor) -> m.Tensor:
        return x.clone() * 2

    @twice.register_vmap
    def _(info, in_dims, x):
        return twice(x), in_dims[0]

    return m.vmap(twice)(m.arange(4.0).view(2, 2))


@situation
def batched_by_keyword(m, o):
    @m.library.custom_op("own::times", mutates_args=())
    def times(x: m.Tensor, *, by: float) -> list[m.Tensor]:
        return [x * by, x + by]

    @times.register_vmap
    def _(info, in_dims, x, *, by):
        (dim,) = in_dims
        return times(x, by=by), [dim, dim]

    return m.vmap(lambda x: times(x, by=3.0), 1)(m.arange(6.0).view(2, 3))


@situation
def gradients_of_lists(m, o):
    """The gradients of a result that is a list come as one list."""

    @m.library.custom_op("own::parts", mutates_args=())
    def parts(x: m.Tensor, sizes: Sequence[int]) -> tuple[list[m.Tensor], int]:
        return [part.clone() for part in x.split(sizes)], len(sizes)

    parts.register_autograd(lambda ctx, grads, none: (m.cat(grads) * 2, None))
    x = m.ones(3, requires_grad=True)
    (first, second), n = parts(x, [np.int64(1), 2])
    (first.sum() + 3 * second.sum()).backward()
    return x.grad, n


@situation
def numbers_of_other_kinds(m, o):
    seen = []

    @m.library.custom_op("own::kinds", mutates_args=())
    def kinds(x: m.Tensor, n: int, v: float, sizes: Sequence[int], flag: bool) -> m.Tensor:
        seen.append([type(n), type(v), [type(i) for i in sizes], type(flag)])
        return x.clone()

    for given in [
        (np.int64(2), np.float32(1.5), [np.int64(1)], np.bool_(True)),
        (2, 1, np.array([1, 2]), 1),
        (m.tensor(2), m.tensor(1.5), [m.tensor(1)], m.tensor(True)),
        (True, True, (True,), True),
    ]:
        kinds(m.ones(1), *given)
    refused = [told(kinds, m.ones(1), *g)[0] for g in ((np.float64(2.0), 1.0, [1], True), (2, 1.0, "ab", True))]
    return seen, [type(e) for e in refused]


@situation
def by_schema(m, o):
    with m.library._scoped_library("own_lib", "DEF") as library:
        library.define("times(Tensor x, int n=2) -> Tensor")
        library.impl("times", lambda x, n=2: x * n, "CPU")
        found = [m.ops.own_lib.times(m.ones(1)), m.ops.own_lib.times(m.ones(1), n=5)]
    m.library.define("own_lib2::plus", "(Tensor x) -> Tensor")
    m.library.impl("own_lib2::plus", "cpu", lambda x: x + 1)
    m.library.register_autograd("own_lib2::plus", lambda ctx, g: g * 7)
    return found, grad_of(m, m.ops.own_lib2.plus)[:2]


@pytest.mark.parametrize("name", SITUATIONS)
def test_situation(name):
    got, want = (told(SITUATIONS[name], m, OPS[m.__name__]) for m in (lucid, torch))
    assert str(got) == str(want)


MISTAKES = [
    lambda m, o: o["itself"](m.ones(1)),
    lambda m, o: o["scaled"](m.ones(1), "a"),
    lambda m, o: o["scaled"](m.ones(1)),
    lambda m, o: o["scaled"](m.ones(1), 1.0, 2, 3),
    lambda m, o: o["scaled"](m.ones(1), 1.0, z=3),
    lambda m, o: o["scaled"](3, 1.0),
    lambda m, o: m.ops.own.missing,
    lambda m, o: m.library.custom_op("own::bare", mutates_args=())(lambda x: x),
    lambda m, o: m.library.custom_op("own::wrong", mutates_args={"y"})(o["sin"]._init_fn),
    lambda m, o: m.library.custom_op("own::text", mutates_args="x")(o["sin"]._init_fn),
]


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistake(mistake):
    got, want = (told(mistake, m, OPS[m.__name__]) for m in (lucid, torch))
    assert type(got[0]) is type(want[0]) and str(got[0])[:25] == str(want[0])[:25]
