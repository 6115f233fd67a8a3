"""Programs for torch.compile (compile_programs.py): containers, strings, itertools and numbers."""

import collections

from compile_programs import X, program


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
