"""What flows back through max pooling to the places that it gave, as an op of its own: ATen's
max_pool2d_with_indices_backward."""

from ..._backend.core import func_op
from ..._backend.families import Layer
from .pool import pick, place


def _placing_op(n):
    def forward(xp, g, input, indices):
        return place(xp, g, indices, input.shape, n)

    def grad_g(xp, g_, indices):
        return pick(xp, g_, indices, n)

    def grad_input(xp, g_, shape):
        return xp.zeros(tuple(shape))  # constant between ties; torch too gives zeros rather than none

    return type(
        f"max_pool{n}d_placed",
        (Layer,),
        {
            "namespace": None,
            "node_name": f"MaxPool{n}DWithIndicesBackwardBackward0",
            "index_inputs": ("indices",),
            "forward": func_op(3)(forward),
            "grad_g": grad_g,
            "grad_input": grad_input,
            "__module__": __name__,
            "__doc__": f"max_pool{n}d_placed(g, input, indices) -> Tensor like input, g added at the flat indices.",
        },
    )


max_pool2d_placed, max_pool3d_placed = _placing_op(2), _placing_op(3)
