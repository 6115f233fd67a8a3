"""torch.backends.openmp: OpenMP, which lucid does not use."""


def is_available():
    """is_available() -> False"""
    return False
