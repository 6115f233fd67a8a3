"""torch._higher_order_ops: control flow as operators that take functions."""

from .associative_scan import associative_scan
from .autograd_function_apply import autograd_function_apply  # noqa: F401
from .checkpoint import tag_activation_checkpoint  # noqa: F401
from .cond import cond
from .invoke_subgraph import invoke_subgraph  # noqa: F401
from .map import map
from .scan import scan
from .while_loop import while_loop
from .wrap import wrap  # noqa: F401

__all__ = ["associative_scan", "cond", "map", "scan", "while_loop"]
