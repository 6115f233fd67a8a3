"""The meta device: sizes, types and strides of results and gradients are torch's; what needs data raises what torch raises."""

import warnings

import opdb
import pytest
import torch
from both import BOTH, attempt, same, seen
from gaps import expect, known

import lucid


def key(op):
    return op.name + (f"|{op.variant_test_name}" if op.variant_test_name else "")


def facts(tensors, looks="stride"):
    return [None if t is None else seen(t, looks).facts for t in tensors]


def call(m, f, sample):
    """The tensors of the result and those of the sample."""
    arg, args, kwargs = sample
    return opdb.leaves(f(arg, *args, **kwargs), m.Tensor), opdb.leaves(sample, m.Tensor)


def gradients(m, outs, ins):
    outs, ins = [t for t in outs if t.requires_grad], [t for t in ins if t.requires_grad]
    if not outs or not ins:
        return []
    ones = [m.ones(tuple(t.shape), dtype=t.dtype, device=t.device) for t in outs]
    return m.autograd.grad(outs, ins, ones, allow_unused=True)


def refused(wanted, got):
    """Do both refuse, with related classes? lucid alone must not."""
    if isinstance(got, Exception) and not (isinstance(wanted, type(got)) or isinstance(got, type(wanted))):
        raise got
    return isinstance(got, Exception)


def compare(op, limit, strides):
    """Results and gradients are like torch's on meta or, where it has no kernel for that, like those of its CPU."""
    looks, done = "stride" if strides else "", 0
    for sample in opdb.samples(op, limit):
        try:
            ours = opdb.carried(sample, "meta", {})
        except opdb.Unsupported:
            continue
        wanted = attempt(call, torch, op.op, opdb.moved(sample, "meta"))
        got = attempt(call, lucid, opdb.counterpart(op), ours)
        done += 1
        if refused(wanted, got):
            continue
        if isinstance(wanted, Exception):
            wanted = call(torch, op.op, sample)
        assert facts(got[0], looks) == facts(wanted[0], looks)
        wanted, got = attempt(gradients, torch, *wanted), attempt(gradients, lucid, *got)
        if refused(wanted, got):
            continue
        if isinstance(wanted, Exception):
            wanted = attempt(gradients, torch, *call(torch, op.op, sample))
        if not isinstance(wanted, Exception):  # torch has this gradient
            assert facts(got, looks) == facts(wanted, looks), "gradients"
    assert done, "no sample that lucid can be given"


OPS = opdb.delivered()
QUICK = """add mul div where sum mean var amax max|reduction_with_dim cumsum sort topk cat stack flip roll pad tril reshape
    permute transpose expand squeeze unsqueeze diagonal unfold matmul mm bmm addmm gather scatter index_select index_add
    masked_fill take_along_dim softmax log_softmax clamp lerp nn.functional.conv2d nn.functional.max_pool2d
    nn.functional.avg_pool2d nn.functional.layer_norm nn.functional.batch_norm nn.functional.cross_entropy
    nn.functional.interpolate|bilinear nn.functional.embedding nn.functional.linear linalg.svd linalg.solve einsum cdist
    nn.functional.pad|constant index_put __getitem__ split chunk repeat tile kron nn.functional.gelu""".split()


