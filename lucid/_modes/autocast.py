"""Mixed precision: `autocast`, what it is set to, and what autograd Functions do about it."""

import collections.abc
import functools
import warnings

from .._backend.autocast import clear_cache, dtype_of, set_state
from .._base.device import KINDS
from .._base.dtype import bfloat16, float16
from .._base.dtype import dtype as dtype_type
from .._base.entering import entered, found_in, left
from .._base.state import local
from .._tensor.tensor import Tensor
from .decorating import decorated, in_noted_autocast, in_type_given, noting_autocast

_SUPPORTED = ("cpu", "cuda", "ipu", "mps", "xpu", "hpu", "mtia", "maia", "xla")


def _known(device_type, function):
    """TypeError or RuntimeError for what is no type of devices."""
    if not isinstance(device_type, str):
        raise TypeError(
            f"{function}(): argument 'device_type' (position 1) must be str, not {type(device_type).__name__}"
        )
    if device_type not in KINDS:
        raise RuntimeError(
            f"Expected one of {', '.join(KINDS[:-1])} device type at start of device string: {device_type}"
        )
    return device_type


def is_autocast_available(device_type):
    """is_autocast_available(device_type) -> bool: does torch know autocast for it?"""
    return _known(device_type, "_is_autocast_available") in _SUPPORTED


def get_autocast_dtype(device_type):
    """get_autocast_dtype(device_type) -> dtype that autocast uses there."""
    return dtype_of(_known(device_type, "get_autocast_dtype"))


def set_autocast_dtype(device_type, dtype):
    """set_autocast_dtype(device_type, dtype): what autocast uses there by default, in this thread."""
    _known(device_type, "set_autocast_dtype")
    if not isinstance(dtype, dtype_type):
        raise TypeError(
            f"set_autocast_dtype(): argument 'dtype' (position 2) must be torch.dtype, not {type(dtype).__name__}"
        )
    state = local.autocast
    if dtype is not dtype_of(device_type):
        others = tuple([pair for pair in state.dtypes if pair[0] != device_type])
        set_state(state._replace(dtypes=others))
        if dtype is not dtype_of(device_type):
            set_state(state._replace(dtypes=(*others, (device_type, dtype))))


def is_autocast_enabled(device_type=None):
    """is_autocast_enabled(device_type="cuda") -> bool: is the code inside an enabled autocast?"""
    if device_type is None:
        return "cuda" in local.autocast.enabled
    return _known(device_type, "is_autocast_enabled") in local.autocast.enabled


def set_autocast_enabled(device_type, enabled=None):
    """set_autocast_enabled(device_type, enabled): cast on devices of this type from now on, or do not; a lone argument
    is `enabled` for "cuda"."""
    given, place = (device_type, 1) if enabled is None else (enabled, 2)
    if type(given) is not bool:
        raise TypeError(
            f"set_autocast_enabled(): argument 'enabled' (position {place}) must be bool, not {type(given).__name__}"
        )
    device_type = "cuda" if enabled is None else _known(device_type, "set_autocast_enabled")
    if given and device_type == "mps":
        raise NotImplementedError(
            "autocast is not supported on device type 'mps' yet: lucid would compute in full precision, which gives "
            "other numbers than torch; use enabled=False, or cast the model and its inputs"
        )
    state = local.autocast
    if given is not (device_type in state.enabled):
        set_state(state._replace(enabled=state.enabled ^ {device_type}))


def is_autocast_cache_enabled():
    """is_autocast_cache_enabled() -> bool: are parameters cast once only?"""
    return local.autocast.cache


def set_autocast_cache_enabled(enabled):
    """set_autocast_cache_enabled(enabled): cast parameters once only, or each time."""
    if type(enabled) is not bool:
        raise TypeError(f"enabled must be a bool (got {type(enabled).__name__})")
    set_state(local.autocast._replace(cache=enabled))


def autocast_increment_nesting():
    """autocast_increment_nesting() -> int: one context more is entered, so many are."""
    return _nest(1)


def autocast_decrement_nesting():
    """autocast_decrement_nesting() -> int: one context less, so many are left."""
    return _nest(-1)


def _nest(step):
    state = local.autocast
    set_state(state._replace(nesting=state.nesting + step))
    return state.nesting + step


