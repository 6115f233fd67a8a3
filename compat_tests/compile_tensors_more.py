"""Programs for torch.compile (compile_programs.py): more of autograd, in-place writes and views, random numbers, types."""

import random

import numpy as np
from compile_programs import C, G, T, X, program

M = T(2, 3)


@program([X], [X])
def torch_random(torch):
    def f(x):
        a = torch.rand(3)
        b = torch.randn_like(x)
        c = torch.randint(0, 10, (2,))
        return a + b, c, torch.bernoulli(x / 10), torch.randperm(4)

    return f


@program([X], [X])
def manual_seed_inside(torch):
    def f(x):
        torch.manual_seed(3)
        return x + torch.rand(3)

    return f


@program([X], [X])
def generator_random(torch):
    g = torch.Generator()
    g.manual_seed(1)

    def f(x):
        return x + torch.rand(3, generator=g)

    return f


@program([X], [X], [X])
def python_random(torch):
    def f(x):
        return x * random.random() + random.randint(1, 6), random.choice([1, 2, 3])

    return f


@program([X], [X])
def numpy_random(torch):
    def f(x):
        return x + float(np.random.rand())

    return f


@program([X])
def numpy_arrays(torch):
    table = np.array([1.0, 2.0, 3.0], dtype=np.float32)

    def f(x):
        y = torch.from_numpy(table) + x
        n = y.numpy() * 2
        return y, torch.as_tensor(n), np.float32(2.0) * 3, float(np.sqrt(4.0))

    return f


@program([lambda torch: np.ones(3, dtype=np.float32)], [lambda torch: np.zeros(3, dtype=np.float32)])
def numpy_argument(torch):
    def f(a):
        return torch.from_numpy(a) * 2 + 1, a.shape, a.sum().item()

    return f


@program([X], [lambda torch: torch.arange(3)], [lambda torch: torch.arange(3.0, dtype=torch.float64)])
def dtype_logic(torch):
    def f(x):
        if x.dtype == torch.float32:
            y = x.to(torch.float64)
        elif not x.dtype.is_floating_point:
            y = x.float()
        else:
            y = x.half()
        return (
            y,
            y.dtype,
            x.itemsize,
            torch.finfo(torch.float32).eps,
            torch.promote_types(x.dtype, torch.float16),
            torch.result_type(x, 1.0),
            y.type_as(x),
            x.element_size(),
        )

    return f


@program([X])
def devices(torch):
    def f(x):
        d = x.device
        y = torch.zeros(2, device=d) if d.type == "cpu" else x
        return y, d == torch.device("cpu"), str(d), x.is_cuda, x.cpu() + 1, x.to("cpu"), x.layout

    return f


@program([M], [T(4, 5)], [T(6, 7)], [T(2, 3)])
def shape_logic(torch):
    def f(x):
        b, n = x.shape
        y = x.reshape(n, b) * b + n // 2
        if n > 4:
            y = y * 2
        return y, x.size(0) * x.size(1), x.numel(), x.view(-1, 1).shape, torch.zeros(b, n + 1), x.new_ones(b), b * 2 + 1

    return f


@program([X, C(2)], [X, C(3)], [X, C(4)], [X, C(0)], [X, C(1)])
def int_changes(torch):
    def f(x, n):
        y = x * n
        if n > 2:
            y = y + 1
        return y, n + 1, list(range(n)), x.repeat(n)

    return f


@program([X, C(0.5)], [X, C(1.5)], [X, C(2.5)], [X, C(float("nan"))])
def float_changes(torch):
    def f(x, s):
        return x * s, s + 1

    return f


@program([X, C("a")], [X, C("bb")], [X, C("a")])
def string_changes(torch):
    def f(x, s):
        return x * len(s), s + "!"

    return f


@program([T(3, 4)], [T(5, 4)], [T(6, 4)])
def loop_over_size(torch):
    def f(x):
        t = 0
        for i in range(x.shape[0]):
            t = t + x[i] * i
        return t, [r.sum() for r in x], x.shape[0]

    return f


