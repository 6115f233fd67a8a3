"""jvp and vmap of every delivered op agree with torch: tangents with torch's, batches with one call per member."""

import warnings

import opdb
import pytest
import torch
from both import close, same
from gaps import expect
from test_op_db import FREE_UP_TO_SIGN, OPS, RANDOM

import lucid

RANDOMLY = {
    "bernoulli",
    "multinomial",
    "normal",
    "nn.functional.dropout",
    "nn.functional.dropout2d",
    "nn.functional.dropout3d",
    "nn.functional.alpha_dropout",
    "nn.functional.feature_alpha_dropout",
    "nn.functional.rrelu",
    "rand_like",
    "randn_like",
    "randint_like",
    "nn.functional.gumbel_softmax",
    "nn.functional.fractional_max_pool2d",
    "exponential",
    "cauchy",
    "log_normal",
    "geometric",
    "uniform",
    "poisson",
    "randint",
    "rand",
    "randn",
    "normal|number_mean",
}


def ordinary(name):
    return name.split("|")[0] not in RANDOM | FREE_UP_TO_SIGN | RANDOMLY and name not in RANDOMLY


NAMES = [name for name in OPS if ordinary(name)]
# The shape of the result follows from values: each member's would be another.
DATA_DEPENDENT = {"nonzero", "masked_select", "unique", "unique_consecutive"}


def exact(op):
    """double where there is one, so that only the rules can make a difference."""
    return torch.float64 if torch.float64 in op.dtypes else torch.float32


def near(got, want, where):
    close(got, want, where, rtol=2e-4, atol=1e-6 if want.dtype in (torch.float64, torch.complex128) else 2e-5)


class Sample:
    """One of an op's samples as a function of its tensors, for either library."""

    def __init__(self, sample):
        self.sample = sample
        self.tensors = [t for t in opdb.leaves(sample, torch.Tensor)]

    def call(self, f, tensors):
        """f of the sample with these in place of its tensors."""
        it = iter(tensors)

        def put(value):
            if isinstance(value, torch.Tensor):
                return next(it)
            if isinstance(value, dict):
                return {k: put(v) for k, v in value.items()}
            if isinstance(value, (list, tuple)) and not isinstance(value, torch.Size):
                return type(value)([put(v) for v in value])
            return opdb.carried(value, "cpu", {}) if ours else value

        ours = any(isinstance(t, lucid.Tensor) for t in tensors)
        arg, args, kwargs = put(self.sample)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return f(arg, *args, **kwargs)


def some(name, limit, smallest=0):
    op = OPS[name]
    torch.default_generator.manual_seed(0)
    for sample in opdb.samples(op, limit, exact(op), largest=2000):
        made = Sample(sample)
        if len(made.tensors) > smallest:
            yield made


def direction(t, seed):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(t.shape, generator=generator, dtype=torch.float64).to(t.dtype)


def references(f, sample, live, tangents):
    """Two ways of torch's to [(value, tangent)] of the results: its forward mode, and the transpose of its gradients.

    They differ where a formula is free to: in the part of a matrix that is not read, in statistics beside a result.
    """

    def function(*xs):
        full = [t.detach() for t in sample.tensors]
        for i, x in zip(live, xs):
            full[i] = x
        return tuple(opdb.leaves(sample.call(f, full), torch.Tensor))

    primals = tuple(sample.tensors[i].detach() for i in live)
    for way in (torch.func.jvp, transposed):
        try:
            yield list(zip(*way(function, primals, tuple(tangents))))
        except Exception:
            continue  # torch has no such formula


def transposed(function, primals, tangents):
    """(values, tangents) by double backward."""
    leaves = [p.clone().requires_grad_() for p in primals]
    outs, found = function(*leaves), []
    for o in outs:
        u = torch.zeros_like(o, requires_grad=o.requires_grad)
        pulled = torch.autograd.grad(o, leaves, u, create_graph=True, allow_unused=True) if o.requires_grad else ()
        pairs = [(g, t) for g, t in zip(pulled, tangents) if g is not None and g.requires_grad]
        (t,) = (
            torch.autograd.grad([g for g, _ in pairs], u, [t for _, t in pairs], allow_unused=True)
            if pairs
            else (None,)
        )
        found.append(torch.zeros_like(o) if t is None else t)
    return outs, found


def agrees(want, got, where):
    for (value, tangent), (v, t) in zip(want, got):
        near(v, value, where + ", value")
        near(t, tangent, where + ", tangent")


