"""torch.utils.benchmark: how long a statement takes, measured with care."""

from ..._base.refused import refuse as _refuse
from .compare import Compare
from .timer import Language, Measurement, Timer, timer

__all__ = ["Compare", "Language", "Measurement", "Timer", "timer"]


globals().update(
    _refuse("torch.utils.benchmark", "CallgrindStats FunctionCounts CopyIfCallgrind FunctionCount", "Callgrind")
)
globals().update(
    _refuse("torch.utils.benchmark", "FuzzedParameter FuzzedTensor FuzzedSparseTensor Fuzzer ParameterAlias", "fuzzers")
)
