"""The value: a Tensor is an array, the kernel table that serves it, and its place in the graph.

Four slots are all that a plain result needs: `_array`, `_table` (of kernels, one per device and element type), `_node`
of the graph (None: no gradient wanted) and `_extra`, whatever else it has (see storage.Extra). Ops add their methods
when they are declared (`_backend.core`); what belongs to the graph is added by `_backend.graph`.
"""

import numbers

from .._array.numpy.dlpack import lend, readable
from .._base import dtype as dtypes
from .._base.shape import Size, is_contiguous, is_dense
from .._base.state import DISPATCH, local, warn_once
from .mirror import memory_of, mirror_of
from .storage import cut_tangents, extra, link_alias, storage_of


class layout:
    """How elements are laid out: `lucid.strided`, and torch's names for sparse forms."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"torch.{self.name}"

    def __reduce__(self):
        return self.name


class memory_format(layout):
    """The order of dimensions in memory: contiguous_format, preserve_format, channels_last, channels_last_3d."""


class qscheme(layout):
    """How the integers of a quantized tensor stand for numbers: names only, lucid has no such tensors."""


QSCHEMES = {
    name: qscheme(name)
    for name in """per_tensor_affine per_channel_affine per_tensor_symmetric per_channel_symmetric
    per_channel_affine_float_qparams""".split()
}
strided, sparse_coo, sparse_csr, sparse_csc, sparse_bsr, sparse_bsc, jagged, _mkldnn = map(
    layout, ("strided", "sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc", "jagged", "_mkldnn")
)
LAYOUTS = {x.name: x for x in (strided, sparse_coo, sparse_csr, sparse_csc, sparse_bsr, sparse_bsc, jagged, _mkldnn)}
contiguous_format, preserve_format, channels_last, channels_last_3d = map(
    memory_format, ("contiguous_format", "preserve_format", "channels_last", "channels_last_3d")
)

CHANNELS_LAST = {channels_last: (0, 2, 3, 1), channels_last_3d: (0, 2, 3, 4, 1)}


_LEAVES_GRAPH = (
    "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\nConsider using "
    "tensor.detach() first."
)


def _dimension(function, dim):
    """A dimension that is no plain int, as one: numpy's ints and tensors without dimensions."""
    if isinstance(dim, Tensor):
        fits = dim._array.ndim == 0 and dim._table.dtype.category == dtypes.INTEGRAL
    else:
        fits = isinstance(dim, numbers.Integral) and not isinstance(dim, bool)
    if not fits:
        raise TypeError(f"{function}(): argument 'dim' (position 1) must be int, not {type(dim).__name__}")
    return int(dim)


