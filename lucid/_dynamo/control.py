"""What instructions do that go elsewhere: jumps, loops, calls, generators, exceptions.

As in instructions.py: a meaning `m`, the frame `f`, the instruction `i`.
"""

import types

from .frame import NULL, Observed, on

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
        error.__suppress_context__ = True
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
    kinds = f.stack.pop()
    for kind in kinds if isinstance(kinds, tuple) else (kinds,):
        if not (isinstance(kind, type) and issubclass(kind, BaseException)):
            raise Observed(TypeError("catching classes that do not inherit from BaseException is not allowed"))
    f.stack.append(isinstance(f.stack[-1], kinds))


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
