"""Pruning: parameters whose least important elements are held at zero by a mask, while the rest goes on learning.

A pruned parameter `name` becomes the parameter `name_orig` and the buffer `name_mask`; before each forward pass the
module's attribute `name` is set to their product. `remove` makes the zeros permanent.
"""

import abc
import numbers
from collections.abc import Iterable

from .._ops import ops
from .convert_parameters import parameters_to_vector


class BasePruningMethod(abc.ABC):
    """One way to choose what to prune; itself the forward pre-hook that applies the mask.

    Subclasses give PRUNING_TYPE ("unstructured": any elements that are left, "structured": slices along `self.dim`,
    "global": the whole tensor) and compute_mask(t, default_mask) -> a mask of default_mask's shape.
    """

    _tensor_name: str

    def __call__(self, module, inputs):
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abc.abstractmethod
    def compute_mask(self, t, default_mask):
        """compute_mask(t, default_mask) -> default_mask with more zeros, where the scores t say so."""

    def apply_mask(self, module):
        """apply_mask(module) -> Tensor: the original parameter times its mask."""
        name = getattr(self, "_tensor_name", None)
        if name is None:
            raise AssertionError(f"Module {module} has to be pruned")
        original = getattr(module, name + "_orig")
        return getattr(module, name + "_mask").to(dtype=original.dtype) * original

    @classmethod
    def apply(cls, module, name, *args, importance_scores=None, **kwargs):
        """apply(module, name, *args, importance_scores=None) -> the method (or, pruned before, the container) in use.

        importance_scores: a tensor of the parameter's shape to rank by, instead of the parameter itself.
        """
        earlier = [
            (key, hook)
            for key, hook in module._forward_pre_hooks.items()
            if isinstance(hook, BasePruningMethod) and hook._tensor_name == name
        ]
        if len(earlier) > 1:
            raise AssertionError(
                f"Avoid adding multiple pruning hooks to the same tensor {name} of module {module}. "
                "Use a PruningContainer."
            )
        method = cls(*args, **kwargs)
        method._tensor_name = name
        for key, hook in earlier:
            del module._forward_pre_hooks[key]
            if not isinstance(hook, PruningContainer):
                hook = PruningContainer(hook)
            hook.add_pruning_method(method)
            method = hook
        original = getattr(module, name)
        if importance_scores is None:
            importance_scores = original
        elif importance_scores.shape != original.shape:
            raise AssertionError(f"importance_scores should have the same shape as parameter {name} of {module}")
        if earlier:
            mask = getattr(module, name + "_mask").detach().clone()
        else:
            module.register_parameter(name + "_orig", original)
            del module._parameters[name]
            mask = ops.ones_like(original)
        try:
            module.register_buffer(name + "_mask", method.compute_mask(importance_scores, default_mask=mask))
            setattr(module, name, method.apply_mask(module))
            module.register_forward_pre_hook(method)
        except Exception:
            if not earlier:
                module.register_parameter(name, module._parameters.pop(name + "_orig"))
            raise
        return method

    def prune(self, t, default_mask=None, importance_scores=None):
        """prune(t, default_mask=None, importance_scores=None) -> Tensor: t with the chosen elements at zero."""
        if importance_scores is not None and importance_scores.shape != t.shape:
            raise AssertionError("importance_scores should have the same shape as tensor t")
        mask = ops.ones_like(t) if default_mask is None else default_mask
        return t * self.compute_mask(t if importance_scores is None else importance_scores, default_mask=mask)

    def remove(self, module):
        """remove(module): the pruned values become the parameter; mask and original go."""
        name = self._tensor_name
        pruned = self.apply_mask(module)
        if hasattr(module, name):
            delattr(module, name)
        original = module._parameters.pop(name + "_orig")
        original.data = pruned.data
        del module._buffers[name + "_mask"]
        setattr(module, name, original)


