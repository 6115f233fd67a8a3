"""jvp and vmap of every delivered op agree with torch: tangents with torch's gradients, batches with one call per member."""
import warnings

import opdb
import pytest
import torch
from gaps import expect
from test_op_db import FREE_UP_TO_SIGN, OPS, RANDOM, back

import lucid

RANDOMLY = {"bernoulli", "multinomial", "normal", "nn.functional.dropout", "nn.functional.dropout2d", "nn.functional.dropout3d",
            "nn.functional.alpha_dropout", "nn.functional.feature_alpha_dropout", "nn.functional.rrelu", "rand_like", "randn_like",
            "randint_like", "nn.functional.gumbel_softmax", "nn.functional.fractional_max_pool2d", "exponential", "cauchy", "log_normal",
            "geometric", "uniform", "poisson", "randint", "rand", "randn", "normal|number_mean"}


def ordinary(name):
    return name.split("|")[0] not in RANDOM | FREE_UP_TO_SIGN | RANDOMLY and name not in RANDOMLY


NAMES = [name for name in OPS if ordinary(name)]


def close(got, want, where):
    assert tuple(got.shape) == tuple(want.shape), f"{where}: shape {tuple(got.shape)} for {tuple(want.shape)}"
    assert str(got.dtype) == str(want.dtype), f"{where}: {got.dtype} for {want.dtype}"
    torch.testing.assert_close(back(got), want.detach().resolve_conj().resolve_neg(), rtol=2e-4, atol=2e-5, equal_nan=True,
                               msg=lambda text: f"{where}: {text}")


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
            return value if f.__module__.startswith("torch") and not hasattr(f, "__source__") else opdb.carried(value, "cpu", {})
        arg, args, kwargs = put(self.sample)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return f(arg, *args, **kwargs)


def some(name, limit, smallest=0):
    op = OPS[name]
    for sample in opdb.samples(op, limit, largest=2000):
        made = Sample(sample)
        if len(made.tensors) > smallest:
            yield made


def direction(t, seed):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(t.shape, generator=generator, dtype=torch.float64).to(t.dtype)


def pushed(f, sample, live, tangents):
    """torch's tangents of the results: the transpose of its gradients, by double backward."""
    leaves = [t.detach().clone().requires_grad_(i in live) for i, t in enumerate(sample.tensors)]
    outs = [o for o in opdb.leaves(sample.call(f, leaves), torch.Tensor)]
    found = []
    for o in outs:
        if not o.requires_grad:
            found.append((o, None))
            continue
        u = torch.zeros_like(o, requires_grad=True)
        pulled = torch.autograd.grad(o, [leaves[i] for i in live], u, create_graph=True, allow_unused=True)
        pairs = [(g, t) for g, t in zip(pulled, tangents) if g is not None and g.requires_grad]
        if not pairs:
            found.append((o, torch.zeros_like(o)))
            continue
        t, = torch.autograd.grad([g for g, _ in pairs], u, [t for _, t in pairs], allow_unused=True)
        found.append((o, torch.zeros_like(o) if t is None else t))
    return found


@pytest.mark.parametrize("name", [n for n in NAMES if OPS[n].supports_autograd])
def test_jvp(name):
    op, f = OPS[name], opdb.counterpart(OPS[name])

    def run():
        done = 0
        for n, sample in enumerate(some(name, 4)):
            live = [i for i, t in enumerate(sample.tensors) if t.requires_grad]
            tangents = [direction(sample.tensors[i], i) for i in live]
            try:
                want = pushed(op.op, sample, live, tangents)
            except Exception:
                continue
            twins = [opdb.tensor(t.detach(), "cpu") for t in sample.tensors]
            if not live or not want:
                continue

            def function(*xs):
                full = list(twins)
                for i, x in zip(live, xs):
                    full[i] = x
                return tuple(opdb.leaves(sample.call(f, full), lucid.Tensor))
            values, tangents_out = lucid.func.jvp(function, tuple(twins[i] for i in live),
                                                  tuple(opdb.tensor(t, "cpu") for t in tangents))
            for (o, t), v, p in zip(want, values, tangents_out):
                close(v, o, f"sample {n}, value")
                if t is not None:
                    close(p, t, f"sample {n}, tangent")
            done += 1
        if not done:
            pytest.skip("no sample that torch differentiates twice")
    expect("jvp", name, run)


@pytest.mark.parametrize("name", NAMES)
def test_vmap(name):
    op, f = OPS[name], opdb.counterpart(OPS[name])

    def run():
        done = 0
        for n, sample in enumerate(some(name, 3)):
            tensors = [t.detach() for t in sample.tensors]
            for dims in {tuple(0 for _ in tensors), (0,) + (None,) * (len(tensors) - 1)}:
                stacked = [t if d is None else torch.stack([t, t.flip(-1) if t.ndim and t.is_floating_point() else t])
                           for t, d in zip(tensors, dims)]
                try:
                    members = [opdb.leaves(sample.call(op.op, [t if d is None else t[i] for t, d in zip(stacked, dims)]),
                                           torch.Tensor) for i in range(2)]
                    want = [torch.stack(pair) for pair in zip(*members)]
                except Exception:
                    continue    # the members differ in shape, or torch refuses
                if not want:
                    continue
                twins = [opdb.tensor(t, "cpu") for t in stacked]
                got = lucid.func.vmap(lambda *xs: tuple(opdb.leaves(sample.call(f, xs), lucid.Tensor)), in_dims=dims)(*twins)
                for w, g in zip(want, got):
                    close(g, w, f"sample {n}, in_dims {dims}")
                done += 1
        if not done:
            pytest.skip("no sample that torch runs member by member")
    expect("vmap", name, run)
