"""Sizes that an exported program is not specialised to: symbols, their ranges, and what the program asked of them."""

import contextlib
import hashlib
import math
import operator
import sys

from .._base.symbolic import SymFloat, SymInt, expression_of, symbol

_HOME = __name__.partition(".")[0]
_ENV = []  # the Environment of the tracing that is on, the innermost last
SAYS = {"==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_TURNED = {"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}


class _Infinity:
    """int_oo: more than each int."""

    def __repr__(self):
        return "int_oo"

    def __lt__(self, other):
        return False

    def __gt__(self, other):
        return other is not self

    def __le__(self, other):
        return other is self

    def __ge__(self, other):
        return True

    def __eq__(self, other):
        return other is self or other == math.inf

    def __hash__(self):
        return hash(math.inf)

    def __reduce__(self):
        return "int_oo"


int_oo = _Infinity()


class ValueRanges:
    """ValueRanges(lower, upper): the sizes that a symbol may have."""

    def __init__(self, lower, upper):
        self.lower, self.upper = lower, upper

    def __repr__(self):
        return f"VR[{self.lower}, {self.upper}]"

    def __eq__(self, other):
        return isinstance(other, ValueRanges) and (self.lower, self.upper) == (other.lower, other.upper)

    def __hash__(self):
        return hash((self.lower, self.upper))

    def __contains__(self, n):
        return self.lower <= n <= self.upper


class ExportInt(SymInt):
    """A SymInt of a program that is being exported: comparing it is noted, as the answer holds for some sizes only."""

    def __truediv__(self, other):
        return _float("truediv", self, other)

    def __rtruediv__(self, other):
        return _float("truediv", other, self)

    def __bool__(self):
        return _asked("!=", self, 0)

    def __hash__(self):
        return int.__hash__(self)

    def __lt__(self, other):
        return _asked("<", self, other)

    def __le__(self, other):
        return _asked("<=", self, other)

    def __gt__(self, other):
        return _asked(">", self, other)

    def __ge__(self, other):
        return _asked(">=", self, other)

    def __eq__(self, other):
        return _asked("==", self, other)

    def __ne__(self, other):
        return _asked("!=", self, other)


class ExportFloat(SymFloat):
    """A float that a program computes of sizes. parts: (name of an operator, its operands)."""

    def __new__(cls, value, parts):
        made = float.__new__(cls, value)
        made.parts = parts
        return made

    def __repr__(self):
        return f"({self.parts[1]!r} {self.parts[0]} {self.parts[2]!r})"

    def __neg__(self):
        return _float("mul", self, -1)


def _float(name, a, b):
    if not isinstance(a, (int, float)) or not isinstance(b, (int, float)):
        return NotImplemented
    value = getattr(operator, name)(plain(a), plain(b))
    return ExportFloat(value, (name, a, b))


def plain(n):
    """A number without its history."""
    return int(n) if isinstance(n, int) else float.__add__(n, 0.0)


def _of_floats(cls, name):
    """Let cls have an operator whose result is a float; for ints, with floats only."""
    inherited = {end: getattr(cls, f"__{end}{name}__") for end in ("", "r")}

    def left(self, other):
        return (
            _float(name, self, other) if isinstance(other, float) or cls is ExportFloat else inherited[""](self, other)
        )

    def right(self, other):
        return (
            _float(name, other, self) if isinstance(other, float) or cls is ExportFloat else inherited["r"](self, other)
        )

    setattr(cls, f"__{name}__", left), setattr(cls, f"__r{name}__", right)


def _no_question(name):
    def ask(self, other):
        caller = sys._getframe(1).f_globals.get("__name__", "")
        if _ENV and not caller.startswith(_HOME + "."):
            raise NotImplementedError("torch.export: a comparison of a float that is computed of sizes")
        return getattr(float, name)(self, other)

    return ask


for _name in ("add", "sub", "mul", "truediv"):
    _of_floats(ExportFloat, _name)
    if _name != "truediv":
        _of_floats(ExportInt, _name)
for _name in "lt le gt ge eq ne".split():
    setattr(ExportFloat, f"__{_name}__", _no_question(f"__{_name}__"))
ExportFloat.__hash__ = float.__hash__


def _asked(how, a, b):
    """a <how> b, for whoever asks: a question of the program's is a guard, one of the library's own may say which
    sizes have to be equal."""
    answer = getattr(int, f"__{SAYS[how].__name__}__")(a, b)
    if answer is NotImplemented or not _ENV or not isinstance(b, int):
        return answer
    name = sys._getframe(2).f_globals.get("__name__", "")
    if not name.startswith(_HOME + ".") or name.startswith(f"{_HOME}.nn.modules"):
        _ENV[-1].guard(how if answer else _OPPOSITE[how], a.expression, expression_of(b))
    elif answer is (how == "==") and how in ("==", "!="):
        _ENV[-1].equal.append((a.expression, expression_of(b)))
    return answer


@contextlib.contextmanager
def guarding(environment):
    """with guarding(environment): what is asked of sizes is noted there."""
    _ENV.append(environment)
    try:
        yield
    finally:
        _ENV.pop()


