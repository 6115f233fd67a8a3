"""torch.utils.data.datapipes.iter.combinatorics: pipes that change the order (see order.py)."""

from .order import SamplerIterDataPipe, ShufflerIterDataPipe

__all__ = ["SamplerIterDataPipe", "ShufflerIterDataPipe"]
