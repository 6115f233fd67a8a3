"""torch's own names for ops: schemas, overloads, how calls of lucid's ops are spelled in them, what they compute."""

import importlib

from .._backend.dispatch import Speller


class _OnFirstUse:
    """The speller, loaded when the first mode or class asks for ATen calls."""

    def __getattr__(self, name):
        Speller.current = importlib.import_module(".spelling", __name__)
        return getattr(Speller.current, name)


Speller.current = _OnFirstUse()
