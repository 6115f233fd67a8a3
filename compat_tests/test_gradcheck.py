"""gradcheck and gradgradcheck give torch's verdicts, right Functions and wrong ones, under all of their options."""

import itertools
import random
import warnings

import pytest
import torch
from both import BOTH, same_outcome

import lucid


def plain(forward, backward, jvp=None, **settings):
    """A maker of Functions: forward(m, ctx, *inputs), backward(m, ctx, *gradients)."""

    def make(m):
        def run(ctx, *inputs):
            if "materialize" in settings:
                ctx.set_materialize_grads(settings["materialize"])
            return forward(m, ctx, *inputs)

        own = {"forward": staticmethod(run), "backward": staticmethod(lambda ctx, *g: backward(m, ctx, *g))}
        if jvp is not None:
            own["jvp"] = staticmethod(lambda ctx, *t: jvp(m, ctx, *t))
        return type("Own", (m.autograd.Function,), own).apply

    return make


def saving(f):
    def forward(m, ctx, *inputs):
        ctx.save_for_backward(*inputs)
        ctx.calls = 0
        return f(m, *inputs)

    return forward


def counted(m, ctx, g):
    ctx.calls += 1
    return g * (2 + 1e-4 * ctx.calls)


def only_where_there_is(m, ctx, g, h):
    (x,) = ctx.saved_tensors
    if g is None and h is None:
        return None
    return (0 if g is None else g * 2) + (0 if h is None else h * 3)


square = saving(lambda m, x: x * x)
SQUARE_JVP = lambda m, ctx, t: 2 * ctx.saved_tensors[0] * t
double = saving(lambda m, x: x * 2)
pair = saving(lambda m, x: (x * 2, x * 3))

# name: (maker of a function of m, number of inputs)
FUNCTIONS = {
    "sin": (lambda m: m.sin, 1),
    "product": (lambda m: lambda x, y: x * y, 2),
    "product, sum": (lambda m: lambda x, y: (x * y, (x + y).sum()), 2),
    "matmul": (lambda m: lambda x, y: x @ y.t(), 2),
    "no output": (lambda m: lambda x: (), 1),
    "a constant": (lambda m: lambda x: m.ones(3, dtype=m.float64), 1),
    "detached": (lambda m: lambda x: (x * 2).detach(), 1),
    "partly detached": (lambda m: lambda x: (x * 2, (x * 3).detach()), 1),
    "an integer too": (lambda m: lambda x: (x * 2, (x * 3).long()), 1),
    "itself": (lambda m: lambda x: x, 1),
    "of a part": (lambda m: lambda x: x.reshape(-1)[1:], 1),
    "unused": (lambda m: lambda x, y: x * 2, 2),
    "modulus": (lambda m: lambda x: x.abs(), 1),
    "complex out": (
        lambda m: lambda x: m.view_as_complex(m.stack([x.sin(), x * x], -1)) if not x.is_complex() else x * x,
        1,
    ),
    "conjugate": (lambda m: lambda x, y: (x.conj() * y, y.real), 2),
    "half way": (lambda m: lambda x: x.float().double() * 2, 1),
    "a kink": (lambda m: lambda x: (x - x.detach()).relu(), 1),
    "a root at zero": (lambda m: lambda x: (x - x.detach()).abs().sqrt(), 1),
    "raises": (lambda m: lambda x: x.view(-1, 7), 1),
    "shape by value": (lambda m: lambda x: x[x.abs() > 1e-3], 1),
    "right": (plain(square, lambda m, ctx, g: 2 * ctx.saved_tensors[0] * g), 1),
    "right with jvp": (plain(square, lambda m, ctx, g: 2 * ctx.saved_tensors[0] * g, SQUARE_JVP), 1),
    "wrong": (plain(square, lambda m, ctx, g: 3 * ctx.saved_tensors[0] * g), 1),
    "wrong jvp": (plain(square, lambda m, ctx, g: 2 * ctx.saved_tensors[0] * g, lambda m, ctx, t: t * 3), 1),
    "slightly wrong": (plain(double, lambda m, ctx, g: g * 2.0001), 1),
    "wrong by 1e-2": (plain(double, lambda m, ctx, g: g * 2.02), 1),
    "one entry wrong": (plain(double, lambda m, ctx, g: g * 2 + (m.arange(g.numel()).view_as(g) == 1) * g), 1),
    "never the same": (plain(double, counted), 1),
    "not multiplied": (plain(double, lambda m, ctx, g: g * 2 + 1), 1),
    "None": (plain(double, lambda m, ctx, g: None), 1),
    "wrong size": (plain(double, lambda m, ctx, g: g.sum() * 2), 1),
    "another type": (plain(double, lambda m, ctx, g: g.to(m.float32) * 2 if not g.is_complex() else g * 2), 1),
    "nan": (plain(double, lambda m, ctx, g: g * float("nan")), 1),
    "not batchable": (plain(double, lambda m, ctx, g: g * (2 if g.sum().item() > -1e9 else 2)), 1),
    "wrong in batches": (plain(double, lambda m, ctx, g: g * (2 if (g == 0).any() | True else 2)), 1),
    "second order wrong": (plain(square, lambda m, ctx, g: 2 * ctx.saved_tensors[0].detach() * g), 1),
    "None handled": (plain(pair, only_where_there_is, materialize=False), 1),
    "None not handled": (plain(pair, lambda m, ctx, g, h: g * 2 + h * 3, materialize=False), 1),
    "None raises": (plain(pair, lambda m, ctx, g, h: m.add(g * 2, h[7]) if h is None else g * 2 + h * 3), 1),
    "None is one": (
        plain(double, lambda m, ctx, g: m.ones(2, 3, dtype=m.float64) if g is None else g * 2, materialize=False),
        1,
    ),
    "refuses None": (plain(pair, lambda m, ctx, g, h: _refuse(g, h) or g * 2 + h * 3, materialize=False), 1),
    "linear": (lambda m: lambda x, y: m.nn.functional.linear(x, y), 2),
    "softmax": (lambda m: lambda x: x.softmax(-1), 1),
    "sort": (lambda m: lambda x: x.sort()[0], 1),
    "sort with places": (lambda m: lambda x: x.sort(), 1),
}


