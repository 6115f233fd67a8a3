"""float16 and bfloat16: every op of op_db within torch's tolerance, or nearer to the float64 value than torch is."""

import numpy as np
import opdb
import pytest
import torch
from both import close, same, same_outcome
from gaps import expect
from test_op_db import FREE_UP_TO_SIGN, OPS, RANDOM, call, pairs, results

import lucid

HALVES = {"float16": (torch.float16, 1e-3, 1e-5), "bfloat16": (torch.bfloat16, 1.6e-2, 1e-5)}  # assert_close's defaults
# Which of equal elements comes first, and so where a gradient goes, depends on the processor in torch.
TIES = {"sort", "msort", "argsort", "topk", "mode"}
# Draw random numbers, which torch rounds to the type as it draws them.
DRAWN = RANDOM | {n for n in OPS if "dropout" in n or "rand" in n or n in ("normal", "bernoulli", "multinomial")}


def exact(op, sample, weights):
    """(results, gradients of the inputs that want one) in float64, from the same inputs."""
    wide = widened(sample)
    leaves = [t for t in opdb.leaves(wide, torch.Tensor) if t.requires_grad]
    found = opdb.leaves(call(op.op, wide), torch.Tensor)
    live = [t for t in found if t.requires_grad]
    grads = torch.autograd.grad(live, leaves, [w.double() for w in weights], allow_unused=True) if weights else ()
    return found, grads


def widened(value):
    """A sample with its halves in float64."""
    if isinstance(value, torch.Tensor):
        kind = torch.float64 if value.dtype in (torch.float16, torch.bfloat16) else value.dtype
        return value.detach().to(kind).requires_grad_(value.requires_grad)
    if isinstance(value, (list, tuple)) and not isinstance(value, torch.Size):
        return type(value)([widened(v) for v in value])
    if value in (torch.float16, torch.bfloat16):
        return torch.float64
    return {k: widened(v) for k, v in value.items()} if isinstance(value, dict) else value


def near(got, want, exactly, rtol, atol, where):
    """Each element within the tolerance of torch's, or at least as near to exactly() as torch's is."""
    got = torch.from_numpy(got.detach().double().numpy().copy()) if got.dtype.is_floating_point else None
    assert got is not None and got.shape == want.shape, f"{where}: another type or shape"
    dtype, want = want.dtype, want.detach().double()
    differ = ~torch.isclose(got, want, rtol, atol, equal_nan=True)
    if differ.any():
        truth = exactly()
        assert truth is not None, f"{where}: {got[differ][:3].tolist()} for torch's {want[differ][:3].tolist()}"
        truth = (
            truth.to(dtype).double() if truth.abs().max() > torch.finfo(dtype).max else truth
        )  # infinite in this type
        mine, theirs = (got - truth).abs()[differ], (want - truth).abs()[differ]
        right = torch.isclose(got, truth, rtol, atol, equal_nan=True)[differ]
        worse = ~((mine <= theirs) | right)
        assert not worse.any(), (
            f"{where}: {int(worse.sum())} of {len(worse)} that differ are farther from float64: "
            f"{got[differ][worse][:3].tolist()}, torch {want[differ][worse][:3].tolist()}, "
            f"float64 {truth[differ][worse][:3].tolist()}"
        )


def compare(name, kind):
    op, (dtype, rtol, atol) = OPS[name], HALVES[kind]
    for n, (want, got, sample, inputs) in enumerate(pairs(op, 4, dtype)):
        found = results(want, got)
        for i, (w, g) in enumerate(found):
            if not w.is_floating_point() and name not in TIES:
                close(g, w, f"sample {n}, result {i}")
        found = [(w, g) for w, g in found if w.is_floating_point()]
        live = [(w, g) for w, g in found if w.requires_grad]
        leaves = [pair for pair in inputs if isinstance(pair[0], torch.Tensor) and pair[0].requires_grad]
        generator = torch.Generator().manual_seed(3)
        weights = [torch.randn(w.shape, generator=generator, dtype=torch.float64).to(w.dtype) for w, _ in live]
        known = []

        def truth(part, i):
            if not known:
                known.append(exact(op, sample, weights if leaves else ()))
            values = known[0][part]
            if not part:
                values = [t for t in values if t.is_floating_point()]
            return None if values[i] is None else values[i].detach()

        for i, (w, g) in enumerate(found):
            near(g, w, lambda i=i: truth(0, i), rtol, atol, f"sample {n}, result {i}")
        if live and leaves and name not in TIES:
            tensors = [w for w, _ in live]
            theirs = torch.autograd.grad(tensors, [x for x, _ in leaves], weights, allow_unused=True)
            ours = [opdb.tensor(w, "cpu") for w in weights]
            mine = lucid.autograd.grad([g for _, g in live], [x for _, x in leaves], ours, allow_unused=True)
            for i, (w, g) in enumerate(zip(theirs, mine, strict=True)):
                if w is not None:
                    near(g, w, lambda i=i: truth(1, i), rtol, 10 * atol, f"sample {n}, gradient of input {i}")


