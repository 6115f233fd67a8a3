"""torch.utils.mobile_optimizer: programs in TorchScript for telephones, which lucid does not have."""

from .._base.enumeration import enumeration
from .._base.refused import refuse

MobileOptimizerType = enumeration(
    "_MobileOptimizerType",
    "lucid._C",
    """CONV_BN_FUSION INSERT_FOLD_PREPACK_OPS REMOVE_DROPOUT FUSE_ADD_RELU HOIST_CONV_PACKED_PARAMS
    CONV_1D_TO_2D VULKAN_AUTOMATIC_GPU_TRANSFER""",
)
globals().update(
    refuse("torch.utils.mobile_optimizer", "optimize_for_mobile generate_mobile_module_lints LintCode", "TorchScript")
)
