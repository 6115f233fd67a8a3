"""torch.jit.annotations: types that TorchScript's annotations name."""

from typing import Any, Dict, List, Optional, Tuple

__all__ = ["Any", "Dict", "List", "Optional", "Tuple"]

# As an annotation BroadcastingList2[int] is List[int]: a number stands for a list of two.
BroadcastingList1 = BroadcastingList2 = BroadcastingList3 = List
