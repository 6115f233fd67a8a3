"""Parametrizations: an attribute of a module computed, at each access, from other tensors that are trained instead."""

import collections.abc
import contextlib
import copy
import copyreg

from ..._tensor.tensor import Tensor
from .._ops import no_recording
from ..modules.container import ModuleDict, ModuleList
from ..parameter import Parameter

__all__ = [
    "cached",
    "ParametrizationList",
    "register_parametrization",
    "is_parametrized",
    "remove_parametrizations",
    "type_before_parametrizations",
    "transfer_parametrizations_and_params",
]


class _Cache:
    """Values computed inside `with cached()`, by (id of the module, name)."""

    depth = 0
    values = {}


@contextlib.contextmanager
def cached():
    """with cached(): each parametrized tensor is computed once."""
    _Cache.depth += 1
    try:
        yield
    finally:
        _Cache.depth -= 1
        if not _Cache.depth:
            _Cache.values = {}


def _register(module, name, t):
    (module.register_parameter if isinstance(t, Parameter) else module.register_buffer)(name, t)


def _same(what, wanted, got, text):
    if wanted != got:
        raise ValueError(text.format(what=what, wanted=wanted, got=got))


def _check_tensor(t, text):
    if not isinstance(t, Tensor):
        raise ValueError(f"{text} {type(t).__name__}.")


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, the first applied first, and the tensor(s) they start from.

    These are `original`, or `original0`, `original1` ... where right_inverse gives several.
    """

    def __init__(self, modules, original, unsafe=False):
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, dtype = original.shape, original.dtype
        with no_recording():
            new = original
            for module in reversed(list(self)):
                if hasattr(module, "right_inverse"):
                    with contextlib.suppress(NotImplementedError):
                        new = module.right_inverse(new)
        if not isinstance(new, (Tensor, collections.abc.Sequence)):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got "
                f"{type(new).__name__}"
            )
        self.is_tensor = isinstance(new, Tensor)
        self.ntensors = 1 if self.is_tensor else len(new)
        if self.is_tensor:
            for what in ("dtype", "device"):
                _same(
                    what,
                    getattr(original, what),
                    getattr(new, what),
                    "When `right_inverse` outputs one tensor, it may not change the {what}.\noriginal.{what}: "
                    "{wanted}\nright_inverse(original).{what}: {got}",
                )
            with no_recording():
                original.set_(new)
            _register(self, "original", original)
        else:
            self._keep_several(new, original)
        if not unsafe:
            self._check_result(shape, dtype)

    def _keep_several(self, new, original):
        for i, t in enumerate(new):
            if not isinstance(t, Tensor):
                raise ValueError(
                    "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got "
                    f"element {i} of the sequence with type {type(t).__name__}."
                )
            if isinstance(original, Parameter):
                t = Parameter(t, original.requires_grad)
            _register(self, f"original{i}", t.requires_grad_(original.requires_grad))

    def _check_result(self, shape, dtype):
        result = self()
        _check_tensor(result, "A parametrization must return a tensor. Got")
        for what, wanted in (("dtype", dtype), ("shape", shape)):
            _same(
                what,
                wanted,
                getattr(result, what),
                "Registering a parametrization may not change the {what} of the tensor, unless `unsafe` flag is "
                "enabled.\nunparametrized {what}: {wanted}\nparametrized {what}: {got}",
            )

    def right_inverse(self, value):
        """Set the originals so that the parametrizations give value (as far as their right_inverse can)."""
        with no_recording():
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
                value = module.right_inverse(value)
            if self.is_tensor:
                if not isinstance(value, Tensor):
                    raise ValueError(f"`right_inverse` should return a tensor. Got {type(value).__name__}")
                _same(
                    "dtype",
                    self.original.dtype,
                    value.dtype,
                    "The tensor returned by `right_inverse` has dtype {got} while `original` has dtype {wanted}",
                )
                self.original.set_(value)
                return
            if not isinstance(value, collections.abc.Sequence):
                raise ValueError(f"'right_inverse' must return a sequence of tensors. Got {type(value).__name__}.")
            if len(value) != self.ntensors:
                raise ValueError(
                    f"'right_inverse' must return a sequence of tensors of length {self.ntensors}. Got a "
                    f"sequence of length {len(value)}."
                )
            for i, t in enumerate(value):
                own = getattr(self, f"original{i}")
                if not isinstance(t, Tensor):
                    raise ValueError(
                        "'right_inverse' must return a sequence of tensors or reference-type opaques. Got "
                        f"element {i} of type {type(t).__name__}."
                    )
                if own.dtype != t.dtype:
                    raise ValueError(
                        f"Tensor {i} returned by `right_inverse` has dtype {t.dtype} while `original{i}` "
                        f"has dtype {own.dtype}"
                    )
                own.set_(t)

    def forward(self):
        first, *others = self
        x = (
            first(self.original)
            if self.is_tensor
            else first(*[getattr(self, f"original{i}") for i in range(self.ntensors)])
        )
        for module in others:
            x = module(x)
        return x


def _deepcopy(self, memo):
    """Module's copying, for a class whose __getstate__ refuses."""
    if id(self) in memo:
        return memo[id(self)]
    replica = memo[id(self)] = self.__new__(type(self))
    replica.__dict__ = copy.deepcopy(self.__dict__, memo)
    for slot in copyreg._slotnames(type(self)):
        if hasattr(self, slot):
            setattr(replica, slot, copy.deepcopy(getattr(self, slot), memo))
    return replica


