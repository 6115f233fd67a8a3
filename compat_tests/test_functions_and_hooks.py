"""What custom Functions and hooks return, everything that they may not return included; and in what order hooks run."""

import pytest
import torch
from both import same, same_outcome, told
from gaps import expect

import lucid

RETURNS = {
    "a list": lambda m, g: [g],
    "a tuple": lambda m, g: (g,),
    "a generator": lambda m, g: (x for x in (g,)),
    "a float": lambda m, g: 1.0,
    "an int": lambda m, g: 1,
    "None": lambda m, g: None,
    "a string": lambda m, g: "a",
    "two": lambda m, g: (g, g),
    "one and None": lambda m, g: (g, None),
    "none": lambda m, g: (),
    "an empty list": lambda m, g: [],
    "a numpy array": lambda m, g: g.detach().numpy(),
    "double": lambda m, g: g.double(),
    "complex": lambda m, g: g * 1j,
    "integers": lambda m, g: g.long(),
    "another shape": lambda m, g: m.ones(3),
    "a scalar": lambda m, g: m.tensor(2.0),
    "wider": lambda m, g: m.ones(4, 2),
    "on meta": lambda m, g: g.to("meta"),
    "a list with None": lambda m, g: [None],
    "a tuple with a float": lambda m, g: (1.0,),
    "nested lists": lambda m, g: [[g]],
}


def function(m, forward, backward=lambda ctx, *g: g[0]):
    return type("Fn", (m.autograd.Function,), dict(forward=staticmethod(forward), backward=staticmethod(backward)))


def leaf(m):
    return m.ones(2, requires_grad=True)


def in_backward(m, returned):
    x = leaf(m)
    function(m, lambda ctx, x: x * 2, lambda ctx, g: returned(m, g)).apply(x).sum().backward()
    return x.grad


def in_backward_of_two(m, returned):
    x, y = leaf(m), leaf(m)
    function(m, lambda ctx, x, y: x * y, lambda ctx, g: returned(m, g)).apply(x, y).sum().backward()
    return x.grad, y.grad


def in_backward_beside_a_number(m, returned):
    x = leaf(m)
    function(m, lambda ctx, x, y: x * y, lambda ctx, g: returned(m, g)).apply(x, 3).sum().backward()
    return x.grad


def in_forward(m, returned):
    out = function(m, lambda ctx, x: returned(m, x)).apply(leaf(m))
    if not isinstance(out, (tuple, list)):
        return type(out).__name__, getattr(out, "requires_grad", None)
    return type(out).__name__, [(type(o).__name__, getattr(o, "requires_grad", None)) for o in out]


def in_leaf_hook(m, returned):
    x = leaf(m)
    x.register_hook(lambda g: returned(m, g))
    (x * 2).sum().backward()
    return x.grad


def in_hook(m, returned):
    x = leaf(m)
    y = x * 2
    y.register_hook(lambda g: returned(m, g))
    y.sum().backward()
    return x.grad


def in_accumulated_hook(m, returned):
    x = leaf(m)
    x.register_post_accumulate_grad_hook(lambda p: returned(m, p))
    (x * 2).sum().backward()
    return x.grad


def in_prehook(m, returned):
    x = leaf(m)
    y = x * 2
    y.grad_fn.register_prehook(lambda g: returned(m, g[0]))
    y.sum().backward()
    return x.grad


def in_node_hook(m, returned):
    x = leaf(m)
    y = x * 2
    y.grad_fn.register_hook(lambda ins, outs: returned(m, ins[0]))
    y.sum().backward()
    return x.grad


def in_module(m, register, returned):
    layer, x = m.nn.Tanh(), leaf(m)
    register(layer, returned)
    y = layer(x)
    y.sum().backward()
    return y, x.grad


def in_full_backward_hook(m, returned):
    return in_module(m, lambda t, r: t.register_full_backward_hook(lambda layer, ins, outs: r(m, ins[0])), returned)


def in_full_backward_pre_hook(m, returned):
    return in_module(m, lambda t, r: t.register_full_backward_pre_hook(lambda layer, outs: r(m, outs[0])), returned)


def in_backward_hook(m, returned):
    return in_module(m, lambda t, r: t.register_backward_hook(lambda layer, ins, outs: r(m, ins[0])), returned)


PLACES = [f for name, f in list(globals().items()) if name.startswith("in_") and name != "in_module"]


@pytest.mark.parametrize("returned", RETURNS)
@pytest.mark.parametrize("place", PLACES, ids=lambda f: f.__name__)
def test_what_is_returned(place, returned):
    def compare():
        got, want = (told(place, m, RETURNS[returned]) for m in (lucid, torch))
        if isinstance(want[0], Exception):
            assert type(got[0]) is type(want[0]) and str(got[0])[:60] == str(want[0])[:60]
        else:
            assert [str(x) for x in got] == [str(x) for x in want]

    expect("hooks", f"{place.__name__} {returned}", compare)


SITUATIONS = {}


def situation(f):
    SITUATIONS[f.__name__] = f
    return f


@situation
def marks(m):
    def nothing(ctx, x):
        y = x * 1
        ctx.mark_non_differentiable(y)
        return y

    def the_input(ctx, x):
        ctx.mark_non_differentiable(x)
        return x

    def one_of_two(ctx, x):
        a, b = x * 1, x * 2
        ctx.mark_non_differentiable(b)
        return a, b

    return [function(m, f).apply(leaf(m)) for f in (nothing, the_input, one_of_two)]


@situation
def wrong_marks(m):
    def marked(name, value):
        def f(ctx, x):
            getattr(ctx, name)(value(x))
            return x * 1

        return type(told(function(m, f).apply, leaf(m).clone())[0]).__name__

    values = (lambda x: [x], lambda x: 1.0, lambda x: "a", lambda x: x)
    return [marked(name, v) for name in ("mark_dirty", "mark_non_differentiable") for v in values]


