"""Programs for torch.compile (compile_programs.py): more of autograd.Function."""

import importlib

from compile_programs import G, H, X, back, program


def checkpoints(torch):
    """torch.utils.checkpoint"""
    return importlib.import_module(torch.__name__ + ".utils.checkpoint")


@program([G(3)])
def function_break_in_forward(torch):
    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            print("fwd")
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    def f(x):
        return D.apply(x + 1) + 1

    f.after = back
    return f


@program([G(3)])
def function_break_in_backward(torch):
    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            print("bwd", g.sum().item())
            return g * 2

    def f(x):
        return D.apply(x + 1) + 1

    f.after = back
    return f


@program([G(3)], [G(3)])
def function_side_effect(torch):
    log = []

    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            log.append(1)
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    def f(x):
        return D.apply(x + 1) + 1, len(log)

    f.after = lambda r, x: (back(r, x), len(log))
    return f


@program([G(3)], [G(3)])
def function_side_effect_in_backward(torch):
    log = []

    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            log.append(1)
            return g * 2

    def f(x):
        return D.apply(x + 1) + 1

    f.after = lambda r, x: (back(r, x), len(log))
    return f


@program([G(3)])
def function_number_result(torch):
    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2, 5, None

        @staticmethod
        def backward(ctx, g, a, b):
            return g * 2

    def f(x):
        a, n, o = D.apply(x + 1)
        return a + n, o is None

    f.after = back
    return f


@program([G(3)])
def function_one_input_twice(torch):
    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x * y

        @staticmethod
        def backward(ctx, g):
            return g * 2, g * 3

    def f(x):
        return D.apply(x, x)

    f.after = back
    return f


@program([G(3)])
def function_tuple_argument(torch):
    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, shape):
            ctx.shape = x.shape
            return x.reshape(shape)

        @staticmethod
        def backward(ctx, g):
            return g.reshape(ctx.shape) * 2, None

    def f(x):
        return D.apply(x, (3, 1))

    f.after = back
    return f


@program([G(3)], [G(5)], [G(7)])
def function_symbolic(torch):
    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.n = x.shape[0]
            return x.sum() * x.shape[0]

        @staticmethod
        def backward(ctx, g):
            return g.expand(ctx.n) * ctx.n

    def f(x):
        return D.apply(x)

    f.after = back
    return f


@program([G(3)])
def function_vjp(torch):
    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def vjp(ctx, g):
            return g * 5

    def f(x):
        return D.apply(x)

    f.after = back
    return f


@program([G(3)])
def function_saves_result(torch):
    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x.exp()
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, g):
            (y,) = ctx.saved_tensors
            return g * y

    def f(x):
        return D.apply(x) * 2

    f.after = back
    return f


@program([G(3)])
def function_grad_mode(torch):
    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            with torch.enable_grad():
                y = x * 2
            return y.detach() if torch.is_grad_enabled() else y * 3

        @staticmethod
        def backward(ctx, g):
            return g * 2

    def f(x):
        return D.apply(x) * 2

    f.after = back
    return f


@program([G(3), H])
def function_wrong_count(torch):
    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x * y

        @staticmethod
        def backward(ctx, g):
            return g * 2

    def f(x, y):
        return D.apply(x, y)

    f.after = back
    return f


@program([G(3)], [G(3)])
def function_mutates(torch):
    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, buf):
            buf.add_(1)
            return x * buf

        @staticmethod
        def backward(ctx, g):
            return g * 2, None

    buf = torch.zeros(3)

    def f(x):
        return D.apply(x, buf)

    f.after = lambda r, x: (back(r, x), buf)
    return f


@program([G(3), H])
def function_varargs(torch):
    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, *xs):
            ctx.save_for_backward(*xs)
            return xs[0] * xs[1], xs[1] + 1

        @staticmethod
        def backward(ctx, *gs):
            a, b = ctx.saved_tensors
            return gs[0] * b, gs[1] * a

    def f(x, y):
        return D.apply(x, y)

    f.after = back
    return f


