"""The value: a Tensor is an array, the kernel table that serves it, and its place in the graph.

Four slots are all that a plain result needs: `_array`, `_table` (of kernels, one per device and element type), `_node`
of the graph (None: no gradient wanted) and `_extra`, whatever else it has (see storage.Extra). Ops add their methods
when they are declared (`_backend.core`); what belongs to the graph is added by `_backend.graph`.

Written by scripts/stubs: change the functions, or the types in scripts/stub_types.py.
"""

from builtins import bool as _bool
from builtins import float as _float
from builtins import int as _int
from builtins import type as _type
from collections.abc import Callable, Iterator, Sequence
from types import EllipsisType
from typing import Any, Literal, NoReturn, Self, SupportsIndex, overload

from numpy import ndarray

from .. import return_types
from .._base.device import device as _device
from .._base.dtype import dtype as _dtype
from .._base.shape import Size
from .._func.creation.generator import Generator
from .._serial.typed import TypedStorage
from .._serial.untyped import UntypedStorage
from ..autograd.graph import Node
from ..types import Number
from ..utils.hooks import RemovableHandle

_LEAVES_GRAPH: str
_mkldnn: _layout
channels_last: memory_format
channels_last_3d: memory_format
contiguous_format: memory_format
jagged: _layout
preserve_format: memory_format
sparse_bsc: _layout
sparse_bsr: _layout
sparse_coo: _layout
sparse_csc: _layout
sparse_csr: _layout
strided: _layout

