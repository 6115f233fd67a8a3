"""What torch.func has for looking into transforms: debug_unwrap and, absent here, functionalize."""

from .._tensor.tensor import bare


def functionalize(func, *, remove="mutations"):
    """NotImplementedError: it serves to trace a function, and lucid traces otherwise; called directly, func does the
    same.
    """
    raise NotImplementedError(
        "torch.func.functionalize: lucid has no such transform; outside of tracing, calling the function itself "
        "gives the same results"
    )


def debug_unwrap(tensor, *, recurse=True):
    """debug_unwrap(tensor) -> Tensor with the values beneath the transforms that run (batches show all of their
    members); recurse=False: beneath the innermost one only.
    """
    return bare(tensor) if recurse else bare(tensor, 1)
