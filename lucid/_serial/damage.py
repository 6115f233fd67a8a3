"""What a file that cannot be read raises: RuntimeError or UnpicklingError, with the name of the file."""

import contextlib
import functools
import os
import pickle


def name_of(f):
    """The path behind what `load` was given, or None."""
    name = f if isinstance(f, (str, bytes, os.PathLike)) else getattr(f, "name", None)
    return os.fsdecode(name) if isinstance(name, (str, bytes, os.PathLike)) else None


class naming:
    """with naming(f): errors that leave the block are RuntimeErrors or UnpicklingErrors, and name the file.

    A damaged pickle may fail with any error, as may a class that was pickled. Those stay what they are in torch, so
    that whoever catches them does so here, and are UnpicklingErrors besides. An OSError is no damage.
    """

    def __init__(self, f):
        self.f = f

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        if not isinstance(error, Exception) or isinstance(error, OSError):
            return
        name, said = name_of(self.f), str(error)
        if isinstance(error, (RuntimeError, pickle.UnpicklingError)):
            if name is not None and error.args == (said,) and name not in said:
                error.args = (f"{said}\nThe file is {name}",)
            return
        if kind is KeyError or not said:  # bare, it says nothing
            said = f"{kind.__name__}: {said}"
        found = _also_unpickling(kind)(f"{said}\n{name or 'The file'} is damaged, or was saved by other classes")
        for attribute in ("name", "path"):  # of an ImportError, an AttributeError
            if hasattr(error, attribute):
                setattr(found, attribute, getattr(error, attribute))
        raise found from error


@functools.cache
def _also_unpickling(kind):
    """A class of errors that is `kind`, and UnpicklingError."""
    try:
        own = {"__init__": lambda self, said: None, "__new__": _unfilled, "__str__": lambda self: self.args[0]}
        return type(kind.__name__, (pickle.UnpicklingError, kind), own)
    except TypeError:  # a class that cannot be derived from
        return pickle.UnpicklingError


def _unfilled(cls, said):
    """An exception of a class whose constructor may want other arguments, a UnicodeDecodeError's five."""
    made = Exception.__new__(cls)
    made.args = (said,)
    return made


@contextlib.contextmanager
def archive_errors(what):
    """with archive_errors(what): what zipfile and zlib raise over a damaged archive is torch's RuntimeError."""
    try:
        yield
    except RuntimeError:
        raise
    except Exception as bad:
        raise RuntimeError(f"PytorchStreamReader failed reading {what}: {_reason(bad)}") from bad


def _reason(bad):
    return "failed finding central directory" if "not a zip file" in str(bad) else str(bad) or type(bad).__name__


def need_room(claimed, there, what):
    """RuntimeError where a file claims more bytes than it has."""
    if not 0 <= claimed <= there:
        raise RuntimeError(f"{what} claims {claimed} bytes, the file has {there}; it is damaged or was cut off")