class Tensor:
    """A multi-dimensional array of one element type that knows how it was computed."""

    @property
    def H(self) -> Tensor:
        """A matrix transposed and conjugated."""
    @property
    def T(self) -> Tensor:
        """The dimensions in reverse order."""
    def __abs__(self) -> Tensor: ...
    def __add__(self, other: Tensor | Number | complex) -> Tensor: ...
    def __and__(self, other: Tensor | Number | complex) -> Tensor: ...
    def __array__(self, dtype: Any = None, copy: _bool | None = None) -> ndarray[Any, Any]: ...
    __array_priority__: _int
    def __array_wrap__(self, array: ndarray, context: Any = None, return_scalar: _bool = False) -> Tensor: ...
    def __bool__(self) -> _bool: ...
    def __complex__(self) -> complex: ...
    def __contains__(self, element: Tensor | Number | complex) -> _bool: ...
    @property
    def __cuda_array_interface__(self) -> Any: ...
    def __deepcopy__(self, memo: Any) -> Tensor: ...
    def __delitem__(self, index: Tensor) -> None:
        """__delitem__(index) -> None: TypeError, since elements cannot be taken away."""
    def __dir__(self) -> list[str]: ...
    def __div__(self, other: Tensor | Number | complex) -> Tensor: ...
    def __dlpack__(
        self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: _bool | None = None
    ) -> object: ...
    def __dlpack_device__(self) -> tuple[_int, _int]: ...
    def __eq__(self, other: object) -> Tensor: ...  # type: ignore[override]
    def __float__(self) -> _float: ...
    def __floordiv__(self, other: Tensor | Number | complex) -> Tensor:
        """floor_divide(input, other) -> Tensor: the quotient, rounded down; no gradient.

        RuntimeError for an integer divided by 0.
        """
    def __format__(self, spec: str) -> str:
        """A plain 0-dim tensor formats as its number."""
    def __ge__(self, other: Tensor | Number | complex) -> Tensor: ...
    def __getitem__(
        self, index: SupportsIndex | slice | Tensor | ndarray[Any, Any] | Sequence[Any] | EllipsisType | None
    ) -> Tensor:
        """x[index]: a view for integers, slices, None and ...; a copy when tensors, lists or masks pick elements."""
    def __gt__(self, other: Tensor | Number | complex) -> Tensor: ...
    def __hash__(self) -> _int: ...
    def __iadd__(self, other: Tensor | Number | complex) -> Self:
        """In-place form of add."""
    def __iand__(self, other: Tensor | Number | complex) -> Self:
        """In-place form of bitwise_and."""
    def __idiv__(self, other: Tensor | Number | complex) -> Self:
        """In-place form of div."""
    def __ifloordiv__(self, other: Tensor | Number | complex) -> Self:
        """floor_divide(input, other) -> Tensor: the quotient, rounded down; no gradient.

        RuntimeError for an integer divided by 0.
        """
    def __ilshift__(self, other: Tensor | Number | complex) -> Self:
        """In-place form of bitwise_left_shift."""
    def __imod__(self, other: Tensor | Number | complex) -> Self:
        """remainder(input, other) -> Tensor: what floor_divide leaves; it has other's sign.

        RuntimeError for an integer divided by 0.
        """
    def __imul__(self, other: Tensor | Number | complex) -> Self:
        """In-place form of mul."""
    def __index__(self) -> _int: ...
    def __init__(self, *args: Any, device: _device | str | _int | None = None) -> None: ...
    def __int__(self) -> _int: ...
    def __invert__(self) -> Tensor:
        """~self"""
    def __ior__(self, other: Tensor | Number | complex) -> Self:
        """In-place form of bitwise_or."""
    def __ipow__(self, other: Tensor | Number | complex) -> Self:
        """self **= exponent"""
    def __irshift__(self, other: Tensor | Number | complex) -> Self:
        """In-place form of bitwise_right_shift."""
    def __isub__(self, other: Tensor | Number | complex) -> Self:
        """In-place form of sub."""
    def __iter__(self) -> Iterator[Tensor]: ...
    def __itruediv__(self, other: Tensor | Number | complex) -> Self:
        """In-place form of div."""
    def __ixor__(self, other: Tensor | Number | complex) -> Self:
        """In-place form of bitwise_xor."""
    def __le__(self, other: Tensor | Number | complex) -> Tensor: ...
    def __len__(self) -> _int: ...
    def __lshift__(self, other: Tensor | Number | complex) -> Tensor: ...
    def __lt__(self, other: Tensor | Number | complex) -> Tensor: ...
    def __matmul__(self, other: Tensor) -> Tensor: ...
    def __mod__(self, other: Tensor | Number | complex) -> Tensor:
        """remainder(input, other) -> Tensor: what floor_divide leaves; it has other's sign.

        RuntimeError for an integer divided by 0.
        """
    def __mul__(self, other: Tensor | Number | complex) -> Tensor: ...
    def __ne__(self, other: object) -> Tensor: ...  # type: ignore[override]
    def __neg__(self) -> Tensor: ...
    def __new__(cls, *args: Any, device: _device | str | _int | None = None) -> Self: ...
    def __or__(self, other: Tensor | Number | complex) -> Tensor: ...
    def __pos__(self) -> Tensor:
        """positive(input) -> input itself. RuntimeError for bools."""
    def __pow__(self, other: Tensor | Number | complex) -> Tensor:
        """self ** exponent"""
    def __radd__(self, other: Tensor | Number | complex) -> Tensor: ...
    def __rand__(self, other: Tensor | Number | complex) -> Tensor: ...
    def __rdiv__(self, other: Tensor | Number | complex) -> Tensor:
        """other / self: torch's reciprocal(self) * other"""
    def __reduce_ex__(self, proto: Any) -> tuple[Any, ...]: ...
    def __repr__(self, *, tensor_contents: Any = None) -> str: ...
    def __reversed__(self) -> Tensor:
        """reversed(tensor) -> Tensor: turned round along its first dimension."""
    def __rfloordiv__(self, other: Tensor | Number | complex) -> Tensor: ...
    def __rlshift__(self, other: Tensor | Number | complex) -> Tensor: ...
    def __rmatmul__(self, other: Tensor) -> Tensor: ...
    def __rmod__(self, other: Tensor | Number | complex) -> Tensor: ...
    def __rmul__(self, other: Tensor | Number | complex) -> Tensor: ...
    def __ror__(self, other: Tensor | Number | complex) -> Tensor: ...
    def __rpow__(self, other: Tensor | Number | complex) -> Tensor:
        """other ** self"""
    def __rrshift__(self, other: Tensor | Number | complex) -> Tensor: ...
    def __rshift__(self, other: Tensor | Number | complex) -> Tensor: ...
    def __rsub__(self, other: Tensor | Number | complex) -> Tensor:
        """other - self"""
    def __rtruediv__(self, other: Tensor | Number | complex) -> Tensor:
        """other / self: torch's reciprocal(self) * other"""
    def __rxor__(self, other: Tensor | Number | complex) -> Tensor: ...
    def __setitem__(
        self,
        index: SupportsIndex | slice | Tensor | ndarray[Any, Any] | Sequence[Any] | EllipsisType | None,
        value: Tensor | Number | complex,
    ) -> None:
        """x[index] = value: written through the view, or at the elements, that the index names; value broadcasts."""
    def __setstate__(self, state: Any) -> None:
        """Legacy pickles: (storage, offset, size, stride), or (data, ..., hooks, requires_grad) of a Variable."""
    def __sub__(self, other: Tensor | Number | complex) -> Tensor: ...
    @classmethod
    def __torch_dispatch__(
        cls, func: Callable[..., Any], types: Sequence[_type], args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        """A Tensor's own __torch_dispatch__: none."""
    @classmethod
    def __torch_function__(
        cls, func: Callable[..., Any], types: Sequence[_type], args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        """What a subclass does with `func`: run it as for plain tensors, and give the results the subclass."""
    def __truediv__(self, other: Tensor | Number | complex) -> Tensor: ...
    def __xor__(self, other: Tensor | Number | complex) -> Tensor: ...
    _array: Any
    @property
    def _base(self) -> Tensor | None: ...
    @property
    def _cdata(self) -> _int:
        """An int that no other living tensor has."""
    @classmethod
    def _default_torch_function(
        cls, func: Callable[..., Any], types: Sequence[_type], args: Sequence[Any], kwargs: Any
    ) -> Any:
        """Run func as for plain tensors and give its results the subclass."""
    def _dimI(self) -> _int:
        """sparse_dim() -> int: how many dimensions are sparse (0 of a strided tensor)."""
    def _dimV(self) -> _int:
        """dense_dim() -> int: how many dimensions are dense."""
    _extra: Any
    @staticmethod
    def _from_numpy(ndarray: ndarray) -> Tensor:
        """from_numpy(ndarray) -> Tensor that shares the array's memory."""
    @property
    def _grad(self) -> Tensor | None:
        """The gradient accumulated so far."""
    @_grad.setter
    def _grad(self, value: Tensor | None) -> None: ...
    def _indices(self) -> Tensor:
        """_indices() -> Tensor (sparse dims, nnz): the places of a COO tensor as they are."""
    def _is_view(self) -> _bool: ...
    @staticmethod
    def _make_subclass(cls: _type, data: Tensor, require_grad: _bool = False) -> Any:
        """Tensor._make_subclass(cls, data): data's memory as an instance of cls, outside the graph."""
    def _neg_view(self) -> Tensor:
        """_neg_view(input) -> Tensor: the same memory, negated when it is read."""
    def _nnz(self) -> _int:
        """_nnz() -> int: how many places a sparse tensor names (in each member of a batch)."""
    _node: Any
    def _running_average_(self, latest: Tensor, momentum: _float) -> Self:
        """In-place form of _running_average."""
    _table: Any
    def _typed_storage(self) -> TypedStorage:
        """_typed_storage() -> TypedStorage: the memory this tensor reads, in its elements."""
    def _values(self) -> Tensor:
        """_values() -> Tensor (nnz, *dense): the values of a COO tensor as they are, outside the graph."""
    @property
    def _version(self) -> _int: ...
    def abs(self) -> Tensor:
        """abs(input) -> Tensor: the absolute value (of complex input: a real tensor). Its gradient at 0 is 0."""
    def abs_(self) -> Self:
        """In-place form of abs."""
    def absolute(self) -> Tensor:
        """abs(input) -> Tensor: the absolute value (of complex input: a real tensor). Its gradient at 0 is 0."""
    def absolute_(self) -> Self:
        """In-place form of abs."""
    def acos(self) -> Tensor:
        """acos(input) -> Tensor: the angle, in radians, whose cosine is input."""
    def acos_(self) -> Self:
        """In-place form of acos."""
    def acosh(self) -> Tensor:
        """acosh(input) -> Tensor: the number whose hyperbolic cosine is input."""
    def acosh_(self) -> Self:
        """In-place form of acosh."""
    def add(self, other: Tensor | Number | complex, *, alpha: Number | complex = 1) -> Tensor:
        """add(input, other, *, alpha=1) -> Tensor: input + alpha * other."""
    def add_(self, other: Tensor | Number | complex, *, alpha: Number | complex = 1) -> Self:
        """In-place form of add."""
    def addbmm(
        self, batch1: Tensor, batch2: Tensor, *, beta: Number | complex = 1, alpha: Number | complex = 1
    ) -> Tensor:
        """addbmm(input, batch1, batch2, *, beta=1, alpha=1) -> Tensor:
        beta * input + alpha * the sum over the batch of products.
        """
    def addbmm_(
        self, batch1: Tensor, batch2: Tensor, *, beta: Number | complex = 1, alpha: Number | complex = 1
    ) -> Self:
        """In-place form of addbmm."""
    def addcdiv(self, tensor1: Tensor, tensor2: Tensor, *, value: Number | complex = 1) -> Tensor:
        """addcdiv(input, tensor1, tensor2, *, value=1) -> Tensor: input + value * tensor1 / tensor2; not of integers."""
    def addcdiv_(self, tensor1: Tensor, tensor2: Tensor, *, value: Number | complex = 1) -> Self:
        """In-place form of addcdiv."""
    def addcmul(self, tensor1: Tensor, tensor2: Tensor, *, value: Number | complex = 1) -> Tensor:
        """addcmul(input, tensor1, tensor2, *, value=1) -> Tensor: input + value * tensor1 * tensor2."""
    def addcmul_(self, tensor1: Tensor, tensor2: Tensor, *, value: Number | complex = 1) -> Self:
        """In-place form of addcmul."""
    def addmm(self, mat1: Tensor, mat2: Tensor, *, beta: Number | complex = 1, alpha: Number | complex = 1) -> Tensor:
        """addmm(input, mat1, mat2, *, beta=1, alpha=1) -> Tensor: beta * input + alpha * (mat1 @ mat2)."""
    def addmm_(self, mat1: Tensor, mat2: Tensor, *, beta: Number | complex = 1, alpha: Number | complex = 1) -> Self:
        """In-place form of addmm."""
    def addmv(self, mat: Tensor, vec: Tensor, *, beta: Number | complex = 1, alpha: Number | complex = 1) -> Tensor:
        """addmv(input, mat, vec, *, beta=1, alpha=1) -> Tensor: beta * input + alpha * (mat @ vec)."""
    def addmv_(self, mat: Tensor, vec: Tensor, *, beta: Number | complex = 1, alpha: Number | complex = 1) -> Self:
        """In-place form of addmv."""
    def addr(self, vec1: Tensor, vec2: Tensor, *, beta: Number | complex = 1, alpha: Number | complex = 1) -> Tensor:
        """addr(input, vec1, vec2, *, beta=1, alpha=1) -> Tensor:
        beta * input + alpha * the outer product of two vectors.
        """
    def addr_(self, vec1: Tensor, vec2: Tensor, *, beta: Number | complex = 1, alpha: Number | complex = 1) -> Self:
        """In-place form of addr."""
    def adjoint(self) -> Tensor:
        """adjoint(input) -> Tensor: matrices transposed and conjugated."""
    def all(
        self,
        dim: _int | Sequence[_int] | None = None,
        keepdim: _bool = False,
        *,
        axis: _int | Sequence[_int] | None = None,
        keepdims: _bool | None = None,
    ) -> Tensor:
        """all(input, dim=None, keepdim=False) -> bool Tensor (uint8 for uint8): are all elements non-zero?"""
    def allclose(self, other: Tensor, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False) -> _bool:
        """allclose(input, other, ...) -> bool: is isclose true everywhere?"""
    def amax(
        self,
        dim: _int | Sequence[_int] = (),
        keepdim: _bool = False,
        *,
        axis: _int | Sequence[_int] | None = None,
        keepdims: _bool | None = None,
    ) -> Tensor:
        """amax(input, dim=(), keepdim=False) -> Tensor: the largest over dim; a NaN wins; ties share the gradient."""
    def amin(
        self,
        dim: _int | Sequence[_int] = (),
        keepdim: _bool = False,
        *,
        axis: _int | Sequence[_int] | None = None,
        keepdims: _bool | None = None,
    ) -> Tensor:
        """amin(input, dim=(), keepdim=False) -> Tensor: the smallest over dim; a NaN wins; ties share the gradient."""
    def aminmax(self, *, dim: _int | None = None, keepdim: _bool = False) -> return_types.aminmax:
        """aminmax(input, *, dim=None, keepdim=False) -> (min, max): both extrema, of all or along one dimension."""
    def angle(self) -> Tensor:
        """angle(input) -> Tensor: the argument of a complex number, in radians; 0 or pi for a real one, NaN for NaN."""
    def any(
        self,
        dim: _int | Sequence[_int] | None = None,
        keepdim: _bool = False,
        *,
        axis: _int | Sequence[_int] | None = None,
        keepdims: _bool | None = None,
    ) -> Tensor:
        """any(input, dim=None, keepdim=False) -> bool Tensor (uint8 for uint8): is some element non-zero?"""
    def apply_(self, callable: Callable[..., Any]) -> Self:
        """apply_(callable) -> self, each element replaced by callable(element); slow, CPU only."""
    def arccos(self) -> Tensor:
        """acos(input) -> Tensor: the angle, in radians, whose cosine is input."""
    def arccos_(self) -> Self:
        """In-place form of acos."""
    def arccosh(self) -> Tensor:
        """acosh(input) -> Tensor: the number whose hyperbolic cosine is input."""
    def arccosh_(self) -> Self:
        """In-place form of acosh."""
    def arcsin(self) -> Tensor:
        """asin(input) -> Tensor: the angle, in radians, whose sine is input."""
    def arcsin_(self) -> Self:
        """In-place form of asin."""
    def arcsinh(self) -> Tensor:
        """asinh(input) -> Tensor: the number whose hyperbolic sine is input."""
    def arcsinh_(self) -> Self:
        """In-place form of asinh."""
    def arctan(self) -> Tensor:
        """atan(input) -> Tensor: the angle, in radians, whose tangent is input."""
    def arctan2(self, other: Tensor) -> Tensor:
        """atan2(input, other) -> Tensor: the angle, in radians, of the point (other, input), in (-pi, pi]."""
    def arctan2_(self, other: Tensor) -> Self:
        """In-place form of atan2."""
    def arctan_(self) -> Self:
        """In-place form of atan."""
    def arctanh(self) -> Tensor:
        """atanh(input) -> Tensor: the number whose hyperbolic tangent is input."""
    def arctanh_(self) -> Self:
        """In-place form of atanh."""
    def argmax(
        self,
        dim: _int | None = None,
        keepdim: _bool = False,
        *,
        axis: _int | None = None,
        keepdims: _bool | None = None,
    ) -> Tensor:
        """argmax(input, dim=None, keepdim=False) -> int64 Tensor: where the largest is (the first of equals; NaN wins)."""
    def argmin(
        self,
        dim: _int | None = None,
        keepdim: _bool = False,
        *,
        axis: _int | None = None,
        keepdims: _bool | None = None,
    ) -> Tensor:
        """argmin(input, dim=None, keepdim=False) -> int64 Tensor: where the smallest is (the first of equals; NaN wins)."""
    def argsort(self, dim: _int = -1, descending: _bool = False, stable: _bool = False) -> Tensor:
        """argsort(input, dim=-1, descending=False, stable=False) -> int64 Tensor: the indices that sort input along dim."""
    def argwhere(self) -> Tensor:
        """argwhere(input) -> (n, ndim) int64 Tensor: the coordinates of elements that are not zero."""
    def as_strided(self, size: Sequence[_int], stride: Sequence[_int], storage_offset: _int | None = None) -> Tensor:
        """as_strided(input, size, stride, storage_offset=None) -> Tensor: a view of input's storage with these strides."""
    def as_strided_(self, size: Sequence[_int], stride: Sequence[_int], storage_offset: _int | None = None) -> Self:
        """as_strided_(size, stride, storage_offset=None) -> self, now reading its storage with these strides."""
    def as_strided_scatter(
        self, src: Tensor, size: Sequence[_int], stride: Sequence[_int], storage_offset: _int | None = None
    ) -> Tensor:
        """as_strided_scatter(input, src, size, stride, storage_offset=None) -> Tensor:
        a copy whose as_strided part is src.
        """
    def as_subclass(self, cls: _type) -> Any:
        """t's memory and graph in an instance of cls."""
    def asin(self) -> Tensor:
        """asin(input) -> Tensor: the angle, in radians, whose sine is input."""
    def asin_(self) -> Self:
        """In-place form of asin."""
    def asinh(self) -> Tensor:
        """asinh(input) -> Tensor: the number whose hyperbolic sine is input."""
    def asinh_(self) -> Self:
        """In-place form of asinh."""
    def atan(self) -> Tensor:
        """atan(input) -> Tensor: the angle, in radians, whose tangent is input."""
    def atan2(self, other: Tensor) -> Tensor:
        """atan2(input, other) -> Tensor: the angle, in radians, of the point (other, input), in (-pi, pi]."""
    def atan2_(self, other: Tensor) -> Self:
        """In-place form of atan2."""
    def atan_(self) -> Self:
        """In-place form of atan."""
    def atanh(self) -> Tensor:
        """atanh(input) -> Tensor: the number whose hyperbolic tangent is input."""
    def atanh_(self) -> Self:
        """In-place form of atanh."""
    def backward(
        self,
        gradient: Tensor | None = None,
        retain_graph: _bool | None = None,
        create_graph: _bool = False,
        inputs: Tensor | Sequence[Tensor] | None = None,
    ) -> None:
        """backward(gradient=None): add the gradients of self to the leaves' .grad."""
    def baddbmm(
        self, batch1: Tensor, batch2: Tensor, *, beta: Number | complex = 1, alpha: Number | complex = 1
    ) -> Tensor:
        """baddbmm(input, batch1, batch2, *, beta=1, alpha=1) -> Tensor:
        beta * input + alpha * (batch1 @ batch2), batches of matrices.
        """
    def baddbmm_(
        self, batch1: Tensor, batch2: Tensor, *, beta: Number | complex = 1, alpha: Number | complex = 1
    ) -> Self:
        """In-place form of baddbmm."""
    def bernoulli(self, p: _float | None = None, *, generator: Generator | None = None) -> Tensor:
        """bernoulli(input, *, generator=None, out=None) -> Tensor of zeros and ones, 1 with the probability that input
        gives.

        bernoulli(input, p) -> Tensor like input, 1 with probability p everywhere.
        """
    def bernoulli_(self, p: Tensor | _float = 0.5, *, generator: Generator | None = None) -> Self:
        """bernoulli_(p=0.5, *, generator=None) -> self, each element 1 with probability p (a number, or a tensor that
        broadcasts to self), else 0; real types.
        """
    def bfloat16(self, memory_format: memory_format = ...) -> Tensor:
        """bfloat16() -> Tensor of type torch.bfloat16."""
    def bincount(self, weights: Tensor | None = None, minlength: _int = 0) -> Tensor:
        """bincount(input, weights=None, minlength=0) -> Tensor:
        how often each of 0, 1, 2 ... occurs, or its total weight.
        """
    def bitwise_and(self, other: Tensor | Number | complex) -> Tensor:
        """bitwise_and(input, other) -> Tensor: the bits that both have. Integers and bools only."""
    def bitwise_and_(self, other: Tensor | Number | complex) -> Self:
        """In-place form of bitwise_and."""
    def bitwise_left_shift(self, other: Tensor | Number | complex) -> Tensor:
        """bitwise_left_shift(input, other) -> Tensor: input * 2**other in the type's bits; 0 for a shift out of range."""
    def bitwise_left_shift_(self, other: Tensor | Number | complex) -> Self:
        """In-place form of bitwise_left_shift."""
    def bitwise_not(self) -> Tensor:
        """bitwise_not(input) -> Tensor: every bit flipped (logical not for bools). Integers and bools only."""
    def bitwise_not_(self) -> Self:
        """In-place form of bitwise_not."""
    def bitwise_or(self, other: Tensor | Number | complex) -> Tensor:
        """bitwise_or(input, other) -> Tensor: the bits that either has. Integers and bools only."""
    def bitwise_or_(self, other: Tensor | Number | complex) -> Self:
        """In-place form of bitwise_or."""
    def bitwise_right_shift(self, other: Tensor | Number | complex) -> Tensor:
        """bitwise_right_shift(input, other) -> Tensor: input / 2**other rounded down; one out of range leaves the sign."""
    def bitwise_right_shift_(self, other: Tensor | Number | complex) -> Self:
        """In-place form of bitwise_right_shift."""
    def bitwise_xor(self, other: Tensor | Number | complex) -> Tensor:
        """bitwise_xor(input, other) -> Tensor: the bits that exactly one has. Integers and bools only."""
    def bitwise_xor_(self, other: Tensor | Number | complex) -> Self:
        """In-place form of bitwise_xor."""
    def bmm(self, mat2: Tensor) -> Tensor:
        """bmm(input, mat2) -> Tensor: products of matrices in a batch, (b, n, m) @ (b, m, p) -> (b, n, p)."""
    def bool(self, memory_format: memory_format = ...) -> Tensor:
        """bool() -> Tensor of type torch.bool."""
    def broadcast_to(self, size: Sequence[_int]) -> Tensor:
        """broadcast_to(input, size) -> Tensor: expand(size)."""
    def byte(self, memory_format: memory_format = ...) -> Tensor:
        """byte() -> Tensor of type torch.uint8."""
    def cauchy_(self, median: _float = 0, sigma: _float = 1, *, generator: Generator | None = None) -> Self:
        """cauchy_(median=0, sigma=1, *, generator=None) -> self, filled with Cauchy numbers; floating types."""
    def ccol_indices(self) -> Tensor:
        """ccol_indices() -> Tensor: of a sparse column compressed tensor."""
    def cdouble(self, memory_format: memory_format = ...) -> Tensor:
        """cdouble() -> Tensor of type torch.complex128."""
    def ceil(self) -> Tensor:
        """ceil(input) -> Tensor: the smallest integer that is not smaller."""
    def ceil_(self) -> Self:
        """In-place form of ceil."""
    def cfloat(self, memory_format: memory_format = ...) -> Tensor:
        """cfloat() -> Tensor of type torch.complex64."""
    def chalf(self, memory_format: memory_format = ...) -> Tensor:
        """chalf() -> Tensor of type torch.complex32."""
    def char(self, memory_format: memory_format = ...) -> Tensor:
        """char() -> Tensor of type torch.int8."""
    def cholesky(self, upper: _bool = False) -> Tensor:
        """cholesky(input, upper=False) -> Tensor: the older name of linalg.cholesky."""
    def cholesky_inverse(self, upper: _bool = False) -> Tensor:
        """cholesky_inverse(L, upper=False) -> Tensor: the inverse of A = L L^H (upper: L^H L)."""
    def cholesky_solve(self, L: Tensor, upper: _bool = False) -> Tensor:
        """cholesky_solve(B, L, upper=False) -> Tensor: X with A X = B, where A = L L^H (upper: L^H L)."""
    def chunk(self, chunks: _int, dim: _int = 0) -> tuple[Tensor, ...]:
        """chunk(input, chunks, dim=0) -> tuple of at most `chunks` views, all of one size but the last."""
    def clamp(
        self, min: Tensor | Number | complex | None = None, max: Tensor | Number | complex | None = None
    ) -> Tensor:
        """clamp(input, min=None, max=None) -> Tensor: limited to [min, max]; bounds are numbers or tensors, None for none.

        Where min > max the result is max. RuntimeError without any bound.
        """
    def clamp_(
        self, min: Tensor | Number | complex | None = None, max: Tensor | Number | complex | None = None
    ) -> Self:
        """In-place form of clamp."""
    def clamp_max(self, max: Tensor | Number | complex) -> Tensor:
        """clamp_max(input, max) -> Tensor: input, but nothing above max (a number or a tensor)."""
    def clamp_max_(self, max: Tensor | Number | complex) -> Self:
        """In-place form of clamp_max."""
    def clamp_min(self, min: Tensor | Number | complex) -> Tensor:
        """clamp_min(input, min) -> Tensor: input, but nothing below min (a number or a tensor)."""
    def clamp_min_(self, min: Tensor | Number | complex) -> Self:
        """In-place form of clamp_min."""
    def clip(
        self, min: Tensor | Number | complex | None = None, max: Tensor | Number | complex | None = None
    ) -> Tensor:
        """clamp(input, min=None, max=None) -> Tensor: limited to [min, max]; bounds are numbers or tensors, None for none.

        Where min > max the result is max. RuntimeError without any bound.
        """
    def clip_(self, min: Tensor | Number | complex | None = None, max: Tensor | Number | complex | None = None) -> Self:
        """In-place form of clamp."""
    def clone(self, *, memory_format: memory_format = ...) -> Tensor:
        """clone(input, *, memory_format=preserve_format) -> Tensor: a copy, part of the graph."""
    def coalesce(self) -> Tensor:
        """coalesce() -> Tensor, sparse with each place named once, in order; self where it is so already."""
    def col_indices(self) -> Tensor:
        """col_indices() -> Tensor: of a sparse row compressed tensor."""
    def conj(self) -> Tensor:
        """conj(input) -> Tensor: the complex conjugate, a view (`is_conj`); a real tensor itself."""
    def conj_physical(self) -> Tensor:
        """conj_physical(input) -> Tensor: the complex conjugate in memory of its own; a real tensor itself."""
    def conj_physical_(self) -> Self:
        """In-place form of conj_physical."""
    def const_data_ptr(self) -> _int:
        """data_ptr() -> int: the address of the first element."""
    def contiguous(self, memory_format: memory_format = ...) -> Tensor:
        """contiguous() -> Tensor: self when it is dense and row-major, else such a copy."""
    def copy_(self, src: Tensor, non_blocking: _bool = False) -> Self:
        """copy_(src, non_blocking=False) -> self, its elements overwritten by src's (broadcast, cast, from any device)."""
    def copysign(self, other: Tensor | Number | complex) -> Tensor:
        """copysign(input, other) -> Tensor: the size of input with the sign of other; the gradient at 0 is 0."""
    def copysign_(self, other: Tensor | Number | complex) -> Self:
        """copysign(input, other) -> Tensor: the size of input with the sign of other; the gradient at 0 is 0."""
    def corrcoef(self) -> Tensor:
        """corrcoef(input) -> Tensor: correlation coefficients of the rows, (n, n), each in [-1, 1]."""
    def cos(self) -> Tensor:
        """cos(input) -> Tensor: the cosine of angles in radians."""
    def cos_(self) -> Self:
        """In-place form of cos."""
    def cosh(self) -> Tensor:
        """cosh(input) -> Tensor: the hyperbolic cosine."""
    def cosh_(self) -> Self:
        """In-place form of cosh."""
    def count_nonzero(
        self, dim: _int | Sequence[_int] | None = None, *, axis: _int | Sequence[_int] | None = None
    ) -> Tensor:
        """count_nonzero(input, dim=None) -> int64 Tensor: how many elements are not zero."""
    def cov(self, *, correction: Number = 1, fweights: Tensor | None = None, aweights: Tensor | None = None) -> Tensor:
        """cov(input, *, correction=1, fweights=None, aweights=None) -> Tensor: covariances of the rows (variables), (n, n).

        fweights: how often each column counts (integers); aweights: its weight (floating).
        """
    def cpu(self, memory_format: memory_format = ...) -> Tensor:
        """cpu() -> Tensor on the CPU."""
    def cross(self, other: Tensor, dim: _int | None = None) -> Tensor:
        """cross(input, other, dim) -> Tensor: the cross product along dim (None: the first dimension of size 3)."""
    def crow_indices(self) -> Tensor:
        """crow_indices() -> Tensor: of a sparse row compressed tensor."""
    def cuda(
        self,
        device: _device | str | _int | None = None,
        non_blocking: _bool = False,
        memory_format: memory_format = ...,
    ) -> Tensor:
        """cuda() -> torch's error: lucid computes on cpu and mlx."""
    def cummax(self, dim: _int, *, axis: _int | None = None) -> return_types.cummax:
        """cummax(input, dim) -> (values, indices): the largest so far and where it was last found; a NaN stays."""
    def cummin(self, dim: _int, *, axis: _int | None = None) -> return_types.cummin:
        """cummin(input, dim) -> (values, indices): the smallest so far and where it was last found; a NaN stays."""
    def cumprod(self, dim: _int, *, dtype: _dtype | None = None, axis: _int | None = None) -> Tensor:
        """cumprod(input, dim, *, dtype=None) -> Tensor: the products of the elements so far; integers multiply in int64."""
    def cumprod_(self, dim: _int, *, dtype: _dtype | None = None) -> Self:
        """In-place form of cumprod."""
    def cumsum(self, dim: _int, *, dtype: _dtype | None = None, axis: _int | None = None) -> Tensor:
        """cumsum(input, dim, *, dtype=None) -> Tensor: the sums of the elements so far; integers add up in int64."""
    def cumsum_(self, dim: _int, *, dtype: _dtype | None = None) -> Self:
        """In-place form of cumsum."""
    @property
    def data(self) -> Tensor:
        """The same memory outside the graph; writes through it are not noticed by autograd."""
    @data.setter
    def data(self, value: Tensor) -> None: ...
    def data_ptr(self) -> _int:
        """data_ptr() -> int: the address of the first element."""
    def deg2rad(self) -> Tensor:
        """deg2rad(input) -> Tensor: degrees as radians."""
    def deg2rad_(self) -> Self:
        """In-place form of deg2rad."""
    def dense_dim(self) -> _int:
        """dense_dim() -> int: how many dimensions are dense."""
    def dequantize(self) -> Tensor:
        """dequantize() -> Tensor: self as float32."""
    def det(self) -> Tensor:
        """det(input) -> Tensor: linalg.det(input)."""
    def detach(self) -> Tensor:
        """detach(input) -> Tensor: the same memory outside the graph."""
    def detach_(self) -> Self:
        """detach_() -> self, cut out of its graph."""
    @property
    def device(self) -> _device:
        """Where the elements are."""
    def diag(self, diagonal: _int = 0) -> Tensor:
        """diag(input, diagonal=0) -> Tensor: a matrix's diagonal as a vector, or a matrix with a vector on its diagonal."""
    def diag_embed(self, offset: _int = 0, dim1: _int = -2, dim2: _int = -1) -> Tensor:
        """diag_embed(input, offset=0, dim1=-2, dim2=-1) -> Tensor:
        input's last dimension as the diagonal of new matrices.
        """
    def diagflat(self, offset: _int = 0) -> Tensor:
        """diagflat(input, offset=0) -> 2-D Tensor with input's elements on its diagonal."""
    def diagonal(self, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor:
        """diagonal(input, offset=0, dim1=0, dim2=1) -> Tensor:
        the elements i, i + offset of two dimensions, as the last one.
        """
    def diagonal_scatter(self, src: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor:
        """diagonal_scatter(input, src, offset=0, dim1=0, dim2=1) -> Tensor: a copy with src as its diagonal."""
    def diff(self, n: _int = 1, dim: _int = -1, prepend: Tensor | None = None, append: Tensor | None = None) -> Tensor:
        """diff(input, n=1, dim=-1, prepend=None, append=None) -> Tensor:
        each element minus the one before, n times over.
        """
    def digamma(self) -> Tensor:
        """digamma(input) -> Tensor: the derivative of lgamma."""
    def digamma_(self) -> Self:
        """In-place form of digamma."""
    def dim(self) -> _int:
        """dim() -> int: the number of dimensions."""
    def dim_order(self, *, ambiguity_check: _bool = False) -> tuple[_int, ...]:
        """dim_order() -> tuple: the dimensions from the outermost to the innermost in memory."""
    def dist(self, other: Tensor, p: _float = 2) -> Tensor:
        """dist(input, other, p=2) -> 0-dim Tensor: the p-norm of input - other."""
    def div(
        self, other: Tensor | Number | complex, *, rounding_mode: Literal["floor", "trunc"] | None = None
    ) -> Tensor:
        """div(input, other, *, rounding_mode=None) -> Tensor: the quotient; of integers it is floating point.

        rounding_mode "trunc" rounds it towards 0, "floor" down; the type is then the operands'. RuntimeError for an integer
        divided by 0 with a rounding mode.
        """
    def div_(self, other: Tensor | Number | complex, *, rounding_mode: Literal["floor", "trunc"] | None = None) -> Self:
        """In-place form of div."""
    def divide(
        self, other: Tensor | Number | complex, *, rounding_mode: Literal["floor", "trunc"] | None = None
    ) -> Tensor:
        """div(input, other, *, rounding_mode=None) -> Tensor: the quotient; of integers it is floating point.

        rounding_mode "trunc" rounds it towards 0, "floor" down; the type is then the operands'. RuntimeError for an integer
        divided by 0 with a rounding mode.
        """
    def divide_(
        self, other: Tensor | Number | complex, *, rounding_mode: Literal["floor", "trunc"] | None = None
    ) -> Self:
        """In-place form of div."""
    def dot(self, tensor: Tensor) -> Tensor:
        """dot(input, tensor) -> 0-dim Tensor: the sum of products of two vectors."""
    def double(self, memory_format: memory_format = ...) -> Tensor:
        """double() -> Tensor of type torch.float64."""
    @overload
    def dsplit(self, indices_or_sections: _int | Sequence[_int] | Tensor) -> tuple[Tensor, ...]:
        """dsplit(input, indices_or_sections) -> tuple of views, cut along one dimension (see tensor_split)."""
    @overload
    def dsplit(self, *indices: _int) -> tuple[Tensor, ...]: ...
    @property
    def dtype(self) -> _dtype:
        """The element type."""
    def eig(self, *args: Any, **kwargs: Any) -> NoReturn:
        """eig(): removed from torch, whose RuntimeError this is."""
    def element_size(self) -> _int:
        """element_size() -> int: bytes of one element."""
    def eq(self, other: Tensor | Number | complex) -> Tensor:
        """eq(input, other) -> bool Tensor: input == other."""
    def eq_(self, other: Tensor | Number | complex) -> Self:
        """In-place form of eq."""
    def equal(self, other: Tensor) -> _bool:
        """equal(input, other) -> bool: have they the same shape and the same elements?"""
    def erf(self) -> Tensor:
        """erf(input) -> Tensor: the error function, 2 / sqrt(pi) times the integral of exp(-t**2) from 0 to input."""
    def erf_(self) -> Self:
        """In-place form of erf."""
    def erfc(self) -> Tensor:
        """erfc(input) -> Tensor: 1 - erf(input), exact where erf is near 1."""
    def erfc_(self) -> Self:
        """In-place form of erfc."""
    def erfinv(self) -> Tensor:
        """erfinv(input) -> Tensor: the number whose error function is input, in (-1, 1)."""
    def erfinv_(self) -> Self:
        """In-place form of erfinv."""
    def exp(self) -> Tensor:
        """exp(input) -> Tensor: e to the power of each element."""
    def exp2(self) -> Tensor:
        """exp2(input) -> Tensor: 2 to the power of each element."""
    def exp2_(self) -> Self:
        """In-place form of exp2."""
    def exp_(self) -> Self:
        """In-place form of exp."""
    @overload
    def expand(self, *size: _int, implicit: _bool = False) -> Tensor:
        """expand(*sizes) -> Tensor: dimensions of size 1 repeated without a copy (-1: as it is); new ones in front."""
    @overload
    def expand(self, size: Sequence[_int], *, implicit: _bool = False) -> Tensor: ...
    def expand_as(self, other: Tensor) -> Tensor:
        """expand_as(other) -> Tensor: expand(other.size())."""
    def expm1(self) -> Tensor:
        """expm1(input) -> Tensor: exp(input) - 1, exact near 0."""
    def expm1_(self) -> Self:
        """In-place form of expm1."""
    def exponential_(self, lambd: _float = 1, *, generator: Generator | None = None) -> Self:
        """exponential_(lambd=1, *, generator=None) -> self, filled with exponential numbers of that rate; floating
        types.
        """
    def fill(self, value: Tensor | Number | complex) -> Tensor:
        """fill with a 0-dim tensor."""
    def fill_(self, value: Tensor | Number | complex) -> Self:
        """fill_(value) -> self, every element value (a number or a 0-dim tensor)."""
    def fill_diagonal_(self, fill_value: Number | complex, wrap: _bool = False) -> Self:
        """fill_diagonal_(fill_value, wrap=False) -> self with that number on its main diagonal.

        With more than two dimensions all must be equally long (RuntimeError). wrap: in a matrix with more rows than columns
        the diagonal begins anew one row below its end.
        """
    def fix(self) -> Tensor:
        """trunc(input) -> Tensor: the integer part, towards 0."""
    def fix_(self) -> Self:
        """In-place form of trunc."""
    def flatten(self, start_dim: _int = 0, end_dim: _int = -1) -> Tensor:
        """flatten(input, start_dim=0, end_dim=-1) -> Tensor: dimensions start_dim to end_dim become one."""
    @overload
    def flip(self, *dims: _int) -> Tensor:
        """flip(input, dims) -> Tensor: the order of elements turned round along each of dims."""
    @overload
    def flip(self, dims: Sequence[_int]) -> Tensor: ...
    def fliplr(self) -> Tensor:
        """fliplr(input) -> Tensor: columns in reverse order."""
    def flipud(self) -> Tensor:
        """flipud(input) -> Tensor: rows in reverse order."""
    def float(self, memory_format: memory_format = ...) -> Tensor:
        """float() -> Tensor of type torch.float32."""
    def float_power(self, exponent: Tensor | Number | complex) -> Tensor:
        """float_power(input, exponent) -> float64 (or complex128) Tensor: pow in double precision."""
    def float_power_(self, exponent: Tensor | Number | complex) -> Self:
        """In-place form of float_power: self must be float64 (or complex128)."""
    def floor(self) -> Tensor:
        """floor(input) -> Tensor: the largest integer that is not larger."""
    def floor_(self) -> Self:
        """In-place form of floor."""
    def floor_divide(self, other: Tensor | Number | complex) -> Tensor:
        """floor_divide(input, other) -> Tensor: the quotient, rounded down; no gradient.

        RuntimeError for an integer divided by 0.
        """
    def floor_divide_(self, other: Tensor | Number | complex) -> Self:
        """floor_divide(input, other) -> Tensor: the quotient, rounded down; no gradient.

        RuntimeError for an integer divided by 0.
        """
    def fmax(self, other: Tensor) -> Tensor:
        """fmax(input, other) -> Tensor: the greater of two elements; a number beats NaN."""
    def fmax_(self, other: Tensor) -> Self:
        """In-place form of fmax."""
    def fmin(self, other: Tensor) -> Tensor:
        """fmin(input, other) -> Tensor: the less of two elements; a number beats NaN."""
    def fmin_(self, other: Tensor) -> Self:
        """In-place form of fmin."""
    def fmod(self, other: Tensor | Number | complex) -> Tensor:
        """fmod(input, other) -> Tensor: what a division rounded to 0 leaves; it has input's sign.

        RuntimeError for an integer divided by 0.
        """
    def fmod_(self, other: Tensor | Number | complex) -> Self:
        """fmod(input, other) -> Tensor: what a division rounded to 0 leaves; it has input's sign.

        RuntimeError for an integer divided by 0.
        """
    def frac(self) -> Tensor:
        """frac(input) -> Tensor: what trunc leaves, with input's sign."""
    def frac_(self) -> Self:
        """In-place form of frac."""
    def frexp(self) -> return_types.frexp:
        """frexp(input) -> (mantissa, exponent): input = mantissa * 2**exponent, 0.5 <= |mantissa| < 1, exponent int32."""
    def gather(self, dim: _int, index: Tensor, *, sparse_grad: _bool = False) -> Tensor:
        """gather(input, dim, index) -> Tensor of index's shape: out[i][j] = input[index[i][j]][j] for dim 0, and so on."""
    def gcd(self, other: Tensor) -> Tensor:
        """gcd(input, other) -> Tensor: the greatest common divisor. Integers only."""
    def gcd_(self, other: Tensor) -> Self:
        """In-place form of gcd."""
    def ge(self, other: Tensor | Number | complex) -> Tensor:
        """ge(input, other) -> bool Tensor: input >= other."""
    def ge_(self, other: Tensor | Number | complex) -> Self:
        """In-place form of ge."""
    def geometric_(self, p: _float, *, generator: Generator | None = None) -> Self:
        """geometric_(p, *, generator=None) -> self, filled with numbers of trials up to a success of probability p."""
    def geqrf(self) -> return_types.geqrf:
        """geqrf(input) -> (a, tau): QR as LAPACK keeps it, reflectors below the diagonal."""
    def ger(self, vec2: Tensor) -> Tensor:
        """outer(input, vec2) -> Tensor: the products of all pairs, (n,) and (m,) -> (n, m)."""
    def get_device(self) -> _int:
        """get_device() -> int: the device's index, -1 for the CPU."""
    @property
    def grad(self) -> Tensor | None:
        """The gradient accumulated so far."""
    @grad.setter
    def grad(self, value: Tensor | None) -> None: ...
    @property
    def grad_dtype(self) -> _dtype | None:
        """The type its gradient has."""
    @property
    def grad_fn(self) -> Node | None:
        """The node that made it; None for a leaf."""
    def greater(self, other: Tensor | Number | complex) -> Tensor:
        """gt(input, other) -> bool Tensor: input > other."""
    def greater_(self, other: Tensor | Number | complex) -> Self:
        """In-place form of gt."""
    def greater_equal(self, other: Tensor | Number | complex) -> Tensor:
        """ge(input, other) -> bool Tensor: input >= other."""
    def greater_equal_(self, other: Tensor | Number | complex) -> Self:
        """In-place form of ge."""
    def gt(self, other: Tensor | Number | complex) -> Tensor:
        """gt(input, other) -> bool Tensor: input > other."""
    def gt_(self, other: Tensor | Number | complex) -> Self:
        """In-place form of gt."""
    def half(self, memory_format: memory_format = ...) -> Tensor:
        """half() -> Tensor of type torch.float16."""
    def hardshrink(self, lambd: Number = 0.5) -> Tensor:
        """hardshrink(input, lambd=0.5) -> Tensor: 0 within [-lambd, lambd], input outside."""
    def hash_tensor(
        self, dim: _int | Sequence[_int] | None = None, *, keepdim: _bool = False, mode: _int = 0
    ) -> Tensor:
        """hash_tensor(input, dim=(), *, keepdim=False, mode=0) -> Tensor of uint64: the exclusive or of the elements' bits.

        Floats count as float64, integers as int64. No gradients.
        """
    def heaviside(self, values: Tensor) -> Tensor:
        """heaviside(input, values) -> Tensor: 0 below 0, values at 0, 1 above. Operands must have one type."""
    def heaviside_(self, values: Tensor) -> Self:
        """In-place form of heaviside."""
    def histc(self, bins: _int = 100, min: Number = 0, max: Number = 0) -> Tensor:
        """histc(input, bins=100, min=0, max=0) -> Tensor:
        counts in equal bins from min to max (both 0: the data's range).
        """
    @overload
    def histogram(self, bins: Tensor, *, weight: Tensor | None = None, density: _bool = False) -> tuple[Tensor, Tensor]:
        """histogram(input, bins=100, *, range=None, weight=None, density=False) -> (hist, bin_edges), without gradients.

        bins: how many equal ones there are, between the bounds of range (the extremes of input without it), or a tensor of
        their edges. density: divided so that the integral is 1.
        """
    @overload
    def histogram(
        self,
        bins: _int = 100,
        *,
        range: Sequence[_float] | None = None,
        weight: Tensor | None = None,
        density: _bool = False,
    ) -> tuple[Tensor, Tensor]: ...
    @overload
    def hsplit(self, indices_or_sections: _int | Sequence[_int] | Tensor) -> tuple[Tensor, ...]:
        """hsplit(input, indices_or_sections) -> tuple of views, cut along one dimension (see tensor_split)."""
    @overload
    def hsplit(self, *indices: _int) -> tuple[Tensor, ...]: ...
    def hspmm(self, mat2: Tensor) -> Tensor:
        """hspmm(mat1, mat2) -> Tensor, sparse: the product of a COO and a dense matrix, whose rows that are not empty are
        dense.
        """
    def hypot(self, other: Tensor) -> Tensor:
        """hypot(input, other) -> Tensor: sqrt(input**2 + other**2) without overflow on the way."""
    def hypot_(self, other: Tensor) -> Self:
        """In-place form of hypot."""
    def i0(self) -> Tensor:
        """i0(input) -> Tensor: the modified Bessel function of the first kind of order 0."""
    def i0_(self) -> Self:
        """In-place form of i0."""
    def igamma(self, other: Tensor) -> Tensor:
        """igamma(input, other) -> Tensor: the regularized lower incomplete gamma function P(input, other)."""
    def igamma_(self, other: Tensor) -> Self:
        """In-place form of igamma."""
    def igammac(self, other: Tensor) -> Tensor:
        """igammac(input, other) -> Tensor: the regularized upper incomplete gamma function Q(input, other)."""
    def igammac_(self, other: Tensor) -> Self:
        """In-place form of igammac."""
    @property
    def imag(self) -> Tensor:
        """The imaginary parts, a view."""
    @imag.setter
    def imag(self, value: Tensor) -> None: ...
    def index(self, *args: Any, **kwargs: Any) -> NoReturn:
        """index(positions, dims): NotImplementedError, lucid has no first-class dimensions."""
    def index_add(self, dim: _int, index: Tensor, source: Tensor, *, alpha: Number | complex = 1) -> Tensor:
        """index_add(input, dim, index, source, alpha=1) -> Tensor:
        input plus alpha times source's slices at index along dim.
        """
    def index_add_(self, dim: _int, index: Tensor, source: Tensor, *, alpha: Number | complex = 1) -> Self:
        """index_add_(dim, index, source, alpha=1) -> self plus alpha times source's slices at index along dim."""
    def index_add_op_(self, index: Tensor, source: Tensor, dim: _int, *, alpha: Number | complex = 1) -> Self:
        """In-place form of index_add_op."""
    def index_copy(self, dim: _int, index: Tensor, source: Tensor) -> Tensor:
        """index_copy(input, dim, index, source) -> Tensor: input with source's slices at index along dim."""
    def index_copy_(self, dim: _int, index: Tensor, source: Tensor) -> Self:
        """index_copy_(dim, index, source) -> self with source's slices at index along dim."""
    def index_copy_op_(self, index: Tensor, source: Tensor, dim: _int) -> Self:
        """In-place form of index_copy_op."""
    def index_fill(self, dim: _int, index: Tensor, value: Tensor | Number | complex) -> Tensor:
        """index_fill(input, dim, index, value) -> Tensor:
        input with value (a number or 0-dim tensor) in the slices index names.
        """
    def index_fill_(self, dim: _int, index: Tensor, value: Tensor | Number | complex) -> Self:
        """index_fill_(dim, index, value) -> self with value in the slices of dim that index names."""
    def index_fill_number_(self, index: Tensor, dim: _int, value: Tensor | Number | complex) -> Self:
        """In-place form of index_fill_number."""
    def index_fill_tensor_(self, index: Tensor, value: Tensor | Number | complex, dim: _int) -> Self:
        """In-place form of index_fill_tensor."""
    def index_put(self, indices: Sequence[Tensor | None], values: Tensor, accumulate: _bool = False) -> Tensor:
        """index_put(input, indices, values, accumulate=False) -> Tensor:
        a copy with values at the places the index tensors name.
        """
    def index_put_(self, indices: Sequence[Tensor | None], values: Tensor, accumulate: _bool = False) -> Self:
        """index_put_(indices, values, accumulate=False) -> self with values at the places the index tensors name."""
    def index_reduce(
        self, dim: _int, index: Tensor, source: Tensor, reduce: str, *, include_self: _bool = True
    ) -> Tensor:
        """index_reduce(input, dim, index, source, reduce, include_self=True) -> Tensor:
        source's slices reduced into index's places.
        """
    def index_reduce_(
        self, dim: _int, index: Tensor, source: Tensor, reduce: str, *, include_self: _bool = True
    ) -> Self:
        """index_reduce_(dim, index, source, reduce, include_self=True) -> self after index_reduce."""
    def index_reduce_op_(
        self, index: Tensor, source: Tensor, dim: _int, reduce: str, *, include_self: _bool = True
    ) -> Self:
        """In-place form of index_reduce_op."""
    def index_select(self, dim: _int, index: Tensor) -> Tensor:
        """index_select(input, dim, index) -> Tensor: the slices of dim that the index vector names."""
    def indices(self) -> Tensor:
        """indices() -> Tensor (sparse dims, nnz) of int64: the places of a coalesced COO tensor."""
    def inner(self, other: Tensor) -> Tensor:
        """inner(input, other) -> Tensor: products summed over the last dimensions."""
    def int(self, memory_format: memory_format = ...) -> Tensor:
        """int() -> Tensor of type torch.int32."""
    def int_repr(self, *args: Any, **kwargs: Any) -> NoReturn:
        """int_repr(): NotImplementedError, lucid has no quantized tensors."""
    def inverse(self) -> Tensor:
        """inverse(input) -> Tensor: linalg.inv(input)."""
    def ipu(self, *args: Any, **kwargs: Any) -> NoReturn:
        """ipu(): AssertionError, lucid computes on cpu and mlx."""
    def is_coalesced(self) -> _bool:
        """is_coalesced() -> bool: is each place of a COO tensor named once, in order?"""
    def is_complex(self) -> _bool:
        """is_complex() -> bool"""
    def is_conj(self) -> _bool:
        """is_conj() -> bool: is it a view that is conjugated when it is read?"""
    def is_contiguous(self, memory_format: memory_format = ...) -> _bool:
        """is_contiguous(memory_format=contiguous_format) -> bool: dense in the given order of dimensions?"""
    @property
    def is_cpu(self) -> _bool: ...
    @property
    def is_cuda(self) -> _bool: ...
    def is_distributed(self) -> _bool:
        """is_distributed() -> bool: always False."""
    def is_floating_point(self) -> _bool:
        """is_floating_point() -> bool"""
    @property
    def is_hpu(self) -> _bool: ...
    def is_inference(self) -> _bool:
        """is_inference() -> bool: was it made under inference_mode?"""
    @property
    def is_ipu(self) -> _bool: ...
    @property
    def is_leaf(self) -> _bool:
        """Is it no result of a recorded op?"""
    @property
    def is_maia(self) -> _bool: ...
    @property
    def is_meta(self) -> _bool: ...
    @property
    def is_mkldnn(self) -> _bool: ...
    @property
    def is_mps(self) -> _bool: ...
    @property
    def is_mtia(self) -> _bool: ...
    def is_neg(self) -> _bool:
        """is_neg() -> bool: is it a view that is negated when it is read?"""
    @property
    def is_nested(self) -> _bool: ...
    def is_non_overlapping_and_dense(self) -> _bool:
        """is_non_overlapping_and_dense() -> bool: are no gaps between its elements, and none of them twice?"""
    def is_nonzero(self) -> _bool:
        """is_nonzero(input) -> bool: is the only element other than 0? RuntimeError unless there is exactly one."""
    def is_pinned(self) -> _bool:
        """is_distributed() -> bool: always False."""
    @property
    def is_quantized(self) -> _bool: ...
    def is_same_size(self, other: Tensor) -> _bool:
        """is_same_size(input, other) -> bool: have they one shape?"""
    def is_set_to(self, tensor: Tensor) -> _bool:
        """is_set_to(tensor) -> bool: the same memory read in the same way?"""
    def is_shared(self) -> _bool: ...
    def is_signed(self) -> _bool:
        """is_signed() -> bool"""
    @property
    def is_sparse(self) -> _bool: ...
    @property
    def is_sparse_csr(self) -> _bool: ...
    @property
    def is_vulkan(self) -> _bool: ...
    @property
    def is_xla(self) -> _bool: ...
    @property
    def is_xpu(self) -> _bool: ...
    def isclose(self, other: Tensor, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False) -> Tensor:
        """isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False) -> bool Tensor:
        is |input - other| at most atol + rtol * |other|?
        """
    def isfinite(self) -> Tensor:
        """isfinite(input) -> bool Tensor: is it neither NaN nor an infinity?"""
    def isinf(self) -> Tensor:
        """isinf(input) -> bool Tensor: is it an infinity?"""
    def isnan(self) -> Tensor:
        """isnan(input) -> bool Tensor: is it NaN?"""
    def isneginf(self) -> Tensor:
        """isneginf(input) -> bool Tensor: is it -infinity?"""
    def isposinf(self) -> Tensor:
        """isposinf(input) -> bool Tensor: is it +infinity?"""
    def isreal(self) -> Tensor:
        """isreal(input) -> bool Tensor: is the imaginary part 0?"""
    def istft(
        self,
        n_fft: _int,
        hop_length: _int | None = None,
        win_length: _int | None = None,
        window: Tensor | None = None,
        center: _bool = True,
        normalized: _bool = False,
        onesided: _bool | None = None,
        length: _int | None = None,
        return_complex: _bool = False,
    ) -> Tensor:
        """istft(input, n_fft, hop_length=n_fft // 4, win_length=n_fft, window=ones, center=True, ...) -> Tensor

        The inverse of stft by least squares: (batch, frequencies, frames) -> (batch, time) real signals (complex ones if
        return_complex). length: of the result, cut off or filled with zeros. RuntimeError where the windows leave a gap.
        """
    def item(self) -> Number:
        """item() -> number: the only element as a Python number."""
    @property
    def itemsize(self) -> _int:
        """The bytes of one element."""
    def kron(self, other: Tensor) -> Tensor:
        """kron(input, other) -> Tensor: the Kronecker product, each element of input times all of other."""
    def kthvalue(
        self,
        k: _int,
        dim: _int = -1,
        keepdim: _bool = False,
        *,
        axis: _int | None = None,
        keepdims: _bool | None = None,
    ) -> return_types.kthvalue:
        """kthvalue(input, k, dim=-1, keepdim=False) -> (values, indices): the k-th smallest along dim, counted from 1."""
    @property
    def layout(self) -> _layout:
        """How the elements are laid out: strided, sparse_coo ..."""
    def lcm(self, other: Tensor) -> Tensor:
        """lcm(input, other) -> Tensor: the least common multiple. Integers only."""
    def lcm_(self, other: Tensor) -> Self:
        """In-place form of lcm."""
    def ldexp(self, other: Tensor) -> Tensor:
        """ldexp(input, other) -> Tensor: input * 2**other."""
    def ldexp_(self, other: Tensor) -> Self:
        """In-place form of ldexp."""
    def le(self, other: Tensor | Number | complex) -> Tensor:
        """le(input, other) -> bool Tensor: input <= other."""
    def le_(self, other: Tensor | Number | complex) -> Self:
        """In-place form of le."""
    def lerp(self, end: Tensor, weight: Tensor | Number | complex) -> Tensor:
        """lerp(input, end, weight) -> Tensor: input + weight * (end - input); weight is a number or a tensor."""
    def lerp_(self, end: Tensor, weight: Tensor | Number | complex) -> Self:
        """In-place form of lerp."""
    def less(self, other: Tensor | Number | complex) -> Tensor:
        """lt(input, other) -> bool Tensor: input < other."""
    def less_(self, other: Tensor | Number | complex) -> Self:
        """In-place form of lt."""
    def less_equal(self, other: Tensor | Number | complex) -> Tensor:
        """le(input, other) -> bool Tensor: input <= other."""
    def less_equal_(self, other: Tensor | Number | complex) -> Self:
        """In-place form of le."""
    def lgamma(self) -> Tensor:
        """lgamma(input) -> Tensor: the logarithm of the absolute value of the gamma function."""
    def lgamma_(self) -> Self:
        """In-place form of lgamma."""
    def log(self) -> Tensor:
        """log(input) -> Tensor: the natural logarithm."""
    def log10(self) -> Tensor:
        """log10(input) -> Tensor: the logarithm to base 10."""
    def log10_(self) -> Self:
        """In-place form of log10."""
    def log1p(self) -> Tensor:
        """log1p(input) -> Tensor: log(1 + input), exact near 0."""
    def log1p_(self) -> Self:
        """In-place form of log1p."""
    def log2(self) -> Tensor:
        """log2(input) -> Tensor: the logarithm to base 2."""
    def log2_(self) -> Self:
        """In-place form of log2."""
    def log_(self) -> Self:
        """In-place form of log."""
    def log_normal_(self, mean: _float = 1, std: _float = 2, *, generator: Generator | None = None) -> Self:
        """log_normal_(mean=1, std=2, *, generator=None) -> self, filled with exp of normal numbers; floating types."""
    def log_softmax(self, dim: _int, dtype: _dtype | None = None) -> Tensor:
        """log_softmax(input, dim, dtype=None) -> Tensor: log(softmax) without overflow."""
    def logaddexp(self, other: Tensor) -> Tensor:
        """logaddexp(input, other) -> Tensor: log(exp(input) + exp(other)) without overflow on the way."""
    def logaddexp2(self, other: Tensor) -> Tensor:
        """logaddexp2(input, other) -> Tensor: log2(2**input + 2**other) without overflow on the way."""
    def logaddexp2_(self, other: Tensor) -> Self:
        """In-place form of logaddexp2."""
    def logaddexp_(self, other: Tensor) -> Self:
        """In-place form of logaddexp."""
    def logcumsumexp(self, dim: _int, *, axis: _int | None = None) -> Tensor:
        """logcumsumexp(input, dim) -> Tensor: log(cumsum(exp(input))) that does not overflow."""
    def logdet(self) -> Tensor:
        """logdet(input) -> Tensor: the logarithm of the determinant; NaN where that is negative."""
    def logical_and(self, other: Tensor) -> Tensor:
        """logical_and(input, other) -> bool Tensor: are both other than zero?"""
    def logical_and_(self, other: Tensor) -> Self:
        """In-place form of logical_and."""
    def logical_not(self) -> Tensor:
        """logical_not(input) -> bool Tensor: is it zero?"""
    def logical_not_(self) -> Self:
        """In-place form of logical_not."""
    def logical_or(self, other: Tensor) -> Tensor:
        """logical_or(input, other) -> bool Tensor: is either other than zero?"""
    def logical_or_(self, other: Tensor) -> Self:
        """In-place form of logical_or."""
    def logical_xor(self, other: Tensor) -> Tensor:
        """logical_xor(input, other) -> bool Tensor: is exactly one other than zero?"""
    def logical_xor_(self, other: Tensor) -> Self:
        """In-place form of logical_xor."""
    def logit(self, eps: _float | None = None) -> Tensor:
        """logit(input, eps=None) -> Tensor: log(x / (1 - x)); eps limits x to [eps, 1 - eps] first."""
    def logit_(self, eps: _float | None = None) -> Self:
        """In-place form of logit."""
    def logsumexp(
        self,
        dim: _int | Sequence[_int],
        keepdim: _bool = False,
        *,
        axis: _int | Sequence[_int] | None = None,
        keepdims: _bool | None = None,
    ) -> Tensor:
        """logsumexp(input, dim, keepdim=False) -> Tensor:
        log(sum(exp(input))) over dim, scaled so that it does not overflow.
        """
    def long(self, memory_format: memory_format = ...) -> Tensor:
        """long() -> Tensor of type torch.int64."""
    def lstsq(self, *args: Any, **kwargs: Any) -> NoReturn:
        """lstsq(): removed from torch, whose RuntimeError this is."""
    def lt(self, other: Tensor | Number | complex) -> Tensor:
        """lt(input, other) -> bool Tensor: input < other."""
    def lt_(self, other: Tensor | Number | complex) -> Self:
        """In-place form of lt."""
    @overload
    def lu(self, pivot: _bool = True, get_infos: Literal[False] = False) -> tuple[Tensor, Tensor]:
        """lu(A, pivot=True, get_infos=False) -> (LU, pivots) or (LU, pivots, infos): the older name of linalg.lu_factor."""
    @overload
    def lu(self, pivot: _bool, get_infos: Literal[True]) -> tuple[Tensor, Tensor, Tensor]: ...
    @overload
    def lu(self, pivot: _bool = True, *, get_infos: Literal[True]) -> tuple[Tensor, Tensor, Tensor]: ...
    def lu_solve(self, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
        """lu_solve(b, LU_data, LU_pivots) -> Tensor: the older name of linalg.lu_solve."""
    @property
    def mH(self) -> Tensor:
        """The last two dimensions swapped, the elements conjugated."""
    @property
    def mT(self) -> Tensor:
        """The last two dimensions swapped."""
    def map2_(self, x: Tensor, y: Tensor, callable: Callable[..., Any]) -> Self:
        """map2_(x, y, callable) -> self, each element replaced by callable(element, x's, y's)."""
    def map_(self, tensor: Tensor, callable: Callable[..., Any]) -> Self:
        """map_(tensor, callable) -> self, each element replaced by callable(element, tensor's element)."""
    def masked_fill(self, mask: Tensor, value: Tensor | Number | complex) -> Tensor:
        """masked_fill(input, mask, value) -> Tensor: value where the bool tensor mask is true; the type stays input's."""
    def masked_fill_(self, mask: Tensor, value: Tensor | Number | complex) -> Self:
        """In-place form of masked_fill."""
    def masked_scatter(self, mask: Tensor, source: Tensor) -> Tensor:
        """masked_scatter(input, mask, source) -> Tensor: source's elements, in order, where the bool mask is true."""
    def masked_scatter_(self, mask: Tensor, source: Tensor) -> Self:
        """masked_scatter_(mask, source) -> self with source's elements, in order, where the bool mask is true."""
    def masked_scatter_from_(self, mask: Tensor, source: Tensor) -> Self:
        """In-place form of masked_scatter_from."""
    def masked_select(self, mask: Tensor) -> Tensor:
        """masked_select(input, mask) -> 1-D Tensor: the elements where the bool mask is true (both broadcast)."""
    def matmul(self, other: Tensor) -> Tensor:
        """matmul(input, other) -> Tensor: vectors, matrices or batches of matrices (leading dimensions broadcast).

        Both 1-D: their dot product; a 1-D operand beside matrices acts as a row (first) or a column (second).
        """
    def matrix_exp(self) -> Tensor:
        """matrix_exp(input) -> Tensor: linalg.matrix_exp(input)."""
    def matrix_power(self, n: _int) -> Tensor:
        """matrix_power(input, n) -> Tensor: square matrices multiplied n times; a negative n multiplies the inverse."""
    @overload
    def max(self) -> Tensor:
        """max(input), max(input, dim, keepdim=False), max(input, other): the maximum of all elements; (values, indices) along dim; or element by element of two tensors (maximum)."""
    @overload
    def max(self, dim: _int, keepdim: _bool = False) -> return_types.max: ...
    @overload
    def max(self, *, axis: _int, keepdim: _bool = False, keepdims: _bool | None = None) -> return_types.max: ...
    @overload
    def max(self, other: Tensor) -> Tensor: ...
    def maximum(self, other: Tensor) -> Tensor:
        """maximum(input, other) -> Tensor: the greater of two elements; NaN if either is. A tie halves the gradient."""
    def maximum_(self, other: Tensor) -> Self:
        """In-place form of maximum."""
    def mean(
        self,
        dim: _int | Sequence[_int] | None = None,
        keepdim: _bool = False,
        *,
        dtype: _dtype | None = None,
        axis: _int | Sequence[_int] | None = None,
        keepdims: _bool | None = None,
    ) -> Tensor:
        """mean(input, dim=None, keepdim=False, *, dtype=None) -> Tensor: the average over dim; floating types only."""
    @overload
    def median(self) -> Tensor:
        """median(input) -> Tensor, or median(input, dim, keepdim=False) -> (values, indices): the lower median; NaN where there is one."""
    @overload
    def median(self, dim: _int, keepdim: _bool = False) -> return_types.median: ...
    @overload
    def min(self) -> Tensor:
        """min(input), min(input, dim, keepdim=False), min(input, other): the minimum of all elements; (values, indices) along dim; or element by element of two tensors (minimum)."""
    @overload
    def min(self, dim: _int, keepdim: _bool = False) -> return_types.min: ...
    @overload
    def min(self, *, axis: _int, keepdim: _bool = False, keepdims: _bool | None = None) -> return_types.min: ...
    @overload
    def min(self, other: Tensor) -> Tensor: ...
    def minimum(self, other: Tensor) -> Tensor:
        """minimum(input, other) -> Tensor: the less of two elements; NaN if either is. A tie halves the gradient."""
    def minimum_(self, other: Tensor) -> Self:
        """In-place form of minimum."""
    def mm(self, mat2: Tensor) -> Tensor:
        """mm(input, mat2) -> Tensor: the product of two matrices, (n, m) @ (m, p) -> (n, p)."""
    def mode(
        self, dim: _int = -1, keepdim: _bool = False, *, axis: _int | None = None, keepdims: _bool | None = None
    ) -> return_types.mode:
        """mode(input, dim=-1, keepdim=False) -> (values, indices):
        the most frequent value along dim, the least of several.
        """
    def module_load(self, other: Any, assign: _bool = False) -> Any:
        """module_load(other, assign=False) -> what load_state_dict puts in self's place:
        other, or self with other's values.
        """
    def moveaxis(self, source: _int | Sequence[_int], destination: _int | Sequence[_int]) -> Tensor:
        """movedim(input, source, destination) -> Tensor: dimensions `source` move to the places `destination`."""
    def movedim(self, source: _int | Sequence[_int], destination: _int | Sequence[_int]) -> Tensor:
        """movedim(input, source, destination) -> Tensor: dimensions `source` move to the places `destination`."""
    def msort(self) -> Tensor:
        """msort(input) -> Tensor: sorted along the first dimension."""
    def mtia(self, *args: Any, **kwargs: Any) -> NoReturn:
        """mtia(): AssertionError, lucid computes on cpu and mlx."""
    def mul(self, other: Tensor | Number | complex) -> Tensor:
        """mul(input, other) -> Tensor: the product, element by element, broadcast together."""
    def mul_(self, other: Tensor | Number | complex) -> Self:
        """In-place form of mul."""
    def multinomial(
        self, num_samples: _int, replacement: _bool = False, *, generator: Generator | None = None
    ) -> Tensor:
        """multinomial(input, num_samples, replacement=False, *, generator=None, out=None) -> int64 Tensor of indices drawn
        with the weights in input's last dimension: (num_samples,) or (rows, num_samples).
        """
    def multiply(self, other: Tensor | Number | complex) -> Tensor:
        """mul(input, other) -> Tensor: the product, element by element, broadcast together."""
    def multiply_(self, other: Tensor | Number | complex) -> Self:
        """In-place form of mul."""
    def mv(self, vec: Tensor) -> Tensor:
        """mv(input, vec) -> Tensor: a matrix times a vector, (n, m) @ (m,) -> (n,)."""
    def mvlgamma(self, p: _int) -> Tensor:
        """mvlgamma(input, p) -> Tensor: the logarithm of the multivariate gamma function of dimension p."""
    def mvlgamma_(self, p: _int) -> Self:
        """In-place form of mvlgamma."""
    @property
    def name(self) -> None:
        """None: tensors have no names."""
    @property
    def names(self) -> tuple[None, ...]:
        """The names of the dimensions: lucid has none."""
    def nan_to_num(
        self, nan: _float | None = None, posinf: _float | None = None, neginf: _float | None = None
    ) -> Tensor:
        """nan_to_num(input, nan=0.0, posinf=None, neginf=None) -> Tensor:
        NaN and infinities replaced (None: by the type's limits).
        """
    def nan_to_num_(
        self, nan: _float | None = None, posinf: _float | None = None, neginf: _float | None = None
    ) -> Self:
        """In-place form of nan_to_num."""
    def nanmean(
        self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None
    ) -> Tensor:
        """nanmean(input, dim=None, keepdim=False, *, dtype=None) -> Tensor: the average of what is not NaN."""
    @overload
    def nanmedian(self) -> Tensor:
        """nanmedian(input) -> Tensor, or nanmedian(input, dim, keepdim=False) -> (values, indices): the lower median; NaN is left out."""
    @overload
    def nanmedian(self, dim: _int, keepdim: _bool = False) -> return_types.nanmedian: ...
    def nanquantile(
        self, q: Tensor | _float, dim: _int | None = None, keepdim: _bool = False, *, interpolation: str = "linear"
    ) -> Tensor:
        """nanquantile(input, q, dim=None, keepdim=False, *, interpolation="linear") -> Tensor:
        quantile of what is not NaN.
        """
    def nansum(
        self,
        dim: _int | Sequence[_int] | None = None,
        keepdim: _bool = False,
        *,
        dtype: _dtype | None = None,
        axis: _int | Sequence[_int] | None = None,
        keepdims: _bool | None = None,
    ) -> Tensor:
        """nansum(input, dim=None, keepdim=False, *, dtype=None) -> Tensor: the sum of what is not NaN."""
    def narrow(self, dim: _int, start: Tensor | _int, length: _int) -> Tensor:
        """narrow(input, dim, start, length) -> Tensor: `length` slices of dim from start on, a view."""
    def narrow_copy(self, dim: _int, start: Tensor | _int, length: _int, *, axis: _int | None = None) -> Tensor:
        """narrow_copy(input, dim, start, length) -> Tensor: like narrow, in memory of its own."""
    @property
    def nbytes(self) -> _int:
        """The bytes of all elements."""
    @property
    def ndim(self) -> _int:
        """The number of dimensions."""
    def ndimension(self) -> _int:
        """dim() -> int: the number of dimensions."""
    def ne(self, other: Tensor | Number | complex) -> Tensor:
        """ne(input, other) -> bool Tensor: input != other."""
    def ne_(self, other: Tensor | Number | complex) -> Self:
        """In-place form of ne."""
    def neg(self) -> Tensor:
        """neg(input) -> Tensor: -input. RuntimeError for bools."""
    def neg_(self) -> Self:
        """In-place form of neg."""
    def negative(self) -> Tensor:
        """neg(input) -> Tensor: -input. RuntimeError for bools."""
    def negative_(self) -> Self:
        """In-place form of neg."""
    def nelement(self) -> _int:
        """numel() -> int: the number of elements."""
    @overload
    def new(self, *size: _int, device: _device | str | _int | None = None) -> Tensor:
        """new(...) -> torch's old constructor of tensors like self."""
    @overload
    def new(self, data: Tensor | Sequence[Any], *, device: _device | str | _int | None = None) -> Tensor: ...
    @overload
    def new_empty(
        self,
        *size: _int,
        dtype: _dtype | None = None,
        device: _device | str | _int | None = None,
        requires_grad: _bool = False,
        layout: _layout | None = None,
        pin_memory: _bool = False,
    ) -> Tensor:
        """new_empty(...) -> Tensor of self's type and device."""
    @overload
    def new_empty(
        self,
        size: Sequence[_int],
        *,
        dtype: _dtype | None = None,
        device: _device | str | _int | None = None,
        requires_grad: _bool = False,
        layout: _layout | None = None,
        pin_memory: _bool = False,
    ) -> Tensor: ...
    def new_empty_strided(
        self,
        size: Sequence[_int],
        stride: Sequence[_int],
        *,
        dtype: _dtype | None = None,
        device: _device | str | _int | None = None,
        requires_grad: _bool = False,
    ) -> Tensor:
        """new_empty_strided(...) -> Tensor of self's type and device."""
    def new_full(
        self,
        size: Sequence[_int],
        fill_value: Number | complex,
        *,
        dtype: _dtype | None = None,
        device: _device | str | _int | None = None,
        requires_grad: _bool = False,
    ) -> Tensor:
        """new_full(...) -> Tensor of self's type and device."""
    @overload
    def new_ones(
        self,
        *size: _int,
        dtype: _dtype | None = None,
        device: _device | str | _int | None = None,
        requires_grad: _bool = False,
        layout: _layout | None = None,
        pin_memory: _bool = False,
    ) -> Tensor:
        """new_ones(...) -> Tensor of self's type and device."""
    @overload
    def new_ones(
        self,
        size: Sequence[_int],
        *,
        dtype: _dtype | None = None,
        device: _device | str | _int | None = None,
        requires_grad: _bool = False,
        layout: _layout | None = None,
        pin_memory: _bool = False,
    ) -> Tensor: ...
    def new_tensor(
        self,
        data: Any,
        *,
        dtype: _dtype | None = None,
        device: _device | str | _int | None = None,
        requires_grad: _bool = False,
    ) -> Tensor:
        """new_tensor(data) -> Tensor: a copy of data in self's type, on self's device."""
    @overload
    def new_zeros(
        self,
        *size: _int,
        dtype: _dtype | None = None,
        device: _device | str | _int | None = None,
        requires_grad: _bool = False,
        layout: _layout | None = None,
        pin_memory: _bool = False,
    ) -> Tensor:
        """new_zeros(...) -> Tensor of self's type and device."""
    @overload
    def new_zeros(
        self,
        size: Sequence[_int],
        *,
        dtype: _dtype | None = None,
        device: _device | str | _int | None = None,
        requires_grad: _bool = False,
        layout: _layout | None = None,
        pin_memory: _bool = False,
    ) -> Tensor: ...
    def nextafter(self, other: Tensor) -> Tensor:
        """nextafter(input, other) -> Tensor: the next representable number from input towards other."""
    def nextafter_(self, other: Tensor) -> Self:
        """In-place form of nextafter."""
    @overload
    def nonzero(self, *, as_tuple: Literal[False] = False) -> Tensor:
        """nonzero(input, as_tuple=False) -> (n, ndim) int64 Tensor of coordinates, or a tuple with a vector per
        dimension.
        """
    @overload
    def nonzero(self, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]: ...
    def nonzero_static(self, *, size: _int, fill_value: _int = -1) -> Tensor:
        """nonzero_static(input, size, fill_value=-1) -> (size, ndim) int64 Tensor:
        nonzero, cut off or filled up to `size` rows.
        """
    def norm(
        self,
        p: _float | Literal["fro", "nuc"] = "fro",
        dim: _int | Sequence[_int] | None = None,
        keepdim: _bool = False,
        dtype: _dtype | None = None,
    ) -> Tensor:
        """norm(input, p="fro", dim=None, keepdim=False, dtype=None) -> Tensor:
        the p-norm over dim (all elements when None).

        p: a number, inf, -inf, "fro" (2) or "nuc" (of matrices).
        """
    def normal_(self, mean: _float = 0, std: _float = 1, *, generator: Generator | None = None) -> Self:
        """normal_(mean=0, std=1, *, generator=None) -> self, filled with normal numbers; floating and complex types."""
    def not_equal(self, other: Tensor | Number | complex) -> Tensor:
        """ne(input, other) -> bool Tensor: input != other."""
    def not_equal_(self, other: Tensor | Number | complex) -> Self:
        """In-place form of ne."""
    def numel(self) -> _int:
        """numel() -> int: the number of elements."""
    def numpy(self, *, force: _bool = False) -> ndarray[Any, Any]:
        """numpy(*, force=False) -> ndarray: the same memory as a numpy array (force: detach, copy to the CPU)."""
    def orgqr(self, tau: Tensor) -> Tensor:
        """householder_product(A, tau) -> Tensor: the first columns of the product of the reflectors below A's diagonal."""
    def ormqr(
        self, tau: Tensor, other: Tensor | Number | complex, left: _bool = True, transpose: _bool = False
    ) -> Tensor:
        """ormqr(input, tau, other, left=True, transpose=False) -> Tensor: Q @ other (or other @ Q), with Q square, whose
        reflectors are in input and tau as geqrf gives them; transpose: with Q's adjoint.
        """
    def outer(self, vec2: Tensor) -> Tensor:
        """outer(input, vec2) -> Tensor: the products of all pairs, (n,) and (m,) -> (n, m)."""
    @property
    def output_nr(self) -> _int:
        """Which result of grad_fn it is."""
    @overload
    def permute(self, *dims: _int) -> Tensor:
        """permute(input, dims) -> Tensor: the dimensions in another order, the same memory."""
    @overload
    def permute(self, dims: Sequence[_int]) -> Tensor: ...
    def pin_memory(self, device: _device | str | _int | None = None) -> Tensor:
        """pin_memory() -> torch's error: there is no accelerator to pin memory for."""
    def pinverse(self, rcond: _float = 1e-15) -> Tensor:
        """pinverse(input, rcond=1e-15) -> Tensor: linalg.pinv(input, rcond)."""
    def polygamma(self, n: _int) -> Tensor:
        """polygamma(n) -> Tensor: the n-th derivative of digamma."""
    def polygamma_(self, n: _int) -> Self:
        """In-place form of polygamma."""
    def positive(self) -> Tensor:
        """positive(input) -> input itself. RuntimeError for bools."""
    def pow(self, exponent: Tensor | Number | complex) -> Tensor:
        """pow(input, exponent) -> Tensor: input to the power exponent; either may be a number.

        RuntimeError for integers to a negative number's power. The gradient is 0 where exponent is 0.
        """
    def pow_(self, exponent: Tensor | Number | complex) -> Self:
        """In-place form of pow."""
    def prelu(self, weight: Tensor) -> Tensor:
        """prelu(input, weight) -> Tensor: input above 0, weight * input below; one weight or one a channel (dim 1)."""
    def prod(
        self,
        dim: _int | None = None,
        keepdim: _bool = False,
        *,
        dtype: _dtype | None = None,
        axis: _int | None = None,
        keepdims: _bool | None = None,
    ) -> Tensor:
        """prod(input, dim=None, keepdim=False, *, dtype=None) -> Tensor: the product over one dimension or all."""
    def put(self, index: Tensor, source: Tensor, accumulate: _bool = False) -> Tensor:
        """put(input, index, source, accumulate=False) -> Tensor:
        input read as one long vector, with source's elements at index.
        """
    def put_(self, index: Tensor, source: Tensor, accumulate: _bool = False) -> Self:
        """put_(index, source, accumulate=False) -> self, read as one long vector, with source's elements at index."""
    def put_at_(self, index: Tensor, source: Tensor, accumulate: _bool = False) -> Self:
        """In-place form of put_at."""
    def q_per_channel_axis(self, *args: Any, **kwargs: Any) -> NoReturn:
        """q_per_channel_axis(): NotImplementedError, lucid has no quantized tensors."""
    def q_per_channel_scales(self, *args: Any, **kwargs: Any) -> NoReturn:
        """q_per_channel_scales(): NotImplementedError, lucid has no quantized tensors."""
    def q_per_channel_zero_points(self, *args: Any, **kwargs: Any) -> NoReturn:
        """q_per_channel_zero_points(): NotImplementedError, lucid has no quantized tensors."""
    def q_scale(self, *args: Any, **kwargs: Any) -> NoReturn:
        """q_scale(): NotImplementedError, lucid has no quantized tensors."""
    def q_zero_point(self, *args: Any, **kwargs: Any) -> NoReturn:
        """q_zero_point(): NotImplementedError, lucid has no quantized tensors."""
    def qr(self, some: _bool = True) -> return_types.qr:
        """qr(input, some=True) -> (Q, R): the older name of linalg.qr; some=False gives a complete Q."""
    def qscheme(self, *args: Any, **kwargs: Any) -> NoReturn:
        """qscheme(): NotImplementedError, lucid has no quantized tensors."""
    def quantile(
        self, q: Tensor | _float, dim: _int | None = None, keepdim: _bool = False, *, interpolation: str = "linear"
    ) -> Tensor:
        """quantile(input, q, dim=None, keepdim=False, *, interpolation="linear") -> Tensor: the q-quantiles along dim.

        q: a number in [0, 1] or a 1-D tensor of such, which adds a first dimension. float32 and float64 only.
        """
    def rad2deg(self) -> Tensor:
        """rad2deg(input) -> Tensor: radians as degrees."""
    def rad2deg_(self) -> Self:
        """In-place form of rad2deg."""
    @overload
    def random_(self, *, generator: Generator | None = None) -> Self:
        """random_(), random_(to), random_(from, to), *, generator=None -> self, filled with integers in [from, to).

        Without bounds: from 0 to the type's largest integer (for floating types, 2 to the digits of its mantissa).
        """
    @overload
    def random_(self, to: _int, *, generator: Generator | None = None) -> Self: ...
    @overload
    def random_(self, low: _int, /, to: _int | None, *, generator: Generator | None = None) -> Self: ...
    def ravel(self) -> Tensor:
        """ravel(input) -> 1-D Tensor: a view where input is contiguous, else a copy."""
    @property
    def real(self) -> Tensor:
        """The real parts, a view."""
    @real.setter
    def real(self, value: Tensor) -> None: ...
    def reciprocal(self) -> Tensor:
        """reciprocal(input) -> Tensor: 1 / input."""
    def reciprocal_(self) -> Self:
        """In-place form of reciprocal."""
    def record_stream(self, stream: Any) -> None:
        """record_stream(stream): torch's error, there are no streams on this device."""
    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
        """register_hook(hook) -> handle: call hook(grad) when this tensor's gradient is known; its result replaces it."""
    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> RemovableHandle:
        """register_post_accumulate_grad_hook(hook) -> handle: call hook(self) after a walk has added to self.grad."""
    def reinforce(self, *args: Any, **kwargs: Any) -> NoReturn:
        """reinforce(reward): removed from torch."""
    def relu(self) -> Tensor:
        """relu(input) -> Tensor: max(input, 0); NaN stays NaN. Its gradient at 0 is 0."""
    def relu_(self) -> Self:
        """In-place form of relu."""
    def remainder(self, other: Tensor | Number | complex) -> Tensor:
        """remainder(input, other) -> Tensor: what floor_divide leaves; it has other's sign.

        RuntimeError for an integer divided by 0.
        """
    def remainder_(self, other: Tensor | Number | complex) -> Self:
        """remainder(input, other) -> Tensor: what floor_divide leaves; it has other's sign.

        RuntimeError for an integer divided by 0.
        """
    def renorm(self, p: _float, dim: _int, maxnorm: Number, *, axis: _int | None = None) -> Tensor:
        """renorm(input, p, dim, maxnorm) -> Tensor: slices along dim whose p-norm is above maxnorm scaled down to it."""
    def renorm_(self, p: _float, dim: _int, maxnorm: Number) -> Self:
        """In-place form of renorm."""
    @overload
    def repeat(self, *repeats: _int) -> Tensor:
        """repeat(*repeats) -> Tensor:
        copies of input side by side, repeats[i] of them along dimension i (new ones in front).
        """
    @overload
    def repeat(self, repeats: Sequence[_int]) -> Tensor: ...
    def repeat_interleave(
        self, repeats: Tensor | _int, dim: _int | None = None, *, output_size: _int | None = None
    ) -> Tensor:
        """repeat_interleave(input, repeats, dim=None) -> Tensor:
        each slice of dim as often as repeats says (flat when None).

        repeat_interleave(repeats) gives the indices of such slices.
        """
    @property
    def requires_grad(self) -> _bool:
        """Is its gradient wanted?"""
    @requires_grad.setter
    def requires_grad(self, value: _bool) -> None: ...
    def requires_grad_(self, requires_grad: _bool = True) -> Self:
        """requires_grad_(requires_grad=True) -> self: start (or stop) recording what is done with this leaf."""
    @overload
    def reshape(self, *shape: _int) -> Tensor:
        """reshape(input, shape) -> Tensor: a view where the memory allows it, else a copy."""
    @overload
    def reshape(self, shape: Sequence[_int]) -> Tensor: ...
    def reshape_as(self, other: Tensor) -> Tensor:
        """reshape_as(other) -> Tensor: reshape(other.size())."""
    @overload
    def resize(self, *sizes: _int) -> Tensor:
        """resize(*sizes) -> Tensor of another shape with the same elements (deprecated in torch)."""
    @overload
    def resize(self, sizes: Sequence[_int]) -> Tensor: ...
    @overload
    def resize_(self, *size: _int, memory_format: memory_format = ...) -> Self:
        """resize_(*size) -> self with another shape; the elements that fit stay, new ones are undefined."""
    @overload
    def resize_(self, size: Sequence[_int], *, memory_format: memory_format = ...) -> Self: ...
    def resize_as(self, tensor: Tensor) -> Tensor:
        """resize_as(tensor) -> Tensor of tensor's shape with the same elements (deprecated in torch)."""
    def resize_as_(self, the_template: Tensor, memory_format: memory_format = ...) -> Self:
        """resize_as_(tensor) -> self with tensor's shape."""
    def resize_as_sparse_(self, the_template: Tensor) -> Self:
        """resize_as_sparse_(the_template) -> input in the size of another sparse tensor."""
    def resolve_conj(self) -> Tensor:
        """resolve_conj(input) -> Tensor: a copy of a view that is conjugated when read; any other tensor itself."""
    def resolve_neg(self) -> Tensor:
        """resolve_neg(input) -> Tensor: a copy of a view that is negated when read; any other tensor itself."""
    def retain_grad(self) -> None:
        """retain_grad(): keep this non-leaf tensor's gradient in `.grad`."""
    @property
    def retains_grad(self) -> _bool:
        """Was retain_grad asked for, of a tensor that is no leaf?"""
    def roll(self, shifts: _int | Sequence[_int], dims: _int | Sequence[_int] = ()) -> Tensor:
        """roll(input, shifts, dims=()) -> Tensor:
        elements moved along dims, coming in again at the other end (flat without dims).
        """
    def rot90(self, k: _int = 1, dims: Sequence[_int] = (0, 1)) -> Tensor:
        """rot90(input, k=1, dims=(0, 1)) -> Tensor: turned by k quarter turns from the first of dims to the second."""
    def round(self, *, decimals: _int | None = None) -> Tensor:
        """round(input, *, decimals=0) -> Tensor: to the nearest multiple of 10**-decimals, halves to the even one."""
    def round_(self, *, decimals: _int | None = None) -> Self:
        """In-place form of round."""
    def row_indices(self) -> Tensor:
        """row_indices() -> Tensor: of a sparse column compressed tensor."""
    def rrelu_overwrite_(
        self, noise: Tensor, lower: Number = 0.125, upper: Number = 0.3333333333333333, training: _bool = False
    ) -> Self:
        """In-place form of rrelu_overwrite."""
    def rsqrt(self) -> Tensor:
        """rsqrt(input) -> Tensor: 1 / sqrt(input)."""
    def rsqrt_(self) -> Self:
        """In-place form of rsqrt."""
    def scatter(
        self,
        dim: _int,
        index: Tensor,
        src: Tensor | Number | complex | None = None,
        *,
        value: Number | complex | None = None,
        reduce: str | None = None,
    ) -> Tensor:
        """scatter(input, dim, index, src) -> Tensor: a copy with out[index[i][j]][j] = src[i][j] for dim 0, and so on.

        src: a tensor or a number (`value=`); reduce: None, "add" or "multiply".
        """
    def scatter_(
        self,
        dim: _int,
        index: Tensor,
        src: Tensor | Number | complex | None = None,
        *,
        value: Number | complex | None = None,
        reduce: str | None = None,
    ) -> Self:
        """scatter_(dim, index, src) -> self with self[index[i][j]][j] = src[i][j] for dim 0, and so on."""
    def scatter_add(self, dim: _int, index: Tensor, src: Tensor) -> Tensor:
        """scatter_add(input, dim, index, src) -> Tensor:
        input plus src's elements at index along dim, repeats adding up.
        """
    def scatter_add_(self, dim: _int, index: Tensor, src: Tensor) -> Self:
        """scatter_add_(dim, index, src) -> self plus src's elements at index along dim, repeats adding up."""
    def scatter_add_op_(self, index: Tensor, src: Tensor, dim: _int) -> Self:
        """In-place form of scatter_add_op."""
    def scatter_reduce(
        self, dim: _int, index: Tensor, src: Tensor, reduce: str, *, include_self: _bool = True
    ) -> Tensor:
        """scatter_reduce(input, dim, index, src, reduce, include_self=True) -> Tensor:
        src's elements reduced into index's places.

        reduce: "sum", "prod", "mean", "amax" or "amin"; include_self: is input's own value among the reduced ones?
        """
    def scatter_reduce_(
        self, dim: _int, index: Tensor, src: Tensor, reduce: str, *, include_self: _bool = True
    ) -> Self:
        """scatter_reduce_(dim, index, src, reduce, include_self=True) -> self after scatter_reduce."""
    def scatter_reduce_op_(
        self, index: Tensor, src: Tensor, dim: _int, reduce: str, *, include_self: _bool = True
    ) -> Self:
        """In-place form of scatter_reduce_op."""
    def scatter_src_(self, index: Tensor, src: Tensor, dim: _int) -> Self:
        """In-place form of scatter_src."""
    def scatter_value_(self, index: Tensor, dim: _int, value: Number | complex) -> Self:
        """In-place form of scatter_value."""
    def scatter_with_(self, index: Tensor, src: Tensor, dim: _int, reduce: str) -> Self:
        """In-place form of scatter_with."""
    def select(self, dim: _int, index: _int, *, axis: _int | None = None) -> Tensor:
        """select(input, dim, index) -> Tensor: the slice at index, without dimension dim."""
    def select_scatter(self, src: Tensor, dim: _int, index: _int, *, axis: _int | None = None) -> Tensor:
        """select_scatter(input, src, dim, index) -> Tensor: a copy whose slice `index` of dim is src."""
    def set_(
        self,
        source: Tensor | UntypedStorage | TypedStorage | None = None,
        storage_offset: _int = 0,
        size: Sequence[_int] | None = None,
        stride: Sequence[_int] | None = None,
    ) -> Self:
        """set_(source) -> self, now reading source's memory."""
    def sgn(self) -> Tensor:
        """sgn(input) -> Tensor: input / |input|, 0 for 0: sign, for complex numbers too."""
    def sgn_(self) -> Self:
        """In-place form of sgn."""
    @property
    def shape(self) -> Size:
        """The sizes of the dimensions, a Size."""
    def share_memory_(self) -> Self:
        """share_memory_() -> self, its memory now shared with the processes that it is sent to, or that are forked."""
    def short(self, memory_format: memory_format = ...) -> Tensor:
        """short() -> Tensor of type torch.int16."""
    def sigmoid(self) -> Tensor:
        """sigmoid(input) -> Tensor: 1 / (1 + exp(-input))."""
    def sigmoid_(self) -> Self:
        """In-place form of sigmoid."""
    def sign(self) -> Tensor:
        """sign(input) -> Tensor: -1, 0 or 1; 0 for NaN."""
    def sign_(self) -> Self:
        """In-place form of sign."""
    def signbit(self) -> Tensor:
        """signbit(input) -> bool Tensor: is the sign bit set (so for -0.0 too)?"""
    def sin(self) -> Tensor:
        """sin(input) -> Tensor: the sine of angles in radians."""
    def sin_(self) -> Self:
        """In-place form of sin."""
    def sinc(self) -> Tensor:
        """sinc(input) -> Tensor: sin(pi x) / (pi x), 1 at 0."""
    def sinc_(self) -> Self:
        """In-place form of sinc."""
    def sinh(self) -> Tensor:
        """sinh(input) -> Tensor: the hyperbolic sine."""
    def sinh_(self) -> Self:
        """In-place form of sinh."""
    @overload
    def size(self, dim: None = None) -> Size:
        """size(dim=None) -> Size or int: all sizes, or that of one dimension."""
    @overload
    def size(self, dim: _int) -> _int: ...
    def slice_inverse(
        self, src: Tensor, dim: _int = 0, start: _int | None = None, end: _int | None = None, step: _int = 1
    ) -> Tensor:
        """slice_inverse(input, src, dim=0, start=None, end=None, step=1) -> Tensor: src, of which input is a slice, as a
        view of input's storage.
        """
    def slice_scatter(
        self,
        src: Tensor,
        dim: _int = 0,
        start: _int | None = None,
        end: _int | None = None,
        step: _int = 1,
        *,
        axis: _int | None = None,
    ) -> Tensor:
        """slice_scatter(input, src, dim=0, start=None, end=None, step=1) -> Tensor:
        a copy whose slices start:end:step are src.
        """
    def slogdet(self) -> return_types.slogdet:
        """slogdet(input) -> (sign, logabsdet): linalg.slogdet(input)."""
    def smm(self, mat: Tensor) -> Tensor:
        """smm(mat) -> Tensor, sparse: the product of a COO matrix and a dense one, as a COO tensor."""
    def softmax(self, dim: _int, dtype: _dtype | None = None) -> Tensor:
        """softmax(input, dim, dtype=None) -> Tensor: exp(input) divided by its sum over dim."""
    def solve(self, *args: Any, **kwargs: Any) -> NoReturn:
        """solve(): removed from torch, whose RuntimeError this is."""
    def sort(self, dim: _int = -1, descending: _bool = False, stable: _bool | None = None) -> return_types.sort:
        """sort(input, dim=-1, descending=False, *, stable=False) -> (values, indices) along dim; NaN is the largest.

        Equal elements keep their order whether stable is asked for or not.
        """
    def sparse_dim(self) -> _int:
        """sparse_dim() -> int: how many dimensions are sparse (0 of a strided tensor)."""
    def sparse_mask(self, mask: Tensor) -> Tensor:
        """sparse_mask(mask) -> Tensor, sparse: self's elements at the places of mask, in mask's layout."""
    def sparse_resize_(self, size: Sequence[_int], sparse_dim: _int, dense_dim: _int) -> Self:
        """sparse_resize_(size, sparse_dim, dense_dim) -> self in a size that is not smaller in any dimension."""
    def sparse_resize_and_clear_(self, size: Sequence[_int], sparse_dim: _int, dense_dim: _int) -> Self:
        """sparse_resize_and_clear_(size, sparse_dim, dense_dim) -> self in another size, with nothing in it."""
    def split(self, split_size: _int | Sequence[_int], dim: _int = 0) -> tuple[Tensor, ...]:
        """split(split_size, dim=0) -> tuple of views: parts of one size, or of the sizes given."""
    def split_with_sizes(
        self, split_sizes: Sequence[_int], dim: _int = 0, *, axis: _int | None = None
    ) -> tuple[Tensor, ...]:
        """split_with_sizes(input, split_sizes, dim=0) -> tuple of parts of the given sizes."""
    def sqrt(self) -> Tensor:
        """sqrt(input) -> Tensor: the square root."""
    def sqrt_(self) -> Self:
        """In-place form of sqrt."""
    def square(self) -> Tensor:
        """square(input) -> Tensor: input to the power 2."""
    def square_(self) -> Self:
        """In-place form of square."""
    def squeeze(self, dim: _int | Sequence[_int] | None = None) -> Tensor:
        """squeeze(input, dim=None) -> Tensor: without dimensions of size 1 (all, dim, or those in a tuple of dims)."""
    def squeeze_(self, dim: _int | Sequence[_int] | None = None) -> Self:
        """squeeze_(dim=None) -> self without dimensions of size 1."""
    def sspaddmm(
        self, mat1: Tensor, mat2: Tensor, *, beta: Number | complex = 1, alpha: Number | complex = 1
    ) -> Tensor:
        """sspaddmm(input, mat1, mat2, *, beta=1, alpha=1) -> Tensor, sparse: beta * input + alpha * mat1 @ mat2, of COO
        tensors input and mat1 and a dense mat2.
        """
    def std(
        self,
        dim: _int | Sequence[_int] | None = None,
        unbiased: _bool | None = None,
        keepdim: _bool = False,
        *,
        correction: Number | None = None,
        axis: _int | Sequence[_int] | None = None,
        keepdims: _bool | None = None,
    ) -> Tensor:
        """std(input, dim=None, *, correction=1, keepdim=False) -> Tensor: the standard deviation over dim (all dimensions when None). The divisor is the count minus correction; unbiased=True or False is the older way to say 1 or 0."""
    def stft(
        self,
        n_fft: _int,
        hop_length: _int | None = None,
        win_length: _int | None = None,
        window: Tensor | None = None,
        center: _bool = True,
        pad_mode: str = "reflect",
        normalized: _bool = False,
        onesided: _bool | None = None,
        return_complex: _bool | None = None,
        align_to_window: _bool | None = None,
    ) -> Tensor:
        """stft(input, n_fft, hop_length=n_fft // 4, win_length=n_fft, window=ones, center=True, ...) -> complex Tensor

        input (time,) or (batch, time) -> (batch, frequencies, frames): the transform of each piece of n_fft samples, times
        the window, hop_length apart. onesided: n_fft // 2 + 1 frequencies (default for real input). center: the signal is
        padded by n_fft // 2 on both sides. normalized: divided by the root of n_fft. return_complex=False: real and
        imaginary parts in a last dimension of 2. RuntimeError for sizes that do not fit.
        """
    def storage(self) -> TypedStorage:
        """storage() -> TypedStorage (deprecated in torch): the memory this tensor reads, in its elements."""
    def storage_offset(self) -> _int:
        """storage_offset() -> int: elements from the start of the storage to the first of this tensor."""
    def storage_type(self) -> Any:
        """storage_type() -> the storage class of its elements."""
    @overload
    def stride(self, dim: None = None) -> tuple[_int, ...]:
        """stride(dim=None) -> tuple or int: steps in memory, in elements."""
    @overload
    def stride(self, dim: _int) -> _int: ...
    def sub(self, other: Tensor | Number | complex, *, alpha: Number | complex = 1) -> Tensor:
        """sub(input, other, *, alpha=1) -> Tensor: input - alpha * other. RuntimeError for bools."""
    def sub_(self, other: Tensor | Number | complex, *, alpha: Number | complex = 1) -> Self:
        """In-place form of sub."""
    def subtract(self, other: Tensor | Number | complex, *, alpha: Number | complex = 1) -> Tensor:
        """sub(input, other, *, alpha=1) -> Tensor: input - alpha * other. RuntimeError for bools."""
    def subtract_(self, other: Tensor | Number | complex, *, alpha: Number | complex = 1) -> Self:
        """In-place form of sub."""
    def sum(
        self,
        dim: _int | Sequence[_int] | None = None,
        keepdim: _bool = False,
        *,
        dtype: _dtype | None = None,
        axis: _int | Sequence[_int] | None = None,
        keepdims: _bool | None = None,
    ) -> Tensor:
        """sum(input, dim=None, keepdim=False, *, dtype=None) -> Tensor: the sum over dim (all dimensions when None).

        Integers and bools add up in int64 unless dtype says otherwise; halves add up in float32.
        """
    @overload
    def sum_to_size(self, *size: _int) -> Tensor:
        """sum_to_size(*size) -> Tensor: the sum over the dimensions that broadcasting size to this shape would stretch."""
    @overload
    def sum_to_size(self, size: Sequence[_int]) -> Tensor: ...
    def svd(self, some: _bool = True, compute_uv: _bool = True) -> return_types.svd:
        """svd(input, some=True, compute_uv=True) -> (U, S, V): the older form, with V instead of its adjoint."""
    def swapaxes(self, dim0: _int, dim1: _int) -> Tensor:
        """transpose(input, dim0, dim1) -> Tensor: two dimensions change places."""
    def swapaxes_(self, dim0: _int, dim1: _int) -> Self:
        """transpose_(dim0, dim1) -> self with two dimensions swapped."""
    def swapdims(self, dim0: _int, dim1: _int) -> Tensor:
        """transpose(input, dim0, dim1) -> Tensor: two dimensions change places."""
    def swapdims_(self, dim0: _int, dim1: _int) -> Self:
        """transpose_(dim0, dim1) -> self with two dimensions swapped."""
    def symeig(self, *args: Any, **kwargs: Any) -> NoReturn:
        """symeig(): removed from torch, whose RuntimeError this is."""
    def t(self) -> Tensor:
        """t(input) -> Tensor: a matrix transposed; tensors with fewer dimensions as they are."""
    def t_(self) -> Self:
        """t_() -> self transposed."""
    def take(self, index: Tensor) -> Tensor:
        """take(input, index) -> Tensor of index's shape: elements of input read as one long vector."""
    def take_along_dim(self, indices: Tensor, dim: _int | None = None) -> Tensor:
        """take_along_dim(input, indices, dim=None) -> Tensor:
        gather, after input and indices have broadcast (flat for None).
        """
    def tan(self) -> Tensor:
        """tan(input) -> Tensor: the tangent of angles in radians."""
    def tan_(self) -> Self:
        """In-place form of tan."""
    def tanh(self) -> Tensor:
        """tanh(input) -> Tensor: the hyperbolic tangent."""
    def tanh_(self) -> Self:
        """In-place form of tanh."""
    def tensor_split(self, indices_or_sections: _int | Sequence[_int] | Tensor, dim: _int = 0) -> tuple[Tensor, ...]:
        """tensor_split(input, indices_or_sections, dim=0) -> tuple of views:
        that many nearly equal parts, or cut at the indices.
        """
    @overload
    def tile(self, *dims: _int) -> Tensor:
        """tile(input, dims) -> Tensor: repeat, with ones in front of too few dims."""
    @overload
    def tile(self, dims: Sequence[_int]) -> Tensor: ...
    @overload
    def to(
        self, dtype: _dtype, non_blocking: _bool = False, copy: _bool = False, *, memory_format: memory_format = ...
    ) -> Tensor:
        """to(dtype), to(device), to(device, dtype), to(other) -> Tensor: self when nothing changes and copy is False."""
    @overload
    def to(
        self,
        device: _device | str | _int | None = None,
        dtype: _dtype | None = None,
        non_blocking: _bool = False,
        copy: _bool = False,
        *,
        memory_format: memory_format = ...,
    ) -> Tensor: ...
    @overload
    def to(
        self, other: Tensor, non_blocking: _bool = False, copy: _bool = False, *, memory_format: memory_format = ...
    ) -> Tensor: ...
    def to_dense(self, dtype: _dtype | None = None, *, masked_grad: _bool | None = None) -> Tensor:
        """to_dense() -> Tensor: the elements of a sparse tensor among zeros; a strided tensor as it is.

        masked_grad: does the gradient have the sparse tensor's places only (the default), or all that are not zero?
        """
    def to_mkldnn(self, *args: Any, **kwargs: Any) -> NoReturn:
        """to_mkldnn(): NotImplementedError, lucid has no mkldnn tensors."""
    def to_padded_tensor(self, *args: Any, **kwargs: Any) -> NoReturn:
        """to_padded_tensor(): NotImplementedError, lucid has no nested tensors."""
    def to_sparse(
        self,
        sparse_dim: _int | _layout | None = None,
        *,
        layout: _layout | None = None,
        blocksize: Sequence[_int] | _int | None = None,
        dense_dim: _int | None = None,
    ) -> Tensor:
        """to_sparse(sparse_dim=None, *, layout=None) -> Tensor, sparse: COO, or another sparse layout.

        sparse_dim: how many leading dimensions are sparse; the others stay dense. dense_dim: the same counted from the end,
        for CSR and CSC.
        """
    def to_sparse_bsc(self, *args: Any, **kwargs: Any) -> NoReturn:
        """to_sparse_bsc(blocksize): NotImplementedError, lucid has no sparse_bsc tensors."""
    def to_sparse_bsr(self, *args: Any, **kwargs: Any) -> NoReturn:
        """to_sparse_bsr(blocksize): NotImplementedError, lucid has no sparse_bsr tensors."""
    def to_sparse_coo(self) -> Tensor:
        """to_sparse_coo() -> Tensor, sparse in COO layout."""
    def to_sparse_csc(self, dense_dim: _int | None = None) -> Tensor:
        """to_sparse_csc(dense_dim=None) -> Tensor, sparse by compressed columns; leading dimensions are batches."""
    def to_sparse_csr(self, dense_dim: _int | None = None) -> Tensor:
        """to_sparse_csr(dense_dim=None) -> Tensor, sparse by compressed rows; leading dimensions are batches."""
    def tolist(self) -> Any:
        """tolist() -> nested lists of Python numbers (a number for a 0-dim tensor)."""
    def topk(
        self, k: _int, dim: _int = -1, largest: _bool = True, sorted: _bool = True, *, axis: _int | None = None
    ) -> return_types.topk:
        """topk(input, k, dim=-1, largest=True, sorted=True) -> (values, indices):
        the k largest or smallest along dim, in order.
        """
    def trace(self) -> Tensor:
        """trace(input) -> 0-dim Tensor: the sum of a matrix's diagonal."""
    def transpose(self, dim0: _int, dim1: _int) -> Tensor:
        """transpose(input, dim0, dim1) -> Tensor: two dimensions change places."""
    def transpose_(self, dim0: _int, dim1: _int) -> Self:
        """transpose_(dim0, dim1) -> self with two dimensions swapped."""
    def triangular_solve(
        self, A: Tensor, upper: _bool = True, transpose: _bool = False, unitriangular: _bool = False
    ) -> return_types.triangular_solve:
        """triangular_solve(b, A, upper=True, transpose=False, unitriangular=False) -> (solution, cloned_coefficient)."""
    def tril(self, diagonal: _int = 0) -> Tensor:
        """tril(input, diagonal=0) -> Tensor: the lower triangle of matrices; zeros above the diagonal."""
    def tril_(self, diagonal: _int = 0) -> Self:
        """In-place form of tril."""
    def triu(self, diagonal: _int = 0) -> Tensor:
        """triu(input, diagonal=0) -> Tensor: the upper triangle of matrices; zeros below the diagonal."""
    def triu_(self, diagonal: _int = 0) -> Self:
        """In-place form of triu."""
    def true_divide(self, other: Tensor | Number | complex) -> Tensor:
        """true_divide(input, other) -> Tensor: the quotient; of integers it is floating point."""
    def true_divide_(self, other: Tensor | Number | complex) -> Self:
        """In-place form of div."""
    def trunc(self) -> Tensor:
        """trunc(input) -> Tensor: the integer part, towards 0."""
    def trunc_(self) -> Self:
        """In-place form of trunc."""
    @overload
    def type(self, dtype: None = None, non_blocking: _bool = False) -> str:
        """type() -> str such as "torch.FloatTensor"; type(dtype) -> Tensor of that type."""
    @overload
    def type(self, dtype: _dtype | str | _type, non_blocking: _bool = False) -> Tensor: ...
    def type_as(self, other: Tensor) -> Tensor:
        """type_as(other) -> Tensor of other's type and device."""
    def unbind(self, dim: _int = 0, *, axis: _int | None = None) -> tuple[Tensor, ...]:
        """unbind(input, dim=0) -> tuple of the slices along dim."""
    def unflatten(self, dim: _int, sizes: Sequence[_int]) -> Tensor:
        """unflatten(input, dim, sizes) -> Tensor: one dimension becomes several (one of the sizes may be -1)."""
    def unfold(self, dimension: _int, size: _int, step: _int) -> Tensor:
        """unfold(dimension, size, step) -> Tensor:
        every window of `size` slices along dimension, `step` apart, as a last one.
        """
    def uniform_(self, low: _float = 0, /, to: _float = 1, *, generator: Generator | None = None) -> Self:
        """uniform_(from=0, to=1, *, generator=None) -> self, filled with numbers in [from, to); floating and complex
        types.
        """
    @overload
    def unique(
        self,
        sorted: _bool = True,
        return_inverse: Literal[False] = False,
        return_counts: Literal[False] = False,
        dim: _int | None = None,
    ) -> Tensor:
        """unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None) -> values, or a tuple.

        The distinct elements (or, with dim, slices) in ascending order; where each element is among them; how often each
        occurs.
        """
    @overload
    def unique(
        self,
        sorted: _bool = True,
        *,
        return_inverse: Literal[True],
        return_counts: Literal[False] = False,
        dim: _int | None = None,
    ) -> tuple[Tensor, Tensor]: ...
    @overload
    def unique(
        self,
        sorted: _bool = True,
        return_inverse: Literal[False] = False,
        *,
        return_counts: Literal[True],
        dim: _int | None = None,
    ) -> tuple[Tensor, Tensor]: ...
    @overload
    def unique(
        self,
        sorted: _bool = True,
        *,
        return_inverse: Literal[True],
        return_counts: Literal[True],
        dim: _int | None = None,
    ) -> tuple[Tensor, Tensor, Tensor]: ...
    @overload
    def unique_consecutive(
        self, return_inverse: Literal[False] = False, return_counts: Literal[False] = False, dim: _int | None = None
    ) -> Tensor:
        """unique_consecutive(input, return_inverse=False, return_counts=False, dim=None) -> values, or a tuple:
        one of each run.
        """
    @overload
    def unique_consecutive(
        self, return_inverse: Literal[True], return_counts: Literal[False] = False, dim: _int | None = None
    ) -> tuple[Tensor, Tensor]: ...
    @overload
    def unique_consecutive(
        self, return_inverse: Literal[False] = False, *, return_counts: Literal[True], dim: _int | None = None
    ) -> tuple[Tensor, Tensor]: ...
    @overload
    def unique_consecutive(
        self, return_inverse: Literal[True], return_counts: Literal[True], dim: _int | None = None
    ) -> tuple[Tensor, Tensor, Tensor]: ...
    def unsafe_chunk(self, chunks: _int, dim: _int = 0) -> tuple[Tensor, ...]:
        """unsafe_chunk(input, chunks, dim=0) -> tuple: like chunk; the parts are not views to autograd."""
    def unsafe_split(self, split_size: _int | Sequence[_int], dim: _int = 0) -> tuple[Tensor, ...]:
        """unsafe_split(input, split_size, dim=0) -> tuple: like split; the parts are not views to autograd."""
    def unsafe_split_with_sizes(
        self, split_sizes: Sequence[_int], dim: _int = 0, *, axis: _int | None = None
    ) -> tuple[Tensor, ...]:
        """unsafe_split_with_sizes(input, split_sizes, dim=0) -> tuple:
        like split_with_sizes; the parts are not views to autograd.
        """
    def unsqueeze(self, dim: _int, *, axis: _int | None = None) -> Tensor:
        """unsqueeze(input, dim) -> Tensor: with a dimension of size 1 at dim."""
    def unsqueeze_(self, dim: _int) -> Self:
        """unsqueeze_(dim) -> self with a dimension of size 1 at dim."""
    def untyped_storage(self) -> UntypedStorage:
        """untyped_storage() -> UntypedStorage: the memory this tensor reads, in bytes."""
    def values(self) -> Tensor:
        """values() -> Tensor (nnz, *dense): the values of a coalesced COO tensor, or of a compressed one."""
    def var(
        self,
        dim: _int | Sequence[_int] | None = None,
        unbiased: _bool | None = None,
        keepdim: _bool = False,
        *,
        correction: Number | None = None,
        axis: _int | Sequence[_int] | None = None,
        keepdims: _bool | None = None,
    ) -> Tensor:
        """var(input, dim=None, *, correction=1, keepdim=False) -> Tensor: the variance over dim (all dimensions when None). The divisor is the count minus correction; unbiased=True or False is the older way to say 1 or 0."""
    def vdot(self, other: Tensor) -> Tensor:
        """vdot(input, other) -> 0-dim Tensor: dot, with the first vector conjugated."""
    @overload
    def view(self, *size: _int) -> Tensor:
        """view(*shape) -> Tensor: the same memory in another shape, or, view(dtype), as elements of another type.

        RuntimeError where the memory cannot be read in that shape.
        """
    @overload
    def view(self, size: Sequence[_int]) -> Tensor: ...
    @overload
    def view(self, dtype: _dtype) -> Tensor: ...
    def view_as(self, other: Tensor) -> Tensor:
        """view_as(other) -> Tensor: view(other.size())."""
    @property
    def volatile(self) -> _bool:
        """False: from before torch 0.4."""
    @overload
    def vsplit(self, indices_or_sections: _int | Sequence[_int] | Tensor) -> tuple[Tensor, ...]:
        """vsplit(input, indices_or_sections) -> tuple of views, cut along one dimension (see tensor_split)."""
    @overload
    def vsplit(self, *indices: _int) -> tuple[Tensor, ...]: ...
    def where(self, condition: Tensor, other: Tensor | Number | complex) -> Tensor:
        """where(condition, other) -> Tensor: self where condition is true, else other."""
    def xlogy(self, other: Tensor | Number | complex) -> Tensor:
        """xlogy(input, other) -> Tensor: input * log(other); 0 where input is 0."""
    def xlogy_(self, other: Tensor | Number | complex) -> Self:
        """xlogy(input, other) -> Tensor: input * log(other); 0 where input is 0."""
    def xpu(self, *args: Any, **kwargs: Any) -> NoReturn:
        """xpu(): AssertionError, lucid computes on cpu and mlx."""
    def zero_(self) -> Self:
        """In-place form of zero."""

def bare(t: Tensor, levels: _int = -1) -> Tensor:
    """t without the transforms that run (or some of them): its values, of all members of a batch, for checks."""

class layout:
    """How elements are laid out: `lucid.strided`, and torch's names for sparse forms."""

    name: str
    def __init__(self, name: str) -> None: ...
    def __reduce__(self) -> str: ...
    def __repr__(self) -> str: ...

class memory_format(layout):
    """The order of dimensions in memory: contiguous_format, preserve_format, channels_last, channels_last_3d."""

def new_object(cls: _type) -> Any:
    """Create and return a new object.  See help(type) for accurate signature."""

class qscheme(layout):
    """How the integers of a quantized tensor stand for numbers: names only, lucid has no such tensors."""

def wrap(d: Any, k: _int) -> Tensor:
    """A plain tensor around a raw array, outside any graph."""

_layout = layout
