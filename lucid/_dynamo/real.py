"""What instructions mean when they are run for real: what they mean to Python.

The instruction at which reading stopped runs so. A function of the program that it calls is compiled for itself.
"""

import types

from .frame import NULL, Observed, frame_of
from .iterators import ITERATORS, Combined, Generator, sequence_iterator
from .machine import run


class Real:
    """Python's own meanings. call_function(function, args, kwargs): how a function of the program is called."""

    def __init__(self, call_function=None):
        self.call_function = call_function

    def entered(self, frame):
        pass

    left = entered

    def observed(self, error):
        return error

    def named(self, value, name):
        pass

    def made_function(self, function):
        pass

    def _do(self, f, *args, **kwargs):
        try:
            return f(*args, **kwargs)
        except Exception as error:
            raise Observed(error) from None

    def load_local(self, frame, name):
        return frame.locals[name]

    def load_cell(self, cell, name):
        try:
            return cell.cell_contents
        except ValueError:
            raise Observed(
                NameError(
                    f"cannot access free variable '{name}' where it is not associated with a value in enclosing scope"
                )
            ) from None

    def store_cell(self, cell, value):
        if value is NULL:
            del cell.cell_contents
        else:
            cell.cell_contents = value

    def load_global(self, frame, name):
        for place in (frame.globals, frame.builtins):
            if name in place:
                return place[name]
        raise Observed(NameError(f"name '{name}' is not defined"))

    def store_global(self, frame, name, value):
        frame.globals[name] = value

    def load_attr(self, obj, name):
        return self._do(getattr, obj, name)

    def load_special(self, obj, name):
        return self._do(lambda: types.MethodType(getattr(type(obj), name), obj))

    def store_attr(self, obj, name, value):
        self._do(setattr, obj, name, value)

    def delete_attr(self, obj, name):
        self._do(delattr, obj, name)

    def operate(self, frame, function, args):
        return self._do(function, *args)

    def truth(self, frame, value):
        return self._do(bool, value)

    def same(self, a, b):
        return a is b

    def hashed(self, kind, values):
        return self._do(kind, values)

    def listed(self, frame, value, hinted=False):
        return self._do(list, value)

    unpacked = listed

    def mapped(self, frame, value):
        return value if isinstance(value, dict) else self._do(dict, value)

    def iterator(self, frame, value):
        if isinstance(value, ITERATORS):
            return value
        return sequence_iterator(value) or self._do(iter, value)

    def advance(self, frame, iterator):
        if isinstance(iterator, Combined | Generator):
            return iterator.advance(self, frame)
        try:
            return next(iterator)
        except StopIteration as end:
            self._returned = end.value
            return NULL
        except Exception as error:
            raise Observed(error) from None

    def returned(self, iterator):
        return iterator.result if isinstance(iterator, Generator) else self._returned

    def call(self, frame, function, args, kwargs):
        if frame is not None:
            of_frame = _of_frame(function, args, kwargs)
            if of_frame is not None:
                return self._do(of_frame, frame)
            if frame.handling and frame.handling[-1] is not None:
                return self._do(_handling, frame.handling[-1], self._called, function, args, kwargs)
        return self._do(self._called, function, args, kwargs)

    def _called(self, function, args, kwargs):
        if self.call_function is not None:
            return self.call_function(function, args, kwargs)
        return function(*args, **kwargs)


def _handling(error, call, function, args, kwargs):
    """A call in an except clause, which the function can see."""
    trace, context = error.__traceback__, error.__context__
    try:
        raise error
    except BaseException:
        error.__traceback__, error.__context__ = trace, context
        return call(function, args, kwargs)


# ---- builtins that look at the frame of their caller


def _of_frame(function, args, kwargs):
    """How a call is made that means the frame itself; None for all others."""
    if kwargs or not isinstance(function, (type, types.BuiltinFunctionType)):
        return None
    if not args:
        return _OF_FRAME.get(function)
    if len(args) == 1 and (function is eval or function is exec):
        return lambda frame: function(args[0], frame.globals, variables(frame))
    return None


def variables(frame):
    """locals()"""
    found = {}
    for name, value in frame.locals.items():
        if isinstance(value, types.CellType) and name in (*_code(frame).co_cellvars, *_code(frame).co_freevars):
            try:
                value = value.cell_contents
            except ValueError:
                continue
        if value is not NULL:
            found[name] = value
    return found


def _code(frame):
    return frame.program.code


_OF_FRAME = {
    super: lambda frame: super(*zero_argument_super(frame)),
    locals: variables,
    vars: variables,
    globals: lambda frame: frame.globals,
    dir: lambda frame: sorted(variables(frame)),
}


def zero_argument_super(frame):
    """(class, instance) that super() means in a frame."""
    code = frame.program.code
    first = frame.locals[code.co_varnames[0]]
    return frame.locals["__class__"].cell_contents, first.cell_contents if isinstance(first, types.CellType) else first


REAL = Combined.meaning = Real()


def interpreted(function, *args, **kwargs):
    """function(*args, **kwargs), run by the machine with Python's meanings."""
    return plainly(run, REAL, frame_of(function, args, kwargs))


def plainly(f, *args):
    """f(*args), which runs a machine; the program's exception comes out as itself.

    The last argument is the frame: its line stands in the traceback, as if Python had run it.
    """
    try:
        return f(*args)
    except Observed as trouble:
        error = trouble.error
    frame = args[-1]
    raising = compile("\n" * (frame.line - 1) + "raise error", frame.file, "exec")
    exec(raising.replace(co_name=frame.name, co_qualname=frame.name), {"error": error})
