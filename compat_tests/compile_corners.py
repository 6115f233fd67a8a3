"""Programs for torch.compile (compile_programs.py): what a reader may get wrong: callbacks, numbers, recompiles, order."""

import bisect
import collections
import copy
import functools
import heapq
import math

from compile_programs import C, G, X, program


@program([X, C(0.5)], [X, C(1.5)], [X, C(2.5)], [X, C(-3.0)], [X, C(0.0)], [X, C(float("inf"))])
def float_methods(torch):
    def f(x, s):
        return (
            x * s,
            round(s) if math.isfinite(s) else None,
            f"{s:.2f}",
            s.is_integer(),
            s > 1,
            min(s, 1.0),
            {s: 1}[s],
            -s,
            abs(s),
            s * 2 if s else 9,
            str(s),
        )

    return f


@program([X, C(2)], [X, C(3)], [X, C(5)], [X, C(-4)], [X, C(0)], [X, C(1)], [X, C(10**20)])
def int_methods(torch):
    def f(x, n):
        return (
            x * (n % 7),
            f"{n:04d}",
            {n: 1}[n],
            n in (2, 3),
            [0, 1, 2, 3, 4, 5][n % 6],
            n // 2,
            -n,
            abs(n),
            divmod(n, 3),
            str(n),
            n.bit_length(),
            float(n),
            n == 3,
            bool(n),
            hash(n) == n,
            n & 3,
            n << 1,
            isinstance(n, int),
            min(n, 3),
            "ab" * (n % 3),
        )

    return f


@program([X, C([1, 2.5, "a"])], [X, C([2, 2.5, "a"])], [X, C([3, 4.5, "b"])], [X, C([3, 4.5, None])])
def mixed_list(torch):
    def f(x, l):
        return x * l[0] + l[1], l[2], sum(v for v in l if isinstance(v, int)), [type(v).__name__ for v in l]

    return f


@program(*[[X, C("s" * i)] for i in range(12)])
def more_variants_than_the_limit(torch):
    def f(x, s):
        y = x + len(s)
        return y, s

    return f


@program(*[[X, C("s" * i)] for i in range(11)])
def more_variants_after_a_break(torch):
    log = []

    def f(x, s):
        y = x + 1
        print("break")
        log.append(s)
        return y * 2, s + "!"

    f.extra = lambda: log
    return f


@program([X], [X])
def sort_with_a_key_that_tells(torch):
    log = []

    def f(x):
        l = [3, 1, 2]
        l.sort(key=lambda v: log.append(v) or -v)
        m = sorted(l, key=lambda v: log.append(v) or v)
        return x + l[0], l, m

    f.extra = lambda: log
    return f


@program([X], [X])
def factories_that_tell(torch):
    log = []

    def make():
        log.append("made")
        return [len(log)]

    def f(x):
        d = collections.defaultdict(make)
        d["a"].append(1)
        d["a"].append(2)
        e = collections.defaultdict(lambda: x * 2)
        return e["k"] + 1, dict(d), list(e)

    f.extra = lambda: log
    return f


@program([X], [X])
def iterables_of_the_program(torch):
    log = []

    class Tells:
        def __init__(self, n):
            self.n = n

        def __iter__(self):
            log.append(self.n)
            return iter(range(self.n))

        def __len__(self):
            log.append("len")
            return self.n

    def f(x):
        l = [9]
        l += Tells(2)
        l.extend(Tells(3))
        a, b = Tells(2)
        d = collections.deque(Tells(2))
        return (
            x + sum(l),
            l,
            set(Tells(2)),
            tuple(Tells(1)),
            a,
            b,
            list(d),
            [*Tells(2)],
            sum(Tells(3)),
            max(Tells(3)),
            sorted(Tells(2)),
            len(Tells(4)),
            dict(enumerate(Tells(1))),
            ",".join(map(str, Tells(2))),
        )

    f.extra = lambda: log
    return f


@program([X], [X], [X])
def cached_function_that_tells(torch):
    log = []

    @functools.lru_cache
    def g(n):
        log.append(n)
        return n * 2

    def f(x):
        log.append("f")
        return x * g(3) + g(4)

    f.extra = lambda: log
    return f


@program([X], [X])
def comparisons_that_tell(torch):
    log = []

    class K:
        def __init__(self, v):
            self.v = v

        def __lt__(self, o):
            log.append((self.v, o.v))
            return self.v < o.v

        def __eq__(self, o):
            log.append("eq")
            return self.v == o.v

        def __hash__(self):
            log.append("hash")
            return self.v

    def f(x):
        a, b, c = K(1), K(2), K(1)
        l = sorted([b, a])
        return (
            x + l[0].v,
            a in [b, c],
            [a] == [c],
            {a: 1}.get(c),
            len({a, b, c}),
            min([b, a]).v,
            [b, a].index(c),
            (a, 1) == (c, 1),
        )

    f.extra = lambda: log
    return f


@program([X], [X])
def heaps_of_objects(torch):
    class K:
        def __init__(self, v):
            self.v = v

        def __lt__(self, o):
            return self.v < o.v

    def f(x):
        h = []
        for v in (3, 1, 2):
            heapq.heappush(h, K(v))
        return (
            x * heapq.heappop(h).v,
            bisect.bisect_left([1, 2, 3], 2, key=lambda v: v),
            heapq.nlargest(2, [1, 5, 3], key=lambda v: -v),
        )

    return f


@program([X], [X])
def strings_of_objects(torch):
    log = []

    class S:
        def __str__(self):
            log.append("str")
            return "S"

        def __repr__(self):
            log.append("repr")
            return "R"

    def f(x):
        return (
            x + 1,
            str(S()),
            repr([S()]),
            "%s %r" % (S(), S()),
            "{}{!r}".format(S(), S()),
            f"{S()}",
            ",".join([str(S())]),
        )

    f.extra = lambda: log
    return f


@program([X], [X])
def numbers_of_objects(torch):
    log = []

    class Number:
        def __index__(self):
            log.append("index")
            return 2

        def __float__(self):
            log.append("float")
            return 2.5

        def __int__(self):
            log.append("int")
            return 7

        def __round__(self, n=None):
            return 8

        def __bool__(self):
            log.append("bool")
            return False

    def f(x):
        return (
            x + 1,
            [1, 2, 3, 4][Number()],
            float(Number()),
            int(Number()),
            range(Number()),
            round(Number()),
            bool(Number()),
            Number() or 3,
            math.sqrt(Number()),
            [1, 2, 3][: Number()],
            any([Number()]),
        )

    f.extra = lambda: log
    return f


@program([X], [X])
def compiled_inside(torch):
    @functools.partial(torch.compile, backend="eager")
    def g(x):
        return x * 2

    def f(x):
        return g(x + 1) - g(x)

    return f


@program([G(3)], [G(3)])
def under_no_grad_then_not(torch):
    def f(x):
        return x * 2

    def before(n):
        torch.set_grad_enabled(n == 1)

    def post(r):
        torch.set_grad_enabled(True)
        return r

    f.before, f.post = before, post
    return f


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
