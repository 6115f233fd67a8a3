"""Mixed precision: `autocast` (as far as it can be honest without lower-precision kernels) and the gradient scaler's
switches."""

import functools
import warnings

from .._base.device import KINDS
from .._base.dtype import bfloat16, float16, float32
from .._base.entering import entered, found_in, left
from .._base.state import local
from .._tensor.tensor import Tensor
from .decorating import decorated, in_noted_autocast, noting_autocast

_SUPPORTED = ("cpu", "cuda", "mps", "xpu", "hpu", "mtia", "maia", "xla", "meta")
_DEFAULTS = {"cpu": bfloat16, "xla": bfloat16, "hpu": bfloat16}


class Settings:
    """What set_autocast_dtype and its like were told, by device type."""

    dtypes: dict = {}
    cache = True


settings = Settings()


def is_autocast_available(device_type):
    """is_autocast_available(device_type) -> bool: does torch know autocast for it?"""
    if device_type not in KINDS:
        raise RuntimeError(
            f"Expected one of {', '.join(KINDS[:-1])} device type at start of device string: {device_type}"
        )
    return device_type in _SUPPORTED


def get_autocast_dtype(device_type):
    """get_autocast_dtype(device_type) -> dtype that autocast uses there."""
    return settings.dtypes.get(device_type, _DEFAULTS.get(device_type, float16))


def set_autocast_dtype(device_type, dtype):
    """set_autocast_dtype(device_type, dtype): what autocast uses there by default."""
    settings.dtypes[device_type] = dtype


def is_autocast_enabled(device_type=None):
    """is_autocast_enabled(device_type="cuda") -> bool: is the code inside an enabled autocast?"""
    return (device_type or "cuda") in getattr(local, "autocast", ())


def set_autocast_enabled(device_type, enabled=None):
    """set_autocast_enabled(device_type, enabled): NotImplementedError for True, see autocast."""
    if enabled or enabled is None and device_type:
        _unsupported(device_type)


def _unsupported(kind):
    raise NotImplementedError(
        f"autocast is not supported on device type '{kind}' yet: lucid would compute in full precision, which gives "
        "other numbers than torch; use enabled=False, or cast the model and its inputs"
    )


class autocast:
    """autocast(device_type, dtype=None, enabled=True, cache_enabled=None): a context, or decorator, for mixed
    precision.

    With enabled=False it does nothing, as in torch. For a device that is not here ("cuda") it warns and does nothing,
    as in torch. Elsewhere entering it raises NotImplementedError.
    """

    def __init__(self, device_type, dtype=None, enabled=True, cache_enabled=None):
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        if not is_autocast_available(device_type):
            raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
        self.device, self.device_type = device_type, device_type
        self.fast_dtype = get_autocast_dtype(device_type) if dtype is None else dtype
        self._enabled = enabled
        self._cache_enabled = settings.cache if cache_enabled is None else cache_enabled
        if enabled and device_type == "cuda":
            warnings.warn("User provided device_type of 'cuda', but CUDA is not available. Disabling", stacklevel=2)
            self._enabled = False
        if self._enabled and device_type in ("cpu", "mps") and self.fast_dtype not in (bfloat16, float16):
            if not (device_type == "cpu" and self.fast_dtype is float32):
                warnings.warn(
                    f"In {device_type.upper()} autocast, but the target dtype is not supported. Disabling autocast.\n"
                    f"{device_type.upper()} Autocast only supports dtype of torch.bfloat16, torch.float16 currently.",
                    stacklevel=2,
                )
            self._enabled = False

    def __enter__(self):
        if self._enabled:
            _unsupported(self.device_type)
        return self

    def __exit__(self, *exc):
        return False

    def __call__(self, func):
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
    if isinstance(value, (str, bytes)):
        return value
    if isinstance(value, dict):
        return {_cast(k, device_type, dtype): _cast(v, device_type, dtype) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)([_cast(v, device_type, dtype) for v in value])
    return value


def custom_fwd(fwd=None, *, device_type=None, cast_inputs=None):
    """custom_fwd(device_type=..., cast_inputs=None): for the forward of an autograd.Function; it matters under autocast
    only."""
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)
    return noting_autocast(fwd, device_type or "cuda", get_autocast_dtype)


def custom_bwd(bwd=None, *, device_type=None):
    """custom_bwd(device_type=...): for the backward of an autograd.Function; it matters under autocast only."""
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)
    return in_noted_autocast(bwd, device_type or "cuda", autocast)
