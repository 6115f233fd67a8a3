"""Random histories of views and in-place writes, and their gradients, against torch: values, strides, versions, graph
names.
"""

import numpy as np
import torch
from both import same_outcome
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

torch.set_num_threads(1)
QUICK = settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)


def facts(t, base=None):
    """What two tensors must agree on."""
    return (
        rounded(t),
        tuple(t.shape),
        t.stride(),
        t.storage_offset() if t.numel() else 0,
        t.is_contiguous(),
        t.requires_grad,
        t._is_view(),
        t._version,
        type(t.grad_fn).__name__,
    )


# ---- a random view of a tensor with a given shape


@st.composite
def view_step(draw, shape):
    """(function(T, x) -> view, new shape)"""
    n = len(shape)
    kinds = ["unsqueeze", "alias", "expand_as_is", "detach_not"]
    if n:
        kinds += ["select", "slice", "slice", "transpose", "permute", "narrow", "unfold", "flatten_if", "squeeze", "T"]
    if n >= 2:
        kinds += ["diagonal", "t_or_mT", "mixed"]
    if n == 1:
        kinds += ["view2"]
    kind = draw(st.sampled_from(kinds))
    dim = draw(st.integers(0, max(n - 1, 0)))
    if kind == "select" and shape[dim]:
        i = draw(st.integers(-shape[dim], shape[dim] - 1))
        return lambda x: x.select(dim, i)
    if kind == "slice":
        a, b, s = draw(st.integers(0, shape[dim])), draw(st.integers(0, shape[dim] + 1)), draw(st.integers(1, 3))
        return lambda x: x[(slice(None),) * dim + (slice(a, b, s),)]
    if kind == "transpose":
        other = draw(st.integers(-n, n - 1))
        return lambda x: x.transpose(dim, other)
    if kind == "permute":
        order = draw(st.permutations(range(n)))
        return lambda x: x.permute(*order)
    if kind == "narrow" and shape[dim]:
        a = draw(st.integers(0, shape[dim] - 1))
        k = draw(st.integers(0, shape[dim] - a))
        return lambda x: x.narrow(dim, a, k)
    if kind == "unfold" and shape[dim]:
        size = draw(st.integers(1, shape[dim]))
        return lambda x: x.unfold(dim, size, size)
    if kind == "flatten_if":
        return lambda x: x.reshape(-1) if x.is_contiguous() else x.view(x.shape)
    if kind == "squeeze":
        return draw(
            st.sampled_from(
                [lambda x: x.squeeze(), lambda x: x.squeeze(dim), lambda x: x.squeeze((0, -1)) if n > 1 else x[...]]
            )
        )
    if kind == "T":
        return lambda x: x.permute(*range(x.dim() - 1, -1, -1))
    if kind == "diagonal":
        offset = draw(st.integers(-1, 1))
        return lambda x: x.diagonal(offset, 0, 1)
    if kind == "t_or_mT":
        return lambda x: x.mT
    if kind == "mixed" and shape[0]:
        i = draw(st.integers(0, shape[0] - 1))
        return lambda x: x[i, ..., None, ::2]
    if kind == "view2" and shape[0] % 2 == 0:
        return lambda x: x.view(2, -1) if x.stride(0) == 1 and x.numel() else x.unsqueeze(0)
    if kind == "alias":
        return lambda x: x[...]
    at = draw(st.integers(0, n))
    return lambda x: x.unsqueeze(at)


WRITES = [
    lambda T, v, w: v.mul_(2.0),
    lambda T, v, w: v.add_(1.5),
    lambda T, v, w: v.mul_(w),
    lambda T, v, w: v.add_(w),
    lambda T, v, w: v.copy_(w.expand(v.shape)),
    lambda T, v, w: v.__setitem__(Ellipsis, w),
    lambda T, v, w: v.exp_() if v.numel() and float(v.detach().abs().max()) < 3 else v.mul_(0.5),
    lambda T, v, w: v.fill_(3.0),
    lambda T, v, w: v.zero_(),
    lambda T, v, w: v.sub_(w * 2),
    lambda T, v, w: v.__setitem__(0, w) if v.dim() and v.shape[0] else v.add_(1),
]


@st.composite
def histories(draw):
    """A program: steps that take a view of something made before, write to it, or read it."""
    shape = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=3)))
    made, steps = [shape], []
    for _ in range(draw(st.integers(1, 6))):
        source = draw(st.integers(0, len(made) - 1))
        action = draw(st.sampled_from(["view", "view", "write", "write", "read", "no_grad_write"]))
        if action == "view":
            step = draw(view_step(made[source]))
            try:
                made.append(tuple(step(torch.empty(made[source])).shape))
            except (RuntimeError, IndexError):
                continue
            steps.append(("view", source, step))
        elif action in ("write", "no_grad_write"):
            steps.append((action, source, draw(st.sampled_from(WRITES))))
        else:
            steps.append(("read", source, None))
    return shape, steps, draw(st.booleans())


def run_history(T, shape, steps, base_wants, second=False):
    leaf = T.tensor(np.linspace(0.5, 1.5, int(np.prod(shape))).reshape(shape), requires_grad=base_wants)
    w = T.tensor(1.25, dtype=T.float64, requires_grad=True)
    made, reads, log = [leaf * 1.0 if base_wants else leaf.clone()], [], []
    silent = any(a == "no_grad_write" for a, _, _ in steps)  # after such a write torch reads all views anew
    for action, source, what in steps:
        x = made[source]
        if action == "view":
            made.append(what(x))
            log.append(facts(made[-1]))
        elif not x.numel():
            continue  # an empty part shares no memory here
        elif action == "read":
            reads.append((x * x).sum())
        elif action == "write":
            what(T, x, w)
        else:
            with T.no_grad():
                what(T, x, w)
        log.append([(rounded(t), t.requires_grad, t._version) for t in made])
        names = [type(t.grad_fn).__name__ for t in made]  # asking makes torch read the views anew
        log.append(names if not silent else None)
    total = sum([(t * t * (i + 1)).sum() for i, t in enumerate(made)]) + sum(reads)
    if not total.requires_grad:
        return log
    leaves = [leaf, w] if base_wants else [w]
    if not second:
        grads = T.autograd.grad(total, leaves, allow_unused=True)
    else:
        grads = T.autograd.grad(total, leaves, allow_unused=True, create_graph=True)
        more = sum([(g * g).sum() for g in grads if g is not None and g.requires_grad])
        second = [None] * len(leaves) if isinstance(more, int) else T.autograd.grad(more, leaves, allow_unused=True)
        grads = [*grads, *[T.zeros_like(x) if g is None else g for g, x in zip(second, leaves)]]
    return log, [None if g is None else rounded(g) for g in grads]


def rounded(t):
    """The values to ten digits."""
    return [float(f"{v:.9e}") for v in t.detach().reshape(-1).tolist()]


@QUICK
@given(histories())
def test_histories_of_views(history):
    same_outcome(run_history, *history, quiet=True, text=30)


@settings(QUICK, max_examples=60)
@given(histories())
def test_second_gradients_of_histories(history):
    same_outcome(run_history, *history, True, quiet=True, text=30)


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
