"""torch.distributed.config: settings, which change nothing."""
