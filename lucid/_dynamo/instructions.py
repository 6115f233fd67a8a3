"""What instructions do to variables, to the stack and to values.

Each asks a meaning `m` (see machine.py) what values mean; `f` is the frame, `i` the instruction.
"""

import operator
import types

from .frame import NULL, Observed, on


@on("NOP", "SETUP_ANNOTATIONS")
def _(m, f, i):
    pass


@on("END_FOR")
def _(m, f, i):
    f.stack.pop()


# loads and stores


@on("LOAD_CONST")
def _(m, f, i):
    f.stack.append(i.arg)


@on("LOAD_FAST", "LOAD_CLOSURE")
def _(m, f, i):
    if i.arg not in f.locals:
        raise Observed(_unbound(i.arg))
    f.stack.append(m.load_local(f, i.arg))


@on("MAKE_CELL")
def _(m, f, i):
    if i.arg not in f.locals:  # of a comprehension: a function's own are there from the start
        f.locals[i.arg] = types.CellType()


@on("LOAD_FAST_AND_CLEAR")
def _(m, f, i):
    f.stack.append(f.locals.pop(i.arg, NULL))


@on("STORE_FAST")
def _(m, f, i):
    value = f.stack.pop()
    if value is NULL:
        f.locals.pop(i.arg, None)
    else:
        f.locals[i.arg] = value
        m.named(value, i.arg)


@on("DELETE_FAST")
def _(m, f, i):
    if f.locals.pop(i.arg, NULL) is NULL:
        raise Observed(_unbound(i.arg))


@on("LOAD_DEREF")
def _(m, f, i):
    f.stack.append(m.load_cell(f.locals[i.arg], i.arg))


@on("STORE_DEREF")
def _(m, f, i):
    value = f.stack.pop()
    m.store_cell(f.locals[i.arg], value)
    m.named(value, i.arg)


@on("DELETE_DEREF")
def _(m, f, i):
    m.store_cell(f.locals[i.arg], NULL)


@on("LOAD_GLOBAL", "LOAD_NAME")
def _(m, f, i):
    f.stack.append(m.load_global(f, i.arg))


@on("STORE_GLOBAL")
def _(m, f, i):
    m.store_global(f, i.arg, f.stack.pop())


@on("LOAD_ATTR")
def _(m, f, i):
    f.stack[-1] = m.load_attr(f.stack[-1], i.arg)


@on("LOAD_METHOD")
def _(m, f, i):
    f.stack[-1] = m.load_attr(f.stack[-1], i.arg)
    f.stack.append(NULL)


@on("LOAD_SUPER_ATTR", "LOAD_SUPER_METHOD")
def _(m, f, i):
    name, given = i.arg
    maker, cls, self = f.popped(3)
    f.stack.append(m.load_attr(m.call(f, maker, [cls, self] if given or maker is super else [], {}), name))
    if i.op == "LOAD_SUPER_METHOD":
        f.stack.append(NULL)


@on("STORE_ATTR")
def _(m, f, i):
    value, obj = f.popped(2)
    m.store_attr(obj, i.arg, value)


@on("DELETE_ATTR")
def _(m, f, i):
    m.delete_attr(f.stack.pop(), i.arg)


@on("LOAD_ASSERTION_ERROR")
def _(m, f, i):
    f.stack.append(AssertionError)


@on("LOAD_BUILD_CLASS")
def _(m, f, i):
    f.stack.append(f.builtins["__build_class__"])


@on("IMPORT_NAME")
def _(m, f, i):
    level, names = f.popped(2)
    f.stack.append(m.call(f, f.builtins["__import__"], [i.arg, f.globals, None, names, level], {}))


@on("IMPORT_FROM")
def _(m, f, i):
    f.stack.append(m.load_attr(f.stack[-1], i.arg))


def _unbound(name):
    return UnboundLocalError(f"cannot access local variable '{name}' where it is not associated with a value")


# the stack itself


@on("PUSH_NULL")
def _(m, f, i):
    f.stack.append(NULL)


@on("POP_TOP", "END_SEND_VALUE")
def _(m, f, i):
    f.stack.pop()


@on("COPY")
def _(m, f, i):
    f.stack.append(f.stack[-i.arg])


@on("SWAP")
def _(m, f, i):
    f.stack[-1], f.stack[-i.arg] = f.stack[-i.arg], f.stack[-1]


