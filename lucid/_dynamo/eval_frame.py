"""torch._dynamo.eval_frame: the class of what torch.compile(module) gives in torch."""

from . import OptimizedModule

__all__ = ["OptimizedModule"]
