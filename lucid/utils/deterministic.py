"""torch.utils.deterministic: whether new memory is filled when determinism is asked for; kept to be told back."""

fill_uninitialized_memory = True
