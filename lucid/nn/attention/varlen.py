"""torch.nn.attention.varlen: attention over packed sequences, a kernel of GPUs."""

from ..._base.refused import refuse

globals().update(
    refuse("torch.nn.attention.varlen", "varlen_attn varlen_attn_out AuxRequest", "attention over packed sequences")
)
