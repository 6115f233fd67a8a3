"""torch.backends.cusparselt: NVIDIA's sparse library, not here."""


def is_available():
    """is_available() -> False"""
    return False


def version():
    """version() -> None"""
    return None
