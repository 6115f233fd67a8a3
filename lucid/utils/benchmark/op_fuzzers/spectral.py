"""torch.utils.benchmark.op_fuzzers.spectral: operands drawn at random, which lucid does not have."""

from ...._base.refused import refuse

globals().update(refuse("torch.utils.benchmark.op_fuzzers.spectral", "SpectralOpFuzzer", "fuzzers"))
