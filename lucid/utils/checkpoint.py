"""Checkpointing: parts of a program keep nothing for backward and run again when their gradients are wanted."""

import contextlib
import warnings
import weakref

from .._backend.graph import written_error
from .._backend.recording import refuse_saved
from .._base.state import local, set_grad_enabled
from .._higher_order_ops.checkpoint import tag_activation_checkpoint
from .._modes.autocast import autocast, get_autocast_dtype, is_autocast_cache_enabled, is_autocast_enabled
from .._tensor.tensor import Tensor
from ..autograd import backward as _backward
from ..autograd.function import Function
from ..autograd.grad_mode import enable_grad, no_grad
from ..autograd.graph import saved_tensors_hooks
from ..random import fork_rng, get_rng_state, set_rng_state
from .selective_checkpoint import CheckpointPolicy, SelectiveCheckpointContext, create_selective_checkpoint_contexts

__all__ = [
    "checkpoint",
    "checkpoint_sequential",
    "CheckpointError",
    "CheckpointFunction",
    "check_backward_validity",
    "detach_variable",
    "get_device_states",
    "set_device_states",
    "noop_context_fn",
    "set_checkpoint_early_stop",
    "set_checkpoint_debug_enabled",
    "DefaultDeviceType",
    "CheckpointPolicy",
    "SelectiveCheckpointContext",
    "create_selective_checkpoint_contexts",
]


class CheckpointError(RuntimeError):
    """Running a part again did not save what it saved the first time."""


class _StopRecomputation(Exception):
    """All that backward asked for has been computed again."""


class DefaultDeviceType:
    """The device type of checkpoints without tensors; kept to be told back."""

    _default_device_type = "cuda"

    @staticmethod
    def set_device_type(device="cuda"):
        """set_device_type(device)"""
        DefaultDeviceType._default_device_type = device

    @staticmethod
    def get_device_type():
        """get_device_type() -> str"""
        return DefaultDeviceType._default_device_type


class _Options:
    early_stop, debug = None, None


@contextlib.contextmanager
def set_checkpoint_early_stop(enable):
    """with set_checkpoint_early_stop(False): recomputation runs to the end of the part."""
    before, _Options.early_stop = _Options.early_stop, enable
    try:
        yield
    finally:
        _Options.early_stop = before


@contextlib.contextmanager
def set_checkpoint_debug_enabled(enabled):
    """with set_checkpoint_debug_enabled(True): kept to be told back."""
    before, _Options.debug = _Options.debug, enabled
    try:
        yield
    finally:
        _Options.debug = before


def noop_context_fn():
    """noop_context_fn() -> two contexts that do nothing."""
    return contextlib.nullcontext(), contextlib.nullcontext()


def detach_variable(inputs):
    """detach_variable(inputs) -> tuple with its tensors cut out of the graph, requires_grad kept."""
    if not isinstance(inputs, tuple):
        raise RuntimeError(f"Only tuple of tensors is supported. Got Unsupported input type:  {type(inputs).__name__}")
    out = []
    for x in inputs:
        if isinstance(x, Tensor):
            cut = x.detach()
            cut.requires_grad = x.requires_grad
            x = cut
        out.append(x)
    return tuple(out)


def check_backward_validity(inputs):
    """check_backward_validity(inputs): warn when no input requires a gradient."""
    if not any(x.requires_grad for x in inputs if isinstance(x, Tensor)):
        warnings.warn("None of the inputs have requires_grad=True. Gradients will be None", stacklevel=2)


def get_device_states(*args):
    """get_device_states(*args) -> ([], []): every device draws from the CPU's generator."""
    return [], []


def set_device_states(devices, states, *, device_type=None):
    """set_device_states(devices, states): nothing to set."""


def _autocast_of():
    """autocast as it is now, to be entered when a part runs again."""
    return autocast("cpu", get_autocast_dtype("cpu"), is_autocast_enabled("cpu"), is_autocast_cache_enabled())


class CheckpointFunction(Function):
    """The reentrant form: its backward runs the part again and calls backward inside."""

    @staticmethod
    def forward(ctx, run_function, preserve_rng_state, *args):
        check_backward_validity(args)
        ctx.run_function = run_function
        ctx.state = get_rng_state() if preserve_rng_state else None
        ctx.autocast = _autocast_of()
        ctx.others = [None if isinstance(a, Tensor) else a for a in args]
        ctx.places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        ctx.save_for_backward(*[args[i] for i in ctx.places])
        with no_grad():
            return run_function(*args)

    @staticmethod
    def backward(ctx, *grads):
        if getattr(local.walk, "wanted", None):
            raise RuntimeError(
                "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or "
                "passing an `inputs` parameter to .backward(). To resolve this error, you can either "
                "set use_reentrant=False, or call .backward() without passing the `inputs` argument."
            )
        inputs = list(ctx.others)
        for i, t in zip(ctx.places, ctx.saved_tensors):
            inputs[i] = t
        cut = detach_variable(tuple(inputs))
        with fork_rng(enabled=ctx.state is not None):
            if ctx.state is not None:
                set_rng_state(ctx.state)
            with enable_grad(), ctx.autocast:
                outputs = ctx.run_function(*cut)
        outputs = (outputs,) if isinstance(outputs, Tensor) else outputs
        wanted = [(o, g) for o, g in zip(outputs, grads) if isinstance(o, Tensor) and o.requires_grad]
        if not wanted:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        _backward([o for o, _ in wanted], [g for _, g in wanted])
        return (None, None, *[x.grad if isinstance(x, Tensor) else None for x in cut])


