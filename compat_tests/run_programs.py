"""Runs a program as users write them on torch and on lucid: what it yields must agree to six digits.

A program takes the library, `t`, and yields losses, tensors, shapes, dtypes, names and texts of errors.
"""

import numpy as np
import pytest
import torch

import lucid

torch.set_num_threads(1)


def plain(value, t):
    """What can be compared: tensors as (dtype, shape, numbers), everything without a type of its own as text."""
    if isinstance(value, t.Tensor):
        d = value.detach().cpu()
        wide = d.to(t.complex128 if d.is_complex() else t.float64)
        return ("tensor", str(d.dtype), tuple(d.shape), value.requires_grad, wide.numpy().reshape(-1))
    if isinstance(value, dict):
        return {str(k): plain(v, t) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v, t) for v in value]
    return value if isinstance(value, (int, float, str, bool, type(None))) else str(value)


def run(program, t):
    t.manual_seed(0)
    np.random.seed(0)
    return [plain(value, t) for value in program(t)]


def agree(got, wanted):
    if isinstance(wanted, np.ndarray):
        scale = float(np.abs(wanted[np.isfinite(wanted)]).max(initial=0))
        return got.shape == wanted.shape and np.allclose(got, wanted, rtol=5e-6, atol=5e-6 * scale, equal_nan=True)
    if isinstance(wanted, float):
        return isinstance(got, float) and got == pytest.approx(wanted, rel=5e-6, abs=1e-9, nan_ok=True)
    if isinstance(wanted, (list, tuple)):
        return len(got) == len(wanted) and all(map(agree, got, wanted))
    if isinstance(wanted, dict):
        return got.keys() == wanted.keys() and all(agree(got[k], wanted[k]) for k in wanted)
    return type(got) is type(wanted) and got == wanted


def assert_same(program):
    """Both libraries, from the same seeds, yield the same."""
    wanted, got = run(program, torch), run(program, lucid)
    assert len(got) == len(wanted) > 0
    for i, (mine, one) in enumerate(zip(got, wanted)):
        assert agree(mine, one), f"output {i}: lucid {mine}, torch {one}"


def refusal(f, length=60):
    """The class of what f raises, and how its text begins."""
    try:
        return f"no error: {f()}"
    except Exception as error:
        return type(error).__name__, str(error)[:length]
