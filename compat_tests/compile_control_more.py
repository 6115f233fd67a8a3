"""Programs for torch.compile (compile_programs.py): more of control flow, exceptions, context managers and generators."""

import contextlib

from compile_programs import N, X, program


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