class Tensor:
    """A multi-dimensional array of one element type that knows how it was computed."""

    __slots__ = ("_array", "_table", "_node", "_extra", "__dict__", "__weakref__")
    __array_priority__ = 1000  # numpy leaves binary operators to us
    __hash__ = object.__hash__

    def __new__(cls, *args, **kwargs):
        return cls._construct(*args, **kwargs)

    def __init__(self, *args, **kwargs):
        pass

    # ---- what it is

    @property
    def shape(self):
        """The sizes of the dimensions, a Size."""
        return Size(self._array.shape)

    @property
    def dtype(self):
        """The element type."""
        return self._table.dtype

    @property
    def device(self):
        """Where the elements are."""
        return self._table.device

    @property
    def ndim(self):
        """The number of dimensions."""
        return self._array.ndim

    layout = property(
        lambda self: LAYOUTS[self._table.layout_of(self._array)],
        doc="How the elements are laid out: strided, sparse_coo ...",
    )
    names = property(lambda self: (None,) * self._array.ndim, doc="The names of the dimensions: lucid has none.")
    name = property(lambda self: None, doc="None: tensors have no names.")
    itemsize = property(lambda self: self._table.dtype.itemsize, doc="The bytes of one element.")
    nbytes = property(lambda self: self._table.nbytes(self._array), doc="The bytes of all elements.")
    is_cuda = property(lambda self: self._table.device.type == "cuda")
    is_cpu = property(lambda self: self._table.device.type == "cpu")
    is_meta = property(lambda self: self._table.device.type == "meta")
    is_mps = property(lambda self: self._table.device.type == "mps")
    is_xpu = is_xla = is_ipu = is_hpu = is_maia = is_mtia = is_vulkan = is_mkldnn = property(lambda self: False)
    is_quantized = is_nested = property(lambda self: False)
    is_sparse = property(lambda self: self._table.is_sparse and self._table.layout_of(self._array) == "sparse_coo")
    is_sparse_csr = property(lambda self: self._table.is_sparse and self._table.layout_of(self._array) == "sparse_csr")

    def size(self, dim=None):
        """size(dim=None) -> Size or int: all sizes, or that of one dimension."""
        shape = self._array.shape
        if dim is None:
            return Size(shape)
        if dim.__class__ is not int:
            if not isinstance(dim, Tensor) and (ask := getattr(type(dim), "__torch_function__", None)) is not None:
                return ask(Tensor.size, (type(dim),), (self, dim), {})
            dim = _dimension("size", dim)
        if not -len(shape) <= dim < len(shape):
            if not shape:
                raise IndexError(f"dimension specified as {dim} but tensor has no dimensions")
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-len(shape)}, {len(shape) - 1}], but got {dim})"
            )
        return shape[dim]

    def dim(self):
        """dim() -> int: the number of dimensions."""
        return self._array.ndim

    ndimension = dim

    def numel(self):
        """numel() -> int: the number of elements."""
        return self._array.size

    nelement = numel

    def __len__(self):
        shape = self._array.shape
        if not shape:
            raise TypeError("len() of a 0-d tensor")
        return shape[0]

    def element_size(self):
        """element_size() -> int: bytes of one element."""
        return self._table.dtype.itemsize

    def is_floating_point(self):
        """is_floating_point() -> bool"""
        return self._table.dtype.category == dtypes.FLOATING

    def is_complex(self):
        """is_complex() -> bool"""
        return self._table.dtype.category == dtypes.COMPLEX

    def is_signed(self):
        """is_signed() -> bool"""
        return self._table.dtype.is_signed

    def is_conj(self):
        """is_conj() -> bool: is it a view that is conjugated when it is read?"""
        return (mirror := mirror_of(self)) is not None and mirror.conj

    def is_neg(self):
        """is_neg() -> bool: is it a view that is negated when it is read?"""
        return (mirror := mirror_of(self)) is not None and mirror.neg

    def is_distributed(self):
        """is_distributed() -> bool: always False."""
        return False

    is_pinned = is_shared = is_distributed

    def is_inference(self):
        """is_inference() -> bool: was it made under inference_mode?"""
        return self._extra is not None and self._extra.inference

    def get_device(self):
        """get_device() -> int: the device's index, -1 for the CPU."""
        return -1 if self._table.device.type == "cpu" else self._table.device.index or 0

    # ---- memory

    def stride(self, dim=None):
        """stride(dim=None) -> tuple or int: steps in memory, in elements."""
        strides = self._table.strides(self._array)
        if dim is None:
            return strides
        if dim.__class__ is not int:
            dim = _dimension("stride", dim)
        ndim = len(strides)
        if not -ndim <= dim < ndim:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], but got {dim})"
            )
        return strides[dim]

    def storage_offset(self):
        """storage_offset() -> int: elements from the start of the storage to the first of this tensor."""
        return self._table.storage_offset(
            memory_of(self), self._extra.storage.owner if self._extra and self._extra.storage else None
        )

    def data_ptr(self):
        """data_ptr() -> int: the address of the first element."""
        return self._table.data_ptr(memory_of(self))

    const_data_ptr = data_ptr

    def is_contiguous(self, memory_format=contiguous_format):
        """is_contiguous(memory_format=contiguous_format) -> bool: dense in the given order of dimensions?"""
        shape, strides = self._array.shape, self._table.strides(self._array)
        if type(memory_format) is not type(contiguous_format):
            kind = type(memory_format).__name__
            raise TypeError(f"is_contiguous(): argument 'memory_format' must be torch.memory_format, not {kind}")
        order = CHANNELS_LAST.get(memory_format)
        if order is None:
            return is_contiguous(shape, strides)
        return len(shape) == len(order) and is_contiguous([shape[d] for d in order], [strides[d] for d in order])

    def is_non_overlapping_and_dense(self):
        """is_non_overlapping_and_dense() -> bool: are no gaps between its elements, and none of them twice?"""
        return is_dense(self._array.shape, self._table.strides(self._array))

    def is_set_to(self, tensor):
        """is_set_to(tensor) -> bool: the same memory read in the same way?"""
        return (
            self.data_ptr() == tensor.data_ptr()
            and self._array.shape == tensor._array.shape
            and (self is tensor or self._array.size or self.untyped_storage() is tensor.untyped_storage())
            and self.stride() == tensor.stride()
        )

    @property
    def _version(self):
        m = self._extra
        if m is not None and m.inference:
            raise RuntimeError("Inference tensors do not track version counter.")
        return 0 if m is None or m.storage is None else m.storage.version + m.version_offset

    @property
    def _base(self):
        return None if self._extra is None else self._extra.base

    def _is_view(self):
        return self._extra is not None and self._extra.base is not None

    @property
    def data(self):
        """The same memory outside the graph; writes through it are not noticed by autograd."""
        if DISPATCH and (told := self._told_data()) is not None:
            return told
        out = wrap(self._array, self._table)
        link_alias(out, self, private=True)
        if not self._table.aliases:
            cut_tangents(out)
        return out

    @data.setter
    def data(self, new):
        if not isinstance(new, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(new).__name__}")
        self._take_data(new)

    def _take_data(self, new):
        """Become `new`'s memory: array, table and storage; the graph and the gradient stay."""
        m, before = extra(self), 0 if self.is_inference() else self._version
        self._array, self._table = new._array, new._table
        m.storage, m.chain, m.mirror = storage_of(new), new._extra.chain, new._extra.mirror
        m.marked = m.marked or m.mirror is not None
        m.storage.add(self)
        m.version_offset = before - m.storage.version

    # ---- leaving for Python

    def item(self):
        """item() -> number: the only element as a Python number."""
        if DISPATCH and (told := self._told_item()) is not None:
            return told[0]
        if not self._table.has_data:
            if self._array.size != 1 and self._table.device.type != "meta":
                raise RuntimeError(f"a Tensor with {self._array.size} elements cannot be converted to Scalar")
            raise RuntimeError("Tensor.item() cannot be called on meta tensors")
        d = self._table.to_numpy(self._array)
        if d.size != 1:
            raise RuntimeError(f"a Tensor with {d.size} elements cannot be converted to Scalar")
        return d.item() if d.dtype.kind in "biufc" else readable(d).item()

    def tolist(self):
        """tolist() -> nested lists of Python numbers (a number for a 0-dim tensor)."""
        d = self._table.to_numpy(self._array)
        return d.tolist() if d.dtype.kind in "biufc" else readable(d).tolist()

    def __bool__(self):
        d = self._array
        if d.size != 1:
            if d.size == 0:
                raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
            raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
        return bool(d if self._table.is_transform else self.item())

    def __int__(self):
        return int(self._real_number("int64_t"))

    def __float__(self):
        if self._node is not None:
            warn_once(_LEAVES_GRAPH)
        return float(self._real_number("double"))

    def __complex__(self):
        if self._node is not None:
            warn_once(_LEAVES_GRAPH)
        return complex(self._number())

    def __index__(self):
        if self._array.size != 1 or self._table.inexact:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self.item())

    def _real_number(self, kind):
        number = self._number()
        if isinstance(number, complex):
            if number.imag:
                raise RuntimeError(f"value cannot be converted to type {kind} without overflow")
            return number.real
        return number

    def _number(self):
        if self._array.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        return self.item()

    def __format__(self, spec):
        if self._array.ndim == 0 and spec:
            return self.item().__format__(spec)
        return object.__format__(self, spec) if spec else str(self)

    def numpy(self, *, force=False):
        """numpy(*, force=False) -> ndarray: the same memory as a numpy array (force: detach, copy to the CPU)."""
        if force:
            if self.dtype is dtypes.complex32:  # which numpy lacks
                raise TypeError("Got unsupported ScalarType ComplexHalf")
            return self._table.to_numpy(self._array)
        if self._table.device.type != "cpu":
            raise TypeError(
                f"can't convert {self._table.device} device type tensor to numpy. Use Tensor.cpu() to copy the "
                "tensor to host memory first."
            )
        if self.requires_grad and local.grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        for bit, resolve in self._mirror_bits():
            raise RuntimeError(
                f"Can't call numpy() on Tensor that has {bit} bit set. Use tensor.{resolve}().numpy() instead."
            )
        array = self._table.to_numpy(self._array)
        if array.dtype.kind == "V" or array.dtype.kind not in "biufc":
            raise TypeError(f"Got unsupported ScalarType {dtypes.SCALAR_NAMES[self.dtype]}")
        return array

    def _mirror_bits(self):
        """What torch calls the ways in which it is turned when read, and what undoes them."""
        return [("conjugate", "resolve_conj")] * self.is_conj() + [("negative", "resolve_neg")] * self.is_neg()

    def __array__(self, dtype=None):
        array = self.numpy()
        return array if dtype is None or array.dtype == dtype else array.astype(dtype)

    def __array_wrap__(self, array, context=None, return_scalar=False):
        return self._from_numpy(array)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if self._node is not None:
            raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
        for bit, _ in self._mirror_bits():
            raise BufferError(f"Can't export tensors with the {bit} bit set")
        if self.device.type == "meta":
            raise BufferError("Cannot pack tensors on meta")
        if stream is not None:
            raise AssertionError("stream should be None on cpu.")
        return lend(self._table.to_numpy(self._array), self.dtype, max_version, copy)

    def __dlpack_device__(self):
        return 1, 0  # the CPU, where every device's memory is lent

    def __delitem__(self, index):
        """__delitem__(index) -> None: TypeError, since elements cannot be taken away."""
        raise TypeError("Tensor does not support deleting items")

    def __reversed__(self):
        """reversed(tensor) -> Tensor: turned round along its first dimension."""
        return self.flip(0) if self._array.ndim else self

    def __contains__(self, element):
        if isinstance(element, (Tensor, numbers.Number)):
            return bool((self == element).any())
        raise RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}.")

    def __iter__(self):
        if self._array.ndim == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))

    def __dir__(self):
        return sorted(set(object.__dir__(self)))

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        """What a subclass does with `func`: run it as for plain tensors, and give the results the subclass."""
        return cls._default_torch_function(func, types, args, kwargs or {})


new_object = object.__new__


def wrap(d, k) -> Tensor:
    """A plain tensor around a raw array, outside any graph."""
    t = new_object(Tensor)
    t._array, t._table, t._node, t._extra = d, k, None, None
    return t


def bare(t, levels=-1) -> Tensor:
    """t without the transforms that run (or some of them): its values, of all members of a batch, for checks."""
    d, k = t._array, t._table
    while k.is_transform and levels:
        d, k, levels = d.under, k.inner, levels - 1
    return wrap(d, k)
