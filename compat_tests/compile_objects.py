"""Programs for torch.compile (compile_programs.py): classes, closures, decorators and functools."""

import abc
import dataclasses
import enum
import functools
import operator
import types
import typing

from compile_programs import X, program


@program([X], [X])
def properties(torch):
    class A:
        def __init__(self):
            self._w = 1

        @property
        def w(self):
            return self._w

        @w.setter
        def w(self, v):
            self._w = v + 1

        @w.deleter
        def w(self):
            self._w = 0

    a = A()

    def f(x):
        a.w = a.w + 1
        y = x * a.w
        del a.w
        a.w = 5
        return y

    f.extra = lambda: a._w
    return f


@program([X], [X])
def slots(torch):
    class A:
        __slots__ = ("a", "b")

        def __init__(self, a):
            self.a = a

    held = A(1)

    def f(x):
        made = A(x)
        made.b = 3
        held.a = held.a + 1
        return made.a * made.b + held.a, hasattr(held, "b")

    f.extra = lambda: held.a
    return f


@program([X], [X])
def class_attributes(torch):
    class A:
        count = 0
        table = {"k": 2}

    def f(x):
        a = A()
        a.count += 1
        return x * A.table["k"] + a.count + A.count, a.table is A.table

    return f


@program([X], [X])
def class_attribute_set(torch):
    class A:
        count = 0

    def f(x):
        A.count += 1
        return x + A.count

    f.extra = lambda: A.count
    return f


@program([X])
def getattr_setattr(torch):
    class A:
        def __init__(self):
            object.__setattr__(self, "d", {})

        def __getattr__(self, name):
            if name.startswith("no"):
                raise AttributeError(name)
            return len(name)

        def __setattr__(self, name, value):
            self.d[name] = value

    def f(x):
        a = A()
        a.z = x
        return x * a.hello, a.d, getattr(a, "nope", 3), hasattr(a, "no"), hasattr(a, "yes")

    return f


@program([X])
def getattribute(torch):
    class A:
        k = 2

        def __getattribute__(self, name):
            v = super().__getattribute__(name)
            return v + 1 if name == "k" else v

    def f(x):
        return x * A().k

    return f


@program([X])
def operators_of_objects(torch):
    class V:
        def __init__(self, v):
            self.v = v

        def __add__(self, o):
            return V(self.v + getattr(o, "v", o))

        def __radd__(self, o):
            return V(o + self.v)

        def __mul__(self, o):
            return V(self.v * o)

        def __neg__(self):
            return V(-self.v)

        def __getitem__(self, i):
            return self.v[i]

        def __setitem__(self, i, v):
            self.v = self.v + i * v

        def __len__(self):
            return 3

        def __contains__(self, o):
            return o == 3

        def __eq__(self, o):
            return self.v is o.v

        def __hash__(self):
            return 1

        def __lt__(self, o):
            return True

        def __bool__(self):
            return False

        def __call__(self, *a):
            return self.v * len(a)

        def __iter__(self):
            return iter([self.v, 1])

        def __iadd__(self, o):
            self.v = self.v + o
            return self

        def __matmul__(self, o):
            return "mat"

        def __index__(self):
            return 2

        def __enter__(self):
            return self

        def __exit__(self, *a):
            pass

    def f(x):
        a = V(x)
        b = 1 + (a + 2) * 3 + a
        b += 1
        b[2] = 5
        a2, one = a
        return (
            b.v,
            (-a)[0],
            len(a),
            3 in a,
            4 in a,
            a == a,
            a == V(x * 1),
            a < b,
            bool(a),
            a(1, 2),
            a2,
            one,
            a @ b,
            [5, 6, 7][a],
            not a,
        )

    return f


@program([X])
def inheritance(torch):
    class A:
        def __init__(self, k):
            self.k = k

        def go(self, x):
            return x + self.k

        def both(self, x):
            return self.go(x) * 2

    class M:
        def go(self, x):
            return super().go(x) - 1

    class B(M, A):
        def __init__(self):
            super().__init__(3)
            self.z = 1

        def go(self, x):
            return super().go(x) * self.z

        @classmethod
        def make(cls):
            return cls()

    def f(x):
        b = B.make()
        return b.both(x), A.go(b, x), isinstance(b, M), issubclass(B, A), B.__mro__[1].__name__, type(b).__name__

    return f


@program([X])
def metaclass(torch):
    class Meta(type):
        def __call__(cls, *a):
            made = super().__call__(*a)
            made.tag = cls.label
            return made

        @property
        def label(cls):
            return 4

    class A(metaclass=Meta):
        def __init__(self, v):
            self.v = v

    def f(x):
        a = A(x)
        return a.v * a.tag + A.label

    return f


@program([X])
def abstract(torch):
    class Base(abc.ABC):
        @abc.abstractmethod
        def go(self, x): ...
        def run(self, x):
            return self.go(x) + 1

    class A(Base):
        def go(self, x):
            return x * 2

    a = A()

    def f(x):
        return a.run(x), A().run(x), isinstance(a, Base)

    return f


