"""The transforms of torch.func in steps, as graphs have them: a level begins, tensors enter and leave it, it ends.

What vmap, grad, vjp and jvp do in one call (vmap.py, grad_transforms.py) is taken apart here into torch's calls. Levels
are counted from 1, the outermost.
"""

import contextlib
import weakref

from .._backend.backward import ones_for
from .._backend.registry import OPS
from .._base.entering import found_in
from .._base.shape import wrap_dim
from .._base.state import grad_enabled, local
from .._tensor.tensor import Tensor, wrap
from . import jvp_frames, vmap_table
from .grad_transforms import SAVED_HOOKS, GradFrame, _Variables, fresh, recording
from .levels import run_in
from .vmap_table import BatchFrame
from .write_back import as_view

_C, _FUNC = "lucid._C._functorch", "lucid._functorch.predispatch"
_own = weakref.WeakKeyDictionary()  # the node of a variable -> the Level in which it is one


class Level:
    """One transform that runs, and what is known of it."""

    def __init__(self, make):
        self.run, self.tracked = run_in(make), grad_enabled()
        self.frame = self.run.__enter__()
        self.variables = _Variables.__new__(_Variables)
        self.variables.tracked, self.variables.own = self.tracked, set()
        self.entered = []  # of vmap: as write_back.as_view wants to have it
        local.nesting = (*local.nesting, self)


def _begin(make):
    Level(make)
    return len(local.nesting)


def _end():
    level = local.nesting[-1]
    local.nesting = local.nesting[:-1]
    level.run.__exit__(None, None, None)
    return len(local.nesting)


@contextlib.contextmanager
def ended_on_error():
    """with ended_on_error(): levels that began inside end when an exception leaves, which skips their last steps."""
    before = {name: getattr(local, name) for name in STATE}
    try:
        yield
    except BaseException:
        vars(local).update(before)
        raise


# ---- grad and vjp


@found_in(_C)
def _grad_increment_nesting():
    """_grad_increment_nesting() -> the level of a grad or vjp that begins."""
    number = _begin(GradFrame)
    local.nesting[-1].frame.variables = set()
    return number


@found_in(_C)
def _grad_decrement_nesting():
    """_grad_decrement_nesting() -> the level of the one that ends."""
    return _end() + 1


@found_in(_C)
def _wrap_for_grad(tensor, level):
    """_wrap_for_grad(tensor, level) -> the tensor as the level has it: itself under another name."""
    return OPS["alias"].fn(tensor)


@found_in(_C)
def set_inplace_requires_grad_allowed(allowed):
    """set_inplace_requires_grad_allowed(allowed): lucid does not ask."""


@found_in("lucid._functorch.eager_transforms")
def _set_tensor_requires_grad(x):
    """_set_tensor_requires_grad(x) -> x, in which the innermost level differentiates from now on."""
    level = local.nesting[-1]
    made = fresh(x, level.tracked)
    x._array, x._table, x._node, x._extra = made._array, made._table, made._node, made._extra
    if x._node.is_leaf_end:
        x._node = type(x._node)(x)
        level.variables.own.add(x._node)
    level.frame.variables.add(x._node)
    _own[x._node] = level
    return x


@found_in("lucid._functorch.eager_transforms")
def _autograd_grad(outputs, inputs, grad_outputs=None, retain_graph=False, create_graph=True):
    """_autograd_grad(outputs, inputs, grad_outputs=None) -> the gradients of inputs, zeros where there is none."""
    level = _own[inputs[0]._node]
    variables = _Variables.__new__(_Variables)
    variables.tracked, variables.own, variables.inside = level.tracked, level.variables.own, list(inputs)
    variables.rebuild = tuple
    inside = level in local.nesting  # else nothing is done to them behind
    if inside:
        variables.settle = lambda g: g
    seeds = [ones_for(o) for o in outputs] if grad_outputs is None else grad_outputs
    with recording():
        return variables.pull(list(outputs), list(seeds), create_graph)


