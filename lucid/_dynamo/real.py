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

    def listed(self, frame, value):
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
        if function is super and not args:
            args = list(zero_argument_super(frame))
        if self.call_function is not None:
            return self._do(self.call_function, function, args, kwargs)
        return self._do(function, *args, **kwargs)


def zero_argument_super(frame):
    """(class, instance) that super() means in a frame."""
    code = frame.program.code
    first = frame.locals[code.co_varnames[0]]
    return frame.locals["__class__"].cell_contents, first.cell_contents if isinstance(first, types.CellType) else first


REAL = Combined.meaning = Real()


def interpreted(function, *args, **kwargs):
    """function(*args, **kwargs), run by the machine with Python's meanings."""
    try:
        return run(REAL, frame_of(function, args, kwargs))
    except Observed as trouble:
        raise trouble.error from None
