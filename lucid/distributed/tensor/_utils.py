"""torch.distributed.tensor._utils: which part of a tensor lies in this process: all of it, as there is one process."""


def compute_local_shape_and_global_offset(global_shape, mesh, placements, skip_offset=False):
    """compute_local_shape_and_global_offset(shape, mesh, placements) -> (shape of the local part, where it begins)."""
    return tuple(global_shape), tuple(0 for _ in global_shape)


def compute_local_shape(global_shape, mesh, placements):
    """compute_local_shape(shape, mesh, placements) -> shape of the local part."""
    return tuple(global_shape)
