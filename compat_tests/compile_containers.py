"""Programs for torch.compile (compile_programs.py): containers, strings, itertools and numbers."""

import bisect
import collections
import copy
import heapq
import itertools
import math
import operator
import string

from compile_programs import C, X, program


@program([X])
def dict_views(torch):
    def f(x):
        d = {"a": x, "b": x + 1, 3: x * 2}
        out = 0
        for k in d:
            out = out + d[k]
        for v in d.values():
            out = out + v
        for k, v in d.items():
            out = out - v
        return out, list(d), list(d.keys()), len(d.items()), "a" in d.keys(), d.keys() & {"a", "z"}

    return f


@program([X])
def dict_methods(torch):
    def f(x):
        d = dict(a=x)
        d.setdefault("b", x + 1)
        d.setdefault("a", None)
        p = d.pop("a")
        q = d.pop("zz", 4)
        d |= {"c": 5}
        e = d | {"c": 6}
        last = e.popitem()
        d2 = d.copy()
        d2.clear()
        return (
            p,
            q,
            d,
            e,
            last,
            d2,
            d.get("b"),
            d.get("n"),
            dict.fromkeys([1, 2], 0),
            dict([("u", x)]),
            dict(zip("ab", [1, x])),
        )

    return f


@program([X])
def comprehensions(torch):
    def f(x):
        a = [x * i for i in range(3) if i != 1]
        b = {i: x + i for i in range(2)}
        c = {i % 2 for i in range(5)}
        d = [[j * i for j in range(2)] for i in range(2)]
        e = [v for row in d for v in row]
        return a, b, c, d, e

    return f


@program(
    [lambda torch: {"a": [torch.ones(2)], "b": {"c": torch.zeros(2)}}],
    [lambda torch: {"a": [torch.ones(2)], "b": {"c": torch.zeros(2)}}],
)
def nested_mutation(torch):
    def f(d):
        d["a"].append(d["a"][0] * 2)
        d["b"]["c"] = d["a"][1] + 1
        d["b"]["n"] = len(d["a"])
        d["new"] = [d["b"], d["a"]]
        d["new"][0]["deep"] = 7
        return d["b"]["c"]

    return f


@program([lambda torch: [1, 2, 3]], [lambda torch: [1, 2, 3, 4]])
def list_of_numbers_argument(torch):
    def f(xs):
        xs[0] = 9
        xs.extend([5, 6])
        del xs[1]
        return torch.tensor(xs) + len(xs)

    return f


@program([X])
def list_methods(torch):
    def f(x):
        l = [3, 1, 2]
        l.sort()
        l.insert(0, 9)
        l.reverse()
        p = l.pop()
        q = l.pop(0)
        l.append(7)
        l.remove(7)
        l[1:1] = [4, 5]
        l[:1] = []
        m = l.copy()
        m.clear()
        k = l * 2
        del k[::2]
        return (
            x + p,
            q,
            l,
            m,
            k,
            l.index(5),
            k.count(1),
            l[-1],
            l[::-1],
            sorted(l, reverse=True),
            [1] < [2],
            [1, 2] == [1, 2],
            min(l),
            max(l, default=0),
        )

    return f


@program([X])
def list_of_tensors(torch):
    def f(x):
        l = [x, x + 1]
        l.append(x * 2)
        l.insert(1, x - 1)
        l[0] = l[-1]
        l += [x]
        a, *b, c = l
        l.reverse()
        popped = l.pop(1)
        return l, a, b, c, popped, torch.stack(l), torch.cat(l[1:3])

    return f


@program([X])
def alias_of_list(torch):
    def f(x):
        a = [x]
        b = a
        b.append(x + 1)
        c = [a, a]
        c[0].append(3)
        return a, c, c[0] is c[1], a is b

    f.post = lambda r: (r, r[1][0] is r[1][1], r[0] is r[1][0])
    return f


@program([X])
def defaultdict_(torch):
    def f(x):
        d = collections.defaultdict(list)
        for i in range(4):
            d[i % 2].append(x * i)
        n = collections.defaultdict(int)
        n["a"] += 1
        n["a"] += 2
        return sum(d[0]), sum(d[1]), dict(n), len(d), 5 in d

    return f


