"""Programs for torch.compile (compile_programs.py): numbers that change from call to call, and Python's random ones."""

import math
import random

from compile_programs import C, T, X, program

FLOATS = [[X, C(0.5)], [X, C(1.5)], [X, C(2.5)], [X, C(-0.25)]]
EDGES = [0.5, 1.5, float("inf"), 0.0, -0.0, float("nan"), 2, 1e308, 5e-324]
SCALE = 0.5


def floats(text, *calls, name=None):
    """A program `lambda x, s: text` with floats that change."""

    def maker(torch):
        return eval(f"lambda x, s: ({text})", {"torch": torch, "F": torch.nn.functional, "math": math})

    maker.__name__ = name
    program(*(calls or FLOATS))(maker)


for _name, _text in {
    "float_powers": "x ** s, s ** 2, x / s, s / x, s - x",
    "float_branch": "x * s if s > 1 else x + s",
    "float_truth": "x * s if s else x",
    "float_and_size": "x * (s + x.shape[0]), s * x.shape[0]",
    "float_to_int": "x * int(s), int(s)",
    "float_unused": "x + 1",
    "float_in_containers": "{'a': x * s, 'b': [s * 2, s]}",
    "float_of_functions": "F.leaky_relu(x, s), torch.full((2,), s), torch.clamp(x, max=s)",
    "float_extremes": "x * max(s, 1.0), x * min(s, 0.1), x * abs(s), x * -s, x * round(s), x * round(s, 1)",
    "float_sines": "x + math.sin(s), math.sqrt(abs(s)) * x, math.cos(s), x * math.tanh(s)",
    "float_modulo": "x * (s % 0.3), x * (s // 0.3)",
    "float_twice": "(lambda v, k: v * k)((lambda v, k: v * k)(x, s), s * 2)",
}.items():
    floats(_text, name=_name)
floats("x * s, s * 2, 1 / (s + 1)", *[[X, C(v)] for v in EDGES], name="float_edges")
floats("x, 1.0 / s", *[[X, C(v)] for v in (0.5, 1.5, 0.0)], name="float_divides_by_zero")


@program([X, C([0.5, 1.5])], [X, C([2.5, 1.5])], [X, C([2.5, 3.5])])
def floats_in_list(torch):
    def f(x, l):
        for v in l:
            x = x * v
        return x

    return f


@program(*FLOATS)
def float_after_break(torch):
    def f(x, s):
        y = x * s
        print("b")
        return y + s

    return f


@program(*FLOATS)
def float_attribute_changes(torch):
    class A:
        pass

    a = A()
    a.s = 0.5

    def f(x, s):
        a.s = a.s + s
        return x * a.s

    f.extra = lambda: a.s
    return f


@program(*FLOATS)
def float_of_module(torch):
    class M(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.s = 1.0

        def forward(self, x, s):
            self.s = self.s * s
            return x * self.s

    return M()


def _set_before(f, change):
    f.before = change
    return f


@program(*[[X]] * 4)
def float_global(torch):
    def change(n):
        global SCALE
        SCALE = 0.5 + n

    return _set_before(lambda x: x * SCALE, change)


@program(*[[X]] * 4)
def float_default(torch):
    def f(x, s=0.5):
        return x * s

    return _set_before(f, lambda n: setattr(f, "__defaults__", (0.5 + n,)))


@program(*[[X]] * 4)
def float_of_class(torch):
    class A:
        s = 0.5

    a = A()
    return _set_before(lambda x: x * a.s, lambda n: setattr(A, "s", n + 0.5))


@program(*[[X]] * 4)
def float_of_layer(torch):
    m = torch.nn.LeakyReLU()
    return _set_before(lambda x: m(x), lambda n: setattr(m, "negative_slope", n + 0.5))


@program(*[[X]] * 4)
def float_in_dictionary(torch):
    d = {"lr": 0.5}
    return _set_before(lambda x: x * d["lr"], lambda n: d.update(lr=n + 0.5))


def drawing(f):
    """The program's random state is part of what is seen."""
    f.extra = lambda: hash(random.getstate())
    return f


@program(*[[X]] * 4)
def random_numbers(torch):
    return drawing(lambda x: (x * random.random(), random.uniform(1, 2) * 3, random.random()))


@program(*[[X]] * 4)
def random_index(torch):
    return drawing(lambda x: (x[random.randint(0, 1)] * random.randrange(5), x + random.randint(1, 3)))


@program(*[[X]] * 4)
def random_branch(torch):
    return drawing(lambda x: x + 1 if random.random() > 0.5 else x - 1)


@program(*[[X]] * 4)
def random_types(torch):
    def f(x):
        n = x.long()
        return n * random.uniform(0, 1), n + random.randint(1, 5), x[0] * random.uniform(1, 2), x.double() / 3

    return drawing(f)


@program(*[[X]] * 4)
def random_across_break(torch):
    def f(x):
        y = x * (random.random() * 2 + 1)
        print("b")
        return y + random.uniform(0, 1), random.random()

    return drawing(f)


@program(*[[X]] * 4)
def random_and_error(torch):
    def f(x):
        try:
            y = x * random.random()
            y.view(7)
        except RuntimeError:
            y = x + random.randint(1, 100)
        return y

    return drawing(f)


@program(*[[X]] * 4)
def random_seeded_inside(torch):
    def f(x):
        random.seed(3)
        a = random.random()
        random.seed(3)
        return x + a, random.random() == a

    return drawing(f)


@program(*[[X]] * 4)
def random_loop(torch):
    def f(x):
        for _ in range(random.randint(1, 3)):
            x = x + random.randint(1, 2)
        return x, x.shape[0] + random.randint(1, 9)

    return drawing(f)


@program(*[[X]] * 4)
def random_other_functions(torch):
    def f(x):
        if random.uniform(0, 1) < 0.3:
            return x * 2
        random.shuffle([1, 2, 3])
        return x + random.gauss(0, 1) + random.uniform(0, 1)

    return drawing(f)


@program([X], [X])
def sought_among_tensors(torch):
    def f(x):
        y = x + 1
        l = [x, y, "a", 2, y]
        return l.index(y), l.count(y), l.index(y, 2), (x, y).index(x), l.index(y, -1), x

    return f


for _name, _text in {
    "index_symbolic": "x[s], x[s][s], x[-s], x[s:], x.select(0, s), x.narrow(0, s, 1), x.roll(s)",
    "index_symbolic_with_others": "x[s, 1:], x[1:, s], x[..., s], x[None, s], x[[s, 0]], x[s, s] * s",
}.items():
    floats(_text, *[[T(4, 4), C(n)] for n in range(4)], name=_name)


@program(*[[T(4, 4), C(n)] for n in range(4)])
def index_symbolic_written(torch):
    def f(x, n):
        x[n] = 1
        x[n, 1] += 2
        x[n:, 0] = n
        return x

    return f
