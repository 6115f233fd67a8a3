"""The numbers and texts by which torch's .pt2 files name types, layouts and sizes."""

import ast

from .._base import dtype as dtypes
from .._base.device import device
from .._base.symbolic import Expression, SymInt, symbol
from .._tensor.tensor import channels_last, channels_last_3d, contiguous_format, preserve_format, strided

_TYPES = """uint8 int8 int16 int32 int64 float16 float32 float64 complex32 complex64 complex128 bool bfloat16""".split()
_MORE = {28: "uint16", 29: "float8_e4m3fn", 30: "float8_e5m2", 31: "float8_e4m3fnuz", 32: "float8_e5m2fnuz"}
_MORE |= {33: "float8_e8m0fnu", 34: "uint32", 35: "uint64"}
_NAMED = {**dict(enumerate(_TYPES, 1)), **_MORE}
DTYPES = {number: dtypes.DTYPES[name] for number, name in _NAMED.items() if name in dtypes.DTYPES}
FORMATS = {1: contiguous_format, 2: channels_last, 3: channels_last_3d, 4: preserve_format}
LAYOUTS = {7: strided}


class Unreadable(RuntimeError):
    """A file that says what no program of export's says."""


def code_of(table, value, what):
    """The number of a value in one of these tables."""
    for number, known in table.items():
        if known is value:
            return number
    raise NotImplementedError(f"torch.export.save: {what} {value} has no number in the file's format")


def device_code(d):
    """A device as the file has it."""
    return {"type": d.type, "index": d.index}


def read_device(data):
    """A device."""
    return device(data["type"]) if data.get("index") is None else device(data["type"], data["index"])


# ---- sizes


def size_code(n):
    """A size as the file has it: a number, or an expression in sympy's words."""
    if isinstance(n, SymInt):
        return {"as_expr": {"expr_str": expression_text(n.expression), "hint": {"as_int": int(n)}}}
    return {"as_int": int(n)}


def expression_text(expression):
    """An expression in sympy's words."""
    terms = [_term_text(m, c) for m, c in expression.terms]
    return terms[0] if len(terms) == 1 else f"Add({', '.join(terms)})" if terms else "Integer(0)"


def _term_text(monomial, c):
    parts = [f"Integer({c})"] if c != 1 or not monomial else []
    parts += [_atom_text(a) for a in monomial]
    return parts[0] if len(parts) == 1 else f"Mul({', '.join(parts)})"


def _atom_text(atom):
    if isinstance(atom, str):
        return f"Symbol('{atom}', positive=True, integer=True)"
    kind, a, b = atom
    return f"{'FloorDiv' if kind == '//' else 'Mod'}({expression_text(a)}, {expression_text(b)})"


def read_expression(text):
    """The Expression of such a text; Unreadable for any other."""
    try:
        return _read(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError, KeyError, AttributeError, TypeError) as e:
        raise Unreadable(f"the size {text[:80]!r} cannot be read") from e


def _read(node):
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return Expression({(): node.value})
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        raise ValueError("no call")
    name = node.func.id
    if name == "Symbol":
        found = node.args[0].value
        if not isinstance(found, str) or not found.isidentifier():
            raise ValueError("no symbol")
        return symbol(found)
    if name == "Integer":
        return Expression({(): _integer(node.args[0])})
    parts = [_read(a) for a in node.args]
    if name in ("Add", "Mul"):
        total = parts[0]
        for part in parts[1:]:
            total = total.plus(part) if name == "Add" else total.times(part)
        return total
    if name == "Pow":
        total, times = parts[0], dict(parts[1].terms).get((), 0)
        if not 1 <= times <= 8 or not parts[1].is_number():
            raise ValueError("no such power")
        for _ in range(times - 1):
            total = total.times(parts[0])
        return total
    return {"FloorDiv": Expression.floor_divided, "Mod": Expression.remainder, "PythonMod": Expression.remainder}[name](
        *parts
    )


def _integer(node):
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_integer(node.operand)
    if not isinstance(node, ast.Constant) or type(node.value) is not int:
        raise ValueError("no number")
    return node.value


# ---- tensors


def tensor_code(t, requires_grad=None):
    """What a tensor looks like, as the file has it."""
    return {
        "dtype": code_of(DTYPES, t.dtype, "the type"),
        "sizes": [size_code(n) for n in t.shape],
        "requires_grad": bool(t.requires_grad if requires_grad is None else requires_grad),
        "device": device_code(t.device),
        "strides": [size_code(n) for n in t.stride()],
        "storage_offset": {"as_int": int(t.storage_offset())},
        "layout": code_of(LAYOUTS, t.layout, "the layout"),
    }
