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


@program([X])
def break_with_things_on_the_stack(torch):
    def noisy(v):
        print("noisy")
        return v

    def f(x):
        return [x + 1, noisy(x * 2), {"a": x - 1, "b": noisy(3)}, (x, noisy(x.sum()))]

    return f


@program([X])
def many_breaks(torch):
    def f(x):
        print("a")
        a = x + 1
        print("b")
        b = a * 2
        print("c")
        c = b - a
        print("d")
        return a, b, c

    return f


@program([X])
def raises_through(torch):
    def inner(x):
        if x.shape[0] == 3:
            raise KeyError("three")
        return x

    def f(x):
        y = x + 1
        return inner(y)

    return f


@program([X])
def raises_custom(torch):
    class Mine(ValueError):
        def __init__(self, a, b):
            super().__init__(f"{a}-{b}")
            self.a = a

    def inner(x):
        raise Mine(1, 2)

    def f(x):
        try:
            inner(x)
        except Mine as error:
            return x * error.a, str(error), isinstance(error, ValueError), error.args

    return f


@program([X])
def raise_from(torch):
    def f(x):
        try:
            try:
                {}["k"]
            except KeyError as error:
                raise RuntimeError("outer") from error
        except RuntimeError as error:
            return x + 1, type(error.__cause__).__name__, str(error)

    return f


@program([X])
def try_else_finally(torch):
    def f(x):
        log = []
        for i in range(3):
            try:
                if i == 1:
                    raise IndexError(i)
                x = x + i
            except (IndexError, KeyError) as error:
                log.append(("except", error.args))
                continue
            else:
                log.append("else")
            finally:
                log.append("finally")
        return x, log

    return f


@program([X])
def try_return_finally(torch):
    def f(x):
        log = []

        def g():
            try:
                return x * 2
            finally:
                log.append("finally")

        return g(), log

    return f


@program([X])
def reraise(torch):
    def f(x):
        try:
            try:
                list()[1]
            except IndexError:
                x = x + 1
                raise
        except Exception as error:
            return x * 2, type(error).__name__

    return f


@program([X])
def torch_error_caught(torch):
    def f(x):
        try:
            return x + torch.ones(4)
        except RuntimeError:
            return x * 7

    return f


@program([X])
def torch_error_out(torch):
    def f(x):
        y = x * 2
        return y @ torch.ones(4)

    return f


@program([X])
def exception_after_side_effect(torch):
    log = []

    def f(x):
        log.append(1)
        x.add_(1)
        log.append(2)
        raise ValueError("late")

    f.extra = lambda: log
    return f


@program([X])
def exit_swallows(torch):
    class Swallow:
        def __init__(self):
            self.seen = None

        def __enter__(self):
            return self

        def __exit__(self, kind, error, trace):
            self.seen = kind.__name__ if kind else None
            return True

    def f(x):
        with Swallow() as s:
            x = x + 1
            raise ValueError("gone")
        return x * 2, s.seen

    return f


@program([X])
def suppress_and_null(torch):
    def f(x):
        with contextlib.suppress(KeyError):
            {}["a"]
            x = x + 100
        with contextlib.nullcontext(5) as n:
            x = x * n
        return x

    return f


@program([X])
def exit_stack(torch):
    def f(x):
        log = []
        with contextlib.ExitStack() as stack:
            stack.callback(log.append, "last")
            y = stack.enter_context(contextlib.nullcontext(x + 1))
        return y * 2, log

    return f


@program([X])
def nested_with(torch):
    class CM:
        def __init__(self, name, log):
            self.name, self.log = name, log

        def __enter__(self):
            self.log.append("+" + self.name)
            return self.name

        def __exit__(self, *exc):
            self.log.append("-" + self.name)
            return False

    def f(x):
        log = []
        with CM("a", log) as a, CM("b", log) as b:
            y = x * len(a + b)
        return y, log

    return f


@program([X])
def generator_send(torch):
    def g(x):
        total = x
        while True:
            got = yield total
            if got is None:
                return
            total = total + got

    def f(x):
        it = g(x)
        a = next(it)
        b = it.send(1)
        c = it.send(2)
        return a, b, c

    return f


@program([X])
def generator_return_value(torch):
    def inner(x):
        yield x
        yield x + 1
        return x * 10

    def outer(x):
        r = yield from inner(x)
        yield r

    def f(x):
        return list(outer(x))

    return f


@program([X])
def generator_finally(torch):
    def g(x, log):
        try:
            yield x
            yield x + 1
        finally:
            log.append("closed")

    def f(x):
        log = []
        it = g(x, log)
        a = next(it)
        it.close()
        return a, log

    return f


@program([X])
def generator_expression(torch):
    def f(x):
        squares = (x * i for i in range(4) if i % 2)
        return sum(squares), max(i for i in [3, 1]), tuple(i for i in range(2)), any(i > 1 for i in range(3))

    return f


@program([X])
def generator_escapes(torch):
    def f(x):
        y = x + 1

        def g():
            for i in range(2):
                yield y * i

        return g()

    f.post = list
    return f


@program([lambda torch: (torch.ones(2) * i for i in range(3))])
def generator_argument(torch):
    def f(it):
        return [v + 1 for v in it]

    return f


@program([lambda torch: iter([torch.ones(2), torch.zeros(2)])])
def iterator_argument(torch):
    def f(it):
        a = next(it)
        return a + 1, next(it) - 1, next(it, None)

    return f


@program([X])
def iterator_kept(torch):
    def f(x):
        it = iter([x, x + 1, x + 2])
        a = next(it)
        print("between")
        return a, [v * 2 for v in it]

    return f


@program([X])
def assert_message(torch):
    def f(x):
        assert x.shape[0] == 4, f"expected 4, got {x.shape[0]}"
        return x

    return f


@program([X], [N(3)])
def assert_data(torch):
    def f(x):
        y = x * 2
        assert y.sum() > 0, "negative"
        return y + 1

    return f


@program([X])
def del_and_unbound(torch):
    def f(x):
        y = x + 1
        del y
        try:
            return y  # noqa: F821
        except UnboundLocalError:
            return x * 3

    return f
