"""torch.utils.tensorboard: writes logs for TensorBoard, with the package `tensorboard` (the extra of this name)."""

try:
    import tensorboard as _tensorboard  # noqa: F401
except ImportError:
    raise ImportError("torch.utils.tensorboard needs the package tensorboard: pip install tensorboard") from None

from tensorboard.summary.writer.record_writer import RecordWriter

from .writer import FileWriter, SummaryWriter

__all__ = ["FileWriter", "RecordWriter", "SummaryWriter"]