def check(op, limit):
    """Strides count where their difference is not a known gap."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expect("meta", key(op), lambda: compare(op, limit, f"meta-strides {key(op)}" not in known()))


@pytest.mark.parametrize("op", [op for op in OPS if key(op) in QUICK], ids=key)
def test_common_ops(op):
    check(op, 3)


@pytest.mark.slow
@pytest.mark.parametrize("op", [op for op in OPS if key(op) not in QUICK], ids=key)
def test_all_ops(op):
    check(op, 6)


@pytest.mark.slow
@pytest.mark.parametrize("op", [op for op in OPS if f"meta-strides {key(op)}" in known()], ids=key)
def test_strides_that_differ(op):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expect("meta-strides", key(op), lambda: compare(op, 6, strides=True))


# ---- what needs data

NEEDS_DATA = {
    "item": lambda m, x: x.sum().item(),
    "tolist": lambda m, x: x.tolist(),
    "bool": lambda m, x: bool(x.sum()),
    "float": lambda m, x: float(x.sum()),
    "int": lambda m, x: int(x.sum()),
    "index": lambda m, x: [0, 1][x.long().sum()],
    "numpy": lambda m, x: x.numpy(),
    "numpy by force": lambda m, x: x.numpy(force=True),
    "cpu": lambda m, x: x.cpu(),
    "to": lambda m, x: x.to("cpu"),
    "nonzero": lambda m, x: x.nonzero(),
    "mask": lambda m, x: x[x > 0],
    "copied from": lambda m, x: m.ones(2, 3).copy_(x),
    "bincount": lambda m, x: m.bincount(x[0].long()),
    "unique": lambda m, x: m.unique(x),
    "repeats": lambda m, x: m.repeat_interleave(x[0].long()),
    "many": lambda m, x: bool(x),
}


@pytest.mark.parametrize("name", NEEDS_DATA)
def test_what_needs_data_raises(name):
    said = []
    for m in BOTH:
        with pytest.raises((RuntimeError, TypeError)) as caught:
            NEEDS_DATA[name](m, m.empty(2, 3, device="meta"))
        said.append((type(caught.value), str(caught.value)))
    assert said[0][0] is said[1][0]
    assert said[0][1].startswith(said[1][1].rstrip(".")[:90])


# ---- layouts


@pytest.mark.parametrize("seed", range(40))
def test_elementwise_layouts(seed):
    """Results of operands in any memory order, expanded, sliced, with size-1 and empty dimensions.

    They are those of torch's CPU; torch's own meta kernels differ from these in dimensions of size 1.
    """
    import random

    rng = random.Random(seed)
    shape = [rng.choice([0, 1, 2, 3, 4] if seed % 5 == 0 else [1, 2, 3, 4]) for _ in range(rng.randrange(1, 6))]
    plans = []
    for _ in range(rng.randrange(1, 4)):
        order = rng.sample(range(len(shape)), len(shape))
        plans.append((order, [rng.random() < 0.15 for _ in shape], rng.random() < 0.2))

    def operand(m, plan):
        order, repeated, sliced = plan
        sizes = [1 if repeated[d] else shape[d] * (2 if sliced and d == order[-1] else 1) for d in order]
        x = m.empty(sizes, device="meta" if m is lucid else "cpu").permute([order.index(d) for d in range(len(shape))])
        if sliced and not repeated[order[-1]]:
            x = x[(slice(None),) * order[-1] + (slice(None, None, 2),)]
        return x.expand(shape) if plan[0][0] % 2 else x

    results = []
    for m in BOTH:
        xs = [operand(m, plan) for plan in plans]
        total = xs[0] * 2.0
        for x in xs[1:]:
            total = xs[0] + x
        results.append(facts((total, xs[0].exp(), xs[0].clone(), m.where(xs[-1] > 0, xs[0], 1.0))))
    assert results[0] == results[1]


VIEWS = {
    "slices": lambda x: (x[1:], x[:, ::2], x[..., -1], x[1:, 2:][0]),
    "orders": lambda x: (x.mT, x.permute(2, 0, 1), x.permute(2, 0, 1).contiguous(), x.transpose(0, 1).reshape(-1)),
    "diagonal": lambda x: (x.diagonal(1, 1, 2), x.diagonal(-1, 0, 2), x.diagonal(9, 0, 1)),
    "windows": lambda x: (x.unfold(2, 2, 2), x.as_strided((2, 2), (3, 1), 5), x[1].as_strided((2, 2), (3, 1), 5)),
    "shapes": lambda x: (x.view(3, -1), x.unsqueeze(1), x[:, :1].squeeze(1), x[:, :1].expand(3, 7, 5), x.flatten(1)),
    "parts": lambda x: (*x.split(2, 1), *x.unbind(0), *x.chunk(2, 2)),
    "types": lambda x: (x.view(dtype=x.int().dtype), x[..., 0], x.int(), x.double().stride()),
}


@pytest.mark.parametrize("name", VIEWS)
def test_views_keep_the_books(name):
    same(lambda m: VIEWS[name](m.empty(3, 4, 5, device="meta")), looks="stride offset")


def test_writes_count_and_graphs_follow():
    def program(m):
        x = m.empty(3, 4, device="meta", requires_grad=True)
        y = x * 2
        y[0].mul_(3)
        y.t().add_(1)
        names = type(y.grad_fn).__name__, y._version
        y.sum().backward()
        return names, x.grad, x.grad.is_meta

    same(program)


def test_view_refuses_what_needs_a_copy():
    for m in BOTH:
        with pytest.raises(RuntimeError, match="view size is not compatible"):
            m.empty(3, 4, device="meta").t().view(-1)


def test_a_stale_saved_value_is_noticed():
    for m in BOTH:
        x = m.empty(3, device="meta", requires_grad=True)
        y = x.exp()
        y.add_(1)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.sum().backward()


def test_modules_without_memory():
    with lucid.device("meta"):
        model = lucid.nn.Sequential(lucid.nn.Linear(1 << 14, 1 << 18), lucid.nn.ReLU(), lucid.nn.Linear(1 << 18, 10))
    out = model(lucid.empty(8, 1 << 14, device="meta"))
    out.sum().backward()
    assert out.shape == (8, 10) and all(p.grad.shape == p.shape and p.grad.is_meta for p in model.parameters())


def test_repr():
    for make in (lambda m: m.empty(2, 3, device="meta"), lambda m: m.empty((), device="meta", dtype=m.int64)):
        assert repr(make(torch)) == repr(make(lucid))
