"""torch.compile: what modes, transforms and autograd.Functions in graphs leave behind."""

import pytest
from both import BOTH, same, same_outcome

import lucid


@pytest.fixture(autouse=True)
def fresh():
    for m in BOTH:
        m._dynamo.reset()


@pytest.mark.parametrize("mode", ["inference_mode", "no_grad", "grad", "vmap"])
@pytest.mark.parametrize("breaks", [False, True])
def test_a_graph_that_fails_leaves_nothing_behind(mode, breaks):
    """Whatever was entered in a graph is left when a node of it raises, and the program goes on as Python."""
    m = lucid

    def f(x, i):
        def part(v):
            return m.nn.functional.embedding(i, v.reshape(-1, 1)).sum()

        if mode in ("grad", "vmap"):
            return getattr(m.func, mode)(part)(x if mode == "grad" else m.stack([x, x]))
        with getattr(m, mode)():
            y = x * 2
            if breaks:
                m._dynamo.graph_break()
            return part(y)

    def state():
        local = m._base.state.local
        transforms = local.frames, local.transforms, local.nesting, local.entered
        return m.is_grad_enabled(), m.is_inference_mode_enabled(), *transforms

    compiled, before, x = m.compile(f, backend="eager"), state(), m.arange(3.0)
    for index in (1, 7, 2, 9):
        i = m.tensor([index])
        if index > 2:
            with pytest.raises(IndexError):
                compiled(x, i)
        else:
            assert m.equal(compiled(x, i), f(x, i))
        assert state() == before


def test_contexts_around_a_call():
    """A function that was compiled inside of a mode is another outside of it."""

    def program(m):
        def f(x):
            return x * 2

        compiled, x = m.compile(f, backend="eager"), m.ones(2, requires_grad=True)
        for _ in range(2):
            yield compiled(x).requires_grad
            with m.no_grad():
                yield compiled(x).requires_grad
            with m.inference_mode():
                y = compiled(x)
                yield y.requires_grad, y.is_inference()

    same(lambda m: list(program(m)))


def test_node_of_a_function():
    """What a compiled autograd.Function leaves behind is its own node, with torch's second derivative as Python has it."""
    m = lucid

    class Cube(m.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * 3 * x * x

    class Once(Cube):
        @staticmethod
        @m.autograd.function.once_differentiable
        def backward(ctx, g):
            return g * 3

    x = m.arange(3.0).requires_grad_()
    y = m.compile(lambda v: Cube.apply(v), backend="eager")(x)
    assert y.grad_fn.name() == "CubeBackward"
    (g,) = m.autograd.grad(y.sum(), x, create_graph=True)
    assert m.equal(m.autograd.grad(g.sum(), x)[0], 6 * x)
    y = m.compile(lambda v: Once.apply(v), backend="eager")(x)
    (g,) = m.autograd.grad((y * y).sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        m.autograd.grad(g.sum(), x)
    y = m.compile(lambda v: Cube.apply(v * 1), backend="eager")(x)
    y.sum().backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.sum().backward()


def test_saved_results_that_are_written_to():
    """A Function's result that it saved, written to afterwards, is no longer what backward needs."""

    def program(m, view, write):
        class Exp(m.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                y = x.exp()
                y = y.view(-1) if view else y
                ctx.save_for_backward(y)
                return y

            @staticmethod
            def backward(ctx, g):
                return g * ctx.saved_tensors[0]

        x = m.ones(3, requires_grad=True)
        y = Exp.apply(x)
        write(m, y)
        y.sum().backward()
        return x.grad

    for view in (False, True):
        for write in (
            lambda m, y: None,
            lambda m, y: y.add_(1),
            lambda m, y: y.detach().zero_(),
            lambda m, y: y.mul_(2).add_(1),
            lambda m, y: y.data.zero_(),
        ):
            same_outcome(lambda m, view=view, write=write: program(m, view, write), rtol=1e-6)


def test_set_counts_as_a_write():
    def program(m):
        x = m.ones(3)
        yield x.set_(m.zeros(3))._version
        yield x.add_(1).set_(m.ones(2))._version
        x.data = m.zeros(3)
        yield x._version

    same(lambda m: list(program(m)))