@program([X])
def counter_(torch):
    def f(x):
        c = collections.Counter("abca")
        c.update("aa")
        c["z"] += 1
        return x * c["a"], c.most_common(1), sorted(c.elements()), c["nothing"], sum(c.values())

    return f


@program([X])
def deque_rotation(torch):
    def f(x):
        d = collections.deque([1, 2, 3, 4], maxlen=4)
        d.rotate(1)
        d.appendleft(9)
        d.append(8)
        d.extend([7])
        a, b = d.pop(), d.popleft()
        return x * a + b, list(d), len(d), d[0], d.maxlen, 9 in d

    return f


@program(
    [lambda torch: collections.deque([torch.ones(2)], maxlen=2)],
    [lambda torch: collections.deque([torch.ones(2)] * 2, maxlen=2)],
)
def deque_argument(torch):
    def f(d):
        d.append(d[0] * 2)
        d.rotate(1)
        return d[0] + len(d)

    return f


@program([X])
def set_algebra(torch):
    def f(x):
        a, b = {1, 2, 3}, {3, 4}
        c = frozenset([1])
        a.add(7)
        a.discard(99)
        b.remove(4)
        a2 = a - b
        a |= {10}
        return x * len(a), a & b, a ^ b, a2, c <= a, a.issuperset(c), a.union([5]), {1} == {1}, a.isdisjoint({50})

    return f


@program([lambda torch: {1, 2}], [lambda torch: {1, 2, 3}])
def set_argument(torch):
    def f(s):
        s.add(len(s) + 5)
        return torch.ones(2) * len(s), 1 in s

    return f


@program([X])
def ordered_dict(torch):
    def f(x):
        d = collections.OrderedDict(a=x, b=x + 1, c=x + 2)
        d.move_to_end("a")
        d.move_to_end("c", last=False)
        k, v = d.popitem(last=False)
        return list(d), k, v, list(reversed(d)), d

    return f


@program([X])
def chain_map(torch):
    def f(x):
        m = collections.ChainMap({"a": 1}, {"a": 2, "b": 3})
        return x * m["b"] + m["a"], len(m)

    return f


@program([X])
def tuples(torch):
    def f(x):
        t = (1, x, "s")
        a, b, *c = t
        u = t + (4,)
        return u, c, t[1:], t.index(1), t.count("s"), (x,) * 2, len(t), (1, 2) < (1, 3), t[-1]

    return f


@program([X])
def named_tuple_methods(torch):
    P = collections.namedtuple("P", "a b", defaults=[5])

    class Q(P):
        def total(self):
            return self.a + self.b

    def f(x):
        p = P(x)
        q = p._replace(b=x * 2)
        return q.a + q.b, p._asdict()["b"], P._fields, Q(x, 2).total(), isinstance(p, tuple), p[1], [*p]

    return f


@program(
    [lambda torch: collections.namedtuple("Pt", "a b")(torch.ones(2), 3)],
    [lambda torch: collections.namedtuple("Pt", "a b")(torch.ones(2), 4)],
)
def named_tuple_argument(torch):
    def f(p):
        return p.a * p.b, p

    return f


@program([X])
def tensors_as_keys(torch):
    def f(x):
        y = x + 1
        d = {x: 1, y: 2}
        s = {x, y, x}
        return d[x] + d[y], len(s), x in d, y in s

    return f


@program([X])
def tensor_in_list(torch):
    def f(x):
        y = x * 2
        l = [y]
        return l[0] is y, y is x, l.index(y) if l else None

    return f


@program([X])
def string_work(torch):
    def f(x):
        s = "a,b,c".split(",")
        t = "-".join(reversed(s)).upper()
        u = f"{t:>8}|{3.14159:.2f}|{x.dim()}|{'q'!r}|{len(s):03d}"
        w = "%s=%d" % ("n", 5) + "{}:{k}".format(1, k=2)
        return (
            x * len(u),
            t,
            u,
            w,
            t.startswith("C"),
            "b" in s,
            t[::2],
            "ab" * 2,
            "x".isalpha(),
            "a b".title(),
            s.index("b"),
            ord("a"),
            chr(98),
            "A".lower() == "a",
            "abc".find("c"),
            "abc".replace("b", ""),
        )

    return f


