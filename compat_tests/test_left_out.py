"""What a result leaves out (ignored samples, padding, pixels outside) has no say in it, even where it is NaN or inf."""

import math

import pytest
from both import same

NAN, INF = math.nan, math.inf


def tensor(m, values, kind):
    return m.tensor(values, dtype=getattr(m, kind)).requires_grad_()


def rows(m, kind, shape=(6, 5)):
    """Numbers with a NaN in every second sample."""
    x = (m.arange(float(math.prod(shape))).reshape(shape) * 0.7).sin()
    marks = (m.arange(shape[0]) % 2).bool().reshape(-1, *[1] * (len(shape) - 1))
    return x.masked_fill(marks, NAN).to(getattr(m, kind)).requires_grad_()


def gradients(m, out, *inputs):
    g = (m.arange(float(out.numel())).reshape(out.shape) + 1).to(out.dtype)
    return [out, *m.autograd.grad(out, inputs, g)]


REDUCTIONS = ("none", "mean", "sum")


@pytest.mark.parametrize("kind", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("weighed", [False, True])
@pytest.mark.parametrize("ignored", ["some", "all"])
@pytest.mark.parametrize("shape", [(6, 5), (6, 5, 2), (5,)])
def test_ignored_samples(kind, reduction, weighed, ignored, shape):
    """The mean of no sample is NaN, and its gradient 0."""

    def program(m):
        x = rows(m, kind, shape) if len(shape) > 1 else tensor(m, [0.5, 1.0, NAN, 0.0, 1.0], kind)
        weight = m.tensor([0.5, 1, 2, 0.25, 1], dtype=x.dtype) if weighed else None
        target = m.tensor([1, 2, 3, 2, 0, 2])
        target = target.reshape(6, *[1] * (len(shape) - 2)).expand(6, *shape[2:]) if len(shape) > 1 else target[1]
        target = target if ignored == "some" else target * 0 + 2
        f = m.nn.functional
        loss = f.nll_loss(x, target, weight, ignore_index=2, reduction=reduction)
        smooth = f.cross_entropy(x, target, weight, ignore_index=2, reduction=reduction, label_smoothing=0.1)
        return [*gradients(m, loss, x), loss.isnan(), smooth.isnan(), gradients(m, smooth, x)[1].isnan()]

    same(program, looks="", rtol=1e-6 if kind != "bfloat16" else 0.01)


@pytest.mark.parametrize("ignored", [0, 3])
def test_ignored_samples_of_a_batch(ignored):
    def program(m):
        def loss(x):
            return m.nn.functional.nll_loss(x, m.tensor([ignored, ignored]), ignore_index=0)

        x = m.arange(12.0).reshape(2, 2, 3) if not ignored else m.arange(16.0).reshape(2, 2, 4)
        return m.func.vmap(m.func.grad(loss))(x), m.func.vmap(loss)(x)

    same(program, looks="", rtol=1e-6)


POINTS = {
    "far": [[-3.0, -3.0], [3.0, 3.0], [0.9, 0.9], [-1.1, -1.1], [0.1, 0.2], [1.0, 1.0], [1.0, -1.0]],
    "not finite": [[NAN, 0.0], [INF, 0.0], [-INF, 0.3], [0.2, NAN], [0.3, 0.3], [1e4, 0.0], [-1e4, 1e4]],
}


@pytest.mark.parametrize("kind", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize("align", [False, True])
@pytest.mark.parametrize("fill", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
@pytest.mark.parametrize("dims", [2, 3])
@pytest.mark.parametrize("points", POINTS)
def test_pixels_outside(points, dims, mode, fill, align, kind):
    """What lies at the edge is not read for points outside, and corners outside are not read at all."""
    if (
        points == "not finite"
    ):  # which torch reads from anywhere in memory where it does not look whether they are inside
        fill, kind = "zeros", "float32" if kind == "float32" else "float64"

    def program(m):
        size = (3, 4, 3)[:dims]
        x = (m.arange(float(math.prod(size))) * 0.7).sin()
        if points == "far":
            x[0], x[-1] = NAN, INF
        x = x.reshape(1, 1, *size).to(getattr(m, kind)).requires_grad_()
        grid = tensor(m, [[*p, *[-1.0] * (dims - 2)] for p in POINTS[points]], kind)
        lying = grid.reshape(1, *[1] * (dims - 1), len(POINTS[points]), dims)
        return gradients(m, m.nn.functional.grid_sample(x, lying, mode, fill, align), x, grid)

    same(program, looks="", rtol=2e-6, atol=2e-6 if kind == "float32" else 1e-9)


@pytest.mark.parametrize("kind", ["float32", "float16"])
@pytest.mark.parametrize("mode", ["sum", "mean", "max", "weighed"])
def test_padding_of_bags(mode, kind):
    def program(m):
        w = rows(m, kind, (3, 4))
        how, s = ("sum", tensor(m, [[0.5, NAN, 2.0], [INF, 1.0, 0.5]], kind)) if mode == "weighed" else (mode, None)
        index = m.tensor([[0, 1, 2], [1, 1, 1]])
        out = m.nn.functional.embedding_bag(index, w, padding_idx=1, mode=how, per_sample_weights=s)
        return gradients(m, out, w) if s is None else gradients(m, out, w, s)

    same(program, looks="", rtol=1e-6)


@pytest.mark.parametrize("kind", ["float32", "float16"])
@pytest.mark.parametrize("padding", [None, 0, 1])
@pytest.mark.parametrize("value", [NAN, -INF, INF])
def test_maxima_of_bags(value, padding, kind):
    """NaN is a bag's maximum only where it comes first."""

    def program(m):
        w = (m.arange(12.0).reshape(3, 4) * 0.7).sin().masked_fill(m.tensor([[False], [True], [False]]), value)
        w = w.to(getattr(m, kind)).requires_grad_()
        index = m.tensor([[0, 1, 2], [1, 1, 1], [2, 0, 2], [1, 2, 0], [0, 0, 1]])
        return gradients(m, m.nn.functional.embedding_bag(index, w, mode="max", padding_idx=padding), w)

    same(program, looks="")
