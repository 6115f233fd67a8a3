"""Settings of torch.fx, as torch has them."""

disable_progress = True  # no progress bars of passes
verbose_progress = False
do_not_emit_stack_traces = False
