"""torch.func: transforms of functions. They compose: vmap(grad(f)), jvp(grad(f)), jacfwd(jacrev(f))."""

from .._modes import display
from .._modes.grad_transforms import grad, grad_and_value, hessian, jacfwd, jacrev, jvp, linearize, vjp
from .._modes.vmap import vmap
from .module_calls import functional_call, replace_all_batch_norm_modules_, stack_module_state
from .rearranging import rearrange
from .tracing import debug_unwrap, functionalize

__all__ = [
    "debug_unwrap",
    "functional_call",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "rearrange",
    "replace_all_batch_norm_modules_",
    "stack_module_state",
    "vjp",
    "vmap",
]
