"""torch._functorch.predispatch."""

from .._modes.steps import (  # noqa: F401
    _add_batch_dim,
    _enter_dual_level,
    _exit_dual_level,
    _jvp_decrement_nesting,
    _jvp_increment_nesting,
    _make_dual,
    _remove_batch_dim,
    _unpack_dual,
    _unwrap_for_grad,
    _vmap_decrement_nesting,
    _vmap_increment_nesting,
    lazy_load_decompositions,
)
