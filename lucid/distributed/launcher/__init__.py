"""torch.distributed.launcher: lucid has no launcher of several processes."""

from ..._base.refused import refuse

__all__ = """LaunchConfig elastic_launch launch_agent""".split()
globals().update(refuse("torch.distributed.launcher", " ".join(__all__), "launcher of several processes"))
