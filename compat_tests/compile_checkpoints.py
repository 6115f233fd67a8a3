"""Programs for torch.compile (compile_programs.py): checkpoint, and `.data`."""

import contextlib
import importlib

from compile_programs import G, H, X, back, program


def checkpoints(torch):
    """torch.utils.checkpoint"""
    return importlib.import_module(torch.__name__ + ".utils.checkpoint")


@program([X], [X])
def data_of_parameter(torch):
    p = torch.nn.Parameter(torch.ones(3))

    def f(x):
        p.data = p.data * 0.5 + x
        return p * 2

    f.after = lambda r, x: (r, p, p.requires_grad, r.requires_grad)
    return f


@program([X], [X])
def data_changed_in_place(torch):
    p = torch.nn.Parameter(torch.ones(3))

    def f(x):
        p.data.sub_(x * 0.1)
        return p * 2

    f.after = lambda r, x: (r, p, p._version)
    return f


@program([G(3)])
def data_read(torch):
    def f(x):
        return x.data + 2, (x * 2).data * 3

    return f


@program([G(3)])
def detach_in_place(torch):
    def f(x):
        y = x * 2
        y.detach_()
        return y + 1, y.requires_grad

    return f


@program([G(3)])
def requires_grad_false(torch):
    def f(x):
        y = x * 2
        z = y.detach().requires_grad_(False)
        return z + 1

    return f


@program([G(3)])
def requires_grad_already(torch):
    def f(x):
        x.requires_grad_()
        x.requires_grad_(True)
        return x * 2

    return f


@program([G(3), H])
def data_of_input(torch):
    def f(x, y):
        x.data = y * 2
        return x + 1

    f.after = lambda r, x, y: (r, x, x._version)
    return f


@program([X])
def data_of_result(torch):
    def f(x):
        y = x * 2
        y.data = x + 1
        return y + 1

    return f


@program([X])
def data_of_another_type(torch):
    held = torch.ones(3)

    def f(x):
        held.data = (x * 2).double()
        return held + 1

    f.after = lambda r, x: (r, held)
    return f


@program([X])
def data_shared(torch):
    held = torch.ones(3)

    def f(x):
        y = x * 2
        held.data = y
        held.add_(1)
        return y

    f.after = lambda r, x: (r, held)
    return f


@program([X])
def data_of_another_shape(torch):
    held = torch.ones(3)

    def f(x):
        held.data = x.reshape(3, 1) * 2
        return held + 1, held.shape

    f.after = lambda r, x: (r, held)
    return f


@program([G(3)])
def checkpoint_reentrant(torch):
    cp = checkpoints(torch)

    def g(x):
        return x.sin() * x

    def f(x):
        return cp.checkpoint(g, x, use_reentrant=True).sum()

    f.after = back
    return f


@program([G(3)])
def checkpoint_unsaid(torch):
    cp = checkpoints(torch)

    def g(x):
        return x.sin() * x

    def f(x):
        return cp.checkpoint(g, x).sum()

    f.after = back
    return f


@program([G(3)])
def checkpoint_module(torch):
    cp = checkpoints(torch)

    class M(torch.nn.Module):
        def __init__(self):
            super().__init__()
            torch.manual_seed(0)
            self.a = torch.nn.Linear(3, 3)
            self.b = torch.nn.Linear(3, 3)
            for p in self.parameters():
                p.data = torch.arange(float(p.numel())).reshape(p.shape) / 9

        def forward(self, x):
            x = cp.checkpoint(self.a, x, use_reentrant=False)
            return cp.checkpoint(self.b, x, use_reentrant=False, preserve_rng_state=False)

    m = M()

    def f(x):
        return m(x)

    f.after = lambda r, x: (back(r, x), [p.grad for p in m.parameters()])
    return f


@program([G(3), H])
def checkpoint_keywords(torch):
    cp = checkpoints(torch)

    def g(x, y, k=2):
        return x.sin() * y * k, x + y

    def f(x, y):
        a, b = cp.checkpoint(g, x, y, k=3, use_reentrant=False)
        return a, b

    f.after = back
    return f


@program([G(3)])
def checkpoint_tree(torch):
    cp = checkpoints(torch)

    def g(x):
        return {"a": x.sin(), "b": [x * 2, 3]}

    def f(x):
        r = cp.checkpoint(g, x, use_reentrant=False)
        return r["a"] * r["b"][1], r["b"][0]

    f.after = back
    return f


@program([G(3), H])
def checkpoint_closure(torch):
    cp = checkpoints(torch)

    def f(x, y):
        z = x * 2

        def g(v):
            return (v * z + y).cos()

        return cp.checkpoint(g, x, use_reentrant=False)

    f.after = back
    return f


@program([lambda torch: torch.ones(64).requires_grad_()])
def checkpoint_dropout(torch):
    cp = checkpoints(torch)

    def g(x):
        return torch.nn.functional.dropout(x, 0.5) * x

    def f(x):
        return cp.checkpoint(g, x, use_reentrant=False)

    f.after = lambda r, x: (r.sum().backward(), ((r > 0) == (x.grad > 0)).all())[1]
    return f


