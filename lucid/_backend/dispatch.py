"""__torch_dispatch__: modes and classes that see each op as torch's own ATen call, below autograd.

The long way (slow_path.py, inplace.py) asks here when DISPATCH is up. How a call of an op of lucid's is spelled as an
ATen call is known on a higher floor (lucid/_aten), which puts its speller into `Speller.current`.
"""

import contextlib
from functools import partial

from .._base.state import DISPATCH, enter_unusual, grad_enabled, leave_unusual, local, set_grad_enabled
from .._base.tree import flatten
from .._tensor.tensor import Tensor, new_object
from .graph import Packed, written_error

_OWN = ("lucid._", "torch._")  # its name under the launcher, which renames some modules after they are loaded


class Speller:
    """What knows torch's names; `current` has spell(op, tensors, options, form) and more."""

    current = None


def _plain_dispatch(cls, func, types, args=(), kwargs=None):
    """A Tensor's own __torch_dispatch__: none."""
    return NotImplemented


Tensor.__torch_dispatch__ = classmethod(_plain_dispatch)


def is_seen(cls):
    """Has a class of tensors a __torch_dispatch__ of its own?"""
    handler = getattr(cls, "__torch_dispatch__", None)
    return getattr(handler, "__func__", handler) is not _plain_dispatch


def notice(cls):
    """A class of tensors was declared: from now on calls look out for those with a __torch_dispatch__ of their own."""
    if is_seen(cls) and not cls.__module__.startswith(_OWN):
        look_out(cls)


def look_out(cls):
    """From now on there may be tensors of a class that is seen; lucid's own classes say so when one is made."""
    if cls not in DISPATCH:
        DISPATCH.append(cls)


def push(mode):
    """Make mode the innermost that sees ATen calls."""
    enter_unusual()
    DISPATCH.append(None)
    local.dispatch_modes = (*local.dispatch_modes, mode)


def pop():
    """Take the innermost mode off."""
    *rest, mode = local.dispatch_modes
    local.dispatch_modes = tuple(rest)
    DISPATCH.remove(None)
    leave_unusual()
    return mode


# ---- who is asked


def tensors_of(args, kwargs):
    """All tensors among the arguments of a call."""
    return [t for t in flatten((args, kwargs))[0] if isinstance(t, Tensor)]


def asked(tensors):
    """Does a mode, or the class of one of these, want to see a call?"""
    if local.dispatch_modes:  # of what a traced transform does they are told below it
        return not any([isinstance(t, Tensor) and t._table.trace is not None for t in tensors])
    if local.classes_unseen:
        return False
    return any([type(t) is not Tensor and isinstance(t, Tensor) and is_seen(type(t)) for t in tensors])


def known_as(t, made=None):
    """A tensor that the modes which are on take for t: of t's memory, without its node; or `made`."""
    if made is None:
        made = new_object(type(t))
        made._array, made._table, made._node, made._extra = t._array, t._table, None, None
        if hasattr(t, "__dict__"):
            vars(made).update(vars(t))
    for mode in local.dispatch_modes:
        mode.stands_for(made, t)
    return made


def tell(func, tensors, args, kwargs):
    """The result of an ATen call, from the innermost mode, or else from the class of an argument; without a graph."""
    types = []
    for t in tensors:
        cls = type(t)
        if cls is not Tensor and is_seen(cls) and cls not in types:
            at = next((i for i, c in enumerate(types) if issubclass(cls, c)), len(types))
            types.insert(at, cls)
    modes, before, formula = local.dispatch_modes, grad_enabled(), local.in_formula
    frames, transforms = local.frames, local.transforms
    if modes and frames and frames[-1].trace is not None:  # the call is one below them
        local.frames, local.transforms = (), ()
    local.in_formula, local.told_grad = False, before
    set_grad_enabled(False)
    try:
        if modes:
            local.dispatch_modes = modes[:-1]
            rule = func.rules.get(type(modes[-1])) if func.rules else None
            answer = modes[-1].__torch_dispatch__ if rule is None else partial(rule, modes[-1])
            got = answer(func, tuple(types), args, kwargs)
            if got is not NotImplemented:
                return got
        for cls in types:
            rule = func.rules.get(cls) if func.rules else None
            answer = cls.__torch_dispatch__ if rule is None else partial(rule, cls)
            got = answer(func, tuple(types), args, kwargs)
            if got is not NotImplemented:
                return got
    finally:
        local.dispatch_modes, local.in_formula = modes, formula
        local.frames, local.transforms = frames, transforms
        set_grad_enabled(before)
    refused = [*([modes[-1]] if modes else []), *types]
    listed = "\n".join(f"  - {'mode object' if modes and r is modes[-1] else 'tensor subclass'} {r}" for r in refused)
    raise TypeError(
        f"Multiple dispatch failed for '{func}'; all __torch_dispatch__ handlers returned NotImplemented:\n\n"
        f"{listed}\n\nFor more information, try re-running with TORCH_LOGS=not_implemented"
    )


