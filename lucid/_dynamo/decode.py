"""Bytecode of every supported Python in one form: the only file that knows versions.

`program(code)` lists a code object's instructions as `Inst`s, with jumps as indices into the list. What differs from
one version to the next is evened out here: pairs of loads are split, specialised names merged, and a call finds
beneath its arguments the callable and one more slot, of which one may be NULL, in either order.
"""

import dis
import functools
import inspect
import sys
import types
from typing import NamedTuple

VERSION = sys.version_info[:2]


class Inst(NamedTuple):
    """One instruction. arg is what it is about (a name, a constant, a count), target where it jumps to."""

    op: str
    arg: object
    target: int | None
    line: int | None
    offset: int


class Handler(NamedTuple):
    """Where an exception in a range of instructions goes: the stack is cut to depth first."""

    start: int
    end: int
    target: int
    depth: int
    lasti: bool


class Program:
    """A code object's instructions, its exception handlers, and what is alive where."""

    def __init__(self, code):
        self.code = code
        self.insts, self.handlers = _decoded(code)
        self._alive = None

    def handler(self, at):
        """The innermost Handler of instruction number `at`, or None."""
        for h in self.handlers:
            if h.start <= at < h.end:
                return h
        return None

    @property
    def alive(self):
        """For every instruction the names of locals that may be read from there on."""
        if self._alive is None:
            self._alive = _liveness(self.insts, self.handlers)
        return self._alive


@functools.lru_cache(4096)
def program(code):
    """The Program of a code object."""
    return Program(code)


# ---- instructions

_DROPPED = {"CACHE", "EXTENDED_ARG", "PRECALL", "RESUME", "NOP", "NOT_TAKEN", "COPY_FREE_VARS"}
_RENAMED = {
    "LOAD_FAST_CHECK": "LOAD_FAST",
    "LOAD_FAST_BORROW": "LOAD_FAST",
    "LOAD_SMALL_INT": "LOAD_CONST",
    "LOAD_CLASSDEREF": "LOAD_DEREF",
    "FORMAT_SIMPLE": "FORMAT_VALUE",
    "JUMP_BACKWARD": "JUMP",
    "JUMP_BACKWARD_NO_INTERRUPT": "JUMP",
    "JUMP_FORWARD": "JUMP",
    "JUMP_NO_INTERRUPT": "JUMP",
    "POP_ITER": "POP_TOP",
}
_PAIRS = {
    "LOAD_FAST_LOAD_FAST": ("LOAD_FAST", "LOAD_FAST"),
    "LOAD_FAST_BORROW_LOAD_FAST_BORROW": ("LOAD_FAST", "LOAD_FAST"),
    "STORE_FAST_LOAD_FAST": ("STORE_FAST", "LOAD_FAST"),
    "STORE_FAST_STORE_FAST": ("STORE_FAST", "STORE_FAST"),
}
_COUNTED = {"LOAD_GLOBAL", "LOAD_ATTR", "LOAD_SUPER_ATTR"}
_CONVERSIONS = (None, str, repr, ascii)
_INTRINSICS = {  # of CALL_INTRINSIC_1, by number; what is not here is not traced
    3: "STOPITERATION_ERROR",
    5: "UNARY_POSITIVE",
    6: "LIST_TO_TUPLE",
}


def _decoded(code):
    raw = [i for i in dis.get_instructions(code) if i.opname not in ("CACHE", "EXTENDED_ARG")]
    split, first_at = [], {}  # [(op, arg, target offset, line, offset)], offset -> index in split
    line, names = None, ()
    for i in raw:
        line = i.positions.lineno if i.positions and i.positions.lineno else line
        first_at[i.offset] = len(split)
        if i.opname == "KW_NAMES":
            names = code.co_consts[i.arg]
            continue
        for op, arg, target in _parts(i, code):
            if op == "CALL":
                arg, names = (arg, names), ()
            split.append((op, arg, target, line, i.offset))
    offsets = sorted(first_at)

    def index(offset):
        while offset not in first_at and offset <= offsets[-1]:
            offset += 2
        return first_at.get(offset, len(split))

    insts = []
    for op, arg, target, line, offset in split:
        to = None if target is None else index(target)
        if op == "FOR_ITER":
            to = _after_loop(split, to)
        insts.append(Inst(op, arg, to, line, offset))
    _ask_once(insts)
    entries = dis._parse_exception_table(code)
    handlers = [Handler(index(e.start), index(e.end), index(e.target), e.depth, e.lasti) for e in entries]
    return insts, handlers


