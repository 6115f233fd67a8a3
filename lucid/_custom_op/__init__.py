"""torch._custom_op: the older way to make an op; torch.library.custom_op is the one that lucid has."""
