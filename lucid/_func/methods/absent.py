"""Names of torch's for tensors that lucid does not have (sparse, quantized, nested): calling one says so."""

from ..._backend.registry import public


def _absent(kind, names):
    for name in names.split():

        def f(*args, __name=name, **kwargs):
            raise NotImplementedError(f"torch.{__name}: lucid has no {kind} tensors; it has strided ones")

        f.__name__ = f.__qualname__ = name
        f.__doc__ = f"{name}(...): NotImplementedError, lucid has no {kind} tensors."
        public(name)(f)


_absent(
    "sparse",
    """sparse_coo_tensor sparse_csr_tensor sparse_csc_tensor sparse_bsr_tensor sparse_bsc_tensor
    sparse_compressed_tensor hspmm smm sspaddmm _sparse_coo_tensor_unsafe""",
)
_absent(
    "quantized",
    """quantize_per_tensor quantize_per_channel dequantize quantized_batch_norm
    fake_quantize_per_tensor_affine fake_quantize_per_channel_affine""",
)
