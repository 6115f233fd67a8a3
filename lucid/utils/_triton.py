"""torch.utils._triton: is there Triton? Not for lucid, which makes no kernels with it."""


def has_triton():
    """has_triton() -> False"""
    return False


has_triton_package = has_triton_tma = has_triton_tma_device = has_triton_stable_tma_api = has_triton
has_triton_experimental_host_tma = has_triton_tensor_descriptor_host_tma = has_datacenter_blackwell_tma_device = (
    has_triton
)
