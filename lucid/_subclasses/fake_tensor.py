"""FakeTensorMode: programs run on tensors that have a shape, a type, strides and a device, and no numbers."""

import weakref

from .._array.meta import fake
from .._backend import dispatch
from .._backend.overrides import _disabled
from .._base.device import device as device_type
from .._base.dtype import bool_, uint8
from .._base.state import defaults, local
from .._base.tree import tree_map
from .._modes.fake import faking
from .._modes.torch_dispatch import TorchDispatchMode, disable_modes
from .._tensor.tensor import Tensor, new_object


class _OfOp(RuntimeError):
    """An op that cannot be done without numbers; `func` is the op."""

    def __init__(self, func):
        super().__init__(str(func))
        self.func = func


class DataDependentOutputException(_OfOp):
    """A Python value was asked for that depends on the numbers of a tensor."""


class DynamicOutputShapeException(_OfOp):
    """The shape of a result depends on the numbers of a tensor."""


class UnsupportedFakeTensorException(RuntimeError):
    """A tensor of which no fake can be made."""

    def __init__(self, reason):
        super().__init__(reason)
        self.reason = reason


class UnsupportedOperatorException(_OfOp):
    """An op that fake tensors do not know."""


class FakeTensor(Tensor):
    """A tensor without numbers, said to be on `fake_device`; made by a FakeTensorMode."""

    __slots__ = ()
    __torch_function__ = classmethod(_disabled)

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        found = [t for t in dispatch.tensors_of(args, kwargs or {}) if isinstance(t, FakeTensor)]
        return found[0].fake_mode.dispatch(func, args, kwargs or {})

    def __new__(cls, fake_mode, elem, device=None, **kwargs):
        return fake_mode.made_fake(elem, device)

    def __repr__(self, *, tensor_contents=None):
        name = "Parameter(FakeTensor" if getattr(self, "_is_param", False) else "FakeTensor"
        parts = ["..."]
        if self.device.type != "cpu":
            parts.append(f"device='{self.device}'")
        parts.append(f"size={tuple(self.shape)}")
        if self.dtype is not defaults.dtype:
            parts.append(f"dtype={self.dtype}")
        if self._node is not None and not self._node.is_leaf_end:
            parts.append(f"grad_fn=<{self.grad_fn.name()}>")
        elif self.requires_grad:
            parts.append("requires_grad=True")
        return f"{name}({', '.join(parts)})" + ")" * name.count("(")

    @property
    def fake_device(self):
        """The device that it is said to be on."""
        return self._table.device

    @staticmethod
    def from_tensor(t, fake_mode):
        """from_tensor(t, fake_mode) -> FakeTensor"""
        return fake_mode.from_tensor(t)

    def tolist(self):
        """tolist(): the numbers are not there."""
        if self.dim() == 0:
            return self.item()
        raise DataDependentOutputException(dispatch.Speller.current.aten("_local_scalar_dense"))

    def numpy(self, *, force=False):
        """numpy(): RuntimeError, there are no numbers."""
        raise RuntimeError(".numpy() is not supported for tensor subclasses.")


