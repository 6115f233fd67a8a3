"""Typed signatures of lucid's functions: what `inspect` says of one, with the types of stub_types.py.

A function is known by its place ("Tensor", "F", "linalg" ... or "" for lucid itself) and its name there.
"""

import ast
import fnmatch
import inspect
import json
import re

import stub_types
from stub_types import PARAMETERS, RESULTS, TAIL, VARIANTS

from lucid._backend.written import compile_now
from lucid._tensor.return_types import CLASSES

P = inspect.Parameter
REFUSAL = re.compile(
    r"\w+\([^)]*\): (NotImplementedError, |AssertionError, |torch's RuntimeError for a tensor that is not|removed from)"
)

# First words of results in docstrings, and the types that they stand for.
WORDS = {word: word for word in "None Tensor bool dtype float int str".split()}
WORDS |= {"self": "Self", "False": "bool", "True": "bool", "tuple": "tuple[Tensor, ...]"}


ANYTHING = [P("args", P.VAR_POSITIONAL, annotation="Any"), P("kwargs", P.VAR_KEYWORD, annotation="Any")]


class Untyped(Exception):
    """The table does not say the type of something."""


def inspected(f):
    """The parameters of f, in order; of a function that lucid writes when it is first called, those it will have."""
    if hasattr(f, "write"):
        compile_now(getattr(f, "__func__", f))
    if (form := getattr(f, "form", None)) is not None:
        numpys = [
            n for n in ("axis", "keepdims") if n in form.aliases and not (hasattr(f, "body") or form.name.endswith("_"))
        ]
        found = [*form.parameters(), *[P(n, P.KEYWORD_ONLY, default=None) for n in numpys]]
        return {p.name: p for p in sorted(found, key=lambda p: p.kind)}
    return inspect.signature(f).parameters


def signatures(place, name, f, method=False):
    """The overloads of a function: its parameters as they are written ("dim: int = -1", "*" ...), and its result."""
    keys = keys_of(place, name, f)
    doc = inspect.getdoc(f) or ""
    variants = entry(VARIANTS, keys)
    if variants is not None:
        lines = re.sub(r"\n +(?![ (])", " ", variants.strip()).splitlines()  # one that does not open "(" goes on
        found = [from_variant(line.strip(), keys, f) for line in lines]
    elif REFUSAL.match(doc):
        found = [([P("self", P.POSITIONAL_ONLY)] * method + ANYTHING, "NoReturn")]
    else:
        result = result_of(method, name, keys, doc)
        found = [(form, result) for form in forms(list(inspected(f).values()), keys, f)]
    return [(written(parameters, method, keys, f, result), result) for parameters, result in found]


def keys_of(place, name, f):
    """Under which names the table may know a function, the most particular one first."""
    own = name if name.startswith("__") else getattr(f, "__name__", name)
    names = [own] if own == f"linalg_{name}" else [name, own]
    f = getattr(f, "body", f)
    if hasattr(f, "op"):  # an alias goes by the op's name too
        names.append(
            f.op.name + "_" * (name.endswith("_") and not name.startswith("_") and not f.op.name.endswith("_"))
        )
    elif not name.startswith("__"):
        names.append(f.__name__)
    return list(dict.fromkeys([f"{place or 'lucid'}.{name}", *names]))


def forms(parameters, keys, f):
    """A variadic option of ints may also be given as one sequence: two forms."""
    kinds = {p.kind: p for p in parameters}
    if P.VAR_KEYWORD in kinds:
        last = parameters.pop()
        if last.name == "how":
            parameters += [p for p in TAIL if p.name not in {q.name for q in parameters}]
        elif P.VAR_POSITIONAL not in kinds:
            raise Untyped(f"**{last.name}: give VARIANTS")
    rest = kinds.get(P.VAR_POSITIONAL)
    if rest is None:
        return [parameters]
    if type_of(rest, keys, f) != "int":
        return [parameters]
    i = parameters.index(rest)
    whole = P(rest.name, P.POSITIONAL_OR_KEYWORD, annotation="Sequence[int]")
    return [parameters, [*parameters[:i], whole, *parameters[i + 1 :]]]


def written(parameters, method, keys, f, result):
    """The parameters as text."""
    text, starred = [], False
    for i, p in enumerate(parameters):
        if p.name.startswith("_") and p.default is not P.empty and p.name != "_stacklevel":
            continue  # not for users
        if method and p.name == "out":
            continue  # torch's methods have none
        if method and i == 0:
            text.append("cls" if p.name == "cls" else "self")
            continue
        if p.kind is P.KEYWORD_ONLY and not starred:
            text.append("*")
        starred = starred or p.kind in (P.KEYWORD_ONLY, P.VAR_POSITIONAL)
        kind = p.annotation if isinstance(p.annotation, str) else type_of(p, keys, f, result)
        star = {P.VAR_POSITIONAL: "*", P.VAR_KEYWORD: "**"}.get(p.kind, "")
        default = "" if p.default is P.empty else f" = {literal(p.default)}"
        text.append(f"{star}{p.name}: {kind}{default}")
        if p.kind is P.POSITIONAL_ONLY and all(q.kind is not p.kind for q in parameters[i + 1 :]):
            text.append("/")
    return text


