"""The mlx device: values and gradients are the CPU's, and views share memory as torch's do."""

import functools
import random
import warnings

import numpy as np
import opdb
import pytest
from both import attempt, close, same_outcome, seen
from gaps import expect

import lucid

pytest.importorskip("mlx.core")
UNDEFINED = {"empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided"}


def key(op):
    return op.name + (f"|{op.variant_test_name}" if op.variant_test_name else "")


def gradients(outs, ins):
    outs, ins = [t for t in outs if t.requires_grad], [t for t in ins if t.requires_grad]
    if not outs or not ins:
        return []
    rng = np.random.default_rng(0)
    weights = [np.asarray(rng.standard_normal(tuple(t.shape)), np.float32) for t in outs]
    weights = [lucid.from_numpy(w).to(device=t.device, dtype=t.dtype) for w, t in zip(weights, outs)]
    return lucid.autograd.grad(outs, ins, weights, allow_unused=True)


def call(f, sample):
    """The tensors of the result and those of the sample."""
    lucid.manual_seed(0)
    arg, args, kwargs = sample
    return opdb.leaves(f(arg, *args, **kwargs), lucid.Tensor), opdb.leaves(sample, lucid.Tensor)


def refused(wanted, got):
    """Do both refuse, with the same class? One alone must not."""
    for error, other in ((wanted, got), (got, wanted)):
        if isinstance(error, Exception) and type(error) is not type(other):
            raise error
    return isinstance(wanted, Exception)


def compare(op, limit):
    """Results and gradients on mlx are those of the CPU, and what the CPU refuses is refused."""
    f, done = opdb.counterpart(op), 0
    for sample in opdb.samples(op, limit):
        try:
            here, there = opdb.carried(sample, "cpu", {}), opdb.carried(sample, "mlx", {})
        except opdb.Unsupported:
            continue
        done += 1
        wanted, got = attempt(call, f, here), attempt(call, f, there)
        if refused(wanted, got):
            continue
        near(got[0], wanted[0], "results", values=op.name not in UNDEFINED)
        wanted, got = attempt(gradients, *wanted), attempt(gradients, *got)
        if not refused(wanted, got):
            near(got, wanted, "gradients")
    assert done, "no sample that lucid can be given"


def near(got, wanted, where, values=True):
    assert {t.device.type for t in got if t is not None} <= {"mlx"}, where
    if values:
        close(got, wanted, where, rtol=2e-5, atol=2e-5, of_largest=2e-5)
    else:
        assert [seen(t, "").facts for t in got] == [seen(t, "").facts for t in wanted], where


OPS = opdb.delivered()
QUICK = """add mul div where sum mean var amax cumsum sort topk cat stack flip roll pad tril matmul bmm addmm gather scatter
    scatter_add index_select index_add masked_fill softmax log_softmax clamp lerp pow remainder erfc logaddexp median
    cummax nn.functional.conv2d nn.functional.conv_transpose2d nn.functional.max_pool2d nn.functional.avg_pool2d
    nn.functional.layer_norm nn.functional.batch_norm nn.functional.cross_entropy nn.functional.interpolate|bilinear
    nn.functional.embedding nn.functional.linear nn.functional.dropout linalg.solve einsum index_put __getitem__ split
    masked_scatter as_strided unfold diagonal nn.functional.gelu cdist lgamma logsumexp std prod nonzero unique""".split()


def check(op, limit):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expect("mlx", key(op), lambda: compare(op, limit))


@pytest.mark.parametrize("op", [op for op in OPS if key(op) in QUICK], ids=key)
def test_common_ops(op):
    check(op, 3)


@pytest.mark.slow
@pytest.mark.parametrize("op", [op for op in OPS if key(op) not in QUICK], ids=key)
def test_all_ops(op):
    check(op, 5)


def check_refusals(op):
    """What the CPU refuses of torch's error inputs, mlx refuses with the same class."""
    f = opdb.counterpart(op)

    def run():
        done = 0
        for bad in opdb.error_inputs(op):
            sample = (bad.sample_input.input, tuple(bad.sample_input.args), dict(bad.sample_input.kwargs))
            try:
                here, there = opdb.carried(sample, "cpu", {}), opdb.carried(sample, "mlx", {})
            except (opdb.Unsupported, TypeError, ValueError):  # not strided, a type mlx lacks, numpy's 64 dimensions
                continue
            wanted, got = attempt(call, f, here), attempt(call, f, there)
            if isinstance(wanted, Exception):
                assert type(got) is type(wanted), f"{got!r} for {wanted!r}"
                done += 1
        if not done:
            pytest.skip("no error input that lucid can be given")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expect("mlx-errors", key(op), run)


REFUSING = [op for op in OPS if op.error_inputs_func is not None]


