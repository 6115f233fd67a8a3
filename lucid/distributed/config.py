"""torch.distributed.config: settings, which change nothing."""

compile_on_one_rank = use_torchcomms = False
