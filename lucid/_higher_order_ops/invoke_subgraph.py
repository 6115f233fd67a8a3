"""invoke_subgraph: a call of a part of a program that is compiled once for all its calls; here it is just called."""

from .._aten.overloads import HigherOrderOperator


class InvokeSubgraphHOP(HigherOrderOperator):
    """invoke_subgraph(subgraph, identifier, *operands) -> subgraph(*operands)"""

    def __init__(self):
        super().__init__("invoke_subgraph")

    def __call__(self, subgraph, identifier, *operands):
        if not isinstance(identifier, (str, type(None))):
            raise AssertionError(f"identifier must be a string, got {type(identifier)}")
        return subgraph(*operands)


invoke_subgraph = InvokeSubgraphHOP()


def mark_compile_region(fn=None, options=None):
    """mark_compile_region(fn) -> fn (or a decorator): a hint to compile it once, which changes no result."""
    return (lambda f: f) if fn is None else fn