def entries(kind):
    dtype = HALVES[kind][0]
    return [n for n, op in OPS.items() if dtype in op.dtypes and op.name not in DRAWN | FREE_UP_TO_SIGN]


@pytest.mark.parametrize("name", entries("float16"))
def test_float16(name):
    expect("float16", name, lambda: compare(name, "float16"))


@pytest.mark.parametrize("name", entries("bfloat16"))
def test_bfloat16(name):
    expect("bfloat16", name, lambda: compare(name, "bfloat16"))


def halved(value, dtype):
    """A float32 sample in halves."""
    if isinstance(value, torch.Tensor):
        return value.detach().to(dtype) if value.dtype == torch.float32 else value.detach()
    if isinstance(value, (list, tuple)) and not isinstance(value, torch.Size):
        return type(value)([halved(v, dtype) for v in value])
    return {k: halved(v, dtype) for k, v in value.items()} if isinstance(value, dict) else value


@pytest.mark.parametrize("kind", HALVES)
@pytest.mark.parametrize("name", [n for n in OPS if OPS[n].name not in DRAWN])
def test_no_type_comes_out_that_halves_do_not_give(name, kind):
    """What computes in float32 does not show it: results have torch's types; where torch refuses, lucid does or stays with
    halves."""
    op, dtype = OPS[name], HALVES[kind][0]
    f, done = opdb.counterpart(op), 0
    for sample in opdb.samples(op, 2, largest=2000):
        inputs = halved(sample, dtype)
        try:
            twin = opdb.carried(inputs, "cpu", {})
        except opdb.Unsupported:
            continue
        done += 1
        try:
            got = [str(t.dtype) for t in opdb.leaves(call(f, twin), lucid.Tensor)]
        except (NotImplementedError, RuntimeError, TypeError):
            continue  # which of them is the matter of test_error_inputs
        try:
            want = [str(t.dtype) for t in opdb.leaves(call(op.op, inputs), torch.Tensor)]
        except Exception:
            want = [t if t in ("torch.bool", "torch.int64", "torch.int32", "torch.uint8") else str(dtype) for t in got]
        assert got == want
    if not done:
        pytest.skip("no sample that lucid can be given")


NUMBERS = [1.7, 70_000.0, 1e-5, 3, True]
BESIDE = {
    "mul": lambda m, x, y: x * y,
    "mul_": lambda m, x, y: x.detach().clone().mul_(y),
    "div": lambda m, x, y: x / y,
    "div_": lambda m, x, y: x.detach().clone().div_(y),
    "floor": lambda m, x, y: m.div(x.detach(), y, rounding_mode="floor"),
    "trunc": lambda m, x, y: m.div(x.detach(), y, rounding_mode="trunc"),
    "floor_divide": lambda m, x, y: x.detach() // y,
    "ldexp": lambda m, x, y: m.ldexp(x, y) if y.is_floating_point() and y < 9 else x,
    "out": lambda m, x, y: m.mul(x.detach(), y, out=m.empty(x.shape)),
    "add": lambda m, x, y: x + y,
    "before": lambda m, x, y: y * x,
}


@pytest.mark.parametrize("kind", HALVES)
@pytest.mark.parametrize("name", BESIDE)
def test_a_number_tensor_keeps_its_precision(name, kind):
    """A 0-dim second operand of mul, div and their kin is not rounded to the halves beside it, nor is a number."""

    def program(m):
        for value in NUMBERS:
            for number in (m.tensor(value), value):
                if name == "ldexp" and number is value:
                    continue
                x = m.linspace(0.1, 30, 64).to(getattr(m, kind)).requires_grad_()
                y = BESIDE[name](m, x, number)
                yield y
                if y.requires_grad and y is not x:
                    yield m.autograd.grad(y.sum(), x)[0]

    same(program, looks="requires_grad")


@pytest.mark.parametrize("kind", HALVES)
def test_a_number_tensor_beside_halves_has_its_gradients(kind):
    def program(m):
        x = m.tensor([0.125, 0.25, 3.0]).to(getattr(m, kind)).requires_grad_()
        s = m.tensor(1.5, requires_grad=True)
        for f in (lambda: x * s, lambda: x / s):
            yield m.autograd.grad(f().sum(), (x, s))
            (g,) = m.autograd.grad(f().sum(), x, create_graph=True)
            yield m.autograd.grad(g.sum(), s)

    same(program, rtol=1e-2)


