"""Forward mode by hand: inside `dual_level()`, `make_dual(x, t)` carries a tangent, `unpack_dual` reads it."""

from collections import namedtuple

from .._base.state import local
from .._modes.jvp_frames import OpenFrame, enter, leave
from .._modes.levels import run_in
from .grad_mode import _ContextDecorator

UnpackedDualTensor = namedtuple("UnpackedDualTensor", ("primal", "tangent"))


def _levels():
    return getattr(local, "dual_levels", ())


def enter_dual_level():
    """Begin a level; gives its number. torch allows one at a time."""
    if _levels():
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    deeper = run_in(OpenFrame)
    frame = deeper.__enter__()
    local.dual_levels = (*_levels(), (frame, deeper))
    return len(_levels()) - 1


def exit_dual_level(*, level=None):
    """End the level."""
    if not _levels():
        raise RuntimeError("Trying to exit a forward AD level but no level is active")
    *rest, (_, deeper) = local.dual_levels
    local.dual_levels = tuple(rest)
    deeper.__exit__()


def _frame(level, what):
    if not _levels():
        raise RuntimeError(
            f"Trying to {what} a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first."
            if what == "create"
            else "Trying to unpack a dual Tensor but no level exists"
        )
    return _levels()[-1 if level is None or level < 0 else level][0]


def make_dual(tensor, tangent, *, level=None):
    """make_dual(tensor, tangent) -> Tensor that carries tangent; both floating or complex, of one shape and type."""
    frame = _frame(level, "create")
    if not (tensor.is_floating_point() or tensor.is_complex()):
        raise ValueError(f"Expected primal to be floating point or complex, but got: {tensor.dtype}")
    if not (tangent.is_floating_point() or tangent.is_complex()):
        raise ValueError(f"Expected tangent to be floating point or complex, but got: {tangent.dtype}")
    if tensor._array.shape != tangent._array.shape:
        raise RuntimeError(
            f"Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
            f"supported. Tensor is of size {list(tensor._array.shape)} while the given forward gradient is of size "
            f"{list(tangent._array.shape)}."
        )
    return enter(tensor, tangent, frame)


def unpack_dual(tensor, *, level=None):
    """unpack_dual(tensor) -> (primal, tangent); tangent is None for a tensor that carries none."""
    if not _levels():
        return UnpackedDualTensor(tensor, None)
    return UnpackedDualTensor(*leave(tensor, _frame(level, "unpack")))


class dual_level(_ContextDecorator):
    """A context in which dual tensors can be made."""

    def __enter__(self):
        return enter_dual_level()

    def __exit__(self, exc_type, exc_value, traceback):
        exit_dual_level()


def _is_fwd_grad_enabled():
    return getattr(local, "forward_grad", True)


class _set_fwd_grad_enabled(_ContextDecorator):
    """Accepted for torch's sake."""

    def __init__(self, mode):
        self.prev, self.mode = _is_fwd_grad_enabled(), mode
        local.forward_grad = mode

    def __enter__(self):
        return None

    def __exit__(self, *exc):
        local.forward_grad = self.prev

    def clone(self):
        return type(self)(self.mode)