def checkpoint(
    function,
    *args,
    use_reentrant=None,
    context_fn=noop_context_fn,
    determinism_check="default",
    debug=False,
    early_stop=True,
    **kwargs,
):
    """checkpoint(function, *args, use_reentrant=False) -> function(*args); what it would save is computed again in
    backward.

    preserve_rng_state=True: the second run draws the random numbers of the first. context_fn: gives two contexts, for
    the first run and for the second.
    """
    if use_reentrant is None:
        warnings.warn(
            "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. Starting in PyTorch "
            "2.9, calling checkpoint without use_reentrant will raise an exception. use_reentrant=False is "
            "recommended, but if you need to preserve the current default behavior, you can pass use_reentrant=True. "
            "Refer to docs for more details on the differences between the two variants.",
            stacklevel=2,
        )
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if use_reentrant:
        if kwargs:
            raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
        if context_fn is not noop_context_fn or debug is not False:
            raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        return CheckpointFunction.apply(function, preserve, *args)
    if determinism_check not in ("default", "none"):
        raise ValueError(f"determinism_check should be one of ['default', 'none'], but got {determinism_check}")
    first, again = context_fn()
    early_stop = early_stop if _Options.early_stop is None else _Options.early_stop
    part = _Part(function, args, kwargs, preserve, again, determinism_check == "default", early_stop)
    if not local.grad:
        with first:
            return function(*args, **kwargs)
    with saved_tensors_hooks(part.pack, part.unpack), first:
        return function(*args, **kwargs)


class _Kept:
    """The place of one saved tensor."""

    __slots__ = ("value", "facts", "__weakref__")


def _facts(t):
    return {"shape": t.shape, "dtype": t.dtype, "device": t.device}


class _Part:
    """One checkpointed call: the places of what its graph saved, and how to run it again."""

    def __init__(self, function, args, kwargs, preserve, context, check, early_stop):
        self.function, self.args, self.kwargs, self.context = function, args, kwargs, context
        self.check, self.early_stop = check, early_stop
        self.state = get_rng_state() if preserve else None
        self.autocast = _autocast_of()
        self.places = []  # weak references, in the order of saving
        tensors = [t for t in args if isinstance(t, Tensor)] if local.grad else []
        if any([t.is_inference() for t in tensors]):
            refuse_saved()
        self.versions = [(t, t._version) for t in tensors]

    def pack(self, t):
        """Keep a place instead of the tensor."""
        kept = _Kept()
        kept.value, kept.facts = None, _facts(t)
        self.places.append(weakref.ref(kept))
        return kept

    def unpack(self, kept):
        """The tensor of a place, after running the part again if need be."""
        if kept.value is None:
            self.run_again()
        if kept.value is None:
            raise CheckpointError(
                "torch.utils.checkpoint: Unpack is being triggered for a tensor that was either never recomputed, or "
                "already unpacked once. If you are calling ctx.saved_tensors in backward, make sure to do so only "
                "once. Otherwise please open an issue with details on your use case."
            )
        value, kept.value = kept.value, None
        return value

    def run_again(self):
        """Run the part and fill the places."""
        seen = 0

        def fill(t):
            nonlocal seen
            if seen < len(self.places):
                kept = self.places[seen]()
                if kept is not None:
                    if self.check and _facts(t) != kept.facts:
                        raise CheckpointError(
                            "torch.utils.checkpoint: Recomputed values for the following tensors have different "
                            f"metadata than during the forward pass.\ntensor at position {seen}:\nsaved metadata: "
                            f"{kept.facts}\nrecomputed metadata: {_facts(t)}\n"
                        )
                    kept.value = t.detach()
            seen += 1
            if self.early_stop and seen == len(self.places):
                raise _StopRecomputation
            return t.detach()

        def refuse(x):
            raise CheckpointError(
                "torch.utils.checkpoint: You are calling backward on a tensor that is never "
                "exposed. Please open an issue."
            )

        for t, version in self.versions:
            if t._version != version:
                raise written_error(t, t._version, version)
        before = local.grad
        with fork_rng(enabled=self.state is not None):
            if self.state is not None:
                set_rng_state(self.state)
            set_grad_enabled(True)
            try:
                with self.autocast, saved_tensors_hooks(fill, refuse), self.context:
                    self.function(*self.args, **self.kwargs)
            except _StopRecomputation:
                return
            finally:
                set_grad_enabled(before)
        if seen != len(self.places):
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the "
                "original forward and recomputation.\nNumber of tensors saved during forward: "
                f"{len(self.places)}\nNumber of tensors saved during recomputation: {seen}."
            )


def checkpoint_sequential(functions, segments, input, use_reentrant=None, **kwargs):
    """checkpoint_sequential(functions, segments, input, use_reentrant=False): functions in order, all but the last of
    `segments` groups checkpointed."""
    if use_reentrant is None:
        warnings.warn(
            "torch.utils.checkpoint.checkpoint_sequential: the use_reentrant parameter should be passed explicitly. "
            "Starting in PyTorch 2.9, calling checkpoint_sequential without use_reentrant will raise an exception. "
            "use_reentrant=False is recommended, but if you need to preserve the current default behavior, you can "
            "pass use_reentrant=True. Refer to docs for more details on the differences between the two variants.",
            stacklevel=2,
        )
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    functions = list(functions.children()) if hasattr(functions, "children") else list(functions)

    def run(start, end):
        def forward(x):
            for f in functions[start:end]:
                x = f(x)
            return x

        return forward

    size, end = len(functions) // segments, 0
    for start in range(0, size * (segments - 1), size):
        end = start + size
        input = checkpoint(run(start, end), input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
    return run(end, len(functions))(input)


tag_activation_checkpoint.checkpoint = checkpoint
