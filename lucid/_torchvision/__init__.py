"""What torchvision's compiled part holds, in Python: ops (`torch.ops.torchvision.*`) and codecs (`torch.ops.image.*`).

torchvision asks `torch.ops.load_library` for two libraries of its wheel; lucid/ops.py then imports `ops` or `codecs`
here, which define the same ops. Gradients, autocast and shapes on `meta` are registered by torchvision's own Python.
"""
