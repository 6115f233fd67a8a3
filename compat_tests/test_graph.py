"""The graph reads as torch's: a walker prints the same text, nodes have the same names, saved values and hooks."""

import contextlib
import io
import math
import warnings

import opdb
import pytest
import torch
from both import agree, attempt, graph, outcome, same, same_outcome
from gaps import expect

import lucid


def show(fn, depth=0):
    print(" " * depth, type(fn).__name__)
    for nxt, _ in getattr(fn, "next_functions", ()):
        if nxt is not None:
            show(nxt, depth + 1)


@pytest.fixture(autouse=True)
def quiet():
    """torch warns of its own ways."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def text(result):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        show(result.grad_fn)
    return out.getvalue()


def mlp(t):
    m = t.nn.Sequential(t.nn.Linear(4, 8), t.nn.ReLU(), t.nn.Linear(8, 8), t.nn.Tanh(), t.nn.Linear(8, 3))
    return t.nn.functional.cross_entropy(m(t.randn(5, 4)), t.tensor([0, 1, 2, 1, 0]))


def cnn(t):
    m = t.nn.Sequential(
        t.nn.Conv2d(1, 4, 3, padding=1),
        t.nn.BatchNorm2d(4),
        t.nn.ReLU(),
        t.nn.MaxPool2d(2),
        t.nn.Dropout(0.2),
        t.nn.Flatten(),
        t.nn.Linear(64, 3),
        t.nn.LogSoftmax(1),
    )
    return t.nn.functional.nll_loss(m(t.randn(2, 1, 8, 8)), t.tensor([0, 2]))


def attention(t):
    q = k = v = t.randn(2, 5, 8, requires_grad=True)
    w = t.nn.Linear(8, 8)
    q, k, v = w(q), w(k), w(v)
    q, k, v = (x.view(2, 5, 2, 4).transpose(1, 2) for x in (q, k, v))
    scores = (q @ k.transpose(-2, -1)) / 2.0
    scores = scores.masked_fill(t.ones(5, 5).tril() == 0, float("-inf"))
    out = scores.softmax(-1) @ v
    return t.nn.LayerNorm(8)(out.transpose(1, 2).contiguous().view(2, 5, 8)).mean()


def sdpa(t):
    q = t.randn(2, 2, 5, 4, requires_grad=True)
    return t.nn.functional.scaled_dot_product_attention(q, q, q, is_causal=True).sum()


def chunks(t):
    a, b = t.randn(4, 6, requires_grad=True).chunk(2, dim=1)
    return a.sum() + b.sum(0).sum()


def custom(t):
    class MyMul(t.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            ctx.save_for_backward(x, y)
            return x * y

        @staticmethod
        def backward(ctx, g):
            x, y = ctx.saved_tensors
            return g * y, g * x

    x, y = t.randn(3, requires_grad=True), t.randn(3, requires_grad=True)
    return MyMul.apply(x * 2, y).exp().sum()


def embedding(t):
    e = t.nn.Embedding(7, 4)
    return (e(t.tensor([[1, 2], [3, 3]])) ** 2).mean(1).sum()


def indexing(t):
    x = t.randn(4, 5, requires_grad=True)
    return (x[1:, ::2][..., None] * x[0, 0]).sum() + x[[0, 2]].prod() + x[x > 0].sum() + x[:, 1].max()


def in_place(t):
    x = t.randn(3, 4, requires_grad=True)
    y = x * 1
    y[0] = y[1] * 2
    y.t()[0].mul_(3)
    y += x
    return y.relu_().sum()


def joins(t):
    x, y = t.randn(2, 3, requires_grad=True), t.randn(2, 3, requires_grad=True)
    s = t.stack([x, y], 1).flatten(1)
    return (
        t.cat([s, x.repeat(1, 2), y.expand(2, 3)], 1).var() + x.std(1).norm() + t.where(x > 0, x, y).logsumexp(0).sum()
    )


def losses(t):
    f, x = t.nn.functional, t.randn(4, requires_grad=True)
    y = t.rand(4)
    return (
        f.mse_loss(x, y)
        + f.l1_loss(x, y)
        + f.smooth_l1_loss(x, y)
        + f.binary_cross_entropy_with_logits(x, y)
        + f.kl_div(x.log_softmax(0), y)
        + f.huber_loss(x, y)
        + f.softplus(x).sum()
        + f.gelu(x).sum()
        + f.silu(x).mean()
    )


def numbers(t):
    x = t.randn(4, requires_grad=True)
    return (
        (2 - x) / (3 + x) * 2**x - x**2 + x ** x.abs() + 1 / x.exp() + x.clamp(0, 1) + x.sqrt().reciprocal() - -x
    ).sum()


PROGRAMS = [mlp, cnn, attention, sdpa, chunks, custom, embedding, indexing, in_place, joins, losses, numbers]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_walker(program):
    same(lambda t: text(program(t)))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_edges(program):
    """Names and output numbers, with shared nodes told apart from copies."""
    same(lambda t: graph(program(t).grad_fn))


def test_leaves_and_outputs():
    def facts(t):
        x = t.randn(4, requires_grad=True)
        y, (a, b) = x * 2, (x * 3).chunk(2)
        leaf = y.grad_fn.next_functions[0][0]
        y.retain_grad()
        d = x.detach()
        return (
            x.is_leaf,
            y.is_leaf,
            d.is_leaf,
            d.requires_grad,
            a.output_nr,
            b.output_nr,
            y.retains_grad,
            x.retains_grad,
            leaf.variable is x,
            leaf.next_functions,
            leaf.name(),
            y.grad_fn.name(),
            x.grad_fn,
            repr(y.grad_fn).split(" object")[0],
            type(y.grad_fn.metadata),
            a._base is not None,
            t.is_grad_enabled(),
        )

    same(facts)


def test_saved_values():
    def facts(t):
        x, w = t.tensor([1.0, 2.0], requires_grad=True), t.tensor([3.0, 4.0], requires_grad=True)
        m, e, s, p = (x * w).grad_fn, x.exp().grad_fn, x.sum(0, keepdim=True).grad_fn, (x**3).grad_fn
        found = [
            m._saved_self.tolist(),
            m._saved_other.tolist(),
            m._saved_self is x,
            [round(v, 5) for v in e._saved_result.tolist()],
            s._saved_keepdim,
            p._saved_exponent,
            (x * 2).grad_fn._saved_self,
        ]
        (x * w).sum().backward()
        y = (x * w).sum()
        node = y.grad_fn.next_functions[0][0]
        y.backward()
        try:
            node._saved_self
        except RuntimeError as error:
            found.append(str(error)[:60])
        return found

    got, want = facts(lucid), facts(torch)
    del got[2], want[2]  # lucid saves the array, and gives a new Tensor around it
    assert got == want


def test_node_hooks():
    def facts(t):
        log, x = [], t.tensor([1.0, 2.0], requires_grad=True)
        y = x * 3
        z = y * y
        y.grad_fn.register_prehook(lambda gs: log.append(("pre", gs[0].tolist())) or (gs[0] * 10,))
        handle = y.grad_fn.register_hook(
            lambda gi, go: log.append(("post", gi[0].tolist(), go[0].tolist())) or (gi[0] + 1, *gi[1:])
        )
        x.register_hook(lambda g: log.append(("leaf", g.tolist())))
        x.register_post_accumulate_grad_hook(lambda p: log.append(("accumulated", p.grad.tolist())))
        z.sum().backward(retain_graph=True)
        handle.remove()
        z.sum().backward()
        return log, x.grad.tolist()

    same(facts)


def test_engine_order():
    """Python code in backward runs in torch's order."""

    def facts(t):
        log = []

        class Note(t.autograd.Function):
            @staticmethod
            def forward(ctx, x, name):
                ctx.name = name
                return x * 1

            @staticmethod
            def backward(ctx, g):
                log.append(ctx.name)
                return g, None

        x = t.ones(2, requires_grad=True)
        a, b = Note.apply(x, "a"), Note.apply(x, "b")
        c = Note.apply(a + b, "c")
        d = Note.apply(b * 2, "d")
        x.register_hook(lambda g: log.append("x"))
        (Note.apply(c, "e") + d).sum().backward()
        return log

    same(facts)


