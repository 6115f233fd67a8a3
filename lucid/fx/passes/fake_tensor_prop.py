"""What every value of a graph is like, found without computing numbers."""

import importlib

from ..._modes.fake import fake_of, faking, is_fake
from ..._tensor.tensor import Tensor
from ...nn.utils.stateless import _functional_call as functional_call
from ..interpreter import Interpreter
from ..node import map_aggregate

__all__ = ["FakeTensorProp"]


class _Faking(faking):
    """Tensors without numbers, where there is no FakeTensorMode."""

    def from_tensor(self, t):
        """A fake like t; one that is fake stays as it is."""
        return t if is_fake(t) else fake_of(t)


def _new_mode():
    try:  # a higher room's, by torch's name, which need not be there
        found = importlib.import_module(f"{__name__.partition('.')[0]}._subclasses.fake_tensor")
    except ModuleNotFoundError:
        return _Faking()
    return found.FakeTensorMode()


class FakeTensorProp(Interpreter):
    """FakeTensorProp(module, mode=None): propagate(*args) runs the module on fake tensors of the mode; node.meta["val"]
    is then what each node gave.
    """

    def __init__(self, module, mode=None):
        super().__init__(module)
        self._mode = _new_mode() if mode is None else mode

    def get_attr(self, target, args, kwargs):
        """A member, fake."""
        found = super().get_attr(target, args, kwargs)
        return self._fake(found) if isinstance(found, Tensor) else found

    def call_module(self, target, args, kwargs):
        """A submodule's result, whose parameters are fake while it runs."""
        inside = self.fetch_attr(target)
        if not isinstance(self._mode, _Faking):
            return inside(*args, **kwargs)
        members = {name: fake_of(t) for name, t in (*inside.named_parameters(), *inside.named_buffers())}
        return functional_call(inside, members, args, kwargs)

    def run_node(self, n):
        """run_node(n): what n gives, and a note of it in n.meta."""
        result = super().run_node(n)

        def noted(x):
            if isinstance(x, Tensor):
                return self._fake(x).detach()
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
