"""torch.distributed.pipelining: lucid has no pipelines of several processes."""

from ..._base.refused import refuse

globals().update(
    refuse(
        "torch.distributed.pipelining",
        """Pipe PipelineStage Schedule1F1B ScheduleDualPipeV ScheduleGPipe ScheduleInterleaved1F1B
        ScheduleInterleavedZeroBubble ScheduleLoopedBFS ScheduleZBVZeroBubble SplitPoint build_stage
        pipe_split pipeline""",
        "pipelines of several processes",
    )
)