def clear_autocast_cache():
    """clear_autocast_cache(): forget the parameters that were cast."""
    clear_cache()


class autocast:
    """autocast(device_type, dtype=None, enabled=True, cache_enabled=None): a context, or decorator, for mixed
    precision.

    Inside, functions that torch names run in `dtype`, others in float32 (the tables are in _backend/autocast.py). For
    "cuda", which is not here, it warns and does nothing, as in torch; entering it for "mps" raises NotImplementedError.
    """

    def __init__(self, device_type, dtype=None, enabled=True, cache_enabled=None):
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        self.fast_dtype = dtype_of(device_type) if dtype is None else dtype
        if not is_autocast_available(device_type):
            raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
        self.device = device_type
        self._cache_enabled = local.autocast.cache if cache_enabled is None else cache_enabled
        if enabled and device_type == "cuda":
            warnings.warn("CUDA is not available or torch_xla is imported. Disabling autocast.", stacklevel=2)
            enabled = False
        elif enabled and self.fast_dtype not in (bfloat16, float16):
            kind = device_type.upper()
            warnings.warn(
                f"In {kind} autocast, but the target dtype is not supported. Disabling autocast.\n"
                f"{kind} Autocast only supports dtypes of torch.bfloat16, torch.float16 currently.",
                stacklevel=2,
            )
            enabled = False
        self._enabled = enabled

    def __enter__(self):
        self.prev = self.device in local.autocast.enabled
        self.prev_fastdtype, self.prev_cache_enabled = dtype_of(self.device), local.autocast.cache
        set_autocast_enabled(self.device, bool(self._enabled))
        set_autocast_dtype(self.device, self.fast_dtype)
        autocast_increment_nesting()
        set_autocast_cache_enabled(bool(self._cache_enabled))
        return self

    def __exit__(self, *exc):
        if autocast_decrement_nesting() == 0:
            clear_cache()
        set_autocast_enabled(self.device, self.prev)
        set_autocast_dtype(self.device, self.prev_fastdtype)
        set_autocast_cache_enabled(self.prev_cache_enabled)
        return False

    def __call__(self, func):
        if not callable(func):
            raise TypeError(
                f"autocast()(func) requires a callable, but got {type(func).__name__}. Did you mean to use autocast as "
                "a context manager? For example:\n    with torch.autocast(device_type=...):\n"
                "        output = model(input)"
            )
        return decorated(self, func)


@found_in("lucid.amp.autocast_mode")
def _enter_autocast(*vals):
    """_enter_autocast(device_type, dtype=None, enabled=True, cache_enabled=None) -> the autocast, entered."""
    return entered(autocast(*vals))


@found_in("lucid.amp.autocast_mode")
def _exit_autocast(mode):
    """_exit_autocast(mode): leave it."""
    left(mode)


def _cast(value, device_type, dtype):
    """Floating tensors of a device type in another type, inside containers too."""
    if isinstance(value, Tensor):
        wanted = value.is_floating_point() and value.device.type == device_type and value.dtype.itemsize != 8
        return value.to(dtype) if wanted else value
    if isinstance(value, (str, bytes)) or hasattr(type(value), "__array_finalize__"):
        return value
    if isinstance(value, collections.abc.Mapping):
        return {_cast(k, device_type, dtype): _cast(v, device_type, dtype) for k, v in value.items()}
    if isinstance(value, collections.abc.Iterable):
        cast = (_cast(v, device_type, dtype) for v in value)
        return type(value)(cast) if isinstance(value, (list, tuple)) else cast
    return value


def custom_fwd(fwd=None, *, device_type, cast_inputs=None):
    """custom_fwd(device_type=..., cast_inputs=None): for the forward of an autograd.Function, which under autocast gets
    its tensors in that type and runs with autocast off; None: autocast stays as it is."""
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)
    if cast_inputs is None:
        return noting_autocast(fwd, device_type, get_autocast_dtype, is_autocast_enabled)
    return in_type_given(fwd, device_type, cast_inputs, get_autocast_dtype, is_autocast_enabled, autocast, _cast)


def custom_bwd(bwd=None, *, device_type):
    """custom_bwd(device_type=...): for the backward of an autograd.Function, which runs in the autocast of its
    forward."""
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)
    return in_noted_autocast(bwd, device_type, autocast)
