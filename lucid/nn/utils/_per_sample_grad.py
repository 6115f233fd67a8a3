"""torch.nn.utils._per_sample_grad: gradients for each sample; torch.func.vmap of grad gives them in lucid."""

from ..._base.refused import refused_function

call_for_per_sample_grads = refused_function(
    "torch.nn.utils._per_sample_grad", "call_for_per_sample_grads", "expanded weights; use torch.func.vmap(grad(...))"
)
