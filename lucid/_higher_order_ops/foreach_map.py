"""foreach_map: a function for each of several tensors."""

from .._tensor.tensor import Tensor


def foreach_map(op, *operands, **kwargs):
    """foreach_map(f, *operands) -> [f(...)] for each place of the lists among the operands; others go to each call."""
    lengths = {len(x) for x in operands if isinstance(x, (list, tuple))}
    if len(lengths) != 1:
        raise ValueError(f"foreach_map: lists of one length are expected, got lengths {sorted(lengths)}")
    listed = [x if isinstance(x, (list, tuple)) else [x] * min(lengths) for x in operands]
    return tuple(op(*args, **kwargs) for args in zip(*listed))


__all__ = ["Tensor", "foreach_map"]
