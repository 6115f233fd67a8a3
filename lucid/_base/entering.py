"""Contexts as two calls, as graphs have them: one that enters and gives the context, one that leaves it.

What is entered so is noted, so that a graph which fails half way can be left as it was begun.
"""

from .state import local


def entered(context):
    """Enter a context and note it: the context."""
    context.__enter__()
    local.entered = (*local.entered, context)
    return context


def left(context):
    """Leave a context that was entered so."""
    local.entered = tuple([c for c in local.entered if c is not context])
    context.__exit__(None, None, None)


def leave_since(count):
    """Leave what was entered after the first `count`, innermost first."""
    while len(local.entered) > count:
        left(local.entered[-1])


def set_module(obj, mod):
    """set_module(obj, mod): set obj.__module__ for display."""
    if not isinstance(mod, str):
        raise TypeError("The mod argument should be a string")
    obj.__module__ = mod


set_module.__module__ = "lucid.utils"


def at_home(module):
    """The name of one of lucid's modules; under the launcher, which calls the library torch, that of torch's."""
    return __name__.partition(".")[0] + module.removeprefix("lucid")


def found_in(module):
    """A decorator: the function or class says that it is of one of torch's modules, where graphs and pickles look."""

    home = at_home(module)

    def name(function):
        function.__module__ = home
        return function

    return name
