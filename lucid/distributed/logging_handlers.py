"""torch.distributed.logging_handlers: where logs of torch.distributed go, by name."""

import logging

__all__: list = []
_log_handlers: dict = {"default": logging.NullHandler()}