class PruningContainer(BasePruningMethod):
    """Several methods on one parameter: each prunes what those before it left."""

    def __init__(self, *args):
        self._pruning_methods = ()
        methods = args[0] if len(args) == 1 and isinstance(args[0], Iterable) else args
        if len(args) == 1 and methods is args:
            self._tensor_name = args[0]._tensor_name
        for method in methods:
            self.add_pruning_method(method)

    def add_pruning_method(self, method):
        """add_pruning_method(method): append one for the same parameter (TypeError, ValueError)."""
        if not isinstance(method, BasePruningMethod) and method is not None:
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if method is not None and self._tensor_name != method._tensor_name:
            raise ValueError(
                "Can only add pruning methods acting on the parameter named "
                f"'{self._tensor_name}' to PruningContainer {self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self):
        return len(self._pruning_methods)

    def __iter__(self):
        return iter(self._pruning_methods)

    def __getitem__(self, idx):
        return self._pruning_methods[idx]

    def compute_mask(self, t, default_mask):
        """compute_mask(t, default_mask) -> the mask after the newest method pruned what the others left."""
        method = self._pruning_methods[-1]
        mask = default_mask.to(dtype=t.dtype)
        if method.PRUNING_TYPE == "unstructured":
            part = default_mask == 1
        elif method.PRUNING_TYPE == "structured":
            if not hasattr(method, "dim"):
                raise AttributeError(
                    'Pruning methods of PRUNING_TYPE "structured" need to have the attribute `dim` defined.'
                )
            dim = method.dim % t.dim()
            left = default_mask.sum(dim=[d for d in range(t.dim()) if d != dim]) != 0
            part = (slice(None),) * dim + (left,)
        elif method.PRUNING_TYPE == "global":
            part = (slice(None),) * t.dim()
        else:
            raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
        found = method.compute_mask(t[part], default_mask=default_mask[part])
        mask = mask.clone()
        mask[part] = found.to(dtype=mask.dtype)
        return mask


# ---- how much


def _checked_amount(amount):
    if not isinstance(amount, numbers.Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    if (
        isinstance(amount, numbers.Integral)
        and amount < 0
        or not isinstance(amount, numbers.Integral)
        and not (0.0 <= float(amount) <= 1.0)
    ):
        raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")
    return amount


def _count(amount, size):
    """How many of `size` a number or a fraction is."""
    if isinstance(amount, numbers.Integral):
        if amount > size:
            raise ValueError(f"amount={amount} should be smaller than the number of parameters to prune={size}")
        return amount
    return round(amount * size)


def _slices_of(t, dim):
    """How many slices t has along dim, where t may be pruned slice by slice."""
    if t.dim() <= 1:
        raise ValueError(
            "Structured pruning can only be applied to multidimensional tensors. Found tensor of shape "
            f"{t.shape} with {t.dim()} dims"
        )
    if dim >= t.dim():
        raise IndexError(f"Invalid index {dim} for tensor of size {t.shape}")
    return t.shape[dim]


# ---- the methods


class Identity(BasePruningMethod):
    """Prunes nothing, but sets up the mask."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t, default_mask):
        return default_mask

    @classmethod
    def apply(cls, module, name):
        return super().apply(module, name)


class _Unstructured(BasePruningMethod):
    """`amount` elements (a number, or a fraction of all)."""

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount):
        self.amount = _checked_amount(amount)

    def compute_mask(self, t, default_mask):
        count = _count(self.amount, t.nelement())
        mask = default_mask.clone()
        if count:
            mask.view(-1)[self.chosen(t, count)] = 0
        return mask


class RandomUnstructured(_Unstructured):
    """RandomUnstructured(amount): elements at random."""

    def chosen(self, t, count):
        return ops.topk(ops.rand_like(t).view(-1), k=count).indices

    @classmethod
    def apply(cls, module, name, amount):
        return super().apply(module, name, amount=amount)


class L1Unstructured(_Unstructured):
    """L1Unstructured(amount): the elements of least size."""

    def chosen(self, t, count):
        return ops.topk(t.abs().view(-1), k=count, largest=False).indices

    @classmethod
    def apply(cls, module, name, amount, importance_scores=None):
        return super().apply(module, name, amount=amount, importance_scores=importance_scores)


class _Structured(BasePruningMethod):
    """`amount` slices along dim (a number, or a fraction of all)."""

    PRUNING_TYPE = "structured"

    def compute_mask(self, t, default_mask):
        slices = _slices_of(t, self.dim)
        count = _count(self.amount, slices)
        if not count:
            return default_mask
        mask = ops.zeros_like(t)
        mask[(slice(None),) * (self.dim % t.dim()) + (self.kept(t, slices, count),)] = 1
        return mask * default_mask.to(dtype=mask.dtype)


class RandomStructured(_Structured):
    """RandomStructured(amount, dim=-1): slices at random."""

    def __init__(self, amount, dim=-1):
        self.amount, self.dim = _checked_amount(amount), dim

    def kept(self, t, slices, count):
        chance = ops.rand(slices)
        return chance > ops.kthvalue(chance, k=count).values

    @classmethod
    def apply(cls, module, name, amount, dim=-1):
        return super().apply(module, name, amount=amount, dim=dim)


class LnStructured(_Structured):
    """LnStructured(amount, n, dim=-1): the slices of least n-norm."""

    def __init__(self, amount, n, dim=-1):
        self.amount, self.n, self.dim = _checked_amount(amount), n, dim

    def kept(self, t, slices, count):
        others = [d for d in range(t.dim()) if d != self.dim % t.dim()]
        return ops.topk(ops.norm(t, p=self.n, dim=others), k=slices - count, largest=True).indices

    @classmethod
    def apply(cls, module, name, amount, n, dim, importance_scores=None):
        return super().apply(module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores)


class CustomFromMask(BasePruningMethod):
    """CustomFromMask(mask): what the given mask says."""

    PRUNING_TYPE = "global"

    def __init__(self, mask):
        self.mask = mask

    def compute_mask(self, t, default_mask):
        if default_mask.shape != self.mask.shape:
            raise AssertionError("mask and default_mask must have the same shape")
        return default_mask * self.mask.to(dtype=default_mask.dtype)

    @classmethod
    def apply(cls, module, name, mask):
        return super().apply(module, name, mask=mask)


# ---- as functions


def identity(module, name):
    """identity(module, name) -> module, with a mask of ones on that parameter."""
    Identity.apply(module, name)
    return module


def random_unstructured(module, name, amount):
    """random_unstructured(module, name, amount) -> module: `amount` elements, or that fraction, pruned at random."""
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module, name, amount, importance_scores=None):
    """l1_unstructured(module, name, amount) -> module: the `amount` smallest elements (or fraction) pruned."""
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module, name, amount, dim):
    """random_structured(module, name, amount, dim) -> module: slices along dim pruned at random."""
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(module, name, amount, n, dim, importance_scores=None):
    """ln_structured(module, name, amount, n, dim) -> module: the slices along dim of least n-norm pruned."""
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module, name, mask):
    """custom_from_mask(module, name, mask) -> module: the parameter pruned where mask is 0."""
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(parameters, pruning_method, importance_scores=None, **kwargs):
    """global_unstructured([(module, name), ...], pruning_method, **kwargs): parameters pruned as if they were one.

    importance_scores: {(module, name): tensor} to rank by instead of the parameters. TypeError for a method that is not
    "unstructured".
    """
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    if importance_scores is not None and not isinstance(importance_scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    parameters, scores = list(parameters), importance_scores or {}
    flat = parameters_to_vector([scores.get((module, name), getattr(module, name)) for module, name in parameters])
    masks = parameters_to_vector(
        [getattr(module, name + "_mask", ops.ones_like(getattr(module, name))) for module, name in parameters]
    )
    method = pruning_method(**kwargs)
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method '
            f"{pruning_method} of type {method.PRUNING_TYPE}"
        )
    method._tensor_name = "temp"
    found, at = PruningContainer(method).compute_mask(flat, masks), 0
    for module, name in parameters:
        parameter = getattr(module, name)
        custom_from_mask(module, name, mask=found[at : at + parameter.numel()].view_as(parameter))
        at += parameter.numel()


def remove(module, name):
    """remove(module, name) -> module whose pruned parameter is an ordinary one again, zeros included (ValueError)."""
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")


def is_pruned(module):
    """is_pruned(module) -> bool: has it, or a module in it, a pruned parameter?"""
    return any(isinstance(hook, BasePruningMethod) for m in module.modules() for hook in m._forward_pre_hooks.values())