@program([X])
def tensor_in_string(torch):
    def f(x):
        y = x + 1
        s = f"{x.shape} {x.dtype} {y.ndim} {x.device}"
        return y * 2, len(s)

    return f


@program([X])
def tensor_value_in_string(torch):
    def f(x):
        y = x.sum()
        s = f"{y}"
        return y * 2, s, str(x)

    return f


@program([X])
def itertools_many(torch):
    def f(x):
        a = list(itertools.chain([1], [2, 3]))
        b = list(itertools.product([1, 2], "ab"))
        c = list(itertools.combinations(range(4), 2))
        d = list(itertools.accumulate([1, 2, 3]))
        e = list(itertools.islice(itertools.count(5), 3))
        g = list(itertools.zip_longest([1, 2], [3], fillvalue=0))
        h = list(itertools.repeat(7, 2))
        i = [(k, list(v)) for k, v in itertools.groupby([1, 1, 2])]
        j = list(itertools.starmap(pow, [(2, 3)]))
        k = list(itertools.takewhile(lambda v: v < 3, range(9)))
        l = list(itertools.dropwhile(lambda v: v < 3, range(5)))
        m = list(itertools.permutations([1, 2]))
        n = list(itertools.chain.from_iterable([[1], [2]]))
        o = list(itertools.filterfalse(lambda v: v % 2, range(4)))
        p = list(itertools.compress("abc", [1, 0, 1]))
        q = list(itertools.pairwise([1, 2, 3]))
        return x + sum(a), b, c, d, e, g, h, i, j, k, l, m, n, o, p, q

    return f


@program([X])
def itertools_tensors(torch):
    def f(x):
        ys = list(itertools.accumulate([x, x + 1, x + 2]))
        zs = [a * b for a, b in itertools.product([x, x + 1], [2, 3])]
        c = itertools.cycle([1, 2])
        n = [next(c) for _ in range(3)]
        r = [a + b for a, b in zip(itertools.repeat(x), [1, 2])]
        ch = sum(itertools.chain([x], [x]))
        return ys, zs, n, r, ch

    return f


@program([X])
def count_iterator(torch):
    def f(x):
        it = itertools.count(3, 2)
        return [x * next(it) for _ in range(3)], next(it)

    return f


@program([X])
def math_many(torch):
    def f(x):
        return (
            x * math.sin(1.0) + math.floor(2.7) - math.log(math.e),
            math.prod([1, 2, 3]),
            math.isclose(1.0, 1.0),
            math.gcd(12, 18),
            math.inf,
            math.hypot(3, 4),
            math.ceil(1.2),
            math.factorial(4),
            math.fsum([0.1] * 3),
            math.copysign(1, -0.0),
            math.isnan(math.nan),
        )

    return f


