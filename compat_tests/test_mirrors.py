"""Conjugated and negated views: random histories of views and writes over one complex tensor, beside torch."""

import random

import pytest
from both import attempt, same, same_outcome

VIEWS = [
    lambda m, t: t.conj(),
    lambda m, t: t.conj(),
    lambda m, t: t.real,
    lambda m, t: t.imag,
    lambda m, t: t.mH,
    lambda m, t: t.adjoint(),
    lambda m, t: t.mT,
    lambda m, t: m._neg_view(t),
    lambda m, t: t[..., 1:],
    lambda m, t: t[0],
    lambda m, t: t[..., ::2],
    lambda m, t: t.unsqueeze(0),
    lambda m, t: t.flatten(),
    lambda m, t: t.contiguous(),
    lambda m, t: t.detach(),
    lambda m, t: m.view_as_real(t),
    lambda m, t: t.resolve_conj(),
    lambda m, t: t.resolve_neg(),
    lambda m, t: t.clone(),
]


def _set(t, index, value):
    t[index] = value


WRITES = [
    lambda m, t: t.mul_(2),
    lambda m, t: t.mul_(1j),
    lambda m, t: t.add_(t.detach().clone()),
    lambda m, t: t.fill_(0.5),
    lambda m, t: t.copy_(m.ones(t.shape, dtype=t.dtype) * (1.5 - 0.5j if t.is_complex() else -2)),
    lambda m, t: t.conj().add_(1),
    lambda m, t: _set(t, 0, 3.0),
    lambda m, t: _set(t, (..., 0), 1.0),
    lambda m, t: _set(t, t.real > 0, -1.0),
    lambda m, t: t.index_fill_(0, m.tensor([0]), 0.25),
    lambda m, t: t.masked_fill_(t.abs() > 1, 0.125),
    lambda m, t: m.add(t.detach().clone(), 1, out=t),
    lambda m, t: t.data.mul_(0.5),
]


def _facts(m, tensors):
    home = tensors[0]
    for t in tensors:
        where = (t.data_ptr() - home.data_ptr()) if t._base is home else None
        yield t.is_conj(), t.is_neg(), t.stride(), where, t._version, t.tolist()


def _history(m, seed):
    """A dozen views and writes; after each, what every tensor shows, and in the end a gradient through all of them."""
    rng = random.Random(seed)
    leaf = m.arange(24.0, dtype=m.float64).reshape(4, 6) * (0.25 - 0.5j) + 1j
    if seed % 2:
        leaf.requires_grad_()
    tensors = [leaf * 1]
    for _ in range(12):
        t, writes = rng.choice(tensors), rng.random() < 0.4
        made = attempt(rng.choice(WRITES if writes else VIEWS), m, t)
        if isinstance(made, Exception):
            yield type(made).__name__
        elif not writes and made.numel():
            tensors.append(made)
        yield list(_facts(m, tensors))
    if seed % 2:
        yield [attempt(lambda: type(t.grad_fn).__name__) for t in tensors]
        squares = [attempt(lambda t=t: (t * t.conj()).real.sum()) for t in tensors]
        total = sum(t for t in squares if not isinstance(t, Exception))
        yield attempt(lambda: m.autograd.grad(total, leaf, allow_unused=True)[0])


@pytest.mark.parametrize("seed", range(100))
def test_histories(seed):
    same(_history, seed, looks="stride", rtol=1e-12, reword=lambda text: "", quiet=True)


@pytest.mark.parametrize(
    "use",
    [
        lambda t: t.numpy(),
        lambda t: t.imag.numpy(),
        lambda t: t.__dlpack__(),
        lambda t: t.view(type(t).view(t.real, -1).dtype),
        lambda t: t.numpy(force=True),
        lambda t: t.resolve_conj().numpy(),
        lambda t: t.tolist(),
        lambda t: t.untyped_storage().nbytes(),
    ],
)
def test_leaving_torch(use):
    same_outcome(lambda m: use(m.tensor([1 + 2j, 3j]).conj()))
