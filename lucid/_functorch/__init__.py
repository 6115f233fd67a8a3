"""torch._functorch: the steps of torch.func's transforms, under the names that graphs have (_modes/steps.py)."""

from . import eager_transforms, predispatch  # noqa: F401