@program([X])
def function_identity_without_gradient(torch):
    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 20

    def f(x):
        y = D.apply(x)
        return y + 1, y is x

    f.after = back
    return f


@program([X])
def function_closure_with_gradient(torch):
    w = (torch.ones(3) * 3).requires_grad_()

    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * w

        @staticmethod
        def backward(ctx, g):
            return g * 2

    def f(x):
        return D.apply(x) * 2

    f.after = back
    return f


@program([G(3)])
def function_custom_fwd(torch):
    class D(torch.autograd.Function):
        @staticmethod
        @torch.amp.custom_fwd(device_type="cpu")
        def forward(ctx, x):
            return x * 2

        @staticmethod
        @torch.amp.custom_bwd(device_type="cpu")
        def backward(ctx, g):
            return g * 2

    def f(x):
        return D.apply(x)

    f.after = back
    return f


@program([G(3)])
def function_changed_after(torch):
    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x.exp()
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, g):
            return g * ctx.saved_tensors[0]

    def f(x):
        y = D.apply(x)
        y.add_(1)
        return y

    f.after = back
    return f


@program([G(3)])
def function_in_checkpoint(torch):
    cp = checkpoints(torch)

    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * ctx.saved_tensors[0]

    def f(x):
        return cp.checkpoint(lambda v: D.apply(v).sin(), x, use_reentrant=False)

    f.after = back
    return f


@program([G(3)])
def function_helper_in_backward(torch):
    def helper(g, k):
        out = g * k
        return out

    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad_output):
            grad_input = helper(grad_output, 3)
            return grad_input

    def f(x):
        return D.apply(x)

    f.after = back
    return f


@program([G(3)])
def function_returns_none(torch):
    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad_output):
            return None

    def f(x):
        return D.apply(x)

    f.after = back
    return f


@program([G(3), H], [G(3), H])
def function_called_twice(torch):
    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            ctx.save_for_backward(x, y)
            return x * y

        @staticmethod
        def backward(ctx, g):
            x, y = ctx.saved_tensors
            return g * y, g * x

    def f(x, y):
        z = D.apply(x, y)
        z = D.apply(z, y)
        return z

    f.after = back
    return f


@program([G(3)])
def function_detaches(torch):
    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            x = x.detach().clone()
            return x.mul_(2)

        @staticmethod
        def backward(ctx, g):
            return g

    def f(x):
        return D.apply(x)

    f.after = back
    return f


@program([G(3), H])
def function_optional_argument(torch):
    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, bias=None):
            ctx.has = bias is not None
            return x * 2 + (bias if bias is not None else 0)

        @staticmethod
        def backward(ctx, g):
            return g * 2, (g if ctx.has else None)

    def f(x, y):
        return D.apply(x, None) + D.apply(x, y)

    f.after = back
    return f


@program([G(3), H])
def function_dirty_twice(torch):
    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, w):
            x.mul_(2)
            ctx.mark_dirty(x)
            ctx.save_for_backward(w)
            return x, w * 2

        @staticmethod
        def backward(ctx, g, h):
            (w,) = ctx.saved_tensors
            return g * w, h + 1

    def f(x, y):
        v = torch.zeros(3) + y
        a, b = D.apply(v, y)
        v.add_(1)
        return v, a, b

    f.after = back
    return f


@program([X, G(3)])
def function_dirty_input(torch):
    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, w):
            x.mul_(2)
            ctx.mark_dirty(x)
            ctx.save_for_backward(w)
            return x

        @staticmethod
        def backward(ctx, g):
            (w,) = ctx.saved_tensors
            return g * w, g + 1

    def f(x, y):
        a = D.apply(x, y)
        return a * 2, x

    f.after = lambda r, x, y: (back(r[0], y), r[1] is x, x.requires_grad)
    return f


@program([G(3)])
def function_nested_recorded(torch):
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
            with torch.enable_grad():
                y = A.apply(x) * 2
            return y

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return A.apply(g) * x

    def f(x):
        return B.apply(x) + A.apply(x)

    f.after = back
    return f