@pytest.mark.parametrize("name", [n for n in NAMES if OPS[n].supports_autograd and "partial_views" not in n])
def test_jvp(name):
    op, f = OPS[name], opdb.counterpart(OPS[name])

    def run():
        done = 0
        for n, sample in enumerate(some(name, 4)):
            live = [i for i, t in enumerate(sample.tensors) if t.requires_grad]
            tangents = [direction(sample.tensors[i], i) for i in live]
            twins = [opdb.tensor(t.detach(), "cpu") for t in sample.tensors]
            ways = list(references(op.op, sample, live, tangents)) if live else ()
            if not any(ways):
                continue

            def function(*xs):
                full = list(twins)
                for i, x in zip(live, xs):
                    full[i] = x
                return tuple(opdb.leaves(sample.call(f, full), lucid.Tensor))

            got = list(
                zip(
                    *lucid.func.jvp(
                        function, tuple(twins[i] for i in live), tuple(opdb.tensor(t, "cpu") for t in tangents)
                    )
                )
            )
            try:
                agrees(ways[0], got, f"sample {n}")
            except AssertionError:
                agrees(ways[-1], got, f"sample {n}")
            done += 1
        if not done:
            pytest.skip("no sample that torch differentiates forward or twice")

    expect("jvp", name, run)


def batches(sample):
    """(in_dims, the sample's tensors with two members along dimension 0 of those mapped)"""
    tensors = [t.detach() for t in sample.tensors]
    for dims in dict.fromkeys([tuple(0 for _ in tensors), (0,) + (None,) * (len(tensors) - 1)]):
        yield (
            dims,
            [
                t if d is None else torch.stack([t, t.flip(-1) if t.ndim and t.is_floating_point() else t])
                for t, d in zip(tensors, dims)
            ],
        )


def mapped(api, f, sample, dims, stacked):
    return api.func.vmap(lambda *xs: tuple(opdb.leaves(sample.call(f, xs), api.Tensor)), in_dims=dims)(*stacked)


def member_by_member(f, sample, dims, stacked):
    members = [
        opdb.leaves(sample.call(f, [t if d is None else t[i].clone() for t, d in zip(stacked, dims)]), torch.Tensor)
        for i in range(2)
    ]
    return [torch.stack(pair) for pair in zip(*members)]


@pytest.mark.parametrize("name", NAMES)
def test_vmap(name):
    op, f = OPS[name], opdb.counterpart(OPS[name])

    def run():
        done = 0
        for n, sample in enumerate(some(name, 3)):
            for dims, stacked in batches(sample):
                refusal = want = None
                try:
                    want = mapped(torch, op.op, sample, dims, stacked)
                except Exception as trouble:
                    refusal = trouble
                    try:
                        want = member_by_member(op.op, sample, dims, stacked)
                    except Exception:
                        continue  # the members differ in shape, or torch refuses
                if not want:
                    continue
                done += 1
                try:
                    got = mapped(lucid, f, sample, dims, [opdb.tensor(t, "cpu") for t in stacked])
                except RuntimeError as trouble:
                    if type(trouble).__name__ == type(refusal).__name__:
                        continue
                    raise
                for w, g in zip(want, got):
                    near(g, w, f"sample {n}, in_dims {dims}")
        if not done:
            pytest.skip("no sample that torch runs member by member")

    expect("vmap", name, run)


@pytest.mark.parametrize("name", sorted(DATA_DEPENDENT & set(NAMES)))
def test_vmap_refuses_what_depends_on_values(name):
    f = opdb.counterpart(OPS[name])
    for sample in some(name, 3):
        dims, stacked = next(batches(sample))
        if all(t.ndim > 1 for t in stacked):
            with pytest.raises(RuntimeError, match="vmap"):
                mapped(lucid, f, sample, dims, [opdb.tensor(t, "cpu") for t in stacked])


# results whose tangents come in other strides than they
LAID_OUT = {
    "broadcast sum": lambda m, x: x.sum(0) + m.zeros(3, 4),
    "broadcast column": lambda m, x: x.sum(0)[:, None] + m.zeros(4, 3),
    "broadcast number": lambda m, x: x.sum() + m.zeros(3, 4),
    "difference": lambda m, x: m.zeros(3, 4) - x[0],
    "where": lambda m, x: m.where(m.ones(3, 4) > 0, x[0], m.zeros(3, 4)),
    "product": lambda m, x: x[0] * m.ones(3, 4),
    "quotient": lambda m, x: x[0] / m.ones(3, 4),
    "expanded": lambda m, x: m.broadcast_to(x[0], (3, 4)) + 0.0,
    "turned": lambda m, x: m.zeros(4, 3) + x.t(),
    "lerp": lambda m, x: m.lerp(m.zeros(3, 4), x, 0.5),
    "picked": lambda m, x: x.t()[[1, 0, 2]],
}


@pytest.mark.parametrize("name", LAID_OUT)
@pytest.mark.parametrize("tangent", (lambda x: x.flip(0), lambda x: x.flip(0).transpose(1, 2).contiguous().mT))
def test_windows_of_duals(name, tangent):
    """as_strided sees a tangent as if it lay in memory as its primal does."""

    def run(m):
        x = m.arange(24.0).reshape(2, 3, 4)
        f = LAID_OUT[name]
        one = m.func.jvp(lambda x: f(m, x).as_strided((2, 2), (1, 2), 1), (x[0],), (tangent(x)[1],))
        each = m.vmap(lambda a, b: m.func.jvp(lambda x: f(m, x).as_strided((2, 2), (1, 2), 1), (a,), (b,)))
        return one, each(x, tangent(x))

    same(run, rtol=1e-5)
