"""Schemas: what an op takes and gives, `add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor`, as
objects that are asked as torch's FunctionSchema is."""

import ast
import functools
import numbers
import re
from collections.abc import Sequence

from .._base.device import device
from .._base.dtype import dtype
from .._tensor.tensor import Tensor, layout, memory_format

NO_DEFAULT = object()


def _is_int(x):
    return isinstance(x, int) and not isinstance(x, bool) or type(x).__name__ == "SymInt"


def _is_number(x):
    return isinstance(x, numbers.Number) or type(x).__name__ in ("SymInt", "SymFloat", "SymBool")


# What a value of each kind must be, and what messages call the kind.
TESTS = {
    "Tensor": (lambda x: isinstance(x, Tensor), "Tensor"),
    "SymInt": (_is_int, "int"),
    "int": (_is_int, "int"),
    "float": (lambda x: isinstance(x, (int, float)) and not isinstance(x, bool), "float"),
    "bool": (lambda x: isinstance(x, bool), "bool"),
    "str": (lambda x: isinstance(x, str), "str"),
    "Scalar": (_is_number, "number"),
    "complex": (lambda x: isinstance(x, numbers.Number), "complex"),
    "ScalarType": (lambda x: isinstance(x, dtype), "int"),
    "Device": (lambda x: isinstance(x, (device, str)), "Device"),
    "Layout": (lambda x: isinstance(x, layout), "int"),
    "MemoryFormat": (lambda x: isinstance(x, memory_format), "int"),
    "Generator": (lambda x: hasattr(x, "manual_seed"), "Generator"),
}
# What TorchScript calls the kinds.
_SHOWN = {"SymInt": "int", "Scalar": "number", "Dimname": "str", "SymBool": "bool", "SymFloat": "float"}
_AS_INT = {"ScalarType": "int", "Layout": "int", "MemoryFormat": "int"}


class Type:
    """The type of an argument or a result; its text is TorchScript's: `Optional[List[int]]` for `int[]?`."""

    __slots__ = ("text", "real")

    def __init__(self, text, real=False):
        self.text, self.real = text, real  # text: as in schemas; real: are enumerations told from ints?

    def __str__(self):
        if self.text.endswith("?"):
            return f"Optional[{self.getElementType()}]"
        if self.text.endswith("]"):
            return f"List[{self.getElementType()}]"
        if self.text.startswith("Dict("):
            return f"Dict[{self.text[5:-1]}]"
        shown = _SHOWN.get(self.text, self.text)
        return shown if self.real else _AS_INT.get(shown, shown)

    def __repr__(self):
        return str(self)

    def __eq__(self, other):
        return isinstance(other, Type) and str(self) == str(other)

    def __hash__(self):
        return hash(str(self))

    def getElementType(self):  # noqa: N802 - torch's name
        """getElementType() -> Type: of an Optional or a List."""
        if self.text.endswith("?"):
            return Type(self.text[:-1], self.real)
        if self.text.endswith("]"):
            return Type(self.text[: self.text.rindex("[")], self.real)
        raise RuntimeError(f"{self} has no element type")

    def kind(self):
        """kind() -> str: TorchScript's name of the class, `OptionalType`, `ListType`, `TensorType` ..."""
        if self.text[-1] in "?]":
            return "OptionalType" if self.text.endswith("?") else "ListType"
        shown = str(self)
        return {"Device": "DeviceObjType", "str": "StringType"}.get(shown, shown[:1].upper() + shown[1:] + "Type")

    def accepts(self, value):
        """Is value of this type?"""
        return _accepts(self.text, value)

    def coerced(self, value):
        """What stands for a value of this type (numpy's numbers, 0-dim tensors, bools as ints) as one; else None."""
        return _coerced(self.text, value)

    def full(self, value):
        """An int, as the float or the list of so many ints that it stands for where one is wanted."""
        if self.text in ("float", "float?"):
            return float(value)
        listed = re.fullmatch(r"(?:Sym)?[iI]nt\[(\d+)\]\??", self.text)
        return [value] * int(listed[1]) if listed else value


def _accepts(text, value):
    if text.endswith("?"):
        return value is None or _accepts(text[:-1], value)
    if text.endswith("]"):
        inner, n = text[: text.rindex("[")], text[text.rindex("[") + 1 : -1]
        if isinstance(value, (list, tuple)):
            return all([_accepts(inner, v) for v in value])
        return bool(n) and _accepts(inner, value)  # `int[2]` takes one int for both
    return TESTS[text][0](value) if text in TESTS else True


