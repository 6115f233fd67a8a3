"""torch.distributed.c10d_logger: nothing is logged."""


def _exception_logger(func):
    return func


_time_logger = _exception_logger
