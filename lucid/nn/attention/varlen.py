"""torch.nn.attention.varlen: attention over packed sequences, a kernel of GPUs."""

from ..._base.refused import refuse

__all__ = ["varlen_attn", "varlen_attn_out", "AuxRequest"]
globals().update(refuse("torch.nn.attention.varlen", " ".join(__all__), "attention over packed sequences"))
