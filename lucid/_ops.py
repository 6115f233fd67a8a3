"""torch._ops: the classes of ops under their own names, and `ops`, where they are found."""

from . import ops
from ._aten.overloads import HigherOrderOperator, OperatorBase, OpNamespace, OpOverload, OpOverloadPacket

_OpNamespace = OpNamespace

__all__ = ["HigherOrderOperator", "OpOverload", "OpOverloadPacket", "OperatorBase", "ops"]
