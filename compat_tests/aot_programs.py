"""What goes around graphs below autograd: checkpoints, hooks, autocast, custom Functions, torch.func, higher
derivatives. Each is a program f(m, run) of a library m, where run(function) compiles a function or leaves it as it is;
it gives numbers.
"""

import importlib

import aot_cases


def leaf(m, *shape, seed=0):
    """A leaf of the same numbers in any library."""
    return (m.arange(float(m.zeros(shape).numel())).reshape(shape) * 0.37 + seed).sin().detach().requires_grad_()


def _checkpoint(m):
    return importlib.import_module(f"{m.__name__}.utils.checkpoint").checkpoint


def _checkpointed(m, run, **how):
    x, w = leaf(m, 3, 4), leaf(m, 4, 4, seed=1)
    block = lambda a: (a @ w).sin().exp()  # noqa: E731
    y = run(lambda a: _checkpoint(m)(block, a, use_reentrant=False, **how) * 2)(x)
    y.sum().backward()
    return y, x.grad, w.grad


def _two_checkpoints(m, run):
    x = leaf(m, 3, 4)

    def f(a):
        for _ in range(2):
            a = _checkpoint(m)(lambda t: t.tanh() * t, a, use_reentrant=False)
        return a.sum()

    run(f)(x).backward()
    return x.grad


def _checkpoint_with_dropout(m, run):
    x = leaf(m, 4, 4)
    m.manual_seed(3)
    drop = lambda a: m.nn.functional.dropout(a, 0.5).exp()  # noqa: E731
    run(lambda a: _checkpoint(m)(drop, a, use_reentrant=False).sum())(x).backward()
    return x.grad


def _hook_on_input(m, run):
    x, seen = leaf(m, 3), []
    y = x * 2
    y.register_hook(lambda g: seen.append(g.sum().item()) or g * 3)
    run(lambda t: (t * t).sum())(y).backward()
    return x.grad, seen


def _hook_on_leaf(m, run):
    x = leaf(m, 3)
    x.register_hook(lambda g: g * 5)
    run(lambda t: t.exp().sum())(x).backward()
    return x.grad


def _hook_on_output(m, run):
    x, seen = leaf(m, 3), []
    y = run(lambda t: t * t)(x)
    y.register_hook(lambda g: seen.append(g.sum().item()) or g * 2)
    y.sum().backward()
    return x.grad, seen


def _retained(m, run):
    x = leaf(m, 3)
    y = run(lambda t: t.sin())(x)
    y.retain_grad()
    (y * y).sum().backward()
    return y.grad, x.grad


def _after_accumulation(m, run):
    x, seen = leaf(m, 3), []
    x.register_post_accumulate_grad_hook(lambda t: seen.append(t.grad.sum().item()))
    run(lambda t: (t * 3).sum())(x).backward()
    return seen


def _saved_hooks(m, run):
    x, count = leaf(m, 3), []
    pack = lambda t: count.append(1) or t  # noqa: E731
    with m.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        y = run(lambda t: t.exp() * t)(x)
    y.sum().backward()
    return x.grad, bool(count)


def _module_hooks(m, run):
    layer, x = m.nn.Linear(4, 2), leaf(m, 3, 4)
    with m.no_grad():
        layer.weight.copy_(leaf(m, 2, 4, seed=2))
        layer.bias.zero_()
    layer.register_forward_hook(lambda mod, args, out: out * 2)
    run(layer)(x).sum().backward()
    return x.grad, layer.weight.grad


def _autocast(m, run, inside=True):
    x, w = leaf(m, 3, 4), leaf(m, 4, 2, seed=1)

    def f(a, b):
        if not inside:
            return (a @ b).float().sum()
        with m.autocast("cpu", dtype=m.bfloat16):
            return (a @ b).float().sum()

    f = run(f)
    with m.autocast("cpu", dtype=m.bfloat16, enabled=not inside):
        y = f(x, w)
    y.backward()
    return y, x.grad, w.grad


def _custom(m, run):
    twice, turned = aot_cases._functions(m)
    x = leaf(m, 3)
    run(lambda t: (twice(t) + turned(t)).sum())(x).backward()
    return x.grad


def _custom_with_integers(m, run):
    class Picked(m.autograd.Function):
        @staticmethod
        def forward(ctx, x, index):
            ctx.save_for_backward(index)
            ctx.n = x.shape[0]
            return x[index]

        @staticmethod
        def backward(ctx, g):
            (index,) = ctx.saved_tensors
            return g.new_zeros(ctx.n).index_add(0, index, g * 2), None

    x, i = leaf(m, 4), m.tensor([0, 2, 2])
    run(lambda t: Picked.apply(t, i).sum())(x).backward()
    return x.grad


