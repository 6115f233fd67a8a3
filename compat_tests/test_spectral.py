"""torch.fft, stft, istft and windows: what op_db does not ask (it compares values, gradients, errors and layouts)."""

import importlib
import itertools

import numpy as np
import pytest
import torch
from both import attempt, same

import lucid

FUNCTIONS = (
    "fft ifft rfft irfft hfft ihfft fft2 ifft2 rfft2 irfft2 hfft2 ihfft2 fftn ifftn rfftn irfftn hfftn ihfftn".split()
)
REAL = {"rfft", "ihfft", "rfft2", "ihfft2", "rfftn", "ihfftn"}
DIMS = [(1, 2), (0, 1), (3, 0), (2, 1, 0), (0, 1, 2, 3), (1,)]


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 1, 0, 2), (1, 0, 2, 3)])
def test_layouts_and_graphs(name, order):
    """Values, strides, node names and gradients over every choice of dims, of inputs that lie in several orders."""

    def program(m, dims, norm):
        x = m.arange(120.0).sin().reshape(2, 3, 4, 5).permute(order).detach().requires_grad_()
        x = x if name in REAL else m.complex(x, x.cos())
        given = dims if name[-1] in "2n" else dims[0]
        y = getattr(m.fft, name)(x, dim=given, norm=norm)
        (m.view_as_real(y.resolve_conj()) if y.is_complex() else y).pow(2).sum().backward()
        return y, x.grad if x.is_leaf else None

    for dims, norm in itertools.product(DIMS, (None, "ortho", "forward")):
        same(lambda m: program(m, dims, norm), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", ["hann", "hamming", "blackman", "bartlett", "kaiser"])
def test_windows(name):
    for length, periodic, dtype in itertools.product((0, 1, 2, 3, 8), (True, False), ("float32", "float64")):
        same(
            lambda m: getattr(m, f"{name}_window")(length, periodic, dtype=getattr(m, dtype), requires_grad=True),
            rtol=1e-5,
            atol=1e-6,
        )


PARAMETERS = {
    "gaussian": [{}, {"std": 1.5}, {"std": -1.0}],
    "exponential": [{}, {"tau": 2.0}, {"tau": 0}, {"center": 1.0}],
    "general_cosine": [{"a": [0.4, 0.3, 0.2]}, {"a": []}, {"a": 3}],
    "kaiser": [{}, {"beta": 2.0}, {"beta": -1.0}],
    "general_hamming": [{}, {"alpha": 0.3}],
}


@pytest.mark.parametrize("name", [*PARAMETERS, "bartlett", "blackman", "cosine", "hamming", "hann", "nuttall"])
def test_signal_windows(name):
    def program(m, length, sym, options):
        windows = importlib.import_module(f"{m.__name__}.signal.windows")
        return getattr(windows, name)(length, sym=sym, requires_grad=True, **options)

    for length, sym, options in itertools.product((-1, 0, 1, 2, 3, 8), (True, False), PARAMETERS.get(name, [{}])):
        same(lambda m: attempt(lambda: program(m, length, sym, options)), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("shape", [(1,), (2,), (7,), (8,), (3, 4), (4, 4), (2, 3, 6)])
def test_signs_of_zeros_of_real_signals(shape):
    """What is its own conjugate is a real number: the sign of the zero below it decides its angle."""
    signal = -np.arange(1.0, np.prod(shape) + 1).reshape(shape)

    def signs(api):
        x = api.tensor(signal)
        own = tuple(slice(0, None, n // 2) if n % 2 == 0 else slice(0, 1) for n in shape)
        for f in (api.fft.fft, api.fft.ifft):
            whole = f(x)
            yield (
                [api.signbit(whole.imag[..., places]).tolist() for places in (0, own[-1])],
                whole[..., 0].angle().tolist(),
            )
        yield api.fft.fftn(x)[own].angle().abs().lt(1).tolist()

    assert list(signs(lucid)) == list(signs(torch))
