"""torch.random: seeds and states of the default generator."""

import contextlib

from ._base.device import device as _device
from ._func.creation.generator import Generator
from ._func.creation.generator import default_generator as default_generator

__all__ = ["set_rng_state", "get_rng_state", "manual_seed", "seed", "initial_seed", "fork_rng", "thread_safe_generator"]


def set_rng_state(new_state):
    """set_rng_state(new_state): continue from a state that get_rng_state gave."""
    default_generator.set_state(new_state)


def get_rng_state():
    """get_rng_state() -> uint8 Tensor: the state of the default generator."""
    return default_generator.get_state()


def manual_seed(seed) -> Generator:
    """manual_seed(seed) -> the default generator, started from int(seed) in [-2**63, 2**64)."""
    return default_generator.manual_seed(int(seed))


def seed() -> int:
    """seed() -> int: start the default generator from the system's entropy and tell which seed that was."""
    return default_generator.seed()


def initial_seed() -> int:
    """initial_seed() -> int: the seed of the default generator's last start."""
    return default_generator.initial_seed()


@contextlib.contextmanager
def fork_rng(devices=None, enabled=True, _caller="fork_rng", _devices_kw="devices", device_type=None):
    """fork_rng(devices=None, enabled=True): random numbers drawn inside leave no trace in the generator's state.

    lucid's devices all draw from the CPU's generator, so `devices` and `device_type` choose nothing.
    """
    if device_type is not None:
        _device(device_type)  # RuntimeError for what is no device type
    if not enabled or device_type == "meta":
        yield
        return
    state = get_rng_state()
    try:
        yield
    finally:
        set_rng_state(state)


def thread_safe_generator():
    """thread_safe_generator() -> None: data is loaded in the main thread, which may use the default generator."""
    return None