def _getstate(self):
    raise RuntimeError(
        "Serialization of parametrized modules is only supported through state_dict(). See:\n"
        "https://pytorch.org/tutorials/beginner/saving_loading_models.html"
        "#saving-loading-a-general-checkpoint-for-inference-and-or-resuming-training"
    )


def _inject_new_class(module):
    """Give module a class of its own, which can have properties."""
    cls = type(module)
    scope = {"__getstate__": _getstate}
    if not hasattr(cls, "__deepcopy__"):
        scope["__deepcopy__"] = _deepcopy
    module.__class__ = type(f"Parametrized{cls.__name__}", (cls,), scope)


def _inject_property(module, name):
    """name reads the parametrized value and writes through right_inverse."""
    if hasattr(module, name):
        raise AssertionError(f"Module already has an attribute named '{name}'")

    def get(self):
        compute = self.parametrizations[name]
        if not _Cache.depth:
            return compute()
        key = (id(self), name)
        if _Cache.values.get(key) is None:
            _Cache.values[key] = compute()
        return _Cache.values[key]

    def put(self, value):
        self.parametrizations[name].right_inverse(value)

    setattr(type(module), name, property(get, put))


def _check_addition(module, name, parametrization):
    """A further parametrization must keep type and shape, and so must its right_inverse."""
    before = getattr(module, name)
    after = parametrization(before)
    _check_tensor(after, "A parametrization must return a tensor. Got")
    for what in ("dtype", "shape"):
        _same(
            what,
            getattr(before, what),
            getattr(after, what),
            "Registering a parametrization may not change the {what} of the tensor, unless the `unsafe` flag is "
            f"enabled.\nmodule.{name}.{{what}}: {{wanted}}\nparametrization(module.{name}).{{what}}: {{got}}",
        )
    if not hasattr(parametrization, "right_inverse"):
        return
    try:
        back = parametrization.right_inverse(after)
    except NotImplementedError:
        return
    if not isinstance(back, Tensor):
        raise ValueError(f"parametrization.right_inverse must return a tensor. Got: {type(back).__name__}")
    for what in ("dtype", "shape"):
        _same(
            what,
            getattr(before, what),
            getattr(back, what),
            f"The tensor returned by parametrization.right_inverse must have the same {{what}} as module.{name}, "
            f"unless the `unsafe` flag is enabled.\nmodule.{name}.{{what}}: {{wanted}}\nreturned {{what}}: {{got}}",
        )


def register_parametrization(module, tensor_name, parametrization, *, unsafe=False):
    """register_parametrization(module, "weight", parametrization) -> module whose weight is parametrization(original).

    original (module.parametrizations.weight.original) is what is trained; a right_inverse(value) of the parametrization
    gives it from a value. unsafe: the type and shape may change.
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            _check_addition(module, tensor_name, parametrization)
        module.parametrizations[tensor_name].append(parametrization)
        module.parametrizations[tensor_name].unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        made = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe=unsafe)
        delattr(module, tensor_name)
        if not is_parametrized(module):
            _inject_new_class(module)
            module.parametrizations = ModuleDict()
        _inject_property(module, tensor_name)
        module.parametrizations[tensor_name] = made
    else:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
            f"'{tensor_name}'"
        )
    return module


def is_parametrized(module, tensor_name=None):
    """is_parametrized(module, name=None) -> bool: is this tensor (or any) parametrized?"""
    parametrizations = getattr(module, "parametrizations", None)
    if parametrizations is None or not isinstance(parametrizations, ModuleDict):
        return False
    return len(parametrizations) > 0 if tensor_name is None else tensor_name in parametrizations


def remove_parametrizations(module, tensor_name, leave_parametrized=True):
    """remove_parametrizations(module, name, leave_parametrized=True) -> module with a plain tensor: its computed value,
    or the
    original one."""
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    made = module.parametrizations[tensor_name]
    if made.is_tensor:
        kept = made.original
        if leave_parametrized:
            with no_recording():
                kept.set_(getattr(module, tensor_name))
    elif leave_parametrized:
        value = getattr(module, tensor_name)
        kept = Parameter(value) if value.requires_grad else value
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in "
            "terms of a sequence of tensors."
        )
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    _register(module, tensor_name, kept)
    if not is_parametrized(module):
        del module.parametrizations
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module):
    """type_before_parametrizations(module) -> the class it had."""
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(from_module, to_module, tensor_name=None):
    """transfer_parametrizations_and_params(a, b, name=None) -> b with a's parametrizations and their originals."""
    if not is_parametrized(from_module):
        return to_module
    for name in list(from_module.parametrizations) if tensor_name is None else [tensor_name]:
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name)))
        source = from_module.parametrizations[name]
        for parametrization in source:
            register_parametrization(to_module, name, parametrization)
        target = to_module.parametrizations[name]
        for original in ["original"] if source.is_tensor else [f"original{i}" for i in range(source.ntensors)]:
            setattr(target, original, getattr(source, original))
    return to_module