@program([X])
def checkpoint_without_gradient(torch):
    cp = checkpoints(torch)

    def g(x):
        return x.sin() * x

    def f(x):
        return cp.checkpoint(g, x, use_reentrant=False)

    f.after = back
    return f


@program([G(3)], [G(3)])
def checkpoint_side_effect(torch):
    cp = checkpoints(torch)
    log = []

    def g(x):
        log.append(1)
        return x.sin() * x

    def f(x):
        return cp.checkpoint(g, x, use_reentrant=False)

    f.after = lambda r, x: (back(r, x)[0], len(log))
    return f


@program([G(3)])
def checkpoint_identity(torch):
    cp = checkpoints(torch)

    def g(x):
        return x, x * 2

    def f(x):
        return cp.checkpoint(g, x, use_reentrant=False)

    f.after = back
    return f


@program([G(3)])
def checkpoint_sequential(torch):
    cp = checkpoints(torch)
    m = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Tanh(), torch.nn.Sigmoid())

    def f(x):
        return cp.checkpoint_sequential(m, 2, x, use_reentrant=False)

    f.after = back
    return f


@program([G(3)])
def checkpoint_twice(torch):
    cp = checkpoints(torch)

    def g(x):
        return x.sin() * x

    def f(x):
        x = cp.checkpoint(g, x, use_reentrant=False)
        x = cp.checkpoint(g, x, use_reentrant=False)
        return x + 1

    f.after = back
    return f


@program([G(3)])
def checkpoint_nested(torch):
    cp = checkpoints(torch)

    def h(x):
        return x.cos() * x

    def g(x):
        return cp.checkpoint(h, x.sin(), use_reentrant=False) * x

    def f(x):
        return cp.checkpoint(g, x, use_reentrant=False)

    f.after = back
    return f


@program([G(3)])
def checkpoint_contexts(torch):
    cp = checkpoints(torch)

    def ctx():
        return contextlib.nullcontext(), contextlib.nullcontext()

    def g(x):
        return x.sin() * x

    def f(x):
        return cp.checkpoint(g, x, use_reentrant=False, context_fn=ctx)

    f.after = back
    return f


@program([G(3)])
def checkpoint_number(torch):
    cp = checkpoints(torch)

    def g(x, n):
        return x.sin() * n

    def f(x):
        return cp.checkpoint(g, x, 5, use_reentrant=False)

    f.after = back
    return f


@program([G(3)], [G(5)], [G(7)])
def checkpoint_symbolic(torch):
    cp = checkpoints(torch)

    def g(x):
        return x.sin().view(x.shape[0], 1) * x.shape[0]

    def f(x):
        return cp.checkpoint(g, x, use_reentrant=False)

    f.after = back
    return f


@program([G(3)], [G(5)], [G(7)])
def checkpoint_symbolic_unused(torch):
    cp = checkpoints(torch)

    def g(x):
        return x.sin() * 2

    def f(x):
        return cp.checkpoint(g, x, use_reentrant=False)

    f.after = back
    return f


@program([G(3)], [G(5)], [G(7)])
def checkpoint_symbolic_result(torch):
    cp = checkpoints(torch)

    def g(x):
        y = x.sin() * 2
        return y.sum() / x.shape[0]

    def f(x):
        return cp.checkpoint(g, x * 2, use_reentrant=False)

    f.after = back
    return f


@program([lambda torch: torch.arange(12.0).reshape(4, 3).requires_grad_()])
def checkpoint_batch_norm(torch):
    cp = checkpoints(torch)
    m = torch.nn.BatchNorm1d(3)

    def f(x):
        return cp.checkpoint(m, x, use_reentrant=False)

    f.after = lambda r, x: (r, m.running_mean, m.num_batches_tracked)
    return f


@program([G(3)])
def checkpoint_twice_differentiated(torch):
    cp = checkpoints(torch)

    def g(x):
        return x**3

    def f(x):
        return cp.checkpoint(g, x, use_reentrant=False).sum()

    def post(r, x):
        (a,) = torch.autograd.grad(r, x, create_graph=True)
        return torch.autograd.grad(a.sum(), x)

    f.after = post
    return f


@program([G(3)])
def checkpoint_tuple_of_one(torch):
    cp = checkpoints(torch)

    def g(x):
        return (x.sin(),)

    def f(x):
        return cp.checkpoint(g, x, use_reentrant=False)[0]

    f.after = back
    return f


@program([G(3)], [G(3)])
def checkpoint_in_place(torch):
    cp = checkpoints(torch)
    buf = torch.zeros(3)

    def g(x):
        buf.add_(1)
        return x.sin() * buf

    def f(x):
        return cp.checkpoint(g, x, use_reentrant=False)

    f.after = lambda r, x: (r, buf)
    return f


@program([G(3)])
def checkpoint_break(torch):
    cp = checkpoints(torch)

    def g(x):
        print("in")
        return x.sin() * x

    def f(x):
        return cp.checkpoint(g, x, use_reentrant=False) + 1

    f.after = lambda r, x: r
    return f