@program([X])
def numbers(torch):
    def f(x):
        return (
            x * (7 // 2),
            7 % 3,
            -7 // 2,
            2**10,
            1 << 4,
            5 & 3,
            5 | 3,
            5 ^ 3,
            ~5,
            round(2.567, 2),
            abs(-3),
            divmod(-7, 2),
            pow(2, 5, 7),
            int("12"),
            float("1.5"),
            complex(1, 2),
            bool([]),
            hex(255),
            bin(5),
            0.1 + 0.2,
            int(3.9),
            (5).bit_length(),
            1e3,
            True + True,
            sum([1, 2]),
            (3).__add__(4),
        )

    return f


@program([X])
def zero_division(torch):
    def f(x):
        try:
            1 // 0
        except ZeroDivisionError as error:
            return x + 1, str(error)

    return f


@program([X])
def heaps_and_bisect(torch):
    def f(x):
        h = [5, 1, 4]
        heapq.heapify(h)
        heapq.heappush(h, 0)
        return x * heapq.heappop(h) + bisect.bisect([1, 3, 5], 3), h

    return f


@program([X])
def sort_keys(torch):
    def f(x):
        ps = [("b", 2), ("a", 2), ("c", 1)]
        l = sorted(ps, key=operator.itemgetter(1, 0))
        m = sorted(ps, key=lambda p: -p[1])
        ps.sort(key=lambda p: p[0], reverse=True)
        return x, l, m, ps, max(ps, key=lambda p: p[1]), min([3, 1], default=0)

    return f


@program([X])
def map_filter_zip(torch):
    def f(x):
        a = list(map(lambda p, q: p * q, [x, x + 1], [2, 3]))
        b = list(filter(None, [0, 1, "", "a"]))
        c = dict(zip(["u", "v"], map(torch.sin, [x, x])))
        d = list(zip(*[(1, 2), (3, 4)]))
        e = [*map(str, range(3))]
        return a, b, c, d, e, list(zip([1, 2], "ab", strict=True)), list(enumerate("ab", 1))

    return f


@program([X])
def slices(torch):
    def f(x):
        s = slice(1, None)
        l = list(range(10))
        return (
            x[s],
            l[s][::3],
            l[2:-2],
            slice(1, 5, 2).indices(4),
            x[slice(0, 2)],
            s.start,
            range(10)[2:5],
            list(range(5, 0, -2)),
            3 in range(5),
            len(range(0, 9, 2)),
        )

    return f


@program([X])
def copies(torch):
    def f(x):
        d = {"a": [x]}
        e = copy.copy(d)
        e["b"] = 1
        return d, e, e["a"] is d["a"]

    return f


@program([X])
def unpack_calls(torch):
    def g(a, b, *c, k=0, **d):
        return a + b + sum(c) + k, d

    def f(x):
        args = [x, 1]
        kw = {"k": 2, "z": 5}
        return g(*args, *(3,), **kw), g(*args, **{}, q=1), [*args, *range(2)], {**kw, "k": 9}

    return f


@program([X, C([])], [X, C([1])], [X, C([])])
def list_length_changes(torch):
    def f(x, l):
        if l:
            return x * len(l)
        return x - 1

    return f


@program([X, X])
def argument_dict_of_lists(torch):
    state = {"hist": [], "n": {"a": 0}}

    def f(x, y):
        state["hist"].append(x + y)
        state["n"]["a"] += 1
        return state["hist"][-1] * state["n"]["a"]

    f.extra = lambda: state
    return f


@program([lambda torch: [torch.ones(2)] * 2], [lambda torch: [torch.ones(2), torch.ones(2)]])
def same_tensor_twice_in_list(torch):
    def f(l):
        l[0].add_(1)
        return l[0] + l[1]

    return f


@program([lambda torch: (lambda l: [l, l])([1])], [lambda torch: [[1], [1]]])
def same_list_twice(torch):
    def f(ll):
        ll[0].append(5)
        return torch.ones(1) * len(ll[1])

    return f


@program([X])
def self_containing(torch):
    def f(x):
        l = [x + 1]
        l.append(l)
        return l

    f.post = lambda r: (r[0], r[1] is r)
    return f


@program([X])
def empty_results(torch):
    def f(x):
        return [], {}, (), set(), "", None, x + 1, [[]], {"a": {}}

    return f


@program([X])
def size_objects(torch):
    def f(x):
        s = x.unsqueeze(0).shape
        a, b = s
        return (
            x.reshape(s[::-1]),
            s,
            a,
            b,
            s.numel(),
            s[0:1],
            tuple(s),
            list(s),
            s == (1, 3),
            len(s),
            s + (2,),
            torch.Size([2, 3]),
        )

    return f


@program([X])
def delete_from_containers(torch):
    def f(x):
        d = {"a": x, "b": 2}
        del d["b"]
        l = [1, 2, 3, 4]
        del l[0], l[-1:]
        try:
            del d["zz"]
        except KeyError as e:
            return d, l, e.args

    return f


@program([X])
def string_templates(torch):
    def f(x):
        t = string.ascii_lowercase[:3]
        m = str.maketrans("a", "b")
        return (
            x,
            t.translate(m),
            t.encode(),
            b"ab".decode(),
            "a\nb".splitlines(),
            " a ".strip(),
            "a".zfill(3),
            "k=v".partition("="),
            "abc".rjust(5, "."),
            "{0[a]}".format({"a": 1}),
        )

    return f


@program([X])
def comparisons_of_containers(torch):
    def f(x):
        return (
            x,
            {"a": 1} == {"a": 1},
            [1] != [2],
            (1, "a") == (1, "a"),
            {1, 2} >= {1},
            None == 0,
            "a" < "b",
            [[1]] == [[1]],
            1 == True,
            1.0 == 1,
            "1" == 1,
        )

    return f
