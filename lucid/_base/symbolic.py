"""Numbers that a compiled function was not specialised to: SymInt and SymFloat.

Such a number is Python's own, with the value it has in the reading at hand, and says how it comes from the sizes and
numbers that the program was given. Sums and products are kept as polynomials of symbols, so that equal numbers are seen
to be equal.
"""

import math

from .state import local


class Expression:
    """A polynomial of atoms: {(atom, ...): coefficient}. An atom is a symbol's name or ("//", a, b), ("%", a, b)."""

    __slots__ = ("terms",)

    def __init__(self, terms):
        self.terms = tuple(sorted(((m, c) for m, c in terms.items() if c), key=_order))

    def __eq__(self, other):
        return isinstance(other, Expression) and self.terms == other.terms

    def __hash__(self):
        return hash(self.terms)

    def __repr__(self):
        return " + ".join(_term_text(m, c) for m, c in self.terms).replace("+ -", "- ") or "0"

    def is_number(self):
        """Has it no symbol?"""
        return all(not m for m, _ in self.terms)

    def plus(self, other, times=1):
        """self + times * other."""
        terms = dict(self.terms)
        for m, c in other.terms:
            terms[m] = terms.get(m, 0) + times * c
        return Expression(terms)

    def times(self, other):
        """self * other."""
        terms = {}
        for m, c in self.terms:
            for n, d in other.terms:
                both = tuple(sorted((*m, *n), key=repr))
                terms[both] = terms.get(both, 0) + c * d
        return Expression(terms)

    def floor_divided(self, other):
        """self // other: a polynomial where it divides."""
        if len(other.terms) == 1:
            monomial, c = other.terms[0]
            parts = [_without(m, monomial) for m, _ in self.terms]
            if None not in parts and all(d % c == 0 for _, d in self.terms):
                return Expression({m: d // c for m, (_, d) in zip(parts, self.terms)})
        return Expression({(("//", self, other),): 1})

    def remainder(self, other):
        """self % other."""
        divided = self.floor_divided(other)
        if not any(isinstance(atom, tuple) for m, _ in divided.terms for atom in m):
            return Expression({})
        return Expression({(("%", self, other),): 1})


def _order(term):
    monomial, _ = term
    return -len(monomial), repr(monomial)


def _without(monomial, divisor):
    left = list(monomial)
    for atom in divisor:
        if atom not in left:
            return None
        left.remove(atom)
    return tuple(left)


def _term_text(monomial, c):
    atoms = "*".join(map(_atom_text, monomial))
    return str(c) if not monomial else atoms if c == 1 else f"{c}*{atoms}"


def _atom_text(atom):
    """As torch prints it: (a//b), Mod(a, b)."""
    if isinstance(atom, str):
        return atom
    kind, a, b = atom
    if kind == "%":
        return f"Mod({a!r}, {b!r})"
    a, b = (f"({e!r})" if len(e.terms) > 1 else repr(e) for e in (a, b))
    return f"({a}//{b})"


def symbol(name):
    """The expression of a symbol."""
    return Expression({(name,): 1})


def expression_of(n):
    """The expression of an int, or of a SymInt."""
    return n.expression if isinstance(n, SymInt) else Expression({(): int(n)})


class SymInt(int):
    """An int that knows where it comes from; arithmetic with it gives SymInts, everything else Python's numbers."""

    _is_symbolic_ = True  # what torch.fx asks

    def __new__(cls, value, expression):
        made = int.__new__(cls, value)
        made.expression = expression
        return made

    def __reduce__(self):
        return int, (int(self),)

    def __index__(self):
        return self

    def __add__(self, other):
        return _made(int.__add__, self, other, Expression.plus)

    def __sub__(self, other):
        return _made(int.__sub__, self, other, lambda a, b: a.plus(b, -1))

    def __mul__(self, other):
        return _made(int.__mul__, self, other, Expression.times)

    def __floordiv__(self, other):
        return _made(int.__floordiv__, self, other, Expression.floor_divided)

    def __mod__(self, other):
        return _made(int.__mod__, self, other, Expression.remainder)

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other):
        return _made(int.__rsub__, self, other, lambda a, b: b.plus(a, -1))

    def __rfloordiv__(self, other):
        return _made(int.__rfloordiv__, self, other, lambda a, b: b.floor_divided(a))

    def __rmod__(self, other):
        return _made(int.__rmod__, self, other, lambda a, b: b.remainder(a))

    def __neg__(self):
        return _made(int.__mul__, self, -1, Expression.times)

    def __pos__(self):
        return self

    def __truediv__(self, other):
        return _float(int(self) / other, self, other) if isinstance(other, (int, float)) else NotImplemented

    def __rtruediv__(self, other):
        return _float(other / int(self), other, self) if isinstance(other, (int, float)) else NotImplemented


def _made(compute, a, b, combine):
    if type(b) is not int and not isinstance(b, SymInt):
        return compute(a, b) if not isinstance(b, float) else NotImplemented
    value = compute(a, b)
    expression = combine(a.expression, expression_of(b))
    return value if expression.is_number() else type(a)(value, expression)  # a subclass's stay of it


class SymFloat(float):
    """A float that comes from symbolic numbers: what it was computed of is known to who recorded the computation."""

    def __reduce__(self):
        return float, (float(self),)


def _float(value, *parts):
    return SymFloat(value)


def _float_operator(name):
    plain = getattr(float, name)

    def operate(self, *others):
        value = plain(self, *others)
        return SymFloat(value) if type(value) is float else value

    operate.__name__ = name
    return operate


def _look():
    """Somebody looks at a float's value: what was read then holds for this value only (_dynamo/floats.py)."""
    if local.floats:
        local.floats = "looked"


def _looking(name):
    plain = getattr(float, name)

    def operate(self, *others):
        _look()
        return plain(self, *others)

    operate.__name__ = name
    return operate


for _name in "lt le gt ge eq ne hash bool int trunc floor ceil round format repr str divmod rdivmod float".split():
    setattr(SymFloat, f"__{_name}__", _looking(f"__{_name}__"))
for _name in "is_integer as_integer_ratio hex conjugate".split():
    setattr(SymFloat, _name, _looking(_name))
for _name in "add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod pow rpow neg pos abs".split():
    setattr(SymFloat, f"__{_name}__", _float_operator(f"__{_name}__"))


class SymBool:
    """torch.SymBool: comparisons of symbolic numbers are Python's bools in lucid, so nothing is one."""


SYMBOLIC = (SymInt, SymFloat)
ASK: list = []  # ask_overrides, which _backend/overrides.py puts here


def slice_indices(part, n):
    """part.indices(n), (start, stop, step) with a positive step, in which symbolic numbers stay so."""
    start, stop, step = part.indices(int(n))
    if not any([isinstance(x, SymInt) for x in (n, part.start, part.stop)]):
        return start, stop, step
    return _bound(part.start, start, n), _bound(part.stop, stop, n), step


def _bound(given, found, n):
    """The symbolic number that an end of a slice is: the one given, counted from the end, or the size."""
    for candidate in (given, None if given is None else given + n, n):
        if candidate is not None and candidate == found:
            return candidate
    return found


for _class in (SymInt, SymFloat, SymBool):
    _class.__module__ = "lucid"


def sym_float(x):
    """sym_float(x) -> float: a number as a float, symbolic if it is."""
    return SymFloat(float(x)) if type(x) in SYMBOLIC else float(x)


def sym_int(x):
    """sym_int(x) -> int: a number as an int, rounded towards 0."""
    return x if isinstance(x, SymInt) else int(x)


def _sym(name):
    function = getattr(math, name)

    def symbolic(x):
        if isinstance(x, SYMBOLIC):
            return SymFloat(function(x))
        handled, result = ASK[0](symbolic, (x,), (x,), {})
        return result if handled else function(x)

    symbolic.__name__ = symbolic.__qualname__ = f"_sym_{name}"
    symbolic.__module__ = "lucid"
    symbolic.__doc__ = f"math.{name} of a symbolic number."
    return symbolic


# functions of math -> what they are of a symbolic number
SYM_MATH = {getattr(math, name): _sym(name) for name in "sqrt cos cosh sin sinh tan tanh asin acos atan log2".split()}
