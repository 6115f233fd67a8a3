"""torch.nn.parallel, as far as one machine without GPUs needs it: DataParallel, which runs the module itself."""

from .data_parallel import DataParallel, data_parallel

__all__ = ["data_parallel", "DataParallel"]
