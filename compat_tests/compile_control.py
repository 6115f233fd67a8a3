"""Programs for torch.compile (compile_programs.py): control flow, exceptions, context managers and generators."""

import contextlib

from compile_programs import C, N, T, X, program


@program([X, C(0)], [X, C("a")], [X, C([1, 2])], [X, C({"k": 3})], [X, C((1, 2, 3))])
def match_kinds(torch):
    def f(x, v):
        match v:
            case 0:
                return x + 1
            case str(s):
                return x * len(s)
            case [a, b]:
                return x * a - b
            case {"k": k, **rest}:
                return x - k, rest
            case [a, *more]:
                return x + a, more
        return x

    return f


@program([X])
def match_class(torch):
    class P:
        __match_args__ = ("a", "b")

        def __init__(self, a, b):
            self.a, self.b = a, b

    def f(x):
        match P(1, x):
            case P(2, y):
                return y
            case P(1, y) if y.dim() == 1:
                return y * 3

    return f


@program([X])
def while_else(torch):
    def f(x):
        n = 0
        while n < 3:
            n += 1
            x = x + n
        else:
            x = x * 10
        return x

    return f


@program([X, C(2)], [X, C(9)])
def for_else(torch):
    def f(x, stop):
        for i in range(5):
            if i == stop:
                break
            x = x + i
        else:
            x = -x
        return x

    return f


@program([X])
def nested_breaks(torch):
    def f(x):
        seen = []
        for i in range(4):
            if i == 1:
                continue
            for j in range(4):
                if j > i:
                    break
                seen.append((i, j))
                x = x * (1 + j)
            if len(seen) > 4:
                break
        return x, seen

    return f


@program([X], [T(5)])
def walrus_and_chains(torch):
    def f(x):
        if (n := x.shape[0]) > 2 and 1 < n <= 3 != 4:
            return x * n
        return x / (m := n + 1), m

    return f


@program([X, C(None)], [X, X], [X, C(None)])
def optional_argument(torch):
    def f(x, y=None):
        if y is None:
            return x * 2
        return x + y if y is not None and y.ndim else x

    return f


@program([X, C(True)], [X, C(False)], [X, C(1)])
def flags(torch):
    def f(x, flag):
        return (x + 1) if flag else (x - 1), not flag, flag or 7, flag and 8

    return f


@program([X], [N(3)])
def data_if_in_helper(torch):
    def helper(y):
        if y.sum() > 0:
            return y + 1
        return y - 1

    def f(x):
        a = x * 2
        b = helper(a)
        return b * 3

    return f


@program([X], [N(3)])
def data_if_nested(torch):
    def f(x):
        y = x * 2
        if y.sum() > 0:
            if y.max() > 100:
                y = y - 100
            else:
                y = y + 5
        elif y.min() < -3:
            y = y * 7
        return y + x

    return f


@program([X], [N(3)])
def data_ternary(torch):
    def f(x):
        y = x + 1
        z = y * 2 if y.sum() > 0 else y * 3
        return z - 1

    return f


@program([X], [N(3)])
def data_and_or(torch):
    def f(x):
        a = x.sum() > 0 and x.max() > 2
        b = x.sum() > 0 or x.min()
        return a, b, not x.sum()

    return f


@program([X])
def data_while_two(torch):
    def f(x):
        n = 0
        while x.sum() < 50 and n < 3:
            x = x * 2
            n += 1
        return x, n

    return f


@program([X])
def break_in_loop_with_helper(torch):
    def step(x, k):
        return (x * k).sin() + 1

    def f(x):
        for k in range(3):
            x = step(x, k)
            print("k", k)
        return x.cos()

    return f


@program([X])
def break_after_loop(torch):
    def f(x):
        for k in range(3):
            x = x * k + 1
        print("end")
        return x.cos()

    return f


@program([X])
def break_before_loop(torch):
    def f(x):
        y = x + 1
        print("begin")
        for k in range(3):
            y = y * k + 1
        return y

    return f


@program([X])
def break_in_nested_loops(torch):
    def f(x):
        total = 0
        for i in range(2):
            for j in range(2):
                total = total + x * i
                print(i, j)
            total = total + j
        return total

    return f


@program([X])
def break_in_comprehension(torch):
    def g(v):
        print("g")
        return v + 1

    def f(x):
        ys = [g(x * i) for i in range(2)]
        return ys[0] + ys[1]

    return f


@program([X])
def break_in_generator(torch):
    def g(x):
        for i in range(2):
            yield x + i
            print("after", i)

    def f(x):
        y = x * 2
        t = 0
        for v in g(y):
            t = t + v
        return t * 2

    return f


@program([X])
def break_in_with(torch):
    @contextlib.contextmanager
    def cm(log):
        log.append("in")
        try:
            yield 2
        finally:
            log.append("out")

    def f(x):
        log = []
        y = x + 1
        with cm(log) as n:
            y = y * n
            print("inside", log)
            y = y + 1
        return y * 2, log

    return f


@program([X])
def break_in_try(torch):
    def f(x):
        y = x + 1
        try:
            y = y * 2
            print("inside")
            y = y - 1
        except ValueError:
            y = y * 100
        finally:
            print("finally")
        return y + 3

    return f


@program([X])
def break_in_except(torch):
    def f(x):
        y = x + 1
        try:
            raise ValueError("bad")
        except ValueError as error:
            print("caught", error)
            y = y * 2
        return y - 1

    return f


@program([X])
def break_in_finally(torch):
    def f(x):
        y = x + 1
        try:
            y = y * 2
        finally:
            print("finally")
            y = y + 1
        return y - 1

    return f


@program([X])
def break_in_nested_calls(torch):
    def c(x):
        y = x + 1
        print("c")
        return y * 2

    def b(x):
        return c(x * 3) + 1

    def a(x):
        return b(x - 1) * 5

    def f(x):
        return a(x) + a(x + 1)

    return f


@program([X])
def break_item_numpy(torch):
    def f(x):
        n = (x * 2).numpy()
        v = float(n.sum())
        y = x + v
        k = int(y[0].item())
        return y * k, y.tolist()

    return f