def from_variant(line, keys, f):
    """(parameters, result) of a line of VARIANTS, where a parameter without type has its usual one."""
    runtime = inspected(f)
    usual = {p.name: p for p in TAIL} | dict(runtime)
    open_ended = any(p.kind in (P.VAR_POSITIONAL, P.VAR_KEYWORD) for p in runtime.values())
    node = ast.parse(f"def f{line}: ...").body[0]
    a = node.args
    defaults = [None] * (len(a.posonlyargs + a.args) - len(a.defaults)) + a.defaults
    kinds = [P.POSITIONAL_ONLY] * len(a.posonlyargs) + [P.POSITIONAL_OR_KEYWORD] * len(a.args)
    given = list(zip(a.posonlyargs + a.args, defaults, kinds))
    given += [(a.vararg, None, P.VAR_POSITIONAL)] if a.vararg else []
    given += [(x, d, P.KEYWORD_ONLY) for x, d in zip(a.kwonlyargs, a.kw_defaults)]
    parameters = []
    for arg, default, kind in given:
        if arg.arg not in (*usual, "self") and not open_ended and not keys[-1].startswith("__"):
            raise Untyped(f"VARIANTS has a parameter {arg.arg}, the function has not")
        known = usual.get(arg.arg, P(arg.arg, P.POSITIONAL_OR_KEYWORD))
        note = ast.unparse(arg.annotation) if arg.annotation else None
        if default is None:
            value = P.empty
        elif isinstance(default, ast.Constant) and default.value is ...:
            value = known.default if known.default is not P.empty else ...
        else:
            value = ast.literal_eval(default)
            if known.default not in (P.empty, value):
                raise Untyped(f"VARIANTS says {arg.arg}={value!r}, the function {known.default!r}")
        if note is None and arg.arg not in ("self", "cls"):
            note = type_of(known.replace(default=value), keys, f)
        parameters.append(P(arg.arg, kind, default=value, annotation=note))
    if a.kwarg and a.kwarg.arg == "tail":
        parameters += TAIL
    elif a.kwarg:
        parameters.append(P(a.kwarg.arg, P.VAR_KEYWORD, annotation=ast.unparse(a.kwarg.annotation)))
    return parameters, ast.unparse(node.returns)


def type_of(p, keys, f, result="Tensor"):
    """The type of one parameter."""
    if p.name == "out":
        return f"{'tuple[Tensor, ...]' if result.startswith(('tuple', 'return_types')) else 'Tensor'} | None"
    kind = entry(PARAMETERS, [f"{key}.{p.name}" for key in keys]) or operand(p, f)
    if kind is None and isinstance(p.default, (bool, str)):
        kind = type(p.default).__name__
    usual = f"{p.name}..." if p.kind is P.VAR_POSITIONAL else p.name
    kind = kind or entry(PARAMETERS, [f"{p.name}={p.default!r}", usual])
    if kind is None:
        raise Untyped(f"parameter {p.name}" + ("" if p.default is P.empty else f"={p.default!r}"))
    return f"{kind} | None" if p.default is None and "None" not in kind and kind != "Any" else kind


USED = set()  # the keys of the tables that said something


def entry(table, keys):
    """What a table says under one of several keys, or under a pattern that one of them fits."""
    found = next((key for key in keys if key in table), None) or next(
        (key for key in table if set("*?[") & set(key) for k in keys if fnmatch.fnmatchcase(k, key)), None
    )
    USED.add(found)
    return table.get(found)


def unused():
    """The keys of the tables that no function asked for."""
    return [key for table in (PARAMETERS, RESULTS, VARIANTS) for key in table if key not in USED]


def operand(p, f):
    """Tensor, or Tensor and numbers too, for an input of an op."""
    op = getattr(f, "op", None)
    if op is None or p.name not in op.inputs or op.poly:
        return None
    numbers = op.broadcasts and op.scalar_operands != "none" and p.name != op.inputs[0]
    return stub_types.OPERAND if numbers else "Tensor"


def literal(value):
    """A default value as text, `...` where it is not a plain one."""
    if isinstance(value, str):
        return json.dumps(value)
    if value is None or type(value) in (bool, int) or type(value) is float and value == value and abs(value) < 1e300:
        return repr(value)
    if type(value) is tuple and all(type(v) is int for v in value):
        return repr(value)
    return "..."


def result_of(method, name, keys, doc):
    """The type of a function's result, from the table or from its docstring."""
    if said := entry(RESULTS, keys):
        return said
    if name.endswith("_") and not name.endswith("__"):  # in place
        return "Self" if method else "Tensor"
    said = " ".join(doc.split("\n\n")[0].split()).partition(") -> ")[2]
    if (own := next((key for key in keys if key in CLASSES), None)) and said.startswith("("):
        return f"return_types.{own}"
    if re.match(r"\([^()]*\)( [\w-]+)? Tensor", said):
        return "Tensor"
    if several := re.match(r"\(([^()]*)\)", said):
        return f"tuple[{', '.join(['Tensor'] * len(several[1].split(',')))}]"
    words = re.split(r"[:;.(]", said)[0].replace(",", " ").split()
    if not words:
        if re.match("(is|are|has)_", name):
            return "bool"
        if name.startswith("set_"):
            return "None"
        raise Untyped("result")
    first = "Tensor" if "Tensor" in words and words[0] != "tuple" else words[0]
    if first not in WORDS:
        raise Untyped(f"result: {said[:60]!r}")
    return WORDS[first]
