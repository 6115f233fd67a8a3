"""torch.utils.tensorboard._utils"""