@found_in(_FUNC)
def _unwrap_for_grad(tensor, level):
    """_unwrap_for_grad(tensor, level) -> the tensor as it is outside of the level."""
    made = local.nesting[level - 1].variables.settle(tensor)
    return OPS["alias"].fn(made) if made is tensor else made


# ---- vmap


@found_in(_FUNC)
def lazy_load_decompositions():
    """lazy_load_decompositions(): lucid has nothing to load."""


@found_in(_FUNC)
def _vmap_increment_nesting(batch_size, randomness):
    """_vmap_increment_nesting(batch_size, randomness) -> the level of a vmap that begins."""
    return _begin(lambda level: BatchFrame(level, batch_size, randomness))


@found_in(_FUNC)
def _vmap_decrement_nesting():
    """_vmap_decrement_nesting() -> the level of the one that ends."""
    return _end() + 1


@found_in(_FUNC)
def _add_batch_dim(self, batch_dim, level):
    """_add_batch_dim(self, batch_dim, level) -> one member of the batch along a dimension."""
    level = local.nesting[level - 1]
    member = vmap_table.enter(self, batch_dim, level.frame)
    level.entered.append((self, batch_dim, member, member._node, self._array.shape))
    return member


@found_in(_FUNC)
def _remove_batch_dim(self, level, batch_size, out_dim):
    """_remove_batch_dim(self, level, batch_size, out_dim) -> the batch that members make, along a dimension."""
    level, dim = local.nesting[level - 1], wrap_dim(out_dim, self.ndim + 1)
    seen = as_view(self, dim, level.frame, level.entered)
    made = vmap_table.leave(self, dim, level.frame) if seen is None else seen
    return OPS["alias"].fn(made) if any(made is outer for outer, *_ in level.entered) else made


# ---- jvp


@found_in(_FUNC)
def _jvp_increment_nesting():
    """_jvp_increment_nesting() -> the level of a jvp that begins."""
    return _begin(jvp_frames.DualFrame)


@found_in(_FUNC)
def _jvp_decrement_nesting():
    """_jvp_decrement_nesting() -> the level of the one that ends."""
    return _end() + 1


@found_in(_FUNC)
def _enter_dual_level():
    """_enter_dual_level() -> 0: torch's level of forward mode; lucid's began with the jvp."""
    return 0


@found_in(_FUNC)
def _exit_dual_level(*, level):
    """_exit_dual_level(level=0): see _enter_dual_level."""


@found_in("lucid._C")
def _set_fwd_grad_enabled(enabled):
    """_set_fwd_grad_enabled(enabled): torch's switch; jvp has it on."""


@found_in("lucid.autograd.forward_ad")
def _maybe_load_decompositions():
    """_maybe_load_decompositions(): lucid has nothing to load."""


@found_in(_FUNC)
def _make_dual(tensor, tangent, *, level):
    """_make_dual(tensor, tangent, level=0) -> the dual tensor of the innermost jvp."""
    return jvp_frames.enter(tensor, tangent, local.nesting[-1].frame)


@found_in(_FUNC)
def _unpack_dual(tensor, *, level):
    """_unpack_dual(tensor, level=0) -> (primal, tangent or None)."""
    primal, tangent = jvp_frames.leave(tensor, local.nesting[-1].frame)
    return (wrap(primal._array, primal._table) if primal is tensor else primal), tangent


# ---- saved tensors


@found_in("lucid._C._autograd")
def _saved_tensors_hooks_disable(message):
    """_saved_tensors_hooks_disable(message): from now on saved_tensors_hooks raises message."""
    if local.saved_hooks:
        raise RuntimeError(SAVED_HOOKS)
    local.saved_hooks_error = message


@found_in("lucid._C._autograd")
def _saved_tensors_hooks_enable():
    """_saved_tensors_hooks_enable(): it works again."""
    local.saved_hooks_error = None


STATE = ("frames", "transforms", "nesting", "saved_hooks_error")  # of a thread, that these change
BEGINNINGS = {_grad_increment_nesting, _vmap_increment_nesting, _jvp_increment_nesting}


__all__ = ["BEGINNINGS", "STATE", "Level", "Tensor"]
