"""The engine: ops, graph and backward. The names that declare an op can be taken from here or from
`lucid._backend.core`.
"""

from . import tensor_autograd as tensor_autograd
from .core import BackwardOperation as BackwardOperation
from .core import Operation as Operation
from .core import binary_func_op as binary_func_op
from .core import func_op as func_op
from .core import operation as operation
from .core import poly_func_op as poly_func_op
from .core import unary_func_op as unary_func_op
