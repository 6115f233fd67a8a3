"""Fractional max pooling: windows, where their maxima lie, gradients of gradients and errors, compared with torch."""

import pytest
from both import same, same_outcome

SHAPES = {2: (2, 3, 7, 9), 3: (2, 3, 5, 7, 6)}
CASES = [
    (2, 2, 3),
    (2, (3, 2), (4, 5)),
    (2, (3, 2), (1, 1)),
    (2, (3, 2), (5, 8)),
    (2, 0, 3),
    (2, 2, 0),
    (3, 2, 2),
    (3, (3, 2, 1), (2, 5, 2)),
    (3, 1, (4, 6, 5)),
]


def values(m, shape):
    count = 1
    for n in shape:
        count *= n
    return m.arange(float(count)).mul(37).remainder(10.5).view(shape)


def pool(m, n):
    return getattr(m.nn.functional, f"fractional_max_pool{n}d")


def samples(m, n):
    return m.arange(6.0 * n).mul(0.37).remainder(1).view(2, 3, n)


@pytest.mark.parametrize("n, kernel, output", CASES)
def test_windows(n, kernel, output):
    def run(m):
        x = values(m, SHAPES[n]).requires_grad_()
        out, index = pool(m, n)(x, kernel, output, return_indices=True, _random_samples=samples(m, n))
        yield out, index
        yield from m.autograd.grad((out * out).sum(), x) if out.isfinite().all() else ()

    same(run)


@pytest.mark.parametrize("n, kernel, output", CASES[:4])
def test_second_gradient(n, kernel, output):
    def run(m):
        x = values(m, SHAPES[n]).requires_grad_()
        out = pool(m, n)(x, kernel, output, _random_samples=samples(m, n))
        (first,) = m.autograd.grad((out**3).sum(), x, create_graph=True)
        return m.autograd.grad((first * first).sum(), x)

    same(run, looks="stride", rtol=1e-6)


@pytest.mark.parametrize("n", [2, 3])
def test_drawn_windows_and_halves(n):
    def run(m):
        m.manual_seed(3)
        x = values(m, SHAPES[n])
        yield pool(m, n)(x, 2, 2), pool(m, n)(x[0], 2, output_ratio=(0.5,) * n, return_indices=True)
        for dtype in (m.float16, m.bfloat16, m.float64):
            given = samples(m, n).to(dtype)
            yield pool(m, n)(x.to(dtype), 2, 3 if n == 2 else 2, return_indices=True, _random_samples=given)
        layer = getattr(m.nn, f"FractionalMaxPool{n}d")(2, output_ratio=0.5)
        yield layer(x), pool(m, n)(x[:0], 2, 2).shape

    same(run)


def test_the_last_nan():
    def run(m):
        x = values(m, SHAPES[2])
        x[0, 0, 0, 0] = x[0, 0, 1, 1] = float("nan")
        return pool(m, 2)(x, 2, 3, return_indices=True, _random_samples=samples(m, 2))

    same(run)


@pytest.mark.parametrize("n", [2, 3])
def test_torchs_errors(n):
    def case(call):
        same_outcome(lambda m: call(m, pool(m, n), values(m, SHAPES[n]), samples(m, n)))

    case(lambda m, f, x, s: f(x, 2))
    case(lambda m, f, x, s: f(x, 8, 1))
    case(lambda m, f, x, s: f(x, (1,) * (n - 1) + (9,), 2))
    case(lambda m, f, x, s: f(x, (2,) * (n + 1), 3))
    case(lambda m, f, x, s: f(x, 2, (3,) * (n + 1)))
    case(lambda m, f, x, s: f(x, 2, output_ratio=(0.1, 0.2, 0.3, 0.4)[: n + 1]))
    case(lambda m, f, x, s: f(x[:, :0], 2, 2))
    case(lambda m, f, x, s: f(x[:, :, :0], 2, 2))
    case(lambda m, f, x, s: f(x[None], 2, 2))
    case(lambda m, f, x, s: f(x, 2, 2, _random_samples=s.double()))
    case(lambda m, f, x, s: f(x, 2, 2, _random_samples=s[:1]))
    case(lambda m, f, x, s: f(x, 2, 2, _random_samples=s[:, :2]))
    case(lambda m, f, x, s: f(x, 2, 2, _random_samples=s[..., :1]))
    case(lambda m, f, x, s: f(x, 2, 2, _random_samples=s[0]))
