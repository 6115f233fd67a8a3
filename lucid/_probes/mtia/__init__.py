"""torch.mtia: Meta's accelerators, none here."""


def is_available():
    """is_available() -> False"""
    return False


def device_count():
    """device_count() -> 0"""
    return 0
