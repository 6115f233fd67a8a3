"""A Python machine in Python: frames, and what each instruction does.

What values mean is not said here. Every instruction asks a *meaning* for it: `real.Real` does what Python does,
`tracer.Tracer` reads the same program symbolically. So a function can be read ahead, and an instruction that cannot be
read be run for real, from one table of instructions.
"""

import operator
import types

from .._base.state import local
from .decode import bind, program

NULL = type("NULL", (), {"__slots__": (), "__repr__": lambda self: "NULL"})()


class Observed(Exception):
    """An exception of the program that is read, not of its reader."""

    def __init__(self, error):
        super().__init__(error)
        self.error = error


class Unsupported(Exception):
    """An instruction that no meaning has."""


class Frame:
    """A running function: where it is, its locals (cells among them) and its stack."""

    __slots__ = ("program", "at", "locals", "stack", "globals", "function", "result", "state", "handling", "grad")

    def __init__(self, function, locals, globals=None):
        self.program = program(function.__code__)
        self.function, self.globals = function, function.__globals__ if globals is None else globals
        self.at, self.locals, self.stack, self.result, self.state = 0, locals, [], None, "running"
        self.grad = local.grad  # were gradients recorded when it began?
        self.handling = []  # the exceptions that are being handled, innermost last

    @property
    def builtins(self):
        """The names that every module sees."""
        found = self.globals.get("__builtins__", __builtins__)
        return found if isinstance(found, dict) else vars(found)

    def popped(self, n):
        """The n topmost values, off the stack."""
        if not n:
            return []
        taken = self.stack[-n:]
        del self.stack[-n:]
        return taken


def frame_of(function, args, kwargs):
    """The Frame of a call, its variables that inner functions share in cells."""
    code = function.__code__
    locals = bind(function, args, kwargs)
    for name in code.co_cellvars:
        locals[name] = types.CellType(locals[name]) if name in locals else types.CellType()
    locals.update(zip(code.co_freevars, function.__closure__ or ()))
    return Frame(function, locals)


def run(meaning, frame):
    """Run a frame to its end or its next yield: its result, or what it yields (see frame.state)."""
    frame.state = "running"
    while frame.state == "running":
        step(meaning, frame)
    return frame.result


def step(meaning, frame):
    """Run one instruction."""
    at = frame.at
    inst = frame.program.insts[at]
    frame.at = at + 1
    handler = INSTRUCTIONS.get(inst.op)
    if handler is None:
        raise Unsupported(f"instruction {inst.op}")
    try:
        handler(meaning, frame, inst)
    except Observed as trouble:
        _unwind(frame, at, trouble)


def _unwind(frame, at, trouble):
    """Go where the function handles an exception; raise it further if nowhere."""
    found = frame.program.handler(at)
    if found is None:
        frame.state = "raised"
        raise trouble
    del frame.stack[found.depth :]
    if found.lasti:
        frame.stack.append(at)
    frame.stack.append(trouble.error)
    frame.at = found.target


# ---- the instructions

INSTRUCTIONS: dict = {}


def on(*names):
    def enter(f):
        for name in names:
            INSTRUCTIONS[name] = f
        return f

    return enter


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
    values = m.listed(f, f.stack.pop())
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
    f.stack.append(isinstance(f.stack[-1], (list, tuple)))


@on("MATCH_MAPPING")
def _(m, f, i):
    f.stack.append(isinstance(f.stack[-1], dict))


@on("MATCH_KEYS")
def _(m, f, i):
    keys, subject = f.stack[-1], f.stack[-2]
    there = all(k in subject for k in keys)
    f.stack.append(tuple(subject[k] for k in keys) if there else None)


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


# jumps and loops


@on("JUMP")
def _(m, f, i):
    f.at = i.target


def jump_if(op, wanted):
    @on(op)
    def _(m, f, i):
        if m.truth(f, f.stack[-1]) is wanted:
            f.at = i.target
        f.stack.pop()


jump_if("POP_JUMP_IF_TRUE", True)
jump_if("POP_JUMP_IF_FALSE", False)


@on("POP_JUMP_IF_NONE")
def _(m, f, i):
    if m.same(f.stack.pop(), None):
        f.at = i.target


@on("POP_JUMP_IF_NOT_NONE")
def _(m, f, i):
    if not m.same(f.stack.pop(), None):
        f.at = i.target


@on("JUMP_IF_TRUE_OR_POP", "JUMP_IF_FALSE_OR_POP")
def _(m, f, i):
    if m.truth(f, f.stack[-1]) is (i.op == "JUMP_IF_TRUE_OR_POP"):
        f.at = i.target
    else:
        f.stack.pop()


@on("GET_ITER")
def _(m, f, i):
    f.stack[-1] = m.iterator(f, f.stack[-1])


@on("FOR_ITER")
def _(m, f, i):
    value = m.advance(f, f.stack[-1])
    if value is NULL:
        f.stack.pop()
        f.at = i.target
    else:
        f.stack.append(value)


# calls


@on("CALL")
def _(m, f, i):
    n, names = i.arg
    args = f.popped(n)
    kwargs = dict(zip(names, args[n - len(names) :]))
    _call(m, f, args[: n - len(names)], kwargs)


