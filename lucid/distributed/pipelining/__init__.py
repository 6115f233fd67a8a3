"""torch.distributed.pipelining: lucid has no pipelines of several processes."""

from ..._base.refused import refuse

__all__ = """Pipe PipelineStage Schedule1F1B ScheduleDualPipeV ScheduleGPipe ScheduleInterleaved1F1B 
ScheduleInterleavedZeroBubble ScheduleLoopedBFS ScheduleZBVZeroBubble SplitPoint build_stage 
pipe_split pipeline""".split()
globals().update(refuse("torch.distributed.pipelining", " ".join(__all__), "pipelines of several processes"))
