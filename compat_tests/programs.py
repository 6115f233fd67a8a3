"""Small programs run with torch and with lucid, whose results must be the same to 5 digits."""

import warnings

import numpy as np
import torch

import lucid

torch.set_num_threads(1)


def plain(x):
    """Tensors, dtypes and nodes as plain values."""
    if isinstance(x, (torch.Tensor, lucid.Tensor)):
        return (
            "tensor",
            x.detach().cpu().numpy().tolist(),
            str(x.dtype).split(".")[-1],
            tuple(x.shape),
            x.requires_grad,
        )
    if isinstance(x, dict):
        return {k: plain(v) for k, v in x.items()}
    if isinstance(x, (list, tuple)):
        return [plain(v) for v in x]
    if isinstance(x, (torch.dtype, lucid.dtype)):
        return str(x).split(".")[-1]
    if isinstance(x, BaseException):
        return type(x).__name__, str(x).partition("\n")[0][:60]
    return x


def close(a, b):
    """Equal, numbers to 6 digits, NaN to NaN."""
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(close, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(close(a[k], b[k]) for k in a)
    if isinstance(a, float):
        return isinstance(b, float) and bool(np.isclose(a, b, 2e-5, 1e-6, equal_nan=True))
    return type(a) is type(b) and a == b


def error(f, *args, **kwargs):
    """The exception of a call (an AssertionError here if there is none)."""
    try:
        f(*args, **kwargs)
    except Exception as e:
        return e
    raise AssertionError("nothing was raised")


def check(program):
    """Run program(T) with both libraries and compare what comes out."""
    results = []
    for T in (torch, lucid):
        T.manual_seed(0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results.append(plain(program(T)))
    assert close(*results), f"torch: {results[0]}\nlucid: {results[1]}"


def leaf(T, *values, dtype=None):
    return T.tensor(values if len(values) != 1 else values[0], dtype=dtype or T.float64, requires_grad=True)


def grads(y, *leaves):
    """The leaves' gradients of y.sum()."""
    y.sum().backward()
    return [x.grad for x in leaves]


def ramp(T, *shape, dtype=None):
    n = int(np.prod(shape))
    return T.arange(1, n + 1, dtype=dtype or T.float64).reshape(shape)
