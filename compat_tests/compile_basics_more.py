"""Programs for torch.compile (compile_programs.py): the language and tensors, one thing each."""

import collections
import functools
import importlib
import math
import operator
from collections import namedtuple

from compile_programs import T, X, program


@program([X])
def ntuple(torch):
    N = namedtuple("N", "a b")

    def f(x):
        n = N(x, x + 1)
        return n.a * n.b, n

    return f


@program([X])
def partial_(torch):
    def g(a, b, c=1):
        return a * b + c

    def f(x):
        return functools.partial(g, x, c=2)(3)

    return f


@program([X])
def zips(torch):
    def f(x):
        t = 0
        for i, (a, b) in enumerate(zip([x, x * 2], [1, 2])):
            t = t + a * b + i
        return t, list(map(lambda v: v + 1, [1, 2])), [*reversed([1, 2])]

    return f


@program([X])
def inplace(torch):
    def f(x):
        y = x.clone()
        y.add_(1)
        y[1:] *= 2
        return y

    return f


@program([X])
def inplace_input(torch):
    def f(x):
        x.mul_(2)
        return x + 1

    return f


@program([X])
def view_(torch):
    def f(x):
        y = x.view(1, 3)
        y += 1
        return x.sum(), y

    return f


@program([T(2, 3)])
def maxes(torch):
    def f(x):
        v, i = x.max(dim=1)
        return v * 2, i

    return f


@program([T(2, 3)])
def maxdot(torch):
    def f(x):
        return torch.max(x, dim=1).values + 1, torch.topk(x, 2)[1]

    return f


@program([T(2, 3)])
def unpack(torch):
    def f(x):
        a, b = x
        c, d = x.chunk(2, 0)
        r, *s = x.unbind(1)
        return a + b, c - d, r, s

    return f


@program([T(2, 3)])
def iterate(torch):
    def f(x):
        t = 0
        for row in x:
            t = t + row.sum()
        return t

    return f


@program([X])
def fstr(torch):
    def f(
        x,
    ):
        s = f"{x.shape[0]:>3}|{'a'!r}"
        return x + len(s), s

    return f


@program([X])
def whileloop(torch):
    def f(x):
        n = 0
        while n < 3:
            x = x + n
            n += 1
        return x

    return f


@program([X])
def while_data(torch):
    def f(x):
        while x.sum() < 50:
            x = x * 2
        return x

    return f


@program([X])
def early(torch):
    def f(x):
        if isinstance(x, torch.Tensor) and x.dim() == 1 and x.dtype == torch.float32:
            return x.new_zeros(2), x.device.type
        return x

    return f


@program([X])
def ret_none(torch):
    def f(x):
        x + 1
        return None

    return f


@program([X])
def const_ret(torch):
    def f(x):
        return 5

    return f


@program([X])
def same_ret(torch):
    def f(x):
        return x, [x]

    return f


@program([X])
def torchfns(torch):
    def f(x):
        return (
            torch.where(x > 1, x, torch.zeros_like(x)),
            torch.stack([x, x]).mean(0),
            torch.nn.functional.softmax(x, dim=-1),
            torch.full((2,), 3.0),
            torch.tensor([1.0, 2.0]),
            torch.arange(3),
        )

    return f


@program([X, X])
def operators(torch):
    def f(x, y):
        return (
            -x + y * 2 - 3 / x,
            x // 2,
            x % 2,
            x**2,
            2**x,
            abs(x),
            x @ y,
            (x > y) & (x == y),
            ~(x < y),
            x[0],
            x[None],
            x[..., 1:],
            1 - x,
            x != y,
        )

    return f


@program([X])
def setattrs(torch):
    class Thing:
        pass

    def f(x):
        o = Thing()
        setattr(o, "a", x + 1)
        return getattr(o, "a") * 2, hasattr(o, "b"), getattr(o, "zz", 7)

    return f