def _is_numpys(value):
    return type(value).__module__ == "numpy"


def _coerced(text, value):
    text = text.removesuffix("?")
    if text.endswith("]"):
        if isinstance(value, str) or not (isinstance(value, Sequence) or _is_numpys(value)):
            return None
        listed = [_coerced(text[: text.rindex("[")], v) for v in value]
        return None if None in listed else listed
    if text in _NUMBERS and (
        _is_numpys(value) and value.size == 1 or isinstance(value, Tensor) and not value._array.ndim
    ):
        value = value.item()
    convert = {(bool, "int"): int, (bool, "SymInt"): int, (bool, "float"): float, (int, "bool"): bool}.get(
        (type(value), text)
    )
    return convert(value) if convert else value if _accepts(text, value) else None


_NUMBERS = ("int", "SymInt", "float", "bool", "Scalar")


class AliasInfo:
    """`(a!)` of an argument: the set whose memory it shares, and whether it is written to."""

    __slots__ = ("is_write", "before_set", "after_set")

    def __init__(self, text, of_elements=False):
        before, _, after = text.partition("->")
        self.is_write = "!" in text
        names = [n for n in before.replace("!", "").split("|") if n.strip() and not of_elements]
        self.before_set = {n.strip() for n in names}
        self.after_set = {n.strip() for n in after.split("|")} if after else self.before_set


class Argument:
    """One argument or result of a schema."""

    __slots__ = ("name", "text", "type", "default", "alias_info", "kwarg_only", "is_out", "has_default")

    def __init__(self, name, text, default=NO_DEFAULT, alias="", keyword_only=False):
        self.name, self.type, self.default, self.kwarg_only = name, Type(text), default, keyword_only
        self.alias_info = AliasInfo(alias, of_elements=text.rstrip("?").endswith("]")) if alias else None
        self.is_out = keyword_only and self.is_write
        self.text = alias

    @property
    def is_write(self):
        return self.alias_info is not None and self.alias_info.is_write

    @property
    def default_value(self):
        return None if self.default is NO_DEFAULT else self.default

    @property
    def N(self):  # noqa: N802 - torch's name
        """How many values a list has that may be given as one."""
        found = re.search(r"\[(\d+)\]\??$", self.type.text)
        return int(found[1]) if found else None

    @property
    def real_type(self):
        """The type, with ScalarType, Layout and MemoryFormat told from ints."""
        return Type(self.type.text, real=True)

    def has_default_value(self):
        """has_default_value() -> bool"""
        return self.default is not NO_DEFAULT

    def accepts(self, value):
        """Is value of this argument's type?"""
        return self.type.accepts(value)

    def __str__(self):
        text = self.type.text
        if self.text:
            head = re.match(r"\w+", text)[0]
            text = f"{head}({self.text}){text[len(head) :]}"
        shown = f"{text} {self.name}" if self.name else text
        return shown if self.default is NO_DEFAULT else f"{shown}={_literal(self.default)}"


def _literal(value):
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, float) and value == int(value):
        return f"{int(value)}."
    return str(value)


