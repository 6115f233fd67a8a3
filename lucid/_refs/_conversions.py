"""torch._refs._conversions: tensors in other types, as functions."""

from .._backend.registry import NAMESPACES
from .._tensor.tensor import Tensor


def _to(name):
    def f(self, memory_format=None):
        method = getattr(self, name)
        return method() if memory_format is None else method(memory_format=memory_format)

    f.__name__ = f.__qualname__ = name
    f.__doc__ = f"{name}(tensor) -> Tensor: tensor.{name}()"
    return f


_TYPES = "bfloat16 bool byte cdouble cfloat chalf char double float half int long short"
for _name in _TYPES.split():
    globals()[_name] = _to(_name)
complex, polar = NAMESPACES["torch"]["complex"], NAMESPACES["torch"]["polar"]
__all__ = ["Tensor", "complex", "polar"]
