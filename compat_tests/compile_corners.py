"""Programs for torch.compile (compile_programs.py): what a reader may get wrong: callbacks, numbers, recompiles, order."""

import bisect
import collections
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
