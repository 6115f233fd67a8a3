"""Types of tensors by their sizes, some of which may be unknown: TensorType((1, Dyn, 3))."""

__all__ = ["Dyn", "TensorType", "is_consistent", "is_more_precise"]


class TensorType:
    """TensorType(sizes), or TensorType[1, Dyn, 3]."""

    def __init__(self, dim):
        self.__origin__, self.__args__ = TensorType, dim

    @property
    def dims(self):
        """The sizes."""
        return self.__args__

    def __repr__(self):
        return f"TensorType[{self.dims}]"

    def __eq__(self, other):
        return isinstance(other, type(self)) and list(self.dims) == list(other.dims)

    @staticmethod
    def __class_getitem__(*sizes):
        return TensorType(tuple(sizes[0]) if len(sizes) == 1 and isinstance(sizes[0], tuple) else tuple(sizes))


class _DynType:
    """The type of which nothing is known."""

    def __init__(self):
        self.__name__ = "_DynType"

    def __eq__(self, other):
        return isinstance(other, type(self))

    def __repr__(self):
        return "Dyn"


Dyn = _DynType()


def is_consistent(t1, t2):
    """is_consistent(t1, t2) -> bool: may both be the type of one value? Dyn goes with everything."""
    if t1 == t2 or t1 == Dyn or t2 == Dyn:
        return True
    return _size_by_size(is_consistent, t1, t2)


def is_more_precise(t1, t2):
    """is_more_precise(t1, t2) -> bool: does t1 say all that t2 says?"""
    return t1 == t2 or isinstance(t2, _DynType) or _size_by_size(is_more_precise, t1, t2)


def _size_by_size(holds, t1, t2):
    if not (isinstance(t1, TensorType) and isinstance(t2, TensorType)) or len(t1.dims) != len(t2.dims):
        return False
    return all(holds(a, b) for a, b in zip(t1.dims, t2.dims))