@program([X])
def abstract_instance_fails(torch):
    class Base(abc.ABC):
        @abc.abstractmethod
        def go(self): ...

    def f(x):
        try:
            Base()
        except TypeError:
            return x + 1

    return f


@program([X])
def dataclasses_(torch):
    @dataclasses.dataclass
    class D:
        a: typing.Any
        l: list = dataclasses.field(default_factory=list)
        n: int = 3

        def __post_init__(self):
            self.b = self.a * self.n

    @dataclasses.dataclass(frozen=True, order=True)
    class F:
        k: int
        m: int = 2

    def f(x):
        d = D(x, n=2)
        d.l.append(1)
        e = D(x)
        try:
            F(1).k = 3
        except dataclasses.FrozenInstanceError:
            d.n = 7
        return d.b + e.b, d.l, e.l, d.n, F(1) == F(1), F(1) < F(2), dataclasses.replace(F(1), m=9).m, F(3).m

    return f


@program([X])
def dataclass_returned(torch):
    @dataclasses.dataclass
    class D:
        a: typing.Any
        b: int = 1

    def f(x):
        return D(x + 1, 4)

    f.post = lambda r: (r.a, r.b, repr(type(r).__name__))
    return f


@program(
    [lambda torch: types.SimpleNamespace(a=torch.ones(2), n=1)],
    [lambda torch: types.SimpleNamespace(a=torch.ones(2), n=2)],
)
def namespace_argument(torch):
    def f(s):
        s.n += 1
        s.b = s.a * s.n
        return s.b

    return f


@program([X])
def enums(torch):
    class E(enum.Enum):
        A = 1
        B = "b"

        def twice(self):
            return self.value * 2

    class F(enum.IntFlag):
        R = 1
        W = 2

    def f(x, e=E.A):
        if e is E.A:
            x = x + e.value
        return (
            x,
            E["B"].value,
            E(1).name,
            [m.name for m in E],
            E.A == E.A,
            E.A.twice(),
            F.R | F.W,
            F.R in (F.R | F.W),
            e in (E.A, E.B),
            {E.A: 1}[e],
        )

    f.post = lambda r: (*r[:6], int(r[6]), *r[7:])
    return f


@program([X], [X], [X])
def closure_counters(torch):
    def make():
        n = 0
        hist = []

        def inc(x):
            nonlocal n
            n += 1
            hist.append(n)
            return x * n

        return inc, lambda: (n, hist)

    inc, get = make()

    def f(x):
        return inc(x) + inc(x)

    f.extra = get
    return f


@program([X])
def lambdas_in_list(torch):
    def f(x):
        fs = [lambda v, i=i: v * i for i in range(3)]
        late = [lambda v: v + i for i in range(3)]
        table = {"a": lambda v: v - 1, "b": torch.sin}
        return sum(g(x) for g in fs), [g(x) for g in late], table["a"](x), table["b"](x)

    return f


@program([X])
def decorators(torch):
    def twice(fn):
        @functools.wraps(fn)
        def inner(*args, **kw):
            return fn(*args, **kw) * 2

        return inner

    def scaled(k):
        def deco(fn):
            def inner(v):
                return fn(v) * k

            return inner

        return deco

    @twice
    @scaled(3)
    def g(v):
        return v + 1

    def f(x):
        @twice
        def h(v):
            return v - 1

        return g(x), h(x), h.__name__

    return f


@program([X])
def partials(torch):
    def g(a, b, c=1, *, d=2):
        return a * b + c * d

    p = functools.partial(g, c=3)

    def f(x):
        q = functools.partial(p, x, d=1)
        return q(2), p(x, 4), functools.partial(torch.add, x)(1), q.keywords, functools.partial(max, 3)(5)

    return f


@program([X])
def partial_returned(torch):
    def g(a, b):
        return a * b

    def f(x):
        return functools.partial(g, x + 1)

    f.post = lambda r: r(2)
    return f


@program([X])
def reduces(torch):
    def f(x):
        return (
            functools.reduce(lambda a, b: a * b, [x, x + 1, 2]),
            functools.reduce(operator.add, [1, 2, 3], 10),
            functools.reduce(torch.maximum, [x, -x, x * 0]),
        )

    return f


@program([X], [X])
def lru_cached(torch):
    @functools.lru_cache
    def g(n):
        return n * 2

    def f(x):
        return x * g(3) + g(3)

    return f


@program([X], [X])
def cached_property(torch):
    class A:
        def __init__(self):
            self.n = 0

        @functools.cached_property
        def w(self):
            self.n += 1
            return self.n * 10

    a = A()

    def f(x):
        return x * a.w + a.w

    f.extra = lambda: (a.n, a.__dict__.get("w"))
    return f
