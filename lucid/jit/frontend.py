"""torch.jit.frontend: parts of a compiler that lucid does not have."""

from .._base.refused import refuse

globals().update(refuse("torch.jit.frontend", "get_jit_def get_jit_class_def get_default_args", "TorchScript"))
