"""torch.backends.opt_einsum: orders of contraction for einsum from the package opt_einsum; lucid chooses its own."""

enabled, strategy = False, None


def is_available():
    """is_available() -> False"""
    return False


def get_opt_einsum():
    """get_opt_einsum() -> None"""
    return None
