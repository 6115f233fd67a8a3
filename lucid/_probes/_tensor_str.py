"""torch._tensor_str: how tensors print."""

from ._base.state import printing as PRINT_OPTS
from ._tensor.printing import get_printoptions, printoptions, set_printoptions
from ._tensor.printing import tensor_text as _str

__all__ = ["PRINT_OPTS", "get_printoptions", "printoptions", "set_printoptions", "_str"]