@pytest.mark.parametrize("n", [100_000])
def test_long_chains_do_not_recurse(n):
    x = lucid.ones(1, requires_grad=True)
    y = x
    for _ in range(n):
        y = y + 1
    y.backward()
    assert x.grad.item() == 1
    del y  # freeing the chain must not recurse either


def test_gradients_never_alias():
    x, y = lucid.ones(3, requires_grad=True), lucid.ones(3, requires_grad=True)
    (x + y).sum().backward()
    x.grad.add_(5)
    assert y.grad.tolist() == [1, 1, 1]
    w = lucid.ones(3, requires_grad=True)
    seed = lucid.ones(3)
    (w * 1).backward(seed)
    w.grad.mul_(7)
    assert seed.tolist() == [1, 1, 1]


SHARING = [
    lambda x, y, z: (x + y + z).sum(),
    lambda x, y, z: (x + (y + z).reshape(4, 3)).exp().sum(),
    lambda x, y, z: (x + (y.view(12) + z.view(12)).view(4, 3)).exp().sum(),
    lambda x, y, z: (x + y.clone() + z).exp().sum(),
    lambda x, y, z: (x + y.t().t() + z.reshape(2, 6).reshape(4, 3)).exp().sum(),
    lambda x, y, z: (x + (y + x) + z).exp().sum(),
    lambda x, y, z: lucid.stack([x + y, x + z]).exp().sum(),
    lambda x, y, z: (x + y).exp().sum() + (y + z).exp().sum(),
    lambda x, y, z: lucid.relu(x + y)[1:].sum() + (z + x).sum(),
]