@pytest.mark.parametrize("kind", HALVES)
@pytest.mark.parametrize("name", ["threshold", "hardshrink", "softshrink"])
def test_at_a_bound(name, kind):
    """Where the input is the bound, rounded: does the kernel compare with the number or with what it rounds to?"""
    how = {"threshold": (9.0,)}.get(name, ())

    def program(m):
        for bound in (0.03, 0.1, 0.3, 0.7, 1.7, 2.3):
            edge = m.tensor([bound]).to(getattr(m, kind))
            x = m.cat([edge, -edge, edge * 1.01, edge * 0.99]).repeat(16).requires_grad_()
            y = getattr(m.nn.functional, name)(x, bound, *how)
            yield y
            if name != "softshrink":  # its gradient compares otherwise in torch
                yield m.autograd.grad(y.sum(), x)[0]

    same(program, rtol=0, looks="requires_grad")  # zeros of either sign


FILLS = {
    "fill_": lambda m, x, v: x.fill_(v),
    "masked_fill": lambda m, x, v: x.masked_fill(x > 0, v),
    "masked_fill_": lambda m, x, v: x.masked_fill_(x > 0, v),
    "index_fill": lambda m, x, v: x.index_fill(0, m.tensor([1]), v),
    "full": lambda m, x, v: m.full((2,), v, dtype=x.dtype),
    "full_like": lambda m, x, v: m.full_like(x, v),
    "constant_": lambda m, x, v: m.nn.init.constant_(x, v),
}


@pytest.mark.parametrize("name", FILLS)
def test_a_value_that_does_not_fit_is_refused(name):
    for kind, value in [
        ("float16", 1e5),
        ("float16", -1e9),
        ("float16", 65504.0),
        ("float16", 65519),
        ("float16", float("-inf")),
        ("bfloat16", -1e9),
        ("bfloat16", 1e39),
        ("float32", 1e39),
        ("float32", float("nan")),
        ("float64", 1e39),
    ]:
        same_outcome(lambda m: FILLS[name](m, m.ones(3, dtype=getattr(m, kind)), value), name=f"{kind} {value}")


@pytest.mark.parametrize("kind", HALVES)
@pytest.mark.parametrize("shape", [(5, 3, 8), (2, 5, 3, 8)])
def test_attention_computes_in_float32(shape, kind):
    """One operation after another, which torch does in float32 for halves."""

    def program(m):
        m.manual_seed(0)
        q, k, v = [m.randn(shape, dtype=m.float64).to(getattr(m, kind)).requires_grad_() for _ in range(3)]
        mask = m.randn(3, 3, dtype=m.float64).to(q.dtype).requires_grad_() if len(shape) == 4 else None
        y = m.nn.functional.scaled_dot_product_attention(q, k, v, mask)
        return y, m.autograd.grad(y.sum(), (q, k, v) if mask is None else (q, k, v, mask))

    same(program, rtol=2 * torch.finfo(getattr(torch, kind)).eps, atol=1e-4, looks="graph")


@pytest.mark.parametrize("kind", ["float16", "bfloat16", "float32"])
def test_a_number_tensor_as_weight_of_lerp(kind):
    """A 0-dim weight may have any type."""

    def program(m):
        for weight in (m.tensor(0.3), m.tensor(0.3, dtype=m.float64), m.tensor(0.3, dtype=m.float16), m.tensor(1)):
            x = m.tensor([0.5, 2.0]).to(getattr(m, kind)).requires_grad_()
            y = m.lerp(x, x * 3, weight)
            yield y, m.autograd.grad(y.sum(), x), x.detach().clone().lerp_(x.detach() + 1, weight)
        yield m.lerp(m.ones(2), m.ones(2), m.tensor([0.3], dtype=m.float64))

    same_outcome(program, looks="requires_grad", rtol=2e-3)


@pytest.mark.parametrize("shape", [(50, 5), (20, 300), (4, 7, 3), (7,), (), (0, 3)], ids=str)
@pytest.mark.parametrize("dtype", HALVES)
def test_log_softmax_rounds_on_the_way(dtype, shape):
    """Along the last dimension torch rounds the sum and its logarithm; what is the nearer number does not matter."""

    def run(m):
        x = m.from_numpy(np.asarray(np.random.default_rng(0).standard_normal(shape) * 3)).to(getattr(m, dtype))
        return x.log_softmax(-1)

    same(run)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("reduction", ["sum", "mean", "none"])
