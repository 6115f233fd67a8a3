"""Every op of lucid's that torch has sample inputs for (op_db): values, types, shapes, strides, gradients, graph names."""

import functools
import random
import warnings

import opdb
import pytest
import torch
from both import close, seen
from gaps import expect

import lucid

# Reads memory beyond its input, which a sample carried over to lucid does not have behind it.
BEYOND = {"as_strided|partial_views"}
OPS = {op.name + (f"|{op.variant_test_name}" if op.variant_test_name else ""): op for op in opdb.delivered()}
OPS = {name: op for name, op in OPS.items() if name not in BEYOND}
RANDOM = {"empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided"}
FREE_UP_TO_SIGN = {"svd", "linalg.svd", "linalg.eigh", "linalg.eig", "svd_lowrank", "pca_lowrank"}
# The second derivative cancels: in float32 torch's own differs by 6e-5 from one processor's kernel to another's, and
# the recorded gradient of logcumsumexp is a sum over pairs, not torch's difference of logarithms.
SECOND_IN_FLOAT64 = {"nn.functional.normalize", "logcumsumexp"}
TOLERANCE = {
    torch.float32: (1.3e-5, 1e-5),
    torch.float64: (1e-7, 1e-7),
    torch.complex64: (1.3e-5, 1e-5),
    torch.complex128: (1e-7, 1e-7),
    torch.bfloat16: (1.6e-2, 1e-3),
    torch.float16: (2e-3, 1e-4),
}


