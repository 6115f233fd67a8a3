"""torch.nested: nested tensors, which lucid does not have."""

from .._base.refused import refuse as _refuse


def nested_tensor(tensor_list, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    """nested_tensor(list): NotImplementedError, lucid has strided tensors only."""
    raise NotImplementedError("torch.nested: lucid has strided tensors only")


as_nested_tensor = nested_tensor_from_jagged = nested_tensor


globals().update(
    _refuse(
        "torch.nested",
        """to_padded_tensor narrow masked_select""",
        "nested tensors",
    )
)
