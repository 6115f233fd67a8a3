"""torch.utils.tensorboard._convert_np"""
