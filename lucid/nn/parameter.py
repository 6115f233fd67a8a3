"""Tensors that a module owns: Parameter (trained), Buffer (kept), and their uninitialized forms for lazy layers."""

import collections

from .._backend.overrides import _disabled, treat_as_plain
from .._base.state import local
from .._func.creation.gfunc import empty
from .._tensor.tensor import Tensor, preserve_format

__all__ = [
    "Parameter",
    "UninitializedParameter",
    "is_lazy",
    "Buffer",
    "UninitializedBuffer",
    "UninitializedTensorMixin",
]


def _flagged(flag):
    """A metaclass whose isinstance also accepts tensors of other types that carry `flag`."""

    class Meta(type(Tensor)):
        def __instancecheck__(cls, instance):
            if type.__instancecheck__(cls, instance):
                return True
            return cls.__dict__.get("_flag") == flag and isinstance(instance, Tensor) and getattr(instance, flag, False)

    return Meta


class Parameter(Tensor, metaclass=_flagged("_is_param")):
    """Parameter(data=None, requires_grad=True): a leaf that joins a module's parameters when assigned to it.

    It shares data's memory and is outside data's graph. Without data it is empty, of shape (0,). A tensor of another
    subclass stays of that subclass; isinstance(t, Parameter) is then true through a mark on the tensor.
    """

    __slots__ = ()
    _flag = "_is_param"

    def __new__(cls, data=None, requires_grad=True):
        if data is None:
            data = empty(0)
        if type(data) is Tensor or type(data) is Parameter:
            if requires_grad and not data._table.inexact:
                raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
            return Tensor._make_subclass(cls, data, requires_grad)
        marked = data.detach().requires_grad_(requires_grad)
        if type(marked) is not type(data):
            raise RuntimeError(
                f"Creating a Parameter from an instance of type {type(data).__name__} requires that detach() returns "
                f"an instance of the same type, but return type {type(marked).__name__} was found instead. To use the "
                "type as a Parameter, please correct the detach() semantics defined by its __torch_dispatch__() "
                "implementation."
            )
        marked._is_param = True
        return marked

    def __deepcopy__(self, memo):
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.data.clone(memory_format=preserve_format), self.requires_grad)
        return memo[id(self)]

    def __repr__(self):
        return "Parameter containing:\n" + super().__repr__()

    def __reduce_ex__(self, proto):
        args = (self.data, self.requires_grad, collections.OrderedDict())
        if self.__dict__:
            return _rebuild_parameter_with_state, (*args, dict(self.__dict__))
        return _rebuild_parameter, args

    __torch_function__ = classmethod(_disabled)


treat_as_plain(Parameter)


def _rebuild_parameter(data, requires_grad, backward_hooks):
    """What a pickled Parameter is read with."""
    return Parameter(data, requires_grad)


def _rebuild_parameter_with_state(data, requires_grad, backward_hooks, state):
    """The same for one with attributes of its own."""
    p = Parameter(data, requires_grad)
    p.__dict__.update(state)
    return p


class Buffer(Tensor, metaclass=_flagged("_is_buffer")):
    """Buffer(data=None, *, persistent=True): a tensor that joins a module's buffers when assigned to it.

    persistent: is it part of the module's state_dict? The result is a marked tensor of data's own type.
    """

    __slots__ = ()
    _flag = "_is_buffer"

    def __new__(cls, data=None, *, persistent=True):
        if data is None:
            data = empty(0)
        t = data.detach().requires_grad_(data.requires_grad)
        t.persistent, t._is_buffer = persistent, True
        return t

    __torch_function__ = classmethod(_disabled)


class UninitializedTensorMixin:
    """A tensor whose shape is not known yet: it can be cast, moved and materialized, and nothing else."""

    __slots__ = ()

    _allowed_methods = [
        Tensor.__hash__,
        Tensor.size,
        Tensor.copy_,
        Tensor.is_complex,
        Tensor.is_floating_point,
        Tensor.half,
        Tensor.float,
        Tensor.double,
        Tensor.char,
        Tensor.short,
        Tensor.int,
        Tensor.long,
        Tensor.cuda,
        Tensor.cpu,
        Tensor.to,
        Tensor.get_device,
        Tensor.detach,
    ]

    def materialize(self, shape, device=None, dtype=None):
        """materialize(shape, device=None, dtype=None): become an ordinary parameter or tensor, its values undefined."""
        self.data = empty(shape, device=device or self.device, dtype=dtype or self.dtype)
        self.__class__ = self.cls_to_become

    @property
    def shape(self):
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
            "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call `forward` "
            "to initialize the parameters before accessing their attributes."
        )

    def share_memory_(self):
        raise RuntimeError(
            "Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize "
            "the parameters before calling `module.share_memory()`."
        )

    def __repr__(self):
        return f"<{type(self).__name__}>"

    def __reduce_ex__(self, proto):
        return type(self), (self.requires_grad,)

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func in cls._allowed_methods or type(func).__name__ == "method-wrapper":  # a property's getter or setter
            before, local.subclass_off = local.subclass_off, True
            try:
                return func(*args, **kwargs or {})
            finally:
                local.subclass_off = before
        raise ValueError(
            f"Attempted to use an uninitialized parameter in {func}. This error happens when you are using a "
            f"`LazyModule` or explicitly manipulating `torch.nn.parameter.{cls.__name__}` objects. When using "
            "LazyModules Call `forward` with a dummy batch to initialize the parameters before calling torch functions"
        )


def is_lazy(param):
    """is_lazy(param) -> bool: is it still uninitialized?"""
    return isinstance(param, UninitializedTensorMixin)


class UninitializedParameter(UninitializedTensorMixin, Parameter):
    """UninitializedParameter(requires_grad=True, device=None, dtype=None): a Parameter that waits for its shape."""

    __slots__ = ()
    cls_to_become = Parameter

    def __new__(cls, requires_grad=True, device=None, dtype=None):
        return Tensor._make_subclass(cls, empty(0, device=device, dtype=dtype), requires_grad)

    def __deepcopy__(self, memo):
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, self.device, self.dtype)
        return memo[id(self)]


class UninitializedBuffer(UninitializedTensorMixin, Tensor):
    """UninitializedBuffer(requires_grad=False, device=None, dtype=None, persistent=True): a buffer without a shape
    yet."""

    __slots__ = ()
    cls_to_become = Tensor

    def __new__(cls, requires_grad=False, device=None, dtype=None, persistent=True):
        t = Tensor._make_subclass(cls, empty(0, device=device, dtype=dtype), requires_grad)
        t.persistent, t._is_buffer = persistent, True
        return t


def hold(module, device, dtype, **shapes):
    """Give module one parameter per keyword: undefined values of that shape, or None where the shape is None."""
    for name, shape in shapes.items():
        module.register_parameter(name, None if shape is None else Parameter(empty(shape, device=device, dtype=dtype)))


def hold_lazy(module, device, dtype, *names):
    """Give module uninitialized parameters under these names."""
    for name in names:
        setattr(module, name, UninitializedParameter(device=device, dtype=dtype))
