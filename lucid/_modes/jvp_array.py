"""The arrays of jvp: dual numbers, a value and its tangent in one."""

from .._array.table import TransformArray


class Dual(TransformArray):
    """primal + epsilon * tangent; tangent None means zero. `words` is a table of its level (of any element type)."""

    __slots__ = ("primal", "tangent", "words", "__weakref__")

    def __init__(self, primal, tangent, words):
        self.primal, self.tangent, self.words = primal, tangent, words

    def reshape(self, *shape):
        tangent = None if self.tangent is None else self.tangent.reshape(*shape)
        return Dual(self.primal.reshape(*shape), tangent, self.words)

    under = property(lambda self: self.primal)

    @property
    def plain(self):
        """What a write into a tensor from outside would keep."""
        if self.tangent is not None:
            raise RuntimeError(CAPTURED)
        return self.primal

    def takes_in(self, tensor):
        frame = self.words.frame
        if frame.is_function or self.tangent is None or tensor._table.is_transform:
            return False
        frame.take_in(tensor)
        return True

    shape = property(lambda self: tuple(self.primal.shape))
    ndim = property(lambda self: self.primal.ndim)
    size = property(lambda self: self.primal.size)
    dtype = property(lambda self: self.primal.dtype)
    strides = property(lambda self: self.primal.strides)

    __hash__ = object.__hash__

    def __bool__(self):
        return bool(self.primal)

    def __repr__(self):
        return f"Dual({self.primal!r}, {self.tangent!r})"


CAPTURED = (
    "During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call in-place operation that "
    "would mutate a captured Tensor. This is not supported; please rewrite the function being transformed to "
    "explicitly accept the mutated Tensor(s) as inputs."
)


def primal(x):
    """x without its tangent."""
    return x.primal if isinstance(x, Dual) else x


def primals(x):
    """The same for everything in lists and tuples."""
    if isinstance(x, Dual):
        return x.primal
    return type(x)([primals(v) for v in x]) if isinstance(x, (list, tuple)) else x


def leaves(args):
    """What is in lists and tuples, one after the other."""
    for a in args:
        if isinstance(a, (list, tuple)):
            yield from leaves(a)
        else:
            yield a


def moves(x):
    """Does it have a tangent?"""
    return isinstance(x, Dual) and x.tangent is not None
