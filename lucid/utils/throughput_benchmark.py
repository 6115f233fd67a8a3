"""torch.utils.throughput_benchmark"""

from .._base.refused import refuse

globals().update(
    refuse("torch.utils.throughput_benchmark", "ThroughputBenchmark ExecutionStats", "benchmark of C++ threads")
)
