"""Programs for torch.compile (compile_programs.py): torch.func's transforms."""

from compile_programs import G, X, program


@program(
    [X, lambda torch: torch.tensor([1])], [X, lambda torch: torch.tensor([9])], [X, lambda torch: torch.tensor([2])]
)
def func_fails(torch):
    def f(x, i):
        return torch.func.grad(lambda v: torch.nn.functional.embedding(i, v.view(3, 1)).sum())(x)

    return f


@program([G(3), lambda torch: torch.ones(3).requires_grad_()])
def func_outer_backward(torch):
    def f(x, w):
        return torch.func.grad(lambda v: (v**3 * w).sum())(x)

    f.after = lambda r, x, w: (r.sum().backward(), x.grad, w.grad, r.requires_grad)
    return f


@program([lambda torch: torch.ones(2, 3).requires_grad_(), lambda torch: torch.ones(3).requires_grad_()])
def func_vmap_backward(torch):
    def f(x, w):
        return torch.vmap(lambda v: (v * w).sum())(x)

    f.after = lambda r, x, w: (r.sum().backward(), x.grad, w.grad, r.requires_grad)
    return f


@program([G(3)])
def func_vjp_after(torch):
    def f(x):
        y, pull = torch.func.vjp(lambda v: v**2, x)
        z = pull(torch.ones(3))[0] * 2
        return y, z, pull(y)[0]

    f.after = lambda r, x: ((r[0].sum() + r[1].sum() + r[2].sum()).backward(), x.grad, [q.requires_grad for q in r])
    return f


@program([X, lambda torch: torch.ones(3) * 3])
def func_vjp_tree(torch):
    def f(x, y):
        out, pull = torch.func.vjp(lambda a, b: {"p": a * b, "q": a + 1}, x, y)
        return pull({"p": out["p"], "q": out["q"]})

    return f


@program([X, lambda torch: torch.ones(3) * 3])
def func_jvp_two(torch):
    def f(x, y):
        return torch.func.jvp(lambda a, b: (a * b, a.sin()), (x, y), (y, x))

    return f


@program(
    [lambda torch: torch.arange(6.0).reshape(2, 3)],
    [lambda torch: torch.arange(8.0).reshape(2, 4)],
    [lambda torch: torch.arange(10.0).reshape(2, 5)],
)
def func_jac_2d(torch):
    def f(x):
        return torch.func.jacrev(lambda v: v.sin() @ v.t())(x), torch.func.jacfwd(lambda v: v.sin() @ v.t())(x)

    return f


@program([X, lambda torch: torch.ones(3) * 3])
def func_jac_args(torch):
    def f(x, y):
        g = lambda a, b: a * b.sum()
        return (
            torch.func.jacrev(g, argnums=1)(x, y),
            torch.func.jacfwd(g, argnums=1)(x, y),
            torch.func.jacrev(g, argnums=(0, 1))(x, y),
        )

    return f


@program([X])
def func_hess2(torch):
    def f(x):
        return torch.func.hessian(lambda v: (v.sin() * v).sum())(x), torch.func.jacrev(
            torch.func.jacrev(lambda v: (v.sin() * v).sum())
        )(x)

    return f


@program([X, lambda torch: torch.ones(3) * 3])
def func_nested_vmap(torch):
    def f(x, y):
        return torch.vmap(torch.vmap(lambda a, b: a * b, in_dims=(0, None)), in_dims=(None, 0))(x, y)

    return f


@program([lambda torch: torch.arange(12.0).reshape(2, 3, 2)])
def func_vmap_neg(torch):
    def f(x):
        return torch.vmap(lambda a: a.sum(0), in_dims=-1, out_dims=-1)(x)

    return f


@program([lambda torch: torch.arange(6.0).reshape(2, 3)])
def func_vmap_view(torch):
    def f(x):
        y = torch.vmap(lambda a: a[0])(x)
        y.add_(10)
        return y, x

    return f


@program([lambda torch: torch.arange(6.0).reshape(2, 3)])
def func_vmap_ident(torch):
    def f(x):
        y = torch.vmap(lambda a: a)(x)
        return y, y is x

    return f


@program([lambda torch: torch.arange(6.0).reshape(2, 3)])
def func_vmap_const(torch):
    c = torch.ones(3)

    def f(x):
        return torch.vmap(lambda a: (c * 2, a.sum()))(x)

    return f


@program([X, lambda torch: torch.ones(3) * 3])
def func_grad_unused(torch):
    def f(x, y):
        return torch.func.grad(lambda a, b: b.sum())(x, y)

    return f


@program([lambda torch: torch.tensor([1, 2])])
def func_grad_int(torch):
    def f(x):
        return torch.func.grad(lambda a: a.sum())(x)

    return f


@program([X])
def func_grad_notscalar(torch):
    def f(x):
        return torch.func.grad(lambda a: a * 2)(x)

    return f


@program([X])
def func_isgrad(torch):
    def f(x):
        with torch.no_grad():
            return torch.func.grad(lambda a: (a * (3 if torch.is_grad_enabled() else 5)).sum())(
                x
            ), torch.is_grad_enabled()

    return f


@program([X])
def func_vmap_kw(torch):
    def f(x):
        return torch.vmap(lambda a, s=2: a * s)(x, s=3)

    return f


@program([X])
def func_item(torch):
    def f(x):
        return torch.func.grad(lambda a: a.sum() * a.sum().item())(x)

    return f


@program([lambda torch: torch.ones(2, 3)])
def func_module_grad(torch):
    m = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Tanh())
    with torch.no_grad():
        for p in m.parameters():
            p.copy_(torch.arange(float(p.numel())).reshape(p.shape) / 9)

    def f(x):
        return torch.vmap(torch.func.jacrev(m))(x)

    return f


@program([X], [lambda torch: torch.ones(5)], [lambda torch: torch.ones(7)], [lambda torch: torch.ones(8)])
def func_size(torch):
    def f(x):
        g = torch.func.grad(lambda v: (v * v.shape[0]).sum())
        return g(x)

    return f


@program([X])
def func_inference(torch):
    def f(x):
        with torch.inference_mode():
            return torch.func.vmap(lambda a: a * 2)(x)

    f.after = lambda r, x: r.clone()
    return f


@program([X])
def func_linearize(torch):
    def f(x):
        y, j = torch.func.linearize(torch.sin, x)
        return y, j(x)

    return f


@program(
    [lambda torch: torch.ones(2, 3)],
    [lambda torch: torch.ones(4, 3)],
    [lambda torch: torch.ones(5, 3)],
    [lambda torch: torch.ones(5, 7)],
)
def func_vmap_dyn(torch):
    def f(x):
        return torch.vmap(lambda a: a.sum() * a.shape[0])(x)

    return f


@program(
    [lambda torch: torch.ones(2)],
    [lambda torch: torch.ones(4)],
    [lambda torch: torch.ones(5)],
    [lambda torch: torch.ones(6)],
)
def func_jac_dyn(torch):
    def f(x):
        return torch.func.jacrev(lambda v: v.sin())(x), torch.func.hessian(lambda v: v.sin().sum())(x)

    return f
