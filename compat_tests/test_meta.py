"""The meta device: sizes, types and strides of results and gradients are torch's; what needs data raises what torch raises."""

import warnings

import opdb
import pytest
import torch

import lucid

torch.set_num_threads(1)

# Where strides differ from those of torch's meta kernels, and why.
OTHER_STRIDES = {
    # copies of size-1 and empty dimensions keep the view's strides
    **dict.fromkeys("diag diagonal_copy narrow_copy t_copy as_strided_copy nonzero_static".split(), "copies"),
    "nn.functional.rms_norm": "copies",
    # the gradient's way through products: torch folds, turns or copies matrices elsewhere
    **dict.fromkeys(
        """__rmatmul__ matmul tensordot nn.functional.linear block_diag linalg.det linalg.slogdet logdet linalg.eig
        linalg.eigvals linalg.pinv linalg.pinv|hermitian pinverse lu_solve linalg.lu_solve triangular_solve""".split(),
        "products",
    ),
    # real and imaginary parts are copies, not views
    **dict.fromkeys("complex cfloat polar".split(), "parts"),
    "nn.functional.conv_transpose2d": "output padding",
    "nn.functional.conv_transpose3d": "output padding",
}
# Ops whose meta kernel in torch differs from torch's own CPU result, or that lucid does not compute without data.
SKIPPED = {
    "native_batch_norm": "torch's meta kernel gives statistics that its CPU kernel leaves empty",
    "linalg.householder_product": "for an empty matrix torch gives no gradient, lucid an empty one",
    "linspace|tensor_overload": "reads its ends",
    "logspace|tensor_overload": "reads its ends",
    "repeat_interleave": "reads repeats",
    "nn.functional.ctc_loss": "reads its targets and lengths",
}


def key(op):
    return op.name + (f"|{op.variant_test_name}" if op.variant_test_name else "")


def facts(t, strides=True):
    if t is None:
        return None
    return (str(t.dtype).split(".")[-1], tuple(t.shape), *([tuple(t.stride())] if strides else []))


def gradients(m, outs, ins):
    outs, ins = [t for t in outs if t.requires_grad], [t for t in ins if t.requires_grad]
    if not outs or not ins:
        return []
    ones = [m.empty(tuple(t.shape), dtype=t.dtype, device="meta") for t in outs]
    return m.autograd.grad(outs, ins, ones, allow_unused=True)


def compare(op, limit, strides=None):
    strides = key(op) not in OTHER_STRIDES if strides is None else strides
    for sample in opdb.samples(op, limit):
        theirs = opdb.moved(sample, "meta")
        try:
            ours = opdb.carried(sample, "meta", {})
        except opdb.Unsupported:
            continue
        try:
            wanted = op.op(theirs[0], *theirs[1], **theirs[2])
        except Exception:  # torch has no meta kernel for it
            continue
        got = opdb.counterpart(op)(ours[0], *ours[1], **ours[2])
        wanted, got = opdb.leaves(wanted, torch.Tensor), opdb.leaves(got, lucid.Tensor)
        assert [facts(t, strides) for t in got] == [facts(t, strides) for t in wanted]
        try:
            wanted = gradients(torch, wanted, opdb.leaves(theirs, torch.Tensor))
        except Exception:  # or none for its gradient
            continue
        got = gradients(lucid, got, opdb.leaves(ours, lucid.Tensor))
        assert [facts(t, strides) for t in got] == [facts(t, strides) for t in wanted], "gradients"


OPS = [op for op in opdb.delivered() if key(op) not in SKIPPED]
QUICK = """add mul div where sum mean var amax max|reduction_with_dim cumsum sort topk cat stack flip roll pad tril reshape
    permute transpose expand squeeze unsqueeze diagonal unfold matmul mm bmm addmm gather scatter index_select index_add
    masked_fill take_along_dim softmax log_softmax clamp lerp nn.functional.conv2d nn.functional.max_pool2d
    nn.functional.avg_pool2d nn.functional.layer_norm nn.functional.batch_norm nn.functional.cross_entropy
    nn.functional.interpolate|bilinear nn.functional.embedding nn.functional.linear linalg.svd linalg.solve einsum cdist
    nn.functional.pad|constant index_put __getitem__ split chunk repeat tile kron nn.functional.gelu""".split()


@pytest.mark.parametrize("op", [op for op in OPS if key(op) in QUICK], ids=key)
def test_common_ops(op):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compare(op, 3)


@pytest.mark.slow
@pytest.mark.parametrize("op", [op for op in OPS if key(op) not in QUICK], ids=key)
def test_all_ops(op):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compare(op, 6)


@pytest.mark.slow
@pytest.mark.parametrize("op", [op for op in OPS if key(op) in OTHER_STRIDES], ids=key)
def test_known_differences_are_still_there(op):
    """The list may only shrink: what has torch's strides by now leaves it."""
    with warnings.catch_warnings(), pytest.raises(AssertionError):
        warnings.simplefilter("ignore")
        compare(op, 6, strides=True)


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
    for m in (torch, lucid):
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
    for m in (torch, lucid):
        xs = [operand(m, plan) for plan in plans]
        total = xs[0] * 2.0
        for x in xs[1:]:
            total = xs[0] + x
        results.append([facts(t) for t in (total, xs[0].exp(), xs[0].clone(), m.where(xs[-1] > 0, xs[0], 1.0))])
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
    results = []
    for m in (torch, lucid):
        x = m.empty(3, 4, 5, device="meta")
        results.append([(*facts(t), t.storage_offset()) if isinstance(t, m.Tensor) else t for t in VIEWS[name](x)])
    assert results[0] == results[1]


def test_writes_count_and_graphs_follow():
    def program(m):
        x = m.empty(3, 4, device="meta", requires_grad=True)
        y = x * 2
        y[0].mul_(3)
        y.t().add_(1)
        names = type(y.grad_fn).__name__, y._version
        y.sum().backward()
        return names, facts(x.grad), x.grad.is_meta

    assert program(torch) == program(lucid)


def test_view_refuses_what_needs_a_copy():
    for m in (torch, lucid):
        with pytest.raises(RuntimeError, match="view size is not compatible"):
            m.empty(3, 4, device="meta").t().view(-1)


def test_a_stale_saved_value_is_noticed():
    for m in (torch, lucid):
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
