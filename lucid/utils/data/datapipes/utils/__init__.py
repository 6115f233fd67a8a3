"""torch.utils.data.datapipes.utils"""
