"""torch.backends.mha: the fast path of attention in inference, which lucid does not have."""

_is_fastpath_enabled = True


def get_fastpath_enabled():
    """get_fastpath_enabled() -> bool"""
    return _is_fastpath_enabled


def set_fastpath_enabled(value):
    """set_fastpath_enabled(value): kept to be told back."""
    globals()["_is_fastpath_enabled"] = value
