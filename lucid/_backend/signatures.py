"""What torch's functions take: their signatures as data, and the matching of a call against them with torch's errors.

`signatures.txt` (made by scripts/signatures.py) has one line for each overload of a function that torch writes in C. It
is read when a call is out of the ordinary: an argument of an unusual class, a name that only numpy has, an old order,
a missing or an extra argument. `bind` then says what each parameter is given, or raises torch's TypeError.
"""

import functools
import pathlib

from .argument_kinds import KINDS, Mismatch, answers, kind_name, typename

_FILE = pathlib.Path(__file__).with_name("signatures.txt")
# numpy's names for parameters, which torch's functions know too
NUMPY_NAMES = {"dim": ("axis",), "keepdim": ("keepdims",), "input": ("x", "a", "x1"), "other": ("x2",)}


class NO:
    """The default of a parameter that was not given."""

    def __repr__(self):
        return "<not given>"


NO = NO()


class Parameter:
    """One parameter: what it may be given."""

    __slots__ = ("name", "kind", "size", "optional", "none", "default", "keyword_only")

    def __init__(self, text, keyword_only):
        kind, _, rest = text.partition(" ")
        self.name, given, self.default = rest.partition("=")
        self.optional, self.keyword_only = bool(given), keyword_only
        self.none = kind.endswith("?") or self.default == "None"
        kind, _, size = kind.rstrip("?").partition("[")
        self.kind, self.size = kind, int(size.rstrip("]") or 0) if size else 0

    def __str__(self):
        default = f" = {self.default}" if self.optional else ""
        return f"{kind_name(self.kind)} {self.name}{default}"


class Signature:
    """One overload."""

    def __init__(self, text):
        text, _, self.old = text.rstrip().partition("|")
        self.function, _, inside = text.partition("(")
        self.parameters, keyword_only = [], False
        for part in inside.rstrip(")").split(", ") if inside != ")" else ():
            if part == "*":
                keyword_only = True
            else:
                self.parameters.append(Parameter(part, keyword_only))
        self.n_positional = sum(not p.keyword_only for p in self.parameters)
        self.least = sum(not p.optional for p in self.parameters)
        first = self.parameters[0] if self.parameters else None
        self.variadic = self.n_positional == 1 and first.kind in ("IntArrayRef", "SymIntArrayRef")

    def __str__(self):
        parts = [str(p) for p in self.parameters]
        if self.n_positional < len(parts):
            parts.insert(self.n_positional, "*")
        return f"({', '.join(parts)})"

    def match(self, args, kwargs):
        """{name: value in one form} of what is given; Mismatch, with torch's words, where it is not this overload's."""
        if len(args) > self.n_positional and not self.variadic:
            raise Mismatch(self._too_many(len(args)))
        bound, at, left = {}, 0, dict(kwargs)
        for i, p in enumerate(self.parameters):
            if at < len(args):
                if p.keyword_only:
                    raise Mismatch(self._too_many(len(args)))
                value, place = args[at], f" (position {at + 1})"
                at += 1
            else:
                value, place = self._named(p, left), ""
            if value is NO:
                if not p.optional:
                    raise Mismatch(self._missing(i, left))
                continue
            if value is None and p.none:
                bound[p.name] = None
                continue
            foreign = answers(value) and not (self.variadic and isinstance(value, (list, tuple)))
            if self.variadic and not i and place and not foreign:
                if at < len(args) or KINDS["index"].fits(value, p, self):
                    value, at = args, len(args)
            taken = answers(value) and not (p.kind == "Tensor" and isinstance(value, (list, tuple)))
            if not taken and (wrong := KINDS[p.kind].refusal(value, p, self)) is not None:
                raise Mismatch(f"{self.function}(): argument '{p.name}'{place} must be {kind_name(p.kind)}, {wrong}")
            bound[p.name] = value
        if left:
            raise Mismatch(self._unexpected(next(iter(left)), bound))
        return {
            n: v if v is None or answers(v) else KINDS[p.kind].one_form(v, p, self)
            for n, v, p in self._with_parameters(bound)
        }

    def _with_parameters(self, bound):
        by_name = {p.name: p for p in self.parameters}
        return [(n, v, by_name[n]) for n, v in bound.items()]

    @staticmethod
    def _named(p, left):
        for name in (p.name, *NUMPY_NAMES.get(p.name, ())):
            if name in left:
                return left.pop(name)
        return NO

    def _too_many(self, count):
        most, least = self.n_positional, sum(not p.optional and not p.keyword_only for p in self.parameters)
        takes = f"{most} positional argument{'s' * (most != 1)}"
        if least != most:
            takes = f"from {least} to {most} positional arguments"
        return f"{self.function}() takes {takes} but {count} {'was' if count == 1 else 'were'} given"

    def _missing(self, i, left):
        names = [f'"{p.name}"' for p in self.parameters[i:] if not p.optional and p.name not in left]
        return f"{self.function}() missing {len(names)} required positional arguments: {', '.join(names)}"

    def _unexpected(self, name, bound):
        if name in bound:
            return f"{self.function}() got multiple values for argument '{name}'"
        return f"{self.function}() got an unexpected keyword argument '{name}'"


def int_list(function, name, x):
    """Several ints as a tuple, whatever they are counted with; torch's error for anything else."""
    p = Parameter(f"SymIntArrayRef {name}", False)
    s = Signature(f"{function}(SymIntArrayRef {name})")
    if (wrong := KINDS[p.kind].refusal(x, p, s)) is not None:
        raise TypeError(f"{function}(): argument '{name}' must be tuple of ints, {wrong}")
    return KINDS[p.kind].one_form(x, p, s)


@functools.lru_cache(1)
def _text():
    return "\n" + _FILE.read_text()


@functools.lru_cache(None)
def signatures(place, name):
    """The overloads of a function, in the order in which torch tries them; () where torch has no such function in C."""
    found, text, start = [], _text(), f"\n{place}.{name}("
    at = text.find(start)
    while at >= 0:
        end = text.index("\n", at + 1)
        found.append(Signature(text[at + len(place) + 2 : end]))
        at = end if text.startswith(start, end) else -1
    return tuple(found)


def bind(overloads, args, kwargs):
    """(overload, {name: value}) of a call; TypeError in torch's words where no overload takes it."""
    for s in overloads:
        try:
            return s, s.match(args, kwargs)
        except Mismatch as trouble:
            if len(overloads) == 1:
                raise TypeError(str(trouble)) from None
    count = len(args) + len(kwargs)
    likely = [s for s in overloads if not s.old and s.least <= count <= len(s.parameters)]
    if len(likely) == 1:
        try:
            likely[0].match(args, kwargs)
        except Mismatch as trouble:
            raise TypeError(str(trouble)) from None
    raise TypeError(_invalid(overloads, args, kwargs))


def _invalid(overloads, args, kwargs):
    given = ", ".join(map(typename, args))
    if kwargs:
        named = ", ".join(f"{n}={typename(v)}" for n, v in kwargs.items())
        given = f"{given}, {named}" if given else f"{named}, "
    shown = [s for s in overloads if not s.old]
    listed = f"one of:\n{''.join(f' * {s}{chr(10)}' for s in shown)}" if len(shown) > 1 else str(shown[0])
    return (
        f"{overloads[0].function}() received an invalid combination of arguments - got ({given}), but expected {listed}"
    )
