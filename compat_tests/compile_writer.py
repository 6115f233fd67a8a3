"""Programs at random, for torch.compile: functions of a tensor, another, a number and things from outside, as text.

`Writer(random).text()` is a module's text with `f(x, y, n, box, log)`, helpers, a class and a global. Loops are bounded;
what a program raises is part of what it does.
"""

OPS = [
    "{a} + {b}", "{a} * {b}", "{a} - {c}", "{c} * {a}", "{a}.sin()", "-{a}", "{a}.abs() + 1", "torch.cos({a})", "{a}.clone()",
    "torch.where({a} > {b}, {a}, {b})", "{a} / ({b}.abs() + 1)", "{a}.flip(0)", "torch.stack([{a}, {b}]).sum(0)", "{a} + {n}",
    "{a} * {n}", "{a}.cumsum(0)", "{a} ** 2", "{a}.relu()", "{a} + {a}[0]", "{a}.detach()", "h({a}, {n})", "box.go({a})",
    "max({c}, {n}) * {a}", "(lambda v, k={n}: v * k)({a})", "{a} + sum(v for v in [1, {n}])", "g1({a})[0]", "scaled({a})",
    "torch.zeros_like({a}) + {n}", "{a}.view(-1).view({a}.shape)", "{a} if {n} > {c} else {b}", "inner({a})",
]  # fmt: skip
WRITES = [
    "{a}.add_({c})", "{a}.mul_({b})", "{a}[0] = {c}", "{a}[-1] = {b}[0]", "{a} += {b}", "{a} *= {c}", "{a}[1:] += {c}",
    "{a}[{a} > {c}] = 0", "w = {a}[:2]; w.mul_({c})", "w = {a}.view(-1); w[0] += {n}", "torch.add({a}, {c}, out={a})",
    "{a}.copy_({b})", "{a}.neg_()", "{a}.fill_({n})", "{a}[::2].zero_()",
]  # fmt: skip
NUMBERS = [
    "n = n + {c}", "n = n * 2 - {c}", "n = {a}.shape[0] + {c}", "n = len(l)", "n = len(d) - n", "n = n % 5", "n -= 1", "n = -n",
    "n = int({a}.sum().item()) % 4", "n = n if {a}.dim() else 7", "n = bump({c})", "n = {{1: 2, 2: 5}}.get(n, {c})",
    "n = n if -50 < n < 50 else 3", "n, m = {c}, n", "n = (m := n + 1) - {c}", "n = box.n", "n = len(log)",
]  # fmt: skip
THINGS = [
    "l.append({a})", "l.append(n)", "l.insert(0, {a})", "l.reverse()", "l += [n, {c}]", "l = [*l, {a}]", "l2 = l; l2.append({c})",
    "l.pop() if l else None", "del l[:1]", "l[-1:] = [{a}]", "l = [v * 2 for v in l]", "l = l[-3:]", "l = list(reversed(l))",
    "d['a'] = {a}", "d['b'] = n", "d.setdefault('c', {a})", "d.pop('a', None)", "d[n] = {c}", "d = {{**d, 'z': n}}",
    "d = {{k: v for k, v in d.items() if k != 'b'}}", "d['l'] = l", "log.append(n)", "log.append(len(l))", "box.n += 1",
    "box.t = {a}", "box.items['k'] = n", "box.items.setdefault('l', []).append({a})", "box.n = n", "box.bump()", "box.w = {c}",
    "print('p', n)", "print(len(l), sorted(map(str, d)))", "log.append({a})", "log[:] = log[-3:]", "box.items = dict(d)",
    "print({a}.shape)", "s = s + str(n)", "s = f'{{n:>3}}|{{len(l)}}'", "COUNT += 1", "made = Box(n); made.go({a}); d['m'] = made.n",
    "q.append(n)", "q.rotate(1)", "p = (n, {a}, *p[:1])", "u = u | {{n}}", "u.discard(n)", "fs.append(lambda v: v + n)",
    "{a} = fs[-1]({a}) if fs else {a}", "torch._dynamo.graph_break()", "d.update(b=len(s))",
]  # fmt: skip
TESTS = [
    "n > {c}", "n % 2", "{a}.sum() > {c}", "{a}.shape[0] == 3", "len(l) > 2", "'a' in d", "{a}.mean() < 0", "l", "not d",
    "box.n > 3 or n", "isinstance(n, int) and n < 4", "n in (1, 2, 3)", "{a}.requires_grad", "torch.is_grad_enabled()", "s",
    "len(log) < 4", "{a}[0] > {b}[0]", "n is None", "COUNT > 2", "0 < n <= {c} < 5",
]  # fmt: skip
ERRORS = ["ValueError", "KeyError", "IndexError", "Mine", "(ValueError, Mine)", "Exception"]
TROUBLES = [
    "raise ValueError(n)",
    "raise Mine(n, 'x')",
    "l[99]",
    "d['none']",
    "raise KeyError",
    "1 // 0",
    "{a}.reshape(99)",
    "n.nothing",
]
TENSORS = ["x", "y", "a", "b"]

