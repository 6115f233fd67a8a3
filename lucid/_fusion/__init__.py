"""Backward fusion: pairs of graph nodes replaced by one cheaper rule. Off unless `lucid.ENABLE_FUSION = True`."""

from . import patterns
from .base import FusedBackwardOp, match_fusion_table

__all__ = ["FusedBackwardOp", "match_fusion_table", "patterns"]
