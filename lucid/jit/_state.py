"""torch.jit._state: parts of a compiler that lucid does not have."""

from .._base.refused import refuse

globals().update(refuse("torch.jit._state", "_get_model_id enable disable", "TorchScript"))