def call(f, inputs, seed=1):
    arg, args, kwargs = inputs
    torch.default_generator.manual_seed(seed)
    lucid.manual_seed(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return f(arg, *args, **kwargs)


def pairs(op, limit, dtype=torch.float32):
    """(torch's result, lucid's result, torch's inputs, lucid's inputs) for some of op's samples."""
    f, done = opdb.counterpart(op), 0
    for sample in opdb.samples(op, limit, dtype):
        memo = {}
        try:
            twin = opdb.carried(sample, "cpu", memo)
        except opdb.Unsupported:
            continue
        try:
            want = call(op.op, sample)
        except Exception:
            continue  # torch itself refuses
        got = call(f, twin)
        done += 1
        yield want, got, sample, [pair for pair in memo.values() if isinstance(pair, tuple)]
    if not done:
        pytest.skip("no sample that torch runs and lucid can be given")


def near(got, want, where, values=True, scale=1):
    """Within torch's own tolerance for the type, which grows with the largest element: terms cancel."""
    rtol, atol = TOLERANCE.get(want.dtype, (None, 0))
    atol *= scale
    if values:
        close(got, want, where, rtol=rtol, atol=atol, of_largest=atol)
    else:
        assert facts(got) == facts(want), where


def facts(t):
    return seen(t, looks="").facts


def results(want, got):
    wanted, found = opdb.leaves(want, torch.Tensor), opdb.leaves(got, lucid.Tensor)
    assert len(wanted) == len(found), f"{len(found)} tensors for {len(wanted)}"
    if not wanted:
        assert want == got or want != want, f"{got!r} for {want!r}"
    return list(zip(wanted, found))


def has_values(op):
    return op.name not in RANDOM | FREE_UP_TO_SIGN


@pytest.mark.parametrize("name", OPS)
def test_values_and_gradients(name):
    op = OPS[name]

    def run():
        for dtype in (torch.float32, torch.float64) if name in SECOND_IN_FLOAT64 else (torch.float32,):
            twice = 2 if name not in SECOND_IN_FLOAT64 or dtype == torch.float64 else 0
            for n, (want, got, _, inputs) in enumerate(pairs(op, 6, dtype)):
                for i, (w, g) in enumerate(results(want, got)):
                    near(g, w, f"sample {n}, result {i}", has_values(op))
                    assert w.requires_grad == g.requires_grad, f"sample {n}: requires_grad {g.requires_grad}"
                gradients(op, want, got, inputs, f"sample {n}", second=n < twice)

    expect("values", name, run)


def gradients(op, want, got, inputs, where, second):
    """First derivatives with random weights and, for some, second ones."""
    live = [(w, g) for w, g in results(want, got) if w.requires_grad]
    leaves = [pair for pair in inputs if isinstance(pair[0], torch.Tensor) and pair[0].requires_grad]
    if not live or not leaves or not has_values(op):
        return
    generator = torch.Generator().manual_seed(3)
    weights = [torch.randn(w.shape, generator=generator, dtype=torch.float64).to(w.dtype) for w, _ in live]
    ours = [opdb.tensor(x, "cpu") for x in weights]
    second = second and op.supports_gradgrad
    for order in (1, 2) if second else (1,):
        try:
            theirs = torch.autograd.grad(
                [w for w, _ in live],
                [x for x, _ in leaves],
                weights,
                allow_unused=True,
                retain_graph=True,
                create_graph=second,
            )
        except (RuntimeError, NotImplementedError):
            return
        mine = lucid.autograd.grad(
            [g for _, g in live],
            [x for _, x in leaves],
            ours,
            allow_unused=True,
            retain_graph=True,
            create_graph=second,
        )
        live = []
        for i, (w, g) in enumerate(zip(theirs, mine)):
            if w is None:
                assert g is None or not bool((g != 0).any()), f"{where}: order {order}, a gradient where torch has none"
                continue
            assert g is not None, f"{where}: order {order}, no gradient for input {i}"
            near(g, w, f"{where}, order {order} gradient of input {i}", scale=5)  # sums of terms that cancel
            if w.requires_grad and g.requires_grad:
                live.append((w, g))
        weights = [torch.ones_like(w) * 0.5 for w, _ in live]
        ours = [opdb.tensor(x.detach(), "cpu") for x in weights]
        if not live:
            return


# halves are in test_halves.py
OTHER_TYPES = "float64 int64 bool complex64".split()


@pytest.mark.parametrize("name", OPS)
def test_other_types(name, examples):
    """Values, types and first gradients in the other types that the op has; without --all in one of them."""
    op = OPS[name]
    has = [t for t in OTHER_TYPES if getattr(torch, t) in op.supported_dtypes("cpu")]
    for t in has if examples.all else random.Random(f"{examples.seed} {name}").sample(has, min(1, len(has))):
        expect(t, name, lambda t=t: in_type(op, getattr(torch, t)))


def in_type(op, dtype):
    for n, (want, got, _, inputs) in enumerate(pairs(op, 12, dtype)):
        for i, (w, g) in enumerate(results(want, got)):
            near(g, w, f"sample {n}, result {i}", has_values(op))
        if dtype.is_floating_point or dtype.is_complex:
            gradients(op, want, got, inputs, f"sample {n}", second=False)


@pytest.mark.parametrize("name", OPS)
def test_strides(name):
    def run():
        for n, (want, got, _, _) in enumerate(pairs(OPS[name], 6)):
            for w, g in results(want, got):
                if w.layout == torch.strided:
                    assert w.stride() == g.stride(), (
                        f"sample {n}: strides {g.stride()} for {w.stride()}, shape {tuple(w.shape)}"
                    )

    expect("strides", name, run)


@functools.cache
def _spelled(node, depth=4):
    if node is None:
        return "None"
    if depth == 0:
        return type(node).__name__
    inner = ", ".join(_spelled(n, depth - 1) + (f"[{nr}]" if nr else "") for n, nr in node.next_functions)
    return f"{type(node).__name__}({inner})"


@pytest.mark.parametrize("name", OPS)
def test_graph(name):
    def run():
        for n, (want, got, _, _) in enumerate(pairs(OPS[name], 4)):
            for w, g in results(want, got):
                assert _spelled(w.grad_fn) == _spelled(g.grad_fn), (
                    f"sample {n}: {_spelled(g.grad_fn)} for {_spelled(w.grad_fn)}"
                )

    expect("graph", name, run)


@pytest.mark.parametrize("name", OPS)
def test_inputs_are_left_alone(name):
    """No result but a view shares memory with an input, and no call changes one."""
    op = OPS[name]

    def run():
        for n, (want, got, sample, inputs) in enumerate(pairs(op, 2)):
            if op.name.endswith("_"):
                continue
            for mine, theirs in [(b, a) for a, b in inputs if isinstance(a, torch.Tensor)]:
                near(mine, theirs.detach(), f"sample {n}: an input was changed")
            for w, g in results(want, got):
                shared = any(_same_memory(w, a) for a, _ in inputs if isinstance(a, torch.Tensor))
                if not shared and g.numel():
                    assert not any(_overlap(g, b) for _, b in inputs if isinstance(b, lucid.Tensor)), (
                        f"sample {n}: the result shares memory with an input"
                    )

    expect("memory", name, run)


def _same_memory(a, b):
    try:
        return a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr()
    except (RuntimeError, NotImplementedError):
        return True


def _overlap(a, b):
    import numpy

    return numpy.may_share_memory(a.detach().numpy(force=True), b.detach().numpy(force=True))
