"""Switches of the whole process: threads, determinism, precision of products, warnings, the old default tensor type."""

import warnings

from .._array.numpy import products
from .._array.numpy.threads import cpus, set_pool_threads
from .._base.device import set_default_device
from .._base.dtype import set_default_dtype
from .._base.state import switches, warn_once
from .._func.methods.legacy_types import LEGACY_TYPES
from .._tensor.tensor import Tensor


def _count(name, n):
    if not isinstance(n, int) or isinstance(n, bool):
        raise RuntimeError(f"{name} expects an int, but got {type(n).__name__}")
    if n <= 0:
        raise RuntimeError(f"{name} expects a positive integer")
    return n


def set_num_threads(n):
    """set_num_threads(n): how many threads native kernels and matrix products may use. Results do not
    depend on it, where there is a C compiler."""
    switches.threads = _count("set_num_threads", n)
    set_pool_threads(n)


def _share_products(threads):
    from .._codegen.products import sharer

    return sharer(threads)


products.begin(_share_products)


def get_num_threads():
    """get_num_threads() -> int: the number set, or OMP_NUM_THREADS, or that of the CPUs."""
    return switches.threads or cpus("OMP_NUM_THREADS")


def set_num_interop_threads(n):
    """set_num_interop_threads(n): kept to be told back; lucid runs one op at a time."""
    switches.interop_threads = _count("set_num_interop_threads", n)


def get_num_interop_threads():
    """get_num_interop_threads() -> int"""
    return switches.interop_threads or cpus()


def use_deterministic_algorithms(mode, *, warn_only=False):
    """use_deterministic_algorithms(mode, *, warn_only=False): kept to be told back; every op of lucid's is
    deterministic."""
    if not isinstance(mode, bool):
        raise TypeError(
            f"_set_deterministic_algorithms(): argument 'mode' (position 1) must be bool, not {type(mode).__name__}"
        )
    switches.deterministic, switches.deterministic_warn_only = mode, warn_only


def are_deterministic_algorithms_enabled():
    """are_deterministic_algorithms_enabled() -> bool: what use_deterministic_algorithms was told."""
    return switches.deterministic


def is_deterministic_algorithms_warn_only_enabled():
    """is_deterministic_algorithms_warn_only_enabled() -> bool"""
    return switches.deterministic_warn_only


def set_deterministic_debug_mode(debug_mode):
    """set_deterministic_debug_mode(mode): 0 or "default", 1 or "warn", 2 or "error"."""
    if not isinstance(debug_mode, (int, str)):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode)}")
    names = {"default": 0, "warn": 1, "error": 2}
    if isinstance(debug_mode, str):
        if debug_mode not in names:
            raise RuntimeError(
                "invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got " + debug_mode
            )
        debug_mode = names[debug_mode]
    if debug_mode not in (0, 1, 2):
        raise RuntimeError(f"invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}")
    use_deterministic_algorithms(debug_mode > 0, warn_only=debug_mode == 1)


def get_deterministic_debug_mode():
    """get_deterministic_debug_mode() -> 0, 1 (warn) or 2 (error)."""
    return 0 if not switches.deterministic else 1 if switches.deterministic_warn_only else 2


def set_float32_matmul_precision(precision):
    """set_float32_matmul_precision("highest" | "high" | "medium"): kept to be told back; products are always exact to
    float32."""
    if precision not in ("highest", "high", "medium"):
        warnings.warn(
            f"{precision} is not one of 'highest', 'high', or 'medium'; the current setting is kept", stacklevel=2
        )
        return
    switches.matmul_precision = precision


def get_float32_matmul_precision():
    """get_float32_matmul_precision() -> str"""
    return switches.matmul_precision


def set_warn_always(b):
    """set_warn_always(b): should warnings that come once per process come every time?"""
    switches.warn_always = b


def is_warn_always_enabled():
    """is_warn_always_enabled() -> bool"""
    return switches.warn_always


def set_flush_denormal(mode):
    """set_flush_denormal(mode) -> bool: False, numpy keeps denormal numbers; True when they are to be kept anyway."""
    return not mode


def set_default_tensor_type(t):
    """set_default_tensor_type(t): the default type and device as an old tensor class or its name,
    "torch.DoubleTensor"."""
    warn_once(
        "torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use torch.set_default_dtype() and "
        "torch.set_default_device() as alternatives."
    )
    if isinstance(t, str):
        *place, name = t.split(".")
        if place[:1] != ["torch"]:
            raise ModuleNotFoundError(f"No module named '{t.partition('.')[0]}'", name=t.partition(".")[0])
        if place[1:]:
            raise TypeError(f"type {t} not available. Torch not compiled with CUDA enabled.")
        if name == "Tensor":
            return
        if name not in LEGACY_TYPES:
            raise AttributeError(f"module 'torch' has no attribute '{name}'")
        t = LEGACY_TYPES[name]
    if t is Tensor:
        return
    if not hasattr(t, "dtype") or getattr(t, "is_cuda", False):
        raise TypeError(
            f"type {getattr(t, '__module__', 'torch')}.{t.__name__} not available. Torch not compiled with "
            "CUDA enabled."
        )
    if not t.dtype.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    set_default_dtype(t.dtype)
    set_default_device(None)


def compiled_with_cxx11_abi():
    """compiled_with_cxx11_abi() -> True, what torch's wheels say."""
    return True


def typename(obj):
    """typename(obj) -> str: `torch.FloatTensor` for a tensor, else the full name of obj's type (or of obj, if it is
    one)."""
    if isinstance(obj, Tensor):
        return obj.type()
    thing = obj if hasattr(obj, "__qualname__") else type(obj)
    module = getattr(thing, "__module__", "") or ""
    if module in ("", "builtins"):
        return thing.__qualname__
    return f"{'torch' + module[5:] if module.partition('.')[0] == 'lucid' else module}.{thing.__qualname__}"


def is_vulkan_available():
    """is_vulkan_available() -> False"""
    return False


SWITCHES = {
    f.__name__: f
    for f in (
        set_num_threads,
        get_num_threads,
        set_num_interop_threads,
        get_num_interop_threads,
        use_deterministic_algorithms,
        are_deterministic_algorithms_enabled,
        is_deterministic_algorithms_warn_only_enabled,
        set_deterministic_debug_mode,
        get_deterministic_debug_mode,
        set_float32_matmul_precision,
        get_float32_matmul_precision,
        set_warn_always,
        is_warn_always_enabled,
        set_flush_denormal,
        set_default_tensor_type,
        compiled_with_cxx11_abi,
        typename,
        is_vulkan_available,
    )
}
