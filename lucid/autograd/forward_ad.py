"""Forward mode by hand: inside `dual_level()`, `make_dual(x, t)` carries a tangent, `unpack_dual` reads it."""

from collections import namedtuple

from .._base.state import enter_unusual, leave_unusual, local
from .._modes.jvp_frames import NESTED, DualFrame, OpenFrame, enter, leave, need_inexact
from .._modes.levels import run_in
from .._modes.steps import _maybe_load_decompositions  # noqa: F401
from .._tensor.tensor import Tensor
from .grad_mode import _ContextDecorator

UnpackedDualTensor = namedtuple("UnpackedDualTensor", ("primal", "tangent"))


def enter_dual_level():
    """Begin a level; gives its number. torch allows one at a time."""
    if local.dual_levels or any(isinstance(frame, DualFrame) for frame in local.frames):
        raise RuntimeError(NESTED)
    deeper = run_in(OpenFrame)
    frame = deeper.__enter__()
    local.dual_levels = ((frame, deeper),)
    return 0


def exit_dual_level(*, level=None):
    """End the level."""
    if not local.dual_levels:
        raise RuntimeError("Dual level must be a positive number.")
    ((frame, deeper),) = local.dual_levels
    local.dual_levels = ()
    frame.give_back()
    deeper.__exit__()


def _need_tensor(f, name, at, x):
    if not isinstance(x, Tensor):
        raise TypeError(f"{f}(): argument '{name}' (position {at}) must be Tensor, not {type(x).__name__}")


def make_dual(tensor, tangent, *, level=None):
    """make_dual(tensor, tangent) -> Tensor that carries tangent; both floating or complex, of one shape and type."""
    if not local.dual_levels:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first."
        )
    frame = local.dual_levels[-1][0]
    _need_tensor("_make_dual", "tensor", 1, tensor)
    _need_tensor("_make_dual", "tangent", 2, tangent)
    need_inexact(tensor, tangent)
    if leave(tensor, frame)[1] is not None:
        raise RuntimeError(
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level 0 is not "
            "supported."
        )
    if leave(tangent, frame)[1] is not None:
        raise RuntimeError(
            "Setting a forward grad that itself has a forward gradient at the same level0 is not supported."
        )
    tensor, tangent = leave(tensor, frame)[0], leave(tangent, frame)[0]
    if not _is_fwd_grad_enabled():
        return tensor.view_as(tensor)
    return enter(tensor, tangent, frame)


def unpack_dual(tensor, *, level=None):
    """unpack_dual(tensor) -> (primal, tangent); tangent is None for a tensor that carries none."""
    if not local.dual_levels:
        return UnpackedDualTensor(tensor, None)
    _need_tensor("_unpack_dual", "dual", 1, tensor)
    primal, tangent = leave(tensor, local.dual_levels[-1][0])
    return UnpackedDualTensor(primal, tangent if _is_fwd_grad_enabled() else None)


class dual_level(_ContextDecorator):
    """A context in which dual tensors can be made."""

    def __enter__(self):
        return enter_dual_level()

    def __exit__(self, exc_type, exc_value, traceback):
        exit_dual_level()


def _is_fwd_grad_enabled():
    """Do the levels of forward mode that run carry tangents along?"""
    return not local.forward_off or any(
        frame.level > local.forward_off for frame in local.frames if isinstance(frame, DualFrame)
    )


def _switch(off):
    """Tangents of levels up to `off` are from now on not carried along."""
    if off and not local.forward_off:
        enter_unusual()
    elif local.forward_off and not off:
        leave_unusual()
    local.forward_off = off


class _set_fwd_grad_enabled(_ContextDecorator):
    """Turns forward mode off (or on again): results have no tangents at the levels that run."""

    def __init__(self, mode):
        self.prev, self.mode = local.forward_off, mode
        _switch(0 if mode else max([frame.level for frame in local.frames], default=0))

    def __enter__(self):
        return None

    def __exit__(self, *exc):
        _switch(self.prev)

    def clone(self):
        return type(self)(self.mode)