@program([X, X], [X, T(4)], [T(5), T(5)])
def cat_sizes(torch):
    def f(x, y):
        return torch.cat([x, y]), x.shape[0] == y.shape[0]

    return f


@program([T(1)], [T(2)], [T(3)], [T(0)])
def sizes_zero_and_one(torch):
    def f(x):
        return x + torch.ones(2, 1), x.sum(), x.shape[0]

    return f


@program([X], [lambda torch: torch.arange(6.0)[::2]], [lambda torch: torch.arange(3.0).expand(2, 3)])
def strides_change(torch):
    def f(x):
        return x.reshape(-1) * 2, x.is_contiguous(), x.stride()

    return f


@program(
    [X], [G(3)], [lambda torch: torch.nn.Parameter(torch.ones(3))], [lambda torch: torch.zeros((), dtype=torch.int64)]
)
def kinds_of_tensors(torch):
    def f(x):
        return x * 2 + 1

    return f


@program([X, C(3)], [X, C(3.0)], [X, C(True)], [X, C(None)], [X, X])
def kinds_of_arguments(torch):
    def f(x, y):
        if y is None:
            return x
        return x * y

    return f


@program([X])
def unused_and_duplicates(torch):
    def f(x):
        a = x + 1
        x.sin()
        b = a
        return a, b, a, x, a is b

    f.post = lambda r: (*r, r[0] is r[1], r[0] is r[2])
    return f


@program([X])
def constants_in_graph(torch):
    k = torch.tensor([1.0, 2.0, 3.0])

    def f(x):
        return x * torch.tensor([1.0, 2.0, 3.0]) + k + torch.tensor(5) + torch.scalar_tensor(2.0)

    return f


@program([X])
def einsum_and_friends(torch):
    def f(x):
        F = torch.nn.functional
        m = torch.outer(x, x)
        return (
            torch.einsum("i,ij->j", x, m),
            F.pad(x, (1, 1)),
            F.interpolate(x[None, None], scale_factor=2),
            torch.meshgrid(x, x, indexing="ij"),
            torch.split(x, [1, 2]),
            x.softmax(0),
            F.one_hot(torch.arange(3), 3),
            torch.where(x > 1, x, 0.0),
            torch.linalg.norm(x),
            x.tolist(),
        )

    return f


@program([X])
def in_place_names(torch):
    def f(x):
        y = x.clone()
        y.add_(1).mul_(2).clamp_(max=5)
        y.relu_()
        torch.sigmoid_(y)
        z = torch.empty_like(y).copy_(y)
        return z, y.unsqueeze_(0), y.squeeze_()

    return f


@program([X])
def very_long(torch):
    def f(x):
        a = x
        for i in range(100):
            a = a * 1.01 + i
            if i % 10 == 0:
                a = a.sin()
        return a

    return f


@program([X])
def unsupported_methods(torch):
    def f(x):
        y = x * 2
        p = y.data_ptr() != 0
        return y + 1, p, len(y), y.tolist()[0], bool(y[0] > 0), int(y[1]), float(y[2]), 2.0 in y

    return f


@program([G(3)])
def grad_accumulates(torch):
    def f(x):
        (x * 2).sum().backward()
        (x * 3).sum().backward()
        g = x.grad.clone()
        x.grad = None
        return g, x.grad is None

    return f


@program([G(3)])
def retain_and_hooks(torch):
    seen = []

    def f(x):
        y = x * 2
        y.register_hook(lambda g: seen.append(g.sum()))
        return (y * y).sum()

    def post(r):
        r.backward()
        return r

    f.post, f.extra = post, lambda: seen
    return f


@program([X])
def is_compiling(torch):
    def f(x):
        return x * 2 if torch.is_tensor(x) else x

    return f


@program([X])
def setitem_as_a_method(torch):
    def f(x):
        y = x * 1
        y.__setitem__(0, 5.0)
        torch.Tensor.__setitem__(y, 1, y[0])
        y[1:].__setitem__(1, 7.0)
        return y

    return f
