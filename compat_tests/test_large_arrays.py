"""Words and functions that compute large arrays in another way give the same numbers and types as for small ones."""

import numpy as np
import pytest
import torch
from both import close
from word_samples import arguments, array

import lucid
from lucid._array import lookup
from lucid._array.numpy.elementwise import SMALL
from lucid._array.words import OPERANDS, POINTWISE, letter

TYPES = "bool uint8 int16 int64 float16 bfloat16 float32 float64 complex64 complex128".split()
SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, -2.5, 1e-30, -1e-8, 1e30, 3e38, -3e38, 88.0, -104.0]
SLOW = {"zeta", "polygamma", "igamma", "igammac", "orthogonal_polynomial"}


def special(k, n, seed):
    """n values of table k's type, the awkward ones among them."""
    made = array(k, (n,), seed)
    if k.dtype.category >= 2:
        with np.errstate(all="ignore"):
            made[: len(SPECIAL)] = np.roll(SPECIAL, seed).astype(k.array_dtype)
    return made


def in_pieces(word, operands, n):
    pieces = [word(*[a[i : i + 1000] if isinstance(a, np.ndarray) and a.ndim else a for a in operands])
              for i in range(0, n, 1000)]  # fmt: skip
    pieces = [p if isinstance(p, tuple) else (p,) for p in pieces]
    return [np.concatenate(parts) for parts in zip(*pieces)]


def same_either_way(word, operands, n, where):
    got = word(*operands)
    for a, b in zip(got if isinstance(got, tuple) else (got,), in_pieces(word, operands, n), strict=True):
        assert a.dtype == b.dtype, (where, a.dtype, b.dtype)
        a, b = (x.view(np.float16) if x.dtype.names else x for x in (a, b))  # pairs of complex32
        a, b = (x.astype(np.complex128 if x.dtype.kind == "c" else np.float64) for x in (a, b))
        np.testing.assert_allclose(a, b, 1e-6, 1e-44, err_msg=str(where))


@pytest.mark.parametrize("row", POINTWISE.values(), ids=list(POINTWISE))
def test_words_over_the_threshold(row):
    """Pointwise words in pieces below the threshold and at once: same numbers, same type, numbers among operands too."""
    n = SMALL + 100
    for name in TYPES:
        k = lookup.table(getattr(lucid, name), "cpu")
        if letter(k.dtype) not in row.types or row.name in SLOW and name != "float32":
            continue
        word, sample = getattr(k, row.name), arguments(k, row)
        if row.name in ("complex", "polar") and k.is_complex:
            continue
        tensors = [i for i, p in enumerate(row.parameters) if p in OPERANDS and isinstance(sample[i], np.ndarray)]
        made = list(sample)
        for i, p in enumerate(row.parameters):
            if i in tensors:
                made[i] = special(k, n, 2 * i) if k.dtype.category >= 2 else array(k, (n,), i)
            elif isinstance(made[i], np.ndarray):
                made[i] = np.arange(n) % 3 == 0
        same_either_way(word, made, n, (row.name, name))
        for i in tensors[1:]:
            scalar = list(made)
            scalar[i] = k.scalar(2)
            same_either_way(word, scalar, n, (row.name, name, "a number", i))


OTHERS = [
    ("maximum", 0),
    ("minimum", 5),
    ("where", 0),
    ("eq", 0),
    ("ne", 3),
    ("lt", 2),
    ("add", 1),
    ("mul", 2),
    ("sub", 1),
]


@pytest.mark.parametrize("word, value", OTHERS)
@pytest.mark.parametrize("own", ["float32", "float16", "complex64", "int64"])
@pytest.mark.parametrize("kind", ["int64", "int32", "float64", "complex128"])
def test_arrays_of_another_type(word, value, own, kind):
    """Classes, places and statistics reach the words of a table of another type: the size decides nothing."""
    if "complex" in own + kind and word in ("maximum", "minimum", "lt"):
        return
    k, n = lookup.table(getattr(lucid, own), "cpu"), SMALL + 100
    x = (np.arange(n) % 7).astype(kind)
    number = np.asarray(value, kind)
    if word == "where":
        same_either_way(k.where, (x.real > 2, x, number), n, (own, kind))
        same_either_way(k.where, (x.real > 2, number, x), n, (own, kind))
        return same_either_way(k.where, (x.real > 2, x, x + 1), n, (own, kind))
    same_either_way(getattr(k, word), (x, number), n, (own, kind))


