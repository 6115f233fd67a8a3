"""torch.numa.binding: kinds of binding; none is done."""

import dataclasses
import enum

from .._base.refused import refuse


class AffinityMode(str, enum.Enum):
    """What the processors of a process share."""

    NODE, SOCKET, EXCLUSIVE, CORE_COMPLEX = "node", "socket", "exclusive", "core-complex"


@dataclasses.dataclass(frozen=True)
class NumaOptions:
    """NumaOptions(affinity_mode, should_fall_back_if_binding_fails=False)"""

    affinity_mode: AffinityMode
    should_fall_back_if_binding_fails: bool = False


globals().update(
    refuse("torch.numa.binding", "maybe_wrap_command_args_with_numa_binding maybe_wrap_with_numa_binding", "binding")
)
