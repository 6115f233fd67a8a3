"""torch.utils.benchmark.op_fuzzers.binary: operands drawn at random, which lucid does not have."""

from ...._base.refused import refuse

globals().update(refuse("torch.utils.benchmark.op_fuzzers.binary", "BinaryOpFuzzer", "fuzzers"))
