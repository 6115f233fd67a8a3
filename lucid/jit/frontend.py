"""torch.jit.frontend: parts of a compiler that lucid does not have."""

from .._base.refused import refuse as _refuse

globals().update(
    _refuse(
        "torch.jit.frontend",
        """get_jit_def get_jit_class_def get_default_args is_reserved_name build_withitems build_stmts
        get_class_properties get_class_assigns is_torch_jit_ignore_context_manager Builder build_class_def
        build_def build_param_list build_param build_ignore_context_manager get_default_args_for_class
        WithItemBuilder StmtBuilder ExprBuilder build_expr build_stmt build_withitem find_before""",
        "TorchScript",
    )
)


class FrontendError(Exception):
    """Code that TorchScript cannot read; lucid never raises it, programs catch it."""


class NotSupportedError(FrontendError):
    """Python that TorchScript does not have."""


class UnsupportedNodeError(NotSupportedError):
    """A statement that TorchScript does not have."""


class FrontendTypeError(FrontendError):
    """A type that TorchScript does not have."""