@program([X])
def superclass(torch):
    class A:
        def go(self, x):
            return x + 1

    class B(A):
        def go(self, x):
            return super().go(x) * 2

    b = B()

    def f(x):
        return b.go(x)

    return f


@program([X])
def static(torch):
    class A:
        K = 3

        @staticmethod
        def s(x):
            return x + 1

        @classmethod
        def c(cls, x):
            return x * cls.K

    def f(x):
        return A.s(x) + A().c(x) + A.K

    return f


@program(
    [lambda torch: [torch.ones(2), torch.zeros(2)]], [lambda torch: [torch.ones(2), torch.zeros(2), torch.ones(2)]]
)
def listarg(torch):
    def f(xs):
        t = 0
        for x in xs:
            t = t + x
        xs.append(t)
        return t

    return f


@program([lambda torch: {"a": torch.ones(2), "n": 3}])
def dictarg(torch):
    def f(d):
        d["r"] = d["a"] * d["n"]
        return d["r"]

    return f


@program([X])
def nested_def_escape(torch):
    def f(x):
        y = x * 2

        def g(z):
            return z + y

        return g

    f.post = lambda r: r(torch.ones(3))
    return f


@program([X])
def sort_key(torch):
    def f(x):
        l = sorted([3, 1, 2], key=lambda v: -v)
        return x * l[0], max([1, 5, 2]), min(4, 2), any([False, True]), all([])

    return f


@program([X])
def deque_(torch):
    def f(x):
        d = collections.deque([x], maxlen=2)
        d.append(x + 1)
        d.append(x + 2)
        o = collections.OrderedDict(a=1)
        dd = collections.defaultdict(list)
        dd["k"].append(x)
        return d[0] + d[1], list(o), dd["k"][0]

    return f


@program([X])
def recursion(torch):
    def r(x, n):
        return x if n == 0 else r(x + 1, n - 1)

    def f(x):
        return r(x, 4)

    return f


@program([X])
def assertion(torch):
    def f(x):
        assert x.shape[0] == 3, "bad"
        return x + 1

    return f


@program([X])
def math_(torch):
    def f(x):
        return x * math.sqrt(4) + math.pi, operator.add(x, 1), int(2.5), round(1.5), divmod(7, 2)

    return f


@program([X])
def disabled(torch):
    @importlib.import_module(torch.__name__ + ".compiler").disable
    def g(x):
        return x * 3

    def f(x):
        return g(x + 1) + 2

    return f


@program([X])
def gbreak(torch):
    d = importlib.import_module(torch.__name__ + "._dynamo")

    def f(x):
        y = x + 1
        d.graph_break()
        return y * 2

    return f


@program([X], [T(4)], [T(5)])
def shapes(torch):
    def f(x):
        return x + x.shape[0]

    return f


@program([X], [lambda torch: torch.arange(3)], [lambda torch: torch.ones(3, requires_grad=True)])
def dtypes(torch):
    def f(x):
        return x * 2

    return f


@program([X])
def ret_slice(torch):
    def f(x):
        a = x * 2
        return a[:2], a, {"k": (a, [a])}, slice(1, 2), (), [], None, True

    return f


@program([X])
def iadd_list(torch):
    def f(x):
        l = [1]
        l += [2]
        l *= 2
        t = (1,) + (2,)
        return x * sum(l), t, l, [*l, *t], {**{"a": 1}}, 1 in l, "q" not in {}

    return f


@program([X])
def ternary(torch):
    def f(x, flag=True):
        return (x + 1 if flag else x - 1) if x is not None else None

    return f


@program([X])
def backward(torch):
    def f(x):
        x = x.detach().requires_grad_()
        y = (x * x).sum()
        y.backward()
        return x.grad

    return f


@program([lambda torch: torch.arange(3.0, requires_grad=True)])
def grads(torch):
    def f(x):
        return (x * x).sin().sum()

    f.post = lambda r: (r.backward(),)[0]
    return f
