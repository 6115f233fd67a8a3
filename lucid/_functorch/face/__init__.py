"""functorch, as torch's wheel has it at the top: `python -m lucid` lets `import functorch` mean this."""

from ...func import functionalize, grad, grad_and_value, hessian, jacfwd, jacrev, jvp, vjp, vmap
from ...fx.experimental.proxy_tensor import make_fx
from ...version import __version__
from ..make_functional import (
    FunctionalModule,
    FunctionalModuleWithBuffers,
    combine_state_for_ensemble,
    make_functional,
    make_functional_with_buffers,
)
