"""Programs for torch.compile (compile_programs.py): torch.func's transforms."""

from compile_programs import X, program


@program([X])
def func_grad(torch):
    def f(x):
        return torch.func.grad(lambda v: (v * v).sum())(x)

    return f


@program([X])
def func_vmap(torch):
    def f(x):
        return torch.func.vmap(lambda a: a * 2 + 1)(x)

    return f


@program([X])
def func_jacrev(torch):
    def f(x):
        return torch.func.jacrev(torch.sin)(x)

    return f


@program([X])
def func_jvp(torch):
    def f(x):
        return torch.func.jvp(torch.cos, (x,), (x,))[1]

    return f


@program([X])
def func_vjp(torch):
    def f(x):
        y, pull = torch.func.vjp(torch.sin, x)
        return y, pull(x)[0]

    return f


@program([X])
def func_jacfwd(torch):
    def f(x):
        return torch.func.jacfwd(torch.sin)(x)

    return f


@program([X])
def func_hess(torch):
    def f(x):
        return torch.func.hessian(lambda v: (v**3).sum())(x)

    return f


@program([lambda torch: torch.ones(2, 3), lambda torch: torch.ones(3, 2)])
def func_vmap2(torch):
    def f(x, y):
        return torch.vmap(lambda a, b: (a + b, a * 2), in_dims=(0, 1), out_dims=(0, 1))(x, y)

    return f


@program([lambda torch: torch.ones(3), lambda torch: torch.ones(3) * 2])
def func_grad_two(torch):
    def f(x, y):
        return torch.func.grad(lambda a, b: (a * b).sum(), argnums=(0, 1))(x, y)

    return f


@program([lambda torch: torch.ones(2, 3)])
def func_vmap_grad(torch):
    def f(x):
        return torch.vmap(torch.func.grad(lambda a: (a * a).sum()))(x)

    return f


@program([X])
def func_grad_aux(torch):
    def f(x):
        return torch.func.grad_and_value(lambda a: ((a * a).sum(), a + 1), has_aux=True)(x)

    return f


@program([lambda torch: torch.ones(3), lambda torch: torch.ones(3) * 2])
def func_grad_one_of_two(torch):
    def f(x, y):
        return torch.func.grad(lambda a, b: (a * b).sum())(x, y)

    return f


@program([lambda torch: torch.ones(3), lambda torch: torch.ones(3) * 2])
def func_grad_dict(torch):
    def f(x, y):
        return torch.func.grad(lambda p, b: (p["w"] * b + p["b"]).sum())({"w": x, "b": y}, x)

    return f


@program([lambda torch: torch.ones(3).requires_grad_()])
def func_grad_nograd(torch):
    def f(x):
        with torch.no_grad():
            return torch.func.grad(lambda a: (a * a).sum())(x)

    return f


@program([lambda torch: torch.ones(3).requires_grad_()])
def func_grad_req(torch):
    def f(x):
        return torch.func.grad(lambda a: (a * a * a).sum())(x)

    f.after = lambda r, x: (r.sum().backward(), r.requires_grad, x.grad)
    return f


@program([X])
def func_gradgrad(torch):
    def f(x):
        return torch.func.grad(lambda v: torch.func.grad(lambda a: (a**3).sum())(v).sum())(x)

    return f


@program([X])
def func_outside(torch):
    g = torch.func.grad(lambda a: (a * a).sum())
    v = torch.vmap(lambda a: a * 2)

    def f(x):
        return g(x), v(x)

    return f


@program([lambda torch: torch.ones(2, 3), lambda torch: torch.ones(3) * 2])
def func_vmap_none(torch):
    def f(x, y):
        return torch.vmap(lambda a, b: a * b, in_dims=(0, None))(x, y)

    return f


@program([lambda torch: torch.ones(2, 3), lambda torch: torch.ones(3) * 2])
def func_vmap_closure(torch):
    def f(x, y):
        return torch.vmap(lambda a: a * y)(x)

    return f


@program(
    [lambda torch: torch.arange(12.0).reshape(4, 3), lambda torch: torch.arange(8.0).reshape(4, 2)],
    [lambda torch: torch.arange(15.0).reshape(5, 3), lambda torch: torch.arange(10.0).reshape(5, 2)],
    [lambda torch: torch.arange(18.0).reshape(6, 3), lambda torch: torch.arange(12.0).reshape(6, 2)],
)
def func_persample(torch):
    m = torch.nn.Linear(3, 2)
    with torch.no_grad():
        m.weight.copy_(torch.arange(6.0).reshape(2, 3))
        m.bias.fill_(1)
    params = {k: v.detach() for k, v in m.named_parameters()}

    def loss(p, x, y):
        out = torch.func.functional_call(m, p, (x.unsqueeze(0),))
        return ((out - y) ** 2).mean()

    def f(x, y):
        return torch.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))(params, x, y)

    return f


@program([X])
def func_break_inside(torch):
    def f(x):
        def g(v):
            print("in")
            return (v * v).sum()

        return torch.func.grad(g)(x) + 1

    return f


@program([X])
def func_inplace_inside(torch):
    def f(x):
        def g(v):
            y = v * 2
            y.add_(1)
            return y.sum()

        return torch.func.grad(g)(x), x

    return f


@program([X])
def func_inplace_arg(torch):
    def f(x):
        return torch.vmap(lambda a: a.add_(1))(x), x

    return f


@program([lambda torch: torch.ones(2, 3)])
def func_rand_error(torch):
    def f(x):
        return torch.vmap(lambda a: a * torch.rand(3))(x)

    return f


@program([lambda torch: torch.ones(2, 3)])
def func_data_dep(torch):
    def f(x):
        return torch.vmap(lambda a: a if a.sum() > 0 else -a)(x)

    return f
