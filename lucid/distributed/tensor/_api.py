"""torch.distributed.tensor._api"""
