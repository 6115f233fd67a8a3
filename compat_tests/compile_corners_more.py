"""Programs for torch.compile (compile_programs.py): more of what a reader may get wrong: callbacks, numbers, recompiles, order."""

import copy

from compile_programs import C, X, program


@program([X, C(1)], [X, C(1)])
def defaults_replaced(torch):
    def f(x, k, m=2):
        return x * m + k

    def before(n):
        if n:
            f.__defaults__ = (50,)

    f.before = before
    return f


@program([X], [X], [X])
def global_function_replaced(torch):
    holder = {"g": lambda v: v + 1}

    class Ops:
        pass

    Ops.run = staticmethod(lambda v: v * 2)

    def f(x):
        return holder["g"](x) + Ops.run(x)

    def before(n):
        if n == 1:
            holder["g"] = lambda v: v + 100
        if n == 2:
            Ops.run = staticmethod(lambda v: v * 1000)

    f.before = before
    return f


@program([X, X], [X, X])
def order_of_effects(torch):
    log = []

    class A:
        def __setattr__(self, k, v):
            log.append(("set", k))
            object.__setattr__(self, k, v)

        def __delattr__(self, k):
            log.append(("del", k))
            object.__delattr__(self, k)

    a = A()

    def f(x, y):
        a.one = x
        log.append("between")
        a.two = y
        del a.one
        a.three = a.two + 1
        return a.three

    f.extra = lambda: (log, sorted(vars(a)), list(vars(a)))
    return f


@program([X], [X], [X])
def attribute_order_and_deletes(torch):
    class A:
        pass

    a = A()
    d = {}

    def f(x):
        a.z = 1
        a.b = x
        if hasattr(a, "c"):
            del a.c
        else:
            a.c = 2
        d["z"] = 1
        d["a"] = 2
        d["z"] = d.pop("z") + 1
        return x

    f.extra = lambda: (list(vars(a)), list(d.items()))
    return f


@program([X], [X])
def one_object_two_names(torch):
    class A:
        pass

    a = A()
    a.n, a.l = 0, [1]
    b = a
    holder = {"x": a, "l": a.l}

    def f(x):
        a.n += 1
        b.n += 1
        holder["x"].n += 1
        a.l.append(a.n)
        holder["l"].append(5)
        return x * b.n + len(b.l)

    f.extra = lambda: (a.n, a.l)
    return f


@program([C([1, 2]), C([1, 2])], [C([1, 2]), C([1, 2])])
def lists_that_become_one(torch):
    def f(a, b):
        a.append(len(b))
        b.append(len(a))
        return torch.ones(1) * len(a), a, b

    def g(a, b):
        return f(a, b), f(a, a), f(b, a)

    return g


@program([lambda torch: {"n": 1, "t": torch.ones(2)}], [lambda torch: {"t": torch.ones(2), "n": 1}])
def order_of_keys(torch):
    def f(d):
        return d["t"] * 2, list(d), [k for k in d]

    return f


@program([X], [X])
def deep_copies(torch):
    state = {"a": [1, {"b": 2}]}

    def f(x):
        c = copy.deepcopy(state)
        c["a"][1]["b"] += 1
        d = copy.copy(state["a"])
        d.append(4)
        return x * c["a"][1]["b"], c, d

    f.extra = lambda: state
    return f


@program([X], [X])
def loops_over_what_changes(torch):
    def f(x):
        l = [1, 2, 3]
        seen = []
        for v in l:
            seen.append(v)
            if len(l) < 6:
                l.append(v * 10)
        for v in list(l):
            if v > 9:
                l.remove(v)
        try:
            d = {"a": 1}
            for k in d:
                d[k + "x"] = 2
        except RuntimeError as error:
            seen.append(str(error))
        try:
            s = {1}
            for k in s:
                s.add(k + 1)
        except RuntimeError as error:
            seen.append(str(error))
        return x, l, seen

    return f


@program([lambda torch: torch.arange(4.0), C([0, 3])], [lambda torch: torch.arange(4.0), C([0, 9])])
def error_in_the_graph_after_effects(torch):
    log = []

    def f(x, i):
        log.append("before")
        y = x[torch.tensor(i)]
        log.append("after")
        return y

    f.extra = lambda: log
    return f


@program([X], [X])
def star_and_default_containers(torch):
    def g(*args, **kw):
        kw["new"] = len(args)
        return args, kw

    given = {"a": 1}

    def f(x):
        a, k = g(x, 1, **given)
        return a, k, given

    return f


@program([X], [X])
def method_of_class_with_state(torch):
    class Counter:
        total = 0

        def __init__(self):
            self.calls = []

        def step(self, x):
            self.calls.append(x.shape[0])
            type(self).total += 1
            return x * len(self.calls) + Counter.total

    c = Counter()

    def f(x):
        return c.step(x)

    f.extra = lambda: (c.calls, Counter.total)
    return f


@program([X], [X])
def exceptions_in_properties(torch):
    class A:
        @property
        def p(self):
            raise AttributeError("inner")

        @property
        def q(self):
            raise ValueError("q")

        def __getattr__(self, name):
            return f"got {name}"

    def f(x):
        a = A()
        try:
            a.q
        except ValueError as error:
            return x + 1, a.p, a.z, getattr(a, "p", 3), str(error), hasattr(a, "p")

    return f


@program([X], [X])
def context_and_cause(torch):
    def f(x):
        try:
            try:
                raise KeyError("first")
            except KeyError:
                raise ValueError("second")
        except ValueError as error:
            return x + 1, type(error.__context__).__name__, error.__cause__, error.__suppress_context__

    return f


@program([X], [X])
def exception_with_notes_and_groups(torch):
    def f(x):
        try:
            error = ValueError("a", 2)
            error.extra = 5
            raise error
        except (TypeError, ValueError) as caught:
            y = x * caught.extra
        try:
            caught
        except NameError as unbound:
            return y, type(unbound).__name__, "caught" in locals()

    return f
