"""torch.ao: quantization and its relatives, which lucid does not have; layers that pass floats on are here."""
