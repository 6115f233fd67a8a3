"""What the graph gives every Tensor: requires_grad, grad, grad_fn, hooks, retain_grad."""

import weakref

from .._base.dtype import C_NAMES, FLOATING, SCALAR_NAMES
from .._base.state import local
from .._base.warn import warn
from .._tensor.storage import extra
from .._tensor.tensor import Tensor
from .graph import AccumulateGrad, Hooks, Output, freeze, leaf
from .view_history import follow_base


def _need_float(t, verb):
    if t._table.dtype.category < FLOATING:
        raise RuntimeError(
            "only Tensors of floating point dtype can require gradients"
            if verb == "require"
            else "only Tensors of floating point and complex dtype can require gradients"
        )


def _get_requires_grad(self):
    if self._node is None:  # a view made in no_grad mode says what its base says
        m = self._extra
        return m is not None and m.base is not None and m.base._node is not None
    return True


def _set_requires_grad(self, on):
    if self._node is not None and not self._node.is_leaf_end:
        if not on:
            raise RuntimeError(
                "you can only change requires_grad flags of leaf variables. If you want to use a computed "
                "variable in a subgraph that doesn't require differentiation use var_no_grad = var.detach()."
            )
        return
    if on:
        if self._table.dtype.category < FLOATING:
            raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
        if self._extra is not None and self._extra.inference and not local.inference:
            raise RuntimeError("Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.")
        if self._node.__class__ is not AccumulateGrad:
            leaf(self)
            if self._extra is not None and self._extra.storage is not None:
                follow_base(self)
    elif self._node.__class__ is AccumulateGrad:
        freeze(self)
        if self._extra is not None and self._extra.storage is not None:
            follow_base(self)


_IN_TRANSFORM = (
    "You are attempting to call Tensor.{}() {}inside of a function being transformed by a functorch transform. This "
    "is unsupported, please attempt to use the functorch transforms (e.g. grad, vjp, jacrev, jacfwd, hessian) or call "
    "{}() outside of a function being transformed instead."
)
_FUNCTIONAL = "(or perhaps using torch.autograd.functional.* APIs) "


def _requires_grad_(self, requires_grad=True):
    """requires_grad_(requires_grad=True) -> self: start (or stop) recording what is done with this leaf."""
    if not isinstance(requires_grad, bool):
        raise TypeError(
            f"requires_grad_(): argument 'requires_grad' (position 1) must be bool, not {type(requires_grad).__name__}"
        )
    if local.transforms:
        raise RuntimeError(_IN_TRANSFORM.format("requires_grad_", _FUNCTIONAL, "requires_grad_"))
    if requires_grad:
        _need_float(self, "require")
    self.requires_grad = requires_grad
    return self


def _grad_fn(self):
    n = self._node
    if n is None or n.is_leaf_end:
        return None
    if n.refusal is not None:
        raise RuntimeError(n.refusal)
    return n.node if n.__class__ is Output else n


def _is_leaf(self):
    """Is it no result of a recorded op?"""
    return _grad_fn(self) is None


_NOT_A_LEAF = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
    "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf "
    "Tensor, use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure "
    "you access the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more information."
)


def _get_grad(self):
    m = self._extra
    if m is not None and m.grad is not None:
        return m.grad
    if self._node is not None and self._node.__class__ is not AccumulateGrad and not _retains_grad(self):
        warn(_NOT_A_LEAF)
    return None


def _del_grad(self):
    _set_grad(self, None)


def _set_grad(self, g):
    if g is None:
        if self._extra is not None:
            self._extra.grad = None
        return
    if not isinstance(g, Tensor):
        raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type(g).__name__}")
    if g is self:
        raise RuntimeError("can't assign Variable as its own grad")
    if g._array.shape != self._array.shape:
        raise RuntimeError(
            f"attempting to assign a gradient of size '{list(g._array.shape)}' to a tensor of size "
            f"'{list(self._array.shape)}'. Please ensure that the gradient and the tensor are the same size"
        )
    if g._table is not self._table and (not g._table.is_sparse or g._table.dtype is not self._table.dtype):
        if g._table.device != self._table.device:
            raise RuntimeError("assigned grad has data located on a different device")
        raise RuntimeError(
            f"attempting to assign a gradient with dtype '{C_NAMES.get(g._table.dtype, g._table.dtype)}' to a "
            f"tensor with grad_dtype '{SCALAR_NAMES[self._table.dtype]}'. The gradient must match the tensor's "
            "grad_dtype (defaults to the tensor's dtype). You can set the tensor's grad_dtype attribute with "
            "a specific dtype, or None to allow any dtype. Set grad_dtype with caution. Diverging the dtypes "
            "of a tensor and its gradient may break downstream systems that assume they match."
        )
    extra(self).grad = g


def _output_nr(self):
    return self._node.nr if self._node.__class__ is Output else 0


def _register_hook(self, hook):
    """register_hook(hook) -> handle: call hook(grad) when this tensor's gradient is known; its result replaces it."""
    if self._node is None:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    node = self._node.node if self._node.__class__ is Output else self._node
    node.needs_care = True
    if node.tensor_hooks is None:
        node.tensor_hooks = {}
    hooks = node.tensor_hooks.setdefault(_output_nr(self), Hooks())
    return hooks.attach(hook)


def _register_post_accumulate_grad_hook(self, hook):
    """register_post_accumulate_grad_hook(hook) -> handle: call hook(self) after a walk has added to self.grad."""
    if self._node is None:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    if self._node.__class__ is not AccumulateGrad:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    self._node.needs_care = True
    if self._node.post_hooks is None:
        self._node.post_hooks = Hooks()
    return self._node.post_hooks.attach(hook)


def _retain_grad(self):
    """retain_grad(): keep this non-leaf tensor's gradient in `.grad`."""
    if self._node is None:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    if local.transforms:
        raise RuntimeError(_IN_TRANSFORM.format("retain_grad", "", "retain_grad"))
    if self._node.refusal is not None and self._extra.made_without_grad and not self._extra.from_multi_view:
        return  # torch takes such a view for a leaf here, though it may not be used any more
    node = _grad_fn(self)
    if node is not None:
        node.needs_care = True
        if node.retained is None:
            node.retained = {}
        node.retained[_output_nr(self)] = weakref.ref(self)


def _retains_grad(self):
    node = _grad_fn(self)
    kept = node.retained.get(_output_nr(self)) if node is not None and node.retained else None
    return kept is not None and kept() is self


Tensor.requires_grad = property(_get_requires_grad, _set_requires_grad, doc="Is its gradient wanted?")
Tensor.requires_grad_ = _requires_grad_
Tensor.grad_fn = property(_grad_fn, doc="The node that made it; None for a leaf.")
Tensor.grad = _grad = property(_get_grad, _set_grad, _del_grad, doc="The gradient accumulated so far.")
Tensor._grad = _grad
Tensor.is_leaf = property(_is_leaf, doc="Is it no result of a recorded op?")
Tensor.output_nr = property(_output_nr, doc="Which result of grad_fn it is.")
Tensor.register_hook = _register_hook
Tensor.register_post_accumulate_grad_hook = _register_post_accumulate_grad_hook
Tensor.retain_grad = _retain_grad
Tensor.retains_grad = property(_retains_grad, doc="Was retain_grad asked for, of a tensor that is no leaf?")


def _cdata(self):
    """An int that no other living tensor has."""
    return id(self) + 1


Tensor._cdata = property(_cdata)