# ---- a call of an op


class Call:
    """An op's call in torch's words: an ATen op and its arguments; or, `instead`, a function of other ops."""

    __slots__ = ("func", "args", "kwargs", "instead", "results", "quiet")

    def __init__(self, func=None, args=(), kwargs=None, instead=None, results=None, quiet=False):
        self.func, self.args, self.kwargs, self.instead = func, args, kwargs or {}, instead
        self.quiet = quiet  # does torch save none of the results?
        self.results = results  # what of ATen's results are the op's, a function


def takes_apart():
    """Does the innermost mode want composites as torch's Python dispatcher takes them apart?"""
    return bool(local.dispatch_modes and local.dispatch_modes[-1].takes_apart)


def spelled_as(name, args, f, *given):
    """f(*given), whose op modes are told of as the ATen op `name` of args: where the op's own arguments do not say."""
    if not DISPATCH:
        return f(*given)
    local.spelling = name, args
    try:
        return f(*given)
    finally:
        local.spelling = None


@contextlib.contextmanager
def unseen():
    """with unseen(): no mode is told of a call."""
    modes, local.dispatch_modes = local.dispatch_modes, ()
    try:
        yield
    finally:
        local.dispatch_modes = modes


@contextlib.contextmanager
def classes_unseen():
    """with classes_unseen(): tensors of classes with a __torch_dispatch__ count as plain ones."""
    before, local.classes_unseen = local.classes_unseen, True
    try:
        yield
    finally:
        local.classes_unseen = before


def _told_item(t):
    """(the number,) of a tensor of one element, where somebody sees that it is read; else None."""
    if t._array.size != 1 or not asked((t,)):
        return None
    return (tell(Speller.current.aten("_local_scalar_dense"), [t], (t,), {}),)


def _told_data(t):
    """t.data as modes see it, a detach; None where nobody sees it."""
    return Speller.current.detach(t) if asked((t,)) else None


Tensor._told_item, Tensor._told_data = _told_item, _told_data


def _kept(t):
    """A result that a node keeps, a detach to modes; local.keeping tells them that it is no step of a program."""
    local.keeping = True
    try:
        return Speller.current.detach(t)
    finally:
        local.keeping = False


class Held(Packed):
    """A saved tensor of a call that somebody saw: the very tensor, which may be of a class of its own."""

    __slots__ = ("version", "is_result", "name", "is_inside")

    def __init__(self, t, is_result=False):
        self.is_result, self.is_inside = is_result, bool(local.transforms)  # torch.func's grad detaches nothing
        if is_result and t._table.inexact:
            t = known_as(t) if self.is_inside else _kept(t) if asked([t]) else t
        self.value, self.version = t, _version(t)

    def plain(self):
        """The array of a tensor that nobody is told of."""
        self.check()
        return self.value._array

    def check(self):
        """RuntimeError where the tensor was written to since it was saved."""
        t = self.value
        if _version(t) != self.version:
            raise written_error(t, _version(t), self.version)

    def unpack(self, edge=None):
        t = self.value
        self.check()
        if not self.is_result:
            return t
        if not t._table.inexact:
            return t
        if self.is_inside:
            out = known_as(t)
        else:
            out = Speller.current.detach(t) if asked([t]) else t.detach()
        if edge is not None and grad_enabled() and out._node is None:
            out._node = edge
        return out


class Overwritten:
    """In the place of an operand that a call wrote over, and nobody kept: of it only the shape is known."""

    def __init__(self, t):
        self.value = t


def _version(t):
    return 0 if t.is_inference() else t._version
