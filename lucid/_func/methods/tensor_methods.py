"""Questions about tensors (is_floating_point, result_type ...), numel, apply_, map_, resize; the sym_ functions."""

import builtins
import math

from ..._array.numpy import memory
from ..._backend.promotion import is_number
from ..._backend.registry import public, tensor_method
from ..._base.promotion import result_dtype, scalar_dtype
from ..._base.symbolic import sym_float, sym_int
from ..._base.warn import warn
from ..._tensor.storage import write
from ..._tensor.tensor import Tensor
from ..creation.from_data import as_tensor, from_numpy, tensor
from ..pointwise.operands import need_tensors


def _need_tensor(name, x):
    need_tensors(name, input=x)
    return x


@public()
def is_tensor(obj):
    """is_tensor(obj) -> bool"""
    return isinstance(obj, Tensor)


@public()
def is_floating_point(input):
    """is_floating_point(input) -> bool: are its elements floating numbers (complex ones are not)?"""
    return _need_tensor("is_floating_point", input).is_floating_point()


@public()
def is_complex(input):
    """is_complex(input) -> bool: are its elements complex?"""
    return _need_tensor("is_complex", input).is_complex()


@public()
def is_signed(input):
    """is_signed(input) -> bool: can its elements be negative?"""
    return _need_tensor("is_signed", input).is_signed()


@public()
def is_conj(input):
    """is_conj(input) -> bool: is it a view that is conjugated when it is read?"""
    return _need_tensor("is_conj", input).is_conj()


@public()
def is_neg(input):
    """is_neg(input) -> bool: is it a view that is negated when it is read?"""
    return _need_tensor("is_neg", input).is_neg()


@public()
def is_distributed(input):
    """is_distributed(input) -> bool: always False."""
    return _need_tensor("is_distributed", input).is_distributed()


@public()
def is_inference(input):
    """is_inference(input) -> bool: was the tensor made under inference_mode?"""
    return _need_tensor("is_inference", input).is_inference()


@public(method=True)
def is_same_size(input, other):
    """is_same_size(input, other) -> bool: have they one shape?"""
    return input.shape == other.shape


@public(method=True)
def is_nonzero(input):
    """is_nonzero(input) -> bool: is the only element other than 0? RuntimeError unless there is exactly one."""
    return builtins.bool(_need_tensor("is_nonzero", input))


@public()
def numel(input):
    """numel(input) -> int: the number of elements."""
    return _need_tensor("numel", input).numel()


@public()
def get_device(input):
    """get_device(input) -> int: the device's index, -1 for the CPU."""
    return _need_tensor("get_device", input).get_device()


@public()
def result_type(tensor=None, other=None, *, tensor1=None, scalar=None, tensor2=None, scalar1=None, scalar2=None):
    """result_type(tensor1, tensor2) -> dtype of a result computed from two operands (tensors or numbers)."""
    given = [x for x in (tensor, tensor1, scalar1, other, scalar, tensor2, scalar2) if x is not None]
    groups = [], [], []
    if len(given) != 2:
        raise TypeError(
            "result_type() received an invalid combination of arguments - got "
            f"({', '.join(type(x).__name__ for x in given)}), but expected two operands"
        )
    for x in given:
        if isinstance(x, Tensor):
            groups[0 if x.ndim else 1].append(x.dtype)
        elif is_number(x):
            groups[2].append(scalar_dtype(x))
        else:
            raise TypeError(
                "result_type() received an invalid combination of arguments - got "
                f"({', '.join(type(x).__name__ for x in given)})"
            )
    return result_dtype(*groups)


@public()
def from_file(
    filename, shared=None, size=0, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False
):
    """from_file(filename, shared=False, size) -> 1-D Tensor over the file's first `size` elements.

    With shared=True writes reach the file, which is made, or made longer, where it is too short; else RuntimeError.
    """
    kind = dtype or as_tensor(0.0).dtype
    data = memory.mapped_file(filename, builtins.bool(shared), size * kind.itemsize)
    t = from_numpy(memory.typed(data, kind))
    return t.requires_grad_() if requires_grad else t


# ---- numbers that may be symbolic while a program is compiled (_base/symbolic.py)


def _plain(name, f, doc):
    f.__name__, f.__doc__ = name, doc
    public(name)(f)


_plain("sym_int", lambda a: sym_int(a), "sym_int(a) -> int, cut toward 0.")
_plain("sym_float", lambda a: sym_float(a), "sym_float(a) -> float")
_plain("sym_not", lambda a: not a, "sym_not(a) -> bool")


