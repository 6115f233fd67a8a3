"""What layers ask of lower floors: the ops by name, recording switched off, and type names for messages."""

from .._backend.registry import FUNCTIONS, NAMESPACES
from .._base.state import grad_enabled, set_grad_enabled
from .._tensor.tensor import Tensor


class _Ops:
    """`ops.lstm(...)`: the function that `torch.lstm` names (`ops.linalg_qr`: torch.linalg.qr), found at its first
    use."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        f = NAMESPACES["torch"].get(name) or FUNCTIONS.get(name)
        if f is None:
            home, _, inner = name.partition("_")
            f = NAMESPACES.get(home, {}).get(inner)
        if f is None:
            raise NotImplementedError(f"lucid has no function '{name}' yet")
        setattr(self, name, f)
        return f


ops = _Ops()


class no_recording:
    """with no_recording(): nothing enters the graph (a leaner no_grad for the layers' own use)."""

    __slots__ = ("before",)

    def __enter__(self):
        self.before = grad_enabled()
        set_grad_enabled(False)

    def __exit__(self, *exc):
        set_grad_enabled(self.before)


def typename(value):
    """torch's name of a value's type, as its messages show it: torch.FloatTensor, int, __main__.Net."""
    if isinstance(value, Tensor):
        return value.type()
    named = value if hasattr(value, "__qualname__") or hasattr(value, "__name__") else type(value)
    module = getattr(named, "__module__", "") or ""
    name = getattr(named, "__qualname__", None) or named.__name__
    if module in ("", "builtins"):
        return name
    return f"torch{module[5:]}.{name}" if module.partition(".")[0] == "lucid" else f"{module}.{name}"
