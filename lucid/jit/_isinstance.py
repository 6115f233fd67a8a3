"""torch.jit.isinstance: is a value of a type of TorchScript, with what its containers hold?"""

import collections
import types
import typing
import warnings

from .._base.entering import at_home

_BARE = {
    list: ("list", "a contained type", "a contained type", "int"),
    typing.List: ("List", "a contained type", "a contained type", "int"),
    tuple: ("tuple", "a contained type", "a contained type", "int"),
    typing.Tuple: ("Tuple", "a contained type", "a contained type", "int"),
    dict: ("dict", "contained types", "contained type", "int, int"),
    typing.Dict: ("Dict", "contained types", "contained type", "int, int"),
    typing.Optional: ("Optional", "a contained type", "a contained type", "int"),
}
_UNIONS = (typing.Union, types.UnionType)


def is_of(obj, target_type):
    """isinstance(obj, type or types) -> bool: containers are of a type if all that they hold is. RuntimeError for a
    container's type that does not say what it holds."""
    wanted = target_type if isinstance(target_type, tuple) else (target_type,)
    for kind in wanted:
        if kind in _BARE:
            name, what, which, example = _BARE[kind]
            raise RuntimeError(f"Attempted to use {name} without {what}. Please add {which}, e.g. {name}[{example}]")
    if isinstance(obj, (list, dict, tuple)) and not obj:
        warnings.warn(
            "The inner type of a container is lost when calling torch.jit.isinstance in eager mode. For example, "
            "List[int] would become list and therefore falsely return True for List[float] or List[str].",
            stacklevel=2,
        )
    return any(_fits(obj, kind) for kind in wanted)


def _fits(obj, kind):
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if origin in _UNIONS:
        return any(_fits(obj, arg) if arg is not type(None) else obj is None for arg in args)
    if origin is None:
        return isinstance(obj, kind)
    if not isinstance(obj, origin):
        return False
    if origin is list:
        return all(_fits(x, args[0]) for x in obj)
    if origin in (dict, collections.OrderedDict):
        return all(_fits(k, args[0]) and _fits(v, args[1]) for k, v in obj.items())
    if origin is tuple:
        return len(obj) == len(args) and all(map(_fits, obj, args))
    return True


is_of.__name__ = is_of.__qualname__ = "isinstance"
is_of.__module__ = at_home("lucid.jit")
