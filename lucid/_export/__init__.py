"""torch._export: the inner parts of torch.export, which lucid does not have."""
