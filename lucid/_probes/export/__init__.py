"""torch.export: whole programs captured ahead of time, which lucid does not do yet."""


def _unsupported(name):
    def f(*args, **kwargs):
        raise NotImplementedError(f"torch.export.{name}: lucid does not capture programs yet")

    f.__name__, f.__doc__ = name, f"{name}(...): NotImplementedError."
    return f


export, load, save, register_dataclass, Dim, dims = (
    _unsupported(n) for n in ("export", "load", "save", "register_dataclass", "Dim", "dims")
)


class ExportedProgram:
    """The class of captured programs; there are none."""
