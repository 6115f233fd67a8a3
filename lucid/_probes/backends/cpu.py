"""torch.backends.cpu: what the processor can do."""


def get_cpu_capability():
    """get_cpu_capability() -> "DEFAULT", lucid has no kernels that depend on it."""
    return "DEFAULT"
