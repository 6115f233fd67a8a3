"""torch._functorch.functional_call"""

from ..func import (  # noqa: F401
    functional_call,
    stack_module_state,
)