@pytest.mark.parametrize("op", [op for op in REFUSING if key(op) in QUICK], ids=key)
def test_common_refusals(op):
    check_refusals(op)


@pytest.mark.slow
@pytest.mark.parametrize("op", [op for op in REFUSING if key(op) not in QUICK], ids=key)
def test_all_refusals(op):
    check_refusals(op)


# ---- views: the same program on torch and on mlx


def start(m):
    """A (2, 3, 4) tensor of 0, 1, ... 23."""
    return m.arange(24.0, dtype=m.float32).reshape(2, 3, 4).to("mlx" if m is lucid else "cpu")


def leaf(m):
    return start(m).clone().requires_grad_()


same = functools.partial(
    same_outcome, looks="stride offset node", reword=lambda message: message.replace("torch.mlx.", "torch.")
)


def written(view, how):
    """A program that writes through a view and shows all that share its memory."""

    def program(m):
        base = start(m)
        seen = view(base)
        other = base.transpose(0, 2)
        how(m, seen)
        return base, seen, other, view(base), base._version

    return program


WINDOWS = {
    "all": lambda x: x,
    "slice": lambda x: x[:, 1:],
    "steps": lambda x: x[..., ::2],
    "transpose": lambda x: x.transpose(0, 2),
    "select": lambda x: x[1],
    "element": lambda x: x[1, 2, 3],
    "diagonal": lambda x: x.diagonal(0, 1, 2),
    "unfold": lambda x: x.unfold(2, 2, 2),
    "window": lambda x: x[1].as_strided((3, 2), (4, 1), 2),
    "flat": lambda x: x.view(-1),
    "folded": lambda x: x.view(6, 2, 2).permute(1, 0, 2)[:, 1:5],
    "view of a view": lambda x: x[0].t()[1:3],
    "split": lambda x: x.split(2, 2)[1].squeeze(),
    "detached": lambda x: x[1].detach(),
}
WRITES = {
    "add": lambda m, v: v.add_(1),
    "scale": lambda m, v: v.mul_(v.detach().clone()),
    "fill": lambda m, v: v.fill_(7),
    "zero": lambda m, v: v.zero_(),
    "copy": lambda m, v: v.copy_(v * 2 + 1),
    "ints": lambda m, v: v.copy_(m.ones(v.shape, dtype=m.int64, device=v.device)),
    "out": lambda m, v: m.mul(v, 3.0, out=v),
    "mask": lambda m, v: v.masked_fill_(v > 10, -1.0),
}


@pytest.mark.parametrize("how", WRITES)
@pytest.mark.parametrize("view", WINDOWS)
def test_writes_through_views(view, how):
    same(written(WINDOWS[view], WRITES[how]))


