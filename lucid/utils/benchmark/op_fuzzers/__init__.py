"""torch.utils.benchmark.op_fuzzers."""
