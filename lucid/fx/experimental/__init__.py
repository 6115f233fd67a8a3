"""Parts of torch.fx that torch calls experimental."""

from .._later import later

__getattr__ = later(
    __name__,
    """const_fold debug merge_matmul normalize optimization proxy_tensor rewriter schema_type_annotation
    symbolic_shapes""",
)
