"""torch._C.DispatchKey, DispatchKeySet and _ExcludeDispatchKeyGuard: the keys' names, and how to leave some out."""

import enum

from .._backend.autocast import set_state
from .._base.state import grad_enabled, local, set_grad_enabled

_KINDS = "CPU CUDA HIP XLA MPS IPU XPU HPU VE Lazy MTIA MAIA PrivateUse1 PrivateUse2 PrivateUse3 Meta"
_FUNCTIONALITY = """Undefined Dense Quantized Sparse SparseCsr NestedTensor FPGA Vulkan Metal CustomRNGKeyId MkldnnCPU
    BackendSelect Python Fake FuncTorchDynamicLayerBackMode Functionalize Named Conjugate Negative ZeroTensor
    ADInplaceOrView AutogradOther AutogradFunctionality AutogradNestedTensor Tracer AutocastCPU AutocastXPU AutocastIPU
    AutocastHPU AutocastXLA AutocastMPS AutocastCUDA AutocastMTIA AutocastMAIA AutocastPrivateUse1 FuncTorchBatched
    BatchedNestedTensor FuncTorchVmapMode Batched VmapMode FuncTorchGradWrapper DeferredInit PythonTLSSnapshot
    FuncTorchDynamicLayerFrontMode TESTING_ONLY_GenericWrapper TESTING_ONLY_GenericMode PreDispatch
    PythonDispatcher Autograd CompositeImplicitAutograd CompositeExplicitAutograd
    CompositeExplicitAutogradNonFunctional FuncTorchBatchedDecomposition"""
_names = dict.fromkeys([*_FUNCTIONALITY.split(), *_KINDS.split()])
_names.update(dict.fromkeys(f"Autograd{kind}" for kind in _KINDS.split()))
DispatchKey = enum.Enum("DispatchKey", {name: n for n, name in enumerate(_names)}, module="lucid._C")


class DispatchKeySet:
    """DispatchKeySet(key): a set of the dispatcher's keys."""

    def __init__(self, key):
        self._keys = frozenset(key._keys if isinstance(key, DispatchKeySet) else [key])

    @classmethod
    def _of(cls, keys):
        made = cls.__new__(cls)
        made._keys = frozenset(keys)
        return made

    def __or__(self, other):
        return self._of(self._keys | other._keys)

    def __and__(self, other):
        return self._of(self._keys & other._keys)

    def __sub__(self, other):
        return self._of(self._keys - other._keys)

    def __eq__(self, other):
        return isinstance(other, DispatchKeySet) and self._keys == other._keys

    def __hash__(self):
        return hash(self._keys)

    def __repr__(self):
        return f"DispatchKeySet({', '.join(sorted(k.name for k in self._keys))})"

    def has(self, key):
        """has(key) -> bool"""
        return key in self._keys

    def add(self, key):
        """add(key) -> the set with it"""
        return self._of(self._keys | {key})

    def remove(self, key):
        """remove(key) -> the set without it"""
        return self._of(self._keys - {key})


class _ExcludeDispatchKeyGuard:
    """with _ExcludeDispatchKeyGuard(keys): calls pass by these keys. NotImplementedError for keys other than those of
    autocast and of autograd: lucid has no dispatcher."""

    def __init__(self, keys):
        self._autocast, self._autograd = set(), False
        for key in DispatchKeySet(keys)._keys:
            if key.name.startswith("Autocast"):
                self._autocast.add(key.name.removeprefix("Autocast").lower())
            elif key.name.startswith("Autograd"):
                self._autograd = True
            elif key.name != "ADInplaceOrView":
                raise NotImplementedError(
                    f"_ExcludeDispatchKeyGuard({keys}): lucid has no dispatcher to leave keys out of"
                )

    def __enter__(self):
        self._before = local.autocast.enabled, grad_enabled()
        if self._autocast & local.autocast.enabled:
            set_state(local.autocast._replace(enabled=local.autocast.enabled - self._autocast))
        if self._autograd:
            set_grad_enabled(False)

    def __exit__(self, *exc):
        set_state(local.autocast._replace(enabled=self._before[0]))
        if self._autograd:
            set_grad_enabled(self._before[1])