class FakeTensorMode(TorchDispatchMode):
    """with FakeTensorMode(): tensors that are made are fake; `from_tensor` makes fakes of real ones."""

    def __init__(
        self,
        *,
        allow_fallback_kernels=True,
        allow_non_fake_inputs=False,
        shape_env=None,
        static_shapes=None,
        export=False,
    ):
        super().__init__()
        dispatch.look_out(FakeTensor)
        self.allow_fallback_kernels, self.allow_non_fake_inputs = allow_fallback_kernels, allow_non_fake_inputs
        self.shape_env, self.export = shape_env, export
        self.static_shapes = shape_env is None if static_shapes is None else static_shapes
        self._known = {}  # id of a real tensor -> (weak reference, its fake)
        self._entered = []

    @classmethod
    def is_infra_mode(cls):
        return True

    def __enter__(self):
        if self in local.dispatch_modes[-1:]:
            self._entered.append(False)
            return self
        self._entered.append(True)
        return super().__enter__()

    def __exit__(self, *exc):
        if self._entered.pop():
            super().__exit__(*exc)

    # ---- fakes of real tensors

    def from_tensor(self, tensor, *, static_shapes=None, source=None, symbolic_context=None, trace=True):
        """from_tensor(t) -> FakeTensor like t: sizes, strides, type, device, whether it needs a gradient; the same one
        for the same tensor."""
        if isinstance(tensor, FakeTensor):
            if tensor.fake_mode is not self:
                raise AssertionError("Mixing fake modes NYI")
            return tensor
        ref, known = self._known.get(id(tensor), (None, None))
        if ref is None or ref() is not tensor:
            known = self._fake_like(tensor)
            self._known[id(tensor)] = weakref.ref(tensor), known
        return known

    def _fake_like(self, tensor):
        k = fake.table(tensor._table.dtype, tensor._table.device)
        made = new_object(FakeTensor)
        made._array, made._table = k.empty_strided(tensor.shape, tensor.stride()), k
        made._node = made._extra = None
        made.fake_mode = self
        if tensor.requires_grad:
            made.requires_grad_()
            if not tensor.is_leaf:
                with self:
                    made = made.clone()
        if type(tensor).__name__ == "Parameter":
            made._is_param = True
        return made

    def made_fake(self, elem, device=None):
        """elem, a tensor without data, as one of this mode's on a device."""
        place = elem.device if device is None else device_type(device)
        k = fake.table(elem.dtype, place)
        made = new_object(FakeTensor)
        made._array, made._table = k.empty_strided(elem.shape, elem.stride()), k
        made._node = made._extra = None
        made.fake_mode = self
        return made

    # ---- calls

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return self.dispatch(func, args, kwargs or {})

    def dispatch(self, func, args, kwargs):
        """What a call gives, without its numbers."""
        tensors = dispatch.tensors_of(args, kwargs)
        if func._opname in ("lift_fresh", "lift_fresh_copy") and tensors and not isinstance(tensors[0], FakeTensor):
            return self._fake_like(tensors[0])
        args, kwargs = self._all_fake(func, tensors, args, kwargs)
        self._refuse(func, args)
        with faking(), dispatch.classes_unseen():
            got = self._run(func, args, kwargs)
        return tree_map(self._own, got)

    def _run(self, func, args, kwargs):
        own = getattr(func, "faked", None)  # of an op that the program defined
        if own is not None:
            return own(*args, **kwargs)
        return func.compute(*args, **kwargs)

    def _own(self, t):
        """A result as a fake of this mode's."""
        if isinstance(t, Tensor) and not isinstance(t, FakeTensor):
            if not isinstance(t._table, fake.FakeWords):
                return self._fake_like(t)
            t.__class__ = FakeTensor
            t.fake_mode = self
        return t

    def _all_fake(self, func, tensors, args, kwargs):
        """The arguments with fakes only; AssertionError for a real tensor, where those are not allowed."""
        for t in tensors:
            if isinstance(t._table, fake.FakeWords):
                self._own(t)  # made inside a composite, by no op
        real = [t for t in tensors if not isinstance(t, FakeTensor)]
        if not real:
            return args, kwargs
        if not self.allow_non_fake_inputs:
            shown = ", ".join(map(_shown, [*args, *kwargs.values()]))
            raise AssertionError(
                "Please convert all Tensors to FakeTensors first or instantiate FakeTensorMode with "
                f"'allow_non_fake_inputs'. Found in {func}({shown})"
            )
        as_fake = lambda t: self.from_tensor(t) if isinstance(t, Tensor) else t  # noqa: E731
        return tree_map(as_fake, args), tree_map(as_fake, kwargs)

    def _refuse(self, func, args):
        """The errors of calls that need the numbers."""
        tags = func._tags
        if "data_dependent_output" in tags:
            raise DataDependentOutputException(func)
        if "dynamic_output_shape" in tags and func._opname not in _SHAPED_ALL_THE_SAME:
            masks = [i for i in args[1] if i is not None] if func._opname == "index" else ()
            if func._opname != "index":
                raise DynamicOutputShapeException(func)
            if any(i.dtype in (bool_, uint8) for i in masks):
                raise DynamicOutputShapeException(dispatch.Speller.current.aten("nonzero"))


_SHAPED_ALL_THE_SAME = {"nonzero_static", "index_put", "index_put_"}


def _shown(value):
    if isinstance(value, Tensor) and not isinstance(value, FakeTensor):
        return f"tensor([...], size={tuple(value.shape)})"
    return repr(value)


def maybe_get_fake_mode(t):
    """maybe_get_fake_mode(t) -> FakeTensorMode of a fake tensor, or None"""
    return t.fake_mode if isinstance(t, FakeTensor) else None


def is_fake(x):
    """is_fake(x) -> bool: a fake tensor?"""
    return isinstance(x, FakeTensor)


def unset_fake_temporarily():
    """with unset_fake_temporarily(): no fake mode is on."""
    return disable_modes()
