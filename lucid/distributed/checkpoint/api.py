"""torch.distributed.checkpoint.api: the error of a checkpoint."""

import traceback

__all__ = ["CheckpointException"]


class CheckpointException(BaseException):
    """CheckpointException(msg, failures): what failed in which process, {rank: (error, where)}."""

    def __init__(self, msg, failures):
        super().__init__(msg, failures)
        self._failures = failures

    @property
    def failures(self):
        """{rank: (error, where)}"""
        return self._failures

    def __str__(self):
        text = f"CheckpointException ranks:{self._failures.keys()}\n"
        for rank, (error, where) in self._failures.items():
            lines = traceback.format_list(where) if where is not None else []
            lines += traceback.format_exception_only(type(error), value=error)
            text += f"Traceback (most recent call last): (RANK {rank})\n{''.join(lines)}"
        return text
