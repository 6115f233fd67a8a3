"""torch._functorch.eager_transforms."""

from .._modes.steps import _autograd_grad, _set_tensor_requires_grad  # noqa: F401