@pytest.mark.parametrize("i", range(len(SHARING)))
@pytest.mark.parametrize("hooked", [False, True])
def test_leaves_never_share_a_gradient(i, hooked):
    """One gradient array handed to several inputs is copied by all but one leaf."""
    import itertools

    import numpy

    leaves = [lucid.ones(4, 3, requires_grad=True) for _ in range(3)]
    if hooked:
        leaves[0].register_post_accumulate_grad_hook(lambda p: None)
    SHARING[i](*leaves).backward()
    for a, b in itertools.combinations([v.grad.numpy() for v in leaves], 2):
        assert not numpy.shares_memory(a, b)


def test_accumulation_keeps_the_grad_object():
    def facts(t):
        x = t.ones(3, requires_grad=True)
        x.sum().backward()
        g = x.grad
        (x * 2).sum().backward()
        return g is x.grad, g.tolist()

    same(facts)


@pytest.mark.parametrize(
    "shapes", [((1, 3), (4, 3)), ((3,), (4, 3)), ((4, 1), (4, 3)), ((), (2,)), ((2, 1, 3), (5, 2, 4, 3))]
)
def test_a_functions_gradient_is_summed_to_its_inputs_shape(shapes):
    def program(m):
        class Stretch(m.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x.expand(shapes[1]) * 1

            @staticmethod
            def backward(ctx, g):
                return g

        x = m.ones(shapes[0], requires_grad=True)
        (Stretch.apply(x) * m.arange(float(math.prod(shapes[1]))).reshape(shapes[1])).sum().backward()
        return x.grad

    same(program)


def test_a_hook_that_changes_the_size_is_named():
    def program(m):
        def shorter(g):
            return g[:1]

        y = m.ones(2, requires_grad=True) * 2
        y.register_hook(shorter)
        y.sum().backward()

    same_outcome(program)


@pytest.mark.parametrize("name", ["exp", "tanh", "sigmoid", "sqrt", "softmax", "pow", "sin", "cumprod"])
def test_saved_tensors_are_the_programs_own(name):
    """Where torch hands out the tensor that the program holds, or one of its memory and version, so does lucid."""
    options = {"softmax": (0,), "pow": (2.5,), "cumprod": (0,)}.get(name, ())

    def program(m):
        x = (m.arange(3.0).add(1).requires_grad_() * 1).sub(0)
        y = getattr(m, name)(x, *options)
        saved = {place: getattr(y.grad_fn, place, None) for place in ("_saved_self", "_saved_result")}
        yield saved, saved["_saved_self"] is x
        with m.no_grad():
            y.add_(1)
        yield {place: None if t is None else t._version for place, t in saved.items()}
        yield attempt(lambda: y.grad_fn._saved_result)

    same(program, rtol=1e-6)


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("freeze", ["requires_grad_(False)", "detach_()", "requires_grad = False"])
@pytest.mark.parametrize("hooked", [False, True])
@pytest.mark.parametrize("create", [False, True])
def test_frozen_leaves(freeze, again, hooked, create):
    """A graph gives no gradient to a leaf that stopped to want one since, and gives it to one that wants it again."""

    def program(m):
        seen = []
        w, v = m.ones(2, requires_grad=True), m.ones(2, requires_grad=True)
        if hooked:
            w.register_hook(lambda g: seen.append(g.clone()))
        y = (w * v).pow(2).sum()
        exec(f"w.{freeze}")
        if again:
            w.requires_grad_()
        z = (w * 3 * v).sum()
        (y + z).backward(create_graph=create, retain_graph=True)
        yield [None if g is None else g.detach() for g in (w.grad, v.grad, *seen)]
        product = y.grad_fn.next_functions[0][0].next_functions[0][0]
        yield again and product.next_functions[0][0] is (w * 2).grad_fn.next_functions[0][0]
        yield attempt(lambda: m.autograd.grad(product(m.ones(2))[0].sum() if create else y, w, retain_graph=True))

    same(program, quiet=True)


NO_DERIVATIVE = {
    f"{op.name} {str(dtype).rpartition('.')[2]}": (op, dtype)
    for op in opdb.op_db
    for dtype in (torch.float32, torch.complex64)
    if dtype in op.dtypes and opdb.counterpart(op) is not None
    if not (op.supports_autograd and dtype in op.supported_backward_dtypes("cpu"))
}


@pytest.mark.parametrize("case", NO_DERIVATIVE)
def test_what_has_no_derivative(case):
    """What torch records or refuses of an operand that wants a gradient, though nothing leads back to it."""
    op, dtype = NO_DERIVATIVE[case]

    def run(m, sample):
        input, args, kwargs = sample
        if not isinstance(input, m.Tensor):
            return "no tensor"
        out = (op.op if m is torch else opdb.counterpart(op))(input.requires_grad_(), *args, **kwargs)
        found = [o for o in (out if isinstance(out, (tuple, list)) else [out]) if isinstance(o, m.Tensor)]
        yield [(o.requires_grad, o.grad_fn and o.grad_fn.name()) for o in found]
        wanting = [o.abs().sum() for o in found if o.requires_grad]
        yield attempt(sum(wanting).backward) if wanting else None

    def compare():
        for sample in list(opdb.samples(op, 4, dtype)):
            theirs = sample
            if isinstance(sample[0], torch.Tensor):
                theirs = (sample[0].detach().clone(), *sample[1:])
            ours = opdb.carried(theirs, "cpu", {})
            wanted, got = (outcome(run, m, s, may_raise=True, quiet=True) for m, s in ((torch, theirs), (lucid, ours)))
            agree(got, wanted)

    expect("no-derivative", case, compare)
