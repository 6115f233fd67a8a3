"""Parts of torch.fx that torch calls experimental."""
