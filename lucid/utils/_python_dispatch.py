"""torch.utils._python_dispatch: modes and classes that see each ATen call."""

import contextlib

from .._backend import dispatch
from .._base.state import local
from .._tensor.tensor import Tensor


class TorchDispatchMode:
    """The base of modes: inside `with MyMode():` each ATen call goes to `__torch_dispatch__(func, types, args, kwargs)`.

    func: an OpOverload. While that runs the mode is off, so that func(*args) goes to the next mode, and in the end
    computes.
    """

    supports_higher_order_operators = False

    def __init__(self, _dispatch_key=None):
        self._dispatch_key = _dispatch_key

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        raise NotImplementedError

    def __enter__(self):
        dispatch.push(self)
        return self

    def __exit__(self, *exc):
        dispatch.pop()

    @classmethod
    def push(cls, *args, **kwargs):
        """push(): cls(*args), torch's old name."""
        return cls(*args, **kwargs)

    @classmethod
    def is_infra_mode(cls):
        return False


class BaseTorchDispatchMode(TorchDispatchMode):
    """A mode that does what would be done without it."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **kwargs or {})
