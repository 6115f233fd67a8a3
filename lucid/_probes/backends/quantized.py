"""torch.backends.quantized: engines of quantized kernels, none here."""

engine, supported_engines = "none", ["none"]
