"""torch._custom_op.impl: the older way to make an op."""

from .._base.refused import refuse

globals().update(refuse("torch._custom_op.impl", "custom_op CustomOp get_ctx", "such ops; use torch.library.custom_op"))
