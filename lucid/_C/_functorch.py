"""torch._C._functorch: torch.func's transforms in steps, and what wraps a tensor while they run.

lucid wraps nothing: a tensor has a table that knows the levels of vmap and jvp, and is told by its graph where grad
runs. The questions are answered in torch's terms; levels count from 1, the outermost.
"""

from .._base.enumeration import enumeration
from .._base.refused import refuse
from .._base.state import local
from .._modes import steps
from .._modes.display import wrappers
from .._tensor.tensor import Tensor, bare, wrap

_add_batch_dim, _remove_batch_dim = steps._add_batch_dim, steps._remove_batch_dim
_grad_increment_nesting, _grad_decrement_nesting = steps._grad_increment_nesting, steps._grad_decrement_nesting
_jvp_increment_nesting, _jvp_decrement_nesting = steps._jvp_increment_nesting, steps._jvp_decrement_nesting
_vmap_increment_nesting, _vmap_decrement_nesting = steps._vmap_increment_nesting, steps._vmap_decrement_nesting
_wrap_for_grad, _unwrap_for_grad = steps._wrap_for_grad, steps._unwrap_for_grad
set_inplace_requires_grad_allowed = steps.set_inplace_requires_grad_allowed

TransformType = enumeration(
    "TransformType", "lucid._C._functorch", {"Torch": 0, "Grad": 2, "Jvp": 3, "Functionalize": 4, "Vmap": 1}
)
RandomnessType = enumeration("RandomnessType", "lucid._C._functorch", "Error Same Different")


def is_batchedtensor(tensor):
    """is_batchedtensor(tensor) -> bool: is a vmap the innermost transform that knows it?"""
    return bool(around := wrappers(tensor)) and around[0][1]


def is_gradtrackingtensor(tensor):
    """is_gradtrackingtensor(tensor) -> bool: is a grad, vjp or jvp the innermost transform that knows it?"""
    return bool(around := wrappers(tensor)) and not around[0][1]


def is_functorch_wrapped_tensor(tensor):
    """is_functorch_wrapped_tensor(tensor) -> bool: does a running transform know it?"""
    return bool(wrappers(tensor))


def is_functionaltensor(tensor):
    """is_functionaltensor(tensor) -> False: lucid has no functionalization."""
    return False


is_dead_tensor_wrapper = is_legacy_batchedtensor = is_functionaltensor


def maybe_get_level(tensor):
    """maybe_get_level(tensor) -> int: the level of the innermost transform that knows it, -1 if none does."""
    return next((n for n, _ in wrappers(tensor)), -1)


def maybe_get_bdim(tensor):
    """maybe_get_bdim(tensor) -> int: the dimension of the batch (0, lucid moves it to the front), -1 without one."""
    return 0 if is_batchedtensor(tensor) else -1


def get_unwrapped(tensor):
    """get_unwrapped(tensor) -> Tensor as it is below the innermost transform that knows it."""
    if (level := maybe_get_level(tensor)) < 0:
        raise RuntimeError("No wrappers present!")
    has_table = local.transforms[level - 1].words is not None
    return bare(tensor, 1) if has_table else wrap(tensor._array, tensor._table)


def unwrap_if_dead(tensor):
    """unwrap_if_dead(tensor) -> tensor: what comes out of a transform is a plain tensor."""
    return tensor


def _unwrap_batched(tensor, level):
    """_unwrap_batched(tensor, level) -> (the whole batch, its dimension), (tensor, None) where the level has none."""
    if maybe_get_level(tensor) != level or not is_batchedtensor(tensor):
        return tensor, None
    return bare(tensor, 1), 0


def maybe_current_level():
    """maybe_current_level() -> int or None: the level of the innermost transform, None if none runs."""
    return len(local.transforms) or None


def current_level():
    """current_level() -> int: the level of the innermost transform; RuntimeError if none runs."""
    if not local.transforms:
        raise RuntimeError("maybe_layer.has_value() INTERNAL ASSERT FAILED: no transform runs")
    return len(local.transforms)


def get_dynamic_layer_stack_depth():
    """get_dynamic_layer_stack_depth() -> int: how many transforms run."""
    return len(local.transforms)


class CInterpreter:
    """One running transform: its kind (key) and its level."""

    def __init__(self, frame, level):
        kind = "Grad" if frame.words is None else "Vmap" if hasattr(frame, "size") else "Jvp"
        self._key, self._level = TransformType.__members__[kind], level

    def key(self):
        """key() -> TransformType"""
        return self._key

    def level(self):
        """level() -> int"""
        return self._level


def get_interpreter_stack():
    """get_interpreter_stack() -> [CInterpreter] of the running transforms, outermost first; None if none runs."""
    return [CInterpreter(frame, n) for n, frame in enumerate(local.transforms, 1)] or None


def peek_interpreter_stack():
    """peek_interpreter_stack() -> CInterpreter of the innermost transform, or None."""
    return (get_interpreter_stack() or [None])[-1]


def get_inplace_requires_grad_allowed():
    """get_inplace_requires_grad_allowed() -> False"""
    return False


get_single_level_autograd_function_allowed = get_inplace_requires_grad_allowed


def set_single_level_autograd_function_allowed(allowed):
    """set_single_level_autograd_function_allowed(allowed): lucid does not ask."""


def _is_vmap_fallback_enabled():
    """_is_vmap_fallback_enabled() -> True: an op without a rule runs for one member after the other."""
    return True


def _set_vmap_fallback_enabled(enabled):
    """_set_vmap_fallback_enabled(enabled): NotImplementedError for False."""
    if not enabled:
        raise NotImplementedError("torch._C._functorch._set_vmap_fallback_enabled: lucid's fallback cannot be off")


def _set_vmap_fallback_warning_enabled(enabled):
    """_set_vmap_fallback_warning_enabled(enabled): lucid gives no such warning."""


def reshape_dim_into(src, dst, x):
    """reshape_dim_into(src, dst, x) -> Tensor whose dimension dst is its own and, before it, dimension src of x."""
    moved = x.movedim(src, dst % (x.ndim - 1))
    return moved.flatten(dst % (x.ndim - 1), dst % (x.ndim - 1) + 1)


def reshape_dim_outof(src, size, x):
    """reshape_dim_outof(src, size, x) -> Tensor whose dimension src is two: one of that size, and the rest."""
    return x.unflatten(src % x.ndim, (size, -1))


globals().update(
    refuse(
        "torch._C._functorch",
        """CFunctionalizeInterpreterPtr CGradInterpreterPtr CJvpInterpreterPtr CVmapInterpreterPtr DynamicLayer
        _assert_wrapped_functional _func_decrement_nesting _func_increment_nesting _maybe_unsafe_set_level
        _propagate_functional_input_mutation _set_dynamic_layer_keys_included _unwrap_functional_tensor
        _wrap_functional_tensor dlevel dump_dls dump_local_tls dump_tensor pop_dynamic_layer_stack
        pop_dynamic_layer_stack_and_undo_to_depth push_dynamic_layer_stack tls_set_vmap_excluded""",
        "stack of dynamic layers: transforms are contexts, and tensors have no wrappers",
    )
)
__all__ = ["Tensor", "CInterpreter", "RandomnessType", "TransformType"]