def _ask_once(insts):
    """Python 3.13 asks for a truth value and then branches by it; here the branch asks, as it does in 3.12."""
    for at, inst in enumerate(insts):
        if inst.op == "TO_BOOL":
            after = next((i.op for i in insts[at + 1 :] if i.op != "NOP"), "")
            if after in ("POP_JUMP_IF_TRUE", "POP_JUMP_IF_FALSE", "UNARY_NOT"):
                insts[at] = Inst("NOP", None, None, inst.line, inst.offset)


def _after_loop(split, to):
    """Where a loop goes on when its iterator, which is off the stack then, is at its end."""
    if split[to][0] == "END_FOR":
        to += 1
        if VERSION >= (3, 13) and split[to][0] == "POP_TOP":
            to += 1
    elif VERSION >= (3, 14) and split[to][0] == "POP_TOP":
        to += 1
    return to


def _parts(i, code):
    """[(op, arg, target offset)] of a raw instruction."""
    op = i.opname
    if op in _DROPPED:
        return [("NOP", None, None)]
    if op in _PAIRS:
        return [(part, name, None) for part, name in zip(_PAIRS[op], i.argval)]
    if op in _COUNTED:
        return _with_null(i)
    if op == "LOAD_METHOD":
        return [("LOAD_METHOD", i.argval, None)]
    if op == "RETURN_CONST":
        return [("LOAD_CONST", i.argval, None), ("RETURN_VALUE", None, None)]
    if op == "COMPARE_OP":
        return _comparison(i)
    if op == "BINARY_OP":
        return [("BINARY_SUBSCR", None, None) if i.argrepr == "[]" else ("BINARY_OP", i.argrepr, None)]
    if op == "CALL_KW":
        return [("CALL_KW", i.arg, None)]
    if op == "CALL_FUNCTION_EX":
        return [("CALL_FUNCTION_EX", VERSION >= (3, 14) or bool(i.arg & 1), None)]
    if op == "FORMAT_VALUE":
        return [("FORMAT_VALUE", (_CONVERSIONS[i.arg & 3], bool(i.arg & 4)), None)]
    if op == "FORMAT_SIMPLE":
        return [("FORMAT_VALUE", (None, False), None)]
    if op == "FORMAT_WITH_SPEC":
        return [("FORMAT_VALUE", (None, True), None)]
    if op == "CONVERT_VALUE":
        return [("CONVERT_VALUE", _CONVERSIONS[i.arg], None)]
    if op == "CALL_INTRINSIC_1":
        return [(_INTRINSICS.get(i.arg, f"INTRINSIC_{i.arg}"), None, None)]
    if op == "MAKE_FUNCTION":
        return [("MAKE_FUNCTION", i.arg or 0, None)]
    if op == "SEND":
        return [("SEND", VERSION >= (3, 12), i.argval)]
    if op.startswith("POP_JUMP_"):
        kind = op.replace("FORWARD_", "").replace("BACKWARD_", "")
        return [(kind, None, i.argval)]
    if i.opcode in dis.hasjrel or i.opcode in dis.hasjabs:
        return [(_RENAMED.get(op, op), None, i.argval)]
    named = i.opcode in {*dis.hasname, *dis.haslocal, *dis.hasfree, *dis.hasconst}
    return [(_RENAMED.get(op, op), i.argval if named or op == "LOAD_SMALL_INT" else i.arg, None)]


