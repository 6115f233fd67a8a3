"""torch.distributed.elastic: process pools that survive failures, which lucid does not have."""
