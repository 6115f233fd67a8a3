"""torch.masked: masked tensors, which lucid does not have."""


def masked_tensor(data, mask, requires_grad=False):
    """masked_tensor(data, mask): NotImplementedError, lucid has plain tensors only."""
    raise NotImplementedError("torch.masked: lucid has no masked tensors; use torch.where and masked_fill")
