"""torch.distributed.tensor.placement_types: how a tensor lies over a mesh."""

__all__ = ["Placement", "Replicate", "Shard", "Partial"]


class Placement:
    """How a tensor lies along one dimension of a mesh."""

    def is_shard(self, dim=None):
        """is_shard(dim=None) -> bool"""
        return isinstance(self, Shard) and dim in (None, self.dim)

    def is_replicate(self):
        """is_replicate() -> bool"""
        return isinstance(self, Replicate)

    def is_partial(self, reduce_op=None):
        """is_partial(reduce_op=None) -> bool"""
        return isinstance(self, Partial) and reduce_op in (None, self.reduce_op)

    def __eq__(self, other):
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self):
        return hash((type(self).__name__, *vars(self).values()))


class Shard(Placement):
    """Shard(dim): each process has a part of dim."""

    def __init__(self, dim):
        self.dim = dim

    def __repr__(self):
        return f"Shard(dim={self.dim})"

    def __str__(self):
        return f"S({self.dim})"

    @staticmethod
    def local_shard_size_and_offset(curr_local_size, num_chunks, rank):
        """local_shard_size_and_offset(size, chunks, rank) -> (size of the rank's part, its begin)"""
        whole = (curr_local_size + num_chunks - 1) // num_chunks
        begin = min(whole * rank, curr_local_size)
        return min(whole, curr_local_size - begin), begin


class Replicate(Placement):
    """Replicate(): each process has all."""

    def __repr__(self):
        return "Replicate()"

    def __str__(self):
        return "R"


class Partial(Placement):
    """Partial(reduce_op="sum"): the whole is what the processes have, reduced."""

    ALL_REDUCE_OPS = ("sum", "avg", "product", "max", "min")
    LINEAR_REDUCE_OPS = ("sum", "avg")

    def __init__(self, reduce_op="sum"):
        self.reduce_op = reduce_op

    def __repr__(self):
        return f"Partial({self.reduce_op})"

    def __str__(self):
        return f"P({self.reduce_op})"


_Partial = Partial


class _StridedShard(Shard):
    """_StridedShard(dim, split_factor=...): parts of parts of dim, in another order of the mesh's dimensions."""

    def __init__(self, dim, *, split_factor):
        super().__init__(dim)
        self.split_factor = split_factor

    def __repr__(self):
        return f"_StridedShard(dim={self.dim}, sf={self.split_factor})"