# ---- functions over dimensions, on both sides of every threshold of numpy/reduce.py, norm.py, index.py

SHAPES = [(70,), (5000,), (40_000,), (5000, 20), (20, 5000), (3, 5000, 4), (130, 130), (3, 2, 40, 80)]
REDUCTIONS = {
    "sum": lambda m, x, d: x.sum(d),
    "mean": lambda m, x, d: x.mean(d),
    "nansum": lambda m, x, d: x.nansum(d),
    "amax": lambda m, x, d: x.amax(d),
    "amin": lambda m, x, d: x.amin(d, keepdim=True),
    "max": lambda m, x, d: tuple(x.max(d)),
    "min": lambda m, x, d: tuple(x.min(d, keepdim=True)),
    "argmax": lambda m, x, d: x.argmax(d),
    "argmin": lambda m, x, d: x.argmin(),
    "median": lambda m, x, d: x.median(d).values,
    "all": lambda m, x, d: x.all(d),
    "any": lambda m, x, d: (x > 2).any(d),
    "count_nonzero": lambda m, x, d: (x > 1).count_nonzero(d),
    "norm": lambda m, x, d: x.norm(dim=d),
    "norm of all": lambda m, x, d: x.norm(),
    "var": lambda m, x, d: x.var(d),
    "logsumexp": lambda m, x, d: x.logsumexp(d),
    "softmax": lambda m, x, d: x.softmax(d),
    "log_softmax": lambda m, x, d: x.log_softmax(d),
    "cumsum": lambda m, x, d: x.cumsum(d),
    "cummax": lambda m, x, d: tuple(x.cummax(d)),
    "sort": lambda m, x, d: tuple(x.sort(dim=d, stable=True)),
    "topk": lambda m, x, d: x.topk(3, d).values,
    "kthvalue": lambda m, x, d: x.kthvalue(3, d).values,
    "sum of transposed": lambda m, x, d: x.transpose(0, -1).sum(d),
    "amax of transposed": lambda m, x, d: x.transpose(0, -1).amax(d),
    "layer_norm": lambda m, x, d: m.nn.functional.layer_norm(x, x.shape[-1:]),
    "unique": lambda m, x, d: m.unique((x * 4).int(), return_inverse=True, return_counts=True),
    "bincount": lambda m, x, d: m.bincount((x * 4).abs().nan_to_num(0, 0, 0).int().flatten()),
    "index_add": lambda m, x, d: m.zeros(7, *x.shape[1:], dtype=x.dtype).index_add(0, m.arange(len(x)) % 7, x),
    "index": lambda m, x, d: x[m.arange(len(x)) % 7],
    "scatter_add": lambda m, x, d: m.zeros(3, dtype=x.dtype).scatter_add(0, m.arange(x.numel()) % 3, x.flatten()),
    "one_hot": lambda m, x, d: m.nn.functional.one_hot((x > 1).long(), 3).sum(d),
}
OF_FLOATS = set("mean nansum norm var logsumexp softmax log_softmax layer_norm".split()) | {"norm of all"}


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint8", "bfloat16"])
def test_functions_over_the_threshold(name, dtype):
    f, rng = REDUCTIONS[name], np.random.default_rng(0)
    if name in OF_FLOATS and "float" not in dtype:
        return
    for shape in SHAPES:
        values = rng.standard_normal(shape) if "float" in dtype else rng.integers(0, 5, shape)
        for spoiled in (False, True) if dtype == "float32" and name not in ("sum of transposed",) else (False,):
            if spoiled:
                values.reshape(-1)[[5, 40]] = np.nan, np.inf
            x = [m.from_numpy(values).to(getattr(m, dtype)) for m in (torch, lucid)]
            for d in {0, len(shape) - 1}:
                rtol = {"float64": 1e-10, "float32": 2e-5, "bfloat16": 1e-2}.get(dtype)
                how = (
                    {"rtol": 0}
                    if rtol is None or name in ("sort", "amax", "max")
                    else {"rtol": rtol, "of_largest": rtol}
                )
                if name in ("unique", "bincount") and spoiled or name == "index_add" and dtype == "bfloat16":
                    continue  # what a nan is as an int; torch rounds after every addition
                close(f(lucid, x[1], d), f(torch, x[0], d), f"{name} {shape} {d} {spoiled}", **how)