def _with_null(i):
    """Loads whose lowest bit says that a call follows, which wants one more slot."""
    bit = i.arg & 1
    if i.opname == "LOAD_GLOBAL":
        null = [("PUSH_NULL", None, None)] if bit else []
        load = [("LOAD_GLOBAL", i.argval, None)]
        return load + null if VERSION >= (3, 13) else null + load
    if i.opname == "LOAD_SUPER_ATTR":
        return [("LOAD_SUPER_METHOD" if bit else "LOAD_SUPER_ATTR", (i.argval, bool(i.arg & 2)), None)]
    return [("LOAD_METHOD" if bit and VERSION >= (3, 12) else "LOAD_ATTR", i.argval, None)]


def _comparison(i):
    word = i.argval.removeprefix("bool(").removesuffix(")")
    as_bool = VERSION >= (3, 13) and i.arg & 16
    return [("COMPARE_OP", word, None), *([("TO_BOOL", None, None)] if as_bool else [])]


# ---- what is alive

_READS = {"LOAD_FAST", "LOAD_FAST_AND_CLEAR", "LOAD_CLOSURE", "LOAD_DEREF", "STORE_DEREF", "DELETE_DEREF"}
_ENDS = {"RETURN_VALUE", "RAISE_VARARGS", "RERAISE"}


def _liveness(insts, handlers):
    """For every instruction the set of locals that some way onwards reads before it writes; cells once used."""
    n = len(insts)
    follow = [[] for _ in range(n)]
    for at, inst in enumerate(insts):
        if inst.op not in _ENDS and inst.op != "JUMP" and at + 1 < n:
            follow[at].append(at + 1)
        if inst.target is not None and inst.target < n:
            follow[at].append(inst.target)
    for h in handlers:
        for at in range(h.start, min(h.end, n)):
            follow[at].append(h.target)
    alive = [frozenset()] * (n + 1)
    changed = True
    while changed:
        changed = False
        for at in range(n - 1, -1, -1):
            inst = insts[at]
            after = frozenset().union(*[alive[f] for f in follow[at]])
            if inst.op in ("STORE_FAST", "DELETE_FAST"):
                after -= {inst.arg}
            elif inst.op in _READS:
                after |= {inst.arg}
            if after != alive[at]:
                alive[at], changed = after, True
    return alive


# ---- arguments


def bind(function, args, kwargs):
    """{local name: value} at the start of a call; TypeError as Python raises it."""
    return binder(function)(*args, **kwargs)


def binder(function):
    """A function with the parameters of `function` that gives them as a dictionary, as its locals are at the start."""
    code = function.__code__
    made = types.FunctionType(_binding(code), {}, function.__name__, function.__defaults__)
    made.__qualname__, made.__kwdefaults__ = function.__qualname__, function.__kwdefaults__
    return made


@functools.lru_cache(4096)
def _binding(code):
    """The code of binder's functions. Python's own binding does the work, and raises its own errors."""
    names = list(code.co_varnames)
    n, only = code.co_argcount, code.co_kwonlyargcount
    own = {name: name if name.isidentifier() else f"_{i}" for i, name in enumerate(names)}  # .0 of comprehensions
    positional = [f"{own[name]}=None" for name in names[:n]]
    if code.co_posonlyargcount:
        positional.insert(code.co_posonlyargcount, "/")
    at, stars = n + only, []
    if code.co_flags & inspect.CO_VARARGS:
        stars.append(f"*{names[at]}")
        at += 1
    elif only:
        stars.append("*")
    stars += [f"{name}=None" for name in names[n : n + only]]
    if code.co_flags & inspect.CO_VARKEYWORDS:
        stars.append(f"**{names[at]}")
        at += 1
    items = ", ".join(f"{name!r}: {own[name]}" for name in names[:at])
    scope = {}
    exec(f"def bound({', '.join([*positional, *stars])}): return {{{items}}}", scope)
    return scope["bound"].__code__.replace(co_qualname=code.co_qualname, co_name=code.co_name)


def is_plain(code):
    """Is it the code of an ordinary function (no generator, no coroutine)?"""
    return not code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR)
