"""torch.distributed.elastic.utils"""

import os

__all__ = ["get_env_variable_or_raise"]


def get_env_variable_or_raise(env_name):
    """get_env_variable_or_raise(name) -> str; ValueError where it is not set."""
    value = os.environ.get(env_name)
    if value is None:
        raise ValueError(f"Environment variable {env_name} expected, but not set")
    return value
