"""torch._inductor.utils: the kinds of devices that torch's compiler makes kernels for."""

GPU_TYPES = ["cuda", "mps", "xpu", "mtia"]


def is_gpu(device):
    """is_gpu(device) -> bool: is this the name of one?"""
    return device in GPU_TYPES
