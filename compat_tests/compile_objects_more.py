"""Programs for torch.compile (compile_programs.py): more of classes, closures, decorators and functools."""

import collections
import functools
import weakref

from compile_programs import X, program


@program([X])
def single_dispatch(torch):
    @functools.singledispatch
    def g(v, x):
        return x

    @g.register
    def _(v: int, x):
        return x * v

    @g.register
    def _(v: str, x):
        return x + len(v)

    def f(x):
        return g(3, x), g("ab", x), g(None, x)

    return f


@program([X])
def single_dispatch_method(torch):
    class A:
        @functools.singledispatchmethod
        def go(self, v):
            return 0

        @go.register
        def _(self, v: int):
            return v + 1

    def f(x):
        return x * A().go(2)

    return f


@program([X])
def static_and_class_methods(torch):
    class A:
        k = 2

        @staticmethod
        def s(x):
            return x + 1

        @classmethod
        def c(cls, x):
            return x * cls.k

        def m(self, x):
            return self.s(x) + self.c(x)

    class B(A):
        k = 3

    def f(x):
        m = B().m
        return m(x), B.c(x), A.c(x), A.s(x), list(map(A.s, [x]))

    return f


@program([X])
def descriptors(torch):
    class D:
        def __set_name__(self, owner, name):
            self.name = "_" + name

        def __get__(self, obj, cls=None):
            return self if obj is None else obj.__dict__.get(self.name, 1)

        def __set__(self, obj, value):
            obj.__dict__[self.name] = value * 2

    class A:
        w = D()

    def f(x):
        a = A()
        before = a.w
        a.w = 4
        return x * a.w + before, a._w

    return f


@program([X])
def methods_as_values(torch):
    class A:
        def __init__(self, k):
            self.k = k

        def go(self, x):
            return x * self.k

    a = A(2)

    def apply(fn, x):
        return fn(x)

    def f(x):
        g = a.go
        h = A.go
        m = x.mul
        return apply(g, x), h(a, x), m(3), apply(x.add, 1), list(map(a.go, [x, x + 1])), g.__self__ is a

    return f


@program([X])
def object_escapes(torch):
    class Node:
        def __init__(self, v, parent=None):
            self.v, self.parent, self.children = v, parent, []

        def add(self, v):
            self.children.append(Node(v, self))
            return self.children[-1]

    def f(x):
        root = Node(x)
        root.add(x + 1).add(x + 2)
        return root

    f.post = lambda r: (r.v, r.children[0].v, r.children[0].parent is r, r.children[0].children[0].v)
    return f


@program([X], [X])
def object_stored_outside(torch):
    class Node:
        def __init__(self, v):
            self.v = v

    box = {}

    def f(x):
        box["n"] = Node(x * 2)
        box.setdefault("l", []).append(box["n"])
        return x

    f.extra = lambda: (box["n"].v, [n.v for n in box["l"]], box["l"][-1] is box["n"])
    return f


@program([X])
def attributes_across_break(torch):
    class S:
        pass

    s = S()
    s.a = 1

    def f(x):
        s.a = 2
        s.t = x * 2
        print(s.a, hasattr(s, "t"))
        s.a += 1
        return s.t + s.a

    f.extra = lambda: (s.a, s.t)
    return f


@program([X])
def lists_subclassed(torch):
    class L(list):
        def total(self):
            return sum(self)

        def append(self, v):
            super().append(v * 2)

    class D(dict):
        def __missing__(self, key):
            return 9

        def __getitem__(self, k):
            return super().__getitem__(k) if k in self else 5

    def f(x):
        l = L([1, 2])
        l.append(3)
        d = D(a=1)
        return x * l.total(), len(l), list(l), d["a"], d["q"], isinstance(l, list)

    return f


@program([X])
def dunder_missing(torch):
    class D(dict):
        def __missing__(self, key):
            self[key] = len(key)
            return self[key]

    def f(x):
        d = D()
        return x * d["abc"], d["abc"], dict(d), "z" in d

    return f


@program([X])
def str_subclass_and_int(torch):
    class Int(int):
        def double(self):
            return self * 2

    def f(x):
        i = Int(4)
        return x * i.double(), i + 1, isinstance(i, int)

    return f


