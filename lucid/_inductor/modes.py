"""The modes of torch.compile: names for sets of options."""

from .config import checked_options

_TUNED = {"max_autotune": True, "coordinate_descent_tuning": True}
MODES = {
    "default": {},
    "lite": {
        "fallback_by_default": True,
        "selective_decompose": True,
        "reorder_for_peak_memory": False,
        "reorder_for_compute_comm_overlap": False,
        "triton.reorder_for_reducing_graph_partitions": False,
        "use_pre_grad_passes": False,
        "use_joint_graph_passes": False,
        "use_post_grad_passes": False,
        "use_dce": False,
        "allow_buffer_reuse": False,
    },
    "reduce-overhead": {"triton.cudagraphs": True},
    "max-autotune-no-cudagraphs": _TUNED,
    "max-autotune": {"max_autotune": True, "triton.cudagraphs": True, "coordinate_descent_tuning": True},
}


def list_mode_options(mode=None, dynamic=None):
    """list_mode_options(mode=None) -> {option: value} of a mode, or {mode: options}; RuntimeError for other modes."""
    if not mode:
        return {name: dict(options) for name, options in MODES.items()}
    if mode not in MODES:
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(MODES)}")
    return dict(MODES[mode])


def chosen_options(mode, options):
    """{setting: value} of what torch.compile was told; RuntimeError for what is unknown."""
    found = list_mode_options(mode) if mode and mode != "default" else {}
    return found | checked_options(options or {})
