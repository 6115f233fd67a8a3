"""Ops of lucid's that torch has no ATen op for, as overloads of the namespace `lucid`: graphs must miss none.

Only modes that ask for it (`sees_own_ops`) are told of these calls; to others they are steps inside of torch's ops.
"""

from .._backend.dispatch import Call
from .._backend.slow_path import interpret_word
from .._base.state import DISPATCH
from . import overloads
from .schema import Argument, FunctionSchema

_KNOWN: dict = {}


class OwnOp(overloads.OpOverload):
    """An op of lucid's: its operands, then all its options."""

    def __init__(self, packet, schema, op):
        super().__init__(packet, schema)
        self.lucid_op = op

    def __call__(self, /, *args, **kwargs):
        if DISPATCH:
            tensors = overloads.dispatch.tensors_of(args, kwargs)
            recorded = overloads.grad_enabled() and any([t.requires_grad for t in tensors])
            if overloads.dispatch.asked(tensors) and not recorded:
                return overloads.dispatch.tell(self, tensors, args, kwargs)
        return self.compute(*args)

    def compute(self, /, *args, **kwargs):
        """The op's kernel."""
        n = len(self.lucid_op.inputs)
        return interpret_word(self.lucid_op, args[:n], args[n:])


class OwnPacket(overloads.OpOverloadPacket):
    """The only overload of such an op."""

    def __init__(self, op):
        super().__init__(f"lucid::{op.label}", op.label, {"default": None})
        poly = ["Tensor[]" if op.poly and i == 0 else "Tensor?" for i in range(len(op.inputs))]
        arguments = [Argument(n, kind) for n, kind in zip(op.inputs, poly)]
        arguments += [Argument(n, "Any") for n in op.options]
        returns = [Argument("", "Tensor", alias="a" if op.view else "")] * (op.n_ret or 1)
        self.default = OwnOp(self, FunctionSchema(f"lucid::{op.label}", arguments, returns), op)


def own_call(op, tensors, options):
    """The Call of an op that ATen does not have."""
    packet = _KNOWN.get(op)
    if packet is None:
        packet = _KNOWN[op] = overloads.OWN.setdefault("lucid", {}).setdefault(op.label, OwnPacket(op))
    return Call(packet.default, (*tensors, *options))


__all__ = ["own_call"]
