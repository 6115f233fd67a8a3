"""Programs for torch.compile (compile_programs.py): more of containers, strings, itertools and numbers."""

import bisect
import copy
import heapq
import itertools
import math
import operator
import string

from compile_programs import C, X, program


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
