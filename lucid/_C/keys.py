"""Dispatch keys: names of the layers that a call of torch's passes. Sets of them can be made; they steer nothing."""

from .._backend.autocast import set_state
from .._base.state import grad_enabled, local, set_grad_enabled

_NAMES = """Undefined CPU CUDA HIP XLA MPS IPU XPU HPU VE Lazy MTIA MAIA PrivateUse1 PrivateUse2 PrivateUse3 Meta FPGA
    Vulkan Metal Quantized CustomRNGKeyId MkldnnCPU Sparse SparseCsr NestedTensor BackendSelect Python
    FuncTorchDynamicLayerBackMode Functionalize Named Conjugate Negative ZeroTensor ADInplaceOrView
    AutogradOther AutogradFunctionality AutogradNestedTensor Tracer TESTING_ONLY_GenericWrapper
    TESTING_ONLY_GenericMode AutocastCPU AutocastXPU AutocastCUDA AutocastMPS AutocastHPU AutocastXLA
    AutocastPrivateUse1 FuncTorchBatched BatchedNestedTensor FuncTorchVmapMode Batched VmapMode
    FuncTorchGradWrapper DeferredInit PythonTLSSnapshot FuncTorchDynamicLayerFrontMode PreDispatch
    PythonDispatcher AutogradCPU AutogradCUDA AutogradXLA AutogradMPS AutogradXPU AutogradHPU AutogradLazy
    AutogradMTIA AutogradMAIA AutogradPrivateUse1 AutogradMeta QuantizedCPU QuantizedCUDA SparseCPU SparseCUDA
    SparseCsrCPU SparseCsrCUDA NestedTensorCPU NestedTensorCUDA Autograd CompositeImplicitAutograd
    CompositeImplicitAutogradNestedTensor CompositeExplicitAutograd CompositeExplicitAutogradNonFunctional
    FuncTorchBatchedDecomposition Dense
""".split()


class DispatchKey:
    """DispatchKey.CPU ...: names of layers."""

    __members__: dict = {}

    def __init__(self, name, value):
        self.name, self.value = name, value

    def __repr__(self):
        return f"<DispatchKey.{self.name}: {self.value}>"

    def __str__(self):
        return f"DispatchKey.{self.name}"

    def __int__(self):
        return self.value

    __index__ = __int__

    def __reduce__(self):
        return getattr, (DispatchKey, self.name)


for _value, _name in enumerate(_NAMES):
    DispatchKey.__members__[_name] = DispatchKey(_name, _value)
    setattr(DispatchKey, _name, DispatchKey.__members__[_name])


class DispatchKeySet:
    """DispatchKeySet(key): keys, with | & - and has"""

    def __init__(self, keys):
        keys = [keys] if isinstance(keys, DispatchKey) else keys
        self._keys = tuple(sorted(set(keys), key=lambda k: k.value))

    def __or__(self, other):
        return DispatchKeySet(self._keys + other._keys)

    def __and__(self, other):
        return DispatchKeySet([k for k in self._keys if k in other._keys])

    def __sub__(self, other):
        return DispatchKeySet([k for k in self._keys if k not in other._keys])

    def add(self, key):
        """add(key) -> DispatchKeySet"""
        return DispatchKeySet((*self._keys, key))

    def remove(self, key):
        """remove(key) -> DispatchKeySet"""
        return self - DispatchKeySet(key)

    def has(self, key):
        """has(key) -> bool"""
        return key in self._keys

    def highestPriorityTypeId(self):
        """highestPriorityTypeId() -> DispatchKey"""
        return self._keys[-1] if self._keys else DispatchKey.Undefined

    def raw_repr(self):
        """raw_repr() -> int, a bit for each key"""
        return sum(1 << k.value for k in self._keys)

    def __iter__(self):
        return iter(self._keys)

    def __eq__(self, other):
        return isinstance(other, DispatchKeySet) and self._keys == other._keys

    def __hash__(self):
        return hash(self._keys)

    def __repr__(self):
        return f"DispatchKeySet({', '.join(k.name for k in self._keys)})"


class _Guard:
    """with a guard of keys: nothing changes here."""

    def __init__(self, keys):
        self.keys = keys

    def __enter__(self):
        return None

    def __exit__(self, *exc):
        return False


class _ExcludeDispatchKeyGuard(_Guard):
    """with _ExcludeDispatchKeyGuard(keys): of autocast's and autograd's keys, those are off; others change nothing."""

    def __enter__(self):
        names = [key.name for key in DispatchKeySet(self.keys)]
        self._before = local.autocast.enabled, grad_enabled()
        left = self._before[0] - {name.removeprefix("Autocast").lower() for name in names}
        if left != self._before[0]:
            set_state(local.autocast._replace(enabled=left))
        if any(name.startswith("Autograd") for name in names):
            set_grad_enabled(False)

    def __exit__(self, *exc):
        if local.autocast.enabled != self._before[0]:
            set_state(local.autocast._replace(enabled=self._before[0]))
        set_grad_enabled(self._before[1])
        return False


class ExcludeDispatchKeyGuard(_ExcludeDispatchKeyGuard):
    """The same under the name that `torch` shows."""


class _IncludeDispatchKeyGuard(_Guard):
    """with _IncludeDispatchKeyGuard(keys): nothing changes here."""


class _ForceDispatchKeyGuard(_Guard):
    """with _ForceDispatchKeyGuard(include, exclude): nothing changes here."""

    def __init__(self, *keys):
        super().__init__(keys)


class _AutoDispatchBelowAutograd(_Guard):
    """with _AutoDispatchBelowAutograd(): NotImplementedError, lucid has no layers below autograd to enter."""

    def __init__(self):
        raise NotImplementedError("torch._C._AutoDispatchBelowAutograd: lucid has no layer below autograd; use no_grad")


for _cls in (DispatchKey, DispatchKeySet):
    _cls.__module__ = __name__.partition(".")[0]
