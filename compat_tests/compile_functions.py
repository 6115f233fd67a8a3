"""Programs for torch.compile (compile_programs.py): autograd.Function."""

from compile_programs import G, H, X, back, program


@program([G(3), H])
def function_two_results(torch):
    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y, k):
            a = x.sin()
            ctx.k = k
            ctx.save_for_backward(a, y)
            ctx.z = y.cos()
            return a * y * k, a + y

        @staticmethod
        def backward(ctx, g, h):
            a, y = ctx.saved_tensors
            return g * y * ctx.k + h, g * a + h * ctx.z, None

    def f(x, y):
        p, q = D.apply(x * 1, y, 3)
        return p * 2, q

    f.after = back
    return f


@program([G(3)])
def function_setup_context(torch):
    class D(torch.autograd.Function):
        @staticmethod
        def forward(x, n):
            return x**n

        @staticmethod
        def setup_context(ctx, inputs, output):
            x, n = inputs
            ctx.save_for_backward(x, output)
            ctx.n = n

        @staticmethod
        def backward(ctx, g):
            x, o = ctx.saved_tensors
            return g * ctx.n * o / x, None

    def f(x):
        return D.apply(x, 3).sum()

    f.after = back
    return f


@program([G(3)])
def function_marks(torch):
    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            v, i = x.sort()
            m = x > 1
            w = x * 3
            ctx.mark_non_differentiable(i, m, w)
            ctx.save_for_backward(i)
            return v, i, m, w

        @staticmethod
        def backward(ctx, g, gi, gm, gw):
            (i,) = ctx.saved_tensors
            return g.gather(0, i)

    def f(x):
        return D.apply(x)

    f.after = back
    return f


@program([X])
def function_without_gradient(torch):
    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 20

    def f(x):
        return D.apply(x) + 1

    f.after = back
    return f


@program([G(3)])
def function_under_no_grad(torch):
    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 20

    def f(x):
        with torch.no_grad():
            y = D.apply(x) + 1
        return y, x * 2

    f.after = back
    return f


@program([G(3)])
def function_identity(torch):
    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 20

    def f(x):
        return D.apply(x) + 1

    f.after = back
    return f


@program([G(3)])
def function_reverses(torch):
    class GradReverse(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, lam):
            ctx.lam = lam
            return x.view_as(x)

        @staticmethod
        def backward(ctx, g):
            return g.neg() * ctx.lam, None

    def f(x):
        return GradReverse.apply(x, 0.5) * 2

    f.after = back
    return f


@program([G(3), H], [G(3), X])
def function_asks_needs(torch):
    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            ctx.save_for_backward(x, y)
            return x * y

        @staticmethod
        def backward(ctx, g):
            x, y = ctx.saved_tensors
            gx = gy = None
            if ctx.needs_input_grad[0]:
                gx = g * y
            if ctx.needs_input_grad[1]:
                gy = g * x
            return gx, gy

    def f(x, y):
        return D.apply(x, y)

    f.after = back
    return f


@program([G(3)])
def function_straight_through(torch):
    class Round(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.round()

        @staticmethod
        def backward(ctx, g):
            return g

    def f(x):
        return Round.apply(x * 0.3) * 2

    f.after = back
    return f


@program([lambda torch: torch.ones(4, 3)])
def function_in_module(torch):
    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, w, b):
            ctx.save_for_backward(x, w)
            return x @ w.t() + b

        @staticmethod
        def backward(ctx, g):
            x, w = ctx.saved_tensors
            return g @ w, g.t() @ x, g.sum(0)

    class M(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = torch.nn.Parameter(torch.arange(6.0).reshape(2, 3))
            self.b = torch.nn.Parameter(torch.ones(2))

        def forward(self, x):
            return D.apply(x, self.w, self.b)

    m = M()

    def f(x):
        return m(x)

    f.after = lambda r, x: (back(r), m.w.grad, m.b.grad)
    return f


@program([G(3)])
def function_apply_kept(torch):
    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.exp()

        @staticmethod
        def backward(ctx, g):
            return g * 3

    ap = D.apply

    def f(x):
        return ap(x) + 1

    f.after = back
    return f


@program([G(3)])
def function_materialize(torch):
    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, g, h):
            if g is None:
                return h * 100
            if h is None:
                return g * 1000
            return g * 2 + h * 3

    def f(x):
        a, b = D.apply(x)
        return a

    f.after = back
    return f


@program([G(3)])
def function_unused_result(torch):
    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, g, h):
            return g * 2 + h * 3

    def f(x):
        a, b = D.apply(x)
        return b

    f.after = back
    return f


@program([G(3)])
def function_dirty(torch):
    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            x.add_(1)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 2

    def f(x):
        y = x * 2
        return D.apply(y) + y

    f.after = back
    return f


@program([G(3)])
def function_defaults(torch):
    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, scale=2.0, shift=1):
            ctx.scale = scale
            return x * scale + shift

        @staticmethod
        def backward(ctx, g):
            return g * ctx.scale, None, None

    def f(x):
        return D.apply(x) + D.apply(x, 3.0)

    f.after = back
    return f


@program([G(3)])
def function_tuple_of_one(torch):
    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return (x * 2,)

        @staticmethod
        def backward(ctx, g):
            return g * 2

    def f(x):
        return D.apply(x)[0] + 1

    f.after = back
    return f


@program([G(3)])
def function_once_differentiable(torch):
    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * 2 * x

    def f(x):
        return D.apply(x) + 1

    f.after = back
    return f


@program([G(3)])
def function_twice_differentiated(torch):
    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * 3 * x * x

    def f(x):
        return D.apply(x).sum()

    def post(r, x):
        (g,) = torch.autograd.grad(r, x, create_graph=True)
        (h,) = torch.autograd.grad(g.sum(), x, allow_unused=True)
        return g, h

    f.after = post
    return f


@program([G(3)])
def function_nested(torch):
    class A(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.sin()

        @staticmethod
        def backward(ctx, g):
            return g * 3

    class B(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return A.apply(x) * 2

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return A.apply(g) * x

    def f(x):
        return B.apply(x)

    f.after = back
    return f


@program([G(3)])
def function_closure(torch):
    w = torch.ones(3) * 3

    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * w

        @staticmethod
        def backward(ctx, g):
            return g * w * 2

    def f(x):
        return D.apply(x)

    f.after = back
    return f


@program([G(3), H])
def function_none(torch):
    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x * y

        @staticmethod
        def backward(ctx, g):
            return g * 2, None

    def f(x, y):
        return D.apply(x, y)

    f.after = back
    return f