@pytest.mark.parametrize("dtype", HALVES)
def test_nll_loss_adds_up_in_the_type_itself(dtype, reduction, weighted):
    """In partial sums of sixteen, each rounded, which decides what a loss near 2 is: halves have steps of 1 / 128."""

    def run(m, n, room, ignoring):
        rng = np.random.default_rng(n)
        x = m.from_numpy(-4 * rng.random((n, 5, *room))).to(getattr(m, dtype)).requires_grad_()
        target = m.from_numpy(rng.integers(0, 5, (n, *room)))
        if ignoring:
            target[::3] = -100
        weight = m.from_numpy(rng.random(5)).to(x.dtype) if weighted else None
        loss = m.nn.functional.nll_loss(x, target, weight, reduction=reduction)
        return loss.detach(), m.autograd.grad(loss.sum(), x)

    for n in (1, 3, 17, 40, 300, 600):
        for room in ((), (2, 3)):
            for ignoring in (False, True):
                if n > 1 or not ignoring:  # nothing is left to divide by
                    same(run, n, room, ignoring, name=f"{n} {room} {ignoring}")


FLOAT8 = ["float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz"]
EDGES = """300 448 449 464 465 500 1e9 inf -inf nan -1e9 57344 60000 61439 61440 61441 65504 65505 65519.9 65520 65536 1e6
    240 241 247.9 248 249 -248 9e-4 97e-5 98e-5 1e-5 -1e-9 0 -0.0 3.4e38""".split()
HALFWAY = [1 + 2.0**-11 + 2.0**-40, 1 + 2.0**-11 - 2.0**-40, 1 + 3 * 2.0**-11 - 2.0**-40, 1 + 2.0**-8 + 2.0**-40]


@pytest.mark.parametrize("source", ["float64", "float32", "bfloat16", "int64", "numbers"])
@pytest.mark.parametrize("dtype", [*HALVES, *FLOAT8])
def test_conversion_to_few_bits(dtype, source):
    """Doubles become halves by way of float32; what is too large is infinite, or the largest number of float8_e4m3fn."""

    def run(m):
        values, kind = [*map(float, EDGES), *HALFWAY], getattr(m, dtype)
        if source == "numbers":
            found = [m.tensor(values, dtype=kind)] + [m.full((), v, dtype=kind) for v in values]
            found += [m.zeros((), dtype=kind).fill_(v) for v in values]
        elif source == "int64":
            found = [m.tensor([int(v) for v in values if abs(v) < 2**60]).to(kind)]
        else:
            wide = m.tensor(values, dtype=getattr(m, source))
            found = [wide.to(kind), m.zeros(len(values), dtype=kind).copy_(wide)]
        return [(t.float(), t.view(m.uint8) if kind.itemsize == 1 else None) for t in found]

    same(run, rtol=0)


@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
@pytest.mark.parametrize("options", [{}, {"is_causal": True}])
@pytest.mark.filterwarnings("ignore:There is a performance drop")
@pytest.mark.parametrize("batched", ["query", "all"])
def test_attention_of_batches(batched, options, kind):
    """Batches of halves stay halves, in results and in gradients."""

    def program(m):
        x = (m.arange(768.0).reshape(3, 2, 2, 4, 16) * 0.37).sin().to(getattr(m, kind)).requires_grad_()
        f = m.nn.functional.scaled_dot_product_attention
        if batched == "all":
            out = m.func.vmap(lambda a: f(a, a * 2, a + 1, **options))(x)
        else:
            out = m.func.vmap(lambda a: f(a, x[0], x[1], **options))(x)
        yield out
        yield m.autograd.grad(out.float().square().sum(), x)

    same(program, looks="", rtol=0.1, of_largest=8 * torch.finfo(getattr(torch, kind)).eps)


@pytest.mark.parametrize("heads", [(4, 2, 2), (4, 1, 2), (1, 4, 4), (3, 2, 2), (4, 3, 3), (1, 4, 2), (2, 4, 1)])
@pytest.mark.parametrize("dims", [3, 4])
def test_shared_heads(heads, dims):
    """Heads that do not divide the query's are refused, never repeated no times."""

    def program(m):
        q, k, v = [m.ones(2, n, 5, 8) if dims == 4 else m.ones(n, 5, 8) for n in heads]
        return m.nn.functional.scaled_dot_product_attention(q, k, v, enable_gqa=True)

    same_outcome(program, looks="", rtol=1e-6)


@pytest.mark.parametrize("p", [-1.0, 0.0, 2.0])
def test_refused_dropout_of_attention(p):
    def program(m):
        return m.nn.functional.scaled_dot_product_attention(*[m.ones(2, 2, 5, 8)] * 3, dropout_p=p)

    same_outcome(program, looks="", rtol=1e-6)
