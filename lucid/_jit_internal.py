"""torch._jit_internal: decorators of TorchScript, which change nothing here."""

from typing import Any, Dict, Final, List, Optional, Tuple, Union  # noqa: F401

from .futures import Future  # noqa: F401


class BroadcastingListCls:
    """BroadcastingList2[int]: a list of that length, or one number for all its elements; for annotations."""

    def __getitem__(self, types):
        return None


BroadcastingList1 = BroadcastingList2 = BroadcastingList3 = BroadcastingListCls()
BroadcastingList4 = BroadcastingList5 = BroadcastingList6 = BroadcastingList1


def _identity(fn):
    return fn


export = unused = _overload = _overload_method = _copy_to_script_wrapper = _identity


def ignore(drop=False, **kwargs):
    """ignore(fn) -> fn, or ignore(drop=...) as a decorator."""
    return drop if callable(drop) else _identity


def is_scripting():
    """is_scripting() -> False"""
    return False


def boolean_dispatch(arg_name, arg_index, default, if_true, if_false, module_name, func_name):
    """boolean_dispatch(...) -> function that calls if_true or if_false as its flag says."""

    def fn(*args, **kwargs):
        flag = kwargs.get(arg_name, args[arg_index] if arg_index < len(args) else default)
        return (if_true if flag else if_false)(*args, **kwargs)

    docs = [f.__doc__ for f in (if_true, if_false)]
    if None not in docs:
        raise RuntimeError("only one function can have a docstring")
    fn.__doc__ = docs[0] if docs[1] is None else docs[1]
    if func_name is not None:
        fn.__name__ = func_name
    if module_name is not None:
        fn.__module__ = module_name
    return fn


__all__ = [
    "Dict",
    "Final",
    "List",
    "Optional",
    "Tuple",
    "export",
    "ignore",
    "unused",
    "is_scripting",
    "boolean_dispatch",
]
