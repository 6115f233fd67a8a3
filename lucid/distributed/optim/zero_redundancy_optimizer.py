"""ZeroRedundancyOptimizer: state shared out among processes; one has all of it."""

from ..._c10d.membership import group_of
from ...optim.optimizer import Optimizer

__all__ = ["ZeroRedundancyOptimizer"]


class ZeroRedundancyOptimizer(Optimizer):
    """ZeroRedundancyOptimizer(params, optimizer_class, **defaults): optimizer_class(params, **defaults) under the name
    `optim`."""

    def __init__(
        self,
        params,
        optimizer_class,
        process_group=None,
        parameters_as_bucket_view=False,
        overlap_with_ddp=False,
        **defaults,
    ):
        if overlap_with_ddp:
            raise NotImplementedError("ZeroRedundancyOptimizer: lucid has no overlap_with_ddp=")
        group_of(process_group)
        params = list(params)
        super().__init__(params, defaults)
        self.optim = optimizer_class(params, **defaults)
        self.param_groups, self.state = self.optim.param_groups, self.optim.state

    def step(self, closure=None, **kwargs):
        """step(closure=None)"""
        return self.optim.step(closure, **kwargs) if closure is not None else self.optim.step(**kwargs)

    def add_param_group(self, param_group):
        """add_param_group(group)"""
        if "optim" in self.__dict__:
            self.optim.add_param_group(param_group)
        else:
            super().add_param_group(param_group)

    def consolidate_state_dict(self, to=0):
        """consolidate_state_dict(to=0): all of it is here."""

    def state_dict(self):
        """state_dict()"""
        return self.optim.state_dict()

    def load_state_dict(self, state_dict):
        """load_state_dict(state)"""
        self.optim.load_state_dict(state_dict)
        self.param_groups, self.state = self.optim.param_groups, self.optim.state
