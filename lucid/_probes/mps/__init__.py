"""torch.mps: the Apple GPU, through mlx where there is one."""

from .._array.mlx.device import has_metal
from .._base.refused import refuse as _refuse
from .._func.creation.generator import default_generator


def is_available():
    """is_available() -> bool"""
    return has_metal()


def device_count():
    """device_count() -> 1 with an Apple GPU, else 0."""
    return int(has_metal())


def _needs(name):
    if not has_metal():
        raise RuntimeError(f"Cannot execute {name}() without MPS backend.")


def synchronize():
    """synchronize(): mlx values are there when they are read; RuntimeError without an Apple GPU."""
    _needs("deviceSynchronize")


def empty_cache():
    """empty_cache(): nothing to do; RuntimeError without an Apple GPU."""
    _needs("emptyCache")


def current_allocated_memory():
    """current_allocated_memory() -> 0, not known; RuntimeError without an Apple GPU."""
    _needs("getCurrentAllocatedMemory")
    return 0


def driver_allocated_memory():
    """driver_allocated_memory() -> 0, not known; RuntimeError without an Apple GPU."""
    _needs("getDriverAllocatedMemory")
    return 0


def manual_seed(seed):
    """manual_seed(seed): ignored, lucid draws all numbers from the CPU's generator."""
    int(seed)


def seed():
    """seed(): ignored, see manual_seed."""


def set_per_process_memory_fraction(fraction):
    """set_per_process_memory_fraction(fraction): ignored; RuntimeError without an Apple GPU."""
    _needs("setMemoryFraction")


def get_rng_state():
    """get_rng_state() -> Tensor: lucid draws all numbers from the CPU's generator, whose state this is."""
    return default_generator.get_state()


def set_rng_state(new_state):
    """set_rng_state(state): of the CPU's generator, from which lucid draws all numbers"""
    default_generator.set_state(new_state)


def recommended_max_memory():
    """recommended_max_memory(): RuntimeError without an Apple GPU."""
    _needs("recommendedMaxMemory")
    return 0


globals().update(
    _refuse(
        "torch.mps",
        """compile_shader load_metallib Event profiler""",
        "kernels in Metal of a program's own",
    )
)