# operators

BINARY = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "@": operator.matmul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "+=": operator.iadd,
    "-=": operator.isub,
    "*=": operator.imul,
    "/=": operator.itruediv,
    "//=": operator.ifloordiv,
    "%=": operator.imod,
    "**=": operator.ipow,
    "@=": operator.imatmul,
    "&=": operator.iand,
    "|=": operator.ior,
    "^=": operator.ixor,
    "<<=": operator.ilshift,
    ">>=": operator.irshift,
}
COMPARISONS = {
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
}


@on("BINARY_OP")
def _(m, f, i):
    a, b = f.popped(2)
    f.stack.append(m.operate(f, BINARY[i.arg], [a, b]))


@on("COMPARE_OP")
def _(m, f, i):
    a, b = f.popped(2)
    f.stack.append(m.operate(f, COMPARISONS[i.arg], [a, b]))


def unary(op, function):
    @on(op)
    def _(m, f, i):
        f.stack.append(m.operate(f, function, [f.stack.pop()]))


unary("UNARY_NEGATIVE", operator.neg)
unary("UNARY_POSITIVE", operator.pos)
unary("UNARY_INVERT", operator.invert)


@on("UNARY_NOT")
def _(m, f, i):
    f.stack.append(not m.truth(f, f.stack.pop()))


@on("TO_BOOL")
def _(m, f, i):
    f.stack.append(m.truth(f, f.stack.pop()))


@on("IS_OP")
def _(m, f, i):
    a, b = f.popped(2)
    f.stack.append(m.same(a, b) != bool(i.arg))


@on("CONTAINS_OP")
def _(m, f, i):
    a, b = f.popped(2)
    f.stack.append(m.truth(f, m.operate(f, operator.contains, [b, a])) != bool(i.arg))


@on("BINARY_SUBSCR")
def _(m, f, i):
    obj, key = f.popped(2)
    f.stack.append(m.operate(f, operator.getitem, [obj, key]))


@on("BINARY_SLICE")
def _(m, f, i):
    obj, start, stop = f.popped(3)
    f.stack.append(m.operate(f, operator.getitem, [obj, slice(start, stop)]))


@on("STORE_SUBSCR")
def _(m, f, i):
    value, obj, key = f.popped(3)
    m.operate(f, operator.setitem, [obj, key, value])


@on("STORE_SLICE")
def _(m, f, i):
    value, obj, start, stop = f.popped(4)
    m.operate(f, operator.setitem, [obj, slice(start, stop), value])


@on("DELETE_SUBSCR")
def _(m, f, i):
    m.operate(f, operator.delitem, f.popped(2))


# building


@on("BUILD_TUPLE")
def _(m, f, i):
    f.stack.append(tuple(f.popped(i.arg)))


@on("BUILD_LIST")
def _(m, f, i):
    f.stack.append(f.popped(i.arg))


@on("BUILD_SET")
def _(m, f, i):
    f.stack.append(m.hashed(set, f.popped(i.arg)))


@on("BUILD_MAP")
def _(m, f, i):
    flat = f.popped(2 * i.arg)
    f.stack.append(m.hashed(dict, list(zip(flat[::2], flat[1::2]))))


@on("BUILD_CONST_KEY_MAP")
def _(m, f, i):
    keys = f.stack.pop()
    f.stack.append(dict(zip(keys, f.popped(i.arg))))


@on("BUILD_SLICE")
def _(m, f, i):
    f.stack.append(slice(*f.popped(i.arg)))


@on("BUILD_STRING")
def _(m, f, i):
    f.stack.append("".join(f.popped(i.arg)))


@on("LIST_TO_TUPLE")
def _(m, f, i):
    f.stack[-1] = tuple(f.stack[-1])


@on("LIST_APPEND")
def _(m, f, i):
    value = f.stack.pop()
    f.stack[-i.arg].append(value)


@on("SET_ADD")
def _(m, f, i):
    value = f.stack.pop()
    f.stack[-i.arg] |= m.hashed(set, [value])


@on("MAP_ADD")
def _(m, f, i):
    pair = f.popped(2)
    f.stack[-i.arg].update(m.hashed(dict, [pair]))


@on("LIST_EXTEND")
def _(m, f, i):
    values = m.listed(f, f.stack.pop(), hinted=True)
    f.stack[-i.arg].extend(values)


