"""Frames: running functions, whose instructions the machine runs."""

import linecache
import types

from .._base.state import local
from .decode import bind, program

NULL = type("NULL", (), {"__slots__": (), "__repr__": lambda self: "NULL"})()


class Observed(Exception):
    """An exception of the program that is read, not of its reader."""

    def __init__(self, error):
        super().__init__(error)
        self.error = error


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

    # what a traceback says of it

    @property
    def file(self):
        return self.program.code.co_filename

    @property
    def name(self):
        return self.program.code.co_name

    @property
    def line(self):
        insts, at = self.program.insts, max(self.at - 1, 0)
        return next((i.line for i in reversed(insts[: at + 1]) if i.line), self.program.code.co_firstlineno)

    @property
    def code_line(self):
        return linecache.getline(self.file, self.line).strip()

    def is_free(self, at):
        """Is an instruction outside of every block but `with no_grad()` and the like?"""
        program, handler = self.program, self.program.handler(at)
        while handler is not None:
            if program.insts[handler.target + 1].op != "WITH_EXCEPT_START":
                return False
            leave = self.stack[handler.depth - 1] if 0 < handler.depth <= len(self.stack) else None
            if getattr(leave, "__func__", None) not in HARMLESS:
                return False
            cleanup = program.handler(handler.target)
            handler = program.handler(cleanup.target) if cleanup is not None else None
        return True

    def is_guarded(self):
        """Does the function handle exceptions where it is: try, with?"""
        return not self.is_free(max(self.at - 1, 0))

    def popped(self, n):
        """The n topmost values, off the stack."""
        if not n:
            return []
        taken = self.stack[-n:]
        del self.stack[-n:]
        return taken


HARMLESS: set = set()  # the __exit__ functions of contexts that let every exception pass


def frame_of(function, args, kwargs):
    """The Frame of a call, its variables that inner functions share in cells."""
    code = function.__code__
    locals = bind(function, args, kwargs)
    for name in code.co_cellvars:
        locals[name] = types.CellType(locals[name]) if name in locals else types.CellType()
    locals.update(zip(code.co_freevars, function.__closure__ or ()))
    return Frame(function, locals)


# name of an instruction -> what it does: f(meaning, frame, instruction)
INSTRUCTIONS: dict = {}


def on(*names):
    def enter(f):
        for name in names:
            INSTRUCTIONS[name] = f
        return f

    return enter
