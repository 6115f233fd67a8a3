"""torch.func: transforms of functions. They compose: vmap(grad(f)), jvp(grad(f)), jacfwd(jacrev(f))."""
from .._modes.derivatives import grad, grad_and_value, hessian, jacfwd, jacrev, jvp, linearize, vjp
from .._modes.vmap import vmap

__all__ = ["grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "linearize", "vjp", "vmap"]
