"""torch.utils.benchmark.op_fuzzers.sparse_unary: operands drawn at random, which lucid does not have."""

from ...._base.refused import refuse

globals().update(refuse("torch.utils.benchmark.op_fuzzers.sparse_unary", "SparseUnaryOpFuzzer", "fuzzers"))
