"""A numpy array while a program is read (arrays.py)."""

from .._array.numpy import calls as numpy_calls
from .exc import Break


class Array:
    """An array while a program is read, that ends the graph wherever Python would look at it.

    scalar: would numpy give a number and no array?
    """

    def __init__(self, tensor, scalar=False):
        self.tensor, self.scalar = tensor, scalar

    @property
    def __class__(self):
        if self.scalar:
            raise Break("the class of a numpy number")
        return numpy_calls.ndarray

    def sample(self):
        """An array of its type and shape, of zeros."""
        return sample_of(self.tensor)


def _breaking(name):
    def operate(self, *others):
        raise Break(f"{name} of a numpy array")

    return operate


_DUNDERS = """eq ne lt le gt ge hash bool len iter contains getitem setitem delitem float int index complex call format
    repr str array add radd sub rsub mul rmul truediv rtruediv matmul rmatmul pow rpow round""".split()
for _name in _DUNDERS:
    setattr(Array, f"__{_name}__", _breaking(f"__{_name}__"))


def sample_of(tensor):
    """An array of zeros, of a tensor's type and shape."""
    return numpy_calls.zeros(tensor.dtype.name, tuple(map(int, tensor.shape)))