def value_of(expression, values):
    """The number that an expression is. values: {name of a symbol: number}"""
    total = 0
    for monomial, c in expression.terms:
        for atom in monomial:
            c *= values[atom] if isinstance(atom, str) else _atom_value(atom, values)
        total += c
    return total


def _atom_value(atom, values):
    kind, a, b = atom
    return (operator.floordiv if kind == "//" else operator.mod)(value_of(a, values), value_of(b, values))


def symbols_of(expression):
    """The names of an expression's symbols, in order."""
    found = {}
    for monomial, _ in expression.terms:
        for atom in monomial:
            if isinstance(atom, str):
                found[atom] = None
            else:
                found |= dict.fromkeys([*symbols_of(atom[1]), *symbols_of(atom[2])])
    return list(found)


def in_words(expression, names):
    """An expression's text in Python's words. names: {symbol: what stands for it}"""
    text = repr(expression)
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, names[name])
    if text.startswith("Mod(") and text.endswith(")"):
        a, _, b = text[4:-1].rpartition(", ")
        return f"{a} % {b}"
    return text


def hashed(source):
    """The number in the name of the symbol of a size that is read from there, torch's."""
    return int(hashlib.sha256(source.encode()).hexdigest(), 16) % 100


class Symbol:
    """One symbol. kind: "named" (a Dim), "DYNAMIC" or "AUTO"."""

    def __init__(self, name, kind, hint, lower, upper, source, dim=None):
        self.name, self.kind, self.hint, self.lower, self.upper = name, kind, hint, lower, upper
        self.source, self.dim = source, dim  # (text of the input, dimension); name of the Dim
        self.expression, self.place = symbol(name), source
        self.floor = 0 if kind != "named" and lower == 2 else lower  # the least size that a call may have


class Environment:
    """The symbols of one export, and what was asked of them."""

    def __init__(self):
        self.symbols, self.guards, self.equal = {}, [], []
        self.assumed = []  # what holds because sizes are taken to be 2 or more; calls with others are refused
        self.dims = {}  # name of a Dim -> Symbol
        self.hints = {}  # name of a symbol -> the value that it has in this reading

    def new(self, kind, hint, lower, upper, source, dim=None):
        """A symbol with torch's name, which is made of the place that it is first read from."""
        number = hashed(source)
        while f"s{number}" in self.symbols:
            number += 1
        return self.add(f"s{number}", kind, hint, lower, upper, source, dim)

    def add(self, name, kind, hint, lower, upper, source="", dim=None):
        """A symbol of that name."""
        made = self.symbols[name] = Symbol(name, kind, hint, lower, upper, source, dim)
        self.hints[name] = hint
        return made

    def size(self, expression):
        """The number that stands for an expression of symbols."""
        value = value_of(expression, self.hints)
        return value if expression.is_number() else ExportInt(value, expression)

    def guard(self, how, a, b):
        """Note that a <how> b was found true, unless it always is."""
        guard = (how, a, b)
        if guard not in self.guards and not self._always(how, a, b, 2):
            self.guards.append(guard)
        elif guard not in self.assumed and not self._always(how, a, b, 0):
            self.assumed.append(guard)

    def range_of(self, expression):
        """(lower, upper) of times * symbol + plus."""
        names = symbols_of(expression)
        s = self.symbols[names[0]]
        upper = s.upper if s.upper is int_oo else value_of(expression, {s.name: s.upper})
        return (s.lower if expression == s.expression else max(value_of(expression, {s.name: s.lower}), 0)), upper

    def names_in(self, expression):
        """The names of an expression's symbols."""
        return symbols_of(expression)

    def _always(self, how, a, b, least):
        """Is it so whatever the sizes are? least: what sizes are taken to be at least; torch takes 2."""
        bound = linear(how, a, b)
        if bound is None:
            return a == b if how in ("==", "<=", ">=") else False
        how, name, n = bound
        s = self.symbols[name]
        lower, upper = max(s.lower, least) if least else s.floor, s.upper
        return {"==": False, "!=": n < lower or n > upper, ">=": lower >= n, "<=": upper <= n}[how]


def linear(how, a, b):
    """(how, symbol, n) of a question that says so much of one symbol, with how one of == != >= <=; else None."""
    difference = a.plus(b, -1)
    names = symbols_of(difference)
    terms = dict(difference.terms)
    constant = terms.pop((), 0)
    if len(names) != 1 or list(terms) != [(names[0],)]:
        return None
    c = terms[(names[0],)]
    if c < 0:
        c, constant, how = -c, -constant, _TURNED[how]
    # c * s + constant <how> 0
    if how in ("==", "!="):
        return (how, names[0], -constant // c) if constant % c == 0 else ("!=" if how == "!=" else "==", names[0], -1)
    if how == ">":
        how, constant = ">=", constant - 1
    elif how == "<":
        how, constant = "<=", constant + 1
    return (how, names[0], -(constant // c) if how == ">=" else (-constant) // c)


__all__ = [
    "SAYS",
    "Environment",
    "ExportInt",
    "ValueRanges",
    "guarding",
    "hashed",
    "in_words",
    "int_oo",
    "linear",
    "symbols_of",
    "value_of",
]
