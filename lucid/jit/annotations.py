"""torch.jit.annotations: types that TorchScript knows."""

from .._base.refused import refuse as _refuse
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

globals().update(
    _refuse(
        "torch.jit.annotations",
        """is_tuple is_list is_dict is_optional is_union TensorType TupleType FloatType ComplexType IntType ListType
        StringType DictType AnyType Module get_signature check_fn get_param_names parse_type_line get_type_line
        split_type_line try_real_annotations try_ann_to_type ann_to_type""",
        "TorchScript",
    )
)
