"""Views: the same memory read in another way. reshape, transpose, expand, slices, split, and what is made of them."""
from .._backend.core import unary_func_op
from .._backend.families import View
from .._base.shape import wrap_dims


class permute(View):
    """permute(input, dims) -> Tensor: the dimensions in another order, the same memory."""

    varargs = "dims"

    @unary_func_op()
    def forward(xp, input, dims):
        return xp.permute(input, dims)

    def prepare(input, dims):
        if len(dims) != input.ndim:
            raise RuntimeError(f"permute(sparse_coo): number of dimensions in the tensor input does not match the length of the "
                               f"desired ordering of dimensions i.e. input.dim() = {input.ndim} is not equal to len(dims) = {len(dims)}")
        return (wrap_dims(dims, input.ndim),)

    def grad_input(xp, g, dims):
        return xp.permute(g, tuple(sorted(range(len(dims)), key=dims.__getitem__)))