PROGRAMS = {
    "assignments": lambda m, x: (x.__setitem__((slice(None), 1), 5.0), x.__setitem__((0, ..., -1), x[1, :, 0]), x),
    "masks": lambda m, x: (x.__setitem__(x > 10, -1.0), x, x[x < 0]),
    "picks": lambda m, x: (
        x.__setitem__((m.tensor([0, 1], device=x.device), m.tensor([2, 0], device=x.device)), 9.0),
        x,
    ),
    "out in a slice": lambda m, x: (m.add(x[0], x[1], out=x[1]), x),
    "data": lambda m, x: (x.data.add_(1), x, x._version),
    "dtype": lambda m, x: (x.view(m.int32)[0].zero_(), x),
    "complex": lambda m, x: (lambda c: (m.view_as_real(c)[..., 1].add_(1), c, m.view_as_complex(x.view(2, 3, 2, 2))))(
        m.complex(x[0], x[1])
    ),
    "resize": lambda m, x: (x.resize_(2, 2), x),
    "set": lambda m, x: (lambda o: (o.set_(x[1]), o.add_(1), x))(m.empty(0, device=x.device)),
    "swap": lambda m, x: (x[0].copy_(x[1]), x[1].zero_(), x),
    "expanded": lambda m, x: (lambda e: (x.add_(1), e))(x[:, :1].expand(2, 5, 4)),
    "addresses": lambda m, x: (
        x.data_ptr() == x.view(-1).data_ptr(),
        x[1].data_ptr() - x.data_ptr(),
        x.is_set_to(x[:]),
    ),
    "layouts": lambda m, x: (
        x.permute(2, 0, 1) * 2,
        x.mT.contiguous(),
        x.mT.clone(),
        m.zeros_like(x.mT),
        x.mT * 3 + x.mT,
    ),
    "overlap": lambda m, x: x[:, :1].expand(2, 5, 4).add_(1),
    "refused view": lambda m, x: x.mT.view(-1),
    "leaf": lambda m, x: x.clone().requires_grad_()[0].add_(1),
    "stale": lambda m, x: (lambda y: (y[0].add_(1), y.sum().backward()))(leaf(m).exp()),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    same(lambda m: PROGRAMS[name](m, start(m)))


def step(rng):
    """A random view op, the same for both libraries."""
    kind, a, b, c = rng.randrange(7), rng.random(), rng.random(), rng.random()

    def view(t):
        n = t.dim()
        d, e = int(a * n), int(b * n)
        if kind == 5 or not n:
            return t.unsqueeze(d)
        if kind == 0:
            first = int(c * t.size(d))
            return t.narrow(d, first, (t.size(d) - first + 1) // 2)
        if kind == 1:
            return t.transpose(d, e)
        if kind == 2 and n > 1:
            return t.select(d, int(c * t.size(d)))
        if kind == 3 and d != e:
            return t.diagonal(int(c * 3) - 1, d, e)
        if kind == 4 and t.size(d) >= 2:
            return t.unfold(d, 2, 2)
        return t[(slice(None),) * d + (slice(None, None, 2),)]

    return view


@pytest.mark.parametrize("seed", range(60))
def test_histories(seed):
    """Random chains of views, writes through any of them, and the gradient of all."""

    def program(m):
        rng = random.Random(seed)
        x = leaf(m)
        y = x * 1.5
        views = []
        for _ in range(3):
            t = y if not views or rng.random() < 0.5 else rng.choice(views)
            for _ in range(rng.randrange(1, 4)):
                t = step(rng)(t)
            views.append(t)
        for _ in range(3):
            v, how = rng.choice([*views, y]), rng.randrange(3)
            v.mul_(2.0) if how == 0 else v.add_(v.detach().clone()) if how == 1 else v.copy_(v * 0.5)
        total = (y * y).sum()
        for v in views:
            total = total + (v * 3).sum()
        total.backward()
        return y, views, x.grad, y._version

    same(program)


# ---- moving, types


def test_moving():
    x = lucid.arange(6.0).reshape(2, 3).t()
    there = x.to("mlx")
    assert there.stride() == x.stride() and there.device.type == "mlx" and there.is_contiguous() is False
    assert lucid.equal(there.cpu(), x) and there.cpu().stride() == x.stride()
    with pytest.raises(TypeError, match="can't convert mlx:0 device type tensor to numpy"):
        there.numpy()
    with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
        x + there
    assert (there + lucid.tensor(1.0)).device.type == "mlx"  # 0-dim tensors of the CPU may take part
    y = lucid.ones(2, requires_grad=True)
    (y.to("mlx") * 2).sum().backward()
    assert y.grad.device.type == "cpu" and y.grad.tolist() == [2, 2]


@pytest.mark.parametrize("name", "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64".split())
def test_types_survive_the_journey(name):
    dtype = getattr(lucid, name)
    x = lucid.tensor([[0, 1, 2], [3, 4, 5]]).to(dtype)
    there = x.to("mlx")
    assert there.dtype is dtype and there.cpu().dtype is dtype
    assert there.cpu().tolist() == x.tolist() == there.tolist()
    assert (there + there).cpu().tolist() == (x + x).tolist()
    assert there.sum().cpu().tolist() == x.sum().tolist() and there.sum().dtype is x.sum().dtype


def test_types_that_mlx_lacks():
    with pytest.raises(TypeError, match="mlx has no element type complex128"):
        lucid.ones(2, dtype=lucid.complex128, device="mlx")
    with pytest.raises(RuntimeError, match="mlx has one device"):
        lucid.ones(2, device="mlx:1")


def test_random_numbers_are_the_generators():
    for make in (lucid.randn, lucid.rand):
        lucid.manual_seed(3)
        here = make(5)
        lucid.manual_seed(3)
        assert lucid.equal(make(5, device="mlx").cpu(), here)


# ---- training


def trained(device, name, steps=4):
    from lucid import nn

    lucid.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1, bias=False),
        nn.BatchNorm2d(4),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(64, 16),
        nn.LayerNorm(16),
        nn.GELU(),
        nn.Dropout(0.2),
        nn.Linear(16, 5),
    ).to(device)
    assert {p.device.type for p in [*model.parameters(), *model.buffers()]} == {device}
    optimizer = getattr(lucid.optim, name)(model.parameters(), lr=0.01)
    x, y = lucid.randn(8, 1, 8, 8).to(device), lucid.randint(0, 5, (8,)).to(device)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, model.eval()(x).cpu().detach().numpy()


@pytest.mark.parametrize("name", "SGD Adam AdamW RMSprop Adagrad NAdam RAdam Adadelta Adamax ASGD Rprop".split())
def test_training(name):
    (here, out), (there, out_there) = trained("cpu", name), trained("mlx", name)
    np.testing.assert_allclose(there, here, rtol=1e-3)
    np.testing.assert_allclose(out_there, out, rtol=1e-3, atol=1e-4)