def _refuse(*grads):
    if any(g is None for g in grads):
        raise RuntimeError("a gradient is missing")


INPUTS = {
    "float64": lambda m, chance: m.tensor(
        [[chance.uniform(-2, 2) for _ in range(3)] for _ in range(2)], dtype=m.float64
    ),
    "float32": lambda m, chance: m.tensor([[chance.uniform(-2, 2) for _ in range(3)] for _ in range(2)]),
    "complex128": lambda m, chance: m.tensor(
        [[complex(chance.uniform(-2, 2), chance.uniform(-2, 2)) for _ in range(3)] for _ in range(2)]
    ).to(m.complex128),
    "strided": lambda m, chance: m.tensor([[chance.uniform(-2, 2)] * 2 for _ in range(3)], dtype=m.float64).t(),
    "expanded": lambda m, chance: m.tensor([chance.uniform(-2, 2)], dtype=m.float64).expand(2, 3),
    "empty": lambda m, chance: m.empty(0, 3, dtype=m.float64),
    "number": lambda m, chance: m.tensor(chance.uniform(0.5, 2), dtype=m.float64),
}
OPTIONS = {
    "fast_mode": [True],
    "check_forward_ad": [True],
    "check_backward_ad": [False],
    "check_batched_grad": [True],
    "check_batched_forward_grad": [True],
    "check_undefined_grad": [False],
    "check_grad_dtypes": [True],
    "nondet_tol": [1e-3, 10.0],
    "raise_exception": [False],
    "atol": [0.5],
    "rtol": [0.1],
    "eps": [1e-3],
    "masked": [True, False],
}


