"""Programs for torch.compile (compile_programs.py): autograd, in-place writes and views, random numbers, types."""

import importlib

from compile_programs import G, T, X, program

M = T(2, 3)


@program([G(3)])
def backward_after(torch):
    def f(x):
        return (x.sin() * x).sum(), x.detach() + 1

    def post(r):
        r[0].backward()
        return r

    f.post = post
    return f


@program([G(3)])
def grad_inside(torch):
    def f(x):
        y = (x * x).sum()
        (g,) = torch.autograd.grad(y, x)
        return g + 1

    return f


@program([G(3)])
def backward_inside(torch):
    def f(x):
        y = (x * x).sum()
        y.backward()
        return x.grad * 2

    return f


@program([X])
def requires_grad_inside(torch):
    def f(x):
        y = x.detach().clone().requires_grad_(True)
        z = (y * 3).sum()
        return z, y.requires_grad, z.requires_grad, y.is_leaf

    return f


@program([G(3)])
def grad_modes(torch):
    def f(x):
        with torch.no_grad():
            a = x * 2
            with torch.enable_grad():
                b = x * 3
        with torch.set_grad_enabled(False):
            c = x * 4
        torch.set_grad_enabled(False)
        d = x * 5
        torch.set_grad_enabled(True)
        return a, b, c, d, x * 6, torch.is_grad_enabled()

    return f


@program([G(3)])
def no_grad_decorator(torch):
    @torch.no_grad()
    def g(x):
        return x * 2

    @torch.enable_grad()
    def h(x):
        return x * 3

    def f(x):
        with torch.no_grad():
            a = h(x)
        return g(x), a

    return f


@program([X])
def inference_mode(torch):
    def f(x):
        with torch.inference_mode():
            y = x * 2
        return y + 1

    f.post = lambda r: r.clone()
    return f


@program([G(3)])
def no_grad_around_break(torch):
    def f(x):
        with torch.no_grad():
            y = x * 2
            print("inside", torch.is_grad_enabled())
            z = y + x
        return z, y * x, torch.is_grad_enabled()

    return f


@program([G(3)])
def grad_mode_left_changed(torch):
    def f(x):
        torch.set_grad_enabled(False)
        return x * 2

    def post(r):
        on = torch.is_grad_enabled()
        torch.set_grad_enabled(True)
        return r, on

    f.post = post
    return f


@program([G(3)])
def autograd_function(torch):
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * 20 + x

    def f(x):
        return Double.apply(x).sum() + 1

    def post(r):
        r.backward()
        return r

    f.post = post
    return f


@program([X])
def func_grad_vmap(torch):
    def f(x):
        g = torch.func.grad(lambda v: (v * v).sum())(x)
        v = torch.func.vmap(lambda a: a * 2 + 1)(x)
        return g, v, torch.vmap(torch.sin)(x)

    return f


@program([X])
def func_jacobians(torch):
    def f(x):
        return torch.func.jacrev(torch.sin)(x), torch.func.jvp(torch.cos, (x,), (x,))[1]

    return f


@program([G(3)])
def checkpoint(torch):
    cp = importlib.import_module(torch.__name__ + ".utils.checkpoint")

    def g(x):
        return x.sin() * x

    def f(x):
        return cp.checkpoint(g, x, use_reentrant=False).sum()

    def post(r):
        r.backward()
        return r

    f.post = post
    return f


@program([X])
def autocast(torch):
    def f(x):
        with torch.autocast("cpu", enabled=False):
            y = x.reshape(1, 3) @ x.reshape(3, 1)
        return y, y.dtype

    return f


@program([G(3)])
def double_backward(torch):
    def f(x):
        return (x**3).sum()

    def post(r):
        return r

    f.post = post
    return f


@program([X], [X])
def input_mutation_kinds(torch):
    def f(x):
        x.add_(1)
        x[0] = 5
        x[1:] *= 2
        x += 1
        x.copy_(x * 2)
        torch.add(x, 1, out=x)
        x.zero_().fill_(3)[1] = 9
        return x + 0

    return f


@program([T(2, 3)])
def view_mutation(torch):
    def f(x):
        a = x[0]
        b = x.t()
        c = x.view(-1)
        a.mul_(10)
        b[2] = -1
        c[3:5] += 100
        return a + 1, b.sum(), c, x.narrow(1, 0, 2)

    return f


@program([T(2, 3)])
def view_returned_then_written(torch):
    def f(x):
        return x[1], x.t(), x * 1

    def post(r):
        r[0].fill_(0)
        return r

    f.post = post
    return f


@program([(lambda torch: torch.arange(3.0)), X])
def same_argument_twice(torch):
    def g(a, b):
        a.add_(1)
        return a + b

    def f(x, y):
        return g(x, x), g(x, y)

    return f


@program([lambda torch: torch.ones(3), lambda torch: torch.zeros(3)])
def aliased_closure(torch):
    held = torch.ones(3)
    alias = held
    view = held[:2]

    def f(x, y):
        alias.add_(x)
        return held + y, view * 2

    f.extra = lambda: (held, view)
    return f


@program([lambda torch: [torch.arange(4.0)]])
def views_in_list(torch):
    def f(l):
        l.append(l[0][1:3])
        l[1] *= 10
        return l[0].sum()

    return f


@program([X])
def out_argument(torch):
    held = torch.zeros(3)

    def f(x):
        y = torch.empty(3)
        torch.sin(x, out=y)
        torch.mul(x, 2, out=held)
        return y, held + 1

    f.extra = lambda: held
    return f


@program([X])
def index_writes(torch):
    def f(x):
        y = torch.zeros(3, 3)
        y[1] = x
        y[:, 0] = 7
        y[0, 1:] = x[:2]
        y[torch.tensor([2]), 2] = 5
        y[2, ...] += 1
        z = x.clone()
        z[z > 1] = 0
        return y, z

    return f


@program([X])
def mask_index(torch):
    def f(x):
        y = x * 2
        z = y[y > 2]
        return z + 1, z.shape[0]

    return f


@program([X])
def nonzero_unique(torch):
    def f(x):
        i = torch.nonzero(x > 1)
        u = torch.unique(x)
        return i.squeeze(1) + 1, u * 2

    return f


@program([X])
def set_data_and_detach(torch):
    held = torch.ones(3)

    def f(x):
        held.data = x * 2
        y = held.detach()
        return y + 1

    f.extra = lambda: held
    return f


@program([X], [X])
def tensor_attributes(torch):
    held = torch.ones(3)

    def f(x):
        held.tag = getattr(held, "tag", 0) + 1
        return held * x + held.tag

    f.extra = lambda: held.tag
    return f