@on("CALL_KW")
def _(m, f, i):
    names = f.stack.pop()
    args = f.popped(i.arg)
    n = i.arg - len(names)
    _call(m, f, args[:n], dict(zip(names, args[n:])))


def _call(m, f, args, kwargs):
    a, b = f.popped(2)
    if b is NULL:
        f.stack.append(m.call(f, a, args, kwargs))
    elif a is NULL:
        f.stack.append(m.call(f, b, args, kwargs))
    else:
        f.stack.append(m.call(f, a, [b, *args], kwargs))


@on("CALL_FUNCTION_EX")
def _(m, f, i):
    kwargs = f.stack.pop() if i.arg else {}
    args = f.stack.pop()
    function = f.stack.pop()
    if function is NULL:
        function = f.stack.pop()
    elif f.stack and f.stack[-1] is NULL:
        f.stack.pop()
    kwargs = {} if kwargs is NULL else m.mapped(f, kwargs)
    f.stack.append(m.call(f, function, m.listed(f, args), dict(kwargs)))


@on("MAKE_FUNCTION")
def _(m, f, i):
    code = f.stack.pop()
    made = {"closure": ()}
    for bit, what in ((8, "closure"), (4, "annotations"), (2, "kwdefaults"), (1, "defaults")):
        if i.arg & bit:
            made[what] = f.stack.pop()
    cells = made["closure"] or tuple([types.CellType() for _ in code.co_freevars])  # the true ones may follow
    function = types.FunctionType(code, f.globals, code.co_name, made.get("defaults"), cells)
    _set_attribute(function, "kwdefaults", made.get("kwdefaults"))
    _set_attribute(function, "annotations", made.get("annotations"))
    m.made_function(function)
    f.stack.append(function)


@on("SET_FUNCTION_ATTRIBUTE")
def _(m, f, i):
    function = f.stack.pop()
    value = f.stack.pop()
    if i.arg == 8:
        code = function.__code__
        new = types.FunctionType(code, f.globals, code.co_name, function.__defaults__, value)
        new.__defaults__, new.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
        new.__annotations__ = function.__annotations__
        function = new
        m.made_function(function)
    else:
        _set_attribute(function, {1: "defaults", 2: "kwdefaults", 4: "annotations"}.get(i.arg), value)
    f.stack.append(function)


def _set_attribute(function, what, value):
    if value is None or what is None:
        return
    if what == "annotations" and isinstance(value, tuple):
        value = dict(zip(value[::2], value[1::2]))
    setattr(function, f"__{what}__", value)


@on("RETURN_VALUE")
def _(m, f, i):
    f.result, f.state = f.stack.pop(), "returned"


# generators


@on("RETURN_GENERATOR")
def _(m, f, i):
    f.stack.append(None)


@on("YIELD_VALUE")
def _(m, f, i):
    f.result, f.state = f.stack.pop(), "yielded"


@on("GET_YIELD_FROM_ITER")
def _(m, f, i):
    f.stack[-1] = m.iterator(f, f.stack[-1])


@on("SEND")
def _(m, f, i):
    f.stack.pop()
    value = m.advance(f, f.stack[-1])
    if value is not NULL:
        f.stack.append(value)
        return
    result = m.returned(f.stack[-1])
    if not i.arg:
        f.stack.pop()
    f.stack.append(result)
    f.at = i.target


@on("END_SEND")
def _(m, f, i):
    del f.stack[-2]


# exceptions


@on("RAISE_VARARGS")
def _(m, f, i):
    cause = f.stack.pop() if i.arg == 2 else NULL
    if not i.arg:
        if not f.handling:
            raise Observed(RuntimeError("No active exception to reraise"))
        raise Observed(f.handling[-1])
    error = f.stack.pop()
    if isinstance(error, type):
        error = m.call(f, error, [], {})
    if not isinstance(error, BaseException):
        raise Observed(TypeError("exceptions must derive from BaseException"))
    if cause is not NULL:
        error.__cause__ = m.call(f, cause, [], {}) if isinstance(cause, type) else cause
    raise Observed(error)


@on("RERAISE")
def _(m, f, i):
    error = f.stack.pop()
    if i.arg:
        f.stack.pop()
    raise Observed(error)


@on("PUSH_EXC_INFO")
def _(m, f, i):
    error = f.stack.pop()
    f.stack.append(f.handling[-1] if f.handling else None)
    f.handling.append(error)
    f.stack.append(error)


@on("POP_EXCEPT")
def _(m, f, i):
    f.stack.pop()
    f.handling.pop()


@on("CHECK_EXC_MATCH")
def _(m, f, i):
    kind = f.stack.pop()
    f.stack.append(isinstance(f.stack[-1], kind))


@on("BEFORE_WITH")
def _(m, f, i):
    manager = f.stack.pop()
    f.stack.append(m.load_special(manager, "__exit__"))
    f.stack.append(m.call(f, m.load_special(manager, "__enter__"), [], {}))


@on("WITH_EXCEPT_START")
def _(m, f, i):
    error = f.stack[-1]
    f.stack.append(m.call(f, f.stack[-4], [type(error), error, None], {}))


@on("STOPITERATION_ERROR")
def _(m, f, i):
    error = f.stack[-1]
    if isinstance(error, StopIteration):
        f.stack[-1] = RuntimeError("generator raised StopIteration")