LOSSES = ["plain", "weight", "ignore", "weight and ignore", "smoothing"]


@pytest.mark.parametrize("shape", [(2050,), (3, 700), (2, 40, 40), (2, 5, 20, 20)], ids=str)
@pytest.mark.parametrize("how", LOSSES)
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("loss", ["cross_entropy", "nll_loss"])
def test_losses_over_many_targets(loss, shape, how, reduction):
    if how == "smoothing" and loss == "nll_loss":
        return
    rng = np.random.default_rng(1)
    x = rng.standard_normal((shape[0], 4, *shape[1:])).astype("float32")
    y = rng.integers(0, 4, shape)
    results = []
    for m in (torch, lucid):
        kwargs = {"reduction": reduction}
        if "weight" in how:
            kwargs["weight"] = m.tensor([0.5, 1.0, 2.0, 0.25])
        if "ignore" in how:
            kwargs["ignore_index"] = 2
        if how == "smoothing":
            kwargs["label_smoothing"] = 0.1
        a = m.from_numpy(x.copy()).requires_grad_()
        made = getattr(m.nn.functional, loss)(a, m.from_numpy(y), **kwargs)
        made.sum().backward()
        results.append((made.detach(), a.grad))
    close(results[1], results[0], rtol=1e-5, of_largest=1e-5)


LAYERS = [
    lambda m, x, y: m.nn.functional.multi_margin_loss(x, y),
    lambda m, x, y: m.nn.functional.one_hot(y, 4).float() * x,
    lambda m, x, y: x.gather(1, y[:, None]),
    lambda m, x, y: m.zeros_like(x).scatter(1, y[:, None], x[:, :1]),
    lambda m, x, y: m.nn.functional.embedding(y, x[:4], padding_idx=1),
    lambda m, x, y: m.nn.functional.embedding_bag(y.view(-1, 10), x[:4], mode="max"),
    lambda m, x, y: m.where(y > 1, y, 0) + x[:, 0],
    lambda m, x, y: y.clamp(1, 2) + x[:, 0],
    lambda m, x, y: m.maximum(y, m.tensor(2)) * x[:, 0],
    lambda m, x, y: y.masked_fill(y == 1, 7) * x[:, 0],
    lambda m, x, y: m.nn.functional.relu(y) * x[:, 0],
    lambda m, x, y: x * (y.bool() & (y > 2))[:, None],
]


@pytest.mark.parametrize("n", range(len(LAYERS)))
def test_classes_over_the_threshold(n):
    rng = np.random.default_rng(1)
    for rows in (100, 2500):
        x, y = rng.standard_normal((rows, 4)).astype("float32"), rng.integers(0, 4, rows)
        results = []
        for m in (torch, lucid):
            a = m.from_numpy(x.copy()).requires_grad_()
            made = LAYERS[n](m, a, m.from_numpy(y))
            made.sum().backward()
            results.append((made.detach(), a.grad))
        close(results[1], results[0], rtol=1e-5, of_largest=1e-5)


@pytest.mark.parametrize("shift", [0.0, 1e3])
@pytest.mark.parametrize("shape", [(2, 64, 64, 144), (2, 300, 512), (3, 4096), (3, 4097)], ids=str)
def test_layer_norm_of_long_rows(shape, shift):
    """As near to the float64 result as a few roundings of the input allow."""
    x = lucid.from_numpy((np.random.default_rng(0).standard_normal(shape) * 0.1 + shift).astype("float32"))
    for name, args in (("layer_norm", (shape[1:],)), ("group_norm", (1,))):
        f = getattr(lucid.nn.functional, name)
        away = (f(x.double(), *args).float() - f(x, *args)).abs().max().item()
        assert away < (1e-5 if not shift else 5e-4), (name, away)
