"""torch.jit.annotations: types that TorchScript's annotations name."""

from typing import Any, Dict, List, Optional, Tuple

__all__ = ["Any", "Dict", "List", "Optional", "Tuple"]
