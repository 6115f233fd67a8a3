"""The arrays of vmap: many members in one array, seen as one of them."""

import operator

from .._array.table import TransformArray
from .._base.shape import Size


class Batched(TransformArray):
    """An array of arrays: `value` has the members along axis 0 (`has_batch`), or is the same for all of them."""

    __slots__ = ("value", "has_batch", "__weakref__")

    def __init__(self, value, has_batch):
        self.value, self.has_batch = value, has_batch

    def reshape(self, *shape):
        shape = tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else shape
        return Batched(self.value.reshape((self.value.shape[0], *shape) if self.has_batch else shape), self.has_batch)

    under = property(lambda self: self.value)
    shape = property(lambda self: tuple(self.value.shape[1:]) if self.has_batch else tuple(self.value.shape))
    ndim = property(lambda self: self.value.ndim - self.has_batch)
    dtype = property(lambda self: self.value.dtype)
    strides = property(lambda self: self.value.strides[self.has_batch :])

    @property
    def size(self):
        return Size(self.shape).numel()

    def __bool__(self):
        if self.has_batch:
            raise RuntimeError(DATA_DEPENDENT)
        return bool(self.value)

    @property
    def plain(self):
        """What a write into a tensor from outside would keep: only a value that is the same for all members."""
        if self.has_batch:
            raise RuntimeError(INPLACE)
        return self.value

    def __repr__(self):
        return f"Batched({self.value!r}, {self.has_batch})"


INPLACE = (
    "vmap: inplace arithmetic(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args "
    "that has more elements than `self`. This happened due to `other` being vmapped over but `self` not being vmapped "
    "over in a vmap. Please try to use out-of-place operators instead of inplace arithmetic. If said operator is being "
    "called inside the PyTorch framework, please file a bug report instead."
)
DATA_DEPENDENT = (
    "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't support that "
    "yet, please file an issue at https://github.com/pytorch/pytorch/issues ."
)
ITEM = (
    "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a Tensor, "
    "please try to rewrite what you're doing with other operations. If error is occurring somewhere inside PyTorch "
    "internals, please file a bug report."
)


def _operators():
    def infix(apply):
        def forward(self, other):
            a, b, batch = line_up([self, other])
            return Batched(apply(a, b), batch)

        def reflected(self, other):
            b, a, batch = line_up([self, other])
            return Batched(apply(a, b), batch)

        return forward, reflected

    def prefix(apply):
        return lambda self: Batched(apply(self.value), self.has_batch)

    for name in "add sub mul truediv floordiv mod pow and or xor matmul lshift rshift".split():
        apply = getattr(operator, name + "_" if name in ("and", "or") else name)
        f, r = infix(apply)
        setattr(Batched, f"__{name}__", f)
        setattr(Batched, f"__r{name}__", r)
    for name in "lt le gt ge eq ne".split():
        setattr(Batched, f"__{name}__", infix(getattr(operator, name))[0])
    for name in "neg pos invert abs".split():
        setattr(Batched, f"__{name}__", prefix(getattr(operator, name)))
    Batched.__hash__ = object.__hash__


def line_up(arrays):
    """(*inner arrays that broadcast like the members do, does any have a batch)."""
    ndim = max([a.ndim for a in arrays if isinstance(a, Batched)], default=0)
    lined, batch = [], False
    for a in arrays:
        if isinstance(a, Batched):
            v = a.value
            if a.has_batch:
                batch = True
                if a.ndim < ndim:
                    v = v.reshape((v.shape[0],) + (1,) * (ndim - a.ndim) + tuple(v.shape[1:]))
            lined.append(v)
        else:
            lined.append(a)
    return (*lined, batch)


_operators()
