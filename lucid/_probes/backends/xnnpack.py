"""torch.backends.xnnpack: a kernel library, not here."""

enabled = False
