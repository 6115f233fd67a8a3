"""torch.utils.flop_counter: counting floating-point operations, which lucid does not do yet."""

__all__ = ["FlopCounterMode", "register_flop_formula"]


class FlopCounterMode:
    """FlopCounterMode(): NotImplementedError when entered."""

    def __init__(self, mods=None, depth=2, display=True, custom_mapping=None):
        self.depth, self.display = depth, display

    def __enter__(self):
        raise NotImplementedError("torch.utils.flop_counter.FlopCounterMode: lucid does not count operations yet")

    def __exit__(self, *exc):
        return False


def register_flop_formula(targets, get_raw=False):
    """register_flop_formula(targets) -> decorator that gives back its function."""
    return lambda f: f
