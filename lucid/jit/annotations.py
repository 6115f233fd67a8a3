"""torch.jit.annotations: types that TorchScript knows."""
