"""torch.backends.mkl: Intel's library, which numpy may use but lucid does not steer."""

VERBOSE_OFF, VERBOSE_ON = 0, 1


def is_available():
    """is_available() -> False"""
    return False


class verbose:
    """verbose(enable): a context that changes nothing."""

    def __init__(self, enable):
        self.enable = enable

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return False