UNREADABLE = ["print", "item()", "graph_break", "sum() >", "mean() <", "{a}[0] >", "[{a} >", "h({a}", "map(str"]

HEAD = """
import collections
import contextlib

COUNT = 0


class Mine(Exception):
    def __init__(self, k, text):
        super().__init__(f"{k}:{text}")
        self.k = k


class Box:
    w = 2

    def __init__(self, n):
        self.n, self.t, self.items = n, None, {}

    def go(self, v):
        self.n += 1
        return v * self.w + self.n

    def bump(self):
        self.n += self.size
        return self

    @property
    def size(self):
        return len(self.items) + 1


class Manager:
    def __init__(self, log, swallows=False):
        self.log, self.swallows = log, swallows

    def __enter__(self):
        self.log.append("in")
        return len(self.log)

    def __exit__(self, kind, error, trace):
        self.log.append(kind.__name__ if kind else "out")
        return self.swallows


@contextlib.contextmanager
def managed(log):
    log.append("begin")
    try:
        yield 2
    finally:
        log.append("end")


def g1(v):
    total = yield_all(v)
    return total, v


def yield_all(v):
    return sum(steps(v, 3))


def steps(v, k):
    for i in range(k):
        got = yield v + i
        if got:
            return


def scaled(v, k=3, *rest, **named):
    return v * k + len(rest)
"""
START = """
    global COUNT
    a, b, l, d, s, m, p, u, fs, q = x * 1, y, [], {}, "", 1, (), {1}, [], collections.deque([1, 2], 4)
    total = 0

    def bump(k):
        nonlocal total
        total += k
        return total

    def inner(v):
        return v + total
"""
END = "    return x, y, a, b, n, l, d, s, total, p, sorted(u, key=str), len(fs), list(q), made_of(box)"


