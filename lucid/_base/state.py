"""What a thread is doing right now: gradient mode, interpreters, defaults; and the one clock of the engine."""

import itertools
import threading
import warnings


class _Local(threading.local):
    """Each thread starts with torch's defaults."""

    grad = True
    inference = False
    interpreters = ()  # torch-function and dispatch modes, autocast: innermost last
    subclass_off = False  # inside DisableTorchFunctionSubclass
    anomaly = False
    check_nan = True
    saved_hooks = ()  # pairs (pack, unpack) of saved_tensors_hooks, innermost last
    saved_hooks_error = None
    frames = ()  # of the transforms that run (jvp, vmap): outermost first
    differentiating = 0  # how many of torch.func's grad and vjp run
    walk = None  # the backward walk that runs in this thread, if any


local = _Local()

# Two lists whose truth a generated call can test in a few nanoseconds. They are non-empty while *some* thread has
# left the ordinary mode; only then does a call read its own thread's state.
UNUSUAL: list = []
NO_GRAD: list = []

# One clock orders graph nodes (torch's sequence numbers) and in-place writes, so "was this saved value overwritten
# after it was saved" is one comparison.
tick = itertools.count(1).__next__


class Clock:
    """`last_write`: the tick of the newest in-place write anywhere."""

    __slots__ = ("last_write",)


clock = Clock()
clock.last_write = 0


def grad_enabled() -> bool:
    return local.grad


def set_grad_enabled(on: bool) -> None:
    """Turn recording on or off in this thread."""
    on = bool(on)
    if on is not local.grad:
        local.grad = on
        if on:
            NO_GRAD.pop()
        else:
            NO_GRAD.append(None)


def enter_unusual() -> None:
    """From here on calls take the long way; every call must be paired with `leave_unusual`."""
    UNUSUAL.append(None)


def leave_unusual() -> None:
    UNUSUAL.pop()


class Defaults:
    """Process-wide defaults that torch lets users change."""

    dtype = None  # set by _base.dtype
    device = None  # set by _base.device
    fusion = False


defaults = Defaults()


class Printing:
    """How tensors print; changed by `set_printoptions`."""

    precision, threshold, edgeitems, linewidth = 4, 1000, 3, 80
    sci_mode = None  # None: decided for each tensor


printing = Printing()


class Switches:
    """Settings of torch's that lucid keeps mostly to tell them back."""

    threads = interop_threads = None
    deterministic = deterministic_warn_only = warn_always = False
    matmul_precision = "highest"
    overwrite_params = swap_params = False


switches = Switches()

_told: set = set()


def warn_once(message, stacklevel=2) -> None:
    """A UserWarning, the first time in this process; every time after set_warn_always(True)."""
    if message not in _told or switches.warn_always:
        _told.add(message)
        warnings.warn(message, UserWarning, stacklevel=stacklevel + 1)
