"""Places of elements: sums of loop variables with whole factors, and their quotients and remainders, kept as simple as
the variables' ranges allow.

    i, j = Index.variable("i", 8), Index.variable("j", 128)
    (i * 128 + j) // 128   # i
    (i * 128 + j) % 128    # j
"""

import math


class Index:
    """constant + sum of factor * atom. An atom is ("v", name, size), ("/", index, number) or ("%", index, number)."""

    __slots__ = ("terms", "constant", "low", "high", "_hash")

    def __init__(self, terms, constant=0):
        """terms: {atom: factor}"""
        self.terms = {atom: c for atom, c in terms.items() if c}
        self.constant = constant
        low = high = constant
        for atom, c in self.terms.items():
            a, b = _bounds(atom)
            low, high = low + min(a * c, b * c), high + max(a * c, b * c)
        self.low, self.high, self._hash = low, high, None

    @classmethod
    def variable(cls, name, size):
        """A loop variable, 0 to size - 1."""
        return cls({("v", name, size): 1}) if size > 1 else ZERO

    def __eq__(self, other):
        return isinstance(other, Index) and self.constant == other.constant and self.terms == other.terms

    def __hash__(self):
        if self._hash is None:
            self._hash = hash((frozenset(self.terms.items()), self.constant))
        return self._hash

    def __repr__(self):
        return self.text()

    @property
    def is_constant(self):
        return not self.terms

    # ---- arithmetic

    def __add__(self, other):
        if isinstance(other, int):
            return Index(self.terms, self.constant + other) if other else self
        terms = dict(self.terms)
        for atom, c in other.terms.items():
            terms[atom] = terms.get(atom, 0) + c
        made = Index(terms, self.constant + other.constant)
        return made._rejoined() if any(a[0] == "%" for a in made.terms) else made

    __radd__ = __add__

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + (-other)

    def __rsub__(self, other):
        return -self + other

    def __mul__(self, n):
        return self if n == 1 else Index({atom: c * n for atom, c in self.terms.items()}, self.constant * n)

    __rmul__ = __mul__

    def __floordiv__(self, n):
        if n == 1:
            return self
        whole, rest = self._divided(n)
        if rest.low >= 0 and rest.high < n:
            return whole
        return whole + _quotient(rest, n)

    def __mod__(self, n):
        if n == 1:
            return ZERO
        _, rest = self._divided(n)
        if rest.low >= 0 and rest.high < n:
            return rest
        return _remainder(rest, n)

    def _divided(self, n):
        """(q, r) with self = n * q + r: what n divides for certain, and the rest, which is never below 0: languages
        divide those in several ways."""
        whole = {atom: c // n for atom, c in self.terms.items() if c % n == 0}
        rest = Index({atom: c for atom, c in self.terms.items() if c % n}, self.constant % n)
        missing = max(0, -(rest.low // n))
        return Index(whole, self.constant // n - missing), rest + missing * n

    def _rejoined(self):
        """n * (x // n) + x % n is x."""
        for atom, c in self.terms.items():
            if atom[0] != "%":
                continue
            _, x, n = atom
            quotient = x // n
            if quotient.is_constant or len(quotient.terms) != 1 or quotient.constant:
                continue
            (other, d), *_ = quotient.terms.items()
            if self.terms.get(other) == c * n * d:
                terms = {a: k for a, k in self.terms.items() if a not in (atom, other)}
                return Index(terms, self.constant) + x * c
        return self

    # ---- questions

    def variables(self):
        """The names of the loop variables in it."""
        found = set()
        for atom in self.terms:
            found |= {atom[1]} if atom[0] == "v" else atom[1].variables()
        return found

    def step(self, name):
        """By how much it grows with a variable, or None where that is not the same everywhere."""
        step = 0
        for atom, c in self.terms.items():
            if atom[0] == "v":
                step += c if atom[1] == name else 0
            elif name in atom[1].variables():
                return None
        return step

    def at(self, values):
        """Its value, given {name: number}; also arrays of numbers."""
        total = self.constant
        for (kind, x, n), c in self.terms.items():
            part = values[x] if kind == "v" else x.at(values) // n if kind == "/" else x.at(values) % n
            total = total + c * part
        return total

    # ---- text

    def text(self, quotient="({} / {})", remainder="({} % {})"):
        """As source text: that of C by default, where both operands are never negative."""
        parts = []
        for (kind, x, n), c in sorted(self.terms.items(), key=lambda t: -abs(t[1])):
            atom = (
                x if kind == "v" else (quotient if kind == "/" else remainder).format(x.nested(quotient, remainder), n)
            )
            parts.append(atom if c == 1 else f"{c} * {atom}")
        if self.constant or not parts:
            parts.append(str(self.constant))
        return " + ".join(parts).replace("+ -", "- ")

    def nested(self, quotient="({} / {})", remainder="({} % {})"):
        """The same, to stand inside a product or quotient."""
        text = self.text(quotient, remainder)
        return text if len(self.terms) + bool(self.constant) < 2 and "*" not in text else f"({text})"


def _bounds(atom):
    kind, x, n = atom
    if kind == "v":
        return 0, n - 1
    return (x.low // n, x.high // n) if kind == "/" else (0, min(n - 1, x.high) if x.low >= 0 else n - 1)


def _common(x, n):
    """The greatest number that divides n and every factor of x."""
    return math.gcd(n, *x.terms.values())


def _quotient(x, n):
    """x // n, where nothing can be taken out."""
    g = _common(x, n)
    if g > 1:  # (g * y + c) // (g * m) is y // m for 0 <= c < g
        return Index({a: c // g for a, c in x.terms.items()}, x.constant // g) // (n // g)
    if len(x.terms) == 1 and not x.constant:
        ((kind, y, m), c), *_ = x.terms.items()
        if c == 1 and kind == "/":
            return y // (m * n)
        if c == 1 and kind == "%" and m % n == 0:
            return (y // n) % (m // n)
    return Index({("/", x, n): 1})


def _remainder(x, n):
    """x % n, where nothing can be taken out."""
    g = _common(x, n)
    if g > 1:
        rest = x.constant % g
        return Index({a: c // g for a, c in x.terms.items()}, x.constant // g) % (n // g) * g + rest
    if len(x.terms) == 1 and not x.constant:
        ((kind, y, m), c), *_ = x.terms.items()
        if c == 1 and kind == "%" and m % n == 0:
            return y % n
    return Index({("%", x, n): 1})


ZERO = Index({})


def constant(n):
    """A number as an Index."""
    return Index({}, n)


def offset(index, strides, start=0):
    """The place in memory of an element: start + the sum of index * stride."""
    total = constant(start)
    for i, s in zip(index, strides):
        if s:
            total = total + i * s
    return total


def unravelled(place, shape, strides):
    """The index of the element at a place of dense memory: the inverse of `offset`."""
    index = [ZERO] * len(shape)
    for d in sorted([d for d, n in enumerate(shape) if n > 1], key=lambda d: strides[d]):
        index[d] = place // strides[d] % shape[d]
    return tuple(index)


def split(place, sizes):
    """A running number as an index of row-major sizes."""
    index = []
    for d in range(len(sizes)):
        inner = math.prod(sizes[d + 1 :])
        index.append(place // inner % sizes[d] if inner else ZERO)
    return tuple(index)


__all__ = ["ZERO", "Index", "constant", "offset", "split", "unravelled"]
