"""Programs for torch.compile (compile_programs.py): the language, one thing each."""

import contextlib
import dataclasses
import types

from compile_programs import X, program


@program([X])
def branch_shape(torch):
    def f(x):
        if x.shape[0] > 2:
            return x + 1
        return x - 1

    return f


@program([X], [lambda torch: -torch.arange(3.0)])
def branch_data(torch):
    def f(x):
        y = x * 2
        if y.sum() > 0:
            y = y + 1
        else:
            y = y - 1
        return y.sin()

    return f


@program([X])
def listcomp(torch):
    def f(x):
        ys = [x * i for i in range(3)]
        return sum(ys), len(ys)

    return f


@program([X])
def dicts(torch):
    def f(x):
        d = {"a": x, "b": x + 1}
        d["c"] = d["a"] * d["b"]
        d.update(e=d["c"].sin())
        del d["b"]
        return {k: v * 2 for k, v in d.items()}

    return f


@program([X, lambda torch: 2], [X, lambda torch: 3])
def intarg(torch):
    def f(x, n):
        return x * n

    return f


@program([X])
def closure(torch):
    k = torch.ones(3)
    s = 2.5

    def f(x):
        def g(y):
            return y * k + s

        return g(x) + g(x * 2)

    return f


@program([X])
def kwargs(torch):
    def h(a, *args, b=1, **kw):
        return a * b + sum(args) + kw["z"]

    def f(x):
        return h(x, 1, 2, b=3, z=x)

    return f


@program([X])
def lam(torch):
    def f(x):
        return (lambda a, b=2: a * b)(x)

    return f


@program([X])
def gen(torch):
    def g(x):
        for i in range(3):
            yield x + i

    def f(x):
        return sum(g(x)), list(g(x))

    return f


@program([X])
def cls(torch):
    class C:
        def __init__(self, w):
            self.w = w
            self.n = 0

        def __call__(self, x):
            self.n += 1
            return x * self.w

        @property
        def p(self):
            return self.w + 1

    def f(x):
        c = C(x)
        return c(x) + c.p, c.n

    return f


@program([X], [X])
def attr_effect(torch):
    class C:
        pass

    c = C()
    c.count = 0
    c.last = None

    def f(x):
        c.count += 1
        c.last = x * 2
        return c.last + c.count

    f.extra = lambda: (c.count, c.last)
    return f


@program([X], [X])
def list_effect(torch):
    out = []

    def f(x):
        out.append(x * 2)
        return x + len(out)

    f.extra = lambda: out
    return f


@program([X])
def globals_(torch):
    def f(x):
        global COUNT
        COUNT = COUNT + 1
        return x + COUNT

    g = types.FunctionType(f.__code__, {**f.__globals__, "COUNT": 0}, "f")
    g.extra = lambda: g.__globals__["COUNT"]
    return g


@program([X], [X])
def nonlocal_(torch):
    n = 0

    def f(x):
        nonlocal n
        n += 1
        return x * n

    f.extra = lambda: n
    return f


@program([X])
def printing(torch):
    def f(x):
        a = x + 1
        print("one", a.shape[0])
        b = a * 2
        print("two")
        return b - 1

    return f


@program([X])
def loopbreak(torch):
    def f(x):
        out = []
        for k in range(3):
            x = x * 2
            print("k", k)
            out.append(x)
        return out[0] + out[2]

    return f


@program([X])
def item(torch):
    def f(x):
        v = x.sum().item()
        return x * v

    return f


@program([X])
def tryexc(torch):
    def f(x):
        try:
            y = x + 1
            raise ValueError("a")
        except ValueError:
            y = x * 2
        finally:
            z = x - 1
        return y + z

    return f


@program([X])
def tryinner(torch):
    def g(x, d):
        return x * d["k"]

    def f(x):
        try:
            return g(x, {})
        except KeyError:
            return x.cos()

    return f


@program([X])
def nograd(torch):
    def f(x):
        with torch.no_grad():
            y = x.sin()
        return y * 2, torch.is_grad_enabled()

    return f


@program([X])
def nograd_break(torch):
    def f(x):
        with torch.no_grad():
            y = x.sin()
            print("in", torch.is_grad_enabled())
            y = y + 1
        return y * 2

    return f


@program([X])
def ctx(torch):
    @contextlib.contextmanager
    def cm(a):
        yield a * 2

    def f(x):
        with cm(x) as y:
            z = y + 1
        return z

    return f


@program([X])
def ctxclass(torch):
    class CM:
        def __init__(s, log):
            s.log = log

        def __enter__(s):
            s.log.append("in")
            return 3

        def __exit__(s, *a):
            s.log.append("out")

    log = []

    def f(x):
        with CM(log) as n:
            y = x * n
        return y

    f.extra = lambda: log
    return f


@program([X])
def dataclass_(torch):
    @dataclasses.dataclass
    class D:
        a: object
        b: int = 3

    def f(x):
        d = D(x + 1)
        return d.a * d.b

    return f