def _func(m, run, name):
    x = leaf(m, 3).detach()
    f = lambda t: (t.sin() * t).sum()  # noqa: E731
    programs = {
        "grad": lambda t: m.func.grad(f)(t),
        "vmap": lambda t: m.func.vmap(lambda a: a * a + 1)(t),
        "jvp": lambda t: m.func.jvp(f, (t,), (m.ones_like(t),))[1],
        "vjp": lambda t: m.func.vjp(m.sin, t)[1](m.ones_like(t))[0],
        "jacrev": lambda t: m.func.jacrev(m.sin)(t),
        "hessian": lambda t: m.func.hessian(f)(t),
    }
    return run(programs[name])(x)


def _second(m, run):
    x = leaf(m, 3)
    y = run(lambda t: (t**3).sum())(x)
    (g,) = m.autograd.grad(y, x, create_graph=True)
    g.sum().backward()
    return x.grad


def _gradient_inside(m, run):
    def f(t):
        y = (t**3).sum()
        return m.autograd.grad(y, t, create_graph=True)[0].sum()

    x = leaf(m, 3)
    return run(f)(x)


def _create_graph_alone(m, run):
    x = leaf(m, 3)
    y = run(lambda t: (t**3).sum())(x)
    return m.autograd.grad(y, x, create_graph=True)[0].detach()


def _twice_back(m, run):
    x = leaf(m, 3)
    y = run(lambda t: t.exp().sum())(x)
    y.backward(retain_graph=True)
    y.backward()
    return x.grad


def _freed(m, run):
    x = leaf(m, 3)
    y = run(lambda t: t.exp().sum())(x)
    y.backward()
    y.backward()


def _written_after(m, run):
    x = leaf(m, 3)
    h = x * 1
    y = run(lambda t: t.exp() * t)(h)
    with m.no_grad():
        h.add_(1)
    y.sum().backward()


def _accumulated(m, run):
    x, f = leaf(m, 3), None
    f = run(lambda t: (t * t).sum())
    for _ in range(3):
        f(x).backward()
    return x.grad


def _frozen(m, run):
    layer = m.nn.Linear(3, 2)
    with m.no_grad():
        layer.weight.copy_(leaf(m, 2, 3))
        layer.bias.zero_()
    layer.weight.requires_grad_(False)
    run(layer)(leaf(m, 4, 3, seed=1)).sum().backward()
    return layer.weight.grad, layer.bias.grad


def _in_place_layers(m, run):
    layers = m.nn.Sequential(m.nn.Conv2d(1, 2, 3), m.nn.BatchNorm2d(2), m.nn.ReLU(inplace=True), m.nn.MaxPool2d(2))
    with m.no_grad():
        layers[0].weight.copy_(leaf(m, 2, 1, 3, 3))
        layers[0].bias.zero_()
    x = leaf(m, 2, 1, 6, 6, seed=3)
    run(layers)(x).sum().backward()
    return x.grad, layers[0].weight.grad, layers[1].running_mean, layers[1].num_batches_tracked


PROGRAMS = {
    "checkpoint": _checkpointed,
    "checkpoint, deterministic": lambda m, run: _checkpointed(m, run, preserve_rng_state=False),
    "two checkpoints": _two_checkpoints,
    "checkpoint with dropout": _checkpoint_with_dropout,
    "hook on an input": _hook_on_input,
    "hook on a leaf": _hook_on_leaf,
    "hook on an output": _hook_on_output,
    "retained gradient": _retained,
    "hook after accumulation": _after_accumulation,
    "hooks on what is saved": _saved_hooks,
    "hooks of modules": _module_hooks,
    "autocast inside": _autocast,
    "autocast around": lambda m, run: _autocast(m, run, inside=False),
    "custom Function": _custom,
    "custom Function with integers": _custom_with_integers,
    **{
        f"func.{n}": (lambda m, run, n=n: _func(m, run, n)) for n in ("grad", "vmap", "jvp", "vjp", "jacrev", "hessian")
    },
    "double backward": _second,
    "gradient inside": _gradient_inside,
    "create_graph alone": _create_graph_alone,
    "backward twice": _twice_back,
    "backward of what is freed": _freed,
    "input written after": _written_after,
    "gradients accumulate": _accumulated,
    "frozen weight": _frozen,
    "layers in place": _in_place_layers,
}
# torch refuses these through a compiled function, with this error (eager gives values).
REFUSED = {"double backward": "does not currently support double backward"}
