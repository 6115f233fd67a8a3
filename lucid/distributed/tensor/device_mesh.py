"""torch.distributed.tensor.device_mesh"""
