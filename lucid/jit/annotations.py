"""torch.jit.annotations: types that TorchScript knows."""

from .._jit_internal import (  # noqa: F401
    Any,
    BroadcastingList1,
    BroadcastingList2,
    BroadcastingList3,
    BroadcastingList4,
    BroadcastingList5,
    BroadcastingList6,
    Dict,
    Future,
    List,
    Optional,
    Tuple,
    Union,
)
