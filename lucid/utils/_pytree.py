"""torch.utils._pytree: nested containers taken apart into leaves and a TreeSpec (`lucid/_tensor/pytree.py`)."""

import sys

from .._tensor import pytree

sys.modules[__name__] = pytree
