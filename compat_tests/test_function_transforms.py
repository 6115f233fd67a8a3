"""autograd.Function inside vmap, jvp and their mixtures, beside torch: results, or the class and words of the refusal."""

import pytest
from both import same, same_outcome

import lucid


def functions(t):
    """Functions with each of the ways to take part in a transform."""

    class Cube(t.autograd.Function):
        @staticmethod
        def forward(x):
            return x**3

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)
            ctx.save_for_forward(*inputs)

        @staticmethod
        def backward(ctx, g):
            return 3 * ctx.saved_tensors[0] ** 2 * g

        @staticmethod
        def jvp(ctx, tangent):
            return 3 * ctx.saved_tensors[0] ** 2 * tangent

    class Generated(Cube):
        generate_vmap_rule = True

    class Ruled(Cube):
        @staticmethod
        def vmap(info, in_dims, x):
            assert info.batch_size == x.shape[in_dims[0]] and info.randomness == "error"
            return Ruled.apply(x.movedim(in_dims[0], 0)), 0

    class Both(Ruled):
        generate_vmap_rule = True

    class OneReturn(Cube):
        vmap = staticmethod(lambda info, in_dims, x: Cube.apply(x))

    class NoJvp(t.autograd.Function):
        generate_vmap_rule = True
        forward, setup_context, backward = (staticmethod(f) for f in (Cube.forward, Cube.setup_context, Cube.backward))

    class Old(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x**3

    return {c.__name__: c for c in (Cube, Generated, Ruled, Both, OneReturn, NoJvp, Old)}


def pair(t):
    """Two tensors and a number in, two results out; one of the results has no gradient."""

    class Pair(t.autograd.Function):
        @staticmethod
        def forward(x, y, k):
            return x * y * k, x + y, (x > y) * 1.0

        @staticmethod
        def setup_context(ctx, inputs, output):
            x, y, ctx.k = inputs
            ctx.save_for_backward(x, y)
            ctx.save_for_forward(x, y)
            ctx.mark_non_differentiable(output[2])

        @staticmethod
        def backward(ctx, g, h, _):
            x, y = ctx.saved_tensors
            return g * y * ctx.k + h, g * x * ctx.k + h, None

        @staticmethod
        def jvp(ctx, dx, dy, _):
            x, y = ctx.saved_tensors
            return (dx * y + x * dy) * ctx.k, dx + dy, None

        @staticmethod
        def vmap(info, in_dims, x, y, k):
            x, y = (a if d is None else a.movedim(d, 0) for a, d in zip((x, y), in_dims))
            assert in_dims[2] is None
            return Pair.apply(x, y, k), 0

    return Pair.apply


def given(t):
    return t.arange(6.0).reshape(3, 2) + 1


WAYS = {
    "vmap": lambda F, f, x: F.vmap(f)(x),
    "vmap of columns": lambda F, f, x: F.vmap(f, in_dims=1)(x),
    "vmap of grad": lambda F, f, x: F.vmap(F.grad(lambda a: f(a).sum()))(x),
    "grad of vmap": lambda F, f, x: F.grad(lambda a: F.vmap(f)(a).sum())(x),
    "jvp": lambda F, f, x: F.jvp(f, (x[0],), (x[1],)),
    "vmap of jvp": lambda F, f, x: F.vmap(lambda a: F.jvp(f, (a,), (a,))[1])(x),
    "jvp of vmap": lambda F, f, x: F.jvp(F.vmap(f), (x,), (x,)),
    "hessian": lambda F, f, x: F.hessian(lambda a: f(a).sum())(x[0]),
    "vmap around a constant": lambda F, f, x: F.vmap(lambda a: a + f(x[0]))(x),
}
PAIRS = {
    "vmap": lambda F, f, x: F.vmap(lambda a: f(a, x[0], 3.0))(x),
    "vmap of both": lambda F, f, x: F.vmap(lambda a, b: f(a, b, 3.0))(x, x * x),
    "jvp of one": lambda F, f, x: F.jvp(lambda a: f(a, x[0], 3.0), (x[0],), (x[1],)),
    "jvp of both": lambda F, f, x: F.jvp(lambda a, b: f(a, b, 3.0), (x[0], x[1]), (x[1], x[2])),
    "vmap of grad": lambda F, f, x: F.vmap(F.grad(lambda a: f(a, x[0], 3.0)[0].sum()))(x),
    "grad of vmap": lambda F, f, x: F.grad(lambda a: F.vmap(lambda b: f(b, x[0], 3.0)[0])(a).sum())(x),
    "grad of jvp": lambda F, f, x: F.grad(lambda a: F.jvp(lambda b: f(b, a, 3.0)[0], (a,), (x[0],))[1].sum())(x[0]),
}


NEAR = {"rtol": 1.3e-6, "atol": 1e-5}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", functions(lucid))
def test_one(name, way):
    if (name, way) in {("NoJvp", "jvp of vmap"), ("OneReturn", "hessian")}:
        pytest.skip("an accident of how torch nests its rules")
    same_outcome(lambda t: WAYS[way](t.func, functions(t)[name].apply, given(t)), text=60, **NEAR)


@pytest.mark.parametrize("way", PAIRS)
def test_two(way):
    same(lambda t: PAIRS[way](t.func, pair(t), given(t)), **NEAR)


def test_parts_of_another_type():
    """A part of an argument read as another type keeps that type outside vmap."""

    def run(m):
        x = m.arange(6.0).view(2, 3)
        parts = (lambda y: y[1:], lambda y: y.view(3), lambda y: y.unsqueeze(0), lambda y: y[:2].view(m.int16))
        for part in parts:
            yield m.vmap(lambda row, part=part: part(row.view(m.int32)).clone())(x)
            yield m.vmap(lambda row, part=part: part(row.view(m.int32)))(x)

    same(run, looks="")