@situation
def dirty_but_no_input(m):
    def f(ctx, x):
        c = 3 * x
        ctx.mark_dirty(c)
        return c

    return function(m, f).apply(leaf(m).clone())


@situation
def gradients_of_unused_outputs(m):
    seen = []

    def backward(ctx, g, h):
        seen.append((g, h))
        return g

    for f in (lambda ctx, x: (x * 1, x * 2), lambda ctx, x: (x * 1, x.long())):
        function(m, f, backward).apply(leaf(m))[0].sum().backward()
    return seen


@situation
def written_views(m):
    found = []
    for f in (lambda ctx, x: x, lambda ctx, x: x.view_as(x), lambda ctx, x: (x, x * 1)):
        for write in (lambda y: y.mul_(2), lambda y: y[:].mul_(2)):
            y = function(m, f).apply(leaf(m).clone())
            found.append(str(told(write, y[0] if isinstance(y, tuple) else y)[0])[:90])
    return found


@situation
def in_place_after_module_hooks(m):
    found = []
    for register in ("register_full_backward_hook", "register_full_backward_pre_hook"):
        relu = m.nn.Sequential(m.nn.Tanh(), m.nn.ReLU(inplace=True))
        getattr(relu[0], register)(lambda *a: None)
        found.append(str(told(relu, leaf(m))[0])[:80])
    relu = m.nn.ReLU(inplace=True)
    relu.register_full_backward_hook(lambda *a: None)
    return found, str(told(relu, leaf(m).clone())[0])[:80]


@situation
def order(m):
    said = []
    p = leaf(m)
    accumulate = p.expand_as(p).grad_fn.next_functions[0][0]
    accumulate.register_prehook(lambda g: said.append("leaf prehook"))
    accumulate.register_hook(lambda *g: said.append("leaf hook"))
    p.register_hook(lambda g: said.append("leaf tensor"))
    p.register_post_accumulate_grad_hook(lambda p: said.append("accumulated"))
    y = p * 2
    y.grad_fn.register_prehook(lambda g: said.append("prehook"))
    y.register_hook(lambda g: said.append("tensor"))
    y.grad_fn.register_hook(lambda *g: said.append("hook"))
    y.register_hook(lambda g: said.append("tensor again"))
    y.sum().backward()
    return said


@situation
def hook_of_an_unused_output(m):
    seen = []
    parts = m.ones(3, requires_grad=True).unbind()
    parts[0].register_hook(seen.append)
    parts[1].backward()
    return seen


@situation
def without_setup_context(m):
    f = function(m, lambda ctx, x: x * 2)
    x = m.ones(2)
    calls = (
        lambda: m.func.grad(lambda x: f.apply(x).sum())(x),
        lambda: m.func.vjp(f.apply, x),
        lambda: m.vmap(f.apply)(x),
    )
    return [str(told(c)[0])[:80] for c in calls]


@situation
def other_name_of_backward(m):
    class Named(m.autograd.Function):
        forward = staticmethod(lambda ctx, x: x * 1)
        vjp = staticmethod(lambda ctx, g: g * 3)

    class Both(Named):
        backward = staticmethod(lambda ctx, g: g)

    x = leaf(m)
    Named.apply(x).sum().backward()
    return x.grad, str(told(lambda: Both.apply(leaf(m)).sum().backward())[0])


@situation
def keywords(m):
    return function(m, lambda ctx, x, k=1: x * k).apply(leaf(m), k=3), function(m, lambda ctx, x: x * 2).apply(
        x=leaf(m)
    )


@situation
def gradient_of_no_leaf(m):
    return (leaf(m) * 1).grad


@situation
def swapped(m):
    x, y = leaf(m), leaf(m)
    z = (x * 2).sum()
    m.utils.swap_tensors(x, y)
    (x * 3).sum().backward()
    return str(told(z.backward)[0]), x.grad, y.grad


@pytest.mark.parametrize("name", SITUATIONS)
def test_situation(name):
    got, want = (told(SITUATIONS[name], m) for m in (lucid, torch))
    assert [str(x).partition(" (Triggered")[0] for x in got] == [str(x).partition(" (Triggered")[0] for x in want]


MUTATIONS = """
y = x * 1; z = y.sin(); y.mul_(0)
y = x.exp(); z = y * y; y.mul_(2)
y = x.clone(); z = y.tanh() * 1; y.zero_()
y = x * 1; z = y.tanh(); w = z * z; z.zero_(); z = w
z = x * x; x.detach().mul_(2)
z = x * x; x.data.mul_(2)
""".strip().splitlines()


@pytest.mark.parametrize("text", MUTATIONS)
def test_saved_tensors_may_be_written(text):
    def program(m):
        x = m.arange(1.0, 4.0).requires_grad_()
        scope = {"x": x}
        with m.autograd.graph.allow_mutation_on_saved_tensors():
            exec(text, scope)
            (g,) = m.autograd.grad(scope["z"].sum(), x, create_graph=True)
            return g, m.autograd.grad(g.sum(), x, allow_unused=True, retain_graph=True)

    same(program, looks="requires_grad", rtol=1e-5)


def test_saved_tensors_may_be_written_inside_only():
    def late(m):
        x = m.ones(3, requires_grad=True)
        with m.autograd.graph.allow_mutation_on_saved_tensors():
            z = x.exp()
        z.sum().backward()

    def nested(m):
        context = m.autograd.graph.allow_mutation_on_saved_tensors
        with context(), context():
            pass

    same_outcome(late)
    same_outcome(nested)