class Writer:
    """random: a random.Random."""

    def __init__(self, random):
        self.random, self.lines, self.left, self.loops = random, [], random.randint(4, 22), 0
        self.calm = random.random() < 0.5  # nothing in it that no graph can say

    def text(self):
        """The module's text."""
        self.lines = [HEAD, "def h(x, n):"]
        left, self.left, self.helper = self.left, self.random.randint(0, 3), True
        self.line("    y = b = a = x; l, d, s, log, fs, total = [], {}, '', [], [], 0")
        for _ in range(self.left):
            self.line(
                "    "
                + self.fill(self.random.choice(["a = " + self.random.choice(OPS[:15]), *WRITES[:5], "print('h', n)"]))
            )
        self.test_in_helper()
        self.lines += ["    return a", "", "def made_of(box):", "    return box.n, box.t, box.items, box.w", ""]
        self.left, self.helper = left, False
        self.lines += ["def f(x, y, n, box, log):", START]
        self.block("    ", 0)
        self.lines.append(END)
        return "\n".join(self.lines) + "\n"

    def test_in_helper(self):
        if self.random.random() < 0.4:
            self.lines += [
                f"    if {self.fill(self.random.choice(['n > {c}', '{a}.sum() > {c}', '{a}.shape[0] == 3']))}:",
                "        a = a + 1",
            ]

    def fill(self, text):
        pick = self.random.choice
        if self.calm and any(word in text for word in UNREADABLE):
            text = (
                "n"
                if text == "h({a}, {n})"
                else "n > {c}"
                if text in TESTS or ">" in text and "=" not in text
                else "n = n + {c}"
            )
        return text.format(a=pick(TENSORS), b=pick(TENSORS), c=pick([0, 1, 2, 3, -1, 0.5]), n="n")

    def line(self, text):
        self.lines.append(text)

    def block(self, indent, depth):
        """Some statements."""
        count = self.random.randint(1, 4 if depth else 8)
        for _ in range(count):
            if self.left <= 0:
                break
            self.left -= 1
            self.statement(indent, depth)
        if not count or not self.lines[-1].startswith(indent):
            self.line(indent + "pass")

    def statement(self, indent, depth):
        pick, roll = self.random.choice, self.random.random()
        if roll < 0.06 and not self.calm:
            self.line(
                indent
                + self.fill(pick(["print(n)", "torch._dynamo.graph_break()", "n = int({a}[0].item()) % 3", "print(s)"]))
            )
        elif roll < 0.3:
            self.line(indent + self.fill(f"{pick('ab')} = {pick(OPS)}"))
        elif roll < 0.42:
            self.line(indent + self.fill(pick(WRITES)))
        elif roll < 0.52:
            self.line(indent + self.fill(pick(NUMBERS)))
        elif roll < 0.74 or depth > 2:
            self.line(indent + self.fill(pick(THINGS)))
        else:
            pick([self.branch, self.loop, self.trial, self.managed, self.branch, self.loop])(indent, depth + 1)

    def body(self, indent, depth):
        self.line(
            indent + "    " + self.fill(self.random.choice(["n = n + 1", "a = a + 1", "log.append(n)", "a = a * b"]))
        )
        self.block(indent + "    ", depth)

    def branch(self, indent, depth):
        self.line(f"{indent}if {self.fill(self.random.choice(TESTS))}:")
        self.body(indent, depth)
        if self.random.random() < 0.5:
            self.line(f"{indent}else:")
            self.body(indent, depth)

    def loop(self, indent, depth):
        pick = self.random.choice
        self.loops += 1
        i = f"i{self.loops}"
        heads = [
            f"for {i} in range({pick([1, 2, 3])}):", f"for {i} in l[:2]:", f"for {i}, v in list(d.items())[:2]:",
            f"for {i} in range(min(3, abs(n))):", f"for {i}, v in enumerate([a, b]):", f"for {i} in steps({pick(TENSORS)}, 2):",
            f"for {i}, v in zip([1, 2], (a, n)):", f"for {i} in sorted(map(str, d)):", f"for {i} in {pick(TENSORS)}[:2]:",
        ]  # fmt: skip
        if self.random.random() < 0.2:
            self.lines += [f"{indent}{i} = 0", f"{indent}while {i} < {pick([1, 2, 3])}:", f"{indent}    {i} += 1"]
        else:
            self.line(indent + pick(heads))
        self.body(indent, depth)
        if self.random.random() < 0.4:
            self.line(f"{indent}    if {self.fill(pick(TESTS))}: {pick(['break', 'continue'])}")
            self.line(indent + "    " + self.fill(pick(["b = a + b", "n += 1", "l.append(n)"])))
        if self.random.random() < 0.2:
            self.line(f"{indent}else:")
            self.body(indent, depth)

    def trial(self, indent, depth):
        pick = self.random.choice
        self.line(f"{indent}try:")
        self.body(indent, depth)
        if self.random.random() < 0.7:
            self.line(indent + "    " + self.fill(pick(TROUBLES)))
        kind = self.random.random()
        if kind < 0.8:
            self.line(f"{indent}except {pick(ERRORS)} as error:")
            self.body(indent, depth)
            self.line(
                indent
                + "    "
                + pick(["log.append(str(error))", "s = s + type(error).__name__", "l.append(len(error.args))", "raise"])
            )
            if self.random.random() < 0.3:
                self.line(f"{indent}else:")
                self.body(indent, depth)
        if kind > 0.7:
            self.line(f"{indent}finally:")
            self.body(indent, depth)

    def managed(self, indent, depth):
        heads = [
            "with torch.no_grad():", "with Manager(log) as m:", "with managed(log) as m:", "with Manager(log, True):",
            "with contextlib.suppress(KeyError, Mine):", "with torch.enable_grad(), Manager(log):",
        ]  # fmt: skip
        self.line(indent + self.random.choice(heads))
        self.body(indent, depth)
        if self.random.random() < 0.15:
            self.line(indent + "    " + self.fill(self.random.choice(TROUBLES)))
