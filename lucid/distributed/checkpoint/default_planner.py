"""torch.distributed.checkpoint.default_planner: what of a state dict is written and read."""

from ._nested import flattened

__all__ = ["DefaultSavePlanner", "DefaultLoadPlanner"]


class DefaultSavePlanner:
    """DefaultSavePlanner(flatten_state_dict=True, flatten_sharded_tensors=True, ...): nested states under names."""

    def __init__(
        self,
        flatten_state_dict=True,
        flatten_sharded_tensors=True,
        dedup_replicated_tensors=None,
        dedup_save_to_lowest_rank=False,
        enable_plan_caching=False,
    ):
        self.flatten_state_dict = flatten_state_dict

    def flat(self, state):
        """flat(state) -> (values by name, ways to them)"""
        return flattened(state) if self.flatten_state_dict else (dict(state), {k: (k,) for k in state})


class DefaultLoadPlanner(DefaultSavePlanner):
    """DefaultLoadPlanner(flatten_state_dict=True, flatten_sharded_tensors=True, allow_partial_load=False): the same,
    read; allow_partial_load: what the checkpoint lacks stays as it is.
    """

    def __init__(self, flatten_state_dict=True, flatten_sharded_tensors=True, allow_partial_load=False):
        super().__init__(flatten_state_dict)
        self.allow_partial_load = allow_partial_load


def own_planner(planner, verb):
    """The planner, or the one by default; NotImplementedError for a program's own."""
    kind = DefaultSavePlanner if verb == "save" else DefaultLoadPlanner
    if planner is None:
        return kind()
    if type(planner) is not kind:
        raise NotImplementedError(f"torch.distributed.checkpoint.{verb}: lucid has no planners but {kind.__name__}")
    return planner