def verdict(m, check, name, kind, seed, options):
    """What gradcheck says: True, False, or the error's class and, of its own errors, the first words of the text."""
    make, count = FUNCTIONS[name]
    chance = random.Random(seed)
    inputs = [INPUTS[kind](m, chance).requires_grad_(n == 0 or seed % 3 > 0) for n in range(count)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return getattr(m.autograd, check)(make(m), tuple(inputs), **options)
        except Exception as error:
            name = type(error).__name__
            return f"{name}: {str(error)[:30].strip()}" if name == "GradcheckError" else name


def slips(check, name, kind, seed, options):
    """Does torch's own gradcheck fail over itself? It does where some results need no gradient, in forward mode, where
    gradgradcheck has nothing to differentiate, and where vmap meets a conjugate view."""
    options = {k: v for k, v in options.items() if k != "raise_exception"}
    make, count = FUNCTIONS[name]
    inputs = [INPUTS[kind](torch, random.Random(seed)).requires_grad_() for _ in range(count)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            getattr(torch.autograd, check)(make(torch), tuple(inputs), **options)
        except Exception as error:
            return any(text in str(error) for text in ("INTERNAL ASSERT", "tuple index", "missing 1 required"))
    return False


def chosen(chance):
    options = {k: chance.choice(v) for k, v in OPTIONS.items() if chance.random() < 0.25}
    if options.get("check_backward_ad") is False:
        options["check_forward_ad"] = True
        options.pop("check_batched_grad", None)
    if "check_batched_forward_grad" in options:
        options["check_forward_ad"] = True
    return options


def for_gradgrad(options):
    """gradgradcheck has other names for two of them, and lacks one."""
    options = {k: v for k, v in options.items() if k not in ("check_backward_ad", "check_batched_forward_grad")}
    if "check_forward_ad" in options:
        options["check_fwd_over_rev"] = options.pop("check_forward_ad")
    return options


def cases(seed, count):
    """(check, function, inputs, seed, options): every function with every input, then options at random."""
    chance = random.Random(seed)
    every = list(itertools.product(FUNCTIONS, INPUTS))
    for n in range(count):
        name, kind = chance.choice(every)
        if chance.random() < 0.5:
            kind = "float64"
        options, check = chosen(chance), chance.choice(["gradcheck", "gradcheck", "gradgradcheck"])
        if kind == "float32":  # whose differences are noise: to the bit in gradcheck, not where gradients are random
            check, options["fast_mode"] = "gradcheck", False
        if name == "wrong jvp":
            check = "gradcheck"
        if check == "gradgradcheck":  # the gradients are random there: nothing may depend on how large they are
            options.pop("atol", None)
        yield check, name, kind, n, options if check == "gradcheck" else for_gradgrad(options)


def test_verdicts(examples):
    wrong = []
    count = examples.some(400, 5000)
    for case in cases(examples.seed, count):
        wanted, got = (verdict(m, *case) for m in BOTH)
        if wanted != got and not slips(*case):
            wrong.append(f"{case}: {got}, torch {wanted}")
    assert len(wrong) <= count / 1000, f"{len(wrong)} of {count}\n" + "\n".join(wrong[:30])


def test_arguments():
    def program(m, check, inputs, options):
        inputs = [m.ones(2, dtype=m.float64).requires_grad_(r) for r in inputs]
        return getattr(m.autograd, check)(lambda *x: sum(x) * 2, inputs, **options)

    off = {"check_backward_ad": False}
    for options in (
        off,
        off | {"check_forward_ad": True, "check_batched_grad": True},
        {"check_batched_forward_grad": True},
    ):
        same_outcome(program, "gradcheck", [True], options)
    off = {"check_rev_over_rev": False}
    for options in (off, off | {"check_fwd_over_rev": True}):
        same_outcome(program, "gradgradcheck", [True], options)
    for inputs in ([False], [], [True, False]):
        same_outcome(program, "gradcheck", inputs, {})
    same_outcome(lambda m: m.autograd.gradcheck(m.sin, m.ones(2, requires_grad=True).expand(3, 2)))


def test_inputs_are_as_they_were():
    x = lucid.randn(3, 4, dtype=lucid.float64).t().requires_grad_()
    before = x.detach().clone()
    for fast in (False, True):
        assert lucid.autograd.gradcheck(lambda x: x.sin(), x, fast_mode=fast)
        with pytest.raises(ZeroDivisionError):
            lucid.autograd.gradcheck(lambda x: x * 2 if bool((x == before).all()) else 1 / 0, x, fast_mode=fast)
        assert bool((x == before).all())


@pytest.mark.parametrize("check, calls", [("gradcheck", 700), ("gradgradcheck", 1600)])
def test_elements_are_not_read_one_by_one(check, calls, monkeypatch):
    """A convolution costs two calls for each element of its inputs, and next to nothing besides."""
    count = [0, 0]

    def conv(x, w):
        count[0] += 1
        return lucid.nn.functional.conv2d(x, w)

    for name in ("__getitem__", "__setitem__", "item"):
        whole = getattr(lucid.Tensor, name)
        monkeypatch.setattr(
            lucid.Tensor, name, lambda self, *a, f=whole: count.__setitem__(1, count[1] + 1) or f(self, *a)
        )
    x = lucid.randn(2, 3, 5, 5, dtype=lucid.float64, requires_grad=True)
    w = lucid.randn(4, 3, 3, 3, dtype=lucid.float64, requires_grad=True)
    assert getattr(lucid.autograd, check)(conv, (x, w))
    assert 2 * (x.numel() + w.numel()) < count[0] < calls and count[1] < 50, count
