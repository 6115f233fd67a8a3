"""torch.distributed.elastic.multiprocessing.errors: `record` marks the main function of a process."""

__all__ = ["ChildFailedError", "ProcessFailure", "record"]


class ProcessFailure(Exception):
    """A process that failed; there are no others here."""


class ChildFailedError(Exception):
    """Children that failed; there are none here."""


def record(fn, error_handler=None):
    """record(fn) -> fn: its errors reach the caller as they are."""
    return fn
