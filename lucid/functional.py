"""torch.functional: the functions that torch writes in Python, under their second name."""

from ._backend.registry import NAMESPACES
from ._base.shape import broadcast_shapes as broadcast_shapes

_NAMES = """atleast_1d atleast_2d atleast_3d broadcast_tensors cartesian_prod block_diag cdist
    chain_matmul einsum istft lu norm meshgrid pca_lowrank split stft svd_lowrank tensordot unique unique_consecutive
    unravel_index""".split()
globals().update({n: NAMESPACES["torch"][n] for n in _NAMES if n in NAMESPACES["torch"]})
