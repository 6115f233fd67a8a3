"""What a thread is doing right now: gradient mode, interpreters, defaults; and the one clock of the engine."""

import itertools
import threading
import warnings


class _Local(threading.local):
    """Each thread starts with torch's defaults."""

    grad = True
    inference = False
    entered = ()  # contexts that calls in a graph entered, innermost last (_base/entering.py)
    interpreters = ()  # torch-function and dispatch modes: innermost last
    autocast = None  # what autocast is set to (_backend/autocast.py puts its defaults here)
    cast_to = None  # the type that autocast casts operands on the CPU to just now; None: it casts none
    dispatch_modes = ()  # TorchDispatchModes, innermost last
    classes_unseen = False  # do classes with a __torch_dispatch__ count as plain tensors just now?
    compiling = False  # is a program being read by torch.compile?
    keeps_graph = True  # does the walk through the graph that is under way leave it as it is?
    exporting = False  # is it read by torch.export?
    compiled_with = None  # the settings of torch.compile by which optimizers make graphs of their steps
    fake_impl = None  # the op whose fake implementation runs
    spelling = None  # (name, arguments) of the ATen call that the next op is told as
    told_grad = True  # were gradients on where the call was made that a mode is told just now?
    keeping = False  # is a mode told of what a node keeps of its results?
    in_formula = False  # inside what torch writes in C++: a composite, a gradient rule
    subclass_off = False  # inside DisableTorchFunctionSubclass
    multithreading, view_replay, grad_layout_policy = True, False, True  # kept to be told back (grad_mode.py)
    anomaly = False
    check_nan = True
    saved_hooks = ()  # pairs (pack, unpack) of saved_tensors_hooks, innermost last
    saved_hooks_error = None
    frames = ()  # of the transforms that run and have tables (jvp, vmap): outermost first
    nesting = ()  # those that run in steps (_modes/steps.py), outermost first
    transforms = ()  # of all torch.func transforms that run (grad and vjp, too)
    dual_levels = ()  # of forward_ad: (frame, context) pairs
    forward_off = 0  # tangents of levels up to this one are not carried along: see forward_ad._set_fwd_grad_enabled
    faking = False  # are new tensors fake: shapes without data (_modes/fake.py)?
    floats = None  # while a program is read for a graph: were values of its floats "looked" at, or "unseen"?
    walk = None  # the backward walk that runs in this thread, if any


local = _Local()


def in_fresh_thread(call):
    """call(), in a thread with the state of this one and a stack of its own; what it raises is raised here."""
    state, outcome = vars(local).copy(), {}

    def body():
        vars(local).update(state)
        try:
            outcome["value"] = call()
        except BaseException as error:
            outcome["error"] = error

    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    if "error" in outcome:
        raise outcome["error"]
    return outcome["value"]


# Lists whose truth a generated call can test in a few nanoseconds. They are non-empty while *some* thread has
# left the ordinary mode; only then does a call read its own thread's state.
UNUSUAL: list = []
NO_GRAD: list = []
FAKING: list = []

# Non-empty while some thread has a TorchDispatchMode on, and for good once a class with a __torch_dispatch__ of its own
# is declared. Only the long way looks at it.
DISPATCH: list = []

# Non-empty while a profiler measures: its last element runs ops (`op`) and nodes (`node`) and notes when. Only the long
# way and the careful walk look at it.
PROFILE: list = []

# The same for inference tensors: non-empty from the first one on, for as long as the process lives. Only then does a
# call that is recorded look at the tensors that it saves.
INFERENCE: list = []

# Non-empty from the first tensor on that lies in memory otherwise than row by row. Until then an elementwise call need
# not look at how its operands lie.
TURNED: list = []


def note_turned() -> None:
    """A tensor is made that may lie otherwise than row by row."""
    if not TURNED:
        TURNED.append(None)


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
    fill_uninitialized = True  # under use_deterministic_algorithms: do new tensors get NaN for what is undefined?
    sparse_invariants = False  # torch.sparse.check_sparse_tensor_invariants: are new sparse tensors checked?
    matmul_precision = "highest"
    overwrite_params = swap_params = False


switches = Switches()

_told: set = set()


def warn_once(message, stacklevel=2) -> None:
    """A UserWarning, the first time in this process; every time after set_warn_always(True)."""
    if message not in _told or switches.warn_always:
        _told.add(message)
        warnings.warn(message, UserWarning, stacklevel=stacklevel + 1)


def is_compiling():
    """is_compiling() -> bool: is the program being read by torch.compile?"""
    return local.compiling


def is_exporting():
    """is_exporting() -> bool: is the program being read by torch.export?"""
    return local.exporting
