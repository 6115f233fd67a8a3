"""torch.utils.tensorboard: writes logs for TensorBoard, which needs the package `tensorboard`."""

__all__ = ["FileWriter", "SummaryWriter"]


class SummaryWriter:
    """SummaryWriter(log_dir=None): ImportError without the package `tensorboard`, NotImplementedError with it."""

    def __init__(self, log_dir=None, comment="", purge_step=None, max_queue=10, flush_secs=120, filename_suffix=""):
        try:
            import tensorboard  # noqa: F401
        except ImportError:
            raise ImportError(
                "torch.utils.tensorboard.SummaryWriter needs the package tensorboard: pip install tensorboard"
            ) from None
        raise NotImplementedError("torch.utils.tensorboard.SummaryWriter: lucid does not write TensorBoard logs yet")


class FileWriter(SummaryWriter):
    """FileWriter(log_dir): as SummaryWriter."""
