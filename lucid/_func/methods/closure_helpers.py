"""What ops in the closure form use, by the names of the engine's documents: _check_is_tensor, _match_grad_shape and
_set_tensor_grad of lucid.
"""

from ..._backend.rules import unbroadcast
from ..._tensor.tensor import Tensor, wrap
from ..creation.from_data import tensor


def _check_is_tensor(value, device=None, dtype=None):
    """value as a Tensor: itself when it is one, else made of numbers, lists or an array."""
    return value if isinstance(value, Tensor) else tensor(value, dtype=dtype, device=device)


def _match_grad_shape(data, grad, device=None):
    """grad in the shape of data (arrays or Tensors): summed over axes that data was stretched along, or stretched.

    RuntimeError where neither shape broadcasts to the other.
    """
    like, g = _check_is_tensor(data, device), _check_is_tensor(grad, device)
    shape = tuple(like.shape)
    if g.numel() < like.numel():
        found = g.expand(shape)
    else:
        found = wrap(unbroadcast(g._table, g._array, shape), g._table)
    return found if isinstance(grad, Tensor) else found._array


def _set_tensor_grad(tensor, grad, at=...):
    """Add grad (an array or a Tensor) to tensor.grad, or to its part `at`, if tensor wants a gradient."""
    if not tensor.requires_grad:
        return
    grad = _check_is_tensor(grad, tensor.device)
    if at is ... and tensor.grad is None:
        tensor.grad = grad.detach().clone()
        return
    total = tensor.new_zeros(tensor.shape) if tensor.grad is None else tensor.grad.detach().clone()
    total[at] += grad.detach()
    tensor.grad = total
