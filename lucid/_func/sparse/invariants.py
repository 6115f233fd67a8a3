"""torch.sparse.check_sparse_tensor_invariants, and torch.sparse.FloatTensor and its like."""

import functools

from ..._base.state import switches
from ..._tensor.tensor import Tensor
from ..methods.legacy_types import LEGACY_TYPES, LegacyType
from .construct import legacy_sparse


class check_sparse_tensor_invariants:
    """Are the parts of new sparse tensors looked at? A switch, a context manager and a decorator.

    check_sparse_tensor_invariants.enable(), .disable() and .is_enabled(); `with check_sparse_tensor_invariants(True):`
    """

    @staticmethod
    def is_enabled():
        """is_enabled() -> bool"""
        return switches.sparse_invariants

    @staticmethod
    def enable():
        """enable() -> None: indices and sizes of sparse tensors are checked from now on, unless their maker says no."""
        switches.sparse_invariants = True

    @staticmethod
    def disable():
        """disable() -> None"""
        switches.sparse_invariants = False

    def __init__(self, enable=True):
        self.state, self.saved_state = enable, None

    def __enter__(self):
        if self.saved_state is not None:
            raise RuntimeError(
                "This context manager instance is already activated. Use a different context manager instance for "
                "context nesting."
            )
        self.saved_state = switches.sparse_invariants
        switches.sparse_invariants = self.state

    def __exit__(self, type, value, traceback):
        assert self.saved_state is not None
        switches.sparse_invariants, self.saved_state = self.saved_state, None

    def __call__(self, mth):
        @functools.wraps(mth)
        def test_mth(*args, **kwargs):
            with type(self)(self.state):
                return mth(*args, **kwargs)

        return test_mth


class SparseType(LegacyType):
    """The metaclass of torch.sparse.FloatTensor and its like: isinstance asks for layout and element type."""

    def __instancecheck__(cls, instance):
        return isinstance(instance, Tensor) and instance.is_sparse and instance.dtype is cls.dtype


def _legacy(name, dtype):
    def __new__(cls, *args, device=None):
        return legacy_sparse(args, dtype)

    doc = f"torch's old constructor of sparse COO tensors of {dtype}: {name}(indices, values, size)."
    return SparseType(name, (), {"dtype": dtype, "__new__": __new__, "__module__": "torch.sparse", "__doc__": doc})


SPARSE_TYPES = {name: _legacy(name, kind.dtype) for name, kind in LEGACY_TYPES.items() if name not in ("BoolTensor",)}

__all__ = ["SPARSE_TYPES", "check_sparse_tensor_invariants"]