@on("SET_UPDATE")
def _(m, f, i):
    values = m.listed(f, f.stack.pop())
    f.stack[-i.arg] |= m.hashed(set, values)


@on("DICT_UPDATE")
def _(m, f, i):
    other = f.stack.pop()
    f.stack[-i.arg].update(m.mapped(f, other))


@on("DICT_MERGE")
def _(m, f, i):
    other = m.mapped(f, f.stack.pop())
    into = f.stack[-i.arg]
    twice = next((k for k in other if k in into), None)
    if twice is not None:
        raise Observed(TypeError(f"got multiple values for keyword argument '{twice}'"))
    into.update(other)


@on("FORMAT_VALUE")
def _(m, f, i):
    convert, with_spec = i.arg
    spec = f.stack.pop() if with_spec else ""
    value = f.stack.pop()
    if convert is not None:
        value = m.call(f, convert, [value], {})
    f.stack.append(m.call(f, format, [value, spec], {}))


@on("CONVERT_VALUE")
def _(m, f, i):
    f.stack.append(m.call(f, i.arg, [f.stack.pop()], {}))


@on("GET_LEN")
def _(m, f, i):
    f.stack.append(m.call(f, len, [f.stack[-1]], {}))


@on("MATCH_SEQUENCE")
def _(m, f, i):
    f.stack.append(bool(type(f.stack[-1]).__flags__ & 1 << 5))  # Py_TPFLAGS_SEQUENCE


@on("MATCH_MAPPING")
def _(m, f, i):
    f.stack.append(bool(type(f.stack[-1]).__flags__ & 1 << 6))


@on("MATCH_KEYS")
def _(m, f, i):
    keys, subject = f.stack[-1], f.stack[-2]
    get, found = m.load_attr(subject, "get"), []
    for key in keys:
        value = m.call(f, get, [key, NULL], {})
        if value is NULL:
            f.stack.append(None)
            return
        found.append(value)
    f.stack.append(tuple(found))


@on("MATCH_CLASS")
def _(m, f, i):
    subject, cls, names = f.popped(3)
    f.stack.append(_matched(m, f, subject, cls, i.arg, names))


# Classes whose only positional pattern is the subject itself.
_ITSELF = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)


def _matched(m, f, subject, cls, count, names):
    """The attributes of subject that a class pattern names, `count` of them by place; None for no match."""
    if not isinstance(cls, type):
        raise Observed(TypeError("called match pattern must be a class"))
    if not m.truth(f, m.call(f, isinstance, [subject, cls], {})):
        return None
    found = []
    try:
        if count:
            known = m.load_attr(cls, "__match_args__") if hasattr(cls, "__match_args__") else ()
            itself = not hasattr(cls, "__match_args__") and issubclass(cls, _ITSELF)
            _check_patterns(cls, count, 1 if itself else len(known), known, names)
            found = [subject] if itself else [m.load_attr(subject, name) for name in known[:count]]
        found += [m.load_attr(subject, name) for name in names]
    except Observed as trouble:
        if isinstance(trouble.error, AttributeError):
            return None
        raise
    return tuple(found)


def _check_patterns(cls, count, most, known, names):
    if count > most:
        text = f"{cls.__name__}() accepts {most} positional sub-pattern{'s' * (most != 1)} ({count} given)"
        raise Observed(TypeError(text))
    twice = next((n for n in known[:count] if n in names), None)
    if twice is not None:
        raise Observed(TypeError(f"{cls.__name__}() got multiple sub-patterns for attribute '{twice}'"))


# unpacking


@on("UNPACK_SEQUENCE")
def _(m, f, i):
    values = m.unpacked(f, f.stack.pop())
    if len(values) != i.arg:
        few = len(values) < i.arg
        text = f"not enough values to unpack (expected {i.arg}, got {len(values)})"
        raise Observed(ValueError(text if few else f"too many values to unpack (expected {i.arg})"))
    f.stack.extend(reversed(values))


@on("UNPACK_EX")
def _(m, f, i):
    before, after = i.arg & 255, i.arg >> 8
    values = m.unpacked(f, f.stack.pop())
    if len(values) < before + after:
        text = f"not enough values to unpack (expected at least {before + after}, got {len(values)})"
        raise Observed(ValueError(text))
    end = len(values) - after
    f.stack.extend(reversed([*values[:before], values[before:end], *values[end:]]))
