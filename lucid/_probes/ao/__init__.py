"""torch.ao: quantization and its relatives, which lucid does not have."""