def _extreme(name, larger):
    choose = builtins.max if larger else builtins.min

    def f(a, b):
        found = choose(a, b)
        return sym_float(found) if isinstance(a, float) or isinstance(b, float) else found

    _plain(name, f, f"{name}(a, b) -> the {'larger' if larger else 'smaller'} number, a float if one of them is")


_extreme("sym_max", True)
_extreme("sym_min", False)
_plain("sym_ite", lambda b, t, f: t if b else f, "sym_ite(b, t, f) -> t if b else f")
_plain("sym_sum", lambda args: builtins.sum(args), "sym_sum(args) -> the sum of the numbers")


# ---- elements, one by one


def _refuse_graph(self, name):
    if self.requires_grad:
        raise RuntimeError(f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead.")


def _nested(f, *data):
    if isinstance(data[0], list):
        return [_nested(f, *row) for row in zip(*data)]
    return f(*data)


def _overwrite(self, values):
    write(self, self._table.import_from(tensor(values, dtype=self.dtype)._array, self._table))
    return self


@tensor_method
def apply_(self, callable):
    """apply_(callable) -> self, each element replaced by callable(element); slow, CPU only."""
    _refuse_graph(self, "apply_")
    if self.device.type != "cpu":
        raise TypeError("apply_ is only implemented on CPU tensors")
    return _overwrite(self, _nested(callable, self.tolist())) if self.numel() else self


@tensor_method
def map_(self, tensor, callable):
    """map_(tensor, callable) -> self, each element replaced by callable(element, tensor's element)."""
    _refuse_graph(self, "map_")
    other = tensor.expand(self.shape)
    return _overwrite(self, _nested(callable, self.tolist(), other.tolist())) if self.numel() else self


@tensor_method
def map2_(self, x, y, callable):
    """map2_(x, y, callable) -> self, each element replaced by callable(element, x's, y's)."""
    _refuse_graph(self, "map2_")
    parts = [t.expand(self.shape).tolist() for t in (x, y)]
    return _overwrite(self, _nested(callable, self.tolist(), *parts)) if self.numel() else self


@tensor_method
def dim_order(self, *, ambiguity_check=False):
    """dim_order() -> tuple: the dimensions from the outermost to the innermost in memory."""
    strides = self.stride()
    return tuple(sorted(range(self.ndim), key=lambda d: (-strides[d], d)))


@tensor_method
def resize(self, *sizes):
    """resize(*sizes) -> Tensor of another shape with the same elements (deprecated in torch)."""
    warn("non-inplace resize is deprecated", UserWarning)
    sizes = tuple(sizes[0]) if len(sizes) == 1 and not isinstance(sizes[0], int) else sizes
    if math.prod(sizes) != self.numel():
        wanted, own = ("x".join(map(str, shape)) for shape in (sizes, self.shape))
        raise RuntimeError(
            f"requested resize to {wanted} ({math.prod(sizes)} elements in total), but the given tensor "
            f"has a size of {own} ({self.numel()} elements). autograd's resize can only change the "
            "shape of a given tensor, while preserving the number of elements. "
        )
    return self.contiguous().view(sizes)


@tensor_method
def resize_as(self, tensor):
    """resize_as(tensor) -> Tensor of tensor's shape with the same elements (deprecated in torch)."""
    return self.resize(tensor.shape)


@tensor_method
def dequantize(self):
    """dequantize() -> Tensor: self as float32."""
    return self.float() if self.is_floating_point() else self


@tensor_method
def module_load(self, other, assign=False):
    """module_load(other, assign=False) -> what load_state_dict puts in self's place:
    other, or self with other's values.
    """
    return other.detach() if assign else self.copy_(other).detach()


Tensor.sparse_dim = lambda self: 0
Tensor.dense_dim = lambda self: self.ndim
Tensor.volatile = property(lambda self: False, doc="False: from before torch 0.4.")
Tensor.grad_dtype = property(lambda self: self.dtype, doc="The type its gradient has.")


# ---- functions of torch's that are methods too


@public(word=False)
def as_strided_(input, size, stride, storage_offset=None):
    """as_strided_(input, size, stride, storage_offset=None) -> Tensor: input with other sizes and strides."""
    return input.as_strided_(size, stride, storage_offset)


@public(word=False)
def xlogy_(input, other):
    """xlogy_(input, other) -> Tensor: the in-place form of xlogy."""
    return input.xlogy_(other)


@public(word=False)
def detach_copy(input):
    """detach_copy(input) -> Tensor: a copy that is cut out of the graph."""
    return input.detach().clone()