class FunctionSchema:
    """The schema of one overload."""

    def __init__(self, name, arguments, returns, overload_name="", text=None):
        self.name, self.overload_name, self.arguments, self.returns = name, overload_name, arguments, returns
        self._text = text

    @property
    def is_mutable(self):
        return any([a.is_write for a in self.arguments])

    def __str__(self):
        which = f".{self.overload_name}" if self.overload_name else ""
        return f"{self.name}{which}{self.text()}"

    __repr__ = __str__

    def __eq__(self, other):
        return isinstance(other, FunctionSchema) and str(self) == str(other)

    def __hash__(self):
        return hash((self.name, self.overload_name))

    def text(self):
        """All but the name."""
        if self._text is None:
            parts = []
            for a in self.arguments:
                if a.kwarg_only and "*" not in parts:
                    parts.append("*")
                parts.append(str(a))
            results = str(self.returns[0]) if len(self.returns) == 1 and not self.returns[0].name else None
            results = results or f"({', '.join(map(str, self.returns))})"
            self._text = f"({', '.join(parts)}) -> {results}"
        return self._text

    def bound(self, args, kwargs, numbers_for_tensors=False, coerce=True):
        """The values of all arguments in order; RuntimeError with the schema where they do not fit.

        coerce: do values fit that only stand for one of the type?
        """
        if len(args) > len(self.arguments):
            raise RuntimeError(
                f"{self.name}() expected at most {len(self.arguments)} argument(s) but received {len(args)} "
                f"argument(s). Declaration: {self}"
            )
        for name in kwargs:
            if name not in [a.name for a in self.arguments]:
                raise RuntimeError(f"Unknown keyword argument '{name}' for operator '{self.name}'. Schema: {self}")
        values = []
        for i, a in enumerate(self.arguments):
            value = args[i] if i < len(args) else kwargs.get(a.name, a.default)
            if value is NO_DEFAULT:
                raise RuntimeError(f"{self.name}() is missing value for argument '{a.name}'. Declaration: {self}")
            if value is not a.default and not a.accepts(value):
                given, value = value, a.type.coerced(value) if coerce else None
                if numbers_for_tensors and a.type.text == "Tensor" and _is_number(given):
                    value = given
                elif value is None:
                    raise RuntimeError(
                        f"{self.name}() Expected a value of type '{a.type}' for argument '{a.name}' but instead found "
                        f"type '{type(given).__name__}'.\nPosition: {i}\nValue: {given!r}\nDeclaration: {self}"
                    )
            if a.type.text.startswith("Device") and isinstance(value, str):
                value = device(value)
            values.append(a.type.full(value) if type(value) is int else value)
        return values


# ---- from text

_SCHEMA = re.compile(r"\s*([\w:]*)(?:\.(\w+))?\s*\((.*)\)\s*->\s*(.+?)\s*", re.S)
_PART = re.compile(
    r"(?P<kind>(Dict\([^)]*\)|[\w.]+))(\((?P<alias>[^)]*)\))?(?P<rest>[\[\]?\d]*)(\((?P<outer>[^)]*)\))?"
    r"(\s+(?P<name>\w+))?(=(?P<default>.+))?",
    re.S,
)
_QUOTED = r'"(?:[^"\\]|\\.)*"'
_COMMAS = re.compile(rf""",(?=(?:[^"]|{_QUOTED})*$)(?![^\[(]*[\])])""")  # not inside quotes or brackets
_KNOWN = {"None": None, "True": True, "False": False, "Mean": 1, "contiguous_format": 0, "long": 4}


def parsed(text, namespace=""):
    """The schema that a text says: "foo.bar(Tensor x, int n=2) -> Tensor"."""
    found = _SCHEMA.fullmatch(text)
    if found is None:
        raise RuntimeError(f"{text!r} is no schema: expected name(Type argument, ...) -> Type")
    name, overload, arguments, results = found.groups()
    name = f"{namespace}::{name}" if namespace and "::" not in name else name
    made, keyword_only = [], False
    for part in filter(None, map(str.strip, _COMMAS.split(arguments))):
        if part == "*":
            keyword_only = True
        else:
            made.append(_argument(part, text, keyword_only))
    results = results.strip()
    inside = results[1:-1] if results.startswith("(") else results
    returns = [_argument(r.strip(), text, False) for r in _COMMAS.split(inside) if r.strip()]
    return FunctionSchema(name, made, returns, overload or "")


def _argument(part, text, keyword_only):
    a = _PART.fullmatch(part)
    if a is None:
        raise RuntimeError(f"{part!r} in {text!r} is no argument: expected Type name, or Type name=default")
    default = NO_DEFAULT if a["default"] is None else _value(a["default"], a["kind"])
    size = re.match(r"\[(\d+)\]", a["rest"])
    if size and isinstance(default, (int, float)) and not isinstance(default, bool):
        default = [default] * int(size[1])
    return Argument(a["name"] or "", a["kind"] + a["rest"], default, a["alias"] or a["outer"] or "", keyword_only)


def _value(text, kind):
    if text in _KNOWN:
        return _KNOWN[text]
    if text[0] in "'\"":
        return ast.literal_eval(text)
    if text[0] == "[":
        return [_value(v.strip(), kind) for v in text[1:-1].split(",") if v.strip()]
    try:
        return int(text)
    except ValueError:
        return float(text)


@functools.cache
def table_schema(line):
    """The schema of a line of schemas.txt, whose text is torch's own."""
    made = parsed(line, "aten")
    made._text = line[line.index("(") :]
    return made


__all__ = ["FunctionSchema", "Argument", "AliasInfo", "NO_DEFAULT", "TESTS", "Type", "parsed", "table_schema"]
