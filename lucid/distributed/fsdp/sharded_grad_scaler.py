"""torch.distributed.fsdp.sharded_grad_scaler: a GradScaler; of one process, the usual one."""

from ..._modes.grad_scaler import GradScaler


class ShardedGradScaler(GradScaler):
    """ShardedGradScaler(device="cuda", init_scale=65536.0, ...): GradScaler"""

    def __init__(
        self,
        device="cuda",
        init_scale=2.0**16,
        backoff_factor=0.5,
        growth_factor=2.0,
        growth_interval=2000,
        enabled=True,
        process_group=None,
    ):
        super().__init__(device, init_scale, growth_factor, backoff_factor, growth_interval, enabled)
