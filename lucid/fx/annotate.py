"""A type for a value of a traced program."""

from .proxy import Proxy

__all__ = ["annotate"]


def annotate(val, type):
    """annotate(val, type) -> val, whose node has this type if it is a proxy; RuntimeError if it has one already."""
    if isinstance(val, Proxy):
        if val.node.type:
            raise RuntimeError(
                f"Tried to annotate a value that already had a type on it! Existing type is {val.node.type} and new "
                f"type is {type}. This could happen if you tried to annotate a function parameter value (in which case "
                "you should use the type slot on the function signature) or you called annotate on the same value twice"
            )
        val.node.type = type
    return val
