"""The parts of a DataLoader: fetching, collating, pinning, workers."""

from . import collate, fetch, pin_memory, worker

MP_STATUS_CHECK_INTERVAL = worker.STATUS_CHECK_INTERVAL
