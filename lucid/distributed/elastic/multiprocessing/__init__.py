"""torch.distributed.elastic.multiprocessing"""

from ...._base.refused import refuse
from . import errors

globals().update(
    refuse(
        "torch.distributed.elastic.multiprocessing", "start_processes Std DefaultLogsSpecs LogsSpecs", "process pools"
    )
)
