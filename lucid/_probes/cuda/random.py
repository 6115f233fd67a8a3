"""torch.cuda.random: seeds for devices that do not exist are accepted and change nothing."""

from .errors import no_cuda

__all__ = [
    "get_rng_state",
    "get_rng_state_all",
    "set_rng_state",
    "set_rng_state_all",
    "manual_seed",
    "manual_seed_all",
    "seed",
    "seed_all",
    "initial_seed",
]


def manual_seed(seed):
    """manual_seed(seed): ignored, there is no CUDA here."""
    int(seed)


def manual_seed_all(seed):
    """manual_seed_all(seed): ignored, there is no CUDA here."""
    int(seed)


def seed():
    """seed(): ignored, there is no CUDA here."""


def seed_all():
    """seed_all(): ignored, there is no CUDA here."""


def initial_seed():
    """initial_seed(): AssertionError, there is no CUDA here."""
    no_cuda()


def get_rng_state(device="cuda"):
    """get_rng_state(): AssertionError, there is no CUDA here."""
    no_cuda()


def get_rng_state_all():
    """get_rng_state_all() -> []"""
    return []


def set_rng_state(new_state, device="cuda"):
    """set_rng_state(state): ignored, there is no CUDA here."""


def set_rng_state_all(new_states):
    """set_rng_state_all(states): ignored, there is no CUDA here."""
