"""The guards of a .pt2 file: texts that say what must hold of the inputs' sizes. They are read, and never run."""

import ast

from .._base.symbolic import Expression
from ._codes import Unreadable

_SIGNS = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_STEPS = {
    ast.Add: Expression.plus,
    ast.Sub: lambda a, b: a.plus(b, -1),
    ast.Mult: Expression.times,
    ast.FloorDiv: Expression.floor_divided,
    ast.Mod: Expression.remainder,
}


def read_guard(text, places, env):
    """Note a guard in an Environment. places: {"L['x'].size()[0]": Expression}; what is said of sizes that are no
    symbols is left to the checks of those sizes."""
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as e:
        raise Unreadable(f"the guard {text[:80]!r} cannot be read") from e
    for part in tree.values if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And) else [tree]:
        if not isinstance(part, ast.Compare):
            raise NotImplementedError(f"torch.export.load: the guard {text[:80]!r}")
        operands = [part.left, *part.comparators]
        for a, sign, b in zip(operands, part.ops, operands[1:]):
            if type(sign) not in _SIGNS:
                raise NotImplementedError(f"torch.export.load: the guard {text[:80]!r}")
            found = _expression(a, places, text), _expression(b, places, text)
            if None not in found and not all([e.is_number() for e in found]):
                guard = (_SIGNS[type(sign)], *found)
                if guard not in env.guards and not (guard[0] == "==" and found[0] == found[1]):
                    env.guards.append(guard)


def _expression(node, places, text):
    """The Expression of a part of a guard; None where it is of a size that is no symbol."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return Expression({(): node.value})
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _expression(node.operand, places, text)
        return None if inner is None else Expression({}).plus(inner, -1)
    if isinstance(node, ast.BinOp) and type(node.op) in _STEPS:
        a, b = _expression(node.left, places, text), _expression(node.right, places, text)
        return None if a is None or b is None else _STEPS[type(node.op)](a, b)
    if isinstance(node, ast.Subscript):
        return places.get(ast.unparse(node))
    raise NotImplementedError(f"torch.export.load: the guard {text[:80]!r}")


__all__ = ["read_guard"]
