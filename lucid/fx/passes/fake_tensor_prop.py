"""What every value of a graph is like, found without computing numbers."""

from ..._tensor.tensor import Tensor
from ..interpreter import Interpreter
from ..node import map_aggregate

__all__ = ["FakeTensorProp"]


def _new_mode():
    from importlib import import_module  # another room's, which need not be there

    return import_module(f"{__name__.partition('.')[0]}._subclasses.fake_tensor").FakeTensorMode()


class FakeTensorProp(Interpreter):
    """FakeTensorProp(module, mode=None): propagate(*args) runs the module on fake tensors of the mode; node.meta["val"]
    is then what each node gave.
    """

    def __init__(self, module, mode=None):
        super().__init__(module)
        self._mode = _new_mode() if mode is None else mode

    def run_node(self, n):
        """run_node(n): what n gives, and a note of it in n.meta."""
        result = super().run_node(n)

        def noted(x):
            if isinstance(x, Tensor):
                return x.detach() if type(x) is not Tensor or not hasattr(self._mode, "from_tensor") else self._fake(x)
            return x if isinstance(x, (int, float, bool)) or getattr(x, "_is_symbolic_", False) else None

        meta = map_aggregate(result, noted)
        if meta is not None:
            n.meta["val"] = meta
        return result

    def _fake(self, x):
        return self._mode.from_tensor(x) if isinstance(x, Tensor) else x

    def propagate(self, *args):
        """propagate(*args): the result, fake; the arguments may be real."""
        return self.propagate_dont_convert_inputs(*[self._fake(a) for a in args])

    def propagate_dont_convert_inputs(self, *args):
        """The same for arguments that are fake already."""
        with self._mode:
            return super().run(*args)
