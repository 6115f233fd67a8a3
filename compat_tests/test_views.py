"""Random indices, read and written, and their gradients, against torch: values, strides, views, graph names.

Histories of views and writes are in test_histories.py.
"""

import numpy as np
import pytest
import torch
from both import attempt, same, same_outcome
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

torch.set_num_threads(1)
QUICK = settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)


# ---- indexing


@st.composite
def indices(draw, shape, for_write=False):
    """A random index for a tensor of this shape, as a function of the module (tensors must be its own)."""
    items, dims = [], list(shape)
    at = 0
    used_tensor = draw(st.integers(1, 3))
    while at < len(dims) and len(items) < 5:
        n = dims[at]
        kind = draw(
            st.sampled_from(
                [
                    "int",
                    "slice",
                    "slice",
                    "none",
                    "tensor",
                    "list",
                    "mask",
                    "numpy",
                    "zero_dim",
                    "stop",
                    "ellipsis",
                    "bool",
                ]
            )
        )
        if kind == "stop":
            break
        if kind == "none":
            items.append(None)
            continue
        if kind == "bool":
            if draw(st.booleans()):
                items.append(draw(st.booleans()) or True)
            continue
        if kind == "ellipsis":
            if Ellipsis not in [i for i in items if i is Ellipsis]:
                items.append(Ellipsis)
                break
            continue
        if kind in ("int", "zero_dim") and n:
            i = draw(st.integers(-n, n - 1))
            items.append(i if kind == "int" else ("zero", i))
        elif kind == "slice":
            ends = [draw(st.none() | st.integers(-n - 1, n + 1)) for _ in range(2)]
            items.append(slice(*ends, draw(st.none() | st.integers(1, 3))))
        elif kind in ("tensor", "list", "numpy") and n:
            size = draw(st.sampled_from([(used_tensor,), (1,), *([(2, used_tensor)] if kind != "list" else [])]))
            count = int(np.prod(size))
            places = draw(st.lists(st.integers(-n, n - 1), min_size=count, max_size=count))
            items.append((kind, np.array(places).reshape(size)))
        elif kind == "mask":
            items.append(("mask", np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))))
        else:
            items.append(slice(None))
        at += 1
    return tuple(items)


def real_index(T, items):
    made = []
    for i in items:
        if isinstance(i, tuple):
            kind, v = i
            made.append(T.tensor(v) if kind in ("tensor", "mask", "zero") else v.tolist() if kind == "list" else v)
        else:
            made.append(i)
    return made[0] if len(made) == 1 else tuple(made)


@st.composite
def index_cases(draw):
    shape = tuple(draw(st.lists(st.integers(0, 4), min_size=0, max_size=4)))
    order = draw(st.permutations(range(len(shape))))
    return shape, tuple(order), draw(indices([shape[d] for d in order]))


def values(T, shape, **how):
    return T.tensor(np.arange(1.0, 1.0 + int(np.prod(shape))).reshape(shape), **how)


def read_by_index(T, shape, order, items):
    x = values(T, shape, requires_grad=True)
    y = (x * 1).permute(order) if order else x * 1
    z = y[real_index(T, items)]
    names, f = [], z.grad_fn
    while f is not None and len(names) < 8:
        names.append(type(f).__name__)
        f = f.next_functions[0][0] if f.next_functions else None
    (g,) = T.autograd.grad((z * z).sum(), x, create_graph=True)
    (gg,) = T.autograd.grad((g * g).sum(), x)
    # torch's order of dimensions is hard to foretell where dimensions of size 1 were permuted
    strides = [s for s, n in zip(z.stride(), z.shape) if n > 1] if z.numel() and 1 not in (*shape, *z.shape) else None
    return (z.tolist(), tuple(z.shape), strides, names, z._is_view(), g.tolist(), gg.tolist())


@settings(QUICK, max_examples=300)
@given(index_cases())
def test_reading_by_index(case):
    same_outcome(read_by_index, *case, quiet=True, text=30)


def write_by_index(T, shape, order, items, form, seed):
    x, w = values(T, shape, requires_grad=True), T.tensor(2.5, dtype=T.float64, requires_grad=True)
    y = (x * 1).permute(order) if order else x * 1
    index = real_index(T, items)
    part = y[index]
    if form == "number":
        y[index] = 7.0
    elif form == "scalar":
        y[index] = w
    elif form == "full":
        y[index] = values(T, part.shape) * w
    elif form == "row":
        y[index] = values(T, part.shape[-1:] if part.dim() else ()) * w
    else:
        y[index] = values(T, (1, 1, *part.shape)) * w
    total = (y * y).sum()
    gx, gw = T.autograd.grad(total, (x, w), allow_unused=True)
    return y.tolist(), y._version, gx.tolist(), None if gw is None else gw.tolist(), type(y.grad_fn).__name__


def repeats(shape, order, items):
    """Does the index name an element twice (then which value stays is undefined)?"""
    flat = torch.arange(int(np.prod(shape))).reshape(shape)
    picked = (flat.permute(order) if order else flat)[real_index(torch, items)].reshape(-1)
    return len(set(picked.tolist())) != picked.numel()


@settings(QUICK, max_examples=200)
@given(index_cases(), st.sampled_from(["number", "scalar", "full", "row", "ones_in_front"]))
def test_writing_by_index(case, form):
    try:
        if form in ("full", "row", "ones_in_front") and repeats(*case):
            return
    except (RuntimeError, IndexError, ValueError, TypeError):
        pass
    same_outcome(write_by_index, *case, form, 0, quiet=True, text=30)


COMPLEX_VIEWS = [
    "m.ones(0, 2)", "m.ones(0, 5, 2)", "m.ones(5, 2, 0).transpose(1, 2)", "m.ones(2, 0).T", "m.ones(0, 3)[:, :2]",
    "m.ones(5, 3)[3:3, 1:]", "m.ones(5, 2)[3:3]", "m.ones(5, 4)[3:3, ::2]", "m.ones(3, 5, 2)[:, 0:0]",
    "m.ones(2, 0, 3)[..., 1:]", "m.ones(2, 3, 0).permute(1, 2, 0)", "m.ones(0, 1).expand(0, 2)", "m.ones(3, 2)",
    "m.ones(3, 3)[:, :2]", "m.ones(3, 4)[:, :2]", "m.ones(2, 3).T",
]  # fmt: skip


@pytest.mark.parametrize("text", COMPLEX_VIEWS)
def test_complex_view(text):
    """view_as_complex and back: strides and refusals, of nothing, too."""

    def program(m):
        x = eval(text, {"m": m})
        seen = attempt(m.view_as_complex, x)
        return type(seen) if isinstance(seen, Exception) else (seen.stride(), m.view_as_real(seen).stride())

    same(program)