@program([X])
def iterator_class(torch):
    class Count:
        def __init__(self, n):
            self.i, self.n = 0, n

        def __iter__(self):
            return self

        def __next__(self):
            if self.i >= self.n:
                raise StopIteration
            self.i += 1
            return self.i

    class Seq:
        def __len__(self):
            return 3

        def __getitem__(self, i):
            if i >= 3:
                raise IndexError
            return i * 10

    def f(x):
        total = x
        for i in Count(3):
            total = total * i
        return total, list(Count(2)), sum(Count(4)), list(Seq()), [*Count(1)], 20 in Seq()

    return f


@program([X])
def recursion_and_mutual(torch):
    def even(n, x):
        return x if n == 0 else odd(n - 1, x + 1)

    def odd(n, x):
        return -x if n == 0 else even(n - 1, x * 2)

    def f(x):
        def fact(n):
            return 1 if n < 2 else n * fact(n - 1)

        return even(5, x) * fact(4)

    return f


@program([X], [X])
def mutable_default(torch):
    def f(x, seen=[], n={}):  # noqa: B006
        seen.append(x.shape[0])
        n["a"] = n.get("a", 0) + 1
        return x * len(seen) + n["a"]

    f.extra = lambda: f.__defaults__
    return f


@program([X])
def keyword_only(torch):
    def g(a, /, b, *, c=1, **kw):
        return a + b * c + len(kw)

    def f(x):
        try:
            g(x, 1, 2)
        except TypeError:
            return g(x, b=2, c=3, d=4), g(x, 1)

    return f


@program([X])
def function_attributes(torch):
    def g(x):
        g.calls += 1
        return x * g.calls

    g.calls = 0

    def f(x):
        return g(x) + g(x)

    f.extra = lambda: g.calls
    return f


@program([X])
def class_in_function(torch):
    def f(x):
        class Local:
            k = 3

            def go(self, v):
                return v * self.k

        return Local().go(x)

    return f


@program([X])
def type_checks(torch):
    def f(x):
        return (
            type(x) is torch.Tensor,
            isinstance(x, (int, torch.Tensor)),
            isinstance(3, int),
            callable(f),
            type(3).__name__,
            isinstance(x, torch.nn.Parameter),
            issubclass(bool, int),
            x.dtype is torch.float32,
            x.is_floating_point(),
            torch.is_tensor(x),
            isinstance([], collections.abc.Sequence),
        )

    return f


@program([X])
def dict_attribute(torch):
    class A:
        pass

    def f(x):
        a = A()
        a.__dict__["q"] = x + 1
        a.__dict__.update(r=2)
        return a.q * a.r, sorted(vars(a)), a.__class__.__name__

    return f


@program([X])
def ids_and_weakrefs(torch):
    class A:
        pass

    a = A()
    r = weakref.ref(a)

    def f(x):
        return x + (1 if r() is a else 2), id(x) == id(x)

    return f


@program([X])
def repr_of_objects(torch):
    class A:
        def __repr__(self):
            return "<A!>"

        def __format__(self, spec):
            return spec + "?"

    def f(x):
        return x + 1, f"{A()!r} {A():abc}", str(A()), [A()].__repr__()

    return f


@program([X], [X])
def method_replaced(torch):
    class A:
        def go(self, x):
            return x + 1

    a = A()

    def f(x):
        return a.go(x)

    def before(n):
        if n == 1:
            a.go = lambda x: x * 100

    f.before = before
    return f


@program([X], [X])
def class_method_replaced(torch):
    class A:
        def go(self, x):
            return x + 1

    a = A()

    def f(x):
        return a.go(x)

    def before(n):
        if n == 1:
            A.go = lambda self, x: x * 100

    f.before = before
    return f


@program([X])
def subclass_of_an_ordered_dictionary(torch):
    class Output(collections.OrderedDict):
        def __init__(self, **fields):
            super().__init__()
            self.update(fields)
            self.kind = "output"

        def __setitem__(self, key, value):
            super().__setitem__(key, value)

    def f(x):
        made = Output(loss=x.sum(), logits=x * 2)
        return list(made), list(reversed(made)), made["loss"], made.kind, made

    return lambda x: [list(v.items()) if isinstance(v, Output) else v for v in f(x)]
